#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Recordings: what `profile -o` writes is what it would have shown, whole and in parts, also when it is killed.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"
# shellcheck source=tests/live/profile.sh
. "$here/profile.sh"
# shellcheck source=tests/live/books.sh
. "$here/books.sh"
need_live

sql() { sqlite3 -readonly "$1" "$2"; }
# report FILE OPTIONS...: into $out, $err, $rc
report() { run "$KBPFPROF" report "$@"; }

# --- known truth: 300 page faults in each of 20 stacks
"$KBPFPROF" profile -e page-faults -c 1 -o "$tmp/paths.kbpf" --comm paths -- "$WORKLOADS/paths" 20 300 > "$tmp/out" 2> "$tmp/err"
is 'a COMMAND is recorded' "$?" 0
like 'what was written where, on stderr' "$(cat "$tmp/err")" "^$tmp/paths.kbpf: [0-9.]+ [KM]iB \('kbpfprof report"
like '... and the books' "$(cat "$tmp/err")" '^books: [0-9 ]+ due = [0-9 ]+ kept'
is '... and nothing on stdout but what COMMAND says' "$(grep -c kbpf "$tmp/out")" 0
is 'every fault in touch() is in the file' "$(sql "$tmp/paths.kbpf" "
	SELECT sum(fires) FROM samples JOIN stacks ON stacks.id = samples.stack
	JOIN locations ON locations.id = stacks.leaf JOIN strings ON strings.id = locations.name
	WHERE strings.text = 'touch'")" 6000
report "$tmp/paths.kbpf" -f folded -q
is 'the report has the same stacks' "$(count ';touch')" 6000
is '... each of them' "$(grep -c '; *touch' "$tmp/out")" "$(grep ';touch' "$tmp/out" | awk '$NF == 300 { n++ } END { print n + 0 }')"
is '... of which there are 20' "$(grep -c ';touch' "$tmp/out")" 20

# --- a view beside the file shows the same as the report of the file
occupy "${cpus[0]}" "$WORKLOADS/share" 120
"$KBPFPROF" profile -e cpu-clock -F 499 -d 2s -o "$tmp/both.kbpf" -f table > "$tmp/table" 2> "$tmp/err"
is 'a file and a table at once' "$?" 0
report "$tmp/both.kbpf"
is 'report: exit status' "$rc" 0
ok 'the report is, byte for byte, the table of the run' diff "$tmp/table" "$tmp/out"
is 'what the file holds is what was kept' "$(sql "$tmp/both.kbpf" 'SELECT sum(fires) FROM samples')" "$(part kept)"
report "$tmp/both.kbpf" -f table --comm share
within 'a filter: what ran in burn_40, of the workload alone' "$(plain | sed -n 's/^ *\([0-9.]*\)%.* burn_40$/\1/p')" 35 45

# --- intervals
"$KBPFPROF" profile -e cpu-clock -F 499 -d 3500ms -I 1s -o "$tmp/parts.kbpf" 2> "$tmp/err"
is 'a recording in intervals' "$?" 0
is 'four of them' "$(sql "$tmp/parts.kbpf" 'SELECT count(*) FROM intervals')" 4
report "$tmp/parts.kbpf"
whole=$(part kept)
ok 'the whole balances' books_balance
sum=0
for from in 0 1 2 3; do
	report "$tmp/parts.kbpf" --from ${from}s --to $((from + 1))s
	ok "interval $((from + 1)) balances" books_balance
	sum=$((sum + $(part kept)))
done
is 'the parts add up to the whole' "$sum" "$whole"
report "$tmp/parts.kbpf" --list
is '--list shows the intervals' "$(sed -n '/^ *interval /,/^$/p' "$tmp/out" | grep -cE '^ +[1-4] ')" 4
report "$tmp/parts.kbpf" --from 1h
is 'a range without an interval: exit status' "$rc" 1
like '... says so' "$err" 'no interval'

