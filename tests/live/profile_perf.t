#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The same load, seen by perf record at the same time: its top symbols and their shares are ours.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"
# shellcheck source=tests/live/profile.sh
. "$here/profile.sh"
# shellcheck source=tests/live/books.sh
. "$here/books.sh"
need_live

# The loads alone are compared: what else this machine does, perf itself, say, is not the same for both.
occupy "${cpus[0]}" "$WORKLOADS/share" 60
occupy "${cpus[-1]}" "$WORKLOADS/deep" 60 30 1
start -e cpu-clock -F 999 --comm share,deep -s comm,sym --top 0
perf record -q -e cpu-clock -F 999 -a -g -o "$tmp/perf.data" -- sleep 5 >"$tmp/perf.log" 2>&1
perf_rc=$?
end INT
release
is 'perf record: exit status' "$perf_rc" 0
is 'kbpfprof: exit status' "$rc" 0
ok 'the books balance' books_balance

# "SHARE COMMAND:SYMBOL"; with less than the command as a key perf report would filter sums of all commands.
rows | awk '{ print $1, $2 ":" $NF }' >"$tmp/ours"
perf report -i "$tmp/perf.data" --stdio --no-inline --no-children -g none --comms share,deep --percentage relative \
	-F overhead,comm,sym 2>"$tmp/perf.log" | awk '$1 ~ /^[0-9.]+%$/ { print $1 + 0, $2 ":" $NF }' >"$tmp/theirs"
within 'perf: symbols' "$(wc -l <"$tmp/theirs")" 5 100000

# share NAME FILE
share() { awk -v name="$1" '$2 == name { n += $1 } END { print n + 0 }' "$2"; }
# Those above 5 % in one of the two: the other has them too, within 4 points.
names=$(awk '$1 > 5 { print $2 }' "$tmp/ours" "$tmp/theirs" | sort -u)
within 'symbols above 5 %' "$(printf '%s\n' "$names" | wc -l)" 3 20
for name in $names; do
	theirs=$(share "$name" "$tmp/theirs")
	within "$name: the share that perf sees" "$(share "$name" "$tmp/ours")" \
		"$(awk "BEGIN { print $theirs - 4 }")" "$(awk "BEGIN { print $theirs + 4 }")"
done
top() { head -n 5 "$1" | awk '{ print $2 }' | sort; }
within 'of the top 5 of perf these are in ours' "$(comm -12 <(top "$tmp/ours") <(top "$tmp/theirs") | wc -l)" 4 5

finish
