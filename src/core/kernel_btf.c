/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/kernel_btf.h"

#include <bpf/btf.h>
#include <string.h>

/*
 * The kernel hands its BTF out at once under the first id (since 5.11, 5329722057d4); the file in
 * sysfs comes page by page.
 */
struct btf *kernel_btf_load(void)
{
	struct btf *btf = btf__load_from_kernel_by_id(1);

	return btf ? btf : btf__load_vmlinux_btf();
}

int64_t kernel_btf_preempt_count_from_rq(void)
{
	struct btf *btf = kernel_btf_load();
	const struct btf_type *section;
	int64_t rq = -1, count = -1;
	int id;

	if (!btf)
		return 0;
	id = btf__find_by_name_kind(btf, ".data..percpu", BTF_KIND_DATASEC);
	section = id < 0 ? NULL : btf__type_by_id(btf, (__u32)id);
	for (int i = 0; section && i < btf_vlen(section); i++) {
		const struct btf_var_secinfo *variable = &btf_var_secinfos(section)[i];
		const struct btf_type *type = btf__type_by_id(btf, variable->type);
		const char *name = type ? btf__name_by_offset(btf, type->name_off) : NULL;

		if (!name)
			continue;
		if (!strcmp(name, "runqueues"))
			rq = variable->offset;
		else if (!strcmp(name, "__preempt_count") || !strcmp(name, "pcpu_hot"))
			count = variable->offset;
	}
	btf__free(btf);
	return rq < 0 || count < 0 ? 0 : count - rq;
}
