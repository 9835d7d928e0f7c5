/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bpf/profile.bpf.c compiled for the host, with helpers that fail when told to: every run of the
 * program must end in exactly one of kept, idle, filtered or a loss, by its right cause.
 */
#define __TARGET_ARCH_x86
#define __bpf__ /* types come from vmlinux.h */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wpointer-arith"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include "vmlinux.h"
/* gcc keeps `const volatile` objects in memory that can be written: tests set .rodata as user space does before load.
 */
#include "../../bpf/profile.bpf.c"

#include "unit.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#define FAKE_ARENA_BYTES (4 * SAMPLE_RECORD_BYTES_MAX)
#define FAKE_ENTRIES	 16

/* The kernel, as far as the program sees it. */
static struct {
	struct task_struct task;
	struct signal_struct signal;
	struct mm_struct mm;
	__u64 boot_ns;
	__u64 tgid_tid;
	__u64 kernel_stack[SAMPLE_FRAMES_MAX], user_stack[SAMPLE_FRAMES_MAX];
	long kernel_frames, user_frames; /* negative: what the helper returns */
	long update_returns;		 /* 0: the update succeeds */
	bool collide;			 /* every lookup finds another record */

	struct profile_books books;
	struct samples_cpu cpu;
	_Alignas(8) char arena[FAKE_ARENA_BYTES];
	__u64 keys[FAKE_ENTRIES];
	struct sample_sums values[FAKE_ENTRIES];
	size_t entries;
	__u64 lost[LOST_CAUSES];
	struct sample_sums other;
} fake;

static void *find_index(__u64 key)
{
	if (fake.collide)
		return &fake.other;
	for (size_t i = 0; i < fake.entries; i++)
		if (fake.keys[i] == key)
			return &fake.values[i];
	return NULL;
}

static void *bpf_map_lookup_elem(void *map, const void *key)
{
	__u32 number = *(const __u32 *)key;

	if (map == &books)
		return number == 0 ? &fake.books : NULL;
	if (map == &samples_cpus)
		return number == 0 ? &fake.cpu : NULL;
	if (map == &samples_arenas)
		return number == 0 ? fake.arena : NULL;
	if (map == &losses)
		return number < LOST_CAUSES ? &fake.lost[number] : NULL;
	if (map == &samples_indexes)
		return number == 0 ? &samples_index_0 : NULL;
	if (map == &samples_index_0)
		return find_index(*(const __u64 *)key);
	return NULL;
}

static long bpf_map_update_elem(void *map, const void *key, const void *value, __u64 flags)
{
	long answer = fake.update_returns;

	assert_true(map == &samples_index_0);
	assert_int_equal(flags, BPF_NOEXIST);
	if (answer && answer != -EEXIST)
		return answer;
	/* -EEXIST once: another CPU was faster with the same stack. */
	fake.keys[fake.entries] = *(const __u64 *)key;
	fake.values[fake.entries++] = *(const struct sample_sums *)value;
	return answer;
}

static long bpf_map_delete_elem(void *map, const void *key)
{
	return -ENOENT;
}

static long bpf_get_stack(void *ctx, void *buf, __u32 bytes, __u64 flags)
{
	bool user = flags & BPF_F_USER_STACK;
	long frames = user ? fake.user_frames : fake.kernel_frames;

	assert_int_equal(bytes, sizeof(fake.user_stack));
	memset(buf, 0, bytes);
	if (frames < 0)
		return frames;
	memcpy(buf, user ? fake.user_stack : fake.kernel_stack, (size_t)frames * 8);
	return frames * 8;
}

static long bpf_get_current_comm(void *buf, __u32 bytes)
{
	memcpy(buf, fake.task.comm, bytes);
	return 0;
}

static __u64 bpf_get_current_pid_tgid(void)
{
	return fake.tgid_tid;
}

static __u64 bpf_ktime_get_boot_ns(void)
{
	return ++fake.boot_ns;
}

static __u64 bpf_get_current_task(void)
{
	return (__u64)(uintptr_t)&fake.task;
}

static __u32 bpf_get_smp_processor_id(void)
{
	return 0;
}

static long bpf_probe_read_kernel(void *to, __u32 bytes, const void *from)
{
	memcpy(to, from, bytes);
	return 0;
}

/* As the kernel's: bytes with the NUL, and nothing behind it. */
static long bpf_probe_read_kernel_str(void *to, __u32 bytes, const void *from)
{
	size_t n = strnlen(from, bytes - 1);

	memcpy(to, from, n);
	((char *)to)[n] = '\0';
	return (long)n + 1;
}

#define PERIOD 1000

static struct bpf_perf_event_data user_mode = { .regs = { .cs = 0x33 }, .sample_period = PERIOD };
static struct bpf_perf_event_data kernel_mode = { .regs = { .cs = 0x10 }, .sample_period = PERIOD };

