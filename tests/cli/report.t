#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# `report`: recordings of known content (tests/programs/recording_make.c), filtered, cut, listed; and bad input.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"

for kind in basic intervals damaged newer empty unborn hostile; do "$PROGRAMS/recording_make" $kind "$tmp/$kind" || exit 1; done
report() { run "$KBPFPROF" report "$@"; }
share() { printf '%s\n' "$out" | awk -v sym="$1" '$1 ~ /%$/ && $NF == sym { print $1 + 0; exit }'; }

# --- the whole
report "$tmp/basic"
is 'exit status' "$rc" 0
is 'stderr is empty' "$err" ''
for row in 'spin 60' 'copy_to_user 20' 'memcpy 10' 'ext4_write 8'; do
	# shellcheck disable=SC2086 # two words
	set -- $row
	is "share of $1" "$(share "$1")" "$2"
done
like 'what has no name says why' "$out" 'blob\.so +\+0x1234 \[stripped\]'
like 'a module' "$out" '\[ext4\] +ext4_write'
like 'the books are those of the run' "$out" '^books: 2000 due = 1000 kept \+ 900 idle \+ 50 lost \+ 50 not delivered'
like '... and its losses' "$out" '^lost: 40 stack map full, 10 hash collision'
like '... and where and when it was' "$out" 'kernel: 6\.1\.0-test x86_64; started 2023-11-14 22:13:20 UTC'
whole=$out
report -i "$tmp/basic"
is '-i FILE is the same' "$out" "$whole"
run sh -c "'$KBPFPROF' report - < '$tmp/basic'"
is 'so is stdin' "$out" "$whole"
report --top 1 "$tmp/basic" -s sym
like 'options before and after' "$out" 'in 4 more rows'

# --- filters: samples of that kind, of 1 000 kept
samples() {
	report "$tmp/basic" "$@" -f json -q
	printf '%s\n' "$out" | jq '[.samples[].fires] | add // 0'
}
is '--comm' "$(samples --comm writer)" 200
is '--comm, a pattern' "$(samples --comm 'w*r')" 1000
is '--comm, a list' "$(samples --comm writer,worker)" 1000
is '--dso, short' "$(samples --dso libc.so.6)" 100
is '--dso, whole' "$(samples --dso /usr/bin/worker)" 600
is '--dso, a pattern' "$(samples --dso 'libc.so*')" 100
is '--dso, the kernel' "$(samples --dso '[kernel]')" 200
is '--dso, a module' "$(samples --dso '[ext4]')" 80
is '--dso, a module, bare' "$(samples --dso ext4)" 80
is '--sym' "$(samples --sym spin)" 600
is '--sym, a pattern' "$(samples --sym '*_*')" 280
is '--pid' "$(samples --pid 100)" 800
is '--tid' "$(samples --tid 102)" 200
is '--cpu' "$(samples --cpu 0)" 600
is '--cpu, a list' "$(samples --cpu 0-1)" 1000
is 'several: all of them' "$(samples --comm worker --dso worker --cpu 1)" 200
report "$tmp/basic" --comm writer
like 'what was left out is said' "$out" 'comm=writer'
like '... and adds up' "$out" '200.*800|800.*200'
is 'shares are of what is shown' "$(share memcpy)" 50
report "$tmp/basic" --comm nobody
is 'nothing is left: exit status' "$rc" 1
like '... says so' "$err" 'nothing with comm=nobody'
for bad in '--pid x' '--tid 0' '--cpu 3-1' '--from x' '--percent-limit 101' '--from 5s --to 5s'; do
	# shellcheck disable=SC2086 # words
	report "$tmp/basic" $bad
	is "$bad: exit status" "$rc" 129
	like '... names it' "$err" "${bad%% *}|--to"
done

for format in table folded flamegraph json pprof; do
	report "$tmp/basic" -f $format -s comm,pidd
	is "$format, a key that there is not: exit status" "$rc" 129
	like '... names it' "$err" "unknown key 'pidd'"
	is '... prints nothing' "$out" ''
