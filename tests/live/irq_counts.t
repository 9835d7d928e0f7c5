#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Every interrupt once: on each CPU the counts of each line, vector and softirq are those of /proc/interrupts and
# /proc/softirqs, read before and after the tool begins and before and after it ends. Which are measured, and books.
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

# measured NAME [REGEX [CPU]]
measured() {
	is "$1: exit status" "$rc" 0
	ok "$1: as many as in /proc" in_bracket "${@:2}"
	is "$1: nothing lost" "$(lost)" 0
}
# enough NAME SOURCE LEAST: the load made as many
enough() { within "$1: the kernel counts $2" "$(made "$2")" "$3" 1000000000; }

# Books of the text report: what it says that it measured is what the rows hold.
books() {
	run "$KBPFPROF" report "$tmp/kbpf"
	local line
	line=$(printf '%s\n' "$out" | sed -n 's/^books: measured //p')
	book() { printf '%s\n' "$line" | sed -nE "s/^(.*[,;:] )?([0-9 ]+) $1.*/\\2/p" | tr -d ' '; }
	is "$1: books, lines" "$(book 'hard IRQs of lines')" "$(sum count run "s.kind = 'line'")"
	is "$1: books, vectors" "$(book 'interrupts without a line')" "$(sum count run "s.kind = 'vector'")"
	is "$1: books, softirqs" "$(book 'softirqs')" "$(sum count run "s.kind IN ('softirq', 'ksoftirqd')")"
	is "$1: books, ends that were missed" "$(book 'whose end was not seen')" "$(event missed_end)"
	like "$1: nothing odd is shown" "$out" 'on each|of whole machine|^interrupts of'
	unlike "$1: no number that is none" "$out" '\(null\)|(^| )-?(nan|inf)( |$)|18446744'
}

# --- loads: each makes what it is named after
packets() { "$WORKLOADS/flood" 1 "$cpu"; }
bracket -- packets
measured packets
enough packets softirq:NET_RX 100
books packets
# A wait whose start was seen is one of a raise, and each run has one or lacks it.
is 'packets: softirqs have a wait or none' "$(sum count wait "s.kind IN ('softirq', 'ksoftirqd')") $(row no_start "s.kind IN ('softirq', 'ksoftirqd')")" \
	"$(sum count wait "s.kind IN ('softirq', 'ksoftirqd')") $(($(sum count run "s.kind IN ('softirq', 'ksoftirqd')") - $(sum count wait "s.kind IN ('softirq', 'ksoftirqd')")))"
is 'packets: each raise was in a task, a softirq or an interrupt' "$(($(row by_task) + $(row by_softirq) + $(row by_hardirq)))" \
	"$(sum count wait "s.kind IN ('softirq', 'ksoftirqd')")"

