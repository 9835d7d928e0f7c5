/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/kernel_btf.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "core/btf_check.h"
#include "core/btf_file.h"
#include "core/btf_identity.h"
#include "core/text.h"
#include "core/tracepoints.h"
#include "core/write_all.h"

/* Of a file's name, in messages. */
#define NAME_COLUMNS_MAX 120

/* --- The kernel's own. */

static bool has_own(void)
{
	return access(KERNEL_BTF_PATH, F_OK) == 0;
}

/*
 * The kernel hands its BTF out at once under the first id (since 5.11, 5329722057d4); the file in
 * sysfs comes page by page.
 */
struct btf *kernel_btf_load(struct kernel_btf *k)
{
	if (!k->tried && has_own())
		k->btf = btf__load_from_kernel_by_id(1);
	if (k->btf)
		k->tried = true;
	return kernel_btf_parse(k) ? NULL : k->btf;
}

int kernel_btf_parse(struct kernel_btf *k)
{
	if (k->tried)
		return k->err;
	k->tried = true;
	k->btf = has_own() ? btf__parse(KERNEL_BTF_PATH, NULL) : NULL;
	k->err = k->btf ? 0 : has_own() ? -errno : -ENOENT;
	return k->err;
}

bool kernel_btf_is_there(const struct kernel_btf *k)
{
	return k->file || has_own();
}

static bool has_sys(void)
{
	struct statfs fs;

	return statfs("/sys", &fs) == 0 && fs.f_type == SYSFS_MAGIC;
}

const char *kernel_btf_none(void)
{
	return has_sys() ? KERNEL_BTF_NONE : KERNEL_BTF_NO_SYS;
}

const char *kernel_btf_none_cure(void)
{
	return has_sys() ? KERNEL_BTF_CURE : "mount -t sysfs sysfs /sys";
}

/* --- A file. */

#define OF_FILE "kbpfprof_btf_of_file"

bool kernel_btf_is_of_file(const struct btf *btf)
{
	return btf__find_by_name_kind(btf, OF_FILE, BTF_KIND_STRUCT) > 0;
}

/* For libbpf: with a type by which programs see that the kernel has none (bpf/core.bpf.h). 0 or -errno. */
static int copy(struct kernel_btf *k)
{
	const void *data;
	__u32 bytes;
	int err = btf__add_struct(k->btf, OF_FILE, 4);

	data = err < 0 ? NULL : btf__raw_data(k->btf, &bytes);
	if (!data)
		return -ENOMEM;
	k->copy = memfd_create("kbpfprof-btf", MFD_CLOEXEC);
	if (k->copy < 0)
		return -errno;
	snprintf(k->path, sizeof(k->path), "/proc/self/fd/%d", k->copy);
	return write_all(k->copy, data, bytes);
}

/* --- A file that was cut down to the types of our programs has no tracepoints: the kernel is asked for them. */

static bool can_be_attached_to(int program, const char *tracepoint)
{
	int fd = bpf_raw_tracepoint_open(tracepoint, program);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* The typedef as the kernel's BTF has it; before a task come `before` other arguments. */
static void add_tracepoint(struct btf *btf, const char *name, int before)
{
	int number = btf__add_int(btf, "int", 4, BTF_INT_SIGNED), proto;
	int task = btf__add_ptr(btf, btf__find_by_name_kind(btf, "task_struct", BTF_KIND_STRUCT));
	char text[128];

	proto = btf__add_func_proto(btf, 0);
	btf__add_func_param(btf, "data", number);
	for (int i = 0; i < before; i++)
		btf__add_func_param(btf, "other", number);
	btf__add_func_param(btf, "task", task);
	snprintf(text, sizeof(text), "btf_trace_%s", name);
	btf__add_typedef(btf, text, btf__add_ptr(btf, proto));
}

static void add_tracepoints(struct kernel_btf *k, int switch_arg)
{
	const struct bpf_insn body[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K }, /* r0 = 0 */
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int program = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "kbpfprof_try", "GPL", body, 2, NULL);
	const char *name;

	for (size_t i = 0; program >= 0 && (name = tracepoints_name(i)); i++) {
		bool is_switch = !strcmp(name, "sched_switch");

		if ((!is_switch || switch_arg >= 0) && can_be_attached_to(program, name))
			add_tracepoint(k->btf, name, is_switch ? switch_arg : 0);
	}
	if (program >= 0)
		close(program);
}

