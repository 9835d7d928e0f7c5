/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "unit.h"

#include "core/proc.h"
#include "symbols/maps.h"
#include "symbols/open.h"

/* proc_pid_maps(5) explains these; the last ones are of an arm64 machine and of a 32-bit process. */
static void lines(void **state)
{
	static const struct {
		const char *line;
		struct maps_line m;
		unsigned major, minor;
	} cases[] = {
		{ "55d499f60000-55d499f66000 r-xp 00002000 fe:00 247498                     /usr/bin/head",
		  { 0x55d499f60000, 0x55d499f66000, 0x2000, 0, 247498, true, "/usr/bin/head", 0, false },
		  0xfe,
		  0 },
		{ "7ffd0000-7ffd1000 r--p 00000000 00:00 0 ",
		  { 0x7ffd0000, 0x7ffd1000, 0, 0, 0, false, "", 0, false },
		  0,
		  0 },
		{ "7f00-7f01 rwxs 1ffffffff000 103:0a 18446744073709551615    /a b/c (deleted)",
		  { 0x7f00, 0x7f01, 0x1ffffffff000, 0, UINT64_MAX, true, "/a b/c (deleted)", 0, false },
		  0x103,
		  0xa },
		{ "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]",
		  { 0xffffffffff600000, 0xffffffffff601000, 0, 0, 0, true, "[vsyscall]", 0, false },
		  0,
		  0 },
		{ "08048000-08056000 r-xp 00000000 03:0c 64593   /usr/sbin/gpm",
		  { 0x8048000, 0x8056000, 0, 0, 64593, true, "/usr/sbin/gpm", 0, false },
		  3,
		  0xc },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *line = strdup(cases[i].line);
		struct maps_line m;

		assert_true(maps_parse(line, &m));
		assert_true(m.start == cases[i].m.start && m.end == cases[i].m.end);
		assert_true(m.offset == cases[i].m.offset && m.inode == cases[i].m.inode);
		assert_true(m.dev == makedev(cases[i].major, cases[i].minor));
		assert_int_equal(m.is_executable, cases[i].m.is_executable);
		assert_string_equal(m.path, cases[i].m.path);
		assert_true(!m.mapped_ns && !m.is_past); /* /proc does not tell, and what it tells is now */
		free(line);
	}
}

/* Every prefix of a line that lacks a field, and lines that are none. */
static void damaged_lines(void **state)
{
	static const char whole[] = "55d499f60000-55d499f66000 r-xp 00002000 fe:00 247498 /x";
	static const char *const bad[] = {
		"",
		"-",
		"zz-zz r-xp 0 0:0 0 /x",
		"2000-1000 r-xp 0 0:0 0 /x",
		"1000-1000 r-xp 0 0:0 0 /x",
		"1000-2000 r-x 0 0:0 0 /x",
		"11111111111111111-2 r-xp 0 0:0 0 /x",
		"1000-2000 r-xp 0 0:0 18446744073709551616 /x",
		"1000-2000 r-xp 0 0:0 ff /x",
		"1000-2000 r-xp  0:0 0 /x",
	};
	char line[sizeof(whole)];
	struct maps_line m;

	(void)state;
	for (size_t n = 0; n < strlen(whole) - 2; n++) {
		memcpy(line, whole, n);
		line[n] = '\0';
		assert_false(maps_parse(line, &m));
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		strcpy(line, bad[i]);
		assert_false(maps_parse(line, &m));
	}
}

static int count_line(void *ctx, const struct maps_line *m)
{
	unsigned *count = ctx;

	assert_int_equal(m->start, ++*count * 0x1000u);
	assert_int_equal(strlen(m->path), 1 + *count % 4000);
	return *count == 5000 ? -E2BIG : 0;
}

/* A file longer than the buffer, its lines ending anywhere; what the callback returns ends it. */
static void whole_file(void **state)
{
	static char path[4001];
	int fd = memfd_create("maps", MFD_CLOEXEC);
	FILE *f = fdopen(dup(fd), "w");
	unsigned count = 0;

	(void)state;
	memset(path, 'p', sizeof(path) - 1);
	for (unsigned i = 1; i < 6000; i++)
		fprintf(f, "%x-%x r-xp 00000000 fe:00 1 /%.*s\n", i * 0x1000, (i + 1) * 0x1000, (int)(i % 4000), path);
	fclose(f);
	lseek(fd, 0, SEEK_SET);
	assert_int_equal(maps_read(fd, count_line, &count), -E2BIG);
	assert_int_equal(count, 5000);
	close(fd);
}

