#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# `report -f pprof` as Go's pprof reads it: the counts of recordings whose content is known (see
# tests/programs/recording_make.c), and those of the other views.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"
: "${PROGRAMS:?is set by make check}"
export LC_ALL=C TZ=UTC

# pprof ARGS...: needs no network and no home
pprof() { env HOME="$tmp" PPROF_TMPDIR="$tmp" go tool pprof -symbolize=none "$@" 2>"$tmp/pprof.err"; }
# report KIND ARGS...: of that recording, to stdout
report() { "$KBPFPROF" report "$tmp/$1" "${@:2}" 2>"$tmp/report.err"; }
# top FILE ARGS...: "FLAT CUM NAME" of each function, in samples, sorted
top() {
	pprof -top -sample_index=samples -nodecount=1000000 -nodefraction=0 -edgefraction=0 "${@:2}" "$1" |
		awk '/^ +flat/ { on = 1; next } on { flat = $1; cum = $4; sub(/^ *[^ ]+ +[^ ]+ +[^ ]+ +[^ ]+ +[^ ]+ +/, ""); print flat, cum, $0 }' | sort
}
# of_folded: the same of folded stacks on stdin
of_folded() {
	awk '{ count = $NF; sub(/ [0-9]+$/, ""); n = split($0, f, ";"); split("", seen)
		for (i = 2; i <= n; i++) { sub(/_\[k\]$/, "", f[i]); if (!(f[i] in seen)) cum[f[i]] += count; seen[f[i]] = 1 }
		flat[f[n]] += count }
		END { for (name in cum) print flat[name] + 0, cum[name], name }' | sort
}
# of_table: the same of a table of 1 000 samples, sorted by symbol alone, on stdin
of_table() {
	awk '/^children/ { on = 1; next } !NF { on *= 2 } on == 1 && $3 ~ /^\+-/ {
		cum = $1; flat = $2; sub(/^.*\[[.k]\] /, ""); sub(/\+0x[0-9a-f]+/, ""); print 10 * flat, 10 * cum, $0 }' | sort
}
has_line() { grep -qxF -- "$1" "$2" || { echo "no line '$1' in:"; cat "$2"; return 1; }; }

for kind in basic hostile big empty intervals; do "$PROGRAMS/recording_make" $kind "$tmp/$kind" || exit 1; done

# --- a valid profile
report basic -f pprof >"$tmp/p"
is 'it is written' $? 0
ok 'it is gzip' gzip -t "$tmp/p"
report basic -f pprof >"$tmp/again"
ok 'and the same each time' cmp "$tmp/p" "$tmp/again"
LC_ALL=C.UTF-8 report basic -f pprof >"$tmp/again"
ok 'in any locale' cmp "$tmp/p" "$tmp/again"
pprof -raw "$tmp/p" >"$tmp/raw"
is 'pprof reads it' "$? $(cat "$tmp/pprof.err")" '0 '
head -c 200 "$tmp/p" >"$tmp/cut"
ok 'but not a cut one' eval "! pprof -raw '$tmp/cut' >/dev/null"

# --- counts
cat >"$tmp/truth" <<'END'
0 1000 main
0 200 read
0 200 vfs_read
0 80 vfs_write
0 80 write
0 800 work
100 100 memcpy
20 20 blob.so [stripped]
200 200 copy_to_user
600 600 spin
80 80 ext4_write
END
top "$tmp/p" >"$tmp/top"
ok 'flat and cumulative samples are the known ones' diff "$tmp/truth" "$tmp/top"
report basic -s sym --children --top 0 | of_table >"$tmp/table"
ok 'and those of the table' diff "$tmp/table" "$tmp/top"
like 'CPU time is what it shows unasked' "$(pprof -top "$tmp/p")" 'Total samples = 10(s|000ms) '
is 'with --idle idle time' "$(report basic -f pprof --idle >"$tmp/idle"; top "$tmp/idle" | grep idle)" '900 900 [idle]'
report basic -f pprof --comm writer >"$tmp/writer"
is '--comm' "$(top "$tmp/writer" | grep main)" '0 200 main'

