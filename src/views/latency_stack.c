/* SPDX-License-Identifier: GPL-2.0-only */
#include "views/latency_stack.h"

#include <stdio.h>
#include <string.h>

#include "symbols/section_end.h"
#include "views/frame.h"

#define FRAMES	      5
#define FRAME_COLUMNS 56

/* Names below are beginnings. They are of kernels 5.10 to 6.18, x86 and arm64. */

/* kernel/sched/core.c and what its tracepoints call. */
static const char *const scheduler[] = {
	"__traceiter_",	     "__bpf_trace_",   "bpf_trace_run",	     "bpf_prog_",
	"perf_trace_sched_", "__schedule",     "schedule",	     "preempt_schedule",
	"dynamic_preempt_",  "__cond_resched", "_cond_resched",	     "dynamic_cond_",
	"rt_mutex_schedule", "io_schedule",    "__preempt_schedule", "arm64_preempt_schedule_irq",
};

/* Where an interrupt enters the kernel or leaves it: beyond lies what it interrupted. */
static const char *const interrupt[] = {
	"asm_sysvec_",
	"asm_common_interrupt",
	"common_interrupt_return",
	"ret_from_intr",
	"retint_kernel",
	"el1h_64_irq",
	"el1t_64_irq",
	"el1_irq",
	"el1_interrupt",
	"__el1_irq",
	"__irq_svc",
	"el1_fiq",
	"el1h_64_fiq",
};

static const char *const interrupt_exit[] = {
	"irqentry_exit",       "raw_irqentry_exit",	"irqentry_exit_cond_resched", "sysvec_",
	"common_interrupt",    "__common_interrupt",	"do_interrupt_handler",	      "exit_el1_",
	"exit_to_kernel_mode", "__exit_to_kernel_mode",
};

/* kernel/sched/core.c, wait.c, and the timer that wakes its sleeper. */
static const char *const wakers[] = {
	"try_to_wake_up", "wake_up_process", "wake_up_state",	"ttwu_",     "default_wake_function",
	"autoremove_",	  "woken_wake_",     "__wake_up",	"wake_up_q", "swake_up_",
	"wake_up_new_",	  "hrtimer_wakeup",  "process_timeout", "pollwake",  "ep_poll_callback",
	"ep_autoremove_", "complete",
};

#define HAS(list, name) has(list, sizeof(list) / sizeof((list)[0]), name)

static bool has(const char *const *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strncmp(name, list[i], strlen(list[i])))
			return true;
	return false;
}

static const char *name_at(const struct recording *r, uint32_t frame)
{
	const struct rec_location *l = &r->locations[r->frames[frame]];

	return l->why == WHY_NAMED ? recording_str(r, l->name) : "";
}

static bool is_helper(const char *name)
{
	return HAS(scheduler, name) || section_is_end(name) || HAS(interrupt, name) || HAS(interrupt_exit, name);
}

/* Frames that tell nothing, from `i` on. If no other follows, the last ones are better than none. */
static uint32_t skip_helpers(const struct recording *r, uint32_t i, uint32_t end)
{
	uint32_t first = i;

	while (i < end && is_helper(name_at(r, i)))
		i++;
	return i < end ? i : first;
}

/* The frame that the interrupt interrupted; `end`: there is none. */
static uint32_t interrupted(const struct recording *r, uint32_t i, uint32_t end)
{
	while (i < end && !HAS(interrupt, name_at(r, i)))
		i++;
	while (i < end && HAS(interrupt, name_at(r, i)))
		i++;
	return i;
}

static uint32_t first_frame(const struct recording *r, uint32_t i, uint32_t end, enum latency_stack kind)
{
	uint32_t first = i;

	switch (kind) {
	case STACK_OUT:
		return skip_helpers(r, i, end);
	case STACK_LATE:
		i = interrupted(r, i, end);
		return skip_helpers(r, i, end);
	case STACK_WAKER:
		while (i < end && (HAS(wakers, name_at(r, i)) || HAS(scheduler, name_at(r, i))))
			i++;
		return i < end ? i : first;
	default:
		return i;
	}
}

static size_t add(char buf[LATENCY_STACK_BYTES], size_t used, const char *between, const char *text)
{
	size_t bytes = strlen(between) + strlen(text);

	if (used + bytes >= LATENCY_STACK_BYTES)
		return used;
	strcpy(buf + used, between);
	strcat(buf + used, text);
	return used + bytes;
}

char *latency_stack_text(char buf[LATENCY_STACK_BYTES], const struct recording *r, int stack, enum latency_stack kind)
{
	const struct rec_stack *s;
	char frame[FRAME_BYTES];
	uint32_t first, i, end;
	size_t used = 0;

	buf[0] = '\0';
	if (stack < 0 || (size_t)stack >= r->n_stacks)
		return buf;
	s = &r->stacks[stack];
	first = s->first + (kind == STACK_USER ? s->kernel_frames : 0);
	end = s->first + s->kernel_frames + (kind == STACK_USER ? s->user_frames : 0);
	i = first = first_frame(r, first, end, kind);
	for (; i < end && i < first + FRAMES; i++) {
		text_cut(frame_text(frame, r, (int)r->frames[i], 0), FRAME_COLUMNS);
		used = add(buf, used, i > first ? " < " : "", frame);
	}
	if (i < end)
		add(buf, used, " < ", "...");
	return buf;
}
