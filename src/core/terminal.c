/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
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

static const char *pager_command(void)
{
	const char *own = getenv("KBPFPROF_PAGER"), *common = getenv("PAGER"), *term = getenv("TERM");

	if (term && !strcmp(term, "dumb"))
		return NULL;
	if (own)
		return *own ? own : NULL;
	return common && *common ? common : "less";
}

/* In the child: `in` becomes its stdin. If there is no such program a byte goes to `failed`, which exec closes. */
static void run_pager(const char *command, int in, int failed)
{
	dup2(in, STDIN_FILENO);
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

pid_t pager_start(void)
{
	const char *command = isatty(STDOUT_FILENO) ? pager_command() : NULL;
	int text[2], failed[2];
	pid_t pager;

	if (!command || !strcmp(command, "cat") || pipe2(text, O_CLOEXEC))
		return 0;
	if (pipe2(failed, O_CLOEXEC)) {
		close(text[0]);
		close(text[1]);
		return 0;
	}
	fflush(NULL);
	pager = fork_pager(command, text[0], failed);
	if (pager)
		dup2(text[1], STDOUT_FILENO);
	close(text[1]);
	close(failed[0]);
	return pager;
}

void pager_wait(pid_t pager)
{
	if (!pager)
		return;
	fclose(stdout);
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
}
