# SPDX-License-Identifier: GPL-2.0-only
# report.awk: the table of tests/bench/bench from its lines "ROUND TOOL NAME VALUE". Round 0: of the whole run. Needs stats.awk.
# Set by the caller: rounds, hz, seconds, cpus, kernel. Every ratio is made within one round.

$1 == 0 {
	rest = $0
	sub(/^[^ ]+ [^ ]+ [^ ]+ /, "", rest)
	about[$2, $3] = rest
	next
}
{ value[$1, $2, $3] = $4 }

function has(round, tool, name) {
	return (round, tool, name) in value
}

# Against the load alone, before and after the round, in percent
function slower(name, round, tool) {
	return 100 - 200 * value[round, tool, name] / (value[round, "baseline", name] + value[round + 1, "baseline", name])
}

# The metrics: the value in one round, "" if it is not known.
function metric(name, round, tool,    empty) {
	if (name == "net_ns") {
		if (!has(round, tool, "bpf_runs") || !value[round, tool, "bpf_runs"] || !value[round, "empty", "bpf_runs"])
			return ""
		empty = tool == "empty" ? 0 : value[round, "empty", "bpf_ns"] / value[round, "empty", "bpf_runs"]
		return value[round, tool, "bpf_ns"] / value[round, tool, "bpf_runs"] - empty
	}
	if (name == "slower_pct") # what others took of the CPUs is left out
		return has(round, tool, "rounds_per_cpu_s") ? slower("rounds_per_cpu_s", round, tool) + value[round, tool, "window_cpu_pct"] / cpus : ""
	if (name == "slower_wall_pct")
		return has(round, tool, "rounds_per_s") ? slower("rounds_per_s", round, tool) : ""
	if (name == "shown_pct")
		return has(round, tool, "shown") ? 100 * value[round, tool, "shown"] / (hz * cpus * seconds) : ""
	if (name == "bare_pct")
		return value[round, tool, "load_samples"] ? 100 * value[round, tool, "load_bare"] / value[round, tool, "load_samples"] : ""
	if (name == "user_ms" || name == "system_ms") # perf's work is done by two commands
		return has(round, tool, name) ? value[round, tool, name] + value[round, tool, "report_" name] : ""
	if (name == "cpu_ms")
		return has(round, tool, "user_ms") ? metric("user_ms", round, tool) + metric("system_ms", round, tool) : ""
	if (name == "beyond_maps_mib")
		return has(round, tool, "beyond_maps_kib") ? max(value[round, tool, "beyond_maps_kib"], value[round, tool, "report_beyond_maps_kib"]) / 1024 : ""
	if (name == "maps_mib")
		return has(round, tool, "maps_kib") ? value[round, tool, "maps_kib"] / 1024 : ""
	return has(round, tool, name) ? value[round, tool, name] : ""
}

function max(a, b) {
	return a + 0 > b + 0 ? a + 0 : b + 0
}

# "MEDIAN (MIN to MAX)" of list, by a printf format
function spread(list, format,    n) {
	n = sort_known(list)
	if (!n)
		return "-"
	if (n == 1)
		return sprintf(format, sorted[1])
	return sprintf(format " (" format " to " format ")", median(n), sorted[1], sorted[n])
}

function cell(name, tool, scale, format,    i, m, list) {
	for (i = 1; i <= rounds; i++) {
		m = metric(name, i, tool)
		list[i] = m == "" ? "" : m / scale
	}
	return spread(list, format)
}

function row(title, name, scale, format,    i, line) {
	line = "| " title
	for (i = 1; i <= n_tools; i++)
		line = line " | " cell(name, tools[i], scale, format)
	print line " |"
}

# One metric of two tools, as a ratio or (sign "-") a difference, against what is to be reached.
function compare(title, name, a, b, sign, limit,    i, x, y, n, list, reached) {
	for (i = 1; i <= rounds; i++) {
		x = metric(name, i, a)
		y = b == "" ? 0 : metric(name, i, b)
		list[i] = x == "" || y == "" || (sign == "/" && y <= 0) ? "" : sign == "/" ? x / y : x - y
	}
	n = sort_known(list)
	if (!n) {
		printf "  %-56s not measured\n", title
		return
	}
	reached = limit == "" ? "" : sprintf("   to reach: %g%s", limit, median(n) <= limit ? "" : "  MISSED")
	printf "  %-56s %8.2f %8.2f %8.2f%s\n", title, sorted[1], median(n), sorted[n], reached
}

