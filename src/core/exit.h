/* SPDX-License-Identifier: GPL-2.0-only */
/* Exit codes, the same for every subcommand; documented in kbpfprof(1). */
#ifndef CORE_EXIT_H
#define CORE_EXIT_H

#include <errno.h>

enum exit_code {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_LIMIT = 2,	       /* a limit that was asked for was reached (wakeup --fail-above) */
	EXIT_LOSS = 3,	       /* more was lost than --max-loss allows */
	EXIT_NOT_POSSIBLE = 4, /* privilege, kernel feature or hardware is missing; `doctor` says the same */
	EXIT_DAMAGED = 5,      /* the input file is damaged; what could be saved was printed */
	EXIT_NOT_EXECUTABLE = 126,
	EXIT_NOT_FOUND = 127,
	EXIT_USAGE = 129,
};

/*
 * Inside the program functions return 0 or -errno and have told what failed. Three values carry
 * a meaning of their own up to main: -EINVAL is a usage error, -EOPNOTSUPP "not possible here",
 * -EBADMSG an input file of which nothing can be used.
 */
static inline enum exit_code exit_code_of(int err)
{
	switch (err) {
	case 0:
		return EXIT_DONE;
	case -EINVAL:
		return EXIT_USAGE;
	case -EOPNOTSUPP:
		return EXIT_NOT_POSSIBLE;
	case -EBADMSG:
		return EXIT_DAMAGED;
	default:
		return EXIT_FAILED;
	}
}

#endif
