#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# irq --ipi: interrupts between CPUs, as many as /proc/interrupts counts; a known number of them, whose sender is known;
# and how long they were on their way, against the kernel's own tracer. membarrier(2) calls a function on each CPU that
# runs another thread of its process, which then has no other choice than to be interrupted.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"
# shellcheck source=tests/live/profile.sh
. "$here/profile.sh"
# shellcheck source=tests/live/wakeup.sh
. "$here/wakeup.sh"
# shellcheck source=tests/live/irq.sh
. "$here/irq.sh"
# shellcheck source=tests/live/irq_trace.sh
. "$here/irq_trace.sh"
need_live
need_tracer
# shellcheck disable=SC2034 # of nearly_all
unseen=20 # of what CPUs send each other
# shellcheck disable=SC2154 # rc, cpu, other are set by others
[ "$cpu" != "$other" ] || skip_all 'one CPU'

# What the kernel tells of senders, and where; enum span_vector of each kind of interrupt, and its name in /proc.
if uname -m | grep -q x86; then
	sends=(ipi:ipi_send_cpu ipi:ipi_send_cpumask) begins=(irq_vectors:call_function_single_entry irq_vectors:reschedule_entry)
	call=3 calls='2, 3' reschedule=1 irq_work=4
	call_name=vector:CAL reschedule_name=vector:RES irq_work_name=vector:IWI
else
	sends=(ipi:ipi_raise) begins=(ipi:ipi_entry)
	call=11 calls=11 reschedule=10 irq_work=13
	call_name=vector:IPI_Function reschedule_name=vector:IPI_Rescheduling irq_work_name=vector:IPI_IRQ
fi
if ! [ -d "${tracer%/instances/*}/events/${sends[0]/://}" ]; then
	run timeout -k 1 60 "$KBPFPROF" irq --ipi -d 1
	is 'without its tracepoints: exit status' "$rc" 4
	like 'without its tracepoints: and why' "$err" '^kbpfprof irq: --ipi: .*6\.4'
	finish
	exit
fi

rounds=2000
ipi="s.kind = 'ipi'"
calls_here="$ipi AND s.number IN ($calls) AND h.cpu = $cpu"
# begun NUMBERS [CPU]: interrupts that began, with and without a known wait
begun() {
	local of=${2:+AND h.cpu = $2} at=${2:+AND r.cpu = $2}
	echo $(($(sum count wait "$ipi AND s.number IN ($1) $of") + $(row no_start "$ipi AND s.number IN ($1) $at")))
}
# sent NUMBERS [CONDITION]
sent() { ask "SELECT coalesce(sum(i.count), 0) FROM irq_senders i JOIN strings c ON c.id = i.comm WHERE i.vector IN ($1) AND ${2:-1}"; }
# in_proc NAME [CPU] -> low high
in_proc() {
	awk -v name="$1" -v cpu="${2:-}" '$1 == name && (cpu == "" || $2 == cpu) { n[FILENAME] += $3 }
	END { print n[ARGV[3]] - n[ARGV[2]], n[ARGV[4]] - n[ARGV[1]] }' "$tmp/before" "$tmp/in" "$tmp/out_counts" "$tmp/after"
}
# as_in_proc NAME NUMBERS PROC_NAME [CPU]
as_in_proc() {
	local low high
	read -r low high < <(in_proc "$3" "${4:-}")
	nearly_all "$1" "$(begun "$2" "${4:-}")" "$low" "$high"
}
send_calls() { "$WORKLOADS/ipis" "$cpu" $rounds 100; }
wake() { "$WORKLOADS/pingpong" 3000 "$cpu" "$other" </dev/null; }

# --- a known number, of a known sender
bracket --ipi -- send_calls
is 'a known number: exit status' "$rc" 0
is 'a known number: nothing lost' "$(lost)" 0
as_in_proc 'a known number: as many as in /proc' "$calls" "$call_name" "$cpu"
nearly_all 'a known number: they began there' "$(begun "$calls" "$cpu")" $rounds 1000000000
nearly_all 'a known number: and are told by their sender' "$(sent "$calls" "c.text = 'ipis' AND i.context = 'task'")" $rounds $((rounds + rounds / 10 + 100))
within 'a known number: most with a wait' "$(sum count wait "$calls_here")" $((rounds * 9 / 10)) 1000000000
unlike 'a known number: the place that sent has a name' "$(ask "SELECT p.text FROM irq_senders i JOIN strings p ON p.id = i.callsite JOIN strings c ON c.id = i.comm
	WHERE i.vector = $call AND c.text = 'ipis'")" '^(0x.*)?$'
