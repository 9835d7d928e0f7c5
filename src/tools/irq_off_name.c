/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of places where interrupts or preemption were off. */
#include <stdio.h>

#include "symbols/section_end.h"
#include "tools/irq_off.h"

/* "" if it has no name. */
static const char *function_of(const struct recording *r, const struct rec_location *l)
{
	return l->why == WHY_NAMED ? recording_str(r, l->name) : "";
}

int irq_off_name(struct recording *r, int stack)
{
	const struct rec_stack *s = &r->stacks[stack];
	const struct rec_location *first = NULL, *found = NULL;
	char text[512];

	for (uint32_t i = s->first; i < s->first + s->kernel_frames && !found; i++) {
		const struct rec_location *l = &r->locations[r->frames[i]];
		const char *function = function_of(r, l);

		if (!*function)
			break; /* what is beyond it is another function's */
		if (!first)
			first = l;
		if (!section_is_end(function) && !section_is_lock(function))
			found = l;
	}
	if (!found)
		found = first;
	if (!found)
		return 0;
	if (r->mappings[found->mapping].kind != MAPPING_MODULE)
		return recording_string(r, function_of(r, found));
	snprintf(text, sizeof(text), "%.400s [%.100s]", function_of(r, found),
		 recording_str(r, r->mappings[found->mapping].name));
	return recording_string(r, text);
}
