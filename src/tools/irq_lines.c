/* SPDX-License-Identifier: GPL-2.0-only */
/* What interrupts the machine has, by sysfs and /proc. The texts there are drivers' own: bounded, and no more is made
 * of them than names. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/intern.h"
#include "core/proc.h"
#include "tools/irq.h"

static int add_line(struct irq_lines *lines, size_t *max, int number, const char *actions)
{
	struct irq_line *list = intern_grow(lines->list, max, lines->n + 1, sizeof(*list));

	if (!list)
		return -ENOMEM;
	lines->list = list;
	list[lines->n].number = number;
	list[lines->n].actions = strdup(actions);
	if (!list[lines->n].actions)
		return -ENOMEM;
	lines->n++;
	return 0;
}

/* Both architectures have CONFIG_SPARSE_IRQ, with which the kernel tells of each line here (since 4.9). */
static int read_lines(struct irq_lines *lines, DIR *folder)
{
	char path[64], actions[4096];
	struct dirent *entry;
	size_t max = 0;
	int err = 0;

	while (!err && (entry = readdir(folder))) {
		if (!isdigit((unsigned char)*entry->d_name) || strlen(entry->d_name) > 9)
			continue;
		snprintf(path, sizeof(path), "/sys/kernel/irq/%.9s/actions", entry->d_name);
		if (proc_read(path, actions, sizeof(actions)) < 0)
			continue;
		actions[strcspn(actions, "\n")] = '\0';
		err = add_line(lines, &max, atoi(entry->d_name), actions);
	}
	return err;
}

/* Calls for each task of /proc, with its name. */
static int each_task(int (*found)(void *arg, uint32_t tid, const char *comm), void *arg)
{
	char path[64], comm[64];
	struct dirent *entry;
	DIR *proc = opendir("/proc");
	int err = 0;

	if (!proc)
		return -errno;
	while (!err && (entry = readdir(proc))) {
		if (!isdigit((unsigned char)*entry->d_name) || strlen(entry->d_name) > 10)
			continue;
		snprintf(path, sizeof(path), "/proc/%.10s/comm", entry->d_name);
		if (proc_read(path, comm, sizeof(comm)) <= 0) /* it is gone */
			continue;
		comm[strcspn(comm, "\n")] = '\0';
		err = found(arg, (uint32_t)strtoul(entry->d_name, NULL, 10), comm);
	}
	closedir(proc);
	return err;
}

static int count_thread(void *arg, uint32_t tid, const char *comm)
{
	struct irq_lines *lines = arg;

	(void)tid;
	lines->threads += !strncmp(comm, "irq/", 4);
	return 0;
}

int irq_lines_read(struct irq_lines *lines)
{
	DIR *folder = opendir("/sys/kernel/irq");
	int err;

	*lines = (struct irq_lines){ 0 };
	if (!folder)
		return -errno;
	err = read_lines(lines, folder);
	closedir(folder);
	return err ? err : each_task(count_thread, lines);
}

void irq_lines_free(struct irq_lines *lines)
{
	for (size_t i = 0; i < lines->n; i++)
		free(lines->list[i].actions);
	free(lines->list);
	*lines = (struct irq_lines){ 0 };
}

int irq_lines_name(const struct irq_lines *lines, struct recording *r, int number)
{
	for (size_t i = 0; i < lines->n; i++)
		if (lines->list[i].number == number)
			return recording_string(r, lines->list[i].actions);
	return 0;
}

void irq_affinity(int number, const char *file, char *text, size_t bytes)
{
	char path[80];

	snprintf(path, sizeof(path), "/proc/irq/%d/%s", number, file);
	*text = '\0';
	if (proc_read(path, text, bytes) < 0)
		*text = '\0';
	text[strcspn(text, "\n")] = '\0';
}

struct ksoftirqds {
	int (*found)(void *arg, unsigned cpu, uint32_t tid);
	void *arg;
};

static int is_ksoftirqd(void *arg, uint32_t tid, const char *comm)
{
	static const char name[] = "ksoftirqd/";
	const struct ksoftirqds *k = arg;

	if (strncmp(comm, name, sizeof(name) - 1) != 0)
		return 0;
	return k->found(k->arg, (unsigned)strtoul(comm + sizeof(name) - 1, NULL, 10), tid);
}

int irq_ksoftirqds(int (*found)(void *arg, unsigned cpu, uint32_t tid), void *arg)
{
	struct ksoftirqds k = { found, arg };

	return each_task(is_ksoftirqd, &k);
}
