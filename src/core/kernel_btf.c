/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/kernel_btf.h"

#include <bpf/btf.h>
#include <stdio.h>
#include <string.h>

const char kernel_btf_path[] = "/sys/kernel/btf/vmlinux";

/*
 * The kernel hands its BTF out at once under the first id (since 5.11, 5329722057d4); the file in
 * sysfs comes page by page.
 */
struct btf *kernel_btf_load(void)
{
	struct btf *btf = btf__load_from_kernel_by_id(1);

	return btf ? btf : btf__load_vmlinux_btf();
}

/* Offset of a per-CPU variable in its section; -1: it is not told. */
static int64_t percpu_offset(const struct btf *btf, const char *variable)
{
	int id = btf__find_by_name_kind(btf, ".data..percpu", BTF_KIND_DATASEC);
	const struct btf_type *section = id < 0 ? NULL : btf__type_by_id(btf, (__u32)id);

	for (int i = 0; section && i < btf_vlen(section); i++) {
		const struct btf_var_secinfo *info = &btf_var_secinfos(section)[i];
		const struct btf_type *type = btf__type_by_id(btf, info->type);
		const char *name = type ? btf__name_by_offset(btf, type->name_off) : NULL;

		if (name && !strcmp(name, variable))
			return info->offset;
	}
	return -1;
}

int64_t kernel_btf_from_rq(const struct btf *btf, const char *variable)
{
	int64_t rq = percpu_offset(btf, "runqueues"), offset = percpu_offset(btf, variable);

	return rq < 0 || offset < 0 ? 0 : offset - rq;
}

int64_t kernel_btf_preempt_count_from_rq(const struct btf *btf)
{
	int64_t bytes = kernel_btf_from_rq(btf, "__preempt_count");

	return bytes ? bytes : kernel_btf_from_rq(btf, "pcpu_hot");
}

/* The function behind typedef btf_trace_NAME: void (*)(void *data, ARGS). */
static const struct btf_type *tracepoint_proto(const struct btf *btf, const char *name)
{
	const struct btf_type *type;
	char typedef_name[128];
	int id;

	snprintf(typedef_name, sizeof(typedef_name), "btf_trace_%s", name);
	id = btf__find_by_name_kind(btf, typedef_name, BTF_KIND_TYPEDEF);
	type = id < 0 ? NULL : btf__type_by_id(btf, (__u32)id);
	type = type ? btf__type_by_id(btf, type->type) : NULL;
	type = type && btf_is_ptr(type) ? btf__type_by_id(btf, type->type) : NULL;
	return type && btf_is_func_proto(type) ? type : NULL;
}

bool kernel_btf_has_tracepoint(const struct btf *btf, const char *name)
{
	return tracepoint_proto(btf, name) != NULL;
}

static bool is_pointer_to(const struct btf *btf, __u32 id, const char *structure)
{
	const struct btf_type *type = btf__type_by_id(btf, id);

	type = type && btf_is_ptr(type) ? btf__type_by_id(btf, type->type) : NULL;
	return type && btf_is_struct(type) && !strcmp(btf__name_by_offset(btf, type->name_off), structure);
}

int kernel_btf_tracepoint_arg(const struct btf *btf, const char *name, const char *structure)
{
	const struct btf_type *proto = tracepoint_proto(btf, name);

	for (int i = 1; proto && i < btf_vlen(proto); i++)
		if (is_pointer_to(btf, btf_params(proto)[i].type, structure))
			return i - 1;
	return -1;
}
