/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

unsigned terminal_width(void)
{
	struct winsize size = { 0 };

	if (!isatty(STDOUT_FILENO))
		return 0;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
		return 80;
	return size.ws_col;
}

bool terminal_color(const char *when)
{
	const char *no_color = getenv("NO_COLOR");

	if (when && !strcmp(when, "always"))
		return true;
	if (when && !strcmp(when, "never"))
		return false;
	return isatty(STDOUT_FILENO) && !(no_color && *no_color);
}

static bool is_blank(const char *text)
{
	return !text[strspn(text, " \t")];
}

static const char *pager_command(void)
{
	const char *own = getenv("KBPFPROF_PAGER"), *common = getenv("PAGER"), *term = getenv("TERM");

	if (term && !strcmp(term, "dumb"))
		return NULL;
	if (own)
		return is_blank(own) ? NULL : own;
	return common && !is_blank(common) ? common : "less";
}

/* In the child: `in` becomes its stdin. If there is no such program a byte goes to `failed`, which exec closes. */
static void run_pager(const char *command, int in, int failed)
{
	dup2(in, STDIN_FILENO);
	signal(SIGPIPE, SIG_DFL);
	setenv("LESS", "FRX", 0); /* short reports end at once, colours pass */
	if (!geteuid())
		setenv("LESSSECURE", "1", 1); /* no shell from a pager that runs as root */
	if (strpbrk(command, " \t'\"$;|&<>()"))
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	else
		execlp(command, command, (char *)NULL);
	_exit(write(failed, "", 1) == 1 ? 127 : 126);
}

/* Its process if it runs; 0 if not. Takes over both ends that are the child's. */
static pid_t fork_pager(const char *command, int text_in, int failed[2])
{
	pid_t pager = fork();
	char c;

	if (!pager)
		run_pager(command, text_in, failed[1]);
	close(text_in);
	close(failed[1]);
	if (pager > 0 && read(failed[0], &c, 1) != 0) {
		waitpid(pager, NULL, 0);
		pager = 0;
	}
	return pager < 0 ? 0 : pager;
}

/* Moves stdout to the pager's end of a pipe; false, and all as it was, if it does not run. */
static bool start(struct pager *p, const char *command)
{
	int text[2], failed[2];

	if (pipe2(text, O_CLOEXEC))
		return false;
	if (pipe2(failed, O_CLOEXEC)) {
		close(text[0]);
		close(text[1]);
		return false;
	}
	fflush(NULL);
	signal(SIGPIPE, SIG_IGN);
	p->tgid = fork_pager(command, text[0], failed);
	if (p->tgid)
		dup2(text[1], STDOUT_FILENO);
	else
		signal(SIGPIPE, SIG_DFL);
	close(text[1]);
	close(failed[0]);
	return p->tgid;
}

void pager_start(struct pager *p)
{
	const char *command = isatty(STDOUT_FILENO) ? pager_command() : NULL;

	*p = (struct pager){ 0 };
	if (!command || !strcmp(command, "cat"))
		return;
	p->terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (p->terminal >= 0 && !start(p, command))
		close(p->terminal);
}

bool pager_wait(struct pager *p)
{
	int status = 0;

	if (!p->tgid)
		return true;
	fflush(stdout);
	__fpurge(stdout); /* what nobody took */
	clearerr(stdout);
	dup2(p->terminal, STDOUT_FILENO); /* the pager reads to the end */
	close(p->terminal);
	while (waitpid(p->tgid, &status, 0) < 0 && errno == EINTR)
		;
	signal(SIGPIPE, SIG_DFL);
	p->tgid = 0;
	return !(WIFEXITED(status) && (WEXITSTATUS(status) == 127 || WEXITSTATUS(status) == 126));
}
