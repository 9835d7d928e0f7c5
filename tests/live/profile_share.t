#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Shares: a program that spends 40, 30, 20 and 10 % of its time in four functions (tests/workloads/share.c).
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"
# shellcheck source=tests/live/profile.sh
. "$here/profile.sh"
# shellcheck source=tests/live/books.sh
. "$here/books.sh"
need_live

# 12 000 samples at 999 Hz; a busy machine needs longer for that much CPU time.
wanted=12000
cpu_s=12.5
tolerance=1.5

# cpu_seconds TGID...: CPU time these have used
cpu_seconds() {
	local id
	for id; do cat "/proc/$id/stat"; done | awk -v hz="$(getconf CLK_TCK)" '{ n += $14 + $15 } END { print n / hz }'
}

for cpu in "${cpus[@]:0:2}"; do occupy "$cpu" "$WORKLOADS/share" 120; done
tgids=$(IFS=,; echo "${occupied[*]}")

# Two at once, on the same load: each sees all of it.
via='' start -F 999 -p "$tgids" -f folded
folded_profiler=$profiler
mkdir "$tmp/folded"
mv "$tmp/out" "$tmp/err" "$tmp/folded"
start -F 999 -p "$tgids"
begin_s=$(cpu_seconds "${occupied[@]}")
enough() { awk -v b="$begin_s" -v n="$(cpu_seconds "${occupied[@]}")" -v w="$cpu_s" 'BEGIN { exit !(n - b > w) }'; }
for ((i = 0; i < 120; i++)); do
	enough && break
	sleep 0.5
done
kill -INT "$folded_profiler"
end INT
is 'table: exit status' "$rc" 0
wait "$folded_profiler"
is 'folded: exit status' "$?" 0
release

shares() {
	local share
	for share in 40 30 20 10; do
		within "$1: burn_$share" "$("$2" "burn_$share")" \
			"$(awk "BEGIN { print $share - $tolerance }")" "$(awk "BEGIN { print $share + $tolerance }")"
	done
}

within 'table: samples' "$(part kept)" "$wanted" 1000000
# In a row are samples in the function itself; interrupts on top of it, many on a busy machine, are rows of their own.
row() { rows | awk -v name="$1" '$NF ~ /^burn_/ { all += $1 } $NF == name { n = $1 } END { print all ? 100 * n / all : 0 }'; }
within 'table: the four are nearly all' "$(rows | awk '$NF ~ /^burn_/ { n += $1 } END { print n }')" 75 100
shares table row
is 'table: largest first' "$(rows | awk '/burn_/ { printf "%s ", $NF }')" 'burn_40 burn_30 burn_20 burn_10 '
ok 'table: the samples shown are those of the balance' table_is_kept
ok 'table: the books balance' books_balance

mv "$tmp/folded/"* "$tmp"
out=$(cat "$tmp/out")
sum=$(count .)
within 'folded: samples' "$sum" "$wanted" 1000000
below() { pct "$(count ";$1[; ]")" "$sum"; }
shares folded below
# Not before the function has set up its frame.
within 'folded: main is the caller' "$(pct "$(count ';main;burn_[0-9]+[; ]')" "$(count ';burn_[0-9]+[; ]')")" 99 100
is 'folded: no other process' "$(count '^share;')" "$sum"
ok 'folded: the samples shown are those of the balance' lines_are_kept
ok 'folded: the books balance' books_balance

finish
