/* SPDX-License-Identifier: GPL-2.0-only */
/* The table `meta`: what describes a recording as a whole, a row for each thing, with a checksum over them. */
#ifndef DB_META_H
#define DB_META_H

#include <sqlite3.h>
#include <stdint.h>

#include "core/recording.h"
#include "db/source.h"

/* `insert` takes key and value. SQLITE_OK or SQLite's error. */
int meta_write(sqlite3_stmt *insert, const struct recording *r, int64_t intervals);
/* Of latencies, too: r->latency is made if there are some. 0; -EBADMSG: a row is missing, unknown, of another type or
 * too long, or the checksum is wrong; or -ENOMEM. */
int meta_read(const struct source *s, struct recording *r, int64_t *intervals);

#endif
