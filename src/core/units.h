/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers as people type and read them. Inside the program everything is ns, bytes and plain counts. */
#ifndef CORE_UNITS_H
#define CORE_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#define UNITS_BYTES 32 /* enough for every text below */

/* "5s", "200us", "1.5 ms", units ns us ms s m h; without unit: seconds, or -EINVAL if !bare_is_seconds. -ERANGE above
 * 2^63 ns. */
int units_parse_duration(const char *text, bool bare_is_seconds, uint64_t *ns);
/* Decimal digits only, no sign, no space. 0, -EINVAL or -ERANGE. */
int units_parse_count(const char *text, uint64_t *count);

/* Each writes to `buf` of UNITS_BYTES and returns it. */
char *units_count(char *buf, uint64_t count);	       /* "59 998": groups of three from 10 000 on */
char *units_bytes(char *buf, uint64_t bytes);	       /* "812 B", "1.2 MiB" */
char *units_duration(char *buf, uint64_t ns);	       /* "187.4 us", "60.0 s": three to five digits */
char *units_pct(char *buf, double part, double whole); /* "40.1 %"; "0.0 %" of nothing; "<0.1 %" never prints as 0 */

#endif
