/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A trial: make the map if there is one, load a program of two instructions or so, attach it,
 * undo it all. Written against bpf(2) and not as a skeleton, since libbpf turns down some kinds
 * itself and then the kernel's own errno, which tells policy from absence, is not seen.
 *
 * What is attached to is rarely run: exec, and vfs_fallocate().
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/features_bpf.h"
#include "core/kernel_btf.h"
#include "core/sysfs.h"

#define TRACEPOINT "sched_process_exec"
#define FUNCTION   "vfs_fallocate"
#define BODY_MAX   12

struct trial {
	const struct kind *kind;
	struct kernel_btf *btf;
	int map, prog, link, extra; /* descriptors, -1: none */
	const char *step;	    /* the one under way */
	const char *meaning;	    /* of its errno, where the step knows better than explain() */
	const char *cure;
	char log[8192]; /* the verifier's; if it does not fit, older kernels give ENOSPC for the true errno */
};

static const struct kind {
	enum bpf_prog_type type;
	enum bpf_attach_type attach_type; /* of BPF_PROG_TYPE_TRACING, and kprobe.multi */
	uint32_t target_kind;
	bool hidden_by_lockdown;       /* then it fails as if it did not exist */
	const char *target;	       /* in vmlinux BTF; NULL: none */
	int (*check)(struct trial *t); /* what trying cannot tell, or too dearly */
	int (*map)(void);
	size_t (*body)(struct bpf_insn *body, int map); /* at most BODY_MAX; NULL: return 0 */
	int (*attach)(struct trial *t);			/* t->link or -errno; NULL: loading is enough */
	const char *wants;				/* where it can be had, if the kernel does not know it */
} kinds[FEATURES];

int features_load_btf(struct kernel_btf *b)
{
	libbpf_print_fn_t print = libbpf_set_print(NULL);
	int err = kernel_btf_parse(b);

	libbpf_set_print(print);
	return err;
}

/* --- maps */

static int map_ringbuf(void)
{
	return bpf_map_create(BPF_MAP_TYPE_RINGBUF, NULL, 0, 0, (uint32_t)sysconf(_SC_PAGESIZE), NULL);
}

static int map_no_prealloc(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC);

	return bpf_map_create(BPF_MAP_TYPE_HASH, NULL, 8, 8, 16, &opts);
}

/* Local storage is refused without BTF of its key and value. */
static int map_task_storage(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC);
	struct btf *btf = btf__new_empty();
	int fd = -ENOMEM, id;

	if (!btf)
		return fd;
	id = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	if (id > 0)
		fd = btf__load_into_kernel(btf);
	if (!fd) {
		opts.btf_fd = (uint32_t)btf__fd(btf);
		opts.btf_key_type_id = opts.btf_value_type_id = (uint32_t)id;
		fd = bpf_map_create(BPF_MAP_TYPE_TASK_STORAGE, NULL, 4, 4, 0, &opts);
	}
	btf__free(btf);
	return fd;
}

/*
 * The lock of a ring buffer was a spinlock_t until 8b62645b09f8 (6.12, and stable kernels before): on
 * PREEMPT_RT that sleeps, and a program in the scheduler hangs the machine. Trying would tell, once.
 */
static int check_ringbuf(struct trial *t)
{
	const struct btf_type *ringbuf, *type;
	const struct btf *btf;
	int id;

	if (!features_preempt_rt() || features_load_btf(t->btf))
		return 0;
	btf = t->btf->btf;
	id = btf__find_by_name_kind(btf, "bpf_ringbuf", BTF_KIND_STRUCT);
	ringbuf = id < 0 ? NULL : btf__type_by_id(btf, (uint32_t)id);
	for (int i = 0; ringbuf && i < btf_vlen(ringbuf); i++) {
		const struct btf_member *m = &btf_members(ringbuf)[i];

		type = btf__type_by_id(btf, m->type);
		if (!type || strcmp(btf__name_by_offset(btf, m->name_off), "spinlock") != 0 ||
		    strcmp(btf__name_by_offset(btf, type->name_off), "spinlock_t") != 0)
			continue;
		t->step = "BTF";
		t->meaning = "its lock sleeps on PREEMPT_RT and hangs this kernel";
		return -EOPNOTSUPP;
	}
	return 0;
}

/* --- program bodies */

