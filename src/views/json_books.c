/* SPDX-License-Identifier: GPL-2.0-only */
#include "views/json_books.h"

#include <stdlib.h>

#include "views/footer.h"
#include "views/json_values.h"

/* Nanoseconds since 1970 are above 2^53, so no number that keeps its digits in jq and JavaScript. */
static void write_start(struct json *j, uint64_t start_ns)
{
	uint64_t start_us = start_ns / 1000;

	json_time(j, "start", start_ns);
	json_double(j, "start_unix_s", (double)start_us / 1e6);
}

static void write_meta(struct json *j, const struct rec_meta *m)
{
	json_object(j, "meta");
	json_string(j, "kbpfprof", m->version);
	json_string(j, "tool", m->tool);
	json_string(j, "command_line", m->command_line);
	json_string(j, "host", m->host);
	json_string(j, "target", m->target);
	json_string(j, "kernel", m->kernel);
	write_start(j, m->start_unix_ns);
	json_uint(j, "duration_ns", m->duration_ns);
	json_uint(j, "cpus", m->cpus);
	json_object_end(j);
}

static void write_balance(struct json *j, const struct rec_sampling *s, uint64_t lost)
{
	json_object(j, "books");
	json_uint(j, "expected", s->expected);
	json_uint(j, "kept", s->kept);
	json_uint(j, "idle", s->idle);
	json_uint(j, "filtered", s->filtered);
	json_uint(j, "lost", lost);
	json_int(j, "unexplained", (int64_t)(s->seen - s->kept - s->idle - s->filtered - lost));
	json_int(j, "not_delivered", s->not_delivered);
	json_object_end(j);
}

static void write_sampling(struct json *j, const struct rec_sampling *s, uint64_t lost)
{
	json_object(j, "sampling");
	json_string(j, "event", s->event);
	json_string(j, "fallback", s->fallback[0] ? s->fallback : NULL);
	json_string(j, "unit", s->unit);
	json_bool(j, "is_time", s->is_time);
	json_known(j, "asked_hz", s->asked_hz, s->asked_hz);
	json_known(j, "asked_period", s->asked_period, s->asked_period);
	json_double(j, "achieved_hz", s->achieved_hz);
	write_balance(j, s, lost);
	json_uint(j, "kept_weight", s->kept_weight);
	json_uint(j, "idle_weight", s->idle_weight);
	json_bool(j, "idle_is_guess", s->idle_is_guess);
	json_uint(j, "enabled_ns", s->enabled_ns);
	json_uint(j, "running_ns", s->running_ns);
	json_uint(j, "user_stacks", s->user_stacks);
	json_uint(j, "short_user_stacks", s->short_user_stacks);
	json_uint(j, "max_depth", s->max_depth);
	json_uint(j, "sideband_lost", s->sideband_lost);
	json_object_end(j);
}

/* Of causes that lose no sample the name is NULL. */
static void write_lost(struct json *j, const struct rec_lost *lost)
{
	static const char *const keys[LOST_CAUSES] = {
		[LOST_MAP_FULL] = "stack_map_full",   [LOST_MAP_BUSY] = "stack_map_busy",
		[LOST_MAP_ERROR] = "stack_map_error", [LOST_COLLISION] = "hash_collision",
		[LOST_WAIT] = "no_room_for_wait",     [LOST_SKIPPED] = "program_busy",
	};

	json_object(j, "lost");
	for (int i = 0; i < LOST_CAUSES; i++)
		if (keys[i])
			json_uint(j, keys[i], lost->by_cause[i]);
	json_object_end(j);
	json_uint(j, "not_followed", lost->by_cause[LOST_TARGET_FULL]);
}

static void write_offline(struct json *j, const struct rec_gaps *gaps)
{
	struct rec_gaps joined;

	json_array(j, "offline");
	recording_gaps_join(&joined, gaps);
	for (size_t i = 0; i < joined.n; i++) {
		json_object(j, NULL);
		json_uint(j, "cpu", joined.list[i].cpu);
		json_uint(j, "start_ns", joined.list[i].start_ns);
		json_uint(j, "duration_ns", joined.list[i].duration_ns);
		json_object_end(j);
	}
	json_array_end(j);
	free(joined.list);
}

static void write_selection(struct json *j, const struct rec_selection *s)
{
	if (!s->text[0]) {
		json_null(j, "selection");
		return;
	}
	json_object(j, "selection");
	json_string(j, "text", s->text);
	json_uint(j, "left_out_fires", s->fires);
	json_uint(j, "left_out_weight", s->weight);
	json_object_end(j);
}

static void write_cost(struct json *j, const struct rec_cost *c)
{
	if (!c->known) {
		json_null(j, "cost");
		return;
	}
	json_object(j, "cost");
	json_uint(j, "bpf_ns", c->bpf_ns);
	json_uint(j, "bpf_runs", c->bpf_runs);
	json_uint(j, "user_ns", c->user_ns);
	json_object_end(j);
}

static void write_baseline(struct json *j, const struct rec_baseline *b)
{
	if (!b) {
		json_null(j, "baseline");
		return;
	}
	json_object(j, "baseline");
	write_meta(j, &b->meta);
	write_sampling(j, &b->sampling, lost_sum(&b->lost));
	write_lost(j, &b->lost);
	write_offline(j, &b->gaps);
	write_selection(j, &b->selection);
	json_object_end(j);
}

void json_books(struct json *j, const struct recording *r)
{
	write_meta(j, &r->meta);
	if (footer_has_samples(r))
		write_sampling(j, &r->sampling, lost_sum(&r->lost));
	else
		json_null(j, "sampling");
	write_lost(j, &r->lost);
	write_offline(j, &r->gaps);
	write_selection(j, &r->selection);
	write_cost(j, &r->cost);
	write_baseline(j, r->baseline);
}
