#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A long run stays small: while processes come and go and the maps are swapped many times, the memory of
# the profiler does not grow with time.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"
# shellcheck source=tests/live/profile.sh
. "$here/profile.sh"
# shellcheck source=tests/live/books.sh
. "$here/books.sh"
need_live

# memory NAME: VmRSS or RssAnon of the profiler in KiB
memory() { awk -v name="$1:" '$1 == name { print $2 }' "/proc/$profiler/status"; }

# Each starts some hundred processes a second.
# shellcheck disable=SC2016 # the inner shell expands them
for cpu in "${cpus[@]}"; do occupy "$cpu" bash -c 'for ((;;)); do /bin/true; done' churn; done
# So small a table is full at each look: as many swaps as a long run has. What else runs here has stacks of its own.
start -e cpu-clock -F 999 --max-stacks 256 -f folded -p "$(IFS=,; echo "${occupied[*]}")"
sleep 4
rss_early=$(memory VmRSS) anon_early=$(memory RssAnon)
sleep 8
rss=$(memory VmRSS) anon=$(memory RssAnon)
end INT
release

is 'churn: exit status' "$rc" 0
ok 'churn: the books balance' books_balance
ok 'churn: the samples shown are those of the balance' lines_are_kept
within 'churn: short processes were seen' "$(count '^true;')" 100 1000000
# What is new after 4 s are stacks that did not come before: kilobytes.
within 'churn: RSS stays flat (KiB)' $((rss - rss_early)) -1000000 1024
within 'churn: memory beyond the maps stays flat (KiB)' $((anon - anon_early)) -1000000 1024
within 'churn: memory beyond the maps (KiB)' "$anon" 100 20480

finish
