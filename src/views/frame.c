/* SPDX-License-Identifier: GPL-2.0-only */
#include "views/frame.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *frame_object_name(const struct recording *r, const struct rec_mapping *m)
{
	const char *name = recording_str(r, m->name), *slash = strrchr(name, '/');

	return slash && slash[1] ? slash + 1 : name;
}

/*
 * In a folded line ';' ends a frame, and the count is what follows the last space: a frame "f 12"
 * before it would be read as a second count.
 */
static void make_foldable(char *s)
{
	char *space = strrchr(s, ' ');

	for (char *semicolon = s; (semicolon = strchr(semicolon, ';'));)
		*semicolon = ':';
	if (space && space[1] && strspn(space + 1, "0123456789.") == strlen(space + 1))
		*space = '_';
}

/* Kept free behind text of others, for what is put there. */
#define END_BYTES 64

static size_t add_inert(char buf[FRAME_BYTES], size_t used, const char *s, unsigned flags)
{
	return used + text_inert(buf + used, FRAME_BYTES - END_BYTES - used, s,
				 (flags & (FRAME_FOLDED | FRAME_UTF8)) || text_is_utf8());
}

char *frame_object(char buf[FRAME_BYTES], const struct recording *r, int mapping, unsigned flags)
{
	const struct rec_mapping *m = &r->mappings[mapping];
	bool module = m->kind == MAPPING_MODULE && recording_str(r, m->name)[0] != '[';
	size_t used = 0;

	if (m->kind == MAPPING_NONE) {
		strcpy(buf, "[unknown]");
		return buf;
	}
	if (module)
		buf[used++] = '[';
	used = add_inert(buf, used, frame_object_name(r, m), flags);
	if (module)
		strcpy(buf + used, "]");
	return buf;
}

/* Of a frame without a name: "libfoo.so+0x1234 ", "[anon] 0x7f2a00001000 ", "0x7f2a00001000 " or "". */
static size_t write_place(char buf[FRAME_BYTES], const struct recording *r, const struct rec_location *l,
			  unsigned flags)
{
	enum mapping_kind kind = r->mappings[l->mapping].kind;
	bool address = !(flags & FRAME_NO_ADDRESS) && l->address,
	     object = !(flags & FRAME_NO_OBJECT) && kind != MAPPING_NONE;
	bool relative = kind == MAPPING_FILE || kind == MAPPING_VDSO;
	size_t used = 0;

	if (object)
		used = strlen(frame_object(buf, r, l->mapping, flags));
	if (address)
		used += (size_t)snprintf(buf + used, FRAME_BYTES - used, "%s0x%" PRIx64,
					 relative ? "+"
					 : object ? " "
						  : "",
					 l->address);
	if (object || address)
		used += (size_t)snprintf(buf + used, FRAME_BYTES - used, " ");
	return used;
}

char *frame_text(char buf[FRAME_BYTES], const struct recording *r, int location, unsigned flags)
{
	const struct rec_location *l = location == FRAME_NO_STACK ? NULL : &r->locations[location];
	const char *name = l && l->why == WHY_NAMED ? recording_str(r, l->name) : "";
	size_t used = 0;

	buf[0] = '\0';
	if (!l) {
		strcpy(buf, "[no stack]");
	} else if (*name) {
		add_inert(buf, 0, name, flags);
	} else {
		used = write_place(buf, r, l, flags);
		snprintf(buf + used, FRAME_BYTES - used, "[%s]",
			 why_name(l->why == WHY_NAMED ? WHY_NO_SYMBOL : l->why));
	}
	if (flags & FRAME_FOLDED)
		make_foldable(buf);
	if ((flags & (FRAME_FOLDED | FRAME_KERNEL)) == (FRAME_FOLDED | FRAME_KERNEL))
		strcat(buf, "_[k]");
	return buf;
}

char *frame_process(char buf[FRAME_BYTES], const struct recording *r, const struct rec_labels *labels, unsigned flags)
{
	const char *comm = recording_str(r, labels->comm);
	size_t used = add_inert(buf, 0, *comm ? comm : "[unknown]", flags);

	if (labels->tgid)
		used += (size_t)snprintf(buf + used, FRAME_BYTES - used, "-%d", labels->tgid);
	if (labels->tid)
		snprintf(buf + used, FRAME_BYTES - used, "%s%d", labels->tgid ? "/" : "-", labels->tid);
	if (flags & FRAME_FOLDED)
		make_foldable(buf);
	return buf;
}
