/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recording_make KIND FILE: a recording of known content, the same each time, written by the saver.
 * FILE may be "-". All are of cpu-clock at 100 Hz on 2 CPUs (a sample weighs 10 ms), start at
 * 2023-11-14 22:13:20 UTC, and are of "whole machine" on host "board", kernel "6.1.0-test x86_64".
 * Names are in the recording; the files they name exist nowhere. Frames leaf first, "|" where the
 * kernel's end; objects in brackets.
 *
 * basic      one interval of 10 s, 1 000 samples:
 *              400  worker 100/101 CPU 0  spin[worker] < work[worker] < main[worker]
 *              200  worker 100/102 CPU 1  the same
 *              200  worker 100/101 CPU 0  copy_to_user[kernel] < vfs_read[kernel] | read[libc] < work < main[worker]
 *              100  writer 200/200 CPU 1  memcpy[libc] < main[writer]
 *               80  writer 200/200 CPU 1  ext4_write[ext4] < vfs_write[kernel] | write[libc] < main[writer]
 *               20  writer 200/200 CPU 1  0x1234, stripped [blob.so] < main[writer]
 *            books: 2 000 due = 1 000 kept + 900 idle + 50 lost (40 map full, 10 collision) + 50 not delivered.
 *            worker is /usr/bin/worker with build-id 01 02 .. 14, libc /usr/lib/libc.so.6, kernel has _stext
 *            0xffffffff81000000, the module ext4 starts at 0xffffffffc0000000.
 * intervals  five of 10 s; number k (1 to 5) has 100 of steady[prog] < main[prog] and 10 * k of
 *            step<k>[prog] < main[prog], all of comm prog; 1 000 due, the rest idle; number 3 lost 7 (map full).
 * damaged    the same, but the samples of interval 3 were counted up by one behind its checksum's back.
 * newer      basic, of format 5.
 * empty      one interval of 10 s without samples: 2 000 due, all idle.
 * unborn     no interval.
 * hostile    basic's books, 1 000 samples; names of functions, objects and comms are those in hostile[] below,
 *            each by itself a stack of one frame; of as many samples as there are.
 * big        one interval of 100 s: 100 000 samples, each a row of its own: 20 000 stacks of 16 frames, each of
 *            5 threads (1000 + 0 to 4); 200 objects /usr/lib/obj000.so to obj199.so of 40 functions each; 50 comms.
 * wakeup     latencies, see recording_wakeup.h.
 * irq        interrupts, see recording_irq.h.
 */
#include <err.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "recording_irq.h"
#include "recording_wakeup.h"

#define PERIOD_NS   10000000ull
#define SECOND_NS   1000000000ull
#define START_NS    (1700000000 * SECOND_NS)
#define HZ_ALL_CPUS 200

struct frame {
	const char *name; /* NULL: stripped */
	const char *object;
	enum mapping_kind kind;
	uint64_t address;
};

#define KERNEL_START 0xffffffff81000000u
#define MODULE_START 0xffffffffc0000000u

static const struct frame spin = { "spin", "/usr/bin/worker", MAPPING_FILE, 0x1100 };
static const struct frame work = { "work", "/usr/bin/worker", MAPPING_FILE, 0x1200 };
static const struct frame worker_main = { "main", "/usr/bin/worker", MAPPING_FILE, 0x1300 };
static const struct frame writer_main = { "main", "/usr/bin/writer", MAPPING_FILE, 0x2300 };
static const struct frame libc_read = { "read", "/usr/lib/libc.so.6", MAPPING_FILE, 0x80100 };
static const struct frame libc_write = { "write", "/usr/lib/libc.so.6", MAPPING_FILE, 0x80200 };
static const struct frame libc_memcpy = { "memcpy", "/usr/lib/libc.so.6", MAPPING_FILE, 0x90300 };
static const struct frame copy_to_user = { "copy_to_user", "[kernel]", MAPPING_KERNEL, KERNEL_START + 0x5000 };
static const struct frame vfs_read = { "vfs_read", "[kernel]", MAPPING_KERNEL, KERNEL_START + 0x6000 };
static const struct frame vfs_write = { "vfs_write", "[kernel]", MAPPING_KERNEL, KERNEL_START + 0x7000 };
static const struct frame ext4_write = { "ext4_write", "ext4", MAPPING_MODULE, MODULE_START + 0x700 };
static const struct frame blob = { NULL, "/opt/blob.so", MAPPING_FILE, 0x1234 };