#define RETURN_0                                                       \
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 }, \
	{                                                              \
		.code = BPF_JMP | BPF_EXIT                             \
	}
#define MAP_TO(reg, fd)                                                                                 \
	{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = reg, .src_reg = BPF_PSEUDO_MAP_FD, .imm = fd }, \
	{                                                                                               \
		.code = 0                                                                               \
	}
#define CALL(helper)                                      \
	{                                                 \
		.code = BPF_JMP | BPF_CALL, .imm = helper \
	}

#define BODY(insns)                                                                                   \
	({                                                                                            \
		_Static_assert(sizeof(insns) <= BODY_MAX * sizeof(*(insns)), "body has room for it"); \
		memcpy(body, insns, sizeof(insns));                                                   \
		sizeof(insns) / sizeof(*(insns));                                                     \
	})

static size_t body_empty(struct bpf_insn *body, int map)
{
	const struct bpf_insn insns[] = { RETURN_0 };

	(void)map;
	return BODY(insns);
}

/* The verifier checks that the program may use the map as soon as it is named. */
static size_t body_map(struct bpf_insn *body, int map)
{
	const struct bpf_insn insns[] = { MAP_TO(BPF_REG_1, map), RETURN_0 };

	return BODY(insns);
}

/* bpf_probe_read_kernel(stack, 8, NULL): every CO-RE read is one. Lockdown takes the helper away. */
static size_t body_read_kernel(struct bpf_insn *body, int map)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_10 },
		{ .code = BPF_ALU64 | BPF_ADD, .dst_reg = BPF_REG_1, .imm = -8 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_2, .imm = 8 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_3 },
		CALL(BPF_FUNC_probe_read_kernel),
		RETURN_0,
	};

	(void)map;
	return BODY(insns);
}

/* bpf_task_storage_get(map, bpf_get_current_task_btf(), NULL, 0) */
static size_t body_task_storage(struct bpf_insn *body, int map)
{
	const struct bpf_insn insns[] = {
		CALL(BPF_FUNC_get_current_task_btf),
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_2, .src_reg = BPF_REG_0 },
		MAP_TO(BPF_REG_1, map),
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_3 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_4 },
		CALL(BPF_FUNC_task_storage_get),
		RETURN_0,
	};

	return BODY(insns);
}

/* --- attaching */

static int attach_perf(struct trial *t, struct perf_event_attr *attr, int tid, int cpu)
{
	t->step = "perf_event_open";
	t->link = features_perf_open(attr, tid, cpu);
	if (t->link < 0)
		return t->link;
	t->step = "attach";
	return ioctl(t->link, PERF_EVENT_IOC_SET_BPF, t->prog) ? -errno : 0;
}

static int attach_cpu_clock(struct trial *t)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000000000,
		.disabled = 1,
	};

	return attach_perf(t, &attr, -1, sched_getcpu());
}

static int attach_raw_tp(struct trial *t)
{
	return t->link = bpf_raw_tracepoint_open(TRACEPOINT, t->prog);
}

/* tp_btf, fentry: what it goes to was settled at load. */
static int attach_trampoline(struct trial *t)
{
	return t->link = bpf_raw_tracepoint_open(NULL, t->prog);
}

static int attach_iter(struct trial *t)
{
	t->link = bpf_link_create(t->prog, 0, BPF_TRACE_ITER, NULL);
	if (t->link < 0)
		return t->link;
	return t->extra = bpf_iter_create(t->link);
}

static int attach_kprobe_multi(struct trial *t)
{
	const char *name = FUNCTION;
	LIBBPF_OPTS(bpf_link_create_opts, opts, .kprobe_multi.syms = &name, .kprobe_multi.cnt = 1);

	return t->link = bpf_link_create(t->prog, 0, BPF_TRACE_KPROBE_MULTI, &opts);
}

static int attach_tracepoint(struct trial *t)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .sample_period = 1 };
	int64_t id;
	int err = sysfs_number("/sys/kernel/tracing/events/sched/" TRACEPOINT "/id", &id);

	t->step = "open";
	if (err == -ENOENT)
		err = sysfs_number("/sys/kernel/debug/tracing/events/sched/" TRACEPOINT "/id", &id);
	if (err == -ENOENT && !features_locked_down()) {
		t->meaning = "tracefs is not mounted";
		t->cure = "mount -t tracefs tracefs /sys/kernel/tracing";
	} else if (err == -EACCES) {
		t->meaning = "tracefs may not be read";
		t->cure = "run as root";
	}
	if (err)
		return err;
	attr.config = (uint64_t)id;
	return attach_perf(t, &attr, -1, sched_getcpu());
}

