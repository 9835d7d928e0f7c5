/* SPDX-License-Identifier: GPL-2.0-only */
/* Forms in which kernels are booted (Documentation/arch/x86/boot.rst, arm64/booting.rst) and files are packed. */
#include "symbols/packed_kernel.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

#define HEAD_BYTES 1024

#define BOOTED(what)                                                                                    \
	what ", as it is booted: it has no symbols (needs the vmlinux of the build's folder or of the " \
	     "distribution's debug package; or --kallsyms System.map)"
#define PACKED(what, cure) what " (unpack it first: " cure ")"

const char *packed_kernel(int fd)
{
	static const struct {
		size_t at;
		const char *magic;
		size_t bytes;
		const char *message;
	} forms[] = {
		{ 0x202, "HdrS", 4, BOOTED("a bzImage") },
		{ 0x38, "ARM\x64", 4, BOOTED("an arm64 Image") },
		{ 0x38, "RSC\x05", 4, BOOTED("a RISC-V Image") },
		{ 4, "zimg", 4, BOOTED("a kernel packed for EFI") },
		{ 0, "\x1f\x8b", 2, PACKED("packed by gzip", "gzip -dc FILE >vmlinux") },
		{ 0, "\x28\xb5\x2f\xfd", 4, PACKED("packed by zstd", "zstd -dc FILE >vmlinux") },
		{ 0, "\3757zXZ", 6, PACKED("packed by xz", "xz -dc FILE >vmlinux") },
		{ 0, "\x5d\0\0", 3, PACKED("packed by lzma", "xz -dc FILE >vmlinux") },
		{ 0, "BZh", 3, PACKED("packed by bzip2", "bzip2 -dc FILE >vmlinux") },
		{ 0, "\x04\x22\x4d\x18", 4, PACKED("packed by lz4", "lz4 -dc FILE >vmlinux") },
		{ 0, "\x02\x21\x4c\x18", 4, PACKED("packed by lz4", "lz4 -dc FILE >vmlinux") },
		{ 0, "\x89LZO", 4, PACKED("packed by lzop", "lzop -dc FILE >vmlinux") },
	};
	char head[HEAD_BYTES] = { 0 };
	ssize_t n = pread(fd, head, sizeof(head), 0);

	if (n < 4 || !memcmp(head, "\177ELF", 4))
		return NULL;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (!memcmp(head + forms[i].at, forms[i].magic, forms[i].bytes))
			return forms[i].message;
	return NULL;
}
