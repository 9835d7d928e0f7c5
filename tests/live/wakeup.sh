# SPDX-License-Identifier: GPL-2.0-only
# For the live tests of `kbpfprof wakeup`; sourced after profile.sh. Loads that begin when told to, what is
# true of their runs, and what the tool says of it.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # tmp is set by lib.sh; others are for those who source this
tool=wakeup # of start, in profile.sh

# CPUs that are online, by number: victims live on $cpu, the other is $other
mapfile -t cpus < <(lscpu -bp=cpu | grep -v '^#')
cpu=${cpus[-1]} other=${cpus[0]}
is_rt=
! uname -v | grep -q PREEMPT_RT || is_rt=1

# --- loads (tests/workloads/realtime.h)

# load NAME PROGRAM [OPTION...]: starts it; it waits. Its TIDs are ${tids[NAME]}, its process ${pid[NAME]}.
# The words in $within are put before it, to start it in a cgroup, say.
declare -A pid tids load_in load_out
load() {
	local name=$1 in out
	shift
	mkfifo "$tmp/$name.in" "$tmp/$name.out"
	# shellcheck disable=SC2086 # words
	${within:-} "$WORKLOADS/$1" "${@:2}" <"$tmp/$name.in" >"$tmp/$name.out" 2>"$tmp/$name.err" &
	pid[$name]=$!
	disown
	at_exit "kill_child $!"
	exec {in}>"$tmp/$name.in" {out}<"$tmp/$name.out"
	load_in[$name]=$in load_out[$name]=$out
	read -r -t 20 -u "$out" _ "pid[$name]" "tids[$name]" || sed 's/^/# /' "$tmp/$name.err"
}

# begin NAME...: now
begin() {
	local name
	for name; do echo >&"${load_in[$name]}"; done
}

# until_done NAME...: their work is over; they are still there
until_done() {
	local name
	for name; do read -r -t 30 -u "${load_out[$name]}" _; done
}

# report NAME...: ends them; what they print is in $tmp/NAME
report() {
	local name in out
	for name; do
		in=${load_in[$name]} out=${load_out[$name]}
		echo >&"$in"
		timeout 20 cat <&"$out" >"$tmp/$name"
		exec {in}>&- {out}<&-
		rm -f "$tmp/$name.in" "$tmp/$name.out"
	done
}

# told NAME LINE FIELD: a number of the report, told victim late max_ns
told() { sed -nE "s/^$2 (.* )?$3=([0-9]+).*/\\2/p" "$tmp/$1"; }

# overlap VICTIM [LOAD...]: ns that the loads worked between an expiry of the victim and the moment that it ran, and
# the number of such rounds
overlap() {
	awk '
	$1 == "work" && FILENAME != first { from[n] = $2; to[n++] = $3 }
	$1 == "round" && FILENAME == first { expiry[m] = $2; woke[m++] = $3 }
	BEGIN { first = ARGV[1]; n = m = 0 }
	END {
		for (i = 0; i < m; i++) {
			here = 0
			for (j = 0; j < n; j++) {
				a = from[j] > expiry[i] ? from[j] : expiry[i]
				b = to[j] < woke[i] ? to[j] : woke[i]
				if (b > a) here += b - a
			}
			sum += here
			rounds += here > 0
		}
		printf "%.0f %d\n", sum, rounds # mawk: %d has 32 bits
	}' "$@"
}

# --- cgroups

# mount_of TYPE [OPTION]: where such a cgroup file system is mounted
mount_of() { awk -v type="$1" -v option="${2:-}" '$3 == type && (option == "" || ","$4"," ~ ","option",") { print $2; exit }' /proc/self/mounts; }

# cpu_cgroup: makes one with a CPU controller, in $cgroup; false if there is none. It is taken away at the end.
cpu_cgroup() {
	local mount
	mount=$(mount_of cgroup cpu)
	if [ -z "$mount" ]; then
		mount=$(mount_of cgroup2)
		[ -n "$mount" ] && grep -qw cpu "$mount/cgroup.controllers" || return 1
		grep -qw cpu "$mount/cgroup.subtree_control" || echo +cpu >"$mount/cgroup.subtree_control" || return 1
	fi
	cgroup=$mount/kbpfprof-wakeup-$$
	mkdir "$cgroup" || return 1
	at_exit "end_cgroup '$cgroup'"
}
end_cgroup() {
	local task
	while read -r task; do kill -KILL "$task"; done <"$1/cgroup.procs"
	eventually rmdir "$1"
} 2>/dev/null

# in_cgroup CGROUP COMMAND...: a word for $within
in_cgroup() {
	echo "$BASHPID" >"$1/cgroup.procs" && exec "${@:2}"
}

