/* SPDX-License-Identifier: GPL-2.0-only */
/* Private to session*.c: what comes before a run. Both: 0 or -errno after a message. */
#ifndef CORE_SESSION_SET_UP_H
#define CORE_SESSION_SET_UP_H

#include <signal.h>

#include "core/session.h"

/* All that comes before the load. user_mask: of signals, for COMMAND; NULL if none is to be made ready. */
int session_prepare(struct session *s, const sigset_t *user_mask);
/* That, the load, and attaching: all but to be enabled. */
int session_set_up(struct session *s, const sigset_t *user_mask);

#endif