done

# --- parts
kept() { printf '%s\n' "$out" | sed -n 's/^books: .* due = \([0-9]*\) kept.*/\1/p'; }
report "$tmp/intervals"
is 'five intervals' "$(kept)" 650
for k in 1 2 3 4 5; do
	report "$tmp/intervals" --from $((10 * k - 10))s --to $((10 * k))s
	is "interval $k" "$(kept)" $((100 + 10 * k))
done
like 'the loss is in its interval' "$("$KBPFPROF" report "$tmp/intervals" --from 20s --to 30s)" '^lost: 7 stack map full'
like '... and in no other' "$("$KBPFPROF" report "$tmp/intervals" --to 20s)" '^lost: 0'
report "$tmp/intervals" --from 20s
is 'from there to the end' "$(kept)" $((3 * 100 + 30 + 40 + 50))
like '... is 30 s' "$out" ' in 30\.0 s on 2 CPUs'

# --- list
report "$tmp/intervals" --list
is '--list: exit status' "$rc" 0
like '... an interval' "$out" '^ +3 +20\.0 s +30\.0 s +130$'
report "$tmp/basic" --list
like '... an object and its build-id' "$out" '600 +3/3 +0102030405060708090a0b0c0d0e0f1011121314 +/usr/bin/worker$'
like '... and which frames have no name' "$out" '20 +0/1 .* /opt/blob\.so$'

for other in '--comm worker' '--cpu 0' '--symfs /' '--kallsyms /proc/kallsyms' '-f json' '--top 3' '--callers work' '-s comm'; do
	# shellcheck disable=SC2086 # words
	report "$tmp/basic" --list $other
	is "--list with $other, which it does not heed: exit status" "$rc" 129
	is '... prints nothing' "$out" ''
done
report "$tmp/basic" --list -f list
is '--list -f list: exit status' "$rc" 0

# --- empty ones
report "$tmp/empty"
is 'nothing but idle: exit status' "$rc" 0
like '... says so' "$out" '^no samples: the CPUs were idle'
report "$tmp/unborn"
isnt_zero() { [ "$rc" != 0 ]; }
ok 'a run that ended before its first interval' isnt_zero
like '... says so' "$err" 'interval'

# --- latencies: the same file of two intervals, see tests/programs/recording_wakeup.h
"$PROGRAMS/recording_make" wakeup "$tmp/wakeup" || exit 1
report "$tmp/wakeup"
is 'latencies: exit status' "$rc" 0
is '... stderr is empty' "$err" ''
like '... their own view' "$out" '^wakeup latency of PID 812 \(FIFO 80\), 20\.0 s, 15 000 wakeups, 12 preemptions, 0 lost'
like '... a kind' "$out" '^ +timer -> running +15 000 .* 187\.4 us'
like '... the worst one' "$out" 'worst: 187\.4 us'
like '... its largest part' "$out" '88\.2 us +47 % +softirq NET_RX'
whole=$out
report "$tmp/wakeup" -f latency
is '... -f latency is the same' "$out" "$whole"
report "$tmp/wakeup" --from 10s
like 'a part of latencies' "$out" '10\.0 s, 5000 wakeups, 0 preemptions'
like '... the largest is that of the part' "$out" '^ +timer -> running +5000 .* 6\.0 us'
report "$tmp/wakeup" -f json -q
is 'latencies as JSON: exit status' "$rc" 0
is '... all of them' "$(printf '%s\n' "$out" | jq -c '[.. | objects | select(.total_ns == 187400)] | length')" 2
report "$tmp/wakeup" --list
is 'latencies, --list: exit status' "$rc" 0
like '... an interval' "$out" '^ +1 +0 ns +10\.0 s +10 012$'
like '... where the stacks are' "$out" '^ +5 +6/6 +- +\[kernel\]$'
for format in table folded flamegraph pprof; do
	report "$tmp/wakeup" -f $format
	is "latencies, -f $format: exit status" "$rc" 129
	like '... says which can' "$err" "format $format cannot show what this recording holds \\(.*latency.* can\\)"
	is '... prints nothing' "$out" ''
