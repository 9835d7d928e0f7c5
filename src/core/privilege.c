/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/privilege.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int privilege_drop(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2];
	uint32_t keep = 1u << CAP_DAC_READ_SEARCH;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_capget, &header, caps))
		return -errno;
	for (int i = 0; i < 2; i++) {
		caps[i].effective &= i ? 0 : keep;
		caps[i].permitted &= i ? 0 : keep;
		caps[i].inheritable = 0;
	}
	return syscall(SYS_capset, &header, caps) ? -errno : 0;
}
