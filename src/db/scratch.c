/* SPDX-License-Identifier: GPL-2.0-only */
#include "db/scratch.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/write_all.h"
#include "db/format.h"

#define CHUNK_BYTES (64 * 1024)

int scratch_make(struct scratch *s)
{
	const char *below = getenv("TMPDIR");
	int n, err;

	if (!below || !*below)
		below = "/tmp";
	n = snprintf(s->folder, sizeof(s->folder), "%s/kbpfprof-XXXXXX", below);
	if (n >= (int)sizeof(s->folder)) {
		warnx("TMPDIR: %s", strerror(ENAMETOOLONG));
		return -ENAMETOOLONG;
	}
	if (mkdtemp(s->folder)) {
		s->exists = true;
		return 0;
	}
	err = -errno;
	warn("cannot make a folder for a copy of the recording in %s (TMPDIR names another place)", below);
	return err;
}

void scratch_path(const struct scratch *s, const char *file, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/%s", s->folder, file);
}

static int copy(int to, int from, uint64_t bytes_max)
{
	char *chunk = malloc(CHUNK_BYTES);
	uint64_t bytes = 0;
	int err = chunk ? 0 : -ENOMEM;
	ssize_t n = 1;

	while (!err && n) {
		n = read(from, chunk, CHUNK_BYTES);
		if (n < 0) {
			err = errno == EINTR ? 0 : -errno;
			continue;
		}
		bytes += (uint64_t)n;
		err = bytes > bytes_max ? -EFBIG : write_all(to, chunk, (size_t)n);
	}
	free(chunk);
	return err;
}

int scratch_copy(const struct scratch *s, const char *file, int fd, uint64_t bytes_max, const char *name)
{
	char path[PATH_MAX];
	int to, err;

	scratch_path(s, file, path);
	to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	err = to < 0 ? -errno : copy(to, fd, bytes_max);
	if (to >= 0 && close(to) && !err)
		err = -errno;
	if (err)
		warnx("cannot copy %s to %s: %s (TMPDIR names another place)", name, s->folder, strerror(-err));
	return err;
}

int scratch_set_pages(const struct scratch *s, const char *file, uint32_t pages, const char *name)
{
	uint8_t bytes[4] = { (uint8_t)(pages >> 24), (uint8_t)(pages >> 16), (uint8_t)(pages >> 8), (uint8_t)pages };
	char path[PATH_MAX];
	int fd, err = 0;

	scratch_path(s, file, path);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || pwrite(fd, bytes, sizeof(bytes), FORMAT_PAGES) != sizeof(bytes))
		err = -EIO;
	if (fd >= 0)
		close(fd);
	if (err)
		warnx("cannot mend a copy of %s: %s", name, strerror(-err));
	return err;
}

void scratch_remove(struct scratch *s)
{
	static const char *const files[] = { SCRATCH_DB, SCRATCH_JOURNAL };
	char path[PATH_MAX];

	if (!s->exists)
		return;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		scratch_path(s, files[i], path);
		unlink(path);
	}
	rmdir(s->folder);
	s->exists = false;
}
