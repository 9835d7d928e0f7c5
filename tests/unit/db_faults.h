/* SPDX-License-Identifier: GPL-2.0-only */
/* A file with faults, and what comes of it. Included by one test program each. */
#ifndef DB_FAULTS_H
#define DB_FAULTS_H

#include <sqlite3.h>

#include "db_build.h"

#define INTERVALS 3

/* What each choice of intervals must come to. */
static char *wanted[1 << INTERVALS];

static struct {
	char *bytes;
	size_t n;
} whole; /* the file without a fault */

static inline void read_whole(const char *path)
{
	int fd = open(path, O_RDONLY);
	struct stat st;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	whole.n = (size_t)st.st_size;
	whole.bytes = malloc(whole.n);
	assert_int_equal(read(fd, whole.bytes, whole.n), whole.n);
	close(fd);
}

/* Not emptied first: ext4 would see to it that what follows reaches the disk. */
static inline void write_file(const char *path, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, whole.bytes, n), n);
	assert_int_equal(ftruncate(fd, (off_t)n), 0);
	close(fd);
}

static inline int set_up(void **state)
{
	if (make_folder(state))
		return -1;
	for (unsigned mask = 0; mask < 1 << INTERVALS; mask++) {
		struct recording *r = db_some(mask);

		wanted[mask] = recording_text(r);
		recording_free(r);
	}
	db_save(in_folder("whole"), INTERVALS);
	read_whole(in_folder("whole"));
	unlink(in_folder("whole"));
	return 0;
}

static inline int tear_down(void **state)
{
	for (unsigned mask = 0; mask < 1 << INTERVALS; mask++)
		free(wanted[mask]);
	free(whole.bytes);
	return remove_folder(state);
}

enum outcome {
	SAME,
	DROPPED,
	REFUSED,
	OUTCOMES,
};

/* Fails if what is loaded is not what it should be, or a damaged interval is not told. */
static inline enum outcome outcome_of(const char *path, const char *fault)
{
	struct loaded l;
	struct heard h;
	char *text, name[32];
	unsigned mask = 0;
	enum outcome outcome;
	int err = load_quiet(path, NULL, &l, &h);

	if (err) {
		if (err != -EBADMSG || !strstr(h.text, path))
			fail_msg("%s: error %d, and said:\n%s", fault, err, h.text);
		return REFUSED;
	}
	if (l.n_intervals != INTERVALS)
		fail_msg("%s: %zu intervals", fault, l.n_intervals);
	for (unsigned i = 0; i < INTERVALS; i++) {
		snprintf(name, sizeof(name), "interval %u", i + 1);
		if (!l.intervals[i].damaged)
			mask |= 1u << i;
		else if (!strstr(h.text, name))
			fail_msg("%s: %s is not told:\n%s", fault, name, h.text);
	}
	if (l.n_used != (size_t)__builtin_popcount(mask) || l.n_damaged != INTERVALS - l.n_used)
		fail_msg("%s: %zu used, %zu damaged", fault, l.n_used, l.n_damaged);
	text = recording_text(l.r);
	if (strcmp(text, wanted[mask]) != 0)
		fail_msg("%s: %s\nis not what intervals %x hold:\n%s", fault, text, mask, wanted[mask]);
	free(text);
	outcome = l.n_damaged ? DROPPED : SAME;
	loaded_free(&l);
	return outcome;
}

static inline sqlite3 *open_edited(const char *path)
{
	sqlite3 *db;

	write_file(path, whole.n);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	sqlite3_exec(db, "PRAGMA synchronous = OFF", NULL, NULL, NULL); /* what is lost in a crash is no test */
	return db;
}

#endif
