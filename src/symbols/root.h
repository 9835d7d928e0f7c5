/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files below a directory that stands for "/", as a root file system unpacked somewhere does: its
 * symbolic links, absolute ones and "..", stay inside. Only regular files are opened, others not
 * even touched: no FIFO makes us wait, no device does anything.
 */
#ifndef SYMBOLS_ROOT_H
#define SYMBOLS_ROOT_H

/* A descriptor of the directory, or -errno. */
int root_open(const char *dir);
/* A descriptor for reading; -EMEDIUMTYPE: no regular file; or -errno. */
int root_file(int root, const char *path);
/* Likewise of a path as this program sees it. */
int root_plain_file(const char *path);
/* What strerror() would say of what these return. */
const char *root_error(int err);

/* Step by step, for kernels without openat2(2) (Linux 5.6): a descriptor that only names the file, or -errno. */
int root_walk(int root, const char *path);

#endif