/* What is not text where it is shown: markup, terminal escapes, separators, no UTF-8, too much of it. */
static const char *const hostile[] = {
	"</script><img src=x onerror=alert(1)>",
	"<!--<script>",
	"'\"><svg/onload=alert(2)>&amp;&#60;",
	"\x1b[31mred\x1b]0;title\x07",
	"new\nline\rreturn\ttab\vfeed",
	"semi;colon and space 12",
	"\xff\xfe\xc3\x28\xe2\x82",		       /* no UTF-8 */
	"\xed\xa0\x80\xf4\x90\x80\x80\xc0\xaf",	       /* surrogate, above the last, overlong */
	"\xe2\x80\xae\xe2\x80\x8b\xef\xbb\xbfgnp.exe", /* right to left, zero width */
	"\xe2\x80\xa8 \xe2\x80\xa9",		       /* line ends in JavaScript */
	"\\u003c\\x3c\\n %s %n ${x} {{x}} `x`",
	"-rf",
	"../../../../etc/passwd",
	" ",
	"'); DROP TABLE samples; --",
};

#define HOSTILE (sizeof(hostile) / sizeof(hostile[0]))

static void check(int err, const char *what)
{
	if (err < 0)
		errx(1, "%s: %s", what, strerror(-err));
}

static struct recording *new_recording(void)
{
	struct recording *r = recording_new();

	if (!r)
		err(1, "recording");
	r->meta = (struct rec_meta){ .version = "0.1.0",
				     .tool = "profile",
				     .command_line = "kbpfprof profile -F 100 -e cpu-clock -o FILE",
				     .host = "board",
				     .target = "whole machine",
				     .kernel = "6.1.0-test x86_64",
				     .start_unix_ns = START_NS,
				     .cpus = 2 };
	r->sampling = (struct rec_sampling){
		.event = "cpu-clock", .unit = "ns", .is_time = true, .asked_hz = 100, .max_depth = 127
	};
	return r;
}

static void describe(struct recording *r, int mapping, const struct frame *f)
{
	struct build_id id = { .n = 20 };

	for (uint8_t i = 0; i < 20; i++)
		id.bytes[i] = (uint8_t)(i + 1);
	if (f->kind == MAPPING_KERNEL)
		recording_describe(r, mapping, NULL, KERNEL_START, 0);
	else if (f->kind == MAPPING_MODULE)
		recording_describe(r, mapping, NULL, MODULE_START, 0x10000);
	else if (!strcmp(f->object, "/usr/bin/worker"))
		recording_describe(r, mapping, &id, 0, 65536);
}

static uint32_t location(struct recording *r, const struct frame *f)
{
	struct rec_mapping m = { .name = recording_string(r, f->object), .kind = f->kind };
	enum why why = f->name ? WHY_NAMED : WHY_STRIPPED;
	int mapping, id;

	if (f->kind == MAPPING_FILE) { /* every file is another inode */
		m.dev = 0xfd01;
		m.inode = 1000 + (uint64_t)m.name;
		m.changed_ns = START_NS - SECOND_NS;
	}
	mapping = recording_mapping(r, &m);
	check(mapping, "mapping");
	describe(r, mapping, f);
	id = recording_location(r, mapping, f->address, why);
	check(id, "location");
	recording_name(r, id, f->name ? recording_string(r, f->name) : 0, f->name ? 4 : 0, why);
	return (uint32_t)id;
}

static void add(struct recording *r, struct rec_labels labels, uint64_t fires, const struct frame *const *frames,
		unsigned n)
{
	struct rec_sample s = { .labels = labels, .fires = fires, .weight = fires * PERIOD_NS };
	uint32_t ids[16];
	unsigned kernel = 0;

	for (unsigned i = 0; i < n; i++) {
		ids[i] = location(r, frames[i]);
		kernel += frames[i]->kind == MAPPING_KERNEL || frames[i]->kind == MAPPING_MODULE;
	}
	s.stack = recording_stack(r, ids, kernel, n - kernel);
	check(s.stack, "stack");
	check(recording_add(r, &s), "sample");
	r->sampling.kept += fires;
	r->sampling.kept_weight += s.weight;
}

