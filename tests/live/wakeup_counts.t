#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Every wakeup once: the counts are those that the kernel keeps of tasks' sleeps, and delays lie below those that
# the tasks see themselves. Which tasks are measured, and groups.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"
# shellcheck source=tests/live/profile.sh
. "$here/profile.sh"
# shellcheck source=tests/live/wakeup.sh
. "$here/wakeup.sh"
need_live
# shellcheck disable=SC2154 # rc, pid and tids are set by end and load

kbpfprof() { run timeout -k 1 60 "$KBPFPROF" wakeup "$@"; }
lost() { json '[.lost[]] | add'; }

# --- a sleeper
load victim periodic -v -i 2000 -n 300 -c "$cpu" -p fifo:80
measure victim
is 'sleeper: exit status' "$rc" 0
nearly 'sleeper: each timer' "$(counted timers)" 300
# The first wakeup is that of the line which lets it begin.
nearly 'sleeper: each wakeup, and no other' "$(counted wakeups)" $(($(told victim switches voluntary) + 1))
each_wait 'sleeper: each wait, seen or not' $(($(told victim switches voluntary) + $(told victim switches involuntary) + 1))
is 'sleeper: nothing lost' "$(lost) $(counted missed_end)" '0 0'
is 'sleeper: the histogram holds them' "$(hist timer count) $(hist waking count)" "$(counted timers) $(counted wakeups)"
is 'sleeper: buckets hold the count' "$(json '[.latency.histograms[] | select(([.buckets[] | .count] | add // 0) != .count)] | length')" 0
# It reads its clock a little after it began to run.
within 'sleeper: the longest' "$(hist timer max_ns)" 1 "$(told victim late max_ns)"
# The shortest may be among those that were not seen.
shortest_but() { awk '$1 == "round" { print $3 - $2 }' "$tmp/victim" | sort -n | sed -n "$(($1 + 1))p"; }
within 'sleeper: the shortest' "$(hist timer min_ns)" 1 "$(shortest_but $((300 - $(counted timers))))"
within 'sleeper: all together' "$(hist timer sum_ns)" $(($(told victim late sum_ns) / 2)) "$(told victim late sum_ns)"
ok 'sleeper: from expiry is longer than from waking' test "$(hist timer sum_ns)" -gt "$(hist waking sum_ns)"
is 'sleeper: waking -> queue -> running' "$(($(hist activation sum_ns) + $(hist queue sum_ns)))" "$(hist waking sum_ns)"
# As long as it is none yet, it may be.
within 'sleeper: a realtime task is not preempted' "$(counted preemptions)" 0 2

# --- two that wake each other, often just before the other one sleeps
for where in '' "$other $cpu"; do
	# shellcheck disable=SC2086 # words
	load players pingpong 5000 $where
	with='--per comm' target="-p ${pid[players]},${tids[players]}"
	measure players
	with='' target=
	name="ping-pong${where:+ between two CPUs}"
	# Who was woken on its way to sleep, and did not get there, left the CPU voluntarily and is yet a preempted wait.
	for who in ping pong; do
		first=$([ $who = pong ] && echo 0 || echo 1) # the line that lets it begin
		nearly "$name: each switch away from $who has one wait" "$(($(hist waking count $who) + $(hist preempted count $who)))" \
			$(($(told players $who voluntary) + $(told players $who involuntary) + first + 2)) # it may be preempted after it looked
		within "$name: each sleep of $who" "$(hist waking count $who)" $(($(told players $who voluntary) * 97 / 100)) $(($(told players $who voluntary) + 1))
	done
	each_wait "$name: each wait, seen or not" $(($(told players ping voluntary) + $(told players ping involuntary) +
		$(told players pong voluntary) + $(told players pong involuntary) + 1))
	within "$name: hardly a start is unknown" "$(counted no_start)" 0 100
	is "$name: who woke whom" "$(json '[.latency.cases[] | select(.waker.context == "task" and (.waker.comm | test("^(bash|wakeup_counts)") | not)) | "\(.waker.comm) \(.comm)" | select(. != "ping pong" and . != "pong ping")] | join(", ")')" ''
done

