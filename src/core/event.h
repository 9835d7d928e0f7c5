/* SPDX-License-Identifier: GPL-2.0-only */
/* perf events by name, and one of them opened on many CPUs with a BPF program at its overflow. */
#ifndef CORE_EVENT_H
#define CORE_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cpu.h"

struct event {
	char name[64]; /* as the user would type it */
	struct perf_event_attr attr;
	bool is_time; /* it counts nanoseconds of CPU time: cpu-clock, task-clock */
};

/*
 * cycles, instructions, cache-misses, cpu-clock, task-clock, page-faults, context-switches ... (their
 * perf aliases too); rNNN (raw, hexadecimal); PMU/EVENT/ or EVENT as sysfs names it. A suffix :u or :k
 * (both: :uk) keeps user or kernel mode only. 0, or -ENOENT: no such event on this machine, or
 * -EINVAL: the name or a term of the PMU's description cannot be understood.
 */
int event_parse(const char *name, struct event *event);

/* Name i of those that every kernel knows, whatever the CPU has; NULL: there are no more. */
const char *event_generic_name(size_t i);

/* Is the errno of perf_event_open how a kernel or hypervisor says that it does not have the event at all? */
bool event_errno_is_absent(int err);

/* Does sampling at `hz` keep in step with the tick or with what runs at round rates? config_hz 0: not known. */
bool event_rate_beats(uint64_t hz, uint64_t config_hz);

struct event_totals {
	uint64_t count;			 /* of the event, in its unit */
	uint64_t enabled_ns, running_ns; /* sums over CPUs */
};

struct event_cpu {
	int fd;		     /* -1: it has none, being offline */
	uint64_t start_ns;   /* CLOCK_MONOTONIC: enabled */
	uint64_t enabled_ns; /* when it was last looked at */
};

struct event_set {
	struct event event;
	const struct cpu_list *cpus; /* the caller's */
	struct event_cpu *by_cpu;    /* [i] is on cpus->ids[i] */
	struct event_totals ended;   /* of events that went with their CPUs */
	int program_fd;
};

/*
 * Opens the event, disabled, for all tasks of each CPU that is in `online`, too. 0 or -errno of the first CPU that
 * refused.
 */
int event_set_open(struct event_set *set, const struct event *event, const struct cpu_list *cpus,
		   const struct cpu_list *online);
int event_set_bpf(struct event_set *set, int program_fd);
/* Starts counting; the CPUs begin spread over `spread_ns` so that they do not sample in step. */
int event_set_enable(struct event_set *set, bool on, uint64_t spread_ns);
/*
 * A CPU that goes offline takes its event along, for good: perf_event_exit_cpu() in kernel/events/core.c. So does one
 * that a suspend takes away, unseen in the list of those online. Both called for each CPU, by which are online:
 * Has the event ended? Then *end_ns is when, and what it counted is kept. An event must be asked about twice, some time
 * apart, to be found out if its CPU is back already.
 */
bool event_set_ended(struct event_set *set, size_t i, bool is_online, uint64_t *end_ns);
/* Counts (again) on a CPU that has no event. 0 or -errno. */
int event_set_restart(struct event_set *set, size_t i);
bool event_set_has(const struct event_set *set, size_t i);
int event_set_read(const struct event_set *set, struct event_totals *totals);
void event_set_close(struct event_set *set);

#endif
