/* SPDX-License-Identifier: GPL-2.0-only */
#include "db/source.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "db/format.h"
#include "db/row.h"
#include "db/schema.h"

#define STDIN_BYTES_MAX	 (4ull << 30)
#define LOCK_WAIT_MS	 5000
#define SQLITE_BYTES_MAX (64 << 20) /* its memory, whatever is in the file */
#define VALUE_BYTES_MAX	 (1 << 20)  /* the largest stack has 2 x 65535 frames of 5 bytes */
#define COMPRESSION_MAX	 64	    /* a file may fill that much less of the disk than it has bytes */
#define DATA_BYTES_FLOOR (1 << 20)

/* A file of somebody's, and what is known of it before SQLite sees it. */
struct candidate {
	int fd;
	const char *name;
	char path[PATH_MAX]; /* no symbolic link in it */
	struct stat st;
	uint8_t header[FORMAT_HEADER_BYTES];
};

static int refuse(const char *name, const char *what)
{
	warnx("%s %s", name, what);
	return -EBADMSG;
}

static int check_version(const char *name, const uint8_t *header)
{
	uint32_t version = format_be32(header + FORMAT_USER_VERSION);

	if (version > DB_VERSION) {
		warnx("%s was made by a newer version of kbpfprof (format %u, this one reads %d)", name, version,
		      DB_VERSION);
		return -EBADMSG;
	}
	if (!version)
		return refuse(name, "is a recording of no version (made half, or damaged)");
	/* SQLite would make files beside one in this mode. */
	if (header[FORMAT_WRITE_VERSION] != 1 || header[FORMAT_READ_VERSION] != 1)
		return refuse(name, "has a write-ahead log, or is damaged (sqlite3 FILE 'PRAGMA journal_mode=delete')");
	return 0;
}

static int check_header(struct candidate *c)
{
	ssize_t n = pread(c->fd, c->header, sizeof(c->header), 0);

	if (n < 0) {
		int err = -errno;

		warn("cannot read %s", c->name);
		return err;
	}
	if (!n)
		return refuse(c->name, "is empty: no kbpfprof recording");
	if (!format_is_sqlite(c->header, (size_t)n))
		return refuse(c->name, "is no kbpfprof recording");
	if (!format_is_recording(c->header, (size_t)n))
		return refuse(c->name, "is an SQLite database, but no kbpfprof recording");
	if (!format_page_bytes(c->header))
		return refuse(c->name, "is a damaged recording (page size)");
	return check_version(c->name, c->header);
}

static int check_regular(const struct candidate *c)
{
	if (S_ISREG(c->st.st_mode))
		return 0;
	return refuse(c->name, S_ISDIR(c->st.st_mode) ? "is a folder, no kbpfprof recording"
						      : "is no regular file, so no recording ('-' reads stdin)");
}

