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
int cpu_list_online(struct cpu_list *list); /* 0 or -errno */
void cpu_list_free(struct cpu_list *list);
bool cpu_list_has(const struct cpu_list *list, unsigned id);

#endif
