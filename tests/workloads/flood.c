/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * flood SECONDS CPU: sends UDP packets over the loopback device as fast as it can, and has the kernel
 * receive them on CPU (RPS, Documentation/networking/scaling.rst). If that CPU has nothing else to
 * do its softirq runs in the idle task. In a network namespace of its own, so no other one is touched.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define RPS_CPUS "/sys/class/net/lo/queues/rx-0/rps_cpus"

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* /sys shows the network namespace of the one who mounted it. */
static int enter_namespace(void)
{
	return unshare(CLONE_NEWNET | CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	       mount("sysfs", "/sys", "sysfs", 0, NULL);
}

static int steer(int cpu)
{
	char mask[16];
	int fd = open(RPS_CPUS, O_WRONLY | O_CLOEXEC), n = snprintf(mask, sizeof(mask), "%x", 1U << cpu);

	if (fd < 0 || write(fd, mask, (size_t)n) != n)
		return -1;
	return close(fd);
}

static int loopback_up(int fd)
{
	struct ifreq lo = { .ifr_name = "lo", .ifr_flags = IFF_UP };

	return ioctl(fd, SIOCSIFFLAGS, &lo);
}

int main(int argc, char **argv)
{
	double end_s = now_s() + (argc > 1 ? atof(argv[1]) : 1);
	int cpu = argc > 2 ? atoi(argv[2]) : 0;
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t bytes = sizeof(to);
	char packet[64] = "";
	int in, out;

	if (cpu < 0 || cpu > 31 || enter_namespace() || steer(cpu)) {
		perror("flood: namespace");
		return 1;
	}
	in = socket(AF_INET, SOCK_DGRAM, 0);
	out = socket(AF_INET, SOCK_DGRAM, 0);
	if (loopback_up(in) || bind(in, (void *)&to, bytes) || getsockname(in, (void *)&to, &bytes) ||
	    connect(out, (void *)&to, bytes)) {
		perror("flood: socket");
		return 1;
	}
	/* Nobody reads: the queue of `in` fills up and what comes then is dropped, after all work was done. */
	while (now_s() < end_s)
		for (int i = 0; i < 64; i++)
			send(out, packet, sizeof(packet), MSG_DONTWAIT);
	return 0;
}
