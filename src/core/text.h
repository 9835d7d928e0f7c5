/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text that others wrote (symbols, commands, paths) as it may stand on a terminal or in a file.
 * A symbol name can hold anything: an escape sequence that rewrites the screen, a newline that
 * forges a row, a mark that turns the reading direction. None of it leaves here unescaped.
 */
#ifndef CORE_TEXT_H
#define CORE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#define TEXT_ESCAPE_BYTES 4 /* a byte becomes at most \xHH */

/* Does the terminal read UTF-8, as the locale says? Otherwise only ASCII may be written. */
bool text_is_utf8(void);

/*
 * Copies `in`, with control characters, invisible and direction marks, invalid UTF-8 and, unless
 * `utf8`, everything beyond ASCII written as \xHH. Cut at a whole character when `bytes` run out.
 * Returns the length.
 */
size_t text_inert(char *out, size_t bytes, const char *in, bool utf8);

/* Of inert text: columns on a terminal. */
unsigned text_columns(const char *s);
/* Of inert text, in place: if wider than `columns`, the middle gives way to "..". */
void text_cut(char *s, unsigned columns);

#endif
