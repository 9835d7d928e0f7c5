/* SPDX-License-Identifier: GPL-2.0-only */
#include "views/irq_device.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NET_RX	   3	/* NET_RX_SOFTIRQ of include/linux/interrupt.h */
#define NET_PART   0.9	/* "almost alone" */
#define NET_RAISES 1000 /* to tell anything of */
#define SEPARATORS "-._: "

/* --- names --- */

/* How drivers call their queues (net and block drivers of the kernel, request_irq() in them). */
static const char *const queues[] = { "rx",	"tx",	   "txrx", "rxtx",    "tx-rx", "q",    "queue", "queues",
				      "input",	"output",  "req",  "request", "fp",    "comp", "msix",	"vector",
				      "config", "control", "ctrl", "event",   "mgmnt", "mgmt", "admin", "async" };

static bool ends_with(const char *s, size_t bytes, const char *word)
{
	size_t word_bytes = strlen(word);

	return bytes > word_bytes && !strncasecmp(s + bytes - word_bytes, word, word_bytes);
}

static size_t without(const char *s, size_t bytes, const char *set)
{
	while (bytes && strchr(set, s[bytes - 1]))
		bytes--;
	return bytes;
}

/* Length without the last word if that is of a queue; else `bytes`. */
static size_t without_queue(const char *s, size_t bytes)
{
	size_t end = without(s, without(s, bytes, "0123456789"), SEPARATORS);

	for (size_t i = 0; i < sizeof(queues) / sizeof(queues[0]); i++) {
		size_t left = end - strlen(queues[i]);
		bool is_apart;

		if (!ends_with(s, end, queues[i]))
			continue;
		is_apart = strchr(SEPARATORS, s[left - 1]) || isdigit((unsigned char)s[left - 1]); /* nvme0q1 */
		left = without(s, left, SEPARATORS);
		if (is_apart && left)
			return left;
	}
	return bytes;
}

char *irq_device_name(char buf[IRQ_DEVICE_BYTES], const char *action)
{
	const char *at = strchr(action, '@'); /* mlx5_comp3@pci:0000:81:00.0 */
	size_t bytes, left;

	action = at && at[1] ? at + 1 : action;
	bytes = strlen(action);
	while (!at && (left = without_queue(action, bytes)) < bytes)
		bytes = left;
	bytes = bytes < IRQ_DEVICE_BYTES ? bytes : IRQ_DEVICE_BYTES - 1;
	memcpy(buf, action, bytes);
	buf[bytes] = '\0';
	return buf;
}

/* --- where its interrupts come --- */

/* Is `cpu` in a list as the kernel writes it, "0-3,8"? */
static bool is_in(const char *list, unsigned cpu)
{
	while (*list >= '0' && *list <= '9') {
		char *end;
		unsigned long first = strtoul(list, &end, 10), last = first;

		if (*end == '-' && end[1] >= '0' && end[1] <= '9')
			last = strtoul(end + 1, &end, 10);
		if (cpu >= first && cpu <= last)
			return true;
		list = end + (*end == ',');
	}
	return false;
}

/* A line that was allowed on a CPU that ran meanwhile, which is seen by its having had interrupts of its own. */
static bool may_move(const struct irq_sums *s, const struct rec_irq_source *source, unsigned cpu)
{
	const char *allowed = source->affinity ? recording_str(s->r, source->affinity) : "";

	for (size_t i = 0; i < s->q->n_rows; i++)
		if (s->q->rows[i].cpu != cpu && is_in(allowed, s->q->rows[i].cpu))
			return true;
	return false;
}

static const char *action_of(const struct irq_sums *s, const struct irq_whole *sum)
{
	if (sum->source->kind != IRQ_LINE || !sum->source->name || !sum->count)
		return NULL;
	return recording_str(s->r, sum->source->name);
}

