/* SPDX-License-Identifier: GPL-2.0-only */
#include "symbols/sideband.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/intern.h"
#include "core/proc.h"

/* A process of five libraries is told in some 1000 bytes: 128 KiB last for 6000 of them a second and CPU. */
#define RING_BYTES_MAX (128 * 1024)
#define RING_BYTES_MIN (16 * 1024)
#define RINGS_BYTES    (4 * 1024 * 1024) /* of all CPUs, as long as each has the minimum */

/* With less room a record may have been lost that no other came after, which would tell so. */
#define ROOM_BYTES 1024

#define FUTURE_NS 10000000000 /* no record is that much later than now */

/* include/uapi/linux/perf_event.h describes the records; each ends with its time (sample_id_all). */
struct task_record { /* PERF_RECORD_FORK, PERF_RECORD_EXIT */
	struct perf_event_header header;
	uint32_t tgid, parent_tgid;
	uint32_t tid, parent_tid;
	uint64_t time_ns;
	uint64_t id_time_ns;
};

struct comm_record {
	struct perf_event_header header;
	uint32_t tgid, tid;
	/* comm */
};

struct mmap2_record {
	struct perf_event_header header;
	uint32_t tgid, tid;
	uint64_t address, bytes, offset;
	uint32_t major, minor;
	uint64_t inode, inode_generation;
	uint32_t protection, flags;
	char path[];
};

struct lost_record {
	struct perf_event_header header;
	uint64_t id;
	uint64_t n;
	uint64_t id_time_ns;
};

static void on_task(struct sideband *b, const struct task_record *r, uint64_t time_ns)
{
	struct generations *gs = &b->generations;

	if ((int)r->tgid <= 0) /* of another pid namespace */
		return;
	if (r->header.type == PERF_RECORD_EXIT)
		generations_exit(gs, (int)r->tgid, time_ns);
	else if (r->tgid == r->tid)
		generations_fork(gs, (int)r->tgid, (int)r->parent_tgid > 0 ? (int)r->parent_tgid : 0, time_ns);
	else
		generations_thread(gs, (int)r->tgid);
}

static void on_comm(struct sideband *b, const struct comm_record *r, uint64_t time_ns)
{
	if (r->header.misc & PERF_RECORD_MISC_COMM_EXEC && (int)r->tgid > 0)
		generations_exec(&b->generations, (int)r->tgid, time_ns);
}

static void on_mmap(struct sideband *b, const struct mmap2_record *r, size_t path_bytes, uint64_t time_ns)
{
	struct maps_line m = { .start = r->address,
			       .end = r->address + r->bytes,
			       .offset = r->offset,
			       .dev = makedev(r->major, r->minor),
			       .inode = r->inode,
			       .is_executable = true,
			       .path = r->path };

	if ((int)r->tgid <= 0 || !(r->protection & PROT_EXEC))
		return;
	if (m.end <= m.start || !memchr(r->path, '\0', path_bytes)) {
		b->lost++;
		return;
	}
	generations_map(&b->generations, (int)r->tgid, time_ns, &m);
}

/* One record, of a size that was checked to lie in the ring. */
static void on_record(struct sideband *b, struct sideband_cpu *cpu, const struct perf_event_header *header)
{
	size_t n = header->size - sizeof(uint64_t); /* without its time */

	if (header->type == PERF_RECORD_LOST && n >= offsetof(struct lost_record, id_time_ns)) {
		b->lost += ((const struct lost_record *)header)->n;
		generations_doubt(&b->generations, cpu->last_ns, cpu->next_ns);
	} else if ((header->type == PERF_RECORD_FORK || header->type == PERF_RECORD_EXIT) &&
		   n >= offsetof(struct task_record, id_time_ns)) {
		on_task(b, (const struct task_record *)header, cpu->next_ns);
	} else if (header->type == PERF_RECORD_COMM && n >= sizeof(struct comm_record)) {
		on_comm(b, (const struct comm_record *)header, cpu->next_ns);
	} else if (header->type == PERF_RECORD_MMAP2 && n > sizeof(struct mmap2_record)) {
		on_mmap(b, (const struct mmap2_record *)header, n - sizeof(struct mmap2_record), cpu->next_ns);
	}
}

