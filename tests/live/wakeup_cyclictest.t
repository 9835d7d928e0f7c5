#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Side by side with cyclictest, wakeup by wakeup. It measures its own thread, from the programmed expiry until its code
# reads the clock; we see the same wakeups from outside, until the switch.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"
# shellcheck source=tests/live/profile.sh
. "$here/profile.sh"
# shellcheck source=tests/live/wakeup.sh
. "$here/wakeup.sh"
need_live
command -v cyclictest >/dev/null || skip_all 'no cyclictest (package rt-tests)'

# Slow enough for each case to be told.
rounds=300
run timeout -k 1 60 "$KBPFPROF" wakeup -q -f json --rt --above 1ns -- \
	sh -c "exec cyclictest -v -q -t 1 -a $cpu -p 80 -i 20000 -l $rounds >$tmp/cyclictest"
is 'exit status' "$rc" 0
sed -nE 's/^ +0: +[0-9]+: +([0-9]+)$/\1/p' "$tmp/cyclictest" >"$tmp/theirs"
json '[.latency.cases[] | select(.above and .kind == "timer" and .comm == "cyclictest")] | sort_by(.time)[] | .total_ns / 1000' >"$tmp/ours"
is 'cyclictest: each round' "$(wc -l <"$tmp/theirs")" $rounds
is 'each case is told' "$(counted above_untold)" 0
within 'as many, but for the first and the last' "$(wc -l <"$tmp/ours")" $((rounds - 2)) $((rounds + 2))

# The k-th of ours is the k-th of theirs, or one or two later: whichever fits best.
awk '
	FILENAME == ARGV[1] { ours[n++] = $1; next }
	{ theirs[m++] = $1 }
	function at(shift,   i, k) {
		delete d
		k = 0
		for (i = 0; i < m; i++)
			if (i + shift >= 0 && i + shift < n) d[k++] = theirs[i] - ours[i + shift]
		return k
	}
	END {
		for (shift = -2; shift <= 2; shift++) {
			k = at(shift)
			sum = 0
			for (i = 0; i < k; i++) sum += d[i] < 0 ? -d[i] : d[i]
			if (best == "" || sum / k < least) { best = shift; least = sum / k }
		}
		k = at(best)
		for (i = 0; i < m; i++) if (theirs[i] > theirs[top]) top = i
		for (i = 1; i < n; i++) if (ours[i] > ours[mine]) mine = i
		for (i = 0; i < k; i++) { print d[i] > diffs; if (d[i] > -50 && d[i] < 50) near++ }
		printf "pairs=%d near_pct=%.2f same_max=%d\n", k, 100 * near / k, mine == top + best
	}' diffs="$tmp/diffs" "$tmp/ours" "$tmp/theirs" >"$tmp/fit"
median=$(sort -n "$tmp/diffs" | awk '{ d[n++] = $1 } END { print d[int(n / 2)] }')
within 'pairs' "$(sed -nE 's/.*pairs=([0-9]+).*/\1/p' "$tmp/fit")" $((rounds - 2)) $rounds
within 'the median difference in us' "$median" -20 20
within 'within 50 us, of 100' "$(sed -nE 's/.*near_pct=([0-9.]+).*/\1/p' "$tmp/fit")" 99 100
like 'the longest is the same wakeup' "$(cat "$tmp/fit")" 'same_max=1'

finish
