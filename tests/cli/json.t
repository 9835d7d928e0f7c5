#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# `report -f json` as jq reads it, in any locale: the counts of recordings whose content is known (see
# tests/programs/recording_make.c), and the examples of kbpfprof-json(5).
# shellcheck disable=SC2016 # the $ of jq
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"
: "${PROGRAMS:?is set by make check}"
export LC_ALL=C
man=$here/../../docs/kbpfprof-json.5

# report KIND ARGS...: that recording as JSON
report() { "$KBPFPROF" report "$tmp/$1" -q -f json "${@:2}" 2>"$tmp/report.err"; }
# jq_is NAME FILE FILTER WANTED
jq_is() { is "$1" "$(jq -rc "$3" "$tmp/$2" 2>&1)" "$4"; }
# example N [FROM TO]: the Nth example of the manual page, run on $tmp/report.json, with a word replaced
example() {
	awk -v want="$1" '/^\.EX/ { on = 1; n++; next } /^\.EE/ { on = 0 } on && n == want' "$man" |
		sed -e "s/\\\\(aq/'/g; s/\\\\-/-/g; s/\\\\e/\\\\/g" -e "${2:+s/$2/$3/}" >"$tmp/example"
	(cd "$tmp" && bash ./example)
}

for kind in basic hostile big empty intervals wakeup irq; do "$PROGRAMS/recording_make" $kind "$tmp/$kind" || exit 1; done
report basic >"$tmp/report.json"
is 'it is written' $? 0
jq_is 'format' report.json '.format, .version' $'kbpfprof-report\n1'
ok 'two runs write the same' eval "report basic | cmp - '$tmp/report.json'"

# --- counts
jq_is 'books' report.json .sampling.books \
	'{"expected":2000,"kept":1000,"idle":900,"filtered":0,"lost":50,"unexplained":0,"not_delivered":50}'
jq_is 'losses' report.json '.lost | to_entries[] | select(.value > 0) | [.key, .value]' $'["stack_map_full",40]\n["hash_collision",10]'
jq_is 'samples' report.json '[.samples[] | [.comm, .pid, .tid, .cpu, .fires]] | sort[]' \
	'["worker",100,101,0,200]
["worker",100,101,0,400]
["worker",100,102,1,200]
["writer",200,200,1,20]
["writer",200,200,1,80]
["writer",200,200,1,100]'
jq_is 'weights are 10 ms each' report.json '.sampling.unit, all(.samples[]; .weight == .fires * 10000000)' $'ns\ntrue'
jq_is 'a stack' report.json '. as $r | .samples[] | select(.fires == 80).stack | map($r.frames[.] | [.symbol, .object, .kernel])' \
	'[["ext4_write","[ext4]",true],["vfs_write","[kernel]",true],["write","libc.so.6",false],["main","writer",false]]'
jq_is 'a frame without a name' report.json '.frames[] | select(.symbol | not) | [.object, .address, .offset, .why]' \
	'["blob.so","0x1234",null,"stripped"]'
jq_is 'mappings' report.json '. as $r | .frames[] | select(.symbol == "spin" or .symbol == "vfs_read") | $r.mappings[.mapping] | [.name, .kind, .build_id, .start, .bytes]' \
	'["/usr/bin/worker","file","0102030405060708090a0b0c0d0e0f1011121314",null,65536]
["[kernel]","kernel",null,"0xffffffff81000000",null]'
jq_is 'the run' report.json '.meta | [.host, .kernel, .target, .start, .start_unix_s, .duration_ns, .cpus]' \
	'["board","6.1.0-test x86_64","whole machine","2023-11-14T22:13:20.000000000Z",1700000000,10000000000,2]'