done
report "$tmp/basic" -f latency
is 'samples, -f latency: exit status' "$rc" 129
like '... says which can' "$err" 'cannot show what this recording holds \(.*table.* can\)'
for other in '--comm motor_ctl' '--pid 812' '--cpu 1' '--sym x' '-s sym' '--callers work' '--children' '--idle' '--depth 3'; do
	# shellcheck disable=SC2086 # words
	report "$tmp/wakeup" $other
	is "latencies, $other: exit status" "$rc" 129
	like '... is named' "$err" "${other%% *}|--sort"
	is '... prints nothing' "$out" ''
done
run "$KBPFPROF" diff "$tmp/wakeup" "$tmp/wakeup"
is 'diff of latencies: exit status' "$rc" 129
like '... says so' "$err" 'wakeup holds latencies'
run "$KBPFPROF" diff "$tmp/basic" "$tmp/wakeup"
is 'diff of samples and latencies: exit status' "$rc" 129
sqlite3 "$tmp/wakeup" 'UPDATE parts SET ns = ns + 1 WHERE rowid = 1'
report "$tmp/wakeup"
is 'damaged latencies: exit status' "$rc" 5
like '... are named' "$err" 'interval 1 .* left out'
like '... the rest is shown' "$out" '10\.0 s, 5000 wakeups'

# --- interrupts: likewise, see tests/programs/recording_irq.h
"$PROGRAMS/recording_make" irq "$tmp/irq" || exit 1
report "$tmp/irq"
is 'interrupts: exit status' "$rc" 0
is '... stderr is empty' "$err" ''
like '... their own view: a line' "$out" 'IRQ 45 eth0 +14 001 '
like '... a thread' "$out" 'irq/45-eth0 +101 .* 300\.0 us'
whole=$out
report "$tmp/irq" -f irq
is '... -f irq is the same' "$out" "$whole"
report "$tmp/irq" --from 10s
like 'a part of interrupts' "$out" 'IRQ 45 eth0 +5000 '
unlike '... nothing of the rest' "$out" 'irq/45-eth0'
report "$tmp/irq" --list
is 'interrupts, --list: exit status' "$rc" 0
like '... what there is' "$out" '^sources: 6; of them on a CPU: 6; events in full: 2$'
like '... an interval, and what it counts' "$out" '^ +1 +0 ns +10\.0 s +13 802$'
like '... where the stacks are' "$out" '^ +2 +4/4 +- +\[kernel\]$'
for format in table folded flamegraph pprof latency; do
	report "$tmp/irq" -f $format
	is "interrupts, -f $format: exit status" "$rc" 129
	like '... says which can' "$err" "format $format cannot show what this recording holds \\(.*irq.* can\\)"
	is '... prints nothing' "$out" ''
done
report "$tmp/basic" -f irq
is 'samples, -f irq: exit status' "$rc" 129
for other in '--comm motor_ctl' '--pid 812' '--cpu 1' '--sym x' '--callers work' '--idle' '--depth 3'; do
	# shellcheck disable=SC2086 # words
	report "$tmp/irq" $other
	is "interrupts, $other: exit status" "$rc" 129
	like '... is named' "$err" "${other%% *}"
	is '... prints nothing' "$out" ''
