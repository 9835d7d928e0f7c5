/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Work of a chosen length where programs of user space cannot be: a BPF program that reads the clock until the time is
 * over, and notes when it began and ended. By hand, as a workload has no compiler for BPF.
 *
 *   kernel    run from a system call: nothing else runs on this CPU meanwhile but interrupts (kernel/bpf/test_run.c
 *             and net/bpf/test_run.c: raw tracepoints run under get_cpu())
 *   irqsoff   the same on another CPU, by an interrupt: with interrupts off, in the vector "call function single"
 *   softirq   as the filter of a socket: in NET_RX, on the CPU of whoever sends, after it sent
 *   hardirq   on the tracepoint irq_handler_entry of one CPU: in the handler of a device, with interrupts off
 */
#ifndef WORKLOADS_BPFWORK_H
#define WORKLOADS_BPFWORK_H

#include <arpa/inet.h>
#include <linux/bpf.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "realtime.h"

#define BPFWORK_RUNS  4096 /* kept; older ones are overwritten */
#define BPFWORK_READS 16   /* of the clock, in a round of the loop */

struct bpfwork_log {
	uint64_t count;
	struct {
		uint64_t start_ns, end_ns;
	} run[BPFWORK_RUNS];
};

struct bpfwork {
	const char *kind;
	int program_fd, link_fd, socket_fd, disk_fd, cpu;
	struct bpfwork_log *log;
	char *block;
};

static inline long bpfwork_call(int command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static inline int bpfwork_map(struct bpfwork *w)
{
	union bpf_attr a = { .map_type = BPF_MAP_TYPE_ARRAY,
			     .key_size = 4,
			     .value_size = sizeof(struct bpfwork_log),
			     .max_entries = 1,
			     .map_flags = BPF_F_MMAPABLE };
	int fd = (int)bpfwork_call(BPF_MAP_CREATE, &a);

	if (fd < 0)
		err(1, "BPF map");
	w->log = mmap(NULL, sizeof(struct bpfwork_log), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (w->log == MAP_FAILED)
		err(1, "BPF map's memory");
	return fd;
}

#define INSN(c, d, s, o, i)   ((struct bpf_insn){ .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) })
#define CALL(helper)	      INSN(BPF_JMP | BPF_CALL, 0, 0, 0, helper)
#define MOV(d, s)	      INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define MOV_IMM(d, i)	      INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define ALU(op, d, s)	      INSN(BPF_ALU64 | (op) | BPF_X, d, s, 0, 0)
#define ALU_IMM(op, d, i)     INSN(BPF_ALU64 | (op) | BPF_K, d, 0, 0, i)
#define JUMP_IMM(op, d, i, o) INSN(BPF_JMP | (op) | BPF_K, d, 0, o, i)
#define STORE(d, o, s)	      INSN(BPF_STX | BPF_MEM | BPF_DW, d, s, o, 0)
#define LOAD(d, s, o)	      INSN(BPF_LDX | BPF_MEM | BPF_DW, d, s, o, 0)

/* r6 start, r7 rounds, r8 the log; on `cpu` only unless it is -1. */
static inline unsigned bpfwork_code(struct bpf_insn *code, int map_fd, uint64_t length_ns, int cpu)
{
	/* The verifier wants an end; a read of the clock takes more than 4 ns. */
	int rounds = (int)(length_ns / (BPFWORK_READS * 4) + 10), n = 0, loop;

	code[n++] = INSN(BPF_LD | BPF_DW | BPF_IMM, 8, BPF_PSEUDO_MAP_VALUE, 0, map_fd);
	code[n++] = INSN(0, 0, 0, 0, 0);
	if (cpu >= 0) {
		code[n++] = CALL(BPF_FUNC_get_smp_processor_id);
		code[n++] = JUMP_IMM(BPF_JEQ, 0, cpu, 2);
		code[n++] = MOV_IMM(0, 0);
		code[n++] = INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	}
	code[n++] = CALL(BPF_FUNC_ktime_get_ns);
	code[n++] = MOV(6, 0);
	code[n++] = MOV_IMM(7, rounds < 30000 ? rounds : 30000);
	loop = n;
	for (int i = 0; i < BPFWORK_READS; i++)
		code[n++] = CALL(BPF_FUNC_ktime_get_ns);
	code[n++] = MOV(1, 0);
	code[n++] = ALU(BPF_SUB, 1, 6);
	code[n++] = JUMP_IMM(BPF_JLT, 1, (int)length_ns, 10); /* to the last two lines */
	code[n++] = LOAD(2, 8, 0);
	code[n++] = MOV(3, 2);
	code[n++] = ALU_IMM(BPF_AND, 3, BPFWORK_RUNS - 1);
	code[n++] = ALU_IMM(BPF_LSH, 3, 4);
	code[n++] = ALU(BPF_ADD, 3, 8);
	code[n++] = STORE(3, 8, 6);
	code[n++] = STORE(3, 16, 0);
	code[n++] = ALU_IMM(BPF_ADD, 2, 1);
	code[n++] = STORE(8, 0, 2);
	code[n++] = JUMP_IMM(BPF_JA, 0, 0, 2); /* past them */
	code[n++] = ALU_IMM(BPF_SUB, 7, 1);
	code[n] = JUMP_IMM(BPF_JNE, 7, 0, (int16_t)(loop - n - 1));
	n++;
	code[n++] = MOV_IMM(0, 0);
	code[n++] = INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	return (unsigned)n;
}

static inline void bpfwork_load(struct bpfwork *w, int type, uint64_t length_ns, int cpu)
{
	static struct bpf_insn code[64];
	static char log[65536];
	union bpf_attr a = { .prog_type = (uint32_t)type,
			     .insns = (uintptr_t)code,
			     .license = (uintptr_t) "GPL",
			     .prog_name = "workload" };
	int map_fd = bpfwork_map(w);

	a.insn_cnt = bpfwork_code(code, map_fd, length_ns, cpu);
	w->program_fd = (int)bpfwork_call(BPF_PROG_LOAD, &a);
	if (w->program_fd >= 0)
		return;
	a.log_buf = (uintptr_t)log;
	a.log_size = sizeof(log);
	a.log_level = 1;
	bpfwork_call(BPF_PROG_LOAD, &a);
	err(1, "BPF program: %.*s", 2000, log);
}

/* A socket of an own network namespace that sends to itself. */
static inline int bpfwork_socket(const struct bpfwork *w)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct ifreq lo = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	socklen_t bytes = sizeof(to);
	int fd;

	if (unshare(CLONE_NEWNET))
		err(1, "network namespace");
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &lo) || bind(fd, (void *)&to, bytes) ||
	    getsockname(fd, (void *)&to, &bytes) || connect(fd, (void *)&to, bytes) ||
	    setsockopt(fd, SOL_SOCKET, SO_ATTACH_BPF, &w->program_fd, sizeof(w->program_fd)))
		err(1, "socket");
	return fd;
}

