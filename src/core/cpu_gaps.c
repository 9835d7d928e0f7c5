/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/cpu_gaps.h"

#include <errno.h>
#include <stdlib.h>

struct cpu_gap_state {
	bool is_open, was_measured;
	uint64_t since_ns; /* what was before is in the recording */
};

int cpu_gaps_open(struct cpu_gaps *g, const struct cpu_list *cpus)
{
	*g = (struct cpu_gaps){ .cpus = cpus, .states = calloc(cpus->n + 1, sizeof(*g->states)) };
	return g->states ? 0 : -ENOMEM;
}

static void note_measured(struct cpu_gaps *g, size_t i)
{
	if (!g->states[i].was_measured)
		g->measured++;
	g->states[i].was_measured = true;
}

void cpu_gaps_start(struct cpu_gaps *g, const struct cpu_list *online, uint64_t now_ns)
{
	g->start_ns = now_ns;
	for (size_t i = 0; i < g->cpus->n; i++) {
		if (cpu_list_has(online, g->cpus->ids[i]))
			note_measured(g, i);
		else
			cpu_gaps_begin(g, i, now_ns);
	}
}

void cpu_gaps_begin(struct cpu_gaps *g, size_t i, uint64_t ns)
{
	struct cpu_gap_state *state = &g->states[i];

	if (state->is_open)
		return;
	state->is_open = true;
	state->since_ns = ns > g->start_ns ? ns : g->start_ns;
}

static int tell(struct cpu_gaps *g, size_t i, uint64_t ns, struct recording *r)
{
	struct cpu_gap_state *state = &g->states[i];
	struct rec_gap gap = { .cpu = g->cpus->ids[i], .start_ns = state->since_ns - g->start_ns };

	if (!state->is_open || ns <= state->since_ns)
		return 0;
	gap.duration_ns = ns - state->since_ns;
	state->since_ns = ns;
	return recording_gap(r, &gap);
}

int cpu_gaps_end(struct cpu_gaps *g, size_t i, uint64_t ns, struct recording *r)
{
	int err = tell(g, i, ns, r);

	g->states[i].is_open = false;
	note_measured(g, i);
	return err;
}

bool cpu_gaps_is_open(const struct cpu_gaps *g, size_t i)
{
	return g->states[i].is_open;
}

int cpu_gaps_follow(struct cpu_gaps *g, const struct cpu_list *online, uint64_t now_ns, struct recording *r)
{
	int err = 0;

	for (size_t i = 0; i < g->cpus->n && !err; i++) {
		if (!cpu_list_has(online, g->cpus->ids[i]))
			cpu_gaps_begin(g, i, now_ns);
		else if (g->states[i].is_open)
			err = cpu_gaps_end(g, i, now_ns, r);
	}
	return err;
}

int cpu_gaps_tell(struct cpu_gaps *g, uint64_t now_ns, struct recording *r)
{
	int err = 0;

	/* Of a CPU that was offline all the time nobody expects a word: it is none of this run. */
	for (size_t i = 0; i < g->cpus->n && !err; i++)
		if (g->states[i].was_measured)
			err = tell(g, i, now_ns, r);
	return err;
}

void cpu_gaps_close(struct cpu_gaps *g)
{
	free(g->states);
	*g = (struct cpu_gaps){ 0 };
}