# --- the examples of the manual page
is 'kbpfprof-json(5): examples' "$(grep -c '^\.EX' "$man")" 11
is 'example: functions' "$(example 1)" '6000000000 worker spin
2000000000 [kernel] copy_to_user
1000000000 libc.so.6 memcpy
800000000 [ext4] ext4_write
200000000 blob.so stripped'
is 'example: share of a function' "$(example 2)" 100
is 'example: share of work' "$(example 2 'name main' 'name work')" 80
is 'example: share of what is not there' "$(example 2 'name main' 'name nothing')" 0
is 'example: with a loss' "$(example 3; echo $?)" $'false\n1'
report intervals --to 20s >"$tmp/report.json"
is 'example: without one' "$(example 3; echo $?)" $'true\n0'
report basic >"$tmp/report.json"
is 'example: processes' "$(example 4)" $'"worker",100,800\n"writer",200,200'
is 'example: callers' "$(example 5 copy_page vfs_write)" '{"caller":"write","file":"/usr/lib/libc.so.6","weight":800000000}'
is 'example: folded' "$(example 6 'comm burn' 'comm writer' | sort)" 'writer;main;[stripped] 20
writer;main;memcpy 100
writer;main;write;vfs_write;ext4_write 80'

# --- latencies: what tests/programs/recording_wakeup.h says
jq_is 'no latencies in a profile' report.json '.latency, (.sampling | type)' $'null\nobject'
cp "$tmp/report.json" "$tmp/basic.json"
report wakeup >"$tmp/report.json"
jq_is 'latency: nothing was sampled' report.json '.sampling, .samples' $'null\n[]'
jq_is 'latency: what was measured' report.json '.meta.tool, (.latency | .policy, .per, .above_ns, .not_shown)' \
	$'wakeup\nFIFO 80\nnull\n100000\n["nmi"]'
jq_is 'latency: counts' report.json '.latency.counts | to_entries[] | select(.value > 0) | [.key, .value]' \
	$'["wakeups",15000]\n["preemptions",12]\n["timers",15000]\n["above",1]'
jq_is 'latency: histograms' report.json '.latency.histograms[] | [.kind, .count, .sum_ns, .min_ns, .max_ns]' \
	'["timer",15000,92052500,6000,187400]
["waking",15000,47039100,3000,171000]
["activation",15000,15000000,1000,1000]
["queue",15000,32039100,2000,170000]
["preempted",12,168000,14000,14000]'
jq_is 'latency: buckets have all values, in their bounds' report.json '.latency.histograms | all(.[]; . as $h
	| (.buckets | map(.count) | add) == .count
	and (.buckets[0] | .from_ns <= $h.min_ns and $h.min_ns < .to_ns)
	and (.buckets[-1] | .from_ns <= $h.max_ns and $h.max_ns < .to_ns)
	and all(.buckets[]; .to_ns - .from_ns <= .from_ns / 16))' true
# 6000 lies below 6144; p99 is the 14 850th of 14 900 such; p99.9 the 14 985th, 24 900 below 25 600; 12 have no p99.
jq_is 'latency: quantiles' report.json '.latency.histograms[] | select(.kind == "timer" or .kind == "preempted")
	| [.p50_ns, .p90_ns, .p99_ns, .p99_9_ns]' $'[6143,6143,6143,25599]\n[14000,14000,null,null]'
jq_is 'latency: causes add up to all delays' report.json '.latency | (.causes | map(.ns) | add) ==
	([.histograms[] | select(.kind == "timer" or .kind == "preempted").sum_ns] | add)' true
jq_is 'latency: a cause' report.json '.latency.causes[] | select(.cause == "hardirq")
	| [.text, .id, .name, .preempted, .from_ns, .to_ns, .spans, .ns]' \
	'["hard IRQ 45 eth0",45,"eth0",false,24576,28672,99,1871100]
["hard IRQ 45 eth0",45,"eth0",false,163840,196608,3,30000]'
jq_is 'latency: intervals' report.json '.latency.intervals[] | select(.kind == "timer") | [.start_ns, .count, .max_ns, .p50_ns]' \
	$'[0,10000,187400,6143]\n[10000000000,5000,6000,6000]'
jq_is 'latency: cases' report.json '.latency.cases[] | [.kind, .above, .total_ns, .comm, .pid, .cpu, .prio_text, .time]' \
	'["timer",false,187400,"motor_ctl",812,1,"FIFO 80","2023-11-14T22:13:25.123456789Z"]
