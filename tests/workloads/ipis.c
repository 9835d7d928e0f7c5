/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ipis CPU COUNT MS: a FIFO 80 thread keeps a CPU for so long, while another one, on another CPU, has interrupts sent
 * to it: membarrier(2) sends one for a function call to each CPU that runs another thread of the process.
 * Prints what /proc/interrupts says of that CPU, "INSIDE OUTSIDE TEXT": the differences between looks of the FIFO
 * thread, and between looks before it began and after it ended. What came while it kept the CPU is not less than the
 * one and not more than the other. TEXT is the line but for its counts.
 */
#define _GNU_SOURCE
#include <err.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ROWS 128

struct row {
	unsigned long count;
	char text[128];
};

struct look {
	struct row rows[ROWS];
	size_t n;
};

static struct keeper {
	int cpu;
	uint64_t length_ns;
	atomic_bool keeps, all_sent;
	struct look before, begun, done, after;
} keeper;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* "IPI1:  247  257  Function call interrupts": the label, a count for each CPU, what it is. */
static int parse(struct row *row, char *line, int cpu, int cpus)
{
	char *save, *word = strtok_r(line, " \n", &save);
	size_t used;

	if (!word || !strchr(word, ':'))
		return -1;
	used = (size_t)snprintf(row->text, sizeof(row->text), "%s", word);
	for (int i = 0; (word = strtok_r(NULL, " \n", &save)); i++) {
		if (i == cpu)
			row->count = strtoul(word, NULL, 10);
		if (i >= cpus && used < sizeof(row->text))
			used += (size_t)snprintf(row->text + used, sizeof(row->text) - used, " %s", word);
	}
	return 0;
}

static void look(struct look *l, int cpu)
{
	int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	FILE *f = fopen("/proc/interrupts", "re");
	char line[4096];

	if (!f)
		err(1, "/proc/interrupts");
	while (l->n < ROWS && fgets(line, sizeof(line), f))
		if (!parse(&l->rows[l->n], line, cpu, cpus))
			l->n++;
	fclose(f);
}

static void stay_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "CPU %d", cpu);
}

static void *keep(void *unused)
{
	struct sched_param param = { .sched_priority = 80 };
	uint64_t start_ns;

	(void)unused;
	stay_on(keeper.cpu);
	if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &param))
		errx(1, "no FIFO 80");
	start_ns = now_ns();
	look(&keeper.begun, keeper.cpu);
	keeper.keeps = true;
	while (now_ns() - start_ns < keeper.length_ns || !keeper.all_sent)
		;
	look(&keeper.done, keeper.cpu);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc != 4)
		errx(2, "usage: ipis CPU COUNT MS");
	keeper.cpu = atoi(argv[1]);
	keeper.length_ns = strtoul(argv[3], NULL, 10) * 1000000;
	stay_on(!keeper.cpu);
	look(&keeper.before, keeper.cpu);
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0))
		err(1, "membarrier");
	if (pthread_create(&thread, NULL, keep, NULL))
		errx(1, "no thread");
	while (!keeper.keeps)
		;
	for (long i = atol(argv[2]); i > 0; i--)
		syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0);
	keeper.all_sent = true;
	pthread_join(thread, NULL);
	look(&keeper.after, keeper.cpu);
	for (size_t i = 0; i < keeper.begun.n; i++)
		printf("%lu %lu %s\n", keeper.done.rows[i].count - keeper.begun.rows[i].count,
		       keeper.after.rows[i].count - keeper.before.rows[i].count, keeper.begun.rows[i].text);
	return 0;
}
