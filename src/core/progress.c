/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/units.h"

#define EVERY_NS 500000000

uint64_t progress_cpu_ns(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000000 +
	       (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000;
}

void progress_start(struct progress *p, bool wanted, uint64_t duration_ns)
{
	p->on = wanted && isatty(STDERR_FILENO);
	p->start_ns = p->on ? clock_ns(CLOCK_MONOTONIC) : 0;
	p->next_ns = p->start_ns + EVERY_NS;
	p->start_cpu_ns = progress_cpu_ns();
	p->duration_ns = duration_ns;
}

bool progress_is_due(const struct progress *p)
{
	return p->on && clock_ns(CLOCK_MONOTONIC) >= p->next_ns;
}

void progress_show(struct progress *p, const struct progress_news *news)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), elapsed_ns = now - p->start_ns;
	char elapsed[UNITS_BYTES], whole[UNITS_BYTES] = "Ctrl-C", kept[UNITS_BYTES], lost[UNITS_BYTES],
				   cpu[UNITS_BYTES];

	if (p->duration_ns)
		units_duration(whole, p->duration_ns);
	fprintf(stderr, "\r%s of %s, %s %s, %s lost, own CPU %s\033[K", units_duration(elapsed, elapsed_ns), whole,
		units_count(kept, news->kept), news->what, units_count(lost, news->lost),
		units_pct(cpu, (double)(progress_cpu_ns() - p->start_cpu_ns), (double)elapsed_ns));
	p->next_ns = now + EVERY_NS;
}

void progress_end(struct progress *p)
{
	if (p->on)
		fputs("\r\033[K", stderr);
	p->on = false;
}