END {
	n_tools = split("kbpfprof libbpf bpftrace perf", tools, " ")
	printf "%s Hz on %s CPUs for %s s, every tool in each of %s rounds: median (min to max); Linux %s\n", hz, cpus, seconds, rounds, kernel
	print "load: tests/workloads/deep, one process a CPU, stacks of 30 to 60 user frames; event: cpu-clock"
	for (i = 1; i <= n_tools; i++) {
		if ((tools[i], "missing") in about)
			printf "%s: not run: %s\n", tools[i], about[tools[i], "missing"]
		else
			printf "%s: %s\n", tools[i], about[tools[i], "version"]
	}
	print ""
	print "| | kbpfprof profile | profile of libbpf-tools | bpftrace one-liner | perf record + report |"
	print "|---|---|---|---|---|"
	row("BPF time per sample (us)", "net_ns", 1000, "%.2f")
	row("samples shown, of those due (%)", "shown_pct", 1, "%.1f")
	row("samples whose stack is lost (%)", "bare_pct", 1, "%.1f")
	row("user CPU time, report included (ms)", "user_ms", 1, "%.0f")
	row("user and system CPU time (ms)", "cpu_ms", 1, "%.0f")
	row("load slowed by (%)", "slower_pct", 1, "%.1f")
	row("first sample after, without the load (ms)", "alone_first_sample_ms", 1, "%.0f")
	row("CPU time used until then (ms)", "alone_first_cpu_ms", 1, "%.0f")
	row("first sample after, under the load (ms)", "first_sample_ms", 1, "%.0f")
	row("resident memory (MiB)", "beyond_maps_mib", 1, "%.1f")
	row("  and BPF maps mapped (MiB)", "maps_mib", 1, "%.1f")
	print ""
	print "BPF time: by the kernel's run statistics, which charge " cell("net_ns", "empty", 1, "%.0f") " ns to an empty"
	print "program; that is taken off. The floor: bpf_get_stack() of both sides alone takes " cell("net_ns", "stacks", 1000, "%.2f") " us."
	print "Stacks lost: of the samples of the load. CPU time: of the whole run, perf's record and report together."
	print "The load alone does " cell("rounds_per_s", "baseline", 1000, "%.0f") " thousand rounds a second, " cell("rounds_per_cpu_s", "baseline", 1000, "%.0f") " a second"
	print "of its CPU time: how far these spread is the noise of this machine, and \"slowed\" is no better than that."
	print "Slowed: fewer rounds a second of the load's CPU time, and the CPU time that the tool takes meanwhile."
	print "The floor's programs slow the load by (%): empty " cell("slower_pct", "empty", 1, "%.1f") ", stacks " cell("slower_pct", "stacks", 1, "%.1f")
	print ""
	printf "%-58s %8s %8s %8s\n", "ratios within one round", "min", "median", "max"
	compare("BPF time, kbpfprof / libbpf-tools", "net_ns", "kbpfprof", "libbpf", "/", 1.1)
	compare("BPF time, kbpfprof / bpftrace", "net_ns", "kbpfprof", "bpftrace", "/", "")
	compare("BPF time, kbpfprof / bpf_get_stack alone", "net_ns", "kbpfprof", "stacks", "/", "")
	compare("user CPU, kbpfprof / perf", "user_ms", "kbpfprof", "perf", "/", 0.25)
	compare("user and system CPU, kbpfprof / perf", "cpu_ms", "kbpfprof", "perf", "/", "")
	compare("load slowed, kbpfprof - libbpf-tools (points)", "slower_pct", "kbpfprof", "libbpf", "-", 0)
	compare("load slowed, kbpfprof - perf (points)", "slower_pct", "kbpfprof", "perf", "-", "")
	compare("the same by the wall clock, kbpfprof - libbpf-tools", "slower_wall_pct", "kbpfprof", "libbpf", "-", "")
	compare("the same by the wall clock, kbpfprof - perf", "slower_wall_pct", "kbpfprof", "perf", "-", "")
	compare("stacks lost, kbpfprof (%)", "bare_pct", "kbpfprof", "", "-", 0)
	compare("first sample, without the load, kbpfprof (ms)", "alone_first_sample_ms", "kbpfprof", "", "-", 100)
	compare("CPU time until then, kbpfprof (ms)", "alone_first_cpu_ms", "kbpfprof", "", "-", "")
	compare("resident memory beyond the maps, kbpfprof (MiB)", "beyond_maps_mib", "kbpfprof", "", "-", 20)
}
