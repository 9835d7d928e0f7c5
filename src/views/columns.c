/* SPDX-License-Identifier: GPL-2.0-only */
#include "views/columns.h"

#include <string.h>

#define GAP 2
/* In a pipe no text is cut, but a single long one does not widen the column for all. */
#define PIPE_COLUMNS_MAX 32

static const char *const names[SORT_KEYS] = {
	[KEY_COMM] = "command", [KEY_DSO] = "object", [KEY_SYM] = "symbol",
	[KEY_PID] = "PID",	[KEY_TID] = "TID",    [KEY_CPU] = "CPU",
};

static bool is_number(enum sort_key key)
{
	return key == KEY_PID || key == KEY_TID || key == KEY_CPU;
}

/* Processes that are not told apart have the number `none`. */
static char *number_text(char buf[FRAME_BYTES], int number, int none)
{
	if (number == none)
		strcpy(buf, "-");
	else
		snprintf(buf, FRAME_BYTES, "%d", number);
	return buf;
}

/* Without a column for the object a function says which side it is on, as perf report does. */
static char *symbol_text(char buf[FRAME_BYTES], const struct rows *rows, uint32_t function)
{
	const struct function *f = &rows->fs.list[function];
	size_t used;

	if (rows->keys.has[KEY_DSO])
		return functions_text(buf, &rows->fs, function, FRAME_NO_OBJECT);
	functions_text(buf, &rows->fs, function, 0);
	used = strlen(buf);
	if (used > FRAME_BYTES - sizeof("[k] "))
		used = FRAME_BYTES - sizeof("[k] ");
	memmove(buf + 4, buf, used);
	memcpy(buf, f->kernel ? "[k] " : "[.] ", 4);
	buf[4 + used] = '\0';
	return buf;
}

static char *cell_text(char buf[FRAME_BYTES], const struct rows *rows, const struct row *row, unsigned column)
{
	const struct row_key *k = &row->key;
	enum sort_key key = rows->keys.list[column];

	switch (key) {
	case KEY_COMM:
		return frame_process(buf, rows->r, &(struct rec_labels){ .comm = k->comm }, 0);
	case KEY_DSO:
		return functions_object(buf, &rows->fs, k->object);
	case KEY_SYM:
		return symbol_text(buf, rows, (uint32_t)k->function);
	case KEY_PID:
		return number_text(buf, k->tgid, 0);
	case KEY_TID:
		return number_text(buf, k->tid, 0);
	default:
		return number_text(buf, k->cpu, -1);
	}
}

/* Narrows columns of `key` until all fit, but not below `least`. */
static void narrow(struct columns *c, enum sort_key key, unsigned least, unsigned room)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < c->rows->keys.n; i++)
		sum += c->widths[i] + (i ? GAP : 0);
	for (unsigned i = 0; i < c->rows->keys.n && sum > room; i++) {
		unsigned over = sum - room;

		if (c->rows->keys.list[i] == key && c->widths[i] > least)
			c->widths[i] = c->widths[i] > least + over ? c->widths[i] - over : least;
	}
}

void columns_fit(struct columns *c, const struct rows *rows, size_t n, unsigned room)
{
	char buf[FRAME_BYTES];

	*c = (struct columns){ .rows = rows, .room = room };
	for (unsigned i = 0; i < rows->keys.n; i++) {
		c->widths[i] = (unsigned)strlen(names[rows->keys.list[i]]);
		for (size_t j = 0; j < n; j++) {
			const struct row *row = &rows->list[j];
			unsigned width = row->idle ? 0 : text_columns(cell_text(buf, rows, row, i));

			if (!room && width > PIPE_COLUMNS_MAX)
				width = PIPE_COLUMNS_MAX;
			if (width > c->widths[i])
				c->widths[i] = width;
		}
	}
	if (!room)
		return;
	/* A symbol says most: it gives way first, but the others too before it is unreadable. */
	narrow(c, KEY_SYM, 28, room);
	narrow(c, KEY_DSO, 14, room);
	narrow(c, KEY_COMM, 10, room);
	narrow(c, KEY_SYM, 8, room);
	narrow(c, KEY_DSO, 8, room);
	narrow(c, KEY_COMM, 8, room);
}

static void write_cell(FILE *f, const struct columns *c, unsigned column, char *text)
{
	unsigned width = c->widths[column], pad;
	bool number = is_number(c->rows->keys.list[column]), last = column + 1 == c->rows->keys.n;

	if (c->room)
		text_cut(text, width);
	pad = text_columns(text);
	pad = width > pad ? width - pad : 0;
	if (number)
		fprintf(f, "%*s%s", (int)pad, "", text);
	else
		fprintf(f, "%s%*s", text, last ? 0 : (int)pad, "");
	if (!last)
		fprintf(f, "%*s", GAP, "");
}

void columns_write_names(FILE *f, const struct columns *c, const char *remark)
{
	unsigned used = (unsigned)strlen(remark), n = c->rows->keys.n;
	char name[16];

	for (unsigned i = 0; i < n; i++) {
		bool short_last = i + 1 == n && !is_number(c->rows->keys.list[i]);

		write_cell(f, c, i, strcpy(name, names[c->rows->keys.list[i]]));
		used += (i ? GAP : 0) + (short_last ? (unsigned)strlen(name) : c->widths[i]);
	}
	if (!c->room || used <= c->room)
		fputs(remark, f);
}

void columns_write_row(FILE *f, const struct columns *c, const struct row *row)
{
	char buf[FRAME_BYTES];

	if (row->idle) {
		fputs("[idle]", f);
		return;
	}
	for (unsigned i = 0; i < c->rows->keys.n; i++)
		write_cell(f, c, i, cell_text(buf, c->rows, row, i));
}
