/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Why an event that was due is missing from the result. One counter per cause and CPU, raised
 * by the BPF program where the helper failed; recording_lost() carries the sums to the views.
 */
#ifndef KBPFPROF_LOST_H
#define KBPFPROF_LOST_H

enum lost_cause {
	LOST_MAP_FULL,	  /* the map that aggregates has no room left until the next drain */
	LOST_MAP_BUSY,	  /* -EBUSY: the map's bucket was locked on this CPU (kernels before 6.7) */
	LOST_MAP_ERROR,	  /* any other errno of a map update */
	LOST_COLLISION,	  /* two different stacks with one hash, after every probe */
	LOST_WAIT,	  /* there was no room for a task's wait: it is not measured (wakeup) */
	LOST_TARGET_FULL, /* the table of followed tasks is full: a child is not followed */
	LOST_SKIPPED, /* the kernel did not run a program, as that CPU was in the midst of it; it counts them itself */
	LOST_CAUSES,
};

#endif
