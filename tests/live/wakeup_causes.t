#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Made causes of known length: each comes out first, with at least 80 % of the delays, and as long as the load itself
# says that it was. Loads and victim wake at multiples of the same interval, the victim a little later.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"
# shellcheck source=tests/live/profile.sh
. "$here/profile.sh"
# shellcheck source=tests/live/wakeup.sh
. "$here/wakeup.sh"
need_live
# shellcheck disable=SC2154 # rc and tids are set by end and load

every=(periodic -v -i 20000)
# victim [OPTION...]: 40 rounds, 0.5 ms after the loads
victim() { load victim "${every[@]}" -c "$cpu" -o 500 -n 40 -m victim "$@"; }
# keep [OPTION...]: a load that covers them
keep() { load keeper "${every[@]}" -n 45 -w 2500 -m keeper "$@"; }
# truth: how long the victim waited for it, by the clocks of both
truth() { overlap "$tmp/victim" "$tmp/keeper" | cut -d ' ' -f 1; }
# Loads make delays of 2 ms. Others, of what else runs on the machine, are not theirs.
longer_ns=1000000
# The other CPU has something to do, or the cause would be that the victim may not run there.
occupied() { load busy periodic -c "$other" -i 0 -n 1 -w 8000000 -m busy; }
leave() { kill_child "${pid[busy]}"; rm -f "$tmp"/busy.*; }

# --- tasks
if [ "$cpu" != "$other" ]; then
	occupied
	begin busy
fi
victim -p fifo:80
keep -c "$cpu" -p fifo:99
measure victim keeper
explained 'a task of better priority' task_better keeper "$(truth)"

victim -p fifo:80
keep -c "$cpu" -p fifo:80
measure victim keeper
explained 'a task of the same priority' task_same keeper "$(truth)"

victim -p fifo:80 -o 2000
keep -c "$cpu" -k kernel -w 6000 -p nice:-20
measure victim keeper
explained 'a kernel section that cannot be preempted' task_worse keeper "$(truth)"
like 'a kernel section: where it let go' "$(out_stack 0)" 'bpf|syscall|exit_to_user'

# A keeper that begins on time.
victim -p fifo:80
keep -c "$cpu" -k kernel -p fifo:10
measure victim keeper
explained 'a kernel section of a realtime task' task_worse keeper "$(truth)"

# Until the owner lets go: the waiter's own moment comes after that.
load boost boost "$cpu" 5000 40
target="-t ${tids[boost]##* }"
measure boost
target=
explained 'an owner that was lent a better priority' task_boosted owner \
	"$(awk '$1 == "round" { from = $2 > $4 ? $2 : $4; to = $3 < $5 ? $3 : $5; if (to > from) sum += to - from } END { print sum }' "$tmp/boost")"
is 'an owner that was lent a better priority: by whom' "$(json '[.latency.cases[0].parts[] | select(.cause == "task_boosted") | .by] | unique | join(" ")')" waiter

# --- interrupts
victim -p fifo:80
keep -c "$other" -k irqsoff -x "$cpu" -p fifo:10
measure victim keeper
if [ "$cpu" = "$other" ]; then
	skip 'an interrupt of another CPU' 'one CPU'
elif uname -m | grep -q x86; then
	explained "a timer behind another CPU's call" 'timer_behind|vector' 'function call' "$(truth)"
else
	explained "a timer behind another CPU's call" timer_irqs_off '' "$(truth)"
fi

if [ "$is_rt" ]; then
	skip 'a softirq' 'PREEMPT_RT runs them in threads'
else
	victim -p fifo:80
	keep -c "$cpu" -k softirq -p fifo:10
	measure victim keeper
	explained 'a softirq' softirq '' "$(truth)"
	is 'a softirq: which' "$(json 'first(.latency.causes[] | select(.cause == "softirq" and .ns > 1000000) | .id)')" 3
fi

[ "$cpu" = "$other" ] || leave

# irq_cpu FILE: the CPU that has the interrupts of that file's disk; nothing if it has none of a line
irq_cpu() {
	local at
	for at in "${cpus[@]}"; do
		"$WORKLOADS/periodic" -n 15 -i 2000 -k hardirq -w 10 -x "$at" -D "$1" </dev/null >"$tmp/irq" 2>&1 || return
		[ "$(told irq work count)" -lt 5 ] || { echo "$at"; return; }
	done
}
disk=$(mktemp "${TMPDIR:-/var/tmp}/kbpfprof-disk.XXXXXX")
at_exit "rm -f '$disk'"
head -c 4096 /dev/urandom >"$disk"
sync "$disk"
at=$(irq_cpu "$disk")
if [ "$at" ]; then
	load victim "${every[@]}" -c "$at" -o 1000 -n 40 -p fifo:80 -m victim
	load keeper "${every[@]}" -n 45 -w 2500 -m keeper -p fifo:10 -k hardirq -x "$at" -D "$disk"
	measure victim keeper
	line=$(causes | sed -nE '1s/^timer_behind [0-9]+ timer late: behind (.+)$/\1/p')
	explained 'a timer behind the interrupt of a disk' 'timer_behind|hardirq' "$line" "$(truth)"
	ok 'the interrupt of a disk has the name of its line' grep -qE "^ *[0-9]+:.* ${line:-none}\$" /proc/interrupts
