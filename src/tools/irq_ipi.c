/* SPDX-License-Identifier: GPL-2.0-only */
/* irq --ipi: programs and maps of bpf/irq_ipi.bpf.h, and who sent. */
#include <bpf/bpf.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/kernel_btf.h"
#include "tools/irq.h"
#include "tools/irq_parts.h"

static const struct ipi_program {
	const char *name, *tracepoint;
	bool needed; /* without it there is nothing to be measured */
	bool foreign;
} programs[] = {
#if defined(__aarch64__)
	{ "on_ipi_raise", "ipi_raise", true, false },
	{ "on_ipi_send_cpu", "ipi_send_cpu", false, false },
	{ "on_ipi_send_cpumask", "ipi_send_cpumask", false, false },
#else
	{ "on_ipi_raise", "ipi_raise", false, true },
	{ "on_ipi_send_cpu", "ipi_send_cpu", true, false },
	{ "on_ipi_send_cpumask", "ipi_send_cpumask", true, false },
#endif
};

static const char *why_not(const struct irq_state *q, const struct btf *btf, const struct ipi_program *p)
{
	if (p->foreign)
		return "of another architecture";
	if (!(q->asked & REC_IRQ_IPIS))
		return "not needed for what was asked";
	if (btf && !kernel_btf_has_tracepoint(btf, p->tracepoint))
		return "from 6.4 on";
	return NULL;
}

const char *irq_ipi_left_out(const struct irq_state *q, const struct btf *btf, const char *program)
{
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		if (!strcmp(programs[i].name, program))
			return why_not(q, btf, &programs[i]);
	return NULL;
}

/* Address of a function of the kernel, 0: not known. */
static uint64_t address_of(const char *function)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	unsigned long long address = 0;
	char line[1024], name[512];

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%llx %*c %511s", &address, name) == 2 && !strcmp(name, function))
			break;
		address = 0;
	}
	if (f)
		fclose(f);
	return address;
}

/*
 * Where functions that are queued without an interrupt are told as well, those that are sent are told by their common
 * callback: see ipi_callback of bpf/irq_ipi.bpf.h. False: which is which cannot be told.
 */
static bool find_callback(struct irq_state *q, const struct btf *btf)
{
	q->skeleton->rodata->ipi_callback = 0;
	if (!kernel_btf_has_tracepoint(btf, "ipi_send_cpu") || kernel_btf_has_tracepoint(btf, "csd_queue_cpu"))
		return true;
	q->skeleton->rodata->ipi_callback = address_of("generic_smp_call_function_single_interrupt");
	return q->skeleton->rodata->ipi_callback;
}

static bool is_measurable(struct irq_state *q, const struct btf *btf)
{
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		if (programs[i].needed && why_not(q, btf, &programs[i]))
			return false;
	return find_callback(q, btf);
}

#define SENDERS_MAX	   2048
#define SENDERS_STACKS_MAX 4096
#define IPI_CPUS_MAX	   8192 /* as in bpf/irq_ipi.bpf.h */

static int size_maps(const struct irq_state *q)
{
	const struct irq_bpf *skeleton = q->skeleton;
	bool wanted = q->measured & REC_IRQ_IPIS, stacks = q->config->stacks;
	int err = bpf_map__set_autocreate(skeleton->maps.ipi_ways, wanted);

	if (!err)
		err = bpf_map__set_autocreate(skeleton->maps.senders, wanted);
	if (!err)
		err = bpf_map__set_autocreate(skeleton->maps.ipi_callsites, wanted);
	if (!err)
		err = bpf_map__set_max_entries(skeleton->maps.ipi_ways, q->config->cpus);
	if (!err)
		err = bpf_map__set_max_entries(skeleton->maps.senders, stacks ? SENDERS_STACKS_MAX : SENDERS_MAX);
	if (!err && !stacks)
		err = bpf_map__set_key_size(skeleton->maps.senders, offsetof(struct irq_sender_key, stack));
	return err;
}

int irq_ipi_choose(struct irq_state *q, const struct btf *btf)
{
	if (q->config->cpus > IPI_CPUS_MAX || !is_measurable(q, btf))
		q->measured &= ~(unsigned)REC_IRQ_IPIS;
	q->skeleton->rodata->ipis_are_measured = !!(q->measured & REC_IRQ_IPIS);
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		bpf_program__set_autoload(bpf_object__find_program_by_name(q->skeleton->obj, programs[i].name),
					  q->measured & REC_IRQ_IPIS && !why_not(q, btf, &programs[i]));
	return size_maps(q);
}

/* --- Senders. */

static int stack_of(const struct irq_state *q, struct recording *r, const struct irq_sender_key *key)
{
	struct raw_stack raw = { .kernel = (const uint64_t *)key->stack, .max_frames = IRQ_STACK_FRAMES };

	while (raw.kernel_frames < IRQ_STACK_FRAMES && key->stack[raw.kernel_frames])
		raw.kernel_frames++;
	return raw.kernel_frames ? symbols_stack(q->symbols, r, &raw) : -1;
}

/* The function that sent: the call lies before the address that it returns to. */
static int callsite_of(const struct irq_state *q, struct recording *r, const struct irq_sender_key *key)
{
	return key->callsite ? irq_function_name(q->symbols, key->callsite - 1, r) : 0;
}

static int drain_sender(struct irq_state *q, struct recording *r, const struct irq_sender_key *key)
{
	struct rec_irq_sender s = { .vector = key->vector, .context = key->in_context };
	const __u64 *per_cpu = q->values;
	char comm[KBPFPROF_COMM_BYTES + 1] = "";

	if (key->vector < 0 || key->vector >= SPAN_VECTORS || key->in_context >= IRQ_CONTEXTS)
		return 0;
	memcpy(comm, key->comm, KBPFPROF_COMM_BYTES);
	for (unsigned i = 0; i < q->possible_cpus; i++)
		s.count += per_cpu[i];
	s.comm = recording_string(r, comm);
	s.callsite = callsite_of(q, r, key);
	s.stack = stack_of(q, r, key);
	if (s.comm < 0 || s.callsite < 0 || s.stack < -1)
		return -ENOMEM;
	return irq_sender_add(r->irq, &s);
}

/* Names are looked up for all at once. */
static int expect_callsites(int fd, struct recording *r)
{
	struct irq_sender_key key = { 0 }, *before = NULL;
	int err = 0;

	while (!err && !bpf_map_get_next_key(fd, before, &key)) {
		before = &key;
		if (key.callsite)
			err = irq_function_expect(key.callsite - 1, r);
	}
	return err;
}

int irq_senders_drain(struct irq_state *q, struct recording *r)
{
	struct irq_sender_key key = { 0 }, *before = NULL;
	struct rec_irq *irq = irq_of(r);
	int fd, err = irq ? 0 : -ENOMEM;

	if (err || !(q->measured & REC_IRQ_IPIS))
		return err;
	fd = bpf_map__fd(q->skeleton->maps.senders);
	err = expect_callsites(fd, r);
	/* Several callsites may be of one function: what they hold is added up anew. */
	for (size_t i = 0; i < irq->n_senders; i++)
		irq->senders[i].count = 0;
	while (!err && !bpf_map_get_next_key(fd, before, &key)) {
		before = &key;
		if (!bpf_map_lookup_elem(fd, &key, q->values))
			err = drain_sender(q, r, &key);
	}
	return err;
}
