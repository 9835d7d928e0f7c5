#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Hundreds of tasks that were there before, woken by one interrupt: each has its wait, none is lost.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
need_live

# They begin to sing when the tool has long been there, on a slow machine too.
"$WORKLOADS/chorus" 200 4 8 > "$tmp/sung" &
chorus=$!
at_exit "kill $chorus 2> /dev/null"
run "$KBPFPROF" wakeup -q -f json -p $chorus
wait $chorus
is 'the tool ends with its target' "$rc" 0
is 'nothing is lost' "$(jq '[.lost[]] | add' <<< "$out")" 0
# A virtual machine may be told of one wakeup in a hundred less (see wakeup_counts.t).
sung=$(cat "$tmp/sung")
within 'each wakeup by the timer is measured' "$(jq .latency.counts.timers <<< "$out")" $((sung * 98 / 100)) "$sung"
finish
