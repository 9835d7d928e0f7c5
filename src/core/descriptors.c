/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/descriptors.h"

#include <fcntl.h>
#include <unistd.h>

void descriptors_reserve(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0) /* all below are open, so open() gives this one */
			open("/", O_PATH | O_CLOEXEC);
}
