/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "unit.h"

#include "symbols/kallsyms.h"
#include "symbols/own_frames.h"

/* As the kernel prints them; modules and BPF programs come in any order. */
static const char kernel_text[] = "0000000000000000 A fixed_percpu_data\n"
				  "0000000000001000 A cpu_debug_store\n"
				  "ffffffff81000000 T startup_64\n"
				  "ffffffff81000000 T _stext\n"
				  "ffffffff81000000 T _text\n"
				  "ffffffff81000140 t verify_cpu\n"
				  "ffffffff81000200 W weak_one\n"
				  "ffffffff81000200 T strong_alias\n"
				  "ffffffff81000300 w weak_undefined\n"
				  "ffffffff81000400 T last_function\n"
				  "ffffffff81000500 T _etext\n"
				  "ffffffff81800000 R __start_rodata\n"
				  "ffffffff82000000 D a_variable\n"
				  "ffffffff83000000 t init_function\n"
				  "ffffffffc0201040 t second\t[beta]\n"
				  "ffffffffc0201000 t first\t[beta]\n"
				  "ffffffffc0201000 t first_alias\t[beta]\n"
				  "ffffffffc0201800 d data_of_beta\t[beta]\n"
				  "ffffffffc0100000 T alpha_function\t[alpha]\n"
				  "ffffffffc0300000 t ftrace_trampoline\t[__builtin__ftrace]\n"
				  "ffffffffc0400000 t bpf_prog_6deef7357e7b4530_other\t[bpf]\n"
				  "ffffffffc0400100 t bpf_prog_1111222233334444_on_sample\t[bpf]\n";

static const char modules_text[] = "beta 4096 0 - Live 0xffffffffc0201000 (OE)\n"
				   "alpha 8192 1 beta, Live 0xffffffffc0100000\n"
				   "hidden 4096 0 - Live 0x0000000000000000\n";

