/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/programs.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/features.h"
#include "core/filter.h"

static struct program *find(const struct programs *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++)
		if (!strcmp(p->list[i].name, name))
			return &p->list[i];
	return NULL;
}

/* All that the object has, once: it is opened anew after each refusal. */
static int list(struct programs *p, const struct bpf_object *object)
{
	struct bpf_program *bpf;
	size_t n = 0;

	if (p->list)
		return 0;
	bpf_object__for_each_program(bpf, object) n++;
	p->list = calloc(n + 1, sizeof(*p->list));
	if (!p->list)
		return -ENOMEM;
	bpf_object__for_each_program(bpf, object)
	{
		struct program *one = &p->list[p->n++];

		snprintf(one->name, sizeof(one->name), "%s", bpf_program__name(bpf));
		verifier_hook(one->hook, bpf);
		one->state = PROGRAM_UNTRIED;
	}
	return 0;
}

static void keep_line(const char *text, void *arg)
{
	struct program *one = arg;

	strcat(one->log, text);
	strcat(one->log, "\n");
}

static int take_refusal(struct program *one, const struct verifier *v, int err)
{
	one->log = calloc(VERIFIER_LINES, VERIFIER_LINE_BYTES);
	if (!one->log)
		return -ENOMEM;
	one->state = PROGRAM_REFUSED;
	one->err = err;
	verifier_tail(verifier_log(v)[0] ? verifier_log(v) : v->complaint, VERIFIER_LINES, keep_line, one);
	return 0;
}

static void take_loaded(struct program *one, const struct verifier *v, const struct bpf_program *bpf)
{
	struct bpf_prog_info info = { 0 };
	__u32 bytes = sizeof(info);

	one->state = PROGRAM_LOADED;
	one->counted = verifier_stats_of(v, bpf, &one->stats);
	if (bpf_obj_get_info_by_fd(bpf_program__fd(bpf), &info, &bytes))
		return;
	one->translated_bytes = info.xlated_prog_len;
	one->jited_bytes = info.jited_prog_len;
}

static void take_left_out(struct session *s, struct program *one)
{
	one->state = PROGRAM_LEFT_OUT;
	one->reason = filter_left_out(&s->filter, one->name);
	if (!one->reason && s->tool->collector->left_out)
		one->reason = s->tool->collector->left_out(s, one->name);
}

static void take_all(struct session *s, struct programs *p, const struct verifier *v)
{
	struct bpf_program *bpf;

	bpf_object__for_each_program(bpf, s->object)
	{
		struct program *one = find(p, bpf_program__name(bpf));

		if (one->state == PROGRAM_REFUSED)
			continue;
		if (bpf_program__fd(bpf) >= 0)
			take_loaded(one, v, bpf);
		else
			take_left_out(s, one);
	}
}

/* 0: all is known; -EAGAIN: one more was refused, the others are to be tried without it; else -errno. */
static int take(struct session *s, struct programs *p, const struct verifier *v, int err)
{
	struct program *one = v->program[0] ? find(p, v->program) : NULL;

	if (!err) {
		take_all(s, p, v);
		return 0;
	}
	/* What policy refuses, it refuses to all of them. */
	if (one && one->state != PROGRAM_REFUSED && (verifier_log(v)[0] || (err != -EPERM && err != -EACCES))) {
		err = take_refusal(one, v, err);
		return err ? err : -EAGAIN;
	}
	p->err = err;
	features_explain_load(err, p->reason, sizeof(p->reason));
	return err;
}

static int load(struct session *s, void *arg)
{
	struct programs *p = arg;
	struct verifier verifier;
	struct bpf_program *bpf;
	int err = list(p, s->object);

	if (err)
		return err;
	bpf_object__for_each_program(bpf, s->object) if (find(p, bpf_program__name(bpf))->state == PROGRAM_REFUSED)
		bpf_program__set_autoload(bpf, false);
	verifier_watch(&verifier, s->object, VERIFIER_COUNTS);
	err = take(s, p, &verifier, bpf_object__load_skeleton(s->skeleton));
	verifier_close(&verifier);
	return err;
}

void programs_try(const struct session *s, struct programs *p)
{
	int err;

	*p = (struct programs){ 0 };
	do {
		struct session fresh = *s;

		err = session_try(&fresh, load, p);
	} while (err == -EAGAIN);
	if (!err || p->err)
		return;
	p->err = err;
	snprintf(p->reason, sizeof(p->reason), "see the message on stderr");
}

void programs_free(struct programs *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->list[i].log);
	free(p->list);
	*p = (struct programs){ 0 };
}
