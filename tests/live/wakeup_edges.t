#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What tools like this one got wrong: who woke whom from an interrupt, tasks that move while they wait, several runs of
# the same culprit, first sights, what another program at the same time changes.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"
# shellcheck source=tests/live/profile.sh
. "$here/profile.sh"
# shellcheck source=tests/live/wakeup.sh
. "$here/wakeup.sh"
need_live
# shellcheck disable=SC2154 # rc, pid and tids are set by end and load

# --- a timer's interrupt wakes, and the task that it interrupted does not
load victim periodic -i 20000 -n 50 -c "$cpu" -p fifo:80 -m victim
load spinner periodic -c "$cpu" -i 0 -n 1 -w 3000000 -m spinner
with='--above 1ns'
measure victim spinner
with=
case $(uname -m) in
x86_64)
	is 'woken by a timer: from its interrupt' "$(json '[.latency.cases[] | select(.kind == "timer") | "\(.waker.context) \(.waker.id)"] | unique | join(" ")')" 'vector 0' ;;
*)
	is 'woken by a timer: from its interrupt' "$(json '[.latency.cases[] | select(.kind == "timer") | .waker.context] | unique | join(" ")')" hardirq ;;
esac
# Others may run as well.
within 'woken by a timer: the task that was interrupted' "$(json '[.latency.cases[] | select(.above and .kind == "timer" and .waker.comm == "spinner")] | length')" 5 50
is 'woken by a timer: nobody waited for the task itself' "$(json '[.latency.causes[] | select(.name == "victim")] | length')" 0

# --- who keeps it from running, by name: three runs of one, and a bit of another
load victim periodic -v -i 20000 -o 200 -n 30 -c "$cpu" -p fifo:50 -m victim
load filler periodic -v -i 20000 -n 35 -w 7000 -c "$cpu" -p fifo:60 -m filler
load hog periodic -v -i 2500 -n 280 -w 2000 -c "$cpu" -p fifo:70 -m hog
load busy periodic -c "$other" -i 0 -n 1 -w 3000000 -m busy
begin busy
measure victim hog filler
hog_ns=$(cause_ns task_better hog)
like 'preempted by several: the first' "$(causes | head -n 1)" '^task_better .*hog'
within 'preempted by several: its time, of the true one' "$(pct "$hog_ns" "$(overlap "$tmp/victim" "$tmp/hog" | cut -d ' ' -f 1)")" 90 110
within 'preempted by several: the other one has the rest' "$(pct "$(cause_ns task_better filler)" "$(cause_ns)")" 5 30
# One or the other of 2 ms may have been longer.
within 'preempted by several: runs are counted' "$(json '[.latency.cases[].parts[] | select(.name == "hog" and .ns > 5000000 and .spans >= 3)] | length')" 10 16

# --- moved while it waits
if [ "$cpu" != "$other" ]; then
	load bounce bounce "$cpu" "$other" 100 10
	target="-t ${tids[bounce]}"
	measure bounce
	target=
	nearly 'moved 100 times while it waits: one wait' "$(counted timers)" 10
	is 'moved 100 times: counted once a wait' "$(counted migrated)" "$(counted timers)"
	is 'moved 100 times: so many moves' "$(json '[.latency.cases[] | select(.kind == "timer") | .moves] | unique | join(" ")')" \
		"$(awk '$1 == "round" && $4 >= 0 { print $4; none = 1 } END { if (!none) print 100 }' "$tmp/bounce" | sort -un | xargs)"
	is 'moved 100 times: where it ran at last' "$(json '[.latency.cases[] | select(.kind == "timer") | .cpu] | unique | join(" ")')" \
		"$(awk '$1 == "round" { print $5 }' "$tmp/bounce" | sort -un | xargs)"
	within 'moved 100 times: as long as the task saw' "$(hist timer sum_ns)" \
		"$(awk '$1 == "round" { sum += $3 - $2 } END { print 0.9 * sum }' "$tmp/bounce")" \
		"$(awk '$1 == "round" { sum += $3 - $2 } END { print sum }' "$tmp/bounce")"
	ok 'moved 100 times: the parts add up' adds_up