static int file_of(const char *text)
{
	int fd = memfd_create("text", MFD_CLOEXEC);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static int fixture_ranges(struct code_ranges *ranges)
{
	static struct code_range program = { 0xffffffffc0400000, 0x80, "" };
	int fd = file_of(modules_text);

	assert_int_equal(kallsyms_modules(fd, ranges), 0);
	close(fd);
	assert_int_equal(ranges->n, 2);
	ranges->list = realloc(ranges->list, 3 * sizeof(program));
	ranges->list[ranges->n++] = program;
	ranges->capacity = 3;
	return 0;
}

struct answer {
	bool called;
	char name[512], module[64];
	uint64_t offset;
	enum why why;
};

static int take(void *ctx, uint32_t id, const struct found *f)
{
	struct answer *a = (struct answer *)ctx + id;

	assert_false(a->called);
	a->called = true;
	snprintf(a->name, sizeof(a->name), "%s", f->name ? f->name : "");
	snprintf(a->module, sizeof(a->module), "%s", f->module ? f->module : "");
	a->offset = f->offset;
	a->why = f->why;
	return 0;
}

static void names(void **state)
{
	static const struct {
		uint64_t address;
		const char *name, *module;
		uint64_t offset;
	} cases[] = {
		{ 0xfff, "", "", 0 }, /* below all text */
		{ 0xffffffff80ffffff, "", "", 0 },
		{ 0xffffffff81000000, "startup_64", "", 0 }, /* of aliases the first */
		{ 0xffffffff8100013f, "startup_64", "", 0x13f },
		{ 0xffffffff81000140, "verify_cpu", "", 0 },
		{ 0xffffffff81000210, "weak_one", "", 0x10 },
		{ 0xffffffff810003ff, "weak_undefined", "", 0xff },
		{ 0xffffffff810004ff, "last_function", "", 0xff },
		{ 0xffffffff81000500, "", "", 0 }, /* the end of the kernel's text is no function */
		{ 0xffffffff82000001, "", "", 0 }, /* nor is data */
		{ 0xffffffff83000001, "", "", 0 }, /* nor what only boot ran */
		{ 0xffffffffc0100fff, "alpha_function", "alpha", 0xfff },
		{ 0xffffffffc0102000, "", "", 0 }, /* behind its module */
		{ 0xffffffffc020103f, "first", "beta", 0x3f },
		{ 0xffffffffc0201040, "second", "beta", 0 },
		{ 0xffffffffc0202000, "", "", 0 },
		{ 0xffffffffc0300010, "ftrace_trampoline", "", 0x10 },
		{ 0xffffffffc0302000, "", "", 0 },
		{ 0xffffffffc040007f, "bpf_prog_6deef7357e7b4530_other", "bpf", 0x7f },
		{ 0xffffffffc0400080, "", "", 0 },					 /* behind that program */
		{ 0xffffffffc0400104, "bpf_prog_1111222233334444_on_sample", "bpf", 4 }, /* its end is not known */
		{ 0xffffffffc0410100, "", "", 0 },
	};
	struct answer answers[sizeof(cases) / sizeof(cases[0])] = { 0 };
	struct wanted wanted[sizeof(cases) / sizeof(cases[0])];
	size_t n = sizeof(cases) / sizeof(cases[0]);
	int fd = file_of(kernel_text);

	(void)state;
	for (size_t i = 0; i < n; i++)
		wanted[i] = (struct wanted){ cases[i].address, (uint32_t)i };
	assert_int_equal(kallsyms_symbols(fd, wanted, n, fixture_ranges, take, answers), 0);
	close(fd);
	for (size_t i = 0; i < n; i++) {
		assert_true(answers[i].called);
		assert_string_equal(answers[i].name, cases[i].name);
		assert_string_equal(answers[i].module, cases[i].module);
		assert_int_equal(answers[i].offset, cases[i].offset);
		assert_int_equal(answers[i].why, *cases[i].name ? WHY_NAMED : WHY_NO_SYMBOL);
	}
}

static void restricted(void **state)
{
	static const char text[] = "0000000000000000 T _stext\n0000000000000000 T schedule\n"
				   "0000000000000000 t ext4_init\t[ext4]\n";
	struct wanted wanted = { 0xffffffff81000100, 0 };
	struct answer answer = { 0 };
	int fd = file_of(text);

	(void)state;
	assert_int_equal(kallsyms_symbols(fd, &wanted, 1, NULL, take, &answer), 0);
	close(fd);
	assert_int_equal(answer.why, WHY_KPTR_RESTRICT);
	assert_string_equal(answer.name, "");
}

/* Whatever stands there costs a name at most. */
static void damaged(void **state)
{
	static const char *const texts[] = {
		"",
		"\n\n",
		"ffffffff81000000",
		"ffffffff81000000 T",
		"ffffffff81000000 T ",
		"ffffffff81000000 T \n",
		"zz T x\n",
		"ffffffff810000001 T toolong\n",
		"ffffffff81000000  T x\n",
		" T x\n",
		"\t[m]\n",
	};
	struct wanted wanted = { 0xffffffff81000100, 0 };
	char *endless = malloc(1 << 20);

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct answer answer = { 0 };
		int fd = file_of(texts[i]);

		assert_int_equal(kallsyms_symbols(fd, &wanted, 1, NULL, take, &answer), 0);
		assert_string_equal(answer.name, "");
		close(fd);
	}
	memset(endless, 'n', 1 << 20);
	memcpy(endless, "ffffffff81000000 T ", 19);
	endless[(1 << 20) - 1] = '\0';
	for (size_t at = 500; at < 1000; at++) { /* names about as long as the buffer for one */
		struct answer answer = { 0 };
		int fd;

		endless[at] = '\n';
		fd = file_of(endless);
		assert_int_equal(kallsyms_symbols(fd, &wanted, 1, NULL, take, &answer), 0);
		assert_int_equal(answer.why, WHY_NAMED);
		assert_int_equal(strncmp(answer.name, "nnnn", 4), 0);
		endless[at] = 'n';
		close(fd);
	}
	free(endless);
}

