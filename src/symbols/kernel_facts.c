/* SPDX-License-Identifier: GPL-2.0-only */
#include "symbols/kernel_facts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/build_id.h"
#include "symbols/kallsyms.h"

static void describe_kernel(struct recording *r, int mapping)
{
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	struct build_id id;
	uint64_t stext = 0;

	if (fd >= 0) {
		kallsyms_stext(fd, &stext); /* 0 if it shows no addresses */
		close(fd);
	}
	build_id_of_kernel(&id);
	recording_describe(r, mapping, &id, stext, 0);
}

static void describe_module(struct recording *r, int mapping, const struct code_ranges *ranges)
{
	const char *name = recording_str(r, r->mappings[mapping].name);
	uint64_t start = 0, bytes = 0;
	struct build_id id;

	for (size_t i = 0; i < ranges->n && !start; i++) {
		if (strcmp(ranges->list[i].module, name) != 0)
			continue;
		start = ranges->list[i].start;
		bytes = ranges->list[i].bytes;
	}
	build_id_of_module(name, &id);
	recording_describe(r, mapping, &id, start, bytes);
}

static int read_modules(struct code_ranges *ranges)
{
	int fd = open("/proc/modules", O_RDONLY | O_CLOEXEC);
	int err = 0;

	if (fd >= 0) {
		err = kallsyms_modules(fd, ranges);
		close(fd);
	}
	return err == -ENOMEM ? err : 0;
}

int kernel_facts(struct recording *r, size_t first)
{
	struct code_ranges ranges = { 0 };
	bool have_ranges = false;
	int err = 0;

	for (size_t i = first; i < r->n_mappings && !err; i++) {
		if (r->mappings[i].kind == MAPPING_KERNEL)
			describe_kernel(r, (int)i);
		if (r->mappings[i].kind != MAPPING_MODULE)
			continue;
		if (!have_ranges)
			err = read_modules(&ranges);
		have_ranges = true;
		if (!err)
			describe_module(r, (int)i, &ranges);
	}
	free(ranges.list);
	return err;
}
