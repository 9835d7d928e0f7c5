/* SPDX-License-Identifier: GPL-2.0-only */
/* Recordings and the file system: killed writers, full disks, what is in the way, what is no recording. */
#include <grp.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "db/format.h"
#include "db_build.h"

static void put_file(const char *path, const void *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), n);
	close(fd);
}

static size_t get_file(const char *path, char *bytes, size_t n)
{
	int fd = open(path, O_RDONLY);
	ssize_t got;

	assert_true(fd >= 0);
	got = read(fd, bytes, n);
	close(fd);
	assert_true(got >= 0);
	return (size_t)got;
}

static int exists(const char *path)
{
	return !access(path, F_OK);
}

static void check_holds(const char *path, unsigned intervals)
{
	struct recording *want = db_some((1u << intervals) - 1);
	struct loaded l;

	assert_int_equal(recording_load(path, NULL, &l), 0);
	assert_int_equal(l.n_intervals, intervals);
	assert_int_equal(l.n_damaged, 0);
	assert_same(l.r, want);
	recording_free(want);
	loaded_free(&l);
}

/* --- killed while writing --- */

/*
 * A recording of two intervals and, of a third, what a writer leaves that is killed: pages in the
 * file, a journal beside it. SQLite writes pages before the commit once its cache is full.
 */
static void make_hot(const char *path)
{
	int status, tgid;

	db_save(path, 2);
	tgid = fork();
	if (!tgid) {
		sqlite3 *db;

		sqlite3_open(path, &db);
		sqlite3_exec(db,
			     "PRAGMA cache_size = 2; PRAGMA cache_spill = 1; BEGIN IMMEDIATE;"
			     "UPDATE samples SET fires = fires + 1; UPDATE strings SET text = text || 'x';"
			     "WITH n(i) AS (VALUES(100) UNION ALL SELECT i + 1 FROM n WHERE i < 1000) "
			     "INSERT INTO strings SELECT i, 3, 'some name ' || i FROM n",
			     NULL, NULL, NULL);
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(tgid, &status, 0), tgid);
	assert_true(WIFSIGNALED(status));
}