#define SYMBOLS 5000
#define WANTED	700

struct symbol {
	uint64_t address;
	char type;
};

static int compare_wanted(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/* Against the definition itself: the text symbol with the highest address not above. */
static void any_order(void **state)
{
	static struct symbol symbols[SYMBOLS];
	static struct wanted wanted[WANTED];
	static struct answer answers[WANTED];
	char *text = NULL;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);
	int fd;

	(void)state;
	srand(1);
	for (int i = 0; i < SYMBOLS; i++) {
		/* Half of them ascending, then none in order. */
		uint64_t where = i < SYMBOLS / 2 ? (uint64_t)i * 100 : 250000 + (uint64_t)rand() % 250000;

		symbols[i] = (struct symbol){ 0xffffffff81000000 + where, "TtWwdR"[rand() % 6] };
		fprintf(f, "%016llx %c s%d%s\n", (unsigned long long)symbols[i].address, symbols[i].type, i,
			i < SYMBOLS / 2 ? "" : "\t[m]");
	}
	fclose(f);
	for (uint32_t i = 0; i < WANTED; i++)
		wanted[i].address = 0xffffffff81000000 + (uint64_t)rand() % 510000;
	qsort(wanted, WANTED, sizeof(wanted[0]), compare_wanted);
	for (uint32_t i = 0; i < WANTED; i++)
		wanted[i].id = i;
	fd = file_of(text);
	assert_int_equal(kallsyms_symbols(fd, wanted, WANTED, NULL, take, answers), 0);
	close(fd);
	free(text);
	for (int i = 0; i < WANTED; i++) {
		char name[16] = "";
		int best = -1;

		for (int j = 0; j < SYMBOLS; j++)
			if (strchr("TtWw", symbols[j].type) && symbols[j].address <= wanted[i].address &&
			    (best < 0 || symbols[j].address > symbols[best].address))
				best = j;
		if (best >= 0)
			snprintf(name, sizeof(name), "s%d", best);
		assert_string_equal(answers[i].name, name);
		if (best >= 0)
			assert_int_equal(answers[i].offset, wanted[i].address - symbols[best].address);
	}
}

/* When all that is wanted lies in the kernel's own text, which is sorted, the rest is not read. */
static void stops_early(void **state)
{
	struct wanted wanted = { 0xffffffff81000001, 0 };
	struct answer answer = { 0 };
	char *text = NULL;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);
	int fd;

	(void)state;
	fprintf(f, "ffffffff81000000 T _stext\n");
	for (int i = 1; i < 100000; i++)
		fprintf(f, "%016llx T s%d\n", 0xffffffff81000000ull + (unsigned)i * 16, i);
	fclose(f);
	fd = file_of(text);
	assert_int_equal(kallsyms_symbols(fd, &wanted, 1, NULL, take, &answer), 0);
	assert_string_equal(answer.name, "_stext");
	assert_true(lseek(fd, 0, SEEK_CUR) < 100000);
	close(fd);
	free(text);
}

/* Trampolines are listed before BPF programs, and may lie above them. */
static void order_of_parts(void **state)
{
	static const char text[] = "ffffffff81000000 T _stext\n"
				   "ffffffff81000100 T schedule\n"
				   "ffffffff82000000 T _etext\n"
				   "ffffffffc0201000 t ftrace_trampoline\t[__builtin__ftrace]\n"
				   "ffffffffc0025000 t bpf_prog_5736f2a0499462c6_49\t[bpf]\n"
				   "ffffffffc0021000 t bpf_prog_5de8e1e22f4656e9_on_sample\t[bpf]\n";
	struct wanted wanted[] = { { 0xffffffff81000100, 0 }, { 0xffffffffc0021010, 1 }, { 0xffffffffc0025010, 2 } };
	struct answer answers[3] = { 0 };
	int fd = file_of(text);

	(void)state;
	assert_int_equal(kallsyms_symbols(fd, wanted, 3, NULL, take, answers), 0);
	close(fd);
	assert_string_equal(answers[0].name, "schedule");
	assert_string_equal(answers[1].name, "bpf_prog_5de8e1e22f4656e9_on_sample");
	assert_string_equal(answers[2].name, "bpf_prog_5736f2a0499462c6_49");
	assert_string_equal(answers[2].module, "bpf");
}