# --- very many at once
load crowd crowd threads 10000 3
target="-p ${pid[crowd]}"
measure crowd
target=
is '10 000 threads: exit status' "$rc" 0
nearly '10 000 threads: each first run' "$(counted new)" 10000
each_wait '10 000 threads: each wait is counted' \
	$(($(told crowd switches voluntary) + $(told crowd switches involuntary) + 10000))
is '10 000 threads: nothing is lost' "$(lost)" 0

load storm crowd forks 2000 20
target="-p ${pid[storm]}" with='--per cgroup'
begin_ns=$(date +%s%N)
measure storm
target='' with=''
nearly 'fork and exit: each first run' "$(counted new)" 2000
within 'fork and exit: each sleep' "$(counted wakeups)" 3960 $(($(told storm switches voluntary) + 2000))
within 'fork and exit: no wait longer than the run' "$(json '[.latency.histograms[].max_ns] | max')" 1 $(($(date +%s%N) - begin_ns))
is 'fork and exit: nothing lost' "$(lost)" 0

# --- which tasks
load a periodic -i 10000 -n 50 -m name-a
load b periodic -i 10000 -n 70 -p fifo:10 -m name-b
load c periodic -i 10000 -n 30 -p fifo:20 -m name-c
begin_all() { begin a b c && until_done a b c && sleep 0.05; }
again() {
	report a b c
	load a periodic -i 10000 -n 50 -m name-a
	load b periodic -i 10000 -n 70 -p fifo:10 -m name-b
	load c periodic -i 10000 -n 30 -p fifo:20 -m name-c
}
start -q -f json -p "${pid[a]},${pid[b]}"
begin_all
end
nearly '-p of two' "$(counted timers)" 120
again
start -q -f json -t "${pid[c]}"
begin_all
end
nearly '-t' "$(counted timers)" 30
again
start -q -f json --comm name-b
begin_all
end
nearly '--comm' "$(counted timers)" 70
again
start -q -f json --rt -p "${pid[a]},${pid[b]},${pid[c]}"
begin_all
end
nearly '--rt: realtime tasks only' "$(counted timers)" 100
again
start -q -f json --rt --per comm
begin_all
end
nearly '--rt of the whole machine has them' $(($(hist timer count name-b) + $(hist timer count name-c))) 100
is '--rt: no others' "$(hist timer count name-a)" 0
again
start -q -f json -C "$cpu" --per task -p "${pid[a]},${pid[b]},${pid[c]}"
begin_all
end
is '-C: exit status' "$rc" 0
report a b c

kbpfprof -q -f json -- sh -c "exec $WORKLOADS/periodic -i 5000 -n 40 >$tmp/1" </dev/null
nearly 'COMMAND: its timers' "$(counted timers)" 40
kbpfprof -q -f json -- sh -c "$WORKLOADS/periodic -i 5000 -n 40 >$tmp/1 & $WORKLOADS/periodic -i 5000 -n 20 >$tmp/2 & wait" </dev/null
nearly 'COMMAND: those of its children' "$(counted timers)" 60
load forker crowd forks 50 5
start -q -f json --no-inherit -p "${pid[forker]}"
begin forker
until_done forker
end
is '--no-inherit: no children' "$(counted new)" 0
report forker

if cpu_cgroup; then
	within="in_cgroup $cgroup"
	[ ! -e "$cgroup/cpu.rt_runtime_us" ] || echo 100000 >"$cgroup/cpu.rt_runtime_us"
	load inside periodic -i 10000 -n 60
	within=
	load outside periodic -i 10000 -n 60
	load leaver periodic -i 10000 -n 100
	start -q -f json -G "$cgroup" --per task
	begin inside outside leaver
	sleep 0.4
	echo "${pid[leaver]}" >"$cgroup/cgroup.procs"
	sleep 0.2
	echo "${pid[leaver]}" >"${cgroup%/*}/cgroup.procs"
	until_done inside outside leaver
	end
	nearly '-G: who is in it' "$(hist timer count "periodic-${tids[inside]}")" 60
	is '-G: nobody else' "$(hist timer count "periodic-${tids[outside]}")" 0
	within '-G: who comes and goes, while it is there' "$(hist timer count "periodic-${tids[leaver]}")" 15 30
	within '-G: hardly a start is unknown' "$(counted no_start)" 0 5
	report inside outside leaver