#define ADD(r, labels, fires, ...)                                                          \
	do {                                                                                \
		const struct frame *const frames_[] = { __VA_ARGS__ };                      \
                                                                                            \
		add((r), (labels), (fires), frames_, sizeof(frames_) / sizeof(frames_[0])); \
	} while (0)

/* All that was due to the end of `seconds` and is neither kept nor lost was idle, but for `missing`. */
static void balance(struct recording *r, unsigned seconds, uint64_t missing)
{
	struct rec_sampling *s = &r->sampling;

	s->expected = (uint64_t)seconds * HZ_ALL_CPUS;
	s->seen = s->expected - missing;
	s->idle = s->seen - s->kept - recording_lost_sum(r);
	s->idle_weight = s->idle * PERIOD_NS;
	s->not_delivered = (int64_t)missing;
	s->user_stacks = s->kept;
	r->meta.duration_ns = seconds * SECOND_NS;
	s->enabled_ns = s->running_ns = r->meta.duration_ns * r->meta.cpus;
	s->achieved_hz = (double)s->seen * 1e9 / (double)s->running_ns;
}

static void basic(struct recording *r)
{
	struct rec_labels worker = { recording_string(r, "worker"), 100, 101, 0 }, second = worker,
			  writer = { recording_string(r, "writer"), 200, 200, 1 };

	second.tid = 102;
	second.cpu = 1;
	ADD(r, worker, 400, &spin, &work, &worker_main);
	ADD(r, second, 200, &spin, &work, &worker_main);
	ADD(r, worker, 200, &copy_to_user, &vfs_read, &libc_read, &work, &worker_main);
	ADD(r, writer, 100, &libc_memcpy, &writer_main);
	ADD(r, writer, 80, &ext4_write, &vfs_write, &libc_write, &writer_main);
	ADD(r, writer, 20, &blob, &writer_main);
	r->lost.by_cause[LOST_MAP_FULL] = 40;
	r->lost.by_cause[LOST_COLLISION] = 10;
	balance(r, 10, 50);
	r->sampling.short_user_stacks = 120;
}

static void make_basic(struct saver *s, struct recording *r)
{
	basic(r);
	check(saver_interval(s, r), "interval");
}

static void make_intervals(struct saver *s, struct recording *r)
{
	static const struct frame prog_main = { "main", "/usr/bin/prog", MAPPING_FILE, 0x100 };
	static const struct frame steady = { "steady", "/usr/bin/prog", MAPPING_FILE, 0x200 };
	struct rec_labels prog = { recording_string(r, "prog"), 0, 0, -1 };
	char name[16];

	for (unsigned k = 1; k <= 5; k++) {
		struct frame step = { name, "/usr/bin/prog", MAPPING_FILE, 0x300 + 0x10 * k };

		snprintf(name, sizeof(name), "step%u", k);
		ADD(r, prog, 100, &steady, &prog_main);
		ADD(r, prog, 10 * k, &step, &prog_main);
		if (k == 3)
			r->lost.by_cause[LOST_MAP_FULL] = 7;
		balance(r, 10 * k, 0);
		check(saver_interval(s, r), "interval");
	}
}

static void make_empty(struct saver *s, struct recording *r)
{
	balance(r, 10, 0);
	check(saver_interval(s, r), "interval");
}

static void make_unborn(struct saver *s, struct recording *r)
{
	(void)s;
	(void)r;
}

static void add_hostile(struct recording *r, const char *name, uint64_t fires)
{
	struct frame f = { name, name, MAPPING_FILE, 0x40 };

	ADD(r, ((struct rec_labels){ recording_string(r, name), 0, 0, -1 }), fires, &f);
}