/* All that was fetched of a ring makes no sense. */
static void give_up(struct sideband *b, struct sideband_cpu *cpu)
{
	cpu->ring.tail = cpu->ring.head;
	cpu->next_ns = UINT64_MAX;
	b->lost++;
	generations_doubt(&b->generations, cpu->last_ns, sideband_now_ns(b));
}

static void peek(struct sideband *b, struct sideband_cpu *cpu)
{
	uint64_t damaged = cpu->ring.damaged;
	size_t n = perf_ring_peek(&cpu->ring);

	if (n >= sizeof(struct perf_event_header) + sizeof(uint64_t))
		cpu->next_ns = perf_ring_word(&cpu->ring, n - sizeof(uint64_t));
	else if (n || cpu->ring.damaged != damaged) /* without a time it is none of ours */
		give_up(b, cpu);
	else
		cpu->next_ns = UINT64_MAX;
}

static void take(struct sideband *b, struct sideband_cpu *cpu)
{
	const struct perf_event_header *header = perf_ring_take(&cpu->ring, b->record, SIDEBAND_RECORD_BYTES);

	if (header) {
		on_record(b, cpu, header);
	} else {
		b->lost++;
		generations_doubt(&b->generations, cpu->last_ns, cpu->next_ns);
	}
	cpu->last_ns = cpu->next_ns;
	peek(b, cpu);
}

/* The one whose next record is the oldest, not later than `until_ns`; NULL if there is none. */
static struct sideband_cpu *oldest(struct sideband *b, uint64_t until_ns)
{
	struct sideband_cpu *found = NULL;

	for (size_t i = 0; i < b->n; i++) {
		if (b->cpus[i].next_ns > until_ns || (found && b->cpus[i].next_ns >= found->next_ns))
			continue;
		found = &b->cpus[i];
	}
	return found;
}

void sideband_merge(struct sideband *b, uint64_t until_ns)
{
	struct sideband_cpu *cpu;

	for (size_t i = 0; i < b->n; i++) {
		peek(b, &b->cpus[i]);
		if (b->cpus[i].next_ns != UINT64_MAX && b->cpus[i].next_ns > until_ns + FUTURE_NS)
			give_up(b, &b->cpus[i]); /* or it would stop the ring for ever */
	}
	while ((cpu = oldest(b, until_ns)))
		take(b, cpu);
}

uint64_t sideband_now_ns(const struct sideband *b)
{
	return clock_ns(CLOCK_BOOTTIME) - (uint64_t)b->boottime_offset_ns;
}

/*
 * What is told of one process has an order of causes: a record of fork is written before the child
 * runs. The time is taken before the first ring is looked at: a cause of what has an earlier time is
 * then in the rings fetched, and what has a later one stays there until the next time.
 */
void sideband_read(struct sideband *b)
{
	uint64_t until_ns = b->n ? sideband_now_ns(b) : 0;

	for (size_t i = 0; i < b->n; i++) {
		perf_ring_fetch(&b->cpus[i].ring);
		b->cpus[i].was_full = perf_ring_room(&b->cpus[i].ring) < ROOM_BYTES;
	}
	sideband_merge(b, until_ns);
	for (size_t i = 0; i < b->n; i++) {
		struct sideband_cpu *cpu = &b->cpus[i];

		if (cpu->was_full)
			generations_doubt(&b->generations, cpu->last_ns, until_ns);
		perf_ring_release(&cpu->ring);
	}
}

static size_t ring_bytes(size_t cpus)
{
	size_t bytes = RING_BYTES_MAX, page = (size_t)sysconf(_SC_PAGESIZE);

	while (bytes > RING_BYTES_MIN && bytes > page && bytes * cpus > RINGS_BYTES)
		bytes /= 2;
	return bytes > page ? bytes : page;
}

