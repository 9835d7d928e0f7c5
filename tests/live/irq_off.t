#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# irq --off: how much of the time preemption is off, beside a load that keeps it off for known times; interrupts are no
# sections of others; and its books. Sections with interrupts off of known length are made in guests: tests/kernels/irq_off.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"
# shellcheck source=tests/live/profile.sh
. "$here/profile.sh"
# shellcheck source=tests/live/wakeup.sh
. "$here/wakeup.sh"
# shellcheck source=tests/live/irq.sh
. "$here/irq.sh"
need_live
# shellcheck disable=SC2154 # rc, pid and tids are set by end and load

kbpfprof() { run timeout -k 1 60 "$KBPFPROF" irq "$@"; }

# around LOAD [OPTION...]: a run on $on in JSON while the load works
around() {
	start -q -f json --off -C "$on" "${@:2}"
	begin "$1"
	until_done "$1"
	end
	report "$1"
}
# worked_ns LOAD: by its own clock
worked_ns() { awk '$1 == "work" && NF == 3 { ns += $3 - $2 } END { printf "%.0f\n", ns }' "$tmp/$1"; }
places() { json "[.irq.places[] | select($1) | .count] | add // 0"; }
# within_function REGEX: places that have such a function among their callers
# shellcheck disable=SC2016 # jq's
in_function='. as $all | .irq.places |= map(.functions = ([$all.frames[(.stack // [])[]].symbol // ""] | join(" ")))'
fires_in() { json "$in_function | [.irq.places[] | select(.kind == \"$1\" and (.functions | test(\"$2\"))) | .count] | add // 0"; }
sections() { json '[.irq.rows[].run.count // 0] | add // 0'; }

books() {
	is "$1: exit status" "$rc" 0
	is "$1: nothing lost" "$(json '[.lost[]] | add')" 0
	is "$1: each place found room" "$(json .irq.counts.place_full)" 0
	is "$1: sections are those of all places in the kernel" "$(sections)" \
		"$(places '.kind == "irqs_off" and .name != "[user code: hypervisor or firmware]"')"
	is "$1: fires with preemption off are those of all places" "$(json .irq.probe_preempt_fires)" "$(places '.kind == "preempt_off"')"
	# A fire that comes late stands for those that were due meanwhile.
	within "$1: fires, of those that were due" "$(pct "$(json .irq.probe_fires)" "$(json '.meta.duration_ns / .irq.probe_ns')")" 1 101
}

# --- preemption off: a BPF program that is run from a system call
# The CPU is never idle: there the probe need not fire, and fires would be no measure of time.
on=$cpu
load busy periodic -c "$cpu" -i 0 -n 1 -w 30000000 -l 60 -m busy
begin busy
load keeper periodic -v -k kernel -c "$cpu" -p fifo:90 -i 20000 -w 6000 -n 100 -m keeper
around keeper --probe 200us
kill_child "${pid[busy]}"
books 'preemption off'
if uname -v | grep -q PREEMPT; then
	# Its share of the fires is its share of the time; what a hypervisor takes is of both.
	within 'preemption off: its share of the fires, of that of the time' \
		"$(pct "$(fires_in preempt_off 'bpf_test_run|bpf_prog_test_run')" "$(json ".irq.probe_fires * $(worked_ns keeper) / .meta.duration_ns")")" 75 125
else
	is 'preemption off: not known here' "$(json .irq.probe_preempt_fires)" null
fi

# --- interrupts that keep others waiting: their time is their own
if [ "$other" != "$cpu" ]; then
	on=$other
	load masker periodic -v -k irqsoff -x "$other" -c "$cpu" -i 20000 -w 3000 -n 100 -m masker
	around masker --off-above 1ms
	books 'a long interrupt'
	within 'a long interrupt: the load has worked' "$(worked_ns masker)" 200000000 100000000000
	# Of its 100 runs none; what else this machine does may be.
	within 'a long interrupt: is no section' "$(sections)" 0 50
fi

# --- options
kbpfprof --off -d 300ms
is 'in words: exit status' "$rc" 0
like 'in words: the resolution' "$out" 'a probe each 1.0 ms on each CPU'
kbpfprof --probe 1ms -d 1s
is '--probe without --off: usage' "$rc" 129
like '... is told' "$err" '^kbpfprof irq: --probe belongs to --off$'
for time in 99us 101ms 5 0 x; do
	kbpfprof --off --probe $time -d 1s
	is "--probe $time: usage" "$rc" 129
	like '... is told' "$err" "^kbpfprof irq: --probe $time: must be a time from 100us to 100ms"
done
kbpfprof --off --off-above 20 -d 1s
is '--off-above without unit: usage' "$rc" 129
kbpfprof --off --off-above 20us --probe 100us -d 300ms -f json
is 'the shortest period: exit status' "$rc" 0
is 'the shortest period' "$(json .irq.probe_ns)" 100000
finish