# --- killed at any moment: what was committed is there, and balances
# Nothing while an interval is being committed
intervals() { sql "$tmp/killed.kbpf" 'SELECT count(*) FROM intervals' 2> /dev/null; }
begun() {
	before=$(intervals) now_us=${EPOCHREALTIME/./}
	[ "${before:-0}" -ge 1 ]
}
for pause in 0.3 0.9; do
	rm -f "$tmp/killed.kbpf"*
	"$KBPFPROF" profile -q -e cpu-clock -F 499 -I 500ms -o "$tmp/killed.kbpf" 2> "$tmp/err" &
	eventually begun
	sleep "$pause"
	eventually begun
	kill -KILL $!
	passed=$(((${EPOCHREALTIME/./} - now_us) / 500000)) # intervals, between the look and the end
	wait $! 2> /dev/null
	report "$tmp/killed.kbpf"
	is "killed $pause s after the first interval: the report's exit status" "$rc" 0
	ok '... balances' books_balance
	within '... what was committed is there' "$(intervals)" "$before" $((before + passed + 1))
done
release

# --- where it is written
"$KBPFPROF" profile -q -d 300ms -o - > "$tmp/stdout.kbpf" 2> "$tmp/err"
is '-o -: exit status' "$?" 0
report "$tmp/stdout.kbpf" --idle
is '... is a recording' "$rc" 0
run sh -c "'$KBPFPROF' profile -q -d 300ms -o - 2> /dev/null | '$KBPFPROF' report - --idle"
like 'from one to the other through a pipe' "$out" '^profile of whole machine'
SUDO_UID=4711 SUDO_GID=4712 "$KBPFPROF" profile -q -d 200ms -o "$tmp/sudo.kbpf" 2> "$tmp/err"
is 'under sudo it belongs to the user' "$(stat -c '%u %g %a' "$tmp/sudo.kbpf")" '4711 4712 600'
report "$tmp/sudo.kbpf" --idle
is '... and root reads it' "$rc" 0
echo precious > "$tmp/mine.txt"
run "$KBPFPROF" profile -d 200ms -o "$tmp/mine.txt"
is 'a file that is no recording is not overwritten: exit status' "$rc" 1
is '... it is as it was' "$(cat "$tmp/mine.txt")" precious
like '... it is named' "$err" "mine.txt"
run "$KBPFPROF" profile -d 200ms -o "$tmp/no/such/dir/x.kbpf"
is 'no such directory: exit status' "$rc" 1
run "$KBPFPROF" profile -d 200ms -I 1s
is '-I without -o: exit status' "$rc" 129
run "$KBPFPROF" profile -d 200ms -o - -f table
is '-o - with -f: exit status' "$rc" 129

# --- a full disk: it stops and says so, and what is there can be read
mkdir "$tmp/small"
mount -t tmpfs -o size=3m tmpfs "$tmp/small"
at_exit "umount '$tmp/small'"
run timeout 60 "$KBPFPROF" profile -e page-faults -c 1 -I 100ms -o "$tmp/small/x.kbpf" -- "$WORKLOADS/paths" 20000 40 20
is 'a full disk: exit status' "$rc" 1
like '... how much was written' "$err" '[Nn]o space left.*[KM]iB|[KM]iB.*[Nn]o space left'
report "$tmp/small/x.kbpf"
is '... the file is readable' "$rc" 0
ok '... and balances' books_balance

# --- without privileges
chmod 755 "$tmp"
cp "$tmp/both.kbpf" "$tmp/public.kbpf"
chmod 644 "$tmp/public.kbpf"
run setpriv --reuid=65534 --regid=65534 --clear-groups "$KBPFPROF" report "$tmp/public.kbpf"
is 'nobody reads a report: exit status' "$rc" 0
ok '... the same' diff "$tmp/table" "$tmp/out"
run strace -f -e trace=capset,bpf,perf_event_open -o "$tmp/trace" "$KBPFPROF" report "$tmp/both.kbpf"
like 'report gives privileges up' "$(cat "$tmp/trace")" 'capset\(.*effective=1<<CAP_DAC_READ_SEARCH, permitted=1<<CAP_DAC_READ_SEARCH, inheritable=0'
unlike '... and needs no BPF' "$(cat "$tmp/trace")" '^[0-9]+ +(bpf|perf_event_open)'
finish
