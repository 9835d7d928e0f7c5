/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/command.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What a COMMAND has to end after SIGTERM: the report waits for it. */
#define GRACE_MS      1000
#define GRACE_STEP_MS 5

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void reap(struct command *c)
{
	while (waitpid(c->tgid, &c->wait_status, 0) < 0 && errno == EINTR)
		;
	c->running = false;
}

/* In the child: waits for the go, then becomes COMMAND. */
static void run_child(char *const *argv, const sigset_t *mask, int go_fd, int failed_fd)
{
	char go;
	ssize_t n;
	int err;

	do {
		n = read(go_fd, &go, 1);
	} while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(1);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(argv[0], argv);
	err = errno;
	if (write(failed_fd, &err, sizeof(err)) < 0)
		_exit(1);
	_exit(err == ENOENT ? 127 : 126);
}

int command_prepare(struct command *c, char *const *argv, const sigset_t *mask, int stdout_fd)
{
	int go[2], failed[2], err;

	*c = (struct command){ .go_fd = -1, .failed_fd = -1 };
	if (pipe2(go, O_CLOEXEC))
		return -errno;
	if (pipe2(failed, O_CLOEXEC)) {
		err = -errno;
		close(go[0]);
		close(go[1]);
		return err;
	}
	c->tgid = fork();
	err = c->tgid < 0 ? -errno : 0;
	if (!c->tgid) {
		close(go[1]); /* or it would not see the pipe's end */
		dup2(stdout_fd, STDOUT_FILENO);
		run_child(argv, mask, go[0], failed[1]);
	}
	close(go[0]);
	close(failed[1]);
	c->go_fd = go[1];
	c->failed_fd = failed[0];
	if (err) {
		c->tgid = 0;
		close_fd(&c->go_fd);
		close_fd(&c->failed_fd);
	}
	return err;
}

int command_start(struct command *c)
{
	int exec_errno = 0;
	ssize_t n;

	n = write(c->go_fd, "g", 1);
	close_fd(&c->go_fd);
	if (n != 1)
		return -EPIPE;
	do { /* the pipe closes when exec succeeds */
		n = read(c->failed_fd, &exec_errno, sizeof(exec_errno));
	} while (n < 0 && errno == EINTR);
	close_fd(&c->failed_fd);
	c->running = true;
	if (n != sizeof(exec_errno))
		return 0;
	c->exec_failed = true;
	reap(c);
	return -exec_errno;
}

bool command_ended(struct command *c)
{
	if (c->running && waitpid(c->tgid, &c->wait_status, WNOHANG) == c->tgid)
		c->running = false;
	return !c->running;
}

/* SIGTERM, and SIGKILL for who does not mind it. */
static void end_child(struct command *c)
{
	const struct timespec step = { .tv_nsec = GRACE_STEP_MS * 1000 * 1000 };

	kill(c->tgid, SIGTERM);
	kill(c->tgid, SIGCONT);
	for (int waited_ms = 0; waited_ms < GRACE_MS; waited_ms += GRACE_STEP_MS) {
		if (command_ended(c))
			return;
		nanosleep(&step, NULL);
	}
	kill(c->tgid, SIGKILL);
	reap(c);
}

void command_stop(struct command *c)
{
	if (!c->tgid)
		return;
	if (c->go_fd >= 0) {
		kill(c->tgid, SIGKILL);
		reap(c);
	} else if (c->running) {
		end_child(c);
	}
	c->tgid = 0;
	close_fd(&c->go_fd);
	close_fd(&c->failed_fd);
}

int command_exit_code(const struct command *c)
{
	return WIFSIGNALED(c->wait_status) ? 128 + WTERMSIG(c->wait_status) : WEXITSTATUS(c->wait_status);
}
