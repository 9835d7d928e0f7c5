/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CORE_VERSION_H
#define CORE_VERSION_H

#define KBPFPROF_VERSION "0.1"

#endif
