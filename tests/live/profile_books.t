#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The books: what was due is where the report says. A sum alone proves nothing, so each part is made
# to grow by a load that is known to make it grow.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"
# shellcheck source=tests/live/profile.sh
. "$here/profile.sh"
# shellcheck source=tests/live/books.sh
. "$here/books.sh"
need_live

not_delivered_pct() { pct "$(part 'not delivered')" "$(part due)"; }

# --- a busy loop on each CPU
for cpu in "${cpus[@]}"; do occupy "$cpu" "$WORKLOADS/share" 60; done
run "$KBPFPROF" profile -e cpu-clock -F 999 -d 3s
release
is 'busy: exit status' "$rc" 0
ok 'busy: the books balance' books_balance
ok 'busy: the samples shown are those of the balance' table_is_kept
duration_s=$(number ' samples in ' ' s on ')
within 'busy: as many are due as 999 Hz make on each CPU' \
	"$(pct "$(part due)" "$(awk -v s="$duration_s" -v cpus=${#cpus[@]} 'BEGIN { print 999 * s * cpus }')")" 96 104
busy_pct=$(not_delivered_pct)
within 'busy: not delivered' "$busy_pct" 0 3
within 'busy: idle' "$(pct "$(part idle)" "$(part due)")" 0 2
is 'busy: lost' "$(part lost)" 0

# --- one CPU hammers bpf(2), during which the kernel runs no BPF program there
last=${cpus[-1]}
for cpu in "${cpus[@]}"; do
	[ "$cpu" = "$last" ] || occupy "$cpu" "$WORKLOADS/share" 60
done
occupy "$last" "$WORKLOADS/bpfspin" 60
run "$KBPFPROF" profile -e cpu-clock -F 999 -d 3s
release
ok 'bpf(2): the books balance' books_balance
within 'bpf(2): not delivered rises' "$(not_delivered_pct)" "$(awk -v b="$busy_pct" 'BEGIN { print (b > 1 ? 3 * b : 3) }')" 100
like 'bpf(2): the reason is shown' "$out" '^not delivered: .*another BPF program was running'

# --- more distinct stacks than there is room for
overload=(profile --max-stacks 256 -e page-faults -c 1)
run "$KBPFPROF" "${overload[@]}" -- "$WORKLOADS/paths" 100000
is 'overload: exit status' "$rc" 0
ok 'overload: the books balance' books_balance
ok 'overload: the samples shown are those of the balance' table_is_kept
within 'overload: lost' "$(part lost)" 1 100000
within 'overload: kept' "$(part kept)" 256 100000
# paths makes 100 000 page faults, and some hundred more to start.
within 'overload: kept and lost are the page faults made' $(($(part kept) + $(part lost))) 100000 101000
# The kernel's counter and the program's own count differ by the faults that are taken inside bpf(2).
within 'overload: none but these' "$(not_delivered_pct)" 0 0.1
is 'overload: lost by cause' "$(number '^lost: ' ' stack map full')" "$(part lost)"
like 'overload: its share' "$out" '^lost: .* \([0-9.]+ % of '

run "$KBPFPROF" "${overload[@]}" --max-loss 0 -- "$WORKLOADS/paths" 100000
is '--max-loss 0: exit status' "$rc" 3
run "$KBPFPROF" "${overload[@]}" --max-loss 100 -f folded -- "$WORKLOADS/paths" 100000
is '--max-loss 100: exit status' "$rc" 0
ok 'overload, folded: the books balance' books_balance
ok 'overload, folded: the samples shown are those of the balance' lines_are_kept
run "$KBPFPROF" profile -e page-faults -c 1 --max-loss 0 -- "$WORKLOADS/paths" 1000
is '--max-loss 0, nothing lost: exit status' "$rc" 0
ok 'nothing lost: the books balance' books_balance

finish
