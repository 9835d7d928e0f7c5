/* SPDX-License-Identifier: GPL-2.0-only */
/* Ends of modules and of BPF programs: kallsyms has but starts, and behind a module lies anything. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "core/intern.h"
#include "symbols/kallsyms.h"

#define BPF_FUNCTIONS_MAX 256 /* of one program: BPF_MAX_SUBPROGS, include/linux/bpf_verifier.h */
#define BPF_PROGRAMS_MAX  65536

static int add_range(struct code_ranges *ranges, const struct code_range *range)
{
	void *grown = intern_grow(ranges->list, &ranges->capacity, ranges->n + 1, sizeof(*range));

	if (!grown)
		return -ENOMEM;
	ranges->list = grown;
	ranges->list[ranges->n++] = *range;
	return 0;
}

/*
 * ext4 1150976 2 - Live 0xffffffffc0a00000
 * The address is that of the text; from Linux 6.4 on the size counts all parts, wherever they lie:
 * then it is more than the text has, and the next symbol ends what this cannot.
 */
static int add_module(struct code_ranges *ranges, char *line)
{
	struct code_range range = { 0 };
	char *end, *address = strrchr(line, 'x'), *name = strsep(&line, " ");

	if (!line || !address || address < line || strlen(name) >= sizeof(range.module))
		return 0;
	strcpy(range.module, name);
	range.bytes = strtoull(line, &end, 10);
	range.start = strtoull(address + 1, NULL, 16);
	return range.start && end != line ? add_range(ranges, &range) : 0;
}

int kallsyms_modules(int fd, struct code_ranges *ranges)
{
	char buf[16 * 1024], *line, *newline;
	size_t have = 0;
	ssize_t n;
	int err = 0;

	while (!err && (n = read(fd, buf + have, sizeof(buf) - 1 - have))) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		have += (size_t)n;
		buf[have] = '\0';
		for (line = buf; !err && (newline = strchr(line, '\n')); line = newline + 1) {
			*newline = '\0';
			err = add_module(ranges, line);
		}
		have -= (size_t)(line - buf);
		memmove(buf, line, have);
		if (have == sizeof(buf) - 1) /* a line of so many users that it cannot be held: its rest is skipped */
			have = 0;
	}
	return err;
}

static int add_program(struct code_ranges *ranges, int fd)
{
	uint64_t starts[BPF_FUNCTIONS_MAX] = { 0 };
	uint32_t bytes[BPF_FUNCTIONS_MAX] = { 0 }, info_bytes = sizeof(struct bpf_prog_info);
	struct bpf_prog_info info = {
		.nr_jited_ksyms = BPF_FUNCTIONS_MAX,
		.nr_jited_func_lens = BPF_FUNCTIONS_MAX,
		.jited_ksyms = (uintptr_t)starts,
		.jited_func_lens = (uintptr_t)bytes,
	};
	int err = 0;

	if (bpf_obj_get_info_by_fd(fd, &info, &info_bytes))
		return 0;
	for (uint32_t i = 0; !err && i < info.nr_jited_ksyms && i < BPF_FUNCTIONS_MAX; i++) {
		struct code_range range = { .start = starts[i], .bytes = bytes[i] };

		if (range.start && range.bytes)
			err = add_range(ranges, &range);
	}
	return err;
}

int kallsyms_bpf(struct code_ranges *ranges)
{
	uint32_t id = 0;
	int err = 0;

	for (int i = 0; !err && i < BPF_PROGRAMS_MAX && !bpf_prog_get_next_id(id, &id); i++) {
		int fd = bpf_prog_get_fd_by_id(id);

		if (fd < 0)
			continue;
		err = add_program(ranges, fd);
		close(fd);
	}
	return err;
}