/* Says so of the file, by its name as a terminal may have it. */
static int refuse(struct kernel_btf *k, const char *before, const char *after, const char *why)
{
	char name[512];

	text_inert(name, sizeof(name), k->file, text_is_utf8());
	text_cut(name, NAME_COLUMNS_MAX);
	snprintf(k->why, sizeof(k->why), "%s%s: %s%s%s", before, name, after, why, *after ? ")" : "");
	return -EOPNOTSUPP;
}

static int refuse_unread(struct kernel_btf *k, const char *why)
{
	return refuse(k, "cannot read ", "", why);
}

static int refuse_unchecked(struct kernel_btf *k, const char *why)
{
	return refuse(k, "cannot check ", "", why);
}

static int refuse_contents(struct kernel_btf *k, const char *why)
{
	return refuse(k, "", "not the BTF of this kernel (", why);
}

/* What libbpf is given is opened by it there; and the check compares with what /proc tells. */
static bool has_proc(void)
{
	struct statfs fs;

	return statfs("/proc", &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

/* What can be told without a look into the kernel. */
static int check_identity(struct kernel_btf *k, const struct btf_file_result *file)
{
	char why[160];
	int err = btf_identity_check_build_id(file->build_id, file->build_id_bytes, why, sizeof(why));

	if (!err)
		err = btf_identity_check_functions(k->btf, why, sizeof(why));
	if (!err)
		return 0;
	return err == -EINVAL ? refuse_contents(k, why) : refuse_unchecked(k, strerror(-err));
}

static int check_contents(struct kernel_btf *k)
{
	struct btf_check_result result;
	int err = btf_check(k->btf, k->path, &result);

	if (!err)
		err = btf_identity_check_layout(k->btf, result.why, sizeof(result.why));
	if (err)
		return err == -EINVAL ? refuse_contents(k, result.why) : refuse_unchecked(k, result.why);
	if (!kernel_btf_has_tracepoint(k->btf, "sched_switch"))
		add_tracepoints(k, result.switch_arg);
	return 0;
}

static int use_file(struct kernel_btf *k)
{
	struct btf_file_result file;
	int err;

	k->tried = true;
	k->btf = btf_file_read(k->file, &file);
	if (!k->btf)
		return file.is_unread ? refuse_unread(k, file.why) : refuse_contents(k, file.why);
	if (!has_proc())
		return refuse_unchecked(k, "/proc is not mounted");
	err = check_identity(k, &file);
	if (err)
		return err;
	err = copy(k);
	return err ? refuse_unchecked(k, strerror(-err)) : check_contents(k);
}

const char *kernel_btf_file(const char *option)
{
	const char *name = option ? option : getenv(KERNEL_BTF_VARIABLE);

	return name && *name ? name : NULL;
}

int kernel_btf_open(struct kernel_btf *k, const char *option)
{
	*k = (struct kernel_btf){ .file = kernel_btf_file(option), .copy = -1 };
	snprintf(k->path, sizeof(k->path), "%s", KERNEL_BTF_PATH);
	if (k->file)
		k->err = use_file(k);
	return k->err;
}

void kernel_btf_close(struct kernel_btf *k)
{
	btf__free(k->btf);
	k->btf = NULL;
	k->tried = k->file != NULL;
	if (k->copy >= 0)
		close(k->copy);
	k->copy = -1;
}

/* --- Facts. */

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
