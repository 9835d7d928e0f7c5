/* SPDX-License-Identifier: GPL-2.0-only */
#include "views/json_latency.h"

#include <string.h>

#include "core/latency.h"
#include "views/json_latency_case.h"
#include "views/json_values.h"

/* As in the page for people: a quantile wants a value beyond it. */
static void write_quantile(struct json *j, const char *key, const struct rec_hist *h, unsigned permille)
{
	json_known(j, key, h->count >= 1000 / (1000 - permille), latency_quantile(h, permille));
}

static void write_hist(struct json *j, const struct recording *r, const struct rec_hist *h)
{
	json_line(j, NULL);
	json_string(j, "group", h->group ? recording_str(r, h->group) : NULL);
	json_string(j, "kind", latency_kind_word(h->kind));
	json_uint(j, "count", h->count);
	json_uint(j, "sum_ns", h->sum_ns);
	json_known(j, "min_ns", h->count, h->min_ns);
	json_known(j, "max_ns", h->count, h->max_ns);
	write_quantile(j, "p50_ns", h, 500);
	write_quantile(j, "p90_ns", h, 900);
	write_quantile(j, "p99_ns", h, 990);
	write_quantile(j, "p99_9_ns", h, 999);
	json_buckets(j, h->buckets);
	json_line_end(j);
}

static void write_cause(struct json *j, const struct recording *r, const struct rec_cause *c)
{
	char text[LATENCY_CAUSE_BYTES];

	json_line(j, NULL);
	json_string(j, "cause", latency_cause_word(c->cause));
	json_string(j, "text", latency_cause_text(text, r, c->cause, c->id, c->name, 0));
	json_latency_id(j, c->cause, c->id);
	json_string(j, "name", c->name ? recording_str(r, c->name) : NULL);
	json_bool(j, "preempted", c->preempted);
	json_uint(j, "from_ns", hist_quarter_min_ns(c->quarter));
	json_known(j, "to_ns", c->quarter + 1 < HIST_QUARTERS, hist_quarter_min_ns(c->quarter + 1));
	json_uint(j, "spans", c->spans);
	json_uint(j, "ns", c->ns);
	json_line_end(j);
}

static void write_point(struct json *j, const struct rec_point *p)
{
	json_line(j, NULL);
	json_string(j, "kind", latency_kind_word(p->kind));
	json_uint(j, "start_ns", p->start_ns);
	json_uint(j, "duration_ns", p->duration_ns);
	json_uint(j, "count", p->count);
	json_uint(j, "sum_ns", p->sum_ns);
	json_known(j, "p50_ns", p->count >= 2, p->p50_ns);
	json_known(j, "p99_ns", p->count >= 100, p->p99_ns);
	json_known(j, "max_ns", p->count, p->max_ns);
	json_line_end(j);
}

/* Words of what this kernel does not show, or not of the whole machine. */
static void write_not_shown(struct json *j, const struct rec_latency *l)
{
	const struct {
		bool is_so;
		const char *word;
	} words[] = {
		{ l->no_timer, "timer" },
		{ l->no_resched, "need_resched" },
		{ l->no_switch_entry, "switch" },
		{ l->no_vectors, "vector" },
		{ l->no_nmi, "nmi" },
		{ l->no_interrupts, "interrupt" },
		{ l->no_boosts, "boost" },
		{ l->no_preempt_depth, "preempt_depth" },
		{ l->softirqs_are_threads, "softirq" },
		{ l->no_causes, "causes" },
	};

	json_line_array(j, "not_shown");
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (words[i].is_so)
			json_string(j, NULL, words[i].word);
	json_line_array_end(j);
}

static void write_counts(struct json *j, const struct rec_latency *l)
{
	json_object(j, "counts");
	for (int i = 0; i < WAKE_COUNTS; i++)
		json_uint(j, latency_count_word((enum wake_count)i), l->counts[i]);
	json_object_end(j);
}

static void write_lists(struct json *j, const struct recording *r, const struct json_frames *frames)
{
	const struct rec_latency *l = r->latency;

	json_array(j, "histograms");
	for (size_t i = 0; i < l->n_hists; i++)
		write_hist(j, r, &l->hists[i]);
	json_array_end(j);
	json_array(j, "causes");
	for (size_t i = 0; i < l->n_causes; i++)
		write_cause(j, r, &l->causes[i]);
	json_array_end(j);
	json_array(j, "intervals");
	for (size_t i = 0; i < l->n_points; i++)
		write_point(j, &l->points[i]);
	json_array_end(j);
	json_array(j, "cases");
	for (size_t i = 0; i < l->n_cases; i++)
		json_latency_case(j, r, &l->cases[i], frames);
	json_array_end(j);
}

void json_latency_use(const struct recording *r, struct json_frames *frames)
{
	for (size_t i = 0; r->latency && i < r->latency->n_cases; i++) {
		json_frames_use(frames, r->latency->cases[i].waker_stack);
		json_frames_use(frames, r->latency->cases[i].out_stack);
		json_frames_use(frames, r->latency->cases[i].user_stack);
	}
}

void json_latency(struct json *j, const struct recording *r, const struct json_frames *frames)
{
	const struct rec_latency *l = r->latency;

	if (!l) {
		json_null(j, "latency");
		return;
	}
	json_object(j, "latency");
	json_string(j, "policy", *l->policy ? l->policy : NULL);
	json_string(j, "per", *l->per ? l->per : NULL);
	json_known(j, "above_ns", l->above_ns, l->above_ns);
	write_counts(j, l);
	write_not_shown(j, l);
	write_lists(j, r, frames);
	json_object_end(j);
}
