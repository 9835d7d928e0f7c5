/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/cpu.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/sysfs.h"

static int compare_ids(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return (x > y) - (x < y);
}

static int parse_id(const char **text, unsigned *id)
{
	unsigned long value;
	char *end;

	if (!isdigit((unsigned char)**text))
		return -EINVAL;
	value = strtoul(*text, &end, 10);
	if (value > CPU_ID_MAX)
		return -EINVAL;
	*text = end;
	*id = (unsigned)value;
	return 0;
}

static int append_range(struct cpu_list *list, unsigned first, unsigned last)
{
	unsigned *ids = realloc(list->ids, (list->n + last - first + 1) * sizeof(*ids));

	if (!ids)
		return -ENOMEM;
	list->ids = ids;
	for (unsigned id = first; id <= last; id++)
		ids[list->n++] = id;
	return 0;
}

static void sort_unique(struct cpu_list *list)
{
	size_t kept = 0;

	qsort(list->ids, list->n, sizeof(*list->ids), compare_ids);
	for (size_t i = 0; i < list->n; i++)
		if (!kept || list->ids[kept - 1] != list->ids[i])
			list->ids[kept++] = list->ids[i];
	list->n = kept;
}

int cpu_list_parse(const char *text, struct cpu_list *list)
{
	unsigned first = 0, last;
	int err;

	*list = (struct cpu_list){ 0 };
	do {
		err = parse_id(&text, &first);
		last = first;
		if (!err && *text == '-') {
			text++;
			err = parse_id(&text, &last);
		}
		/* A list longer than all ids says the same CPUs again and again. */
		if (!err && (last < first || list->n > CPU_ID_MAX))
			err = -EINVAL;
		if (!err)
			err = append_range(list, first, last);
	} while (!err && *text == ',' && text++);
	if (!err && *text)
		err = -EINVAL;
	if (err)
		cpu_list_free(list);
	else
		sort_unique(list);
	return err;
}

int cpu_list_online(struct cpu_list *list)
{
	char line[4096];
	int err = sysfs_line("/sys/devices/system/cpu/online", line, sizeof(line));

	return err ? err : cpu_list_parse(line, list);
}

void cpu_list_free(struct cpu_list *list)
{
	free(list->ids);
	*list = (struct cpu_list){ 0 };
}

bool cpu_list_has(const struct cpu_list *list, unsigned id)
{
	return list->n && bsearch(&id, list->ids, list->n, sizeof(*list->ids), compare_ids);
}