disk=$(mktemp "${TMPDIR:-/var/tmp}/kbpfprof-disk.XXXXXX")
at_exit "rm -f '$disk'"
head -c 1048576 /dev/urandom >"$disk"
sync "$disk"
blocks() { for _ in 1 2 3; do dd if="$disk" of=/dev/null bs=4096 iflag=direct; done; }
bracket -- blocks
measured blocks
busiest=$(awk '$1 ~ /^line:/ { n[$1] += FILENAME == ARGV[1] ? -$3 : $3 } END { for (l in n) if (n[l] > most) { most = n[l]; name = l } print name, most + 0 }' "$tmp/in" "$tmp/out_counts")
if [ "${busiest#* }" -ge 200 ]; then
	line=${busiest%% *} line=${line#line:}
	name=$(ask "SELECT s.text FROM $sources WHERE s.kind = 'line' AND s.number = $line")
	like 'blocks: the line has the name that the kernel has' "$(sed -n "s/^ *$line: //p" /proc/interrupts)" "[ ,]$name(,|\$)"
	is 'blocks: its affinity is that of the kernel' "$(ask "SELECT DISTINCT t.text FROM irq_settings a JOIN irq_sources s ON s.id = a.source JOIN strings t ON t.id = a.affinity
		WHERE s.kind = 'line' AND s.number = $line")" "$(cat "/proc/irq/$line/smp_affinity_list")"
else
	line='' name=''
	skip 'blocks: the line has the name that the kernel has' "no line has many interrupts here (${busiest#* })"
	skip 'blocks: its affinity is that of the kernel' 'no such line'
fi
# Of a line all but the first have one before them, on that CPU.
is 'blocks: from one to the next' "$(sum count wait "s.kind IN ('line', 'vector')")" \
	"$(ask "SELECT coalesce(sum(h.count - 1), 0) FROM irq_histograms h JOIN irq_sources s ON s.id = h.source WHERE h.measure = 'run' AND s.kind IN ('line', 'vector')")"

timers() { "$WORKLOADS/periodic" -c "$cpu" -i 500 -n 1200 </dev/null; }
bracket -- timers
measured timers
if uname -m | grep -q x86; then enough timers vector:LOC 600; fi

calls() {
	"$WORKLOADS/ipis" "$cpu" 2000 100
	"$WORKLOADS/pingpong" 5000 "$cpu" "$other" </dev/null
}
if [ "$cpu" != "$other" ]; then
	bracket -- calls
	measured calls
	if uname -m | grep -q x86; then enough calls vector:CAL 1000; else enough calls vector:IPI_Function 1000; fi
	books calls
else
	skip 'calls' 'one CPU'
fi

# All at once, and intervals: what is recorded in parts is the whole.
everything() {
	local loads=()
	for load in packets blocks timers; do
		$load &
		loads+=($!)
	done
	calls
	wait "${loads[@]}"
}
bracket -I 300ms -- everything
measured 'all at once'
is 'all at once: intervals have all of it' "$(ask "SELECT sum(p.count) FROM irq_points p JOIN irq_sources s ON s.id = p.source WHERE s.kind <> 'thread'")" \
	"$(sum count run "s.kind <> 'thread'")"
is 'all at once: and their time' "$(ask "SELECT sum(p.net_ns) FROM irq_points p JOIN irq_sources s ON s.id = p.source WHERE s.kind <> 'thread'")" \
	"$(sum sum_ns run "s.kind <> 'thread'")"

# --- which are measured
bracket -C "$cpu" -- everything
measured "-C $cpu" '.*' "$cpu"
if [ "$cpu" != "$other" ]; then
	is "-C $cpu: no other CPU" "$(ask 'SELECT DISTINCT cpu FROM irq_rows')" "$cpu"
fi

bracket --softirq NET_RX -- everything
measured '--softirq NET_RX' softirq:NET_RX
is '--softirq NET_RX: nothing else' "$(ask "SELECT DISTINCT s.number FROM irq_rows r JOIN irq_sources s ON s.id = r.source")" 3
kbpfprof -d 1 --softirq net_rx,RCU,3
is '--softirq: a number is no name' "$rc" 129
bracket --softirq net_rx,rcu -- everything
measured '--softirq net_rx,rcu' 'softirq:(NET_RX|RCU)'
bracket --softirq all -- everything
measured '--softirq all' 'softirq:.*'
bracket --irq all -- everything
measured '--irq all' '(line|vector):.*'

if [ "$line" ]; then
	bracket --irq "$line" -- everything
	measured '--irq LINE' "line:$line"
	bracket --irq "$name" -- everything
	measured '--irq NAME' "line:$line"
	is '--irq NAME: nothing else' "$(ask "SELECT count(*) FROM irq_sources s WHERE s.kind NOT IN ('line', 'thread') OR s.number <> $line")" 0
	bracket --irq "$name" --softirq NET_RX -- everything
	measured '--irq NAME --softirq NET_RX' "line:$line|softirq:NET_RX"
else
	skip '--irq LINE' 'no line has many interrupts here'
fi
if uname -m | grep -q x86; then
	bracket --irq local_timer -- everything
	measured '--irq local_timer' 'vector:LOC'
	bracket --irq local-timer,reschedule -- everything
	measured '--irq local-timer,reschedule' 'vector:(LOC|RES)'
	is '--irq local-timer,reschedule: nothing else' "$(ask "SELECT count(*) FROM irq_sources s WHERE s.kind <> 'vector' OR s.number > 1")" 0
fi

# --- refusals
refused() { # OPTIONS REGEX
	# shellcheck disable=SC2086 # words
	kbpfprof -d 1 $1
	is "$1: refused" "$rc" 129
	like "$1: and why" "$err" "$2"
}
refused '--irq nosuch0' "^kbpfprof irq: --irq: no interrupt 'nosuch0'"
refused '--irq 99999' "no interrupt '99999'"
refused '--softirq NET' "^kbpfprof irq: --softirq: no softirq 'NET'"
refused '--above 5' 'above.*5.*unit'
refused '--storms 0' 'storms'
refused '--worst 17' 'worst'
refused '--hist nosuch' "^kbpfprof irq: --hist nosuch: nothing of that name was measured .there are: .*\)$"
refused '-f folded' 'folded'

# --- histograms: what the bars hold is what was counted
bracket -- timers
run "$KBPFPROF" report --hist SCHED "$tmp/kbpf"
is '--hist: exit status' "$rc" 0
is '--hist: the bars of the runs hold all' "$(printf '%s\n' "$out" | awk '
	/^run, / { on = 1; next }
	on && !NF { exit }
	on && /\|/ { sub(/ *\|.*/, ""); sub(/^.*\.\. *[0-9.]+ [a-z]+ +/, ""); gsub(/ /, ""); n += $0 }
	on && /^  p50/ { exit }
	END { print n + 0 }')" "$(sum count run "s.kind = 'softirq' AND s.number = 7")"

finish
