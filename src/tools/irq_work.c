/* SPDX-License-Identifier: GPL-2.0-only */
/* irq --work: programs and maps of bpf/irq_work.bpf.h, and the names of functions. */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/kernel_btf.h"
#include "tools/irq.h"
#include "tools/irq_parts.h"

static const struct work_program {
	const char *name, *tracepoint;
	enum rec_irq_group group;
} programs[] = {
	{ "on_work_queued", "workqueue_queue_work", REC_IRQ_WORK },
	{ "on_work_start", "workqueue_execute_start", REC_IRQ_WORK },
	{ "on_work_end", "workqueue_execute_end", REC_IRQ_WORK },
	{ "on_tasklet_entry", "tasklet_entry", REC_IRQ_TASKLETS }, /* 6.3: f4bf3ca2e5cb */
	{ "on_tasklet_exit", "tasklet_exit", REC_IRQ_TASKLETS },
};

static const char *why_not(const struct irq_state *q, const struct btf *btf, const struct work_program *p)
{
	if (!(q->asked & p->group))
		return "not needed for what was asked";
	if (btf && !kernel_btf_has_tracepoint(btf, p->tracepoint))
		return p->group == REC_IRQ_TASKLETS ? "from 6.3 on" : "this kernel lacks the tracepoint";
	return NULL;
}

const char *irq_work_left_out(const struct irq_state *q, const struct btf *btf, const char *program)
{
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		if (!strcmp(programs[i].name, program))
			return why_not(q, btf, &programs[i]);
	return NULL;
}

/*
 * Tables that give up what was not seen for longest. Each CPU takes 128 places at a time for itself
 * (LOCAL_FREE_TARGET of kernel/bpf/bpf_lru_list.c), which others do not get.
 */
#define QUEUED_LEAST  8192
#define QUEUED_A_CPU  512
#define RUNNING_LEAST 2048
#define RUNNING_A_CPU 256

static int size_maps(const struct irq_state *q)
{
	const struct irq_bpf *skeleton = q->skeleton;
	bool works = q->measured & REC_IRQ_WORK, any = q->measured & (REC_IRQ_WORK | REC_IRQ_TASKLETS);
	__u32 cpus = q->config->cpus, possible = q->possible_cpus;
	const struct {
		struct bpf_map *map;
		bool wanted;
		__u32 n;
	} maps[] = {
		{ skeleton->maps.works_queued, works, QUEUED_LEAST + QUEUED_A_CPU * possible },
		{ skeleton->maps.works_running, any, RUNNING_LEAST + RUNNING_A_CPU * possible },
		{ skeleton->maps.work_offers, works, cpus },
	};
	int err = 0;

	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]) && !err; i++) {
		err = bpf_map__set_autocreate(maps[i].map, maps[i].wanted);
		if (!err)
			err = bpf_map__set_max_entries(maps[i].map, maps[i].n);
	}
	return err;
}

int irq_work_choose(struct irq_state *q, const struct btf *btf)
{
	unsigned lacking = 0;

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		if (why_not(q, btf, &programs[i]))
			lacking |= programs[i].group;
	q->measured &= ~lacking;
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		bpf_program__set_autoload(bpf_object__find_program_by_name(q->skeleton->obj, programs[i].name),
					  q->measured & programs[i].group);
	return size_maps(q);
}

/* --- Names. */

/* A location of the kernel, or -ENOMEM. */
static int locate(struct recording *r, uint64_t address)
{
	struct rec_mapping kernel = { .kind = MAPPING_KERNEL, .name = recording_string(r, "[kernel]") };
	int mapping = kernel.name < 0 ? kernel.name : recording_mapping(r, &kernel);

	return mapping < 0 ? mapping : recording_location(r, mapping, address, WHY_UNRESOLVED);
}

int irq_function_name(struct symbols *s, uint64_t address, struct recording *r)
{
	int location = locate(r, address), err = 0;
	const struct rec_location *l;
	const struct rec_mapping *m;
	char text[512];

	if (location < 0)
		return location;
	if (r->locations[location].why == WHY_UNRESOLVED)
		err = symbols_resolve(s, r);
	if (err)
		return err;
	l = &r->locations[location];
	m = &r->mappings[l->mapping];
	if (l->why != WHY_NAMED)
		snprintf(text, sizeof(text), "0x%llx", (unsigned long long)address);
	else if (m->kind == MAPPING_KERNEL)
		return l->name;
	else
		snprintf(text, sizeof(text), m->kind == MAPPING_MODULE ? "%.400s [%.64s]" : "%.400s %.64s",
			 recording_str(r, l->name), recording_str(r, m->name));
	return recording_string(r, text);
}

int irq_function_expect(uint64_t address, struct recording *r)
{
	int location = locate(r, address);

	return location < 0 ? location : 0;
}

int irq_functions_expect(const struct irq_state *q, struct recording *r)
{
	int fd = bpf_map__fd(q->skeleton->maps.rows), err = 0;
	struct irq_key key, *before = NULL;

	while (!err && !bpf_map_get_next_key(fd, before, &key)) {
		before = &key;
		if (key.what && (key.kind == IRQ_WORK || key.kind == IRQ_TASKLET || key.kind == IRQ_NMI))
			err = irq_function_expect(key.what, r);
	}
	return err;
}
