#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Idle: its share against /proc/stat, and interrupt work in the idle task, which is no idling.
#
# Samples that are due while a CPU rests may not come (a hypervisor may stop the timer): then they are "not
# delivered". So the idle time of /proc/stat lies between idle, and idle with what was not delivered.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"
# shellcheck source=tests/live/profile.sh
. "$here/profile.sh"
# shellcheck source=tests/live/books.sh
. "$here/books.sh"
need_live

# In points; /proc/stat counts in ticks and is not read when the profiler starts and ends.
tolerance=7
# In a virtual machine a timer that is late in idle often comes together with the packet that ends it, and
# finds the softirq: 13 points were seen.
tolerance_packets=20

# idle_ticks [CPU]: ticks that this CPU was idle, or all were
idle_ticks() { awk -v cpu="cpu${1:-}" '$1 == cpu { print $5 + $6 }' /proc/stat; }
now_us() { echo "${EPOCHREALTIME/[.,]/}"; }

# watch SECONDS CPUS [CPU]: meanwhile; leaves in $stat_idle the percentage of /proc/stat for that CPU, or all
watch() {
	local ticks begin_us
	ticks=$(idle_ticks "${3:-}") begin_us=$(now_us)
	sleep "$1"
	stat_idle=$(awk -v ticks=$(($(idle_ticks "${3:-}") - ticks)) -v us=$(($(now_us) - begin_us)) -v cpus="$2" \
		-v hz="$(getconf CLK_TCK)" 'BEGIN { printf "%.1f\n", 100 * ticks / hz / (us / 1e6) / cpus }')
}

# agrees NAME TOLERANCE: idle of the books with $stat_idle
agrees() {
	local due idle missing
	due=$(part due) idle=$(part idle) missing=$(part 'not delivered')
	[ "$missing" -ge 0 ] || missing=0
	within "$1: idle as in /proc/stat" "$stat_idle" \
		"$(awk -v p="$(pct "$idle" "$due")" -v t="$2" 'BEGIN { print p - t }')" \
		"$(awk -v p="$(pct $((idle + missing)) "$due")" -v t="$2" 'BEGIN { print p + t }')"
}

# --- one CPU busy, the others as they are
occupy "${cpus[0]}" "$WORKLOADS/share" 60
start -e cpu-clock -F 999 --idle
watch 3 ${#cpus[@]}
end INT
is 'one CPU busy: exit status' "$rc" 0
ok 'one CPU busy: the books balance' books_balance
agrees 'one CPU busy' $tolerance
shown=$(number '^CPU time: .* busy, ' ' % idle')
within 'one CPU busy: the header states the share of the books' "$shown" \
	"$(awk -v p="$(pct "$(part idle)" $(($(part idle) + $(part kept))))" 'BEGIN { print p - 0.2 }')" \
	"$(awk -v p="$(pct "$(part idle)" $(($(part idle) + $(part kept))))" 'BEGIN { print p + 0.2 }')"
if [ "$(part idle)" -gt 0 ]; then
	is '--idle: a row of that share' "$(rows | awk '$2 == "[idle]" { printf "%.1f\n", $1 }')" "$shown"
else
	skip '--idle: a row of that share' 'no sample of idle time came'
fi
run "$KBPFPROF" profile -e cpu-clock -F 999 -d 1s
is 'without --idle: no such row' "$(rows | grep -cF '[idle]')" 0
like 'without --idle: the header states it' "$out" '^CPU time: .* % idle'
release

# --- packets arrive at a CPU that has nothing else to do: softirqs in the idle task
to=${cpus[-1]} without=
[ ${#cpus[@]} -gt 1 ] || without='needs two CPUs'
! uname -v | grep -q PREEMPT_RT || without='PREEMPT_RT runs softirqs in threads'
if [ "$without" ]; then
	skip 'packets: softirqs in the idle task' "$without"
	finish
	exit
fi
watch 1 1 "$to"
rested=$stat_idle
occupy "${cpus[0]}" "$WORKLOADS/flood" 60 "$to"
start -e cpu-clock -F 999 -C "$to" --idle -f folded
received() { awk -v column=$((to + 2)) '$1 == "NET_RX:" { print $column }' /proc/softirqs; }
before=$(received)
watch 3 1 "$to"
after=$(received)
end INT
release
is 'packets: exit status' "$rc" 0
# The column of /proc/softirqs is the CPU's only where no CPU before it is missing.
within 'packets: softirqs on that CPU' $((after - before)) 1000 1000000000
ok 'packets: the books balance' books_balance
agrees 'packets' $tolerance_packets
softirq='^swapper/[0-9]+;.*;(net_rx_action|__napi_poll|process_backlog|handle_softirqs|__do_softirq|__softirqentry_text_start)_\[k\]'
if awk -v p="$rested" 'BEGIN { exit !(p < 50) }'; then
	skip 'packets: the idle task is busy with softirqs' "that CPU has other work, it was idle for $rested %"
else
	within 'packets: the idle task is busy with softirqs' "$(pct "$(count "$softirq")" "$(part due)")" 1 100
	within 'packets: so much less is idle' "$stat_idle" 0 "$(awk -v p="$rested" 'BEGIN { print p - 5 }')"
fi
# What the idle task shows is interrupt work and nothing else.
is 'packets: no sample of the idle task without it' \
	"$(count '^swapper/')" "$(count '^swapper/.*(irq|interrupt|sysvec|softirq)')"

finish