static inline int bpfwork_attach(const struct bpfwork *w, const char *tracepoint)
{
	union bpf_attr a = { .raw_tracepoint = { .name = (uintptr_t)tracepoint, .prog_fd = (uint32_t)w->program_fd } };
	int fd = (int)bpfwork_call(BPF_RAW_TRACEPOINT_OPEN, &a);

	if (fd < 0)
		err(1, "tracepoint %s", tracepoint);
	return fd;
}

/* `cpu`: of irqsoff and hardirq the one to keep. `disk`: of hardirq, what to read so that its interrupt comes. */
static inline void bpfwork_open(struct bpfwork *w, const char *kind, uint64_t length_ns, int cpu, const char *disk)
{
	bool is_softirq = !strcmp(kind, "softirq"), is_hardirq = !strcmp(kind, "hardirq");

	w->kind = kind;
	w->cpu = cpu;
	bpfwork_load(w, is_softirq ? BPF_PROG_TYPE_SOCKET_FILTER : BPF_PROG_TYPE_RAW_TRACEPOINT, length_ns,
		     is_hardirq ? cpu : -1);
	if (is_softirq) {
		w->socket_fd = bpfwork_socket(w);
	} else if (is_hardirq) {
		w->disk_fd = open(disk, O_RDONLY | O_DIRECT | O_CLOEXEC);
		if (w->disk_fd < 0 || posix_memalign((void **)&w->block, 4096, 4096))
			err(1, "%s", disk);
	}
}

/* Now, so that programs that were attached before run before it. */
static inline void bpfwork_begin(struct bpfwork *w)
{
	if (!strcmp(w->kind, "hardirq"))
		w->link_fd = bpfwork_attach(w, "irq_handler_entry");
}

/* Once. */
static inline void bpfwork_run(struct bpfwork *w)
{
	union bpf_attr a = { .test = { .prog_fd = (uint32_t)w->program_fd } };

	if (!strcmp(w->kind, "softirq")) {
		if (send(w->socket_fd, "", 1, MSG_DONTWAIT) != 1)
			err(1, "send");
	} else if (!strcmp(w->kind, "hardirq")) {
		if (pread(w->disk_fd, w->block, 4096, 0) != 4096)
			err(1, "disk");
	} else {
		if (!strcmp(w->kind, "irqsoff")) {
			a.test.flags = BPF_F_TEST_RUN_ON_CPU;
			a.test.cpu = (uint32_t)w->cpu;
		}
		if (bpfwork_call(BPF_PROG_TEST_RUN, &a))
			err(1, "run of the BPF program");
	}
}

#endif