static int refuse(void *ctx, uint32_t id, const struct found *f)
{
	(void)ctx;
	(void)id;
	(void)f;
	return -ECANCELED;
}

static void passes_on_errors(void **state)
{
	struct wanted wanted = { 0xffffffff81000001, 0 };
	int fd = file_of(kernel_text);

	(void)state;
	assert_int_equal(kallsyms_symbols(fd, &wanted, 1, NULL, refuse, NULL), -ECANCELED);
	close(fd);
	assert_int_equal(kallsyms_symbols(-1, &wanted, 1, NULL, refuse, NULL), -EBADF);
	assert_int_equal(kallsyms_symbols(-1, &wanted, 0, NULL, refuse, NULL), 0);
}

/* The running kernel, one address inside each 500th of its functions, against sscanf and the definition. */
static void this_kernel(void **state)
{
	static struct answer answers[4096];
	static struct wanted wanted[4096];
	static char names_of[4096][512];
	uint64_t address, last = 0, etext = 0;
	FILE *f = fopen("/proc/kallsyms", "r");
	char line[1024], name[512], type;
	size_t n = 0, lines = 0;
	int fd;

	(void)state;
	assert_non_null(f);
	while (fgets(line, sizeof(line), f) && n < 4096) {
		if (sscanf(line, "%lx %c %511s", &address, &type, name) != 3 || strchr(line, '['))
			continue;
		if (!strcmp(name, "_etext"))
			etext = address;
		if (etext || !strchr("tT", type) || address <= last)
			continue;
		last = address;
		if (lines++ % 500)
			continue;
		strcpy(names_of[n], name);
		wanted[n] = (struct wanted){ address, (uint32_t)n };
		n++;
	}
	fclose(f);
	if (geteuid() || n < 10)
		skip(); /* addresses are not shown */
	fd = open("/proc/kallsyms", O_RDONLY);
	assert_int_equal(kallsyms_symbols(fd, wanted, n, NULL, take, answers), 0);
	close(fd);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(answers[i].offset, 0);
		assert_string_equal(answers[i].name, names_of[i]);
	}
}

