# SPDX-License-Identifier: GPL-2.0-only
# wakeups.awk: the tables of tests/bench/wakeups from its lines "ROUND LOAD TOOL NAME VALUE", and of programs "ROUND LOAD
# TOOL program NAME RUNS NS". Round 0: of the whole run. Needs stats.awk. Every ratio is made within one round.
# Set by the caller: rounds, cpus, kernel.

$1 == 0 {
	rest = $0
	sub(/^[^ ]+ [^ ]+ [^ ]+ [^ ]+ /, "", rest)
	about[$3, $4] = rest
	next
}
$4 == "program" { # several may have one name
	if (!(($3, $5) in known)) {
		known[$3, $5] = 1
		names[$3] = names[$3] " " $5
	}
	runs[$1, $2, $3, $5] += $6
	ns[$1, $2, $3, $5] += $7
	runs[$1, $2, $3] += $6
	ns[$1, $2, $3] += $7
	# one program sees each switch
	if ($5 ~ /switch/ && $6 > switches[$1, $2, $3])
		switches[$1, $2, $3] = $6
	if ($5 ~ /waking|wakeup|switch/) {
		runs[$1, $2, $3, "three"] += $6
		ns[$1, $2, $3, "three"] += $7
	}
	next
}
{ value[$1, $2, $3, $4] = $5 }

# What the kernel's run statistics charge to a program that does nothing
function empty_ns(round, load) {
	return runs[round, load, "floor"] ? ns[round, load, "floor"] / runs[round, load, "floor"] : ""
}

# Of the programs under `key` of runs[] and ns[], without that, per context switch; "" if it is not known.
function per_switch(round, load, tool, key,    empty, n, s) {
	empty = empty_ns(round, load)
	s = switches[round, load, tool]
	if (empty == "" || !s)
		return ""
	n = key == "" ? runs[round, load, tool] : runs[round, load, tool, key]
	return ((key == "" ? ns[round, load, tool] : ns[round, load, tool, key]) - n * empty) / s
}

function metric(name, round, load, tool,    ms, net) {
	ms = value[round, load, tool, "load_ms"]
	if (name == "all")
		return per_switch(round, load, tool, "")
	if (name == "three")
		return per_switch(round, load, tool, "three")
	if (name == "switch_us")
		return switches[round, load, tool] ? 1000 * ms * cpus / switches[round, load, tool] : ""
	if (name == "cpu_pct") {
		net = per_switch(round, load, tool, "")
		return net == "" || !ms ? "" : 100 * net * switches[round, load, tool] / (ms * 1e6 * cpus)
	}
	if (name == "gross_pct")
		return ms && runs[round, load, tool] ? 100 * ns[round, load, tool] / (ms * 1e6 * cpus) : ""
	if (name == "slower_pct")
		return ms && value[round, load, "alone", "load_ms"] ? 100 * (ms / value[round, load, "alone", "load_ms"] - 1) : ""
	if (name == "file_mib")
		return (round, load, tool, "file_bytes") in value ? value[round, load, tool, "file_bytes"] / 1048576 : ""
	return (round, load, tool, name) in value ? value[round, load, tool, name] : ""
}

function collect(name, load, tool, list,    i) {
	for (i = 1; i <= rounds; i++)
		list[i] = metric(name, i, load, tool)
}

# "MEDIAN (MIN to MAX)"
function cell(name, load, tool, format,    n, list) {
	collect(name, load, tool, list)
	n = sort_known(list)
	if (n < 2)
		return n ? sprintf(format, sorted[1]) : "-"
	return sprintf(format " (" format " to " format ")", median(n), sorted[1], sorted[n])
}

function row(title, name, load, format,    i, line) {
	line = "| " title
	for (i = 1; i <= n_tools; i++)
		line = line " | " cell(name, load, tools[i], format)
	print line " |"
}

# One metric of two tools as a ratio, or of one, against what is to be reached.
function compare(title, load, name, a, b, limit,    i, x, y, n, list, reached) {
	for (i = 1; i <= rounds; i++) {
		x = metric(name, i, load, a)
		y = b == "" ? 1 : metric(name, i, load, b)
		list[i] = x == "" || y == "" || y <= 0 ? "" : x / y
	}
	n = sort_known(list)
	if (!n) {
		printf "  %-60s not measured\n", title
		return
	}
	reached = limit == "" ? "" : sprintf("   to reach: %g%s", limit, median(n) <= limit ? "" : "  MISSED")
	printf "  %-60s %8.3f %8.3f %8.3f%s\n", title, sorted[1], median(n), sorted[n], reached
}

