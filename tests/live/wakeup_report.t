#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The cause is to be read off the screen: of loads that are known the table's first line, the worst case, and the verdict
# name it; a recording shows the same.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"
# shellcheck source=tests/live/profile.sh
. "$here/profile.sh"
# shellcheck source=tests/live/wakeup.sh
. "$here/wakeup.sh"
need_live
# shellcheck disable=SC2154 # rc and tids are set by end and load

# see [LOAD...]: the victim's delays beside these, recorded; the report as people see it is in $out
see() {
	load victim periodic -v -i 20000 -o 500 -n 60 -c "$cpu" -p fifo:80 -m victim
	start -q -o "$tmp/run.kbpf" --worst 8 -t "${tids[victim]}"
	begin "$@" victim
	until_done victim
	end
	until_done "$@"
	report victim "$@"
	run "$KBPFPROF" report "$tmp/run.kbpf"
}
keep() { load keeper periodic -v -i 20000 -n 65 -w 6000 -m keeper "$@"; }
# first_cause: of the table
first_cause() { printf '%s\n' "$out" | awk '/^where the time went/ { on = 1 } on && / % .* [a-z]/ && !/delays$/ { print; exit }'; }
# shown NAME WORDS ADVICE: regexes; the verdict's advice
shown() {
	is "$1: exit status" "$rc" 0
	like "$1: who, and how many" "$out" "^wakeup latency of .*${tids[victim]}.* [0-9]+ wakeups, .* lost"
	like "$1: the table's first cause" "$(first_cause)" "$2"
	like "$1: the worst cases have it" "$(printf '%s\n' "$out" | sed -n '/^[0-9. ]*worst: /,/ in all/p')" "$2"
	like "$1: the verdict" "$out" "^verdict: .*$2"
	like "$1: what to do" "$out" "^verdict: .*: .*($3)"
	unlike "$1: nothing odd is shown" "$out" '\(null\)|(^| )-?(nan|inf)( |$)|18446744'
}

if [ "$cpu" != "$other" ]; then # or its cause would be that the victim may not go there
	load busy periodic -c "$other" -i 0 -n 1 -w 15000000 -m busy
	begin busy
fi
keep -c "$cpu" -p fifo:90
see keeper
shown 'a task of better priority' 'keeper' 'priority|CPU'
keep -c "$cpu" -p fifo:10 -k kernel
see keeper
shown 'a kernel section' 'keeper kept the CPU' 'section|preempt'
like 'a kernel section: where it ended' "$out" '^verdict: .*bpf|syscall'
if [ ! "$is_rt" ]; then
	keep -c "$cpu" -p fifo:10 -k softirq
	see keeper
	shown 'a softirq' 'softirq NET_RX' 'CPU|thread'
fi

# --- the same recording for programs
in_table=$(printf '%s\n' "$out" | sed -nE 's/^ *timer -> running +([0-9]+) .*/\1/p')
run "$KBPFPROF" report -f json "$tmp/run.kbpf"
is 'JSON of the recording: as many timers' "$(counted timers)" "$in_table"
nearly 'the recording: each of them' "$in_table" 60

finish
