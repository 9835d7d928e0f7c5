#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Events: counts against what workloads did and what the kernel counted for them; rates, periods, and
# what cannot be had.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"
# shellcheck source=tests/live/profile.sh
. "$here/profile.sh"
# shellcheck source=tests/live/books.sh
. "$here/books.sh"
need_live

profile() { run "$KBPFPROF" profile "$@"; }

# --- context-switches: each sleep is one
profile -e context-switches -c 1 -f folded -- "$WORKLOADS/sleeps" 500
read -r voluntary involuntary < <(grep -E '^[0-9]+ [0-9]+$' "$tmp/err") # stdout is the stacks'
is 'context-switches: exit status' "$rc" 0
within 'context-switches: every sleep was one (getrusage)' "$voluntary" 500 600
# An interrupt may find the program where its stack does not reach main(): such a switch is involuntary.
within 'context-switches: sampled are those of getrusage' "$(count ';main;')" "$voluntary" $((voluntary + involuntary))
within 'context-switches: they are in nanosleep' "$(count ';main;.*nanosleep_\[k\]')" \
	500 $((voluntary + involuntary))

# --- page-faults, every one and every tenth
profile -e page-faults -c 1 -f folded -- "$WORKLOADS/paths" 20000
is 'page-faults -c 1: one a page' "$(count ';touch ')" 20000
profile -e faults -c 10 -f folded -- "$WORKLOADS/paths" 50000
# Faults of others come in between, so which tenth is hit varies.
within 'faults -c 10: a tenth' "$(count ';touch ')" 4800 5200
profile -e page-faults -c 10 -- "$WORKLOADS/paths" 50000
is 'page-faults -c 10: each sample weighs 10' "$(number '^shares: of ' ' page-faults')" $((10 * $(part kept)))
like 'page-faults -c 10: the header' "$out" '^page-faults, every 10 \('
ok 'page-faults -c 10: the books balance' books_balance

# --- the clocks against the CPU time that the program measured of itself
# samples_pct HZ: samples in its functions, of those that its CPU time makes at this rate
samples_pct() {
	local cpu_ns
	cpu_ns=$(grep -E '^[0-9]+$' "$tmp/err")
	pct "$(count ';burn_')" "$(awk -v ns="$cpu_ns" -v hz="$1" 'BEGIN { print ns * hz / 1e9 }')"
}
for event in cpu-clock task-clock; do
	profile -e $event -F 999 -f folded -- "$WORKLOADS/share" 1.5
	within "$event -F 999: 999 samples a second of CPU time" "$(samples_pct 999)" 93 107
done
profile -e cpu-clock -c 2000000 -f folded -- "$WORKLOADS/share" 1.5
within 'cpu-clock -c 2000000: 500 samples a second of CPU time' "$(samples_pct 500)" 93 107
profile -e cpu-clock -F 999 -C "${cpus[0]}" -- taskset -c "${cpus[0]}" "$WORKLOADS/share" 1
within 'cpu-clock -F 999: the rate achieved' "$(number '\(' ' Hz achieved')" 900 1010

# --- one side of the stacks
profile -e cpu-clock -F 999 -K -f folded -- "$WORKLOADS/deep" 1 20 1
within '-K: there are samples' "$(count '^deep')" 100 2000
is '-K: nothing of user space' "$(sed 's/ [0-9]*$//' "$tmp/out" | grep '^deep;' | tr ';' '\n' | grep -vcE '^deep$|_\[k\]$|^\[no stack\]$')" 0
within '-K: something of the kernel' "$(count '_\[k\] ')" 10 2000
profile -e cpu-clock -F 999 -U -f folded -- "$WORKLOADS/deep" 1 20 1
within '-U: there are samples' "$(count ';main;')" 100 2000
is '-U: nothing of the kernel' "$(count '_\[k\]')" 0

# --- rates: the kernel's limit, and those that keep in step with other timers
limit=$(cat /proc/sys/kernel/perf_event_max_sample_rate)
[ "$limit" -lt 9999 ] || limit=9999 # ours for the clocks, which the kernel does not throttle
profile -e cpu-clock -F $((limit + 100000)) -C "${cpus[0]}" -d 200ms
is 'above the limit: exit status' "$rc" 0
is 'above the limit: what was asked is printed' "$(number '^cpu-clock at ' ' Hz')" $((limit + 100000))
within 'above the limit: what was achieved is printed' "$(number '\(' ' Hz achieved')" 1 $((limit + limit / 50))
within 'above the limit: due is what the limit allows' "$(part due)" 1 \
	"$(awk -v hz="$limit" -v ms="$(number ' samples in ' ' ms on ')" 'BEGIN { print hz * ms / 1000 * 1.02 }')"
ok 'above the limit: the books balance' books_balance
profile -e cpu-clock -F max -C "${cpus[0]}" -d 200ms
is 'max: is the limit' "$(number '^cpu-clock at ' ' Hz')" "$limit"

for hz in 100 50 250 500 1000; do
	profile -e cpu-clock -F $hz -d 50ms
	like "-F $hz: warns of keeping in step" "$err" "^kbpfprof profile: $hz Hz keeps in step"
done
for hz in 99 997 999; do
	profile -e cpu-clock -F $hz -d 50ms
	is "-F $hz: no warning" "$err" ''
done
profile -F 1000 -q -d 50ms
is '-q: no warning' "$err" ''

# --- hardware events: where there is no PMU only the default gives way
has_pmu() { perf stat -x, -e cycles true 2>&1 | grep -q '^[0-9]'; }
profile -d 200ms
is 'no -e: exit status' "$rc" 0
if has_pmu; then
	like 'no -e: cycles' "$out" '^cycles at 99 Hz'
	profile -e cycles -d 200ms
	is '-e cycles: exit status' "$rc" 0
	skip '-e rNNN' 'what a raw code means depends on the PMU'
else
	like 'no -e: falls back' "$out" '^cpu-clock at 99 Hz'
	like 'no -e: says so' "$out" '^the default event is not available here \(cycles: E[A-Z]+\), so cpu-clock$'
	profile -F 100 -d 50ms
	like 'no -e: warns of keeping in step' "$err" ' 100 Hz keeps in step'
	for event in cycles instructions r1c4; do
		profile -e $event -d 200ms
		is "-e $event: exit status" "$rc" 4
		like "-e $event: reason and cure" "$err" "^kbpfprof profile: cannot open event $event: .*\\(.*-e cpu-clock"
		is "-e $event: no report" "$out" ''
	done
fi

# --- names and numbers that are none
refused() {
	local status=$1 text=$2
	shift 2
	profile -d 100ms "$@"
	is "$*: exit status" "$rc" "$status"
	like "$*: says why" "$err" "$text"
	is "$*: one line" "$(printf '%s\n' "$err" | wc -l)" 1
}
refused 4 'nonsense: this machine has no such event' -e nonsense
refused 4 'nonsense/event/: this machine has no such event' -e nonsense/event/
refused 129 'no name of an event' -e ''
refused 129 'no name of an event' -e cpu-clock:x
refused 129 'one at a time' -e cpu-clock,page-faults
refused 129 '-F and -c exclude each other' -F 99 -c 1000
refused 129 '-K and -U exclude each other' -K -U
refused 129 'must be a rate in Hz' -F 0
refused 129 'must be a rate in Hz' -F fast
refused 129 'must be a number, 1 or more' -c 0

finish
