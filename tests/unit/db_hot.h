/* SPDX-License-Identifier: GPL-2.0-only */
/* Files by their bytes, and what a killed writer leaves. Included by one test program each. */
#ifndef DB_HOT_H
#define DB_HOT_H

#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>

#include "db_build.h"

static inline void put_file(const char *path, const void *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), n);
	close(fd);
}

static inline size_t get_file(const char *path, char *bytes, size_t n)
{
	int fd = open(path, O_RDONLY);
	ssize_t got;

	assert_true(fd >= 0);
	got = read(fd, bytes, n);
	close(fd);
	assert_true(got >= 0);
	return (size_t)got;
}

static inline int exists(const char *path)
{
	return !access(path, F_OK);
}

static inline void check_holds(const char *path, unsigned intervals)
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

/*
 * A recording of two intervals and, of a third, what a writer leaves that is killed: pages in the
 * file, a journal beside it. SQLite writes pages before the commit once its cache is full.
 */
static inline void make_hot(const char *path)
{
	int status, tgid;

	db_save(path, 2);
	tgid = fork();
	if (!tgid) {
		sqlite3 *db;

		sqlite3_open(path, &db);
		sqlite3_exec(db,
			     "PRAGMA cache_size = 2; PRAGMA cache_spill = 1; BEGIN IMMEDIATE;"
			     "UPDATE counts SET fires = fires + 1; UPDATE strings SET text = text || 'x';"
			     "WITH n(i) AS (VALUES(100) UNION ALL SELECT i + 1 FROM n WHERE i < 1000) "
			     "INSERT INTO strings SELECT i, 3, 'some name ' || i FROM n",
			     NULL, NULL, NULL);
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(tgid, &status, 0), tgid);
	assert_true(WIFSIGNALED(status));
}

#endif
