#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Stacks: thousands of different ones are all told apart, and none is missed or counted twice when the
# two sets of maps are swapped. Each stack of tests/workloads/paths.c spells a number in binary digits.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"
# shellcheck source=tests/live/profile.sh
. "$here/profile.sh"
# shellcheck source=tests/live/books.sh
. "$here/books.sh"
need_live

# spelled: "NUMBER COUNT" of each line of touch(), in the order of the numbers; "?" for a number that is none
spelled() {
	awk -F';' '/;touch [0-9]+$/ {
		value = 0; digits = 0
		for (i = 1; i <= NF && $i != "main"; i++);
		for (i++; i < NF; i++) {
			value = 2 * value + ($i == "one")
			digits += $i == "zero" || $i == "one"
			if ($i != "zero" && $i != "one") digits = -100
		}
		sub(/.* /, "", $NF)
		print (digits == 20 ? value : "?"), $NF
	}' "$tmp/out" | sort -n
}

# each_once N COUNT: the numbers 0 to N - 1, each COUNT times
each_once() { spelled | cmp - <(seq 0 $(($1 - 1)) | sed "s/\$/ $2/"); }

faults=(profile -e page-faults -c 1 -f folded)

# --- told apart
run "$KBPFPROF" "${faults[@]}" -- "$WORKLOADS/paths" 5000
is '5 000 stacks: exit status' "$rc" 0
is '5 000 stacks: lines' "$(spelled | wc -l)" 5000
ok '5 000 stacks: each its own, once' each_once 5000 1
ok '5 000 stacks: the books balance' books_balance
ok '5 000 stacks: the samples shown are those of the balance' lines_are_kept

# --- swapped: far more than one set of maps holds
run "$KBPFPROF" "${faults[@]}" --max-stacks 65536 -- "$WORKLOADS/paths" 100000
is '100 000 stacks in maps for 65 536: exit status' "$rc" 0
ok '100 000 stacks in maps for 65 536: each once' each_once 100000 1
ok '100 000 stacks in maps for 65 536: the samples shown are those of the balance' lines_are_kept

# --- swapped again and again while the same stacks come back
run "$KBPFPROF" "${faults[@]}" --max-stacks 8192 -- "$WORKLOADS/paths" 5000 20 110
ok '5 000 stacks 20 times, swapped: none missed, none twice' each_once 5000 20
is '5 000 stacks 20 times, swapped: lost' "$(part lost)" 0
ok '5 000 stacks 20 times, swapped: the books balance' books_balance
ok '5 000 stacks 20 times, swapped: the samples shown are those of the balance' lines_are_kept

# --- deeper than the kernel walks: kept, and said
max=$(cat /proc/sys/kernel/perf_event_max_stack)
[ "$max" -lt 127 ] || max=127 # SAMPLE_FRAMES_MAX
run "$KBPFPROF" profile -F 999 -f folded -- "$WORKLOADS/deep" 1 1000 1 1
deep='/^deep;\[truncated\];/'
within '1 000 frames: marked truncated' "$(pct "$(awk "$deep"' { n += $NF } END { print n + 0 }' "$tmp/out")" \
	"$(awk '/^deep;/ { n += $NF } END { print n }' "$tmp/out")")" 80 100
is '1 000 frames: so many are kept' "$max" "$(awk -F';' "$deep"' {
	n = 0
	for (i = 3; i <= NF; i++) n += $i !~ /_\[k\]/
	print n }' "$tmp/out" | sort -u)"
run "$KBPFPROF" profile -F 999 -- "$WORKLOADS/deep" 1 1000 1 1
within '1 000 frames: their share in the report' "$(number '^stacks: ' " % are cut, having more than $max frames")" 80 100
ok '1 000 frames: the books balance' books_balance

finish
