#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# `diff`: recordings of known content compared; the noise bound computed here once more.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"

for kind in basic intervals damaged; do "$PROGRAMS/recording_make" $kind "$tmp/$kind" || exit 1; done
diff_() { run "$KBPFPROF" diff "$@"; }
# row SYMBOL: "before after change noise"
row() { printf '%s\n' "$out" | awk -v sym="$1" '$1 ~ /%$/ && $NF == sym { gsub("±|[+]-", "", $4); print $1 + 0, $2 + 0, $3, $4 + 0 }'; }

# Interval 1: 100 steady, 10 step1; interval 5: 100 steady, 50 step5.
diff_ "$tmp/intervals" --before 0..10s --after 40s..
is 'two parts of one recording: exit status' "$rc" 0
like 'how many changed' "$out" '^3 of 3 rows changed by more than noise$'
# Two shares of 110 and 150 samples, 5 % / 3 rows: z = 2.394 (table of the normal distribution).
bound() {
	awk -v a="$1" -v b="$2" 'BEGIN {
		p = (a + b) / 260
		printf "%.1f\n", 100 * 2.394 * sqrt(p * (1 - p) * (1 / 110 + 1 / 150))
	}'
}
is 'steady' "$(row steady)" "90.9 66.7 -24.2% $(bound 100 100)"
is 'step5' "$(row step5)" "0 33.3 +33.3% $(bound 0 50)"
is 'step1' "$(row step1)" "9.1 0 -9.1% $(bound 10 0)"
like 'by stack' "$out" '^0\.0% -> 33\.3% \(\+33\.3%\): step5 < main$'
like 'the books of both' "$(printf '%s' "$out" | grep -c '^books: 2000 due')" 2

# Per second of the run steady is the same: 1 s of CPU in 10 s.
diff_ "$tmp/intervals" --before 0..10s --after 40s.. --normalize time --top 0
like 'by time: noise is not called a change' "$(row steady)" '^10 10 ~ '
is '... a change is one' "$(row step5 | cut -d' ' -f1-3)" '0 5 +5.0%'
like '... the sum' "$out" '11\.0% +15\.0% +\+4\.0% +in all'

# A recording and itself
diff_ "$tmp/basic" "$tmp/basic"
is 'a recording and itself: exit status' "$rc" 0
like 'nothing changed' "$out" '^nothing changed by more than noise \(5 rows compared\)$'
like '... and that is all of it' "$out" '100\.0% +100\.0% +\+0\.0% +in 5 more rows'
diff_ "$tmp/basic" "$tmp/basic" --comm writer -s dso
like 'filters, keys' "$out" '\(3 rows compared\)'

# Other programs of the same names: what is only on one side
diff_ "$tmp/basic" "$tmp/intervals"
is 'only before' "$(row spin | cut -d' ' -f1-3)" '60 0 -60.0%'
is 'only after' "$(row steady | cut -d' ' -f1-3)" '0 76.9 +76.9%'

# Two counts a stack, before and after, as flamegraph.pl's difffolded.pl writes them
diff_ "$tmp/basic" "$tmp/intervals" -f folded -q
like 'folded: two counts' "$out" '^prog;main;steady 0 500$'
like '... of both sides' "$out" '^worker;main;work;spin 600 0$'
is '... which add up' "$(printf '%s\n' "$out" | awk '{ a += $(NF - 1); b += $NF } END { print a, b }')" '1000 650'
diff_ "$tmp/basic" "$tmp/intervals" -f flamegraph -q
like 'a flame graph' "$out" '^<!doctype html>'

# Damage, and mistakes
diff_ "$tmp/basic" "$tmp/damaged"
is 'one is damaged: exit status' "$rc" 5
like '... which part' "$err" 'interval 3'
diff_ "$tmp/basic"
is 'one file alone: exit status' "$rc" 129
diff_ "$tmp/basic" "$tmp/no-such-file"
is 'no such file: exit status' "$rc" 1
diff_ "$tmp/intervals" --before 0..10s --after 10
is 'no range: exit status' "$rc" 129
diff_ "$tmp/intervals" "$tmp/basic" --before 1h..
is 'nothing in the range: exit status' "$rc" 1
diff_ "$tmp/basic" "$tmp/basic" -f pprof
is 'a format that cannot compare: exit status' "$rc" 129
like '... which can' "$err" 'changes'
finish
