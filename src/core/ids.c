/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/ids.h"

#include <err.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"

int ids_parse(const char *text, const char *option, struct ids *ids)
{
	char *copy = strdup(text), *save = NULL, *word;
	int err = 0;

	ids->n = 0;
	ids->list = calloc(strlen(text) + 1, sizeof(*ids->list));
	if (!copy || !ids->list)
		err = -ENOMEM;
	for (word = err ? NULL : strtok_r(copy, ",", &save); word && !err; word = strtok_r(NULL, ",", &save)) {
		uint64_t id;

		if (units_parse_count(word, &id) || !id || id > INT_MAX) {
			warnx("%s %s: '%s' is no number of a task (numbers, comma separated)", option, text, word);
			err = -EINVAL;
			break;
		}
		ids->list[ids->n++] = (pid_t)id;
	}
	if (!err && !ids->n) {
		warnx("%s needs a number", option);
		err = -EINVAL;
	}
	free(copy);
	return err;
}

bool ids_has(const struct ids *ids, pid_t id)
{
	for (size_t i = 0; i < ids->n; i++)
		if (ids->list[i] == id)
			return true;
	return false;
}

void ids_free(struct ids *ids)
{
	free(ids->list);
	*ids = (struct ids){ 0 };
}
