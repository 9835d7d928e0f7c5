/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/verifier.h"

#include <err.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>

#include "core/features.h"
#include "core/text.h"

/* The most that kernels before 5.14 take: UINT_MAX >> 8. */
#define LOG_BYTES ((16 << 20) - 1)
/* A line for each function of a program, and its statistics. */
#define STATS_BYTES (16 << 10)
#define LEVEL_STATS 4 /* BPF_LOG_STATS of include/linux/bpf_verifier.h, since 5.2 */

/* libbpf gives its printer no argument to find its own data by, so that this has to stand here, while a load lasts. */
static __thread struct verifier *watching;

/* "libbpf: prog 'NAME': ...", "libbpf: map 'NAME': ..." */
static const char *object_name(const char *message, const char *kind, char *name, size_t bytes)
{
	const char *at = strstr(message, kind), *end;

	if (!at)
		return NULL;
	at += strlen(kind);
	end = strchr(at, '\'');
	if (!end || (size_t)(end - at) >= bytes)
		return NULL;
	memcpy(name, at, (size_t)(end - at));
	name[end - at] = '\0';
	return name;
}

/* Its first word on the object that it failed with is the cause, the others follow from it. */
static void take_message(struct verifier *v, const char *message)
{
	char name[sizeof(v->program)], text[VERIFIER_LINE_BYTES];
	bool is_program = object_name(message, "prog '", name, sizeof(name));

	if (!is_program && !object_name(message, "map '", name, sizeof(name)))
		return;
	if (v->complaint[0] && (!is_program || !strcmp(v->program, name)))
		return;
	snprintf(v->program, sizeof(v->program), "%s", is_program ? name : "");
	snprintf(text, sizeof(text), "%.*s", (int)strcspn(message, "\n"), message);
	text_inert(v->complaint, sizeof(v->complaint), text, false);
}

static int print(enum libbpf_print_level level, const char *format, va_list args)
{
	char message[512];

	if (level == LIBBPF_DEBUG)
		return 0;
	vsnprintf(message, sizeof(message), format, args);
	if (watching && level == LIBBPF_WARN)
		take_message(watching, message);
	if (watching && watching->mode == VERIFIER_TALKS)
		fprintf(stderr, "%.*s\n", (int)strcspn(message, "\n"), message);
	return 0;
}

static size_t count_programs(const struct bpf_object *object)
{
	struct bpf_program *p;
	size_t n = 0;

	bpf_object__for_each_program(p, object) n++;
	return n;
}

/* The part of the memory that a program's log goes to. */
static char *memory_of(const struct verifier *v, const struct bpf_program *program)
{
	char *memory = v->memory;
	struct bpf_program *p;

	bpf_object__for_each_program(p, v->object)
	{
		if (p == program || !v->bytes_each)
			return memory;
		memory += v->bytes_each;
	}
	return NULL;
}

