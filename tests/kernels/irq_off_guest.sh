#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What irq_off has each kernel do: a module keeps interrupts off, then preemption, for known times on CPU 0, and runs of
# kbpfprof look for them. Lines "NAME KIND TEXT".
# usage: irq_off_guest.sh FILE ROUNDS	FILE: the module
parameters=/sys/module/section/parameters
# shellcheck disable=SC3045 # busybox has it; 5.10 counts BPF maps as locked memory
ulimit -l unlimited

# seen NAME WHAT US OPTION...: a run while there are sections of such a length
seen() {
	name=$1 what=$2
	echo "$3" > "$parameters/${what}_us"
	shift 3
	echo 0 > "$parameters/longest_ns"
	echo 0 > "$parameters/total_ns"
	kbpfprof irq -q --off -C 0 -f json "$@" > /tmp/out 2> /tmp/err &
	tool=$!
	# It sleeps in poll() from the moment that it measures, and never before.
	while [ -d /proc/$tool ] && ! grep -q do_sys_poll /proc/$tool/stack; do sleep 0.1; done
	echo "$rounds" > "$parameters/rounds"
	while [ "$(cat "$parameters/rounds")" != 0 ]; do sleep 0.1; done
	kill -INT $tool
	wait $tool
	echo "$name status $?"
	echo "$name longest $(cat "$parameters/longest_ns")"
	echo "$name total $(cat "$parameters/total_ns")"
	sed "s/^/$name err /" /tmp/err
	gzip -c /tmp/out | base64 | sed "s/^/$name json /"
	echo 0 > "$parameters/${what}_us"
}

rounds=$2
insmod "$1" cpu=0 || exit
# Not in step with the ticks that the module's thread wakes at.
seen coarse irqs_off 500 --probe 970us
seen fine irqs_off 500 --probe 100us
seen kept preemption_off 3000 --probe 970us
rmmod section
dmesg | sed 's/^/dmesg out /'
exit 0
