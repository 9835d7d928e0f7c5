/* SPDX-License-Identifier: GPL-2.0-only */
/* Writers that are killed, readers that come in between, disks that are full: each interval that was told is there. */
#include <grp.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include "db_hot.h"

/* Rolled back on a copy: what lies there stays as it was. */
static void hot_journal(void **state)
{
	static char db[400000], journal[400000], again[400000];
	char path[128], beside[160];
	size_t db_bytes, journal_bytes;

	(void)state;
	strcpy(path, in_folder("r"));
	snprintf(beside, sizeof(beside), "%s-journal", path);
	make_hot(path);
	db_bytes = get_file(path, db, sizeof(db));
	journal_bytes = get_file(beside, journal, sizeof(journal));
	assert_memory_equal(journal, "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8); /* it is one that counts */
	check_holds(path, 2);
	assert_int_equal(get_file(path, again, sizeof(again)), db_bytes);
	assert_memory_equal(again, db, db_bytes);
	assert_int_equal(get_file(beside, again, sizeof(again)), journal_bytes);
	assert_memory_equal(again, journal, journal_bytes);
	unlink(path);
	unlink(beside);
}

/* Killed at any moment of its life a saver leaves whole intervals, and not fewer than it said. */
static void killed_saver(void **state)
{
	char path[128], beside[160];

	(void)state;
	strcpy(path, in_folder("r"));
	snprintf(beside, sizeof(beside), "%s-journal", path);
	for (int wait_us = 200; wait_us < 60000; wait_us = wait_us * 5 / 4) {
		int pipes[2], tgid, status;
		unsigned said = 0, held = 0;
		struct loaded l = { 0 };
		struct heard h;
		char c;

		assert_int_equal(pipe(pipes), 0);
		tgid = fork();
		if (!tgid) {
			struct recording *r = db_new();
			struct saver *s;

			if (saver_open(&s, path))
				_exit(1);
			for (unsigned i = 0; i < 20; i++) {
				db_grow(r, i);
				if (saver_interval(s, r) || write(pipes[1], "x", 1) != 1)
					_exit(1);
			}
			pause();
		}
		close(pipes[1]);
		usleep((useconds_t)wait_us);
		kill(tgid, SIGKILL);
		waitpid(tgid, &status, 0);
		assert_true(WIFSIGNALED(status));
		while (read(pipes[0], &c, 1) == 1)
			said++;
		close(pipes[0]);
		if (!exists(path))
			continue;
		if (!load_quiet(path, NULL, &l, &h)) {
			struct recording *want;

			held = (unsigned)l.n_intervals;
			want = db_some((1u << held) - 1);
			assert_int_equal(l.n_damaged, 0);
			assert_same(l.r, want);
			recording_free(want);
			loaded_free(&l);
		}
		if (held != said && held != said + 1)
			fail_msg("%u intervals, said were %u: %s", held, said, h.text);
		unlink(path);
		unlink(beside);
	}
}

/* A reader without any right to write: nobody's files in a folder of root's. */
static void no_right_to_write(void **state)
{
	char path[128], beside[160], temporary[128];
	int status, tgid;

	(void)state;
	if (geteuid() != 0)
		skip();
	strcpy(path, in_folder("r"));
	strcpy(temporary, in_folder("tmp"));
	snprintf(beside, sizeof(beside), "%s-journal", path);
	make_hot(path);
	chmod(path, 0644);
	chmod(beside, 0644);
	chmod(db_folder, 0755);
	mkdir(temporary, 0700);
	assert_int_equal(chown(temporary, 65534, 65534), 0);
	tgid = fork();
	if (!tgid) {
		if (setgroups(0, NULL) || setgid(65534) || setuid(65534))
			_exit(1);
		setenv("TMPDIR", temporary, 1);
		check_holds(path, 2);
		_exit(0);
	}
	assert_int_equal(waitpid(tgid, &status, 0), tgid);
	assert_int_equal(status, 0);
	assert_int_equal(rmdir(temporary), 0);
	unlink(path);
	unlink(beside);
}

/* While it is written, what is whole can be read, and the writer goes on. */
static void while_written(void **state)
{
	struct recording *r = db_new();
	struct saver *s;

	(void)state;
	assert_int_equal(saver_open(&s, in_folder("r")), 0);
	for (unsigned i = 0; i < 4; i++) {
		db_grow(r, i);
		assert_int_equal(saver_interval(s, r), 0);
		check_holds(in_folder("r"), i + 1);
	}
	assert_int_equal(saver_finish(s), 0);
	saver_close(s);
	recording_free(r);
	unlink(in_folder("r"));
}

/* A reader that comes at any moment sees whole intervals, neither disturbs the other. */
static void reader_beside_writer(void **state)
{
	unsigned last = 0, loads = 0;
	int tgid, status = 0;
	char path[128];
	volatile char *was_read = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_true(was_read != MAP_FAILED);
	strcpy(path, in_folder("r"));
	db_save(path, 1);
	tgid = fork();
	if (!tgid) {
		db_save(path, 20);				 /* asserts in a child end it, with another status */
		for (int ms = 0; ms < 60000 && !*was_read; ms++) /* on a busy machine its turn may come late */
			usleep(1000);
		_exit(0);
	}
	while (!waitpid(tgid, &status, WNOHANG)) {
		struct recording *want;
		struct loaded l;
		struct heard h;

		if (load_quiet(path, NULL, &l, &h)) /* removed, or not begun */
			continue;
		*was_read = ++loads > 1;
		assert_int_equal(l.n_damaged, 0);
		assert_true(l.n_intervals >= last || l.n_intervals == 1);
		last = (unsigned)l.n_intervals;
		want = db_some((1u << last) - 1);
		assert_same(l.r, want);
		recording_free(want);
		loaded_free(&l);
	}
	assert_int_equal(status, 0);
	assert_true(loads > 1);
	check_holds(path, 20);
	unlink(path);
}

static void locked(void **state)
{
	struct loaded l;
	struct heard h;
	sqlite3 *db;
	int ready[2], tgid, status;
	char c;

	(void)state;
	db_save(in_folder("r"), 1);
	assert_int_equal(pipe(ready), 0);
	tgid = fork(); /* another process, since a process does not see its own locks */
	if (!tgid) {
		sqlite3_open(in_folder("r"), &db);
		sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL);
		if (write(ready[1], "x", 1) == 1)
			pause();
		_exit(1);
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	assert_int_equal(load_quiet(in_folder("r"), NULL, &l, &h), -EBUSY);
	says(h.text, "is locked by another program");
	kill(tgid, SIGKILL);
	waitpid(tgid, &status, 0);
	close(ready[0]);
	close(ready[1]);
	check_holds(in_folder("r"), 1);
	unlink(in_folder("r"));
}

/* --- no room --- */

/* In a process of its own: intervals, each larger than the one before, until one fails. */
static void fill(const char *path, int results)
{
	struct recording *r = db_new();
	unsigned intervals = 0;
	struct saver *s;
	int err = saver_open(&s, path);

	while (!err && intervals < 5000) {
		for (unsigned k = 0; k < 200; k++) {
			uint32_t f = db_location(r, "/bin/more", MAPPING_FILE, "more", 0x10000 + 200 * intervals + k);

			db_add(r, "more", recording_stack(r, &f, 0, 1), 1);
		}
		r->meta.duration_ns += SECOND_NS;
		err = saver_interval(s, r);
		intervals += !err;
	}
	dprintf(results, "%u %d %d", intervals, err, saver_finish(s));
	saver_close(s);
	recording_free(r);
}

/* Fills up; then every interval that was written is there, and the message says how many. */
static void check_full(const char *path, rlim_t limit, int want_err)
{
	int pipes[2], tgid, status, err, finish_err;
	char result[64] = "", text[4096], want[64];
	unsigned intervals;
	struct loaded l;
	size_t n;

	assert_int_equal(pipe(pipes), 0);
	tgid = fork();
	if (!tgid) {
		struct heard h;

		if (limit && setrlimit(RLIMIT_FSIZE, &(struct rlimit){ limit, limit }))
			_exit(1);
		hear(&h);
		fill(path, pipes[1]);
		heard(&h);
		dprintf(pipes[1], "\n%s", h.text);
		_exit(0);
	}
	close(pipes[1]);
	assert_int_equal(waitpid(tgid, &status, 0), tgid);
	assert_int_equal(status, 0);
	n = (size_t)read(pipes[0], text, sizeof(text) - 1);
	close(pipes[0]);
	text[n] = '\0';
	snprintf(result, sizeof(result), "%.*s", (int)strcspn(text, "\n"), text);
	assert_int_equal(sscanf(result, "%u %d %d", &intervals, &err, &finish_err), 3);
	assert_true(intervals > 1);
	assert_int_equal(err, want_err);
	assert_int_equal(finish_err, want_err);
	snprintf(want, sizeof(want), "KiB of %u intervals written; the file is readable)", intervals);
	says(text, want);
	says(text, path);
	assert_int_equal(recording_load(path, NULL, &l), 0);
	assert_int_equal(l.n_intervals, intervals);
	assert_int_equal(l.n_damaged, 0);
	assert_int_equal(l.r->sampling.kept, 200 * intervals);
	loaded_free(&l);
	unlink(path);
}

static void file_size_limit(void **state)
{
	(void)state;
	check_full(in_folder("r"), 256 * 1024, -EFBIG);
}

/* No room even for the tables: no file stays behind. */
static void no_room_at_all(void **state)
{
	int tgid, status;

	(void)state;
	tgid = fork();
	if (!tgid) {
		struct saver *s;
		struct heard h;
		int err;

		hear(&h);
		setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 4096, 4096 });
		err = saver_open(&s, in_folder("r"));
		heard(&h);
		says(h.text, "File too large (nothing was recorded)");
		_exit(err == -EFBIG && !exists(in_folder("r")) ? 0 : 1);
	}
	assert_int_equal(waitpid(tgid, &status, 0), tgid);
	assert_int_equal(status, 0);
}

static void full_disk(void **state)
{
	char disk[128], path[160];

	(void)state;
	strcpy(disk, in_folder("disk"));
	mkdir(disk, 0700);
	if (mount("tmpfs", disk, "tmpfs", 0, "size=256k")) {
		rmdir(disk);
		skip();
	}
	snprintf(path, sizeof(path), "%s/r", disk);
	check_full(path, 0, -ENOSPC);
	umount(disk);
	rmdir(disk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hot_journal),
		cmocka_unit_test(killed_saver),
		cmocka_unit_test(no_right_to_write),
		cmocka_unit_test(while_written),
		cmocka_unit_test(locked),
		cmocka_unit_test(reader_beside_writer),
		cmocka_unit_test(file_size_limit),
		cmocka_unit_test(no_room_at_all),
		cmocka_unit_test(full_disk),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