static void give_memory(struct verifier *v)
{
	struct bpf_program *p;

	v->bytes_each = v->mode == VERIFIER_COUNTS ? STATS_BYTES : 0;
	v->bytes = v->bytes_each ? v->bytes_each * count_programs(v->object) : LOG_BYTES;
	v->memory = mmap(NULL, v->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (v->memory == MAP_FAILED) {
		v->memory = NULL;
		return;
	}
	bpf_object__for_each_program(p, v->object)
	{
		bpf_program__set_log_buf(p, memory_of(v, p), v->bytes_each ? v->bytes_each : v->bytes);
		if (v->bytes_each)
			bpf_program__set_log_level(p, LEVEL_STATS);
	}
}

void verifier_watch(struct verifier *v, struct bpf_object *object, enum verifier_mode mode)
{
	*v = (struct verifier){ .object = object, .mode = mode };
	give_memory(v);
	v->print_before = libbpf_set_print(print);
	watching = v;
}

const char *verifier_log(const struct verifier *v)
{
	const struct bpf_program *p = bpf_object__find_program_by_name(v->object, v->program);

	if (!v->memory || (v->bytes_each && !p))
		return "";
	return memory_of(v, p);
}

bool verifier_stats_of(const struct verifier *v, const struct bpf_program *p, struct verifier_stats *stats)
{
	return v->memory && v->bytes_each &&
	       verifier_read_stats(memory_of(v, p), bpf_program__insns(p), bpf_program__insn_cnt(p), stats);
}

void verifier_close(struct verifier *v)
{
	struct bpf_program *p;

	watching = NULL;
	libbpf_set_print(v->print_before);
	if (!v->memory)
		return;
	bpf_object__for_each_program(p, v->object) bpf_program__set_log_buf(p, NULL, 0);
	munmap(v->memory, v->bytes);
	v->memory = NULL;
}

/* Where the last `lines` lines begin; a newline at the very end ends the last of them. */
static const char *last_lines(const char *log, size_t bytes, unsigned lines)
{
	const char *at = log + bytes;

	if (at > log && at[-1] == '\n')
		at--;
	while (at > log) {
		if (at[-1] == '\n' && !--lines)
			break;
		at--;
	}
	return at;
}

size_t verifier_tail(const char *log, unsigned lines, void (*line)(const char *text, void *arg), void *arg)
{
	size_t bytes = strlen(log);
	const char *at = last_lines(log, bytes, lines);
	size_t before = (size_t)(at - log);

	while (*at) {
		size_t n = strcspn(at, "\n");
		char raw[VERIFIER_LINE_BYTES], text[VERIFIER_LINE_BYTES];

		snprintf(raw, sizeof(raw), "%.*s", (int)(n < sizeof(raw) ? n : sizeof(raw)), at);
		for (char *tab = strchr(raw, '\t'); tab; tab = strchr(tab, '\t'))
			*tab = ' ';
		text_inert(text, sizeof(text), raw, false);
		line(text, arg);
		at += n + (at[n] == '\n');
	}
	return before;
}

static void print_line(const char *text, void *arg)
{
	fprintf(arg, "    %s\n", text);
}

void verifier_hook(char hook[VERIFIER_HOOK_BYTES], const struct bpf_program *p)
{
	const char *section = bpf_program__section_name(p);
	bool by_btf = bpf_program__type(p) == BPF_PROG_TYPE_TRACING && !strncmp(section, "raw_tp/", 7);

	snprintf(hook, VERIFIER_HOOK_BYTES, "%s%s", by_btf ? "tp_btf/" : "", by_btf ? section + 7 : section);
}

/* Which program it was, and where: what a report of the fault needs. */
static void tell_program(const struct verifier *v, int err)
{
	const struct bpf_program *p = v->program[0] ? bpf_object__find_program_by_name(v->object, v->program) : NULL;
	char hook[VERIFIER_HOOK_BYTES];
	struct utsname u = { 0 };

	uname(&u);
	if (p)
		verifier_hook(hook, p);
	if (p)
		warnx("program %s (%s): %s on Linux %s %s", v->program, hook, feature_errno_name(err), u.release,
		      u.machine);
	else
		warnx("on Linux %s %s: %s", u.release, u.machine, feature_errno_name(err));
}

static void tell_log(const struct verifier *v)
{
	unsigned lines = v->mode == VERIFIER_TALKS ? VERIFIER_LINES_MORE : VERIFIER_LINES;

	if (verifier_log(v)[0])
		verifier_tail(verifier_log(v), lines, print_line, stderr);
	else if (v->complaint[0])
		print_line(v->complaint, stderr);
}

/* ENOSPC is the answer if the log did not fit, whatever else was wrong. Kernels before 6.4 then keep its beginning. */
static const char *error_text(int err, bool has_log)
{
	return has_log && err == -ENOSPC ? "refused, with more log than there is room for" : strerror(-err);
}

void verifier_tell(const struct verifier *v, int err)
{
	/* With a log it was the verifier that refused, which it does with other numbers than EACCES, too. */
	bool has_log = verifier_log(v)[0], is_policy = !has_log && (err == -EPERM || err == -EACCES);
	char why[256];

	if (!is_policy) {
		tell_program(v, err);
		tell_log(v);
	}
	features_explain_load(has_log ? EACCES : err, why, sizeof(why));
	warnx("cannot load BPF programs: %s (%s%s)", error_text(err, has_log), why,
	      v->mode == VERIFIER_TALKS ? "" : "; -v shows libbpf's log");
}
