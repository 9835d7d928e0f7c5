#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Own cost: what --self-cost says against the kernel's statistics, read from outside, and against the CPU
# time that the shell saw the profiler use.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"
# shellcheck source=tests/live/profile.sh
. "$here/profile.sh"
# shellcheck source=tests/live/books.sh
. "$here/books.sh"
need_live

# add_times: leaves in $cpu_ms the user and system time of all children that the shell has waited for
add_times() {
	times >"$tmp/times"
	cpu_ms=$(tail -n 1 "$tmp/times" | tr -s 'ms., ' ' ' | awk '{ print 60000 * ($1 + $4) + 1000 * ($2 + $5) + $3 + $6 }')
}

# statistic NAME: of the profiler's BPF programs, from its open files
statistic() { awk -v name="$1:" '$1 == "prog_type:" { type = $2 } $1 == name && type == 7 { sum += $2 } END { print sum }' \
	"/proc/$profiler/fdinfo/"*; } # 7: BPF_PROG_TYPE_PERF_EVENT

for cpu in "${cpus[@]}"; do occupy "$cpu" "$WORKLOADS/deep" 60 30 1; done
add_times
before_ms=$cpu_ms
start -e cpu-clock -F 999 --self-cost
sleep 3
run_ns=$(statistic run_time_ns) runs=$(statistic run_cnt)
end INT
add_times
used_ms=$((cpu_ms - before_ms))
release

is 'exit status' "$rc" 0
ns=$(number '^own cost: ' ' ns a BPF run')
bpf_pct=$(number 'measuring it\), ' ' % of one CPU in BPF')
user_pct=$(number 'in BPF, ' ' % in user space')
duration_s=$(number ' samples in ' ' s on ')
within 'runs in the statistics' "$runs" 1000 100000000
within 'ns a run (percent of what they say)' "$(pct "$ns" $((run_ns / runs)))" 90 110
seen=$(($(part due) - $(part 'not delivered') - $(part 'more than due')))
within 'share of a CPU in BPF: ns a run x runs' "$bpf_pct" \
	"$(awk -v ns="$ns" -v n="$seen" -v s="$duration_s" 'BEGIN { print ns * n / s / 1e7 * 0.95 - 0.1 }')" \
	"$(awk -v ns="$ns" -v n="$seen" -v s="$duration_s" 'BEGIN { print ns * n / s / 1e7 * 1.05 + 0.1 }')"
# All of its time but that of writing the report; the shell has some helpers of its own to wait for.
user_ms=$(awk -v p="$user_pct" -v s="$duration_s" 'BEGIN { print p * s * 10 }')
within 'user space: CPU time (percent of what the shell saw)' "$(pct "$user_ms" "$used_ms")" 30 105

# The statistics tax every BPF program of the machine: on only when asked for.
enables() { strace -f -qq -e trace=bpf -o "$tmp/strace" "$KBPFPROF" profile -e cpu-clock -d 100ms "$@" >"$tmp/out" 2>"$tmp/err" && grep -c BPF_ENABLE_STATS "$tmp/strace"; }
is '--self-cost: statistics are switched on' "$(enables --self-cost)" 1
is 'without: they are not' "$(enables)" 0
is 'without: no such line' "$(grep -c '^own cost' "$tmp/out")" 0

finish
