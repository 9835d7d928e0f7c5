/* SPDX-License-Identifier: GPL-2.0-only */
#include "views/keys.h"

#include <err.h>
#include <errno.h>
#include <string.h>

const char *const sort_key_names[SORT_KEYS] = {
	[KEY_COMM] = "comm", [KEY_DSO] = "dso", [KEY_SYM] = "sym",
	[KEY_PID] = "pid",   [KEY_TID] = "tid", [KEY_CPU] = "cpu",
};

static int find(const char *name, size_t bytes)
{
	for (int i = 0; i < SORT_KEYS; i++)
		if (strlen(sort_key_names[i]) == bytes && !strncmp(sort_key_names[i], name, bytes))
			return i;
	return -1;
}

int sort_keys_parse(const char *text, struct sort_keys *keys)
{
	*keys = (struct sort_keys){ 0 };
	if (!text)
		text = "comm,dso,sym";
	for (;;) {
		size_t bytes = strcspn(text, ",");
		int key = find(text, bytes);

		if (key < 0) {
			warnx("--sort: unknown key '%.*s' (keys are comm, dso, sym, pid, tid, cpu, comma separated)",
			      (int)bytes, text);
			return -EINVAL;
		}
		if (!keys->has[key])
			keys->list[keys->n++] = (enum sort_key)key;
		keys->has[key] = true;
		text += bytes;
		if (!*text)
			return 0;
		text++;
	}
}
