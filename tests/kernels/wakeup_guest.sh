#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What wakeup has each kernel do: tasks of known names wake at known times, one after the other, while one run of
# kbpfprof measures them; others say what they saw of the same. Lines "NAME KIND TEXT".
#   quiet		nothing disturbs it
#   kept		preemption is off now and then on its CPU; ftrace's wakeup_rt watches
#   masked		interrupts are
#   timerlat/0	ftrace's own thread of CPU 0
# usage: wakeup_guest.sh [FILE]	FILE: the module; without it nothing disturbs kept, and there is no masked
tracing=/sys/kernel/tracing
parameters=/sys/module/section/parameters
# shellcheck disable=SC3045 # busybox has it; 5.10 counts BPF maps as locked memory
ulimit -l unlimited

# said NAME KIND FILE
said() { sed "s|^|$1 $2 |" "$3"; }

# victim NAME ROUNDS
victim() {
	periodic -m "$1" -p fifo:80 -c 0 -i 500 -n "$2" > /tmp/out 2>&1
	echo "$1 status $?"
	said "$1" out /tmp/out
}

# disturbed NAME WHAT US: four sections of such a length
disturbed() {
	echo "$3" > "$parameters/$2_us"
	echo 0 > "$parameters/longest_ns"
	echo 4 > "$parameters/rounds"
	victim "$1" 400
	echo 0 > "$parameters/$2_us"
	echo "$1 left $(cat "$parameters/rounds")"
	echo "$1 section $(cat "$parameters/longest_ns")"
}

watched_by_wakeup_rt() {
	echo 0 > "$tracing/options/function-trace" # it would record every function
	echo wakeup_rt > "$tracing/current_tracer" || return
	echo 0 > "$tracing/tracing_max_latency"
	"$@"
	echo "wakeup_rt max_us $(cat "$tracing/tracing_max_latency")"
	sed -n 's/^#.*| task: \(.*\)-[0-9]* (uid:.*/wakeup_rt task \1/p' "$tracing/trace"
	echo nop > "$tracing/current_tracer"
}

timerlat() {
	grep -qw timerlat "$tracing/available_tracers" || return
	echo > "$tracing/trace"
	echo timerlat > "$tracing/current_tracer"
	sleep 0.5
	echo 0 > "$tracing/tracing_on"
	# "<...>-117   [000] .......     1.672744: #12    context thread timer_latency      9775 ns"
	sed -n 's/.* \[000\] .* context thread timer_latency *\([0-9]*\) ns.*/timerlat ns \1/p' "$tracing/trace"
	echo nop > "$tracing/current_tracer"
}

kbpfprof wakeup -q -o /tmp/kbpf --comm quiet,kept,masked,timerlat/0 --per comm --worst 16 > /tmp/err 2>&1 &
tool=$!
# It sleeps in poll() from the moment that it measures, and never before.
while [ -d /proc/$tool ] && ! grep -q do_sys_poll /proc/$tool/stack; do sleep 0.1; done

victim quiet 500
if [ -n "$1" ] && insmod "$1" cpu=0; then
	watched_by_wakeup_rt disturbed kept preemption_off 6000
	disturbed masked irqs_off 10000
	timerlat
elif uname -v | grep -q PREEMPT_RT; then
	watched_by_wakeup_rt victim kept 400
	timerlat
fi
kill -INT $tool
wait $tool
echo "wakeup status $?"
[ -z "$1" ] || rmmod section # not before: frames of a module that is gone have no names
said wakeup err /tmp/err
gzip -c /tmp/kbpf | base64 | sed 's/^/wakeup recording /'
dmesg | sed 's/^/dmesg out /'
exit 0