["timer",false,24900,"motor_ctl",812,1,"FIFO 80","2023-11-14T22:13:25.123456789Z"]
["timer",true,187400,"motor_ctl",812,1,"FIFO 80","2023-11-14T22:13:25.123456789Z"]'
jq_is 'latency: parts add up' report.json '.latency.cases | all(.[]; (.parts | map(.ns) | add) == .total_ns)' true
jq_is 'latency: parts' report.json '.latency.cases[0].parts[] | [.cause, .id, .name, .tid, .spans, .ns]' \
	'["softirq",3,null,null,3,88200]
["task_worse",null,"camera-svc",233,1,50400]
["hardirq",45,"eth0",null,3,30000]
["timer_irqs_off",null,null,null,1,12100]
["switch",null,null,null,1,6700]'
jq_is 'latency: stamps' report.json '.latency.cases[0].stamps' \
	'{"expiry_ns":0,"interrupt_ns":12100,"waking_ns":13000,"queued_ns":14000,"need_resched_ns":null,"running_ns":187400}'
jq_is 'latency: the waker' report.json '.latency.cases[0].waker | [.context, .id, .comm, .tid, .cpu, .preempt_depth]' \
	'["vector",0,"swapper/1",null,1,0]'
jq_is 'latency: stacks' report.json '.frames as $f | .latency.cases[0] | .out_stack, .waker_stack | map($f[.].symbol) | join(" ")' \
	$'preempt_schedule _raw_spin_unlock drm_vblank_put drm_ioctl\nhrtimer_wakeup __hrtimer_run_queues'
jq_is 'latency: no stack' report.json '.latency.cases | .[0].user_stack, .[1].out_stack' $'null\nnull'
jq_is 'latency: spans' report.json '.latency.cases[0].spans[] | [.kind, .id, .name, .start_ns, .end_ns, .net_ns]' \
	$'["task",233,"camera-svc",-60000,187400,50400]\n["hardirq",45,"eth0",20000,30000,10000]'
is 'example: long delays by task' "$(example 7 'and .group' '')" $'0\t15000\t'
is 'example: where the time went' "$(example 8)" '47 % softirq NET_RX
27 % camera-svc kept the CPU (not preemptible)
16 % hard IRQ 45 eth0
6 % timer late: interrupts off
4 % context switch'
is 'example: the worst delay' "$(example 9)" '187.4 us at 2023-11-14T22:13:25.123456789Z, motor_ctl
  88.2 softirq NET_RX
  50.4 camera-svc kept the CPU (not preemptible)
  30 hard IRQ 45 eth0
  12.1 timer late: interrupts off
  6.7 context switch'

# --- interrupts: what tests/programs/recording_irq.h says
jq_is 'no interrupts in a latency recording' report.json '.irq' null
report irq >"$tmp/report.json"
jq_is 'irq: nothing was sampled, no latencies' report.json '.sampling, .samples, .latency' $'null\n[]\nnull'
jq_is 'irq: what was measured' report.json '.irq | .measured, .not_shown, .filter, .above_ns, .storm_count, .probe_ns, .probe_fires' \
	$'["hard","soft","threads","ipis","off"]\n["nmis"]\nnull\n100000\n1000\n100000\n100000'
jq_is 'irq: counts' report.json '.irq.counts | to_entries[] | select(.value > 0) | [.key, .value]' $'["no_entry",1]\n["above",1]'
jq_is 'irq: sources' report.json '.irq.sources | sort_by(.kind)[] | [.kind, .number, .name, .text, .affinity, .effective_affinity, .tid]' \
	'["ipi",1,null,"reschedule",null,null,null]
["irqs_off",null,null,"interrupts off",null,null,null]
["ksoftirqd",3,null,"NET_RX in ksoftirqd",null,null,null]
["line",45,"eth0","45 eth0","0-1","1",null]
["softirq",3,null,"NET_RX",null,null,null]
["thread",45,"eth0","irq/45-eth0",null,null,177]'
jq_is 'irq: rows' report.json '.irq | .sources as $s | .rows[] | [$s[.source].kind, .cpu, .count, .gross_ns, .run.sum_ns, .run.max_ns, .wait.count, .wait.max_ns]' \
	'["line",1,14001,29490100,28090000,90000,null,null]