# quota CGROUP US PERIOD_US: of CPU time
quota() {
	if [ -e "$1/cpu.max" ]; then
		echo "$2 $3" >"$1/cpu.max"
	else
		echo "$3" >"$1/cpu.cfs_period_us" && echo "$2" >"$1/cpu.cfs_quota_us"
	fi
}
# weight CGROUP: more than all others together
weight() {
	if [ -e "$1/cpu.weight" ]; then echo 10000 >"$1/cpu.weight"; else echo 262144 >"$1/cpu.shares"; fi
}
# throttled_ns CGROUP
throttled_ns() { awk '$1 == "throttled_time" { print $2 } $1 == "throttled_usec" { print $2 * 1000 }' "$1/cpu.stat"; }

# --- the tool

# measure VICTIM [LOAD...]: the whole work of the victim, told in JSON ($tmp/out); loads begin before it. $with are
# more options, $target what is measured in place of the victim.
measure() {
	# shellcheck disable=SC2086 # words
	start -q -f json --worst 16 ${target:--t ${tids[$1]}} ${with:-}
	begin "${@:2}" "$1"
	until_done "$1"
	sleep 0.05 # its last switch
	end
	until_done "${@:2}"
	report "$@"
}

# json FILTER: of the report, by jq
json() { jq -r "$1" "$tmp/out"; }
# counted WORD: a count beside the histograms
counted() { json ".latency.counts.$1"; }
# hist KIND FIELD [GROUP]
hist() { json "first(.latency.histograms[] | select(.kind == \"$1\" and (.group // \"\") == \"${3:-}\") | .$2) // 0"; }
# The causes of all delays after a wakeup, or if $of is "preempted" of those after a preemption; $longer_ns: of those that
# were at least so long.
of=wakeups longer_ns=0
causes_of() { printf '.latency.causes[] | select(.preempted == %s and .from_ns >= %d)' "$([ "$of" = preempted ] && echo true || echo false)" $longer_ns; }
# cause_ns [CAUSE [TEXT]]: CAUSE may be several, a|b; TEXT is a regex of the words for it
cause_ns() { json "[$(causes_of) | select((.cause | test(\"^(${1:-.*})\$\")) and (.text | test(\"${2:-}\"))) | .ns] | add // 0"; }
# all_ns: of all causes but what the machine below this one does
all_ns() { json "[$(causes_of) | select(.cause != \"timer_hardware\" and .cause != \"steal\") | .ns] | add // 0"; }
# causes: largest first, "CAUSE NS TEXT"; those that a report has on one line are one
causes() { json "[$(causes_of)] | group_by(.text) | map({ cause: .[0].cause, text: .[0].text, ns: map(.ns) | add }) | sort_by(-.ns) | .[] | \"\\(.cause) \\(.ns) \\(.text)\""; }
# out_stack CASE: functions of the task that ran before it
out_stack() { json "[.frames[.latency.cases[$1].out_stack[]].symbol] | join(\" \")"; }
# pct PART WHOLE
pct() { awk -v part="$1" -v whole="$2" 'BEGIN { printf "%.2f\n", whole ? 100 * part / whole : 0 }'; }

# On some virtual machines one activation in some hundreds passes without any of its tracepoints, for every observer:
# bpftrace at the same time misses the same. The switch away from the task is seen: it counts as one without a start.
# nearly NAME GOT TRUE: never more, and what is less is among those without a start. One or two sleeps may be none, as
# their time is over before they begin.
nearly() { within "$1" "$2" $(($3 - 4 - $(counted no_start))) "$3"; }
# each_wait NAME TRUE: all waits, those without a start among them, are as many. A task may be preempted after it looked.
# Of many switches a few pass without the tracepoint, which the kernel counts yet: bpftrace saw 0 to 10 of 52 000 less.
each_wait() { within "$1" $(($(counted wakeups) + $(counted preemptions) + $(counted no_start))) $(($2 - 1 - $2 / 5000)) $(($2 + 4)); }

# Parts add up: in every case, and over all.
adds_up() {
	json '.latency.cases[] | select(.total_ns != ([.parts[].ns] | add)) | "case of \(.total_ns) ns, parts of \([.parts[].ns] | add) ns"'
	json '[.latency.cases[] | select(.total_ns != ([.parts[].ns] | add))] | length' | grep -qx 0
}

# explained NAME CAUSE WHO TRUE_NS: this cause comes first, has 80 % of the delays, and its time is the true one to 10 %.
# WHO is a regex of its words, a task's or handler's name, or "".
explained() {
	local ns first waits
	ns=$(cause_ns "$2" "$3") first=$(causes | head -n 1)
	is "$1: exit status" "$rc" 0
	like "$1: the first cause" "${first%% *}" "^($2)\$"
	[ -z "$3" ] || like "$1: its name" "$first" "$3"
	within "$1: its share of the delays" "$(pct "$ns" "$(all_ns)")" 80 100 || causes | head | sed 's/^/# /'
	waits=$(($(counted wakeups) + $(counted preemptions)))
	# Of waits without a start nothing is explained.
	within "$1: its length, of the true one" "$(pct "$ns" "$4")" "$(pct $((90 * waits)) $((100 * (waits + $(counted no_start)))))" 110
	ok "$1: the parts of each case add up" adds_up
}
