/* SPDX-License-Identifier: GPL-2.0-only */
#include "db/saver.h"

#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/intern.h"
#include "core/write_all.h"
#include "db/meta.h"
#include "db/row.h"

/*
 * Small pages keep short recordings short: each table has one at least. A reader's lock is waited
 * for; it is short, unless somebody sits on it.
 */
#define PAGE_BYTES     1024
#define LOCK_WAIT_MS   10000
#define NUMBER(n)      NUMBER_TEXT(n)
#define NUMBER_TEXT(n) #n
#define DB_BYTES_TEXT  32

/*
 * A file that reaches RLIMIT_FSIZE costs a signal that would end the run: it is kept off while SQLite
 * writes, and what came is taken back.
 */
static void hold_signal(sigset_t *before)
{
	sigset_t one;

	sigemptyset(&one);
	sigaddset(&one, SIGXFSZ);
	sigprocmask(SIG_BLOCK, &one, before);
}

static void release_signal(const sigset_t *before)
{
	const struct timespec now = { 0 };
	sigset_t one;

	sigemptyset(&one);
	sigaddset(&one, SIGXFSZ);
	if (!sigismember(before, SIGXFSZ))
		while (sigtimedwait(&one, NULL, &now) > 0)
			;
	sigprocmask(SIG_SETMASK, before, NULL);
}

/* SQLite often forgets why a write failed: errno still has it, unless what it did afterwards failed, too. */
static int write_errno(const struct saver *s)
{
	int seen = errno, known = sqlite3_system_errno(s->db);

	if (known > 0)
		return -known;
	return seen == EFBIG || seen == EDQUOT || seen == ENOSPC || seen == EROFS || seen == ENODEV ? -seen : -EIO;
}

static int errno_of(const struct saver *s, int rc)
{
	switch (rc & 0xff) {
	case SQLITE_NOMEM:
		return -ENOMEM;
	case SQLITE_FULL:
		return -ENOSPC;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return -EBUSY;
	case SQLITE_READONLY:
		return -EROFS;
	case SQLITE_IOERR:
	case SQLITE_CANTOPEN:
		return write_errno(s);
	default:
		return -EIO;
	}
}

static const char *reason(const struct saver *s, int rc, int err)
{
	if (rc == SQLITE_READONLY_DBMOVED)
		return "it was removed or replaced";
	if (err == -EBUSY)
		return "another program keeps it locked";
	if (err == -EIO)
		return sqlite3_errmsg(s->db);
	return strerror(-err);
}

static char *bytes_text(char buf[DB_BYTES_TEXT], uint64_t bytes)
{
	if (bytes < 1 << 20)
		snprintf(buf, DB_BYTES_TEXT, "%.1f KiB", (double)bytes / (1 << 10));
	else
		snprintf(buf, DB_BYTES_TEXT, "%.1f MiB", (double)bytes / (1 << 20));
	return buf;
}

static int fail(struct saver *s, int rc)
{
	int err = s->failed ? s->failed : errno_of(s, rc);
	char bytes[DB_BYTES_TEXT];

	if (s->in_memory)
		warnx("cannot keep the recording in memory: %s", reason(s, rc, err));
	else if (s->intervals)
		warnx("cannot write %s: %s (%s of %lld interval%s written; the file is readable)", s->name,
		      reason(s, rc, err), bytes_text(bytes, s->bytes), (long long)s->intervals,
		      s->intervals == 1 ? "" : "s");
	else
		warnx("cannot write %s: %s (nothing was recorded)", s->name, reason(s, rc, err));
	s->failed = err;
	return err;
}

static void note_bytes(struct saver *s)
{
	struct stat st;

	if (!s->in_memory && !fstat(s->place.fd, &st))
		s->bytes = (uint64_t)st.st_size;
}

/* The whole of a transaction. SQLITE_OK; or SQLite's error and s->failed, with the file as it was before. */
static int transact(struct saver *s, int (*put)(struct saver *s, const struct recording *r), const struct recording *r)
{
	sigset_t before;
	int rc;

	hold_signal(&before);
	errno = 0;
	rc = sqlite3_exec(s->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		rc = put(s, r);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL);
	if (rc != SQLITE_OK) {
		rc = sqlite3_extended_errcode(s->db) & 0xff ? sqlite3_extended_errcode(s->db) : rc;
		s->failed = errno_of(s, rc);
		if (!sqlite3_get_autocommit(s->db))
			sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	}
	release_signal(&before);
	return rc;
}

static int prepare(struct saver *s)
{
	int rc = sqlite3_prepare_v3(s->db, "INSERT OR REPLACE INTO meta VALUES(?, ?)", -1, SQLITE_PREPARE_PERSISTENT,
				    &s->insert_meta, NULL);

	for (int t = 0; t < DB_TABLES && rc == SQLITE_OK; t++) {
		char sql[64 + 2 * DB_COLUMNS_MAX];
		int n = snprintf(sql, sizeof(sql), "INSERT INTO %s VALUES(?", db_tables[t].name);

		for (size_t i = 1; i < strlen(db_tables[t].types); i++)
			n += snprintf(sql + n, sizeof(sql) - (size_t)n, ",?");
		snprintf(sql + n, sizeof(sql) - (size_t)n, ")");
		rc = sqlite3_prepare_v3(s->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &s->insert[t], NULL);
	}
	return rc;
}

