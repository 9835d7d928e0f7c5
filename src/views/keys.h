/* SPDX-License-Identifier: GPL-2.0-only */
/* What a row of a table stands for: -s, comma separated, in the order of the columns. */
#ifndef VIEWS_KEYS_H
#define VIEWS_KEYS_H

#include <stdbool.h>

enum sort_key {
	KEY_COMM,
	KEY_DSO,
	KEY_SYM,
	KEY_PID,
	KEY_TID,
	KEY_CPU,
	SORT_KEYS,
};

struct sort_keys {
	enum sort_key list[SORT_KEYS]; /* each once */
	unsigned n;
	bool has[SORT_KEYS];
};

extern const char *const sort_key_names[SORT_KEYS];

/* NULL is "comm,dso,sym". 0, or -EINVAL after a message on stderr that names the valid keys. */
int sort_keys_parse(const char *text, struct sort_keys *keys);

#endif
