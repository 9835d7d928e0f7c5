/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of events -> perf_event_attr. PMU descriptions: Documentation/ABI/testing/sysfs-bus-event_source-devices-*. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/event.h"
#include "core/sysfs.h"

#define PMU_DIR "/sys/bus/event_source/devices"

static const struct {
	const char *name;
	uint32_t type;
	uint64_t config;
} generic_events[] = {
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ "bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES },
	{ "ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES },
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
};

const char *event_generic_name(size_t i)
{
	return i < sizeof(generic_events) / sizeof(generic_events[0]) ? generic_events[i].name : NULL;
}

static int parse_generic(const char *name, struct perf_event_attr *attr)
{
	for (size_t i = 0; i < sizeof(generic_events) / sizeof(generic_events[0]); i++) {
		if (strcmp(name, generic_events[i].name) != 0)
			continue;
		attr->type = generic_events[i].type;
		attr->config = generic_events[i].config;
		return 0;
	}
	return -ENOENT;
}

static int parse_raw(const char *name, struct perf_event_attr *attr)
{
	char *end;

	if (name[0] != 'r' || !isxdigit((unsigned char)name[1]))
		return -ENOENT;
	errno = 0;
	attr->config = strtoull(name + 1, &end, 16);
	if (*end || errno)
		return -ENOENT; /* a PMU's event may begin with r too */
	attr->type = PERF_TYPE_RAW;
	return 0;
}

/* Puts the low bits of `value` where a format says, such as "config:0-7,32-35" or "config1:5". */
static int apply_format(const char *format, uint64_t value, struct perf_event_attr *attr)
{
	__u64 *word = &attr->config;
	char *end;

	if (!strncmp(format, "config1:", 8))
		word = (__u64 *)&attr->config1;
	else if (!strncmp(format, "config2:", 8))
		word = (__u64 *)&attr->config2;
	else if (strncmp(format, "config:", 7) != 0)
		return -EINVAL;
	format = strchr(format, ':') + 1;
	do {
		unsigned long low = strtoul(format, &end, 10), high = low;

		if (end == format)
			return -EINVAL;
		if (*end == '-')
			high = strtoul(end + 1, &end, 10);
		if (low > 63 || high > 63 || high < low)
			return -EINVAL;
		for (unsigned long bit = low; bit <= high; bit++, value >>= 1)
			if (value & 1)
				*word |= 1ULL << bit;
		format = end + 1;
	} while (*end == ',');
	return *end || value ? -EINVAL : 0; /* bits left over: the value does not fit */
}

/* One term, "event=0x3c" or "edge", by PMU_DIR/PMU/format/TERM. */
static int apply_term(const char *pmu, char *term, struct perf_event_attr *attr)
{
	char path[PATH_MAX], format[128], *value = strchr(term, '=');
	uint64_t number = 1;
	char *end;

	if (value) {
		*value++ = '\0';
		number = strtoull(value, &end, 0);
		if (end == value || *end)
			return -EINVAL; /* "?" asks for a parameter that only the user can know */
	}
	if (!strcmp(term, "config")) {
		attr->config |= number;
		return 0;
	}
	snprintf(path, sizeof(path), PMU_DIR "/%s/format/%s", pmu, term);
	if (sysfs_line(path, format, sizeof(format)))
		return -EINVAL;
	return apply_format(format, number, attr);
}

static int apply_terms(const char *pmu, char *terms, struct perf_event_attr *attr)
{
	char *save, *term;
	int err = 0;

	for (term = strtok_r(terms, ",", &save); term && !err; term = strtok_r(NULL, ",", &save))
		err = apply_term(pmu, term, attr);
	return err;
}

static bool is_plain_name(const char *s)
{
	return *s && *s != '.' && !strchr(s, '/');
}

/* PMU/TERMS/: the terms are an event of the PMU or a list of format terms. */
static int parse_pmu(const char *pmu, const char *event, struct perf_event_attr *attr)
{
	char path[PATH_MAX], terms[512];
	int64_t type;

	if (!is_plain_name(pmu) || !is_plain_name(event))
		return -ENOENT;
	snprintf(path, sizeof(path), PMU_DIR "/%s/type", pmu);
	if (sysfs_number(path, &type))
		return -ENOENT;
	attr->type = (uint32_t)type;
	snprintf(path, sizeof(path), PMU_DIR "/%s/events/%s", pmu, event);
	if (!sysfs_line(path, terms, sizeof(terms)))
		return apply_terms(pmu, terms, attr);
	if (!strchr(event, '='))
		return -ENOENT;
	snprintf(terms, sizeof(terms), "%s", event);
	return apply_terms(pmu, terms, attr);
}

/* A bare name: the first PMU that has an event of that name. */
static int search_pmus(const char *event, struct perf_event_attr *attr)
{
	DIR *dir = opendir(PMU_DIR);
	struct dirent *entry;
	int err = -ENOENT;

	if (!dir)
		return -ENOENT;
	while (err == -ENOENT && (entry = readdir(dir)))
		if (!strchr(event, '='))
			err = parse_pmu(entry->d_name, event, attr);
	closedir(dir);
	return err;
}

static int parse_with_slashes(char *name, struct perf_event_attr *attr)
{
	char *event = strchr(name, '/');
	size_t length;

	if (!event)
		return search_pmus(name, attr);
	*event++ = '\0';
	length = strlen(event);
	if (length && event[length - 1] == '/')
		event[length - 1] = '\0';
	return parse_pmu(name, event, attr);
}

/* Takes ":u", ":k", ":uk" off the end. */
static int take_modifier(char *name, struct perf_event_attr *attr)
{
	char *colon = strrchr(name, ':');
	bool user = false, kernel = false;

	if (!colon)
		return 0;
	for (const char *c = colon + 1; *c; c++) {
		if (*c == 'u')
			user = true;
		else if (*c == 'k')
			kernel = true;
		else
			return -EINVAL;
	}
	if (!user && !kernel)
		return -EINVAL;
	attr->exclude_user = !user;
	attr->exclude_kernel = !kernel;
	attr->exclude_hv = !kernel;
	*colon = '\0';
	return 0;
}

int event_parse(const char *name, struct event *event)
{
	char bare[sizeof(event->name)];
	int err;

	*event = (struct event){ .attr = { .size = sizeof(event->attr), .disabled = 1 } };
	event->attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	snprintf(event->name, sizeof(event->name), "%s", name);
	if (!*name || strlen(name) >= sizeof(bare) || (strchr(name, ',') && !strchr(name, '/')))
		return -EINVAL;
	strcpy(bare, name);
	err = take_modifier(bare, &event->attr);
	if (err)
		return err;
	err = parse_generic(bare, &event->attr);
	if (err == -ENOENT)
		err = parse_raw(bare, &event->attr);
	if (err == -ENOENT)
		err = parse_with_slashes(bare, &event->attr);
	event->is_time = event->attr.type == PERF_TYPE_SOFTWARE && (event->attr.config == PERF_COUNT_SW_CPU_CLOCK ||
								    event->attr.config == PERF_COUNT_SW_TASK_CLOCK);
	return err;
}
