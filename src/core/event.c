/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/event.h"
#include "core/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

bool event_errno_is_absent(int err)
{
	/* Without a PMU: ENOENT; drivers and hypervisors also answer ENODEV, ENXIO, EOPNOTSUPP. */
	return err == -ENOENT || err == -ENODEV || err == -ENXIO || err == -EOPNOTSUPP;
}

bool event_rate_beats(uint64_t hz, uint64_t config_hz)
{
	const uint64_t common[] = { config_hz, 100, 250, 1000 };

	for (size_t i = 0; hz && i < sizeof(common) / sizeof(common[0]); i++)
		if (common[i] && (hz % common[i] == 0 || common[i] % hz == 0))
			return true;
	return false;
}

static int open_one(const struct event *event, unsigned cpu)
{
	struct perf_event_attr attr = event->attr;
	long fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

static bool is_online(unsigned cpu)
{
	struct cpu_list online;
	bool found;

	if (cpu_list_online(&online))
		return true;
	found = cpu_list_has(&online, cpu);
	cpu_list_free(&online);
	return found;
}

/* ENODEV: the event is absent, or the CPU is offline, or was a moment ago. */
static int open_all(struct event_set *set, const struct cpu_list *online)
{
	size_t opened = 0;

	for (size_t i = 0; i < set->cpus->n; i++) {
		unsigned cpu = set->cpus->ids[i];
		int fd;

		if (!cpu_list_has(online, cpu))
			continue;
		fd = open_one(&set->event, cpu);
		if (fd == -ENODEV && !is_online(cpu))
			continue;
		if (fd == -ENODEV)
			fd = open_one(&set->event, cpu);
		if (fd < 0)
			return fd;
		set->by_cpu[i].fd = fd;
		opened++;
	}
	return opened ? 0 : -ENODEV;
}

int event_set_open(struct event_set *set, const struct event *event, const struct cpu_list *cpus,
		   const struct cpu_list *online)
{
	int err;

	*set = (struct event_set){
		.event = *event, .cpus = cpus, .by_cpu = calloc(cpus->n + 1, sizeof(*set->by_cpu)), .program_fd = -1
	};
	if (!set->by_cpu)
		return -ENOMEM;
	for (size_t i = 0; i < cpus->n; i++)
		set->by_cpu[i].fd = -1;
	err = open_all(set, online);
	if (err)
		event_set_close(set);
	return err;
}

int event_set_bpf(struct event_set *set, int program_fd)
{
	set->program_fd = program_fd;
	for (size_t i = 0; i < set->cpus->n; i++)
		if (event_set_has(set, i) && ioctl(set->by_cpu[i].fd, PERF_EVENT_IOC_SET_BPF, program_fd))
			return -errno;
	return 0;
}

static int enable(struct event_cpu *c)
{
	if (ioctl(c->fd, PERF_EVENT_IOC_ENABLE, 0))
		return -errno;
	c->start_ns = clock_ns(CLOCK_MONOTONIC);
	return 0;
}

int event_set_enable(struct event_set *set, bool on, uint64_t spread_ns)
{
	struct timespec pause = { .tv_nsec = (long)(set->cpus->n ? spread_ns / set->cpus->n : 0) };

	for (size_t i = 0; i < set->cpus->n; i++) {
		struct event_cpu *c = &set->by_cpu[i];
		int err = 0;

		if (c->fd < 0)
			continue;
		if (on)
			err = enable(c);
		else if (ioctl(c->fd, PERF_EVENT_IOC_DISABLE, 0))
			err = -errno;
		if (err)
			return err;
		if (on && pause.tv_nsec)
			nanosleep(&pause, NULL);
	}
	return 0;
}

static int read_one(const struct event_cpu *c, struct event_totals *totals)
{
	ssize_t n = read(c->fd, totals, sizeof(*totals));

	if (n < 0)
		return -errno;
	return n == sizeof(*totals) ? 0 : -EIO;
}

static void add_totals(struct event_totals *sum, const struct event_totals *more)
{
	sum->count += more->count;
	sum->enabled_ns += more->enabled_ns;
	sum->running_ns += more->running_ns;
}

bool event_set_ended(struct event_set *set, size_t i, bool is_online, uint64_t *end_ns)
{
	struct event_cpu *c = &set->by_cpu[i];
	struct event_totals totals;
	bool counts;

	if (c->fd < 0 || read_one(c, &totals))
		return false;
	counts = totals.enabled_ns > c->enabled_ns;
	c->enabled_ns = totals.enabled_ns;
	if (is_online && counts)
		return false;
	add_totals(&set->ended, &totals);
	*end_ns = c->start_ns + totals.enabled_ns;
	close(c->fd);
	*c = (struct event_cpu){ .fd = -1 };
	return true;
}

int event_set_restart(struct event_set *set, size_t i)
{
	struct event_cpu c = { .fd = open_one(&set->event, set->cpus->ids[i]) };
	int err = c.fd < 0 ? c.fd : 0;

	if (!err && set->program_fd >= 0 && ioctl(c.fd, PERF_EVENT_IOC_SET_BPF, set->program_fd))
		err = -errno;
	if (!err)
		err = enable(&c);
	if (!err)
		set->by_cpu[i] = c;
	else if (c.fd >= 0)
		close(c.fd);
	return err;
}

bool event_set_has(const struct event_set *set, size_t i)
{
	return set->by_cpu[i].fd >= 0;
}

int event_set_read(const struct event_set *set, struct event_totals *totals)
{
	*totals = set->ended;
	for (size_t i = 0; i < set->cpus->n; i++) {
		struct event_totals one;
		int err;

		if (!event_set_has(set, i))
			continue;
		err = read_one(&set->by_cpu[i], &one);
		if (err)
			return err;
		add_totals(totals, &one);
	}
	return 0;
}

void event_set_close(struct event_set *set)
{
	for (size_t i = 0; set->by_cpu && i < set->cpus->n; i++)
		if (event_set_has(set, i))
			close(set->by_cpu[i].fd);
	free(set->by_cpu);
	set->by_cpu = NULL;
}
