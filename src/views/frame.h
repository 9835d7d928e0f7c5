/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a location is written, the same in every view: the function; or what is known of a frame
 * without a name, and why there is no more:
 *   hot_loop   libfoo.so+0x1234 [stripped]   [anon] 0x7f2a00001000 [no file]   [stack failed]
 */
#ifndef VIEWS_FRAME_H
#define VIEWS_FRAME_H

#include "core/recording.h"
#include "core/text.h"

/* Room for the longest string of a recording, all of it escaped, and what is added. */
#define FRAME_BYTES (4096 * TEXT_ESCAPE_BYTES + 512)

#define FRAME_NO_STACK (-1) /* instead of a location: the sample has no frame at all */

enum frame_flags {
	FRAME_KERNEL = 1 << 0,	   /* on the kernel's side of its stack */
	FRAME_FOLDED = 1 << 1,	   /* UTF-8 in any locale, no ';', kernel frames end in "_[k]" */
	FRAME_NO_ADDRESS = 1 << 2, /* it stands for many unnamed locations */
	FRAME_NO_OBJECT = 1 << 3,  /* a column beside it names the object */
	FRAME_UTF8 = 1 << 4,	   /* UTF-8 in any locale */
};

/* Both return `buf`. */
char *frame_text(char buf[FRAME_BYTES], const struct recording *r, int location, unsigned flags);
/* The object's short name: "libc.so.6", "[kernel]", "[ext4]" (a module); "[unknown]" when there is no mapping. */
char *frame_object(char buf[FRAME_BYTES], const struct recording *r, int mapping, unsigned flags);
/* The command, and the process and thread if they are told apart: "cc1", "cc1-812", "cc1-812/815". */
char *frame_process(char buf[FRAME_BYTES], const struct recording *r, const struct rec_labels *labels, unsigned flags);

/* Last part of a path, unescaped; for comparing. */
const char *frame_object_name(const struct recording *r, const struct rec_mapping *m);

#endif