["softirq",1,4000,200000000,200000000,50000,4000,1500]
["thread",1,101,708000,708000,8000,101,300000]
["ksoftirqd",1,10,4000000,4000000,400000,null,null]
["irqs_off",0,3,120000,120000,60000,null,null]
["ipi",0,700,0,null,null,700,800]'
jq_is 'irq: the busiest second' report.json '.irq.rows[] | select(.peak_count) | [.peak_count, .peak_time, .storms]' \
	'[3000,"2023-11-14T22:13:23.000000000Z",1]'
jq_is 'irq: who raised softirqs' report.json '.irq.rows[] | select(.joined > 0) | .raised_in, .joined' $'{"task":0,"softirq":0,"hardirq":4000}\n5000'
jq_is 'irq: buckets have all values' report.json '[.irq.rows[] | .run, .wait | values] | length, all(.[];
	(.buckets | map(.count) | add) == .count and .buckets[0].from_ns <= .min_ns and .max_ns < .buckets[-1].to_ns)' $'8\ntrue'
# 2000 lies below 2048, 12 000 below 12 288, 300 000 alone has no p99.9 of 101.
jq_is 'irq: quantiles' report.json '.irq.rows[0].run, .irq.rows[2].wait | [.p50_ns, .p99_ns, .p99_9_ns]' $'[2047,2047,2047]\n[12287,12287,null]'
jq_is 'irq: behind, senders, places' report.json '.frames as $f | .irq | (.behind[] | [.comm, .priority, .count, .ns, .max_ns]),
	(.senders[] | [.text, .callsite, .context, .comm, .count, (.stack | map($f[.].symbol) | join(" "))]),
	(.places[] | [.kind, .name, .exact, .count, .ns, .max_ns, (.stack | map($f[.].symbol) | join(" "))])' \
	'["camera-svc","worse",1,300000,300000]
["reschedule","ttwu_queue_wakelist","task","worker",700,"ttwu_queue_wakelist try_to_wake_up"]
["irqs_off","uart_write",false,3,120000,60000,"_raw_spin_unlock_irqrestore uart_write"]'
jq_is 'irq: intervals' report.json '.irq | .sources as $s | .intervals[] | [.start_ns, $s[.source].text, .count, .ns, .max_ns]' \
	$'[0,"45 eth0",9001,18090000,90000]\n[10000000000,"45 eth0",5000,10000000,null]'
jq_is 'irq: cases' report.json '.irq.cases[] | [.list, .measure, .above, .total_ns, .net_ns, .time, .runnable, .task.comm, .delayed.prio_text, .raised_by, .stack]' \
	'["threads","wait",false,300000,null,"2023-11-14T22:13:23.123456789Z",2,"camera-svc","FIFO 80",null,null]
["threads","wait",true,300000,null,"2023-11-14T22:13:23.123456789Z",2,"camera-svc","FIFO 80",null,null]'
jq_is 'irq: spans' report.json '.irq.cases[0].spans[] | [.kind, .id, .name, .start_ns, .end_ns, .net_ns]' \
	$'["hardirq",45,"eth0",-302000,-300000,2000]\n["task",233,"camera-svc",-900000,0,898000]'
is 'example: what they took of each CPU' "$(example 10)" '1 % CPU 1 NET_RX
0.14 % CPU 1 45 eth0
0.02 % CPU 1 NET_RX in ksoftirqd'
is 'example: behind whom' "$(example 11)" 'irq/45-eth0: 300 us behind camera-svc, of worse priority'
# The second half: its longest run of the line is known to its bucket, and not when that ended.
report irq --from 10s >"$tmp/part.json"
jq_is 'irq: a part' part.json '.irq | .rows[0], .rows[1] | [.count, .run.max_ns, .run.max_time, .peak_count]' \
	'[5000,2047,null,null]
[10,400000,"2023-11-14T22:13:23.123456789Z",null]'
jq_is 'irq: of a part nothing of the rest' part.json '.irq | (.cases, .behind, .senders | length), (.sources | map(.kind) | sort | join(" "))' \
	$'0\n0\n0\nirqs_off ksoftirqd line'
