/* SPDX-License-Identifier: GPL-2.0-only */
/* Recordings and the file system: what is in the way, whose the file is, what is no recording. */
#include "db/format.h"
#include "db_hot.h"

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
	char path[128], image[60000];
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
	image[FORMAT_USER_VERSION + 3] = 5;
	put_file(path, image, n);
	refused(path, -EBADMSG, "was made by a newer version of kbpfprof (format 5, this one reads 4)");
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
		cmocka_unit_test(in_the_way), cmocka_unit_test(replaced), cmocka_unit_test(two_writers),
		cmocka_unit_test(owner),      cmocka_unit_test(foreign),  cmocka_unit_test(beside),
		cmocka_unit_test(sparse),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