else
	skip 'moved while it waits' 'one CPU'
fi

# --- woken on its way to sleep: it waits from the switch on, and who woke it is known
if [ "$cpu" != "$other" ]; then
	load racer racer 5000 "$cpu" "$other"
	with='--above 1ns' target="-t ${tids[racer]}"
	measure racer
	with='' target=
	each_wait 'woken just before it slept: each wait, seen or not' $(($(told racer switches voluntary) + $(told racer switches involuntary) + 1))
	within 'woken just before it slept: some were' "$(counted raced)" 2 5000
	is 'woken just before it slept: each had its waker' \
		"$(json '[.latency.cases[] | select((.flags | index("raced")) and (.waker.context != "task" or .waker.comm != "waker"))] | length')" 0
	is 'woken by a task: from nowhere else' \
		"$(json '[.latency.cases[] | select(.kind == "waking" and .waker.comm == "waker") | .waker.context] | unique | join(", ")')" task
else
	skip 'woken just before it slept' 'one CPU'
fi

# --- woken by a disk: its interrupt or the softirq after it, but no task
disk=$(mktemp "${TMPDIR:-/var/tmp}/kbpfprof-disk.XXXXXX")
at_exit "rm -f '$disk'"
head -c 4096 /dev/urandom >"$disk"
sync "$disk"
if dd if="$disk" of=/dev/null bs=4096 iflag=direct 2>/dev/null; then
	load reader periodic -i 20000 -n 40 -c "$cpu" -k hardirq -w 1 -x "$cpu" -D "$disk"
	with='--above 1ns'
	measure reader
	with=
	others=$(json '[.latency.cases[] | select(.above and .kind == "waking" and .waker.comm != "bash")] | length')
	by_disk=$(json '[.latency.cases[] | select(.above and .kind == "waking" and (.waker.context == "hardirq" or .waker.context == "softirq"))] | length')
	within 'woken by a disk: from an interrupt or a softirq, of 100' "$(pct "$by_disk" "$others")" 90 100
	within 'woken by a disk: often enough' "$by_disk" 30 80
else
	skip 'woken by a disk' 'no O_DIRECT'
fi

# --- nothing is longer than the run, whatever is not known
begin_ns=$(date +%s%N)
run "$KBPFPROF" wakeup -q -f json -d 3s --per task
run_ns=$(($(date +%s%N) - begin_ns))
is 'whole machine: exit status' "$rc" 0
# A timer may have been due before.
within 'whole machine: no wait is longer than the run' "$(json '[.latency.histograms[] | select(.kind != "timer") | .max_ns] | max')" 1 $run_ns
is 'whole machine: the idle task is none' "$(json '[.latency.histograms[] | select(.group // "" | test("^swapper"))] | length')" 0
ok 'whole machine: the parts add up' adds_up
sum_of() { json "[.latency.causes[] | select($1) | .ns] | add // 0"; }
is 'whole machine: the parts of preempted waits' "$(sum_of .preempted)" "$(hist preempted sum_ns)"
is 'whole machine: the parts until the run queue' "$(sum_of '.cause == "activation" or .cause == "activation_remote"')" "$(hist activation sum_ns)"
# Steal may be before the waking and after it.
within 'whole machine: the parts of wakeups' "$(hist waking sum_ns)" \
	"$(sum_of '(.preempted | not) and .cause != "steal" and (.cause | test("^timer") | not)')" "$(sum_of '(.preempted | not) and (.cause | test("^timer") | not)')"

# --- we change nothing of what we measure
start -q
is 'the latency of idle CPUs stays as it is' "$(find "/proc/$profiler/fd" -lname '*/cpu_dma_latency' | wc -l)" 0
end

finish
