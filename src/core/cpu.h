/* SPDX-License-Identifier: GPL-2.0-only */
/* Sets of CPUs. Ids have holes: an id is never a count. */
#ifndef CORE_CPU_H
#define CORE_CPU_H

#include <stdbool.h>
#include <stddef.h>

#define CPU_ID_MAX 65535 /* far above NR_CPUS of any kernel; bounds what a typo can ask for */

struct cpu_list {
	unsigned *ids; /* ascending, each once */
	size_t n;
};

/* "0-3,7", as in sysfs and -C. 0, -EINVAL (not such a list) or -ENOMEM. Free with cpu_list_free(). */
int cpu_list_parse(const char *text, struct cpu_list *list);
int cpu_list_online(struct cpu_list *list);  /* 0 or -errno */
int cpu_list_present(struct cpu_list *list); /* those that could be online */
void cpu_list_free(struct cpu_list *list);
bool cpu_list_has(const struct cpu_list *list, unsigned id);

#define CPU_LIST_TEXT_BYTES 4096 /* the kernel's own limit: a page */

/* The CPUs that are online, as long as that changes. */
struct cpu_watch {
	int fd;
	struct cpu_list online;
	char text[CPU_LIST_TEXT_BYTES]; /* of it */
};

int cpu_watch_open(struct cpu_watch *w); /* 0 or -errno */
/* Takes a microsecond if nothing changed. 1: `online` is another one now; 0; or -errno, and it is the old one. */
int cpu_watch_look(struct cpu_watch *w);
void cpu_watch_close(struct cpu_watch *w); /* one that was never opened is all zero */

#endif