/* kprobe and uprobe are event sources of their own, with a number given at boot. */
static int probe_source(struct trial *t, const char *path, struct perf_event_attr *attr)
{
	int64_t type;
	int err = sysfs_number(path, &type);

	t->step = "open";
	if (!err)
		attr->type = (uint32_t)type;
	return err;
}

static int attach_kprobe(struct trial *t)
{
	struct perf_event_attr attr = { .kprobe_func = (uintptr_t)FUNCTION };
	int err = probe_source(t, "/sys/bus/event_source/devices/kprobe/type", &attr);

	return err ? err : attach_perf(t, &attr, -1, sched_getcpu());
}

/* Only its address is wanted: nobody calls it. */
static __attribute__((noinline, used)) void uprobe_site(void)
{
	__asm__ volatile("");
}

/* struct dl_phdr_info of the program itself comes first: turns the address in `data` into an offset in its file. */
static int file_offset(struct dl_phdr_info *info, size_t bytes, void *data)
{
	uint64_t *address = data;

	(void)bytes;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD && *address >= start && *address - start < p->p_filesz) {
			*address += p->p_offset - start;
			return 1;
		}
	}
	return -1;
}

/* On this process alone: else every running kbpfprof would get the breakpoint. */
static int attach_uprobe(struct trial *t)
{
	uint64_t offset = (uintptr_t)uprobe_site;
	struct perf_event_attr attr = { .uprobe_path = (uintptr_t) "/proc/self/exe" };
	int err = probe_source(t, "/sys/bus/event_source/devices/uprobe/type", &attr);

	if (err)
		return err;
	if (dl_iterate_phdr(file_offset, &offset) != 1)
		return -ENOENT;
	attr.probe_offset = offset;
	return attach_perf(t, &attr, 0, -1);
}

static const struct kind kinds[FEATURES] = {
	[FEATURE_PERF_EVENT] = {
		.type = BPF_PROG_TYPE_PERF_EVENT, .attach = attach_cpu_clock, .wants = "CONFIG_PERF_EVENTS",
	},
	[FEATURE_TP_BTF] = {
		.type = BPF_PROG_TYPE_TRACING, .attach_type = BPF_TRACE_RAW_TP,
		.target = "btf_trace_" TRACEPOINT, .target_kind = BTF_KIND_TYPEDEF,
		.attach = attach_trampoline, .wants = "CONFIG_BPF_EVENTS",
	},
	[FEATURE_RAW_TP] = {
		.type = BPF_PROG_TYPE_RAW_TRACEPOINT, .attach = attach_raw_tp, .wants = "CONFIG_BPF_EVENTS",
	},
	[FEATURE_TRACEPOINT] = {
		.type = BPF_PROG_TYPE_TRACEPOINT, .attach = attach_tracepoint, .hidden_by_lockdown = true, .wants = "CONFIG_BPF_EVENTS",
	},
	[FEATURE_FENTRY] = {
		.type = BPF_PROG_TYPE_TRACING, .attach_type = BPF_TRACE_FENTRY,
		.target = FUNCTION, .target_kind = BTF_KIND_FUNC,
		.attach = attach_trampoline, .wants = "CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS",
	},
	[FEATURE_KPROBE] = {
		.type = BPF_PROG_TYPE_KPROBE, .attach = attach_kprobe, .wants = "CONFIG_KPROBE_EVENTS",
	},
	[FEATURE_KPROBE_MULTI] = {
		.type = BPF_PROG_TYPE_KPROBE, .attach_type = BPF_TRACE_KPROBE_MULTI,
		.attach = attach_kprobe_multi, .wants = "5.18 and CONFIG_FPROBE",
	},
	[FEATURE_UPROBE] = {
		.type = BPF_PROG_TYPE_KPROBE, .attach = attach_uprobe, .wants = "CONFIG_UPROBE_EVENTS",
	},
	[FEATURE_ITER] = {
		.type = BPF_PROG_TYPE_TRACING, .attach_type = BPF_TRACE_ITER,
		.target = "bpf_iter_task", .target_kind = BTF_KIND_FUNC,
		.attach = attach_iter, .wants = "5.8",
	},
	[FEATURE_READ_KERNEL] = {
		.type = BPF_PROG_TYPE_PERF_EVENT,
		.body = body_read_kernel,
		.hidden_by_lockdown = true,
		.wants = "CONFIG_BPF_EVENTS",
	},
	[FEATURE_RINGBUF] = {
		.check = check_ringbuf,
		.map = map_ringbuf, .type = BPF_PROG_TYPE_RAW_TRACEPOINT, .body = body_map, .wants = "5.8",
	},
	[FEATURE_TASK_STORAGE] = {
		.map = map_task_storage, .type = BPF_PROG_TYPE_RAW_TRACEPOINT, .body = body_task_storage,
		.wants = "5.12",
	},
	[FEATURE_PERF_NO_PREALLOC] = {
		.map = map_no_prealloc, .type = BPF_PROG_TYPE_PERF_EVENT, .body = body_map, .wants = "6.1",
	},
};