cp "$tmp/basic.json" "$tmp/report.json"

# --- a part, a comparison, nothing, much
report basic --comm writer >"$tmp/part"
jq_is '--comm: the rest is told' part '.selection, .sampling.books.kept' \
	$'{"text":"comm=writer","left_out_fires":800,"left_out_weight":8000000000}\n1000'
jq_is '--comm: no frame of the rest' part '[.frames[].symbol] | index("spin")' null
"$KBPFPROF" diff "$tmp/basic" "$tmp/basic" -q -f json >"$tmp/diff"
jq_is 'diff: both counts, by command and stack' diff '[.samples[] | .fires == .base_fires and .weight == .base_weight] | length, all' $'5\ntrue'
jq_is 'diff: both runs' diff '.baseline.meta.host, .baseline.sampling.books.idle' $'board\n900'
report empty >"$tmp/none"
jq_is 'empty' none '.samples, .sampling.books.idle' $'[]\n2000'
report big >"$tmp/much"
jq_is 'big: all samples' much '.samples | length, (map(.fires) | add)' $'100000\n100000'
jq_is 'big: each index leads somewhere' much '(.frames | length) as $f | (.mappings | length) as $m |
	all(.samples[].stack[]; . < $f), all(.frames[].mapping; . < $m), $m' $'true\ntrue\n200'

# --- all that a name can be, in any locale
report hostile >"$tmp/hostile.json"
jq_is 'hostile names: all samples' hostile.json '.samples | length, (map(.fires) | add)' $'16\n1000'
is 'hostile names: markup' "$(jq -r '.samples[] | select(.fires == 10).comm' "$tmp/hostile.json")" '</script><img src=x onerror=alert(1)>'
is 'hostile names: escapes' "$(jq '.samples[] | select(.fires == 13).comm' "$tmp/hostile.json")" '"\u001b[31mred\u001b]0;title\u0007"'
is 'hostile names: separators' "$(jq '.samples[] | select(.fires == 14).comm' "$tmp/hostile.json")" '"new\nline\rreturn\ttab\u000bfeed"'
# U+FFFD for each maximal part of what is no UTF-8: FF, FE, C3, "(", E2 82.
is 'hostile names: no UTF-8' "$(jq -a '.samples[] | select(.fires == 16).comm' "$tmp/hostile.json")" '"\ufffd\ufffd\ufffd(\ufffd"'
is 'hostile names: symbol and file as the command' \
	"$(jq -c '. as $r | [.samples[] | .comm as $c | $r.frames[.stack[0]] | .symbol == $c and $r.mappings[.mapping].name == $c] | all' "$tmp/hostile.json")" true
ok 'hostile names: the file is UTF-8' iconv -f UTF-8 -t UTF-8 "$tmp/hostile.json" -o /dev/null
is 'hostile names: no control character' "$(tr -d '\n\040-\176\200-\377' <"$tmp/hostile.json" | wc -c)" 0
printf '%s\n' 'escape_char /' LC_NUMERIC 'decimal_point "<U002C>"' 'thousands_sep "<U002E>"' 'grouping 3' \
	'END LC_NUMERIC' >"$tmp/source"
localedef -c -i "$tmp/source" -f ANSI_X3.4-1968 "$tmp/comma" >/dev/null 2>&1
ok 'a locale with a decimal comma is at hand' test -s "$tmp/comma/LC_NUMERIC"
for locale in C.UTF-8 comma en_US.ISO-8859-1; do
	ok "locale $locale: the same" eval "LOCPATH='$tmp' LC_ALL=$locale report hostile | cmp - '$tmp/hostile.json'"
	LOCPATH=$tmp LC_ALL=$locale jq -e '.sampling.achieved_hz == 97.5' "$tmp/hostile.json" >"$tmp/answer" 2>&1
	is "locale $locale: jq reads it" "$(cat "$tmp/answer")" true
done

is 'a full disk is told' "$(report basic >/dev/full; echo $?)" 1
finish
