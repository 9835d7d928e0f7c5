/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/event.h"

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

int event_set_open(struct event_set *set, const struct event *event, const struct cpu_list *cpus)
{
	size_t opened = 0;

	set->cpus = cpus;
	set->fds = malloc((cpus->n + 1) * sizeof(*set->fds));
	if (!set->fds)
		return -ENOMEM;
	for (size_t i = 0; i < cpus->n; i++)
		set->fds[i] = -1;
	for (size_t i = 0; i < cpus->n; i++) {
		int fd = open_one(event, cpus->ids[i]);

		if (fd == -ENODEV && i && !is_online(cpus->ids[i]))
			continue; /* went offline since the list was made */
		if (fd < 0) {
			event_set_close(set);
			return fd;
		}
		set->fds[i] = fd;
		opened++;
	}
	return opened ? 0 : -ENODEV;
}

int event_set_bpf(struct event_set *set, int program_fd)
{
	for (size_t i = 0; i < set->cpus->n; i++)
		if (set->fds[i] >= 0 && ioctl(set->fds[i], PERF_EVENT_IOC_SET_BPF, program_fd))
			return -errno;
	return 0;
}

int event_set_enable(struct event_set *set, bool on, uint64_t spread_ns)
{
	struct timespec pause = { .tv_nsec = (long)(set->cpus->n ? spread_ns / set->cpus->n : 0) };

	for (size_t i = 0; i < set->cpus->n; i++) {
		if (set->fds[i] < 0)
			continue;
		if (ioctl(set->fds[i], on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0))
			return -errno;
		if (on && pause.tv_nsec)
			nanosleep(&pause, NULL);
	}
	return 0;
}

int event_set_read(const struct event_set *set, struct event_totals *totals)
{
	*totals = (struct event_totals){ 0 };
	for (size_t i = 0; i < set->cpus->n; i++) {
		struct {
			uint64_t value, enabled_ns, running_ns;
		} got;
		ssize_t n;

		if (set->fds[i] < 0)
			continue;
		n = read(set->fds[i], &got, sizeof(got));
		if (n < 0)
			return -errno;
		if (n != sizeof(got))
			return -EIO;
		totals->count += got.value;
		totals->enabled_ns += got.enabled_ns;
		totals->running_ns += got.running_ns;
	}
	return 0;
}

void event_set_close(struct event_set *set)
{
	for (size_t i = 0; set->fds && i < set->cpus->n; i++)
		if (set->fds[i] >= 0)
			close(set->fds[i]);
	free(set->fds);
	set->fds = NULL;
}