/* Id of the type that the program is for, or -errno. */
static int find_target(struct trial *t)
{
	int id = features_load_btf(t->btf);

	t->step = "BTF";
	if (id)
		return id;
	if (t->btf->file) {
		t->meaning = KERNEL_BTF_UNUSED;
		return -EOPNOTSUPP;
	}
	id = btf__find_by_name_kind(t->btf->btf, t->kind->target, t->kind->target_kind);
	if (id == -ENOENT)
		t->meaning = "its target is not in the kernel's BTF";
	return id;
}

static int load(struct trial *t)
{
	const struct kind *k = t->kind;
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = k->attach_type, .log_buf = t->log,
		    .log_size = sizeof(t->log));
	struct bpf_insn body[BODY_MAX];
	size_t count = k->body ? k->body(body, t->map) : body_empty(body, -1);

	if (k->target) {
		int id = find_target(t);

		if (id < 0)
			return id;
		opts.attach_btf_id = (uint32_t)id;
	}
	t->step = "load";
	return t->prog = bpf_prog_load(k->type, "kbpfprof_try", "GPL", body, count, &opts);
}

static int run(struct trial *t)
{
	int err = t->kind->check ? t->kind->check(t) : 0;

	if (err)
		return err;
	if (t->kind->map) {
		t->step = "map";
		t->map = t->kind->map();
		if (t->map < 0)
			return t->map;
	}
	err = load(t);
	if (err < 0 || !t->kind->attach)
		return err;
	t->step = "attach";
	return t->kind->attach(t);
}

static int explain(const struct trial *t, int err, struct feature_result *r)
{
	bool refused = err == -EPERM || err == -EACCES;
	char text[sizeof(r->text)];

	if (strcmp(t->step, "BTF") == 0 && t->btf->err)
		return features_no_btf(t->btf, r, err);
	if (t->meaning)
		return features_refused(r, err, t->step, t->meaning, t->cure);
	if (refused && strcmp(t->step, "perf_event_open") == 0)
		features_explain_event(err, false, text, sizeof(text));
	else if (refused && t->log[0]) /* a refusal by policy comes before the verifier has begun */
		snprintf(text, sizeof(text), "refused by the verifier");
	else if (refused || err == -ENOSYS || err == -ENOMEM || err == -EMFILE ||
		 (t->kind->hidden_by_lockdown && features_locked_down()))
		features_explain_load(err, text, sizeof(text));
	else
		snprintf(text, sizeof(text), "not in this kernel, needs %s", t->kind->wants);
	return features_refused(r, err, t->step, text, "");
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

int features_try_bpf(enum feature id, struct kernel_btf *b, struct feature_result *r)
{
	struct trial t = { .kind = &kinds[id], .btf = b, .map = -1, .prog = -1, .link = -1, .extra = -1 };
	libbpf_print_fn_t print = libbpf_set_print(NULL); /* its guesses are not ours */
	int err = run(&t);

	close_fd(t.extra);
	close_fd(t.link);
	close_fd(t.prog);
	close_fd(t.map);
	libbpf_set_print(print);
	*r = (struct feature_result){ 0 };
	return err < 0 ? explain(&t, err, r) : 0;
}