static int reset(void **state)
{
	memset(&fake, 0, sizeof(fake));
	fake.task.group_leader = &fake.task;
	fake.task.signal = &fake.signal;
	fake.task.mm = &fake.mm;
	fake.mm.start_code = 0x400000;
	fake.task.start_boottime = 77;
	fake.task.self_exec_id = 3;
	strcpy(fake.task.comm, "task");
	fake.tgid_tid = 100ULL << 32 | 101;
	fake.user_frames = 3;
	for (int i = 0; i < SAMPLE_FRAMES_MAX; i++) {
		fake.kernel_stack[i] = 0xffff000000000000 + (__u64)i;
		fake.user_stack[i] = 0x400000 + (__u64)i;
	}
	*(struct samples_config *)&samples = (struct samples_config){ FAKE_ARENA_BYTES, 1, 0, 0, 1, 1 };
	return 0;
}

static __u64 lost_sum(void)
{
	__u64 sum = 0;

	for (int i = 0; i < LOST_CAUSES; i++)
		sum += fake.lost[i];
	return sum;
}

/* Runs the program and checks that the books balance. */
static void sample(struct bpf_perf_event_data *ctx)
{
	__u64 seen = fake.books.seen.fires;

	on_sample(ctx);
	assert_int_equal(fake.books.seen.fires, seen + 1);
	assert_int_equal(fake.books.seen.fires,
			 fake.books.kept.fires + fake.books.idle.fires + fake.books.filtered.fires + lost_sum());
	assert_int_equal(fake.books.seen.period, fake.books.seen.fires * PERIOD);
}

static const struct sample_record *record(size_t i)
{
	return (const void *)(fake.arena + fake.values[i].offset);
}

static void equal_stacks_are_one_record(void **state)
{
	for (int i = 0; i < 5; i++)
		sample(&user_mode);
	assert_int_equal(fake.entries, 1);
	assert_int_equal(fake.values[0].fires, 5);
	assert_int_equal(fake.values[0].weight, 5 * PERIOD);
	assert_int_equal(fake.cpu.tail[0], 8 + 128); /* the time; 6 + 3 words, in blocks of 8 */
	assert_int_equal(record(0)->user_frames, 3);
	assert_int_equal(record(0)->kernel_frames, 0);
	assert_int_equal(record(0)->tgid, 100);
	assert_int_equal(record(0)->start_ns, 77);
	assert_int_equal(record(0)->exec_id, 3);
	assert_string_equal(record(0)->comm, "task");
	assert_int_equal(record(0)->seen_ns, 1); /* of the first of them */
}

static void one_frame_more_is_another_record(void **state)
{
	sample(&user_mode);
	fake.user_frames = 4;
	sample(&user_mode);
	fake.user_frames = 3;
	sample(&user_mode);
	assert_int_equal(fake.entries, 2);
	assert_int_equal(fake.values[0].fires, 2);
	assert_int_equal(fake.values[1].fires, 1);
}

static void a_record_survives_what_follows_it(void **state)
{
	/* The next record begins where the padding of the first ends: the first must still compare equal. */
	for (int round = 0; round < 3; round++)
		for (int frames = 1; frames <= 6; frames++) {
			fake.user_frames = frames;
			sample(&user_mode);
		}
	assert_int_equal(fake.entries, 6);
	for (int i = 0; i < 6; i++)
		assert_int_equal(fake.values[i].fires, 3);
}

static void kernel_and_user_frames_are_kept_apart(void **state)
{
	fake.kernel_frames = 2;
	sample(&kernel_mode);
	assert_int_equal(record(0)->kernel_frames, 2);
	assert_int_equal(record(0)->user_frames, 3);
	assert_int_equal(record(0)->frames[1], 0xffff000000000001);
	assert_int_equal(record(0)->frames[2], 0x400000);
}

/* Between two programs the user registers are of the old one, the memory is of the new one. */
static void no_user_side_within_exec(void **state)
{
	fake.kernel_frames = 2;
	fake.mm.start_code = 0;
	sample(&kernel_mode);
	assert_int_equal(record(0)->kernel_frames, 2);
	assert_int_equal(record(0)->user_frames, 0);
	assert_int_equal(record(0)->flags, 0);
	fake.kernel_frames = 0;
	sample(&user_mode); /* whatever runs in user mode is a program */
	assert_int_equal(record(1)->user_frames, 3);
}

static void deepest_stacks_fit(void **state)
{
	fake.kernel_frames = fake.user_frames = SAMPLE_FRAMES_MAX;
	sample(&kernel_mode);
	sample(&kernel_mode);
	assert_int_equal(fake.entries, 1);
	assert_int_equal(record(0)->frames[2 * SAMPLE_FRAMES_MAX - 1], 0x400000 + SAMPLE_FRAMES_MAX - 1);
}

static void a_full_arena_is_a_loss(void **state)
{
	fake.kernel_frames = SAMPLE_FRAMES_MAX;
	for (int i = 0; i < 10; i++) {
		fake.user_frames = SAMPLE_FRAMES_MAX - i; /* each another stack */
		sample(&kernel_mode);
	}
	assert_true(fake.books.kept.fires >= 3);
	assert_int_equal(fake.lost[LOST_MAP_FULL], 10 - fake.books.kept.fires);
}

