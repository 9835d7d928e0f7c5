#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# irq --work: works by function, as many as the kernel's own tracer saw, with the waits that it saw; a known number of
# them, and a known wait. Writing to vm.stat_refresh queues one of refresh_vm_stats() for each CPU and waits for them.
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
# shellcheck disable=SC2154 # rc, cpu, other, cpus are set by others

events=(workqueue:workqueue_queue_work workqueue:workqueue_execute_start)
refresh="s.kind = 'work' AND s.text = 'refresh_vm_stats'"
rounds=200

refreshes() {
	local i
	for ((i = 0; i < rounds; i++)); do echo 1 >/proc/sys/vm/stat_refresh; done
}

# --- a known number
traced "${events[@]}" -- --work -- refreshes
is 'a known number: exit status' "$rc" 0
is 'a known number: nothing lost' "$(lost)" 0
ok 'a known number: the tracer has all' not_dropped
each=$((rounds * ${#cpus[@]}))
all=$(trace_awk 'event == "workqueue_execute_start" && /function refresh_vm_stats/ { n++ } END { print n + 0 }')
nearly_all 'a known number: of runs' "$(sum count run "$refresh")" "$each" "$all"
nearly_all 'a known number: of waits' "$(sum count wait "$refresh")" "$each" "$all"
is 'a known number: each CPU has its own' "$(ask "SELECT count(DISTINCT r.cpu) FROM irq_rows r JOIN $sources ON s.id = r.source WHERE $refresh")" "${#cpus[@]}"
within 'a known number: waits without a beginning' "$(row no_start "$refresh")" 0 $((4 + each / 50))
is 'a known number: other groups are not there' "$(ask "SELECT count(*) FROM irq_sources WHERE kind NOT IN ('work', 'tasklet')")" 0

# Sums of the waits, from the tracer: by work, since it was queued.
traced_ns=$(trace_awk '
	{ match($0, /(struct=|struct )0*x?[0-9a-f]+/); work = substr($0, RSTART + 7, RLENGTH - 7) }
	event == "workqueue_queue_work" { since[work] = seconds }
	event == "workqueue_execute_start" && /function refresh_vm_stats/ && work in since { ns += (seconds - since[work]) * 1e9 }
	END { printf "%.0f", ns }')
within 'waits are those that the tracer saw' "$(sum sum_ns wait "$refresh")" $((traced_ns * 7 / 10)) $((traced_ns * 14 / 10 + each * 5000))

# --- every function
functions_in_bracket() {
	ask "SELECT s.text, sum(h.count) FROM irq_histograms h JOIN $sources ON s.id = h.source WHERE h.measure = 'run' AND s.kind = 'work' GROUP BY 1" >"$tmp/functions"
	trace_awk 'event == "workqueue_execute_start" {
			match($0, /function /)
			name = substr($0, RSTART + 9)
			all[name]++
			if (inside) low[name]++
		}
		END { for (f in all) printf "%s\t%d\t%d\n", f, low[f], all[f] }' >"$tmp/traced"
	awk -F '\t' '
	FNR == NR { tool[$1] = $2; next }
	{ seen[$1]; if (tool[$1] + 0 < $2 - 3 - $2 / 50 || tool[$1] + 0 > $3) { print $1 ": " tool[$1] + 0 ", traced " $2 " to " $3; wrong++ } compared++ }
	END {
		for (f in tool) if (!(f in seen)) { print f ": not traced"; wrong++ }
		print compared + 0, "functions"
		exit wrong > 0 || compared < 2
	}' "$tmp/functions" "$tmp/traced"
}
load_of_all() {
	refreshes
	dd if=/dev/urandom of="$disk" bs=65536 count=64 conv=fsync
	sync "$disk"
}
disk=$(mktemp "${TMPDIR:-/var/tmp}/kbpfprof-disk.XXXXXX")
at_exit "rm -f '$disk'"
traced "${events[@]}" -- --work -- load_of_all
ok 'every function as often as the tracer saw it' functions_in_bracket
# Those that flush_work() queues itself are not told when queued.
if [ "$(sum count run "s.text = 'wq_barrier_func'")" -gt 0 ]; then
	is 'barriers: no wait is invented' "$(sum count wait "s.text = 'wq_barrier_func'")" 0
	within 'barriers: but told' "$(row no_start "s.text = 'wq_barrier_func'")" 1 1000000
else
	is 'barriers: none' "$(row no_start "s.text = 'wq_barrier_func'")" 0
	skip 'barriers: but told' 'nothing had to wait'
fi
run "$KBPFPROF" report --top 0 "$tmp/kbpf"
like 'the report has them' "$out" 'refresh_vm_stats'

# --- a known wait: a FIFO task has the CPU, and the work has to wait for it
hog() { # FIFO 60, for 300 ms
	# shellcheck disable=SC2016 # in the other shell
	taskset -c "$cpu" chrt -f 60 bash -c 'us=${EPOCHREALTIME/[.,]/}; end=$((us + 300000)); echo; while [ "$us" -lt $end ]; do us=${EPOCHREALTIME/[.,]/}; done'
}
late() {
	local us
	# shellcheck disable=SC2094
	{
		read -r _
		us=${EPOCHREALTIME/[.,]/}
		taskset -c "$other" bash -c 'echo 1 >/proc/sys/vm/stat_refresh'
		us=$((${EPOCHREALTIME/[.,]/} - us))
	} < <(hog)
	echo "took $us"
}
if [ "$cpu" != "$other" ] && chrt -f 60 true 2>/dev/null; then
	traced "${events[@]}" -- --work --worst 4 -- late
	took=$(sed -n 's/^took //p' "$tmp/load")000
	longest=$(ask "SELECT coalesce(max(h.max_ns), 0) FROM irq_histograms h JOIN $sources ON s.id = h.source WHERE h.measure = 'wait' AND h.cpu = $cpu AND $refresh")
	traced_longest=$(trace_awk '
		{ match($0, /(struct=|struct )0*x?[0-9a-f]+/); work = substr($0, RSTART + 7, RLENGTH - 7) }
		event == "workqueue_queue_work" { since[work] = seconds }
		event == "workqueue_execute_start" && cpu == of && /function refresh_vm_stats/ && work in since {
			ns = (seconds - since[work]) * 1e9
			if (ns > longest) longest = ns
		}
		END { printf "%.0f", longest }' -v of="$cpu")
	within 'a known wait: no longer than the writer took' "$longest" 1 "$took"
	within 'a known wait: as the tracer saw it' "$longest" $((traced_longest * 9 / 10)) $((traced_longest * 11 / 10 + 100000))
	is 'a known wait: it is among the worst' "$(ask "SELECT count(*) > 0 FROM irq_cases c JOIN $sources ON s.id = c.source
		WHERE c.list = 'works' AND c.measure = 'wait' AND $refresh AND c.total_ns = $longest")" 1
else
	skip 'a known wait' 'one CPU, or no FIFO task'
fi

# --- one CPU
if [ "$cpu" != "$other" ]; then
	traced "${events[@]}" -- --work -C "$cpu" -- refreshes
	all=$(trace_awk 'event == "workqueue_execute_start" && cpu == of && /function refresh_vm_stats/ { n++ } END { print n + 0 }' -v of="$cpu")
	nearly_all "-C $cpu: its works" "$(sum count wait "$refresh")" $rounds "$all"
	is "-C $cpu: no other CPU" "$(ask 'SELECT DISTINCT cpu FROM irq_rows')" "$cpu"
else
	skip '-C' 'one CPU'
fi

finish
