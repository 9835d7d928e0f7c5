/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BENCH_LINK_H
#define BENCH_LINK_H

/* What a function of the library gets: whom to call, with the steps behind this one. */
struct step {
	void (*next)(struct step *at);
};

#define LINK_FIRST 100	/* link_function_100 ... */
#define LINK_LAST  1899 /* ... to link_function_1899 */

#endif