/* stat() first: to open a device may do something. */
static int open_candidate(struct candidate *c)
{
	int err = 0;

	if (!realpath(c->name, c->path) || stat(c->path, &c->st)) {
		err = -errno;
		warn("cannot open %s", c->name);
		return err;
	}
	err = check_regular(c);
	if (err)
		return err;
	c->fd = open(c->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (c->fd < 0 || fstat(c->fd, &c->st)) {
		err = -errno;
		warn("cannot open %s", c->name);
		return err;
	}
	err = check_regular(c);
	return err ? err : check_header(c);
}

static void note_size(struct source *s, const struct stat *st)
{
	uint64_t on_disk = (uint64_t)st->st_blocks * 512;

	s->file_bytes = s->data_bytes = (uint64_t)st->st_size;
	if (s->data_bytes > on_disk * COMPRESSION_MAX + DATA_BYTES_FLOOR)
		s->data_bytes = on_disk * COMPRESSION_MAX + DATA_BYTES_FLOOR;
}

/* --- the database --- */

static void set_limits(sqlite3 *db)
{
	static const struct {
		int id, value;
	} limits[] = {
		{ SQLITE_LIMIT_LENGTH, VALUE_BYTES_MAX },    { SQLITE_LIMIT_SQL_LENGTH, 64 * 1024 },
		{ SQLITE_LIMIT_COLUMN, 2 * DB_COLUMNS_MAX }, { SQLITE_LIMIT_EXPR_DEPTH, 20 },
		{ SQLITE_LIMIT_COMPOUND_SELECT, 1 },	     { SQLITE_LIMIT_ATTACHED, 0 },
		{ SQLITE_LIMIT_TRIGGER_DEPTH, 1 },	     { SQLITE_LIMIT_WORKER_THREADS, 0 },
	};

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		sqlite3_limit(db, limits[i].id, limits[i].value);
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_busy_timeout(db, LOCK_WAIT_MS);
}

/* Opens and takes the lock. SQLITE_OK or SQLite's error. */
static int connect(struct source *s, const char *path, int flags)
{
	int rc;

	sqlite3_close(s->db);
	rc = sqlite3_open_v2(path, &s->db,
			     flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE, NULL);
	if (rc != SQLITE_OK)
		return rc;
	set_limits(s->db);
	rc = sqlite3_exec(s->db, "BEGIN", NULL, NULL, NULL);
	if (rc == SQLITE_OK) /* a BEGIN takes no lock: this does, and finds a hot journal */
		rc = sqlite3_exec(s->db, "SELECT 1 FROM sqlite_schema LIMIT 1", NULL, NULL, NULL);
	return rc;
}

static int explain(const struct source *s, int rc)
{
	if ((rc & 0xff) == SQLITE_BUSY) {
		warnx("%s is locked by another program that writes to it (try again when that is done)", s->name);
		return -EBUSY;
	}
	if ((rc & 0xff) == SQLITE_NOMEM)
		return -ENOMEM;
	if ((rc & 0xff) == SQLITE_IOERR || (rc & 0xff) == SQLITE_CANTOPEN) {
		int seen = s->db ? sqlite3_system_errno(s->db) : 0;

		warnx("cannot read %s: %s", s->name, seen > 0 ? strerror(seen) : sqlite3_errstr(rc));
		return seen > 0 ? -seen : -EIO;
	}
	warnx("%s is damaged: %s", s->name, s->db ? sqlite3_errmsg(s->db) : sqlite3_errstr(rc));
	return -EBADMSG;
}

/* --- a private copy --- */

/* What lies beside a recording: 1, and a descriptor if that is wanted; 0: nothing does; or -errno after a message. */
static int find_beside(const struct candidate *c, const char *suffix, int *fd)
{
	char path[PATH_MAX + FORMAT_SUFFIX_BYTES];
	struct stat st;
	int err;

	snprintf(path, sizeof(path), "%s%s", c->path, suffix);
	if (lstat(path, &st))
		return 0;
	if (!S_ISREG(st.st_mode)) /* SQLite would open it, and might wait for ever */
		return refuse(path, "is no regular file: what lies beside a recording is a part of it (remove it)");
	if (!fd)
		return 1;
	*fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
	if (*fd >= 0)
		return 1;
	err = -errno;
	warn("cannot open %s, without which the recording is not whole", path);
	return err;
}

static int copy_journal(struct source *s, const struct candidate *c)
{
	int fd, err = find_beside(c, "-journal", &fd);

	if (err <= 0)
		return err;
	err = scratch_copy(&s->scratch, SCRATCH_JOURNAL, fd, UINT64_MAX, c->name);
	close(fd);
	return err;
}

static uint32_t pages_missing_at(const struct candidate *c)
{
	uint32_t page_bytes = format_page_bytes(c->header);
	uint64_t pages = page_bytes ? (uint64_t)c->st.st_size / page_bytes : 0;

	return pages < format_be32(c->header + FORMAT_PAGES) ? (uint32_t)pages : 0;
}

/*
 * SQLite refuses a database that has lost its end as a whole: told that this is all, it reads what is there.
 */
static int mend_end(struct source *s, const struct candidate *c, int rc)
{
	uint32_t pages = pages_missing_at(c);
	char path[PATH_MAX];

	if ((rc & 0xff) != SQLITE_CORRUPT || !pages)
		return rc;
	warnx("%s has lost its end: %u of %u pages are there", s->name, pages, format_be32(c->header + FORMAT_PAGES));
	if (scratch_set_pages(&s->scratch, SCRATCH_DB, pages, s->name))
		return rc;
	scratch_path(&s->scratch, SCRATCH_DB, path);
	return connect(s, path, SQLITE_OPEN_READWRITE);
}

/* Once SQLite has the copy open it needs no name any more. */
static int open_copy(struct source *s, const struct candidate *c)
{
	char path[PATH_MAX];
	int rc;

	scratch_path(&s->scratch, SCRATCH_DB, path);
	rc = mend_end(s, c, connect(s, path, SQLITE_OPEN_READWRITE));
	scratch_remove(&s->scratch);
	return rc == SQLITE_OK ? 0 : explain(s, rc);
}

static int copy_and_open(struct source *s, const struct candidate *c, bool with_journal)
{
	int err = scratch_make(&s->scratch);

	if (!err && lseek(c->fd, 0, SEEK_SET))
		err = -errno;
	if (!err)
		err = scratch_copy(&s->scratch, SCRATCH_DB, c->fd, UINT64_MAX, c->name);
	if (!err && with_journal)
		err = copy_journal(s, c);
	return err ? err : open_copy(s, c);
}

static int open_stdin(struct source *s, struct candidate *c)
{
	int err = scratch_make(&s->scratch);

	if (!err)
		err = scratch_copy(&s->scratch, SCRATCH_DB, STDIN_FILENO, STDIN_BYTES_MAX, c->name);
	if (err)
		return err;
	scratch_path(&s->scratch, SCRATCH_DB, c->path);
	c->fd = open(c->path, O_RDONLY | O_CLOEXEC);
	if (c->fd < 0 || fstat(c->fd, &c->st))
		return -errno;
	note_size(s, &c->st);
	err = check_header(c);
	return err ? err : open_copy(s, c);
}

/*
 * Where it lies, unless something has to be written first: a journal to be rolled back, which only
 * SQLite can tell (its writer may be alive), or an end to be mended. A log in another mode's manner
 * is none of ours: it is left out.
 */
static int open_file(struct source *s, struct candidate *c)
{
	int err = open_candidate(c), journal, log, rc;

	if (err)
		return err;
	note_size(s, &c->st);
	journal = find_beside(c, "-journal", NULL);
	log = journal < 0 ? journal : find_beside(c, "-wal", NULL);
	if (log < 0)
		return log;
	if (log)
		return copy_and_open(s, c, journal);
	rc = connect(s, c->path, SQLITE_OPEN_READONLY);
	if (rc == SQLITE_OK)
		return 0;
	if ((rc & 0xff) == SQLITE_READONLY || (rc & 0xff) == SQLITE_CANTOPEN ||
	    ((rc & 0xff) == SQLITE_CORRUPT && pages_missing_at(c)))
		return copy_and_open(s, c, journal);
	return explain(s, rc);
}

/* --- its tables --- */

static bool is_made(sqlite3_stmt *q, const char *type, const char *name, const char *create)
{
	struct db_value row[3];

	return row_read(q, 0, "ttt", row) && !strcmp(row[0].bytes, type) && !strcmp(row[1].bytes, name) &&
	       !strcmp(row[2].bytes, create);
}

/* Is row n of the schema what we make there, meta, tables and a view? */
static bool is_schema_row(sqlite3_stmt *q, unsigned n, unsigned tables)
{
	if (!n)
		return is_made(q, "table", "meta", db_create_meta);
	if (n <= tables)
		return is_made(q, "table", db_tables[n - 1].name, db_tables[n - 1].create);
	return n == tables + 1 && is_made(q, "view", "samples", db_create_samples);
}

/* All tables and the view are there as we make them, and nothing else. The view is never read. */
static int check_schema(const struct source *s)
{
	sqlite3_stmt *q = NULL;
	int rc = sqlite3_prepare_v2(s->db, "SELECT type, name, sql FROM sqlite_schema ORDER BY rowid", -1, &q, NULL);
	unsigned n = 0, tables = db_tables_of(s->version);
	bool same = true;

	while (rc == SQLITE_OK || rc == SQLITE_ROW) {
		rc = sqlite3_step(q);
		if (rc == SQLITE_ROW)
			same = is_schema_row(q, n++, tables);
		if (!same)
			break;
	}
	sqlite3_finalize(q);
	if (same && n == tables + 2 && rc == SQLITE_DONE)
		return 0;
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		return explain(s, rc);
	return refuse(s->name, "has other tables than a recording of this version (added to, or damaged)");
}

int source_open(struct source *s, const char *path)
{
	struct candidate c = { .fd = -1, .name = path };
	int err;

	*s = (struct source){ .name = path, .fd = -1 };
	s->old_heap_limit = sqlite3_hard_heap_limit64(SQLITE_BYTES_MAX);
	if (!strcmp(path, "-")) {
		s->name = c.name = "stdin";
		err = open_stdin(s, &c);
	} else {
		err = open_file(s, &c);
	}
	s->version = format_be32(c.header + FORMAT_USER_VERSION);
	if (!err)
		err = check_schema(s);
	/* SQLite's locks are the process's: they go with any descriptor of the file, so this one goes first, or last.
	 */
	if (c.fd >= 0)
		close(c.fd);
	return err;
}

void source_close(struct source *s)
{
	sqlite3_close(s->db);
	s->db = NULL;
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	scratch_remove(&s->scratch);
	sqlite3_hard_heap_limit64(s->old_heap_limit);
}
