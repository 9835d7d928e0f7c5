/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pingpong COUNT [CPU CPU]: the processes ping and pong wake each other in turn by pipes, COUNT times each. On two CPUs
 * the one often wakes the other just before that sleeps.
 *
 * Prints "pid PING PONG" at first and waits as periodic does. At the end "ping voluntary=" and "pong voluntary=": how
 * often they slept, of the kernel's count, in the same time.
 */
#define _GNU_SOURCE
#include <sys/wait.h>

#include "realtime.h"

struct switches {
	long voluntary, involuntary;
};

static struct switches play(const char *name, int in, int out, unsigned count, int serves)
{
	struct rusage before, after;
	char ball = 0;

	getrusage(RUSAGE_SELF, &before);
	for (unsigned i = 0; i < count; i++) {
		if (serves && write(out, &ball, 1) != 1)
			err(1, "%s", name);
		if (read(in, &ball, 1) != 1)
			err(1, "%s", name);
		if (!serves && write(out, &ball, 1) != 1)
			err(1, "%s", name);
	}
	getrusage(RUSAGE_SELF, &after);
	return (struct switches){ after.ru_nvcsw - before.ru_nvcsw, after.ru_nivcsw - before.ru_nivcsw };
}

int main(int argc, char **argv)
{
	unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 1000;
	int there[2], back[2];
	struct switches s;
	pid_t pong;

	if (pipe(there) || pipe(back))
		err(1, "pipe");
	alarm(60);
	pong = fork();
	prctl(PR_SET_NAME, pong ? "ping" : "pong");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (argc > 3)
		set_cpu(0, atoi(argv[pong ? 2 : 3]));
	if (!pong) {
		s = play("pong", there[0], back[1], count, 0);
		if (write(back[1], &s, sizeof(s)) != sizeof(s))
			err(1, "pong");
		pause(); /* its end is not part of it */
	}
	printf("pid %d %d\n", getpid(), pong);
	go();
	s = play("ping", back[0], there[1], count, 1);
	done();
	printf("ping voluntary=%ld involuntary=%ld\n", s.voluntary, s.involuntary);
	if (read(back[0], &s, sizeof(s)) != sizeof(s))
		err(1, "ping");
	printf("pong voluntary=%ld involuntary=%ld\n", s.voluntary, s.involuntary);
	kill(pong, SIGKILL);
	waitpid(pong, NULL, 0);
	return 0;
}