/* A limit of locked memory (kernel.perf_event_mlock_kb, RLIMIT_MEMLOCK) may let a smaller ring pass. */
static int open_ring(struct sideband_cpu *cpu, unsigned id, size_t *bytes)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(attr),
		.sample_type = PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.disabled = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.use_clockid = 1,
		.clockid = CLOCK_BOOTTIME, /* as bpf_ktime_get_boot_ns() and task_struct.start_boottime */
	};
	int err = perf_ring_open(&cpu->ring, &attr, id, *bytes);

	while ((err == -EPERM || err == -ENOMEM) && *bytes > (size_t)sysconf(_SC_PAGESIZE)) {
		*bytes /= 2;
		err = perf_ring_open(&cpu->ring, &attr, id, *bytes);
	}
	return err;
}

/* 0 or -errno; -ENODEV: the CPU is offline. */
static int add(struct sideband *b, unsigned id)
{
	struct sideband_cpu *cpus = intern_grow(b->cpus, &b->max, b->n + 1, sizeof(*cpus));
	int err;

	if (!cpus)
		return -ENOMEM;
	b->cpus = cpus;
	cpus[b->n] = (struct sideband_cpu){ .id = id, .next_ns = UINT64_MAX };
	err = open_ring(&cpus[b->n], id, &b->ring_bytes);
	if (!err)
		b->n++;
	return err;
}

static int enable(struct sideband *b, struct sideband_cpu *cpu)
{
	cpu->last_ns = sideband_now_ns(b);
	return ioctl(cpu->ring.fd, PERF_EVENT_IOC_ENABLE, 0) ? -errno : 0;
}

int sideband_open(struct sideband *b)
{
	struct cpu_list online;
	int err = cpu_list_online(&online);

	if (err)
		return err;
	b->boottime_offset_ns = proc_boottime_offset_ns();
	b->ring_bytes = ring_bytes(online.n);
	b->record = malloc(SIDEBAND_RECORD_BYTES);
	err = b->record ? 0 : -ENOMEM;
	for (size_t i = 0; !err && i < online.n; i++) {
		err = add(b, online.ids[i]);
		if (err == -ENODEV && b->n) /* went offline since */
			err = 0;
	}
	cpu_list_free(&online);
	if (err)
		sideband_close(b);
	return err;
}

int sideband_start(struct sideband *b)
{
	for (size_t i = 0; i < b->n; i++) {
		int err = enable(b, &b->cpus[i]);

		if (err)
			return err;
	}
	return 0;
}

static void drop(struct sideband *b, size_t i)
{
	perf_ring_close(&b->cpus[i].ring);
	b->cpus[i] = b->cpus[--b->n];
}

static bool has(const struct sideband *b, unsigned id)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->cpus[i].id == id)
			return true;
	return false;
}

void sideband_follow(struct sideband *b, const struct cpu_list *online, uint64_t since_ns, bool anew)
{
	bool blind = false;

	sideband_read(b); /* what those that go have told */
	for (size_t i = b->n; i-- > 0;)
		if (anew || !cpu_list_has(online, b->cpus[i].id))
			drop(b, i);
	for (size_t i = 0; i < online->n; i++) {
		if (has(b, online->ids[i]))
			continue;
		blind = true;
		if (add(b, online->ids[i]))
			b->lost++; /* if it has not gone again: its events will be missed */
		else if (enable(b, &b->cpus[b->n - 1]))
			drop(b, b->n - 1);
	}
	if (blind)
		generations_doubt(&b->generations, since_ns, sideband_now_ns(b));
}

void sideband_close(struct sideband *b)
{
	for (size_t i = 0; i < b->n; i++)
		perf_ring_close(&b->cpus[i].ring);
	generations_free(&b->generations);
	free(b->cpus);
	free(b->record);
	*b = (struct sideband){ 0 };
}