/* Tables without rows, and a `meta` that says so. `r` is empty. */
static int put_schema(struct saver *s, const struct recording *r)
{
	int rc = sqlite3_exec(s->db, db_create_meta, NULL, NULL, NULL);

	for (int t = 0; t < DB_TABLES && rc == SQLITE_OK; t++)
		rc = sqlite3_exec(s->db, db_tables[t].create, NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(s->db, db_create_samples, NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(
			s->db,
			"PRAGMA application_id=" NUMBER(DB_APPLICATION_ID) ";"
									   "PRAGMA user_version=" NUMBER(DB_VERSION),
			NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		rc = prepare(s);
	return rc == SQLITE_OK ? meta_write(s->insert_meta, r, 0) : rc;
}

static int open_database(struct saver *s)
{
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE;
	int rc = s->in_memory ? sqlite3_open_v2(":memory:", &s->db, flags, NULL)
			      : sqlite3_open_v2(s->place.path, &s->db, flags | SQLITE_OPEN_NOFOLLOW, NULL);

	if (rc != SQLITE_OK)
		return rc;
	sqlite3_busy_timeout(s->db, LOCK_WAIT_MS);
	return sqlite3_exec(s->db,
			    "PRAGMA page_size=" NUMBER(PAGE_BYTES) ";"
								   "PRAGMA journal_mode=DELETE;"
								   "PRAGMA synchronous=FULL;"
								   "PRAGMA temp_store=MEMORY",
			    NULL, NULL, NULL);
}

static int create(struct saver *s)
{
	struct recording *empty = recording_new();
	int rc = empty ? open_database(s) : SQLITE_NOMEM;

	if (rc == SQLITE_OK && !s->in_memory && place_check(&s->place))
		rc = SQLITE_READONLY_DBMOVED;
	if (rc == SQLITE_OK)
		rc = transact(s, put_schema, empty);
	recording_free(empty);
	return rc == SQLITE_OK ? 0 : fail(s, rc);
}

int saver_open(struct saver **out, const char *path)
{
	struct saver *s = calloc(1, sizeof(*s));
	int err = 0;

	*out = NULL;
	if (!s)
		return -ENOMEM;
	s->place.fd = -1;
	s->name = strdup(path);
	s->blob = malloc(SAVER_BLOB_BYTES);
	s->in_memory = !strcmp(path, "-");
	if (!s->name || !s->blob) {
		err = -ENOMEM;
	} else if (s->in_memory && isatty(STDOUT_FILENO)) {
		warnx("-o -: a recording is not for a terminal (send it to a file or a pipe)");
		err = -EINVAL;
	} else if (!s->in_memory) {
		err = place_open(&s->place, path);
	}
	if (!err)
		err = create(s);
	if (err) {
		if (s->place.fd >= 0 && !place_check(&s->place)) /* without tables it is of no use */
			unlink(s->place.path);
		saver_close(s);
		return err;
	}
	note_bytes(s);
	*out = s;
	return 0;
}

int saver_interval(struct saver *s, const struct recording *r)
{
	int rc;

	if (s->failed)
		return s->failed;
	rc = transact(s, saver_put_interval, r);
	if (rc != SQLITE_OK)
		return fail(s, rc);
	s->intervals++;
	note_bytes(s);
	return 0;
}

int saver_finish(struct saver *s)
{
	sqlite3_int64 n = 0;
	uint8_t *image;
	int err;

	if (s->failed || !s->in_memory)
		return s->failed;
	image = sqlite3_serialize(s->db, "main", &n, 0);
	if (!image) {
		warnx("cannot write the recording to stdout: %s", strerror(ENOMEM));
		return -ENOMEM;
	}
	err = write_all(STDOUT_FILENO, image, (size_t)n);
	if (err)
		warnx("cannot write the recording to stdout: %s", strerror(-err));
	else
		s->bytes = (uint64_t)n;
	sqlite3_free(image);
	return err;
}

uint64_t saver_bytes(const struct saver *s)
{
	return s->bytes;
}

void saver_close(struct saver *s)
{
	if (!s)
		return;
	sqlite3_finalize(s->insert_meta);
	for (int t = 0; t < DB_TABLES; t++)
		sqlite3_finalize(s->insert[t]);
	sqlite3_close(s->db);
	place_close(&s->place);
	free(s->string_ids);
	free(s->samples);
	free(s->labels);
	intern_free(&s->label_ids);
	saver_free_latency(s);
	saver_free_irq(s);
	free(s->blob);
	free(s->name);
	free(s);
}