static void make_hostile(struct saver *s, struct recording *r)
{
	char long_name[4097];

	for (size_t i = 0; i < HOSTILE; i++)
		add_hostile(r, hostile[i], 10 + i);
	memset(long_name, '<', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	add_hostile(r, long_name, 1000 - r->sampling.kept);
	r->lost.by_cause[LOST_MAP_FULL] = 50;
	balance(r, 10, 50);
	check(saver_interval(s, r), "interval");
}

#define BIG_OBJECTS   200
#define BIG_FUNCTIONS 40
#define BIG_STACKS    20000
#define BIG_FRAMES    16
#define BIG_THREADS   5
#define BIG_COMMS     50

/* Frame k of stack i: near the root few functions, at the leaf all. A step of a congruential generator mixes. */
static unsigned big_function(unsigned i, unsigned k)
{
	unsigned reach = k < 4 ? BIG_OBJECTS * BIG_FUNCTIONS : BIG_OBJECTS * BIG_FUNCTIONS >> (k - 3);
	unsigned mixed = (i >> (k / 2)) * 1664525u + k * 1013904223u;

	return (mixed >> 8) % (reach ? reach : 1);
}

static int big_stack(struct recording *r, unsigned i)
{
	uint32_t ids[BIG_FRAMES];

	for (unsigned k = 0; k < BIG_FRAMES; k++) {
		unsigned function = k ? big_function(i, k) : i % (BIG_OBJECTS * BIG_FUNCTIONS);
		char name[32], object[32];
		struct frame f = { name, object, MAPPING_FILE, 0x1000 + 0x40 * (function / BIG_OBJECTS) };

		/* The second frame tells stacks of one leaf apart. */
		if (k == 1)
			function = i / (BIG_OBJECTS * BIG_FUNCTIONS) * 97 + 1;
		snprintf(name, sizeof(name), "function_%u", function);
		snprintf(object, sizeof(object), "/usr/lib/obj%03u.so", function % BIG_OBJECTS);
		f.address = 0x1000 + 0x40 * (function / BIG_OBJECTS);
		ids[k] = location(r, &f);
	}
	return recording_stack(r, ids, 0, BIG_FRAMES);
}

static void make_big(struct saver *s, struct recording *r)
{
	for (unsigned i = 0; i < BIG_STACKS; i++) {
		char comm[16];
		int stack = big_stack(r, i);

		check(stack, "stack");
		snprintf(comm, sizeof(comm), "comm%u", i % BIG_COMMS);
		for (int t = 0; t < BIG_THREADS; t++) {
			struct rec_sample sample = { .labels = { recording_string(r, comm), 1000, 1000 + t, -1 },
						     .stack = stack,
						     .fires = 1,
						     .weight = PERIOD_NS };

			check(recording_add(r, &sample), "sample");
		}
	}
	if (r->n_stacks != BIG_STACKS || r->n_mappings != BIG_OBJECTS)
		errx(1, "big: %zu stacks over %zu objects", r->n_stacks, r->n_mappings);
	r->sampling.kept = BIG_STACKS * BIG_THREADS;
	r->sampling.kept_weight = r->sampling.kept * PERIOD_NS;
	r->meta.cpus = 10; /* as many as it takes */
	r->sampling.expected = r->sampling.seen = r->sampling.kept;
	r->meta.duration_ns = 100 * SECOND_NS;
	r->sampling.enabled_ns = r->sampling.running_ns = r->meta.duration_ns * r->meta.cpus;
	r->sampling.achieved_hz = 100;
	check(saver_interval(s, r), "interval");
}

/* As somebody else's hand would. */
static void edit(const char *file, const char *sql)
{
	sqlite3 *db;

	if (sqlite3_open(file, &db) || sqlite3_exec(db, sql, NULL, NULL, NULL))
		errx(1, "%s: %s", file, sqlite3_errmsg(db));
	sqlite3_close(db);
}

static const struct {
	const char *name;
	void (*make)(struct saver *s, struct recording *r);
	const char *edit; /* SQL, afterwards */
} kinds[] = {
	{ "basic", make_basic, NULL },
	{ "intervals", make_intervals, NULL },
	{ "damaged", make_intervals, "UPDATE counts SET fires = fires + 1 WHERE interval = 3" },
	{ "newer", make_basic, "PRAGMA user_version = 5" },
	{ "empty", make_empty, NULL },
	{ "unborn", make_unborn, NULL },
	{ "hostile", make_hostile, NULL },
	{ "big", make_big, NULL },
	{ "wakeup", make_wakeup, NULL },
	{ "irq", make_irq, NULL },
};

int main(int argc, char **argv)
{
	struct recording *r = new_recording();
	struct saver *s;

	if (argc != 3)
		errx(2, "usage: recording_make KIND FILE");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].name, argv[1]) != 0)
			continue;
		if (saver_open(&s, argv[2]))
			return 1;
		kinds[i].make(s, r);
		check(saver_finish(s), "finish");
		saver_close(s);
		recording_free(r);
		if (kinds[i].edit)
			edit(argv[2], kinds[i].edit);
		return 0;
	}
	errx(2, "no kind '%s'", argv[1]);
}