else
	skip '-G' 'no CPU controller'
fi

# --- groups
for per in task comm cpu prio cgroup; do
	load a periodic -i 1000 -n 200 -m name-a
	load b periodic -i 1000 -n 100 -p fifo:30 -m name-b -c "$cpu"
	start -q -f json --per $per
	begin a b
	until_done a b
	end
	report a b
	is "--per $per: the groups make up the whole" \
		"$(json '[.latency.histograms | group_by(.kind)[] | select(.[0].kind | . == "timer" or . == "waking" or . == "preempted") |
			(map(select(.group == null) | .count) | add) - (map(select(.group != null) | .count) | add)] | join(" ")')" \
		"$(json '[.latency.histograms | group_by(.kind)[] | select(.[0].kind | . == "timer" or . == "waking" or . == "preempted") | 0] | join(" ")')"
	is "--per $per: no room was missing" "$(counted group_full)" 0
	case $per in
	task) nearly '--per task: a task' "$(hist timer count "name-a-${tids[a]}")" 200 ;;
	comm)
		nearly '--per comm: a name' "$(hist timer count name-b)" 100
		;;
	cpu) within '--per cpu: a CPU' "$(hist timer count "CPU $cpu")" 100 100000 ;;
	prio) nearly '--per prio: a priority' "$(hist timer count 'FIFO 30')" 100 ;;
	cgroup) within '--per cgroup: at least one' "$(json '[.latency.histograms[] | select(.group != null)] | length')" 1 1000 ;;
	esac
done

# --- we are left out, whoever else runs this program
cp "$KBPFPROF" "$tmp/our-$$"
run "$tmp/our-$$" wakeup -q -f json -d 500ms --per comm --above 1us
within 'our own waits: those of others are measured' "$(counted wakeups)" 1 10000000
is 'our own waits are left out' "$(hist waking count "our-$$") $(hist preempted count "our-$$")" '0 0'

# --- limits
load victim periodic -v -i 20000 -o 500 -n 30 -c "$cpu" -p fifo:80
load keeper periodic -v -i 20000 -n 35 -w 3500 -c "$cpu" -p fifo:99
with='--above 2000us'
measure victim keeper
late() { awk -v ns="$1" '$1 == "round" && $3 - $2 >= ns { n++ } END { print n + 0 }' "$tmp/victim"; }
above=$(json '[.latency.cases[] | select(.above and .kind == "timer")] | length')
within '--above: those that the task saw itself' "$above" $(($(late 2200000) - 2)) "$(late 2000000)"
is '--above: each one told, or counted as not' "$(json '[.latency.cases[] | select(.above)] | length')" $(($(counted above) - $(counted above_untold)))
is '--above: all are as long' "$(json '[.latency.cases[] | select(.above and .total_ns < 2000000)] | length')" 0
us=$(json .latency.above_ns)
with=
kbpfprof -q -f json -d 200ms --above 2ms
is '--above: 2ms is 2000us' "$(json .latency.above_ns)" "$us"
kbpfprof --above 2 -d 1
is '--above: a number without a unit is refused' "$rc" 129
like '--above: and why' "$err" "^kbpfprof wakeup: .*--above.*2.*unit"
kbpfprof --fail-above 2000 -d 1
is '--fail-above: a number without a unit is refused' "$rc" 129
kbpfprof -q -d 300ms --fail-above 10s
is '--fail-above: not exceeded' "$rc" 0
kbpfprof -q --fail-above 1us -- "$WORKLOADS/periodic" -n 20 </dev/null
is '--fail-above: exceeded' "$rc" 2
like '--fail-above: the report is there' "$out" 'waking -> running'

# --- intervals
load a periodic -i 5000 -n 300
start -q -I 500ms -t "${tids[a]}" -o "$tmp/intervals"
begin a
until_done a
end
report a
run "$KBPFPROF" report -f json "$tmp/intervals"
is '-I: the intervals make up the whole' "$(json '[.latency.intervals[] | select(.kind == "timer") | .count] | add')" "$(counted timers)"
nearly '-I: each of them' "$(counted timers)" 300
within '-I: how many' "$(json '[.latency.intervals[] | select(.kind == "timer")] | length')" 3 6

finish
