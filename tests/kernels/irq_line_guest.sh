#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What irq_line has each kernel do: a device's interrupts, on a line that two handlers share, on CPU 0; one has a thread.
# Lines "NAME KIND TEXT".
# usage: irq_line_guest.sh FILE ROUNDS	FILE: the module
parameters=/sys/module/line/parameters
# shellcheck disable=SC3045 # busybox has it; 5.10 counts BPF maps as locked memory
ulimit -l unlimited

# seen NAME OPTION...: a run while the interrupts come
seen() {
	name=$1
	shift
	for sum in hard_count hard_ns thread_count thread_ns wait_ns wait_max_ns; do echo 0 > "$parameters/$sum"; done
	kbpfprof irq -q --worst 5 "$@" -o /tmp/x.kbpf > /tmp/err 2>&1 &
	tool=$!
	# It sleeps in poll() from the moment that it measures, and never before.
	while [ -d /proc/$tool ] && ! grep -q do_sys_poll /proc/$tool/stack; do sleep 0.1; done
	echo "$rounds" > "$parameters/rounds"
	while [ "$(cat "$parameters/rounds")" != 0 ]; do sleep 0.1; done
	sleep 0.1
	kill -INT $tool
	wait $tool
	echo "$name status $?"
	for sum in "$parameters"/*; do echo "$name ${sum##*/} $(cat "$sum")"; done
	sed "s/^/$name err /" /tmp/err
	gzip -c /tmp/x.kbpf | base64 | sed "s/^/$name recording /"
}

rounds=$2
insmod "$1" cpu=1 || exit
number=$(cat "$parameters/number")
echo 0 > "/proc/irq/$number/smp_affinity_list"
echo 200 > "$parameters/hard_us"
echo 300 > "$parameters/thread_us"
seen free --irq "$number"
# A task of better priority than the thread's has the CPU for 2.5 of each 7.3 ms, not in step with the interrupts.
mkfifo /tmp/hog
(echo; sleep 60) > /tmp/hog &
writer=$!
periodic -m hog -c 0 -p fifo:99 -i 7300 -w 2500 -n 10000 -l 60 < /tmp/hog > /dev/null &
hog=$!
seen kept --irq line_first
kill $hog $writer
rmmod line
dmesg | sed 's/^/dmesg out /'
exit 0
