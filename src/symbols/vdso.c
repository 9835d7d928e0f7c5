/* SPDX-License-Identifier: GPL-2.0-only */
#include "symbols/vdso.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbols/maps.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U /* Linux 6.3, which tells the log of callers that do not say */
#endif

struct own_vdso {
	uint64_t start, end;
};

static int find_vdso(void *ctx, const struct maps_line *m)
{
	struct own_vdso *own = ctx;

	if (m->start == own->start)
		own->end = m->end;
	return 0;
}

static int write_all(int fd, const char *bytes, size_t n)
{
	while (n) {
		ssize_t written = write(fd, bytes, n);

		if (written < 0 && errno != EINTR)
			return -errno;
		if (written > 0) {
			bytes += written;
			n -= (size_t)written;
		}
	}
	return 0;
}

/* As a file, since then nothing but the file's reader needs to know. */
static int copy_to_file(const struct own_vdso *own)
{
	int fd = memfd_create("vdso", MFD_CLOEXEC | MFD_NOEXEC_SEAL);
	int err;

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = write_all(fd, (const char *)(uintptr_t)own->start, own->end - own->start);
	if (err) {
		close(fd);
		return err;
	}
	return fd;
}

int vdso_open(void)
{
	struct own_vdso own = { .start = getauxval(AT_SYSINFO_EHDR) };
	int fd, err;

	if (!own.start)
		return -ENOENT;
	fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = maps_read(fd, find_vdso, &own);
	close(fd);
	if (err)
		return err;
	return own.end ? copy_to_file(&own) : -ENOENT;
}