/* Rolled back on a copy: what lies there stays as it was. */
static void hot_journal(void **state)
{
	static char db[200000], journal[200000], again[200000];
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

/* --- where it goes --- */

static int save_quiet(const char *path, struct heard *h)
{
	struct saver *s;
	int err;

	hear(h);
	err = saver_open(&s, path);
	heard(h);
	if (err)
		assert_null(s);
	saver_close(s);
	return err;
}

static void in_the_way(void **state)
{
	char path[128], target[128], beside[160], bytes[64];
	struct heard h;
	struct stat st;

	(void)state;
	strcpy(path, in_folder("r"));
	strcpy(target, in_folder("target"));
	snprintf(beside, sizeof(beside), "%s-journal", path);

	put_file(path, "notes", 5);
	assert_int_equal(save_quiet(path, &h), -EEXIST);
	says(h.text, "exists and is no recording: left as it is (remove it");
	assert_int_equal(get_file(path, bytes, sizeof(bytes)), 5);
	unlink(path);

	put_file(target, "notes", 5);
	assert_int_equal(symlink(target, path), 0);
	assert_int_equal(save_quiet(path, &h), -ELOOP);
	says(h.text, "symbolic link");
	assert_int_equal(get_file(target, bytes, sizeof(bytes)), 5);
	unlink(target);
	assert_int_equal(save_quiet(path, &h), -ELOOP); /* to nowhere */
	assert_false(exists(target));
	unlink(path);

	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(save_quiet(path, &h), -EEXIST);
	says(h.text, "no regular file");
	unlink(path);
	assert_true(save_quiet("/dev/null", &h) < 0);
	assert_int_equal(stat("/dev/null", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	assert_true(save_quiet(db_folder, &h) < 0);
	assert_int_equal(save_quiet(in_folder("none/r"), &h), -ENOENT);
	assert_int_equal(save_quiet(in_folder(""), &h), -EISDIR);

	put_file(beside, "notes of mine", 13);
	assert_int_equal(save_quiet(path, &h), -EEXIST);
	says(h.text, "r-journal is in the way");
	assert_true(exists(beside));
	assert_false(exists(path));
	unlink(beside);
}

/* An empty file, an older recording, one with a journal: replaced, by a new file of mode 0600. */
static void replaced(void **state)
{
	char path[128], beside[160], other[128];
	struct stat st, kept;

	(void)state;
	strcpy(path, in_folder("r"));
	strcpy(other, in_folder("other name"));
	snprintf(beside, sizeof(beside), "%s-journal", path);
	put_file(path, "", 0);
	db_save(path, 1);
	check_holds(path, 1);
	assert_int_equal(link(path, other), 0);
	assert_int_equal(stat(other, &kept), 0);
	db_save(path, 2);
	check_holds(path, 2);
	check_holds(other, 1); /* not written into */
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_not_equal(st.st_ino, kept.st_ino);
	unlink(other);
	make_hot(path);
	db_save(path, 3);
	assert_false(exists(beside));
	check_holds(path, 3);
	unlink(path);
}

static void two_writers(void **state)
{
	struct recording *r = db_new();
	struct saver *s;
	struct heard h;

	(void)state;
	assert_int_equal(saver_open(&s, in_folder("r")), 0);
	db_grow(r, 0);
	assert_int_equal(saver_interval(s, r), 0);
	assert_int_equal(save_quiet(in_folder("r"), &h), -EBUSY);
	says(h.text, "is being written by another run");
	db_grow(r, 1);
	assert_int_equal(saver_interval(s, r), 0);
	saver_close(s);
	check_holds(in_folder("r"), 2);

	/* Taken away under its hands: told, and nothing is written where another file may be now. */
	assert_int_equal(saver_open(&s, in_folder("r")), 0);
	unlink(in_folder("r"));
	put_file(in_folder("r"), "notes", 5);
	hear(&h);
	assert_true(saver_interval(s, r) < 0);
	heard(&h);
	says(h.text, "it was removed or replaced");
	saver_close(s);
	unlink(in_folder("r"));
	recording_free(r);
}

static void owner(void **state)
{
	struct stat st;

	(void)state;
	setenv("SUDO_UID", "12345", 1);
	setenv("SUDO_GID", "12346", 1);
	db_save(in_folder("r"), 1);
	assert_int_equal(stat(in_folder("r"), &st), 0);
	assert_int_equal(st.st_uid, geteuid() ? geteuid() : 12345);
	assert_int_equal(st.st_gid, geteuid() ? getegid() : 12346);
	assert_int_equal(st.st_mode & 07777, 0600);
	setenv("SUDO_UID", "12345x", 1);
	db_save(in_folder("r"), 1);
	assert_int_equal(stat(in_folder("r"), &st), 0);
	assert_int_equal(st.st_uid, geteuid());
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	unlink(in_folder("r"));
}

/* --- what is no recording --- */

static void refused(const char *path, int want, const char *said)
{
	struct loaded l;
	struct heard h;
	int err = load_quiet(path, NULL, &l, &h);

	if (err != want)
		fail_msg("%s: %d, %s", path, err, h.text);
	says(h.text, said);
	says(h.text, path);
}

static void foreign(void **state)
{
	static const uint8_t zeros[5000];
	char path[128], image[20000];
	sqlite3 *db;
	size_t n;

	(void)state;
	strcpy(path, in_folder("r"));
	refused(in_folder("none"), -ENOENT, "No such file");
	refused(db_folder, -EBADMSG, "is a folder");
	refused("/dev/zero", -EBADMSG, "is no regular file");
	assert_int_equal(mkfifo(path, 0600), 0);
	refused(path, -EBADMSG, "is no regular file");
	unlink(path);
	put_file(path, "", 0);
	refused(path, -EBADMSG, "is empty");
	put_file(path, zeros, sizeof(zeros));
	refused(path, -EBADMSG, "is no kbpfprof recording");
	put_file(path, "PERFILE2h", 9);
	refused(path, -EBADMSG, "is no kbpfprof recording");
	put_file(path, "SQLite format 3", 16);
	refused(path, -EBADMSG, "is no kbpfprof recording");
	unlink(path);
	sqlite3_open(path, &db);
	sqlite3_exec(db, "CREATE TABLE t(x)", NULL, NULL, NULL);
	sqlite3_close(db);
	refused(path, -EBADMSG, "is an SQLite database, but no kbpfprof recording");
	unlink(path);
	db_save(path, 1);
	n = get_file(path, image, sizeof(image));
	image[FORMAT_USER_VERSION + 3] = 2;
	put_file(path, image, n);
	refused(path, -EBADMSG, "was made by a newer version of kbpfprof (format 2, this one reads 1)");
	unlink(path);
}

/* What lies beside it may be a trap: a FIFO would be waited at for ever, a log would be believed. */
static void beside(void **state)
{
	char path[128], name[160];

	(void)state;
	strcpy(path, in_folder("r"));
	db_save(path, 2);
	snprintf(name, sizeof(name), "%s-journal", path);
	assert_int_equal(mkfifo(name, 0600), 0);
	refused(path, -EBADMSG, "r-journal is no regular file");
	unlink(name);
	put_file(name, "no journal", 10);
	check_holds(path, 2);
	unlink(name);
	snprintf(name, sizeof(name), "%s-wal", path);
	put_file(name, "\x37\x7f\x06\x82", 4);
	check_holds(path, 2);
	unlink(name);
	snprintf(name, sizeof(name), "%s-shm", path);
	assert_false(exists(name));
	unlink(path);
}

/* A file of many holes may name any id; memory follows what is there. */
static void sparse(void **state)
{
	char path[128];

	(void)state;
	strcpy(path, in_folder("r"));
	db_save(path, 2);
	assert_int_equal(truncate(path, 1ll << 40), 0);
	check_holds(path, 2);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hot_journal),	  cmocka_unit_test(killed_saver), cmocka_unit_test(no_right_to_write),
		cmocka_unit_test(while_written),  cmocka_unit_test(locked),	  cmocka_unit_test(file_size_limit),
		cmocka_unit_test(no_room_at_all), cmocka_unit_test(full_disk),	  cmocka_unit_test(in_the_way),
		cmocka_unit_test(replaced),	  cmocka_unit_test(two_writers),  cmocka_unit_test(owner),
		cmocka_unit_test(foreign),	  cmocka_unit_test(beside),	  cmocka_unit_test(sparse),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
