/* SPDX-License-Identifier: GPL-2.0-only */
/* cmocka.h with all that it needs before it. */
#ifndef UNIT_H
#define UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