/* Leaf first. What may be taken away is told by the last column. */
static void own_frames_at_leaf(void **state)
{
	static const struct {
		const char *frames[8];
		unsigned own;
	} cases[] = {
		{ { "schedule", "do_syscall_64" }, 0 },
		{ { "bpf:bpf_prog_1111222233334444_on_sample", "bpf_overflow_handler", "__perf_event_overflow",
		    "perf_swevent_event", "___perf_sw_event", "__schedule", "schedule" },
		  5 },
		{ { "bpf:bpf_prog_1111222233334444_filter_exec", "bpf_trace_run3", "__bpf_trace_sched_process_exec",
		    "__traceiter_sched_process_exec", "bprm_execve" },
		  4 },
		{ { "bpf_get_stack_pe", "bpf:bpf_prog_1111222233334444_on_sample", "perf_swevent_overflow.isra.0",
		    "handle_mm_fault" },
		  3 },
		/* Programs of others, and the kernel's work for them, are what the machine was at. */
		{ { "bpf:bpf_prog_1111222233334444_other", "bpf_trace_run2", "__schedule" }, 0 },
		{ { "bpf_trace_run2", "__traceiter_sched_switch", "__schedule" }, 0 },
		{ { "perf_trace_sched_switch", "__schedule" }, 0 },
		{ { "bpf:bpf_prog_1111222233334444_on_sample_of_others", "bpf_trace_run2" }, 0 },
		{ { "bpf_prog_1111222233334444_on_sample", "bpf_trace_run2" }, 0 }, /* a kernel function of that name */
		{ { "bpf:bpf_prog_xyz_on_sample", "bpf_trace_run2" }, 0 },
		{ { "schedule", "bpf:bpf_prog_1111222233334444_on_sample" }, 0 },
		{ { "bpf:bpf_prog_1111222233334444_on_sample", "__perf_event_overflow",
		    "bpf:bpf_prog_1111222233334444_other", "bpf_trace_run2" },
		  2 },
		{ { "bpf:bpf_prog_1111222233334444_on_sample" }, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct recording *r = recording_new();
		struct rec_mapping kernel = { .name = recording_string(r, "[kernel]"), .kind = MAPPING_KERNEL };
		struct rec_mapping bpf = { .name = recording_string(r, "[bpf]"), .kind = MAPPING_BPF };
		uint32_t frames[8];
		unsigned n = 0;
		int stack;

		for (; n < 8 && cases[i].frames[n]; n++) {
			const char *name = cases[i].frames[n];
			bool is_bpf = !strncmp(name, "bpf:", 4);
			int mapping = recording_mapping(r, is_bpf ? &bpf : &kernel);

			frames[n] = (uint32_t)recording_location(r, mapping, 1000 + n, WHY_UNRESOLVED);
			recording_name(r, (int)frames[n], recording_string(r, is_bpf ? name + 4 : name), 0, WHY_NAMED);
		}
		stack = recording_stack(r, frames, n, 0);
		assert_int_equal(own_frames(r, &r->stacks[stack]), cases[i].own);
		recording_free(r);
	}
}

/* Where the kernel begins: the line, no line, and lines that show no addresses. */
static void start_of_text(void **state)
{
	static const struct {
		const char *text;
		int err;
		uint64_t stext;
	} cases[] = {
		{ kernel_text, 0, 0xffffffff81000000 },
		{ "ffff800080010000 T _stext\nffff800080010000 T a\n", 0, 0xffff800080010000 },
		{ "0000000000000000 A a\n0000000000000000 T _stext\n", 0, 0 },
		{ "0000000000000000 A a\n0000000000000000 T b\n", 0, 0 },
		{ "ffffffff81000000 T x_stext\nffffffff81000000 T _stextx\n", -ENOENT, 0 },
		{ "", -ENOENT, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t stext = 1;
		int fd = file_of(cases[i].text);

		assert_int_equal(kallsyms_stext(fd, &stext), cases[i].err);
		assert_int_equal(stext, cases[i].stext);
		close(fd);
	}
}

static int take_name(void *ctx, uint32_t id, const struct found *f)
{
	(void)id;
	snprintf(ctx, 64, "%s", f->name ? f->name : "");
	return 0;
}

/* Modules of ARM machines show the assembler's marks among their symbols. */
static void no_labels(void **state)
{
	struct wanted w = { 0xffff800000001010, 0 };
	int fd = file_of("ffff800000001000 t $x\t[m]\nffff800000001000 t f\t[m]\nffff800000001008 t $d\t[m]\n");
	char name[64];

	(void)state;
	assert_int_equal(kallsyms_symbols(fd, &w, 1, NULL, take_name, name), 0);
	assert_string_equal(name, "f");
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(restricted),
		cmocka_unit_test(damaged),
		cmocka_unit_test(any_order),
		cmocka_unit_test(stops_early),
		cmocka_unit_test(order_of_parts),
		cmocka_unit_test(passes_on_errors),
		cmocka_unit_test(this_kernel),
		cmocka_unit_test(own_frames_at_leaf),
		cmocka_unit_test(start_of_text),
		cmocka_unit_test(no_labels),
	};

	return cmocka_run_group_tests_name("kallsyms", tests, NULL, NULL);
}