/* A line that no kernel writes must not hang or overrun the reader. */
static void endless_line(void **state)
{
	int fd = memfd_create("maps", MFD_CLOEXEC);
	FILE *f = fdopen(dup(fd), "w");
	unsigned count = 0;

	(void)state;
	for (int i = 0; i < 300000; i++)
		fputc('x', f);
	fprintf(f, "\n1000-2000 r-xp 00000000 fe:00 1 /p\n");
	fclose(f);
	lseek(fd, 0, SEEK_SET);
	assert_int_equal(maps_read(fd, count_line, &count), 0);
	assert_int_equal(count, 1);
	close(fd);
}

static int find_text(void *ctx, const struct maps_line *m)
{
	struct maps_line *found = ctx;
	uintptr_t here = (uintptr_t)find_text;

	if (here >= m->start && here < m->end) {
		*found = *m;
		found->path = strdup(m->path);
	}
	return 0;
}

static struct maps_line own_text(void)
{
	struct maps_line m = { 0 };
	int fd = open("/proc/self/maps", O_RDONLY);

	assert_int_equal(maps_read(fd, find_text, &m), 0);
	close(fd);
	assert_true(m.is_executable);
	return m;
}

static void opens_the_mapped_file(void **state)
{
	struct maps_line m = own_text();
	struct stat st, exe;
	enum why why;
	int fd = open_mapped(getpid(), &m, &st, &why);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(stat("/proc/self/exe", &exe), 0);
	assert_true(st.st_ino == exe.st_ino && st.st_dev == exe.st_dev);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
	free((char *)m.path);
}

/* The ways that remain when the process is gone must not take another file for the one that was mapped. */
static void refuses_other_files(void **state)
{
	char dir[] = "/tmp/kbpfprof-maps-XXXXXX", path[64], fifo[64];
	struct maps_line m = { .start = 0x1000, .end = 0x2000, .is_executable = true, .path = path };
	int gone = 0x3fffffff; /* above PID_MAX_LIMIT: no such process */
	struct stat st;
	enum why why;
	int fd;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/file", dir);
	snprintf(fifo, sizeof(fifo), "%s/fifo", dir);
	fd = open(path, O_CREAT | O_RDWR, 0600);
	assert_int_equal(fstat(fd, &st), 0);
	close(fd);

	m.dev = st.st_dev;
	m.inode = st.st_ino;
	fd = open_mapped(gone, &m, &st, &why);
	assert_true(fd >= 0);
	close(fd);

	m.inode++;
	assert_int_equal(open_mapped(gone, &m, &st, &why), -1);
	assert_int_equal(why, WHY_FILE_CHANGED);
	m.path = "/nowhere/at/all";
	assert_int_equal(open_mapped(gone, &m, &st, &why), -1);
	assert_int_equal(why, WHY_FILE_GONE);

	assert_int_equal(mkfifo(fifo, 0600), 0); /* to open it would wait for a writer */
	assert_int_equal(stat(fifo, &st), 0);
	m = (struct maps_line){ .start = 0x1000, .end = 0x2000, .dev = st.st_dev, .inode = st.st_ino, .path = fifo };
	assert_int_equal(open_mapped(gone, &m, &st, &why), -1);
	assert_int_equal(why, WHY_FILE_GONE);
	unlink(fifo);
	unlink(path);
	rmdir(dir);
}

static void start_of_a_process(void **state)
{
	uint64_t own, init;

	(void)state;
	assert_int_equal(proc_start_ticks(getpid(), &own), 0);
	assert_int_equal(proc_start_ticks(1, &init), 0);
	assert_true(init < own);
	assert_int_equal(proc_start_ticks(0x3fffffff, &own), -ENOENT);
	/* nsec_to_clock_t() of the kernel: ticks of 10 ms, cut, not rounded. */
	assert_int_equal(sysconf(_SC_CLK_TCK), 100);
	assert_int_equal(proc_ticks_of_ns(123459999999, 0), 12345);
	assert_int_equal(proc_ticks_of_ns(123459999999, -20000000), 12343);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(damaged_lines),
		cmocka_unit_test(whole_file),
		cmocka_unit_test(endless_line),
		cmocka_unit_test(opens_the_mapped_file),
		cmocka_unit_test(refuses_other_files),
		cmocka_unit_test(start_of_a_process),
	};

	return cmocka_run_group_tests_name("maps", tests, NULL, NULL);
}
