/* SPDX-License-Identifier: GPL-2.0-only */
/* Interrupts in the JSON report: what is not known, and whatever names hold. What jq makes of it: tests/cli/json.t. */
#include "irq_build.h"

static char *draw(struct recording *r)
{
	char *text = build_view("json", r, (struct view_options){ 0 });

	recording_free(r);
	return text;
}

static void test_unknown_is_null(void **state)
{
	struct recording *r = irq_new(1);
	int work = irq_named(r, IRQ_WORK, 0, ""), ipi = irq_named(r, IRQ_IPI, 99, "");
	struct rec_irq_behind b = { .source = work, .prio_class = 1, .count = 1, .ns = 5 };
	struct rec_irq_sender s = { .vector = 99, .context = IRQ_IN_HARDIRQ, .stack = -1, .count = 2 };
	struct rec_irq_place p = { .kind = IRQ_PREEMPT_OFF, .stack = -1, .exact = true, .count = 3, .ns = 4 };
	char *text;

	(void)state;
	irq_on(r, work, 0)->no_start = 7;
	irq_waited(r, ipi, 0, 100, 1);
	assert_int_equal(irq_behind(r->irq, &b), 0);
	assert_int_equal(irq_sender(r->irq, &s), 0);
	assert_int_equal(irq_place(r->irq, &p), 0);
	r->irq->no_preempt_depth = true;
	r->irq->probe_ns = 1000;
	text = draw(r);
	has(text, "\"filter\": null");
	has(text, "\"above_ns\": null");
	has(text, "\"storm_count\": null");
	has(text, "\"probe_fires\": 0");
	has(text, "\"probe_preempt_fires\": null");
	has(text, "{\"kind\":\"work\",\"number\":null,\"name\":null,\"text\":\"unknown function\",\"affinity\":null,"
		  "\"effective_affinity\":null,\"tid\":null}");
	has(text, "\"peak_count\": null");
	has(text, "\"storms\": null");
	has(text, "\"no_start\": 7");
	has(text, "\"run\": null");
	has(text,
	    "\"wait\": {\"count\":1,\"sum_ns\":100,\"min_ns\":100,\"max_ns\":100,\"max_time\":null,\"p50_ns\":null,");
	has(text, "{\"source\":0,\"comm\":null,\"priority\":\"same\",\"count\":1,\"ns\":5,\"max_ns\":null}");
	has(text, "{\"number\":99,\"text\":null,\"callsite\":null,\"context\":\"hardirq\",\"comm\":null,\"count\":2,"
		  "\"stack\":null}");
	has(text, "{\"kind\":\"preempt_off\",\"name\":null,\"exact\":true,\"count\":3,\"ns\":4,\"max_ns\":null,"
		  "\"stack\":null}");
	free(text);
}

/* A softirq that waited was raised by somebody, in an interrupt or a task; a run, or other work, was not. */
static void test_who_raised(void **state)
{
	struct recording *r = irq_new(2);
	int net = irq_named(r, IRQ_SOFTIRQ, NET_RX, "");
	struct rec_irq_case c = irq_case_of(IRQ_WORST_RAISED, IRQ_WAIT, net, 300);
	char *text;

	(void)state;
	c.by = IRQ_IN_HARDIRQ;
	c.by_kind = SPAN_HARDIRQ;
	c.by_id = 45;
	irq_give(r, c);
	c.by = IRQ_IN_TASK;
	c.by_kind = SPAN_NONE;
	irq_give(r, c);
	c = irq_case_of(IRQ_WORST_SOFT, IRQ_RUN, net, 5000);
	c.net_ns = 4000;
	c.task = irq_task_of(r, "swapper/1", 0, 120);
	c.stack = IRQ_STACK(r, "net_rx_action", "__do_softirq");
	irq_give(r, c);
	text = draw(r);
	has(text, "\"raised_by\": {\"context\":\"hardirq\",\"kind\":\"hardirq\",\"number\":45}");
	has(text, "\"raised_by\": {\"context\":\"task\",\"kind\":null,\"number\":null}");
	has(text,
	    "\"total_ns\": 5000,\n        \"net_ns\": 4000,\n        \"time\": \"2023-11-14T22:13:23.123456789Z\",\n"
	    "        \"raised_by\": null,\n        \"runnable\": null,\n"
	    "        \"task\": {\"comm\":\"swapper/1\",\"pid\":0,\"tid\":0,\"prio\":120,\"prio_text\":\"OTHER\"},\n"
	    "        \"delayed\": null,\n        \"stack\": [0,1]");
	has(text, "\"symbol\":\"net_rx_action\"");
	free(text);
}

static void test_hostile_names(void **state)
{
	struct recording *r = irq_new(1);
	int line = irq_line(r, 45, "e\xff\"th\n0", "0\x1b[2J", "");
	struct rec_irq_place p = { .kind = IRQ_IRQS_OFF, .name = recording_string(r, "</script>"), .stack = -1 };
	char *text;

	(void)state;
	irq_ran(r, line, 0, 100, 1);
	assert_int_equal(irq_place(r->irq, &p), 0);
	strcpy(r->irq->filter, "irq \xfe");
	text = draw(r);
	has(text, "\"name\":\"e\\ufffd\\\"th\\n0\"");
	has(text, "\"affinity\":\"0\\u001b[2J\"");
	has(text, "\"filter\": \"irq \\ufffd\"");
	has(text, "\"name\":\"\\u003c/script>\"");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unknown_is_null),
		cmocka_unit_test(test_who_raised),
		cmocka_unit_test(test_hostile_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