else
	skip 'the interrupt of a disk' 'no disk with an interrupt of its own takes O_DIRECT'
fi

# --- limits: the victim does not stop to work, and sees when it did not run
of=preempted
gaps() { awk -v longer="$longer_ns" '$1 == "gap" && $3 - $2 >= longer { sum += $3 - $2 } END { printf "%.0f\n", sum }' "$tmp/victim"; }

if cpu_cgroup; then
	quota "$cgroup" 20000 100000
	weight "$cgroup" # or others that run would keep it waiting, too
	within="in_cgroup $cgroup"
	load victim periodic -i 0 -n 1 -w 2000000 -c "$cpu" -m victim
	within=
	before=$(throttled_ns "$cgroup")
	measure victim
	throttled=$(($(throttled_ns "$cgroup") - before))
	explained 'a CPU quota' quota '' $throttled
	longer_ns=0
	# A wait whose start was not seen is one of some twenty.
	within 'a CPU quota: as in cpu.stat' "$(pct "$(cause_ns quota)" $throttled)" $((98 - 6 * $(counted no_start))) 102
	longer_ns=1000000
	quota "$cgroup" -1 100000
else
	skip 'a CPU quota' 'there is no CPU controller'
fi

if [ -e "${cgroup:-/none}/cpu.rt_runtime_us" ]; then
	echo 10000 >"$cgroup/cpu.rt_runtime_us" && echo 100000 >"$cgroup/cpu.rt_period_us"
	for beside in '' busy; do
		within="in_cgroup $cgroup"
		load victim periodic -v -i 0 -n 1 -w 2000000 -c "$cpu" -p fifo:50 -u -m victim
		within=
		[ -z "$beside" ] || load busy periodic -c "$cpu" -i 0 -n 1 -w 8000000 -m busy
		measure victim $beside
		explained "RT throttling${beside:+ beside a task that runs}" rt_throttled '' "$(gaps)"
	done
else
	skip 'RT throttling' 'this kernel has none for groups (CONFIG_RT_GROUP_SCHED)'
fi

load victim periodic -v -i 20000 -n 40 -w 5000 -p dl:2000,10000 -m victim
measure victim
explained 'a DEADLINE budget' dl_budget '' "$(gaps)"
of=wakeups

# --- affinity
if [ "$cpu" != "$other" ]; then
	victim -p fifo:80
	keep -c "$cpu" -p fifo:90
	ticks() { awk -v cpu="cpu$other" '$1 == cpu { print $5, $2 + $3 + $4 + $5 + $6 + $7 + $8 + $9 }' /proc/stat; }
	read -r idle all < <(ticks)
	measure victim keeper
	read -r idle_now all_now < <(ticks)
	idle_pct=$((100 * (idle_now - idle) / (all_now - all)))
	share_pct=$(pct "$(cause_ns affinity keeper)" "$(cause_ns 'affinity|task_better' keeper)")
	# A wait counts if the other CPU was idle all the time.
	if [ $idle_pct -ge 15 ]; then
		within "affinity: its share, the other CPU being idle for $idle_pct %" "$share_pct" $((idle_pct / 3)) 100
	else
		skip 'affinity: its share' "the other CPU is idle for $idle_pct % only"
	fi
	if [ $idle_pct -ge 85 ]; then
		like 'affinity: the first cause' "$(causes | head -n 1)" '^affinity .*keeper'
	else
		skip 'affinity: the first cause' "the other CPU is idle for $idle_pct % only"
	fi
else
	skip 'affinity' 'one CPU'
fi

longer_ns=0

# --- slack: the kernel may wake it so much later, and does if nothing else happens before
slack_ns() { json '[.latency.cases[].parts[] | select(.cause == "timer_slack") | .ns] | max'; }
for slack in 50000 400000; do
	load victim periodic -i 10000 -n 100 -c "$cpu" -s $slack -m victim
	measure victim
	within "timer slack of $slack ns: not more than that a time" $(($(cause_ns timer_slack) / $(counted timers))) 0 $slack
	within "timer slack of $slack ns: all of it, once at least" "$(slack_ns)" $((slack * 9 / 10)) $slack
done
load victim periodic -i 10000 -n 100 -c "$cpu" -s 400000 -p fifo:80 -m victim
measure victim
is 'timer slack: none of realtime tasks' "$(cause_ns timer_slack)" 0

finish
