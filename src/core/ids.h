/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists of PIDs and TIDs, as users type them. */
#ifndef CORE_IDS_H
#define CORE_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct ids {
	pid_t *list; /* each > 0 */
	size_t n;
};

/* "812,815"; `option` ("-p") is named in messages. 0, -EINVAL or -ENOMEM; ids_free() is due either way. */
int ids_parse(const char *text, const char *option, struct ids *ids);
bool ids_has(const struct ids *ids, pid_t id);
void ids_free(struct ids *ids);

#endif
