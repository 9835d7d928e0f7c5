# SPDX-License-Identifier: GPL-2.0-only
# irqs.awk: the tables of tests/bench/irqs from its lines "ROUND TOOL program NAME RUNS NS". Needs stats.awk. Set by the caller:
# rounds, kernel. Of each pair of programs: time an event, less what the kernel charges to a program that does nothing.

$3 == "program" {
	what = $4 ~ /softirq/ ? "soft" : $4 ~ /vector/ ? "vector" : $4 ~ /irq/ ? "hard" : ""
	if ($2 == "floor") {
		runs[$1] += $5
		floor[$1] += $6
	} else if (what != "" && $4 ~ /rais/) {
		raise_runs[$1, $2] += $5
		raise_ns[$1, $2] += $6
	} else if (what != "") {
		each[$1, $2, what] += $5
		ns[$1, $2, what] += $6
		events[$1, $2, what] += $5 / 2 # names are cut: an entry and its exit may have the same
	}
}

function empty(round) { return runs[round] ? floor[round] / runs[round] : "" }
function pair(round, tool, what) {
	if (!events[round, tool, what] || empty(round) == "")
		return ""
	return (ns[round, tool, what] - each[round, tool, what] * empty(round)) / events[round, tool, what]
}
function gather(tool, what, list,    i) {
	for (i = 1; i <= rounds; i++)
		list[i] = pair(i, tool, what)
}
function show(title, tool, what,    n, list, i, events_all) {
	gather(tool, what, list)
	n = sort_known(list)
	for (i = 1; i <= rounds; i++)
		events_all += events[i, tool, what]
	if (n)
		printf "  %-44s %8.0f %8.0f %8.0f   %d events\n", title, sorted[1], median(n), sorted[n], events_all
	else
		printf "  %-44s not measured\n", title
}
function ratio(title, tool, other, what, limit,    n, i, a, b, list) {
	for (i = 1; i <= rounds; i++) {
		a = pair(i, tool, what)
		b = pair(i, other, what)
		list[i] = a == "" || b == "" || b <= 0 ? "" : a / b
	}
	n = sort_known(list)
	if (n)
		printf "  %-44s %8.3f %8.3f %8.3f%s\n", title, sorted[1], median(n), sorted[n],
			limit ? "   to reach: " limit (median(n) <= limit ? "" : "  MISSED") : ""
	else
		printf "  %-44s not measured\n", title
}
function raises(tool,    i, n, list) {
	for (i = 1; i <= rounds; i++)
		list[i] = raise_runs[i, tool] ? raise_ns[i, tool] / raise_runs[i, tool] - empty(i) : ""
	n = sort_known(list)
	if (n)
		printf "  %-44s %8.0f %8.0f %8.0f\n", "kbpfprof, a raise of a softirq", sorted[1], median(n), sorted[n]
}

END {
	for (i = 1; i <= rounds; i++)
		list[i] = empty(i)
	n = sort_known(list)
	printf "\nBPF time of an entry and its exit, ns, without the %.0f that each empty program is charged; Linux %s\n", n ? median(n) : 0, kernel
	printf "  %-44s %8s %8s %8s\n", "", "min", "median", "max"
	show("hard IRQ of a line, kbpfprof irq", "kbpfprof", "hard")
	show("  irq --irq all", "irq_only", "hard")
	show("  hardirqs -d", "hardirqs", "hard")
	show("  perf kwork -b", "kwork", "hard")
	show("interrupt without a line, kbpfprof irq", "kbpfprof", "vector")
	show("softirq, kbpfprof irq", "kbpfprof", "soft")
	show("  irq --softirq all", "soft_only", "soft")
	show("  softirqs, no histograms", "softirqs", "soft")
	show("  bpftrace, histograms", "bpftrace", "soft")
	show("  perf kwork -b", "kwork", "soft")
	raises("kbpfprof")
	printf "ratios within one round\n"
	ratio("hard IRQ, irq --irq all / hardirqs -d", "irq_only", "hardirqs", "hard", 0.7)
	ratio("hard IRQ, irq / hardirqs -d", "kbpfprof", "hardirqs", "hard", 0.7)
	ratio("softirq, irq --softirq all / softirqs", "soft_only", "softirqs", "soft", 0.7)
	ratio("softirq, irq / softirqs", "kbpfprof", "softirqs", "soft", 0.7)
	ratio("softirq, irq / bpftrace", "kbpfprof", "bpftrace", "soft", "")
	ratio("hard IRQ, irq / perf kwork -b", "kbpfprof", "kwork", "hard", "")
	ratio("softirq, irq / perf kwork -b", "kbpfprof", "kwork", "soft", "")
}
