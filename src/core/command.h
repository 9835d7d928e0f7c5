/* SPDX-License-Identifier: GPL-2.0-only */
/* The program to be measured: forked first, so that its number is known, run when all is attached. */
#ifndef CORE_COMMAND_H
#define CORE_COMMAND_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct command {
	pid_t tgid;    /* 0: none */
	int go_fd;     /* closing it lets the child exec */
	int failed_fd; /* the child's errno, should exec fail */
	bool running;  /* exec succeeded and it was not reaped */
	bool exec_failed;
	int wait_status; /* of waitpid(), once it ended */
};

/* Forks; the child waits, with `mask` as its signal mask and `stdout_fd` as its stdout. 0 or -errno. */
int command_prepare(struct command *c, char *const *argv, const sigset_t *mask, int stdout_fd);
/* Lets the child exec and waits for that. 0, or -errno of the exec; then the child is reaped already. */
int command_start(struct command *c);
/* Has it ended? To be asked after SIGCHLD. */
bool command_ended(struct command *c);
/* Ends a child that runs or waits still, and reaps it. */
void command_stop(struct command *c);
/* As a shell would say: its status, or 128 + its signal. */
int command_exit_code(const struct command *c);

#endif
