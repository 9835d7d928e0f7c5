/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SYMBOLS_PACKED_KERNEL_H
#define SYMBOLS_PACKED_KERNEL_H

/* What to say of a file that holds a kernel, or anything, in a form without symbols or packed; NULL: it is no such. */
const char *packed_kernel(int fd);

#endif
