/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/cpu.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

#define ONLINE_PATH  "/sys/devices/system/cpu/online"
#define PRESENT_PATH "/sys/devices/system/cpu/present"

static int read_list(const char *path, struct cpu_list *list)
{
	char line[CPU_LIST_TEXT_BYTES];
	int err = sysfs_line(path, line, sizeof(line));

	return err ? err : cpu_list_parse(line, list);
}

int cpu_list_online(struct cpu_list *list)
{
	return read_list(ONLINE_PATH, list);
}

int cpu_list_present(struct cpu_list *list)
{
	return read_list(PRESENT_PATH, list);
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

int cpu_watch_open(struct cpu_watch *w)
{
	int err;

	*w = (struct cpu_watch){ .fd = open(ONLINE_PATH, O_RDONLY | O_CLOEXEC) };
	if (w->fd < 0)
		return -errno;
	err = cpu_watch_look(w);
	if (err < 0)
		close(w->fd);
	return err < 0 ? err : 0;
}

/* A file of sysfs is made anew by each read from its start. */
int cpu_watch_look(struct cpu_watch *w)
{
	char text[CPU_LIST_TEXT_BYTES];
	ssize_t n = pread(w->fd, text, sizeof(text) - 1, 0);
	struct cpu_list online;
	int err;

	if (n < 0)
		return -errno;
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (!strcmp(text, w->text))
		return 0;
	err = cpu_list_parse(text, &online);
	if (err)
		return err;
	cpu_list_free(&w->online);
	w->online = online;
	strcpy(w->text, text);
	return 1;
}

void cpu_watch_close(struct cpu_watch *w)
{
	if (w->text[0])
		close(w->fd);
	cpu_list_free(&w->online);
	*w = (struct cpu_watch){ 0 };
}