# --- labels
for want in 'comm:worker 800' 'comm:writer 200' 'pid:100 800' 'pid:200 200' 'tid:101 600' 'tid:102 200' 'tid:200 200'; do
	tag=${want%% *}
	[[ $tag = comm* ]] || tag=${tag/:/=} # a text, or a number
	is "label $tag" "$(top "$tmp/p" -tagfocus="$tag" | awk '{ sum += $1 } END { print sum + 0 }')" "${want#* }"
done
is 'CPU 0 has a label' "$(grep -c 'cpu:\[0 cpu\]' "$tmp/raw")" 2

# --- what it was measured on
has_raw() { ok "$1" has_line "$2" "$tmp/raw"; }
has_raw 'sample types' 'samples/count cpu/nanoseconds[dflt]'
has_raw 'period' 'Period: 10000000'
has_raw 'period type' 'PeriodType: cpu nanoseconds'
has_raw 'time' 'Time: 2023-11-14 22:13:20 +0000 UTC'
has_raw 'duration' 'Duration: 10s'
like 'build-id of a file, at addresses of its own' "$(cat "$tmp/raw")" \
	'^[0-9]+: 0x0/0xffffffffffffffff/0x0 /usr/bin/worker 0102030405060708090a0b0c0d0e0f1011121314 \[FN\]$'
like 'the kernel from _stext on' "$(cat "$tmp/raw")" '^[0-9]+: 0xffffffff81000000/0xffffffff81008000/0x0 \[kernel\]  \[FN\]$'
like 'a module' "$(cat "$tmp/raw")" '^[0-9]+: 0xffffffffc0000000/0xffffffffc0010000/0x0 \[ext4\]  \[FN\]$'
like 'addresses of a file' "$(cat "$tmp/raw")" '^ +[0-9]+: 0x1100 M=[0-9]+ spin /usr/bin/worker:0'
like 'the loss is above each report' "$(pprof -top "$tmp/p")" '^lost: 40 stack map full, 10 hash collision \(4\.8 % of 1050\)$'
like 'and the books' "$(pprof -comments "$tmp/p")" '^books: 2000 due = 1000 kept \+ 900 idle \+ 50 lost \+ 50 not delivered'
like 'and what is left out' "$(pprof -comments "$tmp/writer")" '^shown: 200 of 1000 samples kept \(comm=writer\)$'
like 'and the command line' "$(pprof -comments "$tmp/p")" '^command line: kbpfprof profile -F 100 -e cpu-clock -o FILE$'

# --- all that a name can be
report hostile -f pprof >"$tmp/h"
pprof -raw "$tmp/h" >"$tmp/raw"
is 'hostile names: pprof reads it' $? 0
ok 'hostile names: UTF-8' iconv -f UTF-8 -t UTF-8 "$tmp/raw" -o /dev/null
is 'hostile names: no control character' "$(LC_ALL=C tr -d '\n\t\040-\176\200-\377' <"$tmp/raw" | wc -c)" 0
is 'hostile names: all samples' "$(pprof -top -sample_index=samples "$tmp/h" | sed -n 's/^Total samples = //p; s/^Duration.*Total samples = //p' | tr -d ' ')" 1000
is 'hostile names: all functions' "$(top "$tmp/h" | wc -l)" 16

# --- size, and nothing
report big -f pprof >"$tmp/p"
is 'big: it is written' $? 0
top "$tmp/p" >"$tmp/top"
report big -f folded | of_folded >"$tmp/folded"
is 'big: all functions' "$(wc -l <"$tmp/top")" "$(wc -l <"$tmp/folded")"
ok 'big: counts of the folded stacks' cmp "$tmp/folded" "$tmp/top"
is 'big: all samples' "$(awk '{ sum += $1 } END { print sum }' "$tmp/top")" 100000
report empty -f pprof >"$tmp/p"
is 'empty: it is written' $? 0
ok 'empty: pprof reads it' pprof -raw "$tmp/p"
report intervals -f pprof --from 20s --to 30s >"$tmp/p"
is 'a part of the time' "$(top "$tmp/p" | tr '\n' ' ')" '0 130 main 100 100 steady 30 30 step3 '

is 'a full disk is told' "$(report basic -f pprof >/dev/full; echo $?)" 1
finish