/* The device that `first` is the first line of: false if it is not, or if it has no CPU of its own. */
static bool device_of(struct irq_device *device, const struct irq_sums *s, size_t first, bool *chosen)
{
	const char *action = action_of(s, &s->list[first]);
	char name[IRQ_DEVICE_BYTES];
	bool is_anywhere = true;

	*device = (struct irq_device){ .cpu = s->list[first].cpu };
	if (!action)
		return false;
	irq_device_name(device->name, action);
	for (size_t i = 0; i < s->n; i++) {
		action = action_of(s, &s->list[i]);
		chosen[i] = action && !strcmp(irq_device_name(name, action), device->name);
		if (!chosen[i])
			continue;
		if (i < first)
			return false;
		device->count += s->list[i].count;
	}
	for (size_t i = 0; i < s->q->n_rows; i++) {
		const struct rec_irq_row *row = &s->q->rows[i];

		if (row->source < 0 || (size_t)row->source >= s->n || !chosen[row->source] || !row->of[IRQ_RUN].count)
			continue;
		is_anywhere &= row->cpu == device->cpu;
	}
	for (size_t i = 0; i < s->n && is_anywhere && !device->affinity; i++)
		if (chosen[i] && may_move(s, s->list[i].source, device->cpu))
			device->affinity = s->list[i].source->affinity;
	return is_anywhere && device->affinity;
}

/* --- packets --- */

struct packets {
	uint64_t here_ns, all_ns;
	uint64_t raised; /* by hard IRQs on the CPU */
	uint64_t others; /* hard IRQs there that may have raised it, but not of the device */
};

static void count_row(struct packets *n, const struct irq_sums *s, const struct rec_irq_row *row, unsigned cpu,
		      const bool *chosen)
{
	const struct rec_irq_source *source = &s->q->sources[row->source];

	if (irq_has_kind(source, IRQ_SOFT_KINDS) && source->number == NET_RX) {
		n->all_ns += row->of[IRQ_RUN].sum_ns;
		n->here_ns += row->cpu == cpu ? row->of[IRQ_RUN].sum_ns : 0;
		n->raised += row->cpu == cpu ? row->by[IRQ_IN_HARDIRQ] : 0;
	} else if (row->cpu == cpu && irq_has_kind(source, IRQ_KIND(IRQ_LINE) | IRQ_KIND(IRQ_VECTOR)) &&
		   !chosen[row->source] && !(source->kind == IRQ_VECTOR && source->number == VECTOR_LOCAL_TIMER)) {
		n->others += row->of[IRQ_RUN].count;
	}
}

/* An interrupt raises it once at most: if all others did, the device must still have raised half. */
static void add_packets(struct irq_device *device, const struct irq_sums *s, const bool *chosen)
{
	uint64_t of_ns = irq_measured_ns(s->r, device->cpu);
	struct packets n = { 0 };

	for (size_t i = 0; i < s->q->n_rows; i++)
		if (s->q->rows[i].source >= 0 && (size_t)s->q->rows[i].source < s->n)
			count_row(&n, s, &s->q->rows[i], device->cpu, chosen);
	if (n.raised < NET_RAISES || n.others * 2 > n.raised || !of_ns ||
	    (double)n.here_ns < NET_PART * (double)n.all_ns)
		return;
	device->net_share = (double)n.here_ns / (double)of_ns;
	device->net_part = (double)n.here_ns / (double)n.all_ns;
}

int irq_device_busiest(struct irq_device *device, const struct irq_sums *s)
{
	bool *chosen = calloc(s->n + 1, sizeof(*chosen));
	struct irq_device one;
	unsigned cpu;
	int err = chosen ? 0 : -ENOMEM;

	*device = (struct irq_device){ .count = 0 };
	for (size_t i = 0; i < s->n && !err; i++) {
		memset(chosen, 0, s->n * sizeof(*chosen));
		if (!device_of(&one, s, i, chosen))
			continue;
		err = irq_busiest(s, chosen, &one.share, &cpu);
		add_packets(&one, s, chosen);
		if (!err && one.share + one.net_share > device->share + device->net_share)
			*device = one;
	}
	free(chosen);
	return err;
}
