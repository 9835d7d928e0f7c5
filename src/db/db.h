/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recordings on disk: SQLite databases, described in kbpfprof-recording(5). A saver writes one
 * transaction an interval, so that a run that is killed loses one interval at most. A loader
 * trusts nothing: schema, checksums and every number are checked before they are used.
 */
#ifndef DB_DB_H
#define DB_DB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/recording.h"

#define DB_APPLICATION_ID 0x6b627066 /* "kbpf": PRAGMA application_id */
#define DB_VERSION	  4 /* PRAGMA user_version; 1 had no latencies, 2 no CPUs that were offline, 3 no interrupts */

struct saver;

/*
 * "-" is stdout, which gets a whole image from saver_finish(). A file is made with mode 0600 and,
 * under sudo, given to SUDO_UID; a recording that is there already is replaced, anything else
 * (another file, a symbolic link, a device) refused. *out is NULL on error. 0 or -errno, after a
 * message on stderr.
 */
int saver_open(struct saver **out, const char *path);
/*
 * Commits what came to the recording since the last call as one interval: new strings, mappings,
 * locations and stacks, latencies, and the growth of samples, books and losses. Names must have been resolved.
 * The interval reaches from the last one's end to meta.duration_ns. 0 or -errno, after a message
 * that says how much was written; the file keeps all earlier intervals.
 */
int saver_interval(struct saver *s, const struct recording *r);
/* After the last interval. 0 or -errno after a message. */
int saver_finish(struct saver *s);
uint64_t saver_bytes(const struct saver *s); /* of the file, so far */
void saver_close(struct saver *s);	     /* NULL is fine */

/* In nanoseconds from the start of the recording; an interval is taken if at least half of it lies within. */
struct load_range {
	uint64_t from_ns, to_ns; /* to_ns 0: to the end */
};

struct loaded_interval {
	int64_t id;
	uint64_t start_ns, duration_ns; /* from the start of the recording */
	uint64_t fires;			/* samples kept, delays, or events of interrupts */
	bool damaged;			/* its checksum, or that of something it refers to, is wrong: not used */
};

struct loaded {
	struct recording *r;		   /* sum of the intervals in range that are whole */
	struct loaded_interval *intervals; /* all of the file, in their order */
	size_t n_intervals, n_damaged, n_used;
	uint64_t file_bytes;
};

/*
 * "-" is stdin. range NULL: all. 0; -EBADMSG: it is no recording, or of a newer version, or so
 * damaged that nothing of it can be used; -ENODATA: no interval lies in the range; or -errno, all
 * after a message on stderr. Damaged intervals are told on stderr, too: then n_damaged > 0 and the
 * exit code is EXIT_DAMAGED. In `out` meta.start_unix_ns and meta.duration_ns are those of the
 * intervals used. loaded_free() is due if 0 was returned.
 */
int recording_load(const char *path, const struct load_range *range, struct loaded *out);
void loaded_free(struct loaded *l);

#endif
