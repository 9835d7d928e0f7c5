# SPDX-License-Identifier: GPL-2.0-only
# For the live tests of `kbpfprof profile`, sourced after profile.sh: reading the report and the
# balance under it, both of the last run ($tmp/out; $tmp/err has the books of formats for programs);
# loads that keep chosen CPUs busy.
# shellcheck shell=bash
# shellcheck disable=SC2154 # tmp is set by lib.sh

# CPUs that are online, by number
# shellcheck disable=SC2034 # for those who source this
mapfile -t cpus < <(lscpu -bp=cpu | grep -v '^#')

# plain: the report without the blanks inside numbers, "59 998" -> "59998"
plain() {
	local from=$tmp/out
	! grep -q '^books:' "$tmp/err" || from=$tmp/err
	sed -E ':a; s/([0-9]) ([0-9]{3})([^0-9]|$)/\1\2\3/; ta' "$from"
}

# number BEFORE AFTER: the first number between the two regexes
number() { plain | sed -nE "s/^.*$1([0-9]+(\\.[0-9]+)?)$2.*/\\1/p" | head -n 1; }

# part NAME: the number before that name in the line "books:", with its sign; 0 if it is not there
part() {
	local n
	n=$(plain | sed -nE "s/^books: (.*[=+] |.*(-) )?([0-9]+) $1( .*)?\$/\\2\\3/p")
	echo "${n:-0}"
}

# What was due is the sum of its parts, and every sample that the program saw is in one of them.
books_balance() {
	local due parts
	due=$(part due)
	parts=$(($(part kept) + $(part idle) + $(part 'other tasks') + $(part lost) + $(part 'not delivered') + $(part 'more than due')))
	plain | grep '^books:'
	[ "$due" -gt 0 ] && [ "$due" = "$parts" ] && [ "$(part unexplained)" = 0 ]
}

# The table holds the samples that the balance calls kept, and so does the first line.
table_is_kept() {
	local shown left sum
	shown=$(number '^table: ' ' samples shown')
	left=$(number '^table: .* shown \+ ' ' left out')
	sum=$(number '^table: .* = ' ' kept')
	grep -E '^(table|books|profile|warning)' "$tmp/out"
	[ $((shown + left)) = "$sum" ] && [ "$sum" = "$(part kept)" ] && [ "$sum" = "$(number ': ' ' samples in ')" ]
}

# The lines of folded stacks hold the samples that the balance calls kept. What COMMAND prints is one word a line.
lines_are_kept() {
	local sum
	sum=$(awk '/;/ { n += $NF } END { print n + 0 }' "$tmp/out")
	echo "$sum, $(part kept) kept"
	[ "$sum" -gt 0 ] && [ "$sum" = "$(part kept)" ]
}

# pct PART WHOLE
pct() { awk -v part="$1" -v whole="$2" 'BEGIN { printf "%.3f\n", whole ? 100 * part / whole : 0 }'; }

# rows: "SHARE WORDS" of each row of the table
rows() { awk '$1 ~ /^[0-9.]+%$/ && $2 ~ /^(\+-|±)/ { $1 = $1 + 0; $2 = ""; print }' "$tmp/out" | tr -s ' '; }

# occupy CPU COMMAND...: in the background on that CPU
occupied=()
occupy() {
	taskset -c "$1" "${@:2}" >/dev/null &
	occupied+=($!)
}
# release: ends all of them
release() {
	[ ${#occupied[@]} = 0 ] || kill "${occupied[@]}"
	wait "${occupied[@]}"
	occupied=()
} 2>/dev/null
at_exit release