# Medians of one program: runs per switch, ns per run, ns per switch; the last is returned.
function program(load, tool, name, out,    i, k, m, list) {
	for (k = 1; k <= 3; k++) {
		for (i = 1; i <= rounds; i++) {
			m = runs[i, load, tool, name]
			list[i] = !m || !switches[i, load, tool] ? "" : k == 1 ? m / switches[i, load, tool] : k == 2 ? ns[i, load, tool, name] / m - empty_ns(i, load) : per_switch(i, load, tool, name)
		}
		m = sort_known(list)
		out[k] = m ? median(m) : 0
	}
	return out[3]
}

# The dearest first
function programs(load, tool,    n, i, j, list, cost, out, all, name) {
	n = split(names[tool], list, " ")
	for (i = 1; i <= n; i++) {
		cost[list[i]] = program(load, tool, list[i], out)
		all += cost[list[i]]
		name = list[i]
		for (j = i - 1; j > 0 && cost[list[j]] < cost[name]; j--)
			list[j + 1] = list[j]
		list[j + 1] = name
	}
	for (i = 1; i <= n; i++) {
		program(load, tool, list[i], out)
		if (out[1])
			printf "  %-10s %-18s %12.3f %12.0f %14.1f %6.0f %%\n", tool, list[i], out[1], out[2], out[3], all ? 100 * out[3] / all : 0
	}
}

function tables(load, title) {
	printf "\n%s; a switch every %s us of a CPU's time; an empty program is charged %s ns, taken off below\n\n", title,
		cell("switch_us", load, "kbpfprof", "%.1f"), floor_cell(load)
	print "| | kbpfprof wakeup | --no-causes | -p of an idle task | runqlat of libbpf-tools | runqlat.bt | perf sched record |"
	print "|---|---|---|---|---|---|---|"
	row("BPF time per switch (ns)", "all", load, "%.0f")
	row("  of it waking, wakeup, switch (ns)", "three", load, "%.0f")
	row("BPF time (% of the CPUs)", "cpu_pct", load, "%.2f")
	row("  with the charge of an empty program (%)", "gross_pct", load, "%.2f")
	row("load takes longer by (%)", "slower_pct", load, "%.0f")
	row("CPU time of the tool (ms)", "tool_cpu_ms", load, "%.0f")
	row("recorded (MiB)", "file_mib", load, "%.1f")
	printf "\n  %-10s %-18s %12s %12s %14s %8s\n", "", "program", "runs/switch", "ns/run", "ns/switch", "share"
	programs(load, "kbpfprof")
	programs(load, "idle")
	programs(load, "runqlat")
}

function floor_cell(load,    i, n, list) {
	for (i = 1; i <= rounds; i++)
		list[i] = empty_ns(i, load)
	n = sort_known(list)
	return n ? sprintf("%.0f", median(n)) : "-"
}

END {
	n_tools = split("kbpfprof plain idle runqlat bpftrace perf", tools, " ")
	printf "\nwakeups: %s rounds, each tool in each: median (min to max); %s CPUs, Linux %s\n", rounds, cpus, kernel
	for (i = 1; i <= n_tools; i++) {
		if ((tools[i], "missing") in about)
			printf "%s: not run: %s\n", tools[i], about[tools[i], "missing"]
		else if ((tools[i], "version") in about)
			printf "%s: %s\n", tools[i], about[tools[i], "version"]
	}
	tables("pipe", "two tasks that wake each other in turn (perf bench sched pipe)")
	tables("messaging", "many tasks (perf bench sched messaging, as hackbench)")
	printf "\n%-62s %8s %8s %8s\n", "ratios within one round", "min", "median", "max"
	for (i = 1; i <= split("pipe messaging", both, " "); i++) {
		compare(both[i] ": BPF time, kbpfprof / runqlat", both[i], "all", "kbpfprof", "runqlat", 0.7)
		compare(both[i] ": the same, waking, wakeup and switch alone", both[i], "three", "kbpfprof", "runqlat", "")
		compare(both[i] ": BPF time, --no-causes / runqlat", both[i], "all", "plain", "runqlat", "")
		compare(both[i] ": BPF time, -p of an idle task / runqlat", both[i], "all", "idle", "runqlat", 0.15)
		compare(both[i] ": BPF time, kbpfprof / runqlat.bt", both[i], "all", "kbpfprof", "bpftrace", "")
		compare(both[i] ": load takes longer, kbpfprof / perf sched record", both[i], "load_ms", "kbpfprof", "perf", "")
	}
	compare("messaging: BPF time, kbpfprof (% of the CPUs)", "messaging", "cpu_pct", "kbpfprof", "", 2)
}
