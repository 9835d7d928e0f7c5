#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What goes wrong on real machines: tasks that end, programs that become others, readers that stand still, runs that
# are killed; missing rights and tracepoints.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"
# shellcheck source=tests/live/profile.sh
. "$here/profile.sh"
# shellcheck source=tests/live/wakeup.sh
. "$here/wakeup.sh"
need_live
# shellcheck disable=SC2154 # rc, pid and tids are set by end and load

kbpfprof() { run timeout -k 1 60 "$KBPFPROF" wakeup "$@"; }
dmesg | wc -l >"$tmp/dmesg"

# Our programs in the kernel that no process holds.
unheld() {
	cat /proc/[0-9]*/fdinfo/* 2>/dev/null | awk '$1 == "prog_id:" { print $2 }' | sort -u >"$tmp/held"
	bpftool prog show | awk -F '[: ]' '/name (on_(waking|wakeup|wakeup_new|switch|migrate|irq|vector|softirq|timer|nmi|schedule|resched|pi_|free)|filter_)/ { print $1 }' | grep -vxFf "$tmp/held"
}
nothing_left() { ! unheld; }

# --- the target ends while it waits, or becomes another program
load victim periodic -i 20000 -n 1000 -c "$cpu" -p fifo:10 -m victim
load keeper periodic -i 20000 -n 100 -w 4000 -c "$cpu" -p fifo:20
start -q -f json -t "${tids[victim]}"
begin victim keeper
sleep 0.3
kill -KILL "${pid[victim]}"
ok 'a target that is killed ends the run' eventually gone "$profiler"
await
is 'a target that is killed: exit status' "$rc" 0
within 'a target that is killed: its wakeups' "$(counted wakeups)" 5 25
kill_child "${pid[keeper]}"
rm -f "$tmp"/victim.* "$tmp"/keeper.*

kbpfprof -q -f json --per comm -- sh -c "exec $WORKLOADS/periodic -i 2000 -n 50 -m renamed >/dev/null" </dev/null
is 'exec: exit status' "$rc" 0
nearly 'exec: the new program under its name' "$(hist timer count renamed)" 50

# --- names that are none, or that write on terminals
for name in '' $'\e[31mred\n'; do
	# shellcheck disable=SC2016 # $0 and $1 are those of that shell
	kbpfprof -f json --per comm --above 1ns -- sh -c 'exec "$0" -i 2000 -n 20 -m "$1" >/dev/null' "$WORKLOADS/periodic" "$name" </dev/null
	is "the name ${name@Q}: the groups add up" "$(json '[.latency.histograms[] | select(.kind == "timer" and .group) | .count] | add')" "$(counted timers)"
	nearly "the name ${name@Q}: each wakeup" "$(counted timers)" 20
	like "the name ${name@Q}: told as it happens" "$err" '^[0-9:.]+ CPU [0-9]+ '
	unlike "the name ${name@Q}: nothing for a terminal" "$err" $'[\x01-\x08\x0b-\x1f\x7f]'
done

# --- a reader that stands still: histograms go on in the kernel, cases that find no room are counted
load victim periodic -i 2000 -n 600 -c "$cpu" -p fifo:80
start -q -f json --above 1ns -t "${tids[victim]}"
kill -STOP "$profiler"
begin victim
until_done victim
kill -CONT "$profiler"
sleep 0.3
end
report victim
nearly 'stopped and continued: each wakeup' "$(counted wakeups)" $(($(told victim switches voluntary) + 1))
is 'stopped and continued: each case is above' "$(counted above)" $(($(counted wakeups) + $(counted preemptions)))
within 'stopped and continued: not all could be told' "$(counted above_untold)" 500 620
is 'stopped and continued: each one told, or counted as not' "$(json '[.latency.cases[] | select(.above)] | length')" $(($(counted above) - $(counted above_untold)))

# --- two at once see the same
load victim periodic -i 2000 -n 200 -c "$cpu" -p fifo:80
"$KBPFPROF" wakeup -q -f json -t "${tids[victim]}" >"$tmp/second" 2>&1 &
second=$!
eventually grep -q poll "/proc/$second/wchan"
measure victim
ok 'two at once: both end' eventually gone $second
wait $second
is 'two at once: the same counts' "$(jq .latency.counts.timers "$tmp/second")" "$(counted timers)"
nearly 'two at once: those of the task' "$(counted timers)" 200

# --- signals, rights
start -q
kill -TERM "$profiler"
await
is 'SIGTERM: exit status' "$rc" 0
like 'SIGTERM: the report' "$out" 'waking -> running'
run setpriv --reuid 65534 --regid 65534 --clear-groups "$KBPFPROF" wakeup -d 1
[ "$rc" = 126 ] || is 'no root: exit status' "$rc" 4

# --- recordings
load victim periodic -i 2000 -n 200 -c "$cpu" -p fifo:80
start -q -o "$tmp/a.kbpf" -t "${tids[victim]}"
begin victim
until_done victim
end
report victim
run "$KBPFPROF" report -f json "$tmp/a.kbpf"
nearly 'a recording has the same' "$(counted wakeups)" $(($(told victim switches voluntary) + 1))

# --- killed at any moment
for _ in {1..10}; do
	"$KBPFPROF" wakeup -q -d 400ms --worst 16 --above 1us >/dev/null 2>&1 &
	profiler=$!
	disown
	sleep "0.$((RANDOM % 9))"
	! is_child $profiler || kill -KILL $profiler
done
ok 'SIGKILL: no program stays in the kernel' eventually nothing_left

# --- the kernel has nothing to complain of
is 'the kernel log is clean' "$(dmesg | tail -n +$(($(cat "$tmp/dmesg") + 1)) | grep -iE 'BUG|WARNING|Call Trace|stall|lockup|scheduling while atomic|sleeping function')" ''

finish