static void update_errors_are_told_apart(void **state)
{
	fake.update_returns = -E2BIG;
	sample(&user_mode);
	fake.update_returns = -EBUSY;
	sample(&user_mode);
	sample(&user_mode);
	fake.update_returns = -ENOMEM;
	sample(&user_mode);
	assert_int_equal(fake.lost[LOST_MAP_FULL], 1);
	assert_int_equal(fake.lost[LOST_MAP_BUSY], 2);
	assert_int_equal(fake.lost[LOST_MAP_ERROR], 1);
	assert_int_equal(fake.cpu.tail[0], 0);
}

static void a_race_for_one_stack_is_no_loss(void **state)
{
	fake.update_returns = -EEXIST;
	sample(&user_mode);
	assert_int_equal(fake.values[0].fires, 2); /* the other CPU's and ours */
	assert_int_equal(fake.books.kept.fires, 1);
	assert_int_equal(lost_sum(), 0);
	assert_int_equal(fake.cpu.tail[0], 0);
}

static void a_collision_is_never_the_wrong_stack(void **state)
{
	/* Every hash leads to a record that differs in its last frame only. */
	sample(&user_mode);
	fake.other = fake.values[0];
	fake.collide = true;
	fake.user_stack[2]++;
	sample(&user_mode);
	assert_int_equal(fake.lost[LOST_COLLISION], 1);
	assert_int_equal(fake.other.fires, 1);
	fake.collide = false;
	sample(&user_mode);
	assert_int_equal(fake.entries, 2);
}

static void idle_is_counted_not_kept(void **state)
{
	fake.tgid_tid = 0;
	sample(&kernel_mode);
	assert_int_equal(fake.books.idle.fires, 1);
	assert_int_equal(fake.books.idle.period, PERIOD);
	assert_int_equal(fake.entries, 0);
}

/* x86: the preempt count lies at a distance from the run queue that user space gives. */
static void softirq_in_the_idle_task_is_work(void **state)
{
	struct {
		char rq[64];
		__u32 preempt_count;
	} per_cpu = { .preempt_count = 1U << HARDIRQ_SHIFT }; /* the sampling interrupt itself */
	struct cfs_rq cfs = { .rq = (void *)&per_cpu };

	fake.task.se.cfs_rq = &cfs;
	*(__s64 *)&preempt_count_from_rq_bytes = (char *)&per_cpu.preempt_count - per_cpu.rq;
	fake.tgid_tid = 0;
	fake.task.mm = NULL;
	fake.kernel_frames = 2;
	fake.user_frames = -EFAULT;
	sample(&kernel_mode);
	assert_int_equal(fake.books.idle.fires, 1);
	per_cpu.preempt_count |= SOFTIRQ_SERVING;
	sample(&kernel_mode);
	per_cpu.preempt_count = 2U << HARDIRQ_SHIFT;
	sample(&kernel_mode);
	assert_int_equal(fake.books.idle.fires, 1);
	assert_int_equal(fake.books.kept.fires, 2);
	assert_int_equal(record(0)->flags, 0);
	*(__s64 *)&preempt_count_from_rq_bytes = 0;
}

static void missing_sides_are_told_from_failures(void **state)
{
	fake.user_frames = -EFAULT; /* a user process whose stack cannot be read */
	fake.kernel_frames = -EFAULT;
	sample(&user_mode);
	assert_int_equal(record(0)->flags, SAMPLE_USER_FAILED);
	sample(&kernel_mode);
	assert_int_equal(record(1)->flags, SAMPLE_USER_FAILED | SAMPLE_KERNEL_FAILED);
	fake.task.flags = PF_KTHREAD; /* has no user side */
	fake.kernel_frames = 1;
	sample(&kernel_mode);
	assert_int_equal(record(2)->flags, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(equal_stacks_are_one_record, reset),
		cmocka_unit_test_setup(one_frame_more_is_another_record, reset),
		cmocka_unit_test_setup(a_record_survives_what_follows_it, reset),
		cmocka_unit_test_setup(kernel_and_user_frames_are_kept_apart, reset),
		cmocka_unit_test_setup(no_user_side_within_exec, reset),
		cmocka_unit_test_setup(deepest_stacks_fit, reset),
		cmocka_unit_test_setup(a_full_arena_is_a_loss, reset),
		cmocka_unit_test_setup(update_errors_are_told_apart, reset),
		cmocka_unit_test_setup(a_race_for_one_stack_is_no_loss, reset),
		cmocka_unit_test_setup(a_collision_is_never_the_wrong_stack, reset),
		cmocka_unit_test_setup(idle_is_counted_not_kept, reset),
		cmocka_unit_test_setup(softirq_in_the_idle_task_is_work, reset),
		cmocka_unit_test_setup(missing_sides_are_told_from_failures, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