is 'a known number: other groups are not there' "$(ask "SELECT count(*) FROM irq_sources WHERE kind <> 'ipi'")" 0
run "$KBPFPROF" report "$tmp/kbpf"
like 'the report has the sender' "$out" 'IPI .*call.* by ipis'

# --- everything that was sent began, or was joined with one that had not begun
everything() {
	send_calls
	wake
}
bracket --ipi -- everything
as_in_proc 'all: function calls' "$calls" "$call_name"
as_in_proc 'all: rescheduling' $reschedule "$reschedule_name"
as_in_proc 'all: irq_work' $irq_work "$irq_work_name"
within 'all: some to reschedule' "$(begun $reschedule)" 1 1000000000
for of in "$calls" $reschedule; do
	accounted=$(($(begun "$of") + $(row joined "$ipi AND s.number IN ($of)")))
	within "all: those sent are those that began ($of)" "$(sent "$of")" $((accounted * 95 / 100 - 20)) $((accounted * 105 / 100 + 20))
done

# --- how long
traced "${sends[@]}" "${begins[@]}" -- --ipi -- send_calls
ok 'waits: the tracer has all' not_dropped
# Others' calls, before the load and after it, are in the tool's run or before it.
read -r traced_count traced_ns all_count all_ns < <(trace_awk '
	function is_call() { return event == "ipi_raise" ? /Function call/ : event == "ipi_send_cpu" && !/callback=(0x0+|\(null\)|0+)$/ }
	function to_us() {
		if (event == "ipi_raise") return 1 # two CPUs at least: the other one is that of the load
		match($0, / cpu=[0-9]+/)
		return substr($0, RSTART + 5, RLENGTH - 5) == of
	}
	is_call() && cpu != of && to_us() && !since { since = seconds }
	cpu == of && (event == "call_function_single_entry" || (event == "ipi_entry" && /Function call/)) && since {
		wait = (seconds - since) * 1e9
		all++; all_ns += wait
		if (inside) { n++; ns += wait }
		since = 0
	}
	END { printf "%d %.0f %d %.0f\n", n, ns, all, all_ns }' -v of="$cpu")
within 'waits: there are as many' "$(sum count wait "$calls_here")" $((traced_count * 9 / 10 - 20)) $((all_count * 11 / 10 + 100))
mean=$(ask "SELECT coalesce(sum(h.sum_ns) / sum(h.count), 0) FROM irq_histograms h JOIN $sources ON s.id = h.source WHERE h.measure = 'wait' AND $calls_here")
means=$(printf '%s\n' $((traced_count ? traced_ns / traced_count : 0)) $((all_count ? all_ns / all_count : 0)) | sort -n)
within 'waits: the mean is that of the tracer' "$mean" $((${means%$'\n'*} / 2 - 3000)) $((${means#*$'\n'} * 3 / 2 + 3000))
is 'waits: the longest is among the worst' "$(ask "SELECT max(h.max_ns) = (SELECT max(total_ns) FROM irq_cases WHERE list = 'ipis') FROM irq_histograms h JOIN $sources ON s.id = h.source WHERE $ipi")" 1

# --- from where
bracket --ipi --stacks -- send_calls
nearly_all '--stacks: as many' "$(sent "$calls" "c.text = 'ipis' AND i.stack IS NOT NULL")" $rounds 1000000000
run "$KBPFPROF" report --top 0 "$tmp/kbpf"
like '--stacks: the report shows from where' "$out" 'membarrier'

# --- one CPU: those that are sent to it
bracket --ipi -C "$cpu" -- send_calls
as_in_proc "-C $cpu: as many as in /proc" "$calls" "$call_name" "$cpu"
is "-C $cpu: no other CPU" "$(ask 'SELECT DISTINCT cpu FROM irq_rows')" "$cpu"
nearly_all "-C $cpu: who sends may be on another one" "$(sent "$calls" "c.text = 'ipis' AND i.context = 'task'")" $rounds 1000000000

finish
