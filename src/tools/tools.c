/* SPDX-License-Identifier: GPL-2.0-only */
#include "tools/tools.h"

extern const struct tool tool_profile, tool_report, tool_diff, tool_doctor, tool_wakeup, tool_irq;

const struct tool *const tools[] = {
	&tool_profile, &tool_wakeup, &tool_irq, &tool_report, &tool_diff, &tool_doctor, NULL,
};