done
run "$KBPFPROF" diff "$tmp/irq" "$tmp/irq"
is 'diff of interrupts: exit status' "$rc" 129
like '... says so' "$err" 'irq holds interrupts: only recordings of .profile. can be compared'
run "$KBPFPROF" diff "$tmp/basic" "$tmp/irq"
is 'diff of samples and interrupts: exit status' "$rc" 129
sqlite3 "$tmp/irq" 'UPDATE irq_rows SET joined = joined + 1 WHERE interval = 1'
report "$tmp/irq"
is 'damaged interrupts: exit status' "$rc" 5
like '... are named' "$err" 'interval 1 .* left out'
like '... the rest is shown' "$out" 'IRQ 45 eth0 +5000 '

# --- bad input: a clear line, the right exit status, and no number
report "$tmp/damaged"
is 'a damaged interval: exit status' "$rc" 5
like '... is named' "$err" 'interval 3'
is '... and left out' "$(kept)" $((650 - 130))
report "$tmp/damaged" --list
like '... and listed' "$out" '^ +3 .*damaged'
report "$tmp/newer"
is 'of a newer version: exit status' "$rc" 5
like '... says so' "$err" 'newer'
is '... prints nothing' "$out" ''
no_recording() {
	report "$2"
	is "$1: exit status" "$rc" "${3:-5}"
	is '... prints nothing' "$out" ''
	like '... names the file' "$err" "$2"
}
head -c 5000 /dev/urandom > "$tmp/random"
no_recording 'random bytes' "$tmp/random"
: > "$tmp/nothing"
no_recording 'an empty file' "$tmp/nothing"
sqlite3 "$tmp/foreign" 'CREATE TABLE t (a); INSERT INTO t VALUES (1)'
no_recording "somebody's database" "$tmp/foreign"
cp "$tmp/basic" "$tmp/table"
sqlite3 "$tmp/table" 'CREATE TABLE more (a)'
no_recording 'one with a table more' "$tmp/table"
cp "$tmp/basic" "$tmp/view"
sqlite3 "$tmp/view" 'ALTER TABLE counts RENAME TO s; CREATE VIEW counts AS SELECT * FROM s'
no_recording 'one with a view in place of a table' "$tmp/view"
head -c 3000 "$tmp/basic" > "$tmp/short"
no_recording 'the beginning of one' "$tmp/short"
no_recording 'no such file' "$tmp/no-such-file" 1
mkfifo "$tmp/fifo"
report "$tmp/fifo"
ok 'a FIFO is not waited for' isnt_zero
report "$tmp"
ok 'a folder' isnt_zero
report /dev/zero
ok 'a device' isnt_zero
report
is 'no file: exit status' "$rc" 129
report "$tmp/basic" "$tmp/basic"
is 'two files: exit status' "$rc" 129

# --- too little memory: the whole answer, or why there is none
"$PROGRAMS/recording_make" big "$tmp/big" || exit 1
all_or_reason() { # LIMIT_KB ARGS...
	(
		ulimit -v "$1"
		"$KBPFPROF" "${@:2}" > "$tmp/some" 2> "$tmp/err"
	)
	rc=$?
	printf '%s KB: exit status %s, %s\n' "$1" "$rc" "$(cat "$tmp/err")"
	if [ "$rc" = 0 ]; then cmp "$tmp/some" "$tmp/all"; else [ "$rc" != 0 ] && grep -q 'memory\|allocate' "$tmp/err"; fi
}
for command in 'report big' 'report big -f folded -q' 'report big -f flamegraph -q' 'diff big big'; do
	read -ra words <<<"${command//big/$tmp/big}"
	"$KBPFPROF" "${words[@]}" > "$tmp/all" 2> "$tmp/err"
	for limit in 18000 24000 30000 36000 42000; do
		ok "$command within $limit KB" all_or_reason "$limit" "${words[@]}"
	done
done

# --- names chosen to do harm stay text
for format in table folded list; do
	report "$tmp/hostile" -f $format
	is "hostile names, $format: exit status" "$rc" 0
	is '... no control byte comes through' "$(printf '%s' "$out" | LC_ALL=C grep -c $'[\x01-\x08\x0b-\x1f\x7f]')" 0
done
finish
