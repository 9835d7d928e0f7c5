#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What offline has a guest do: offline_guest.sh symbols | record. Lines "NAME TEXT", files in base64.
case $1 in
symbols)
	grep -i ' [tw] ' /proc/kallsyms | grep -v '\[' | gzip -c | base64 | sed 's/^/kallsyms /'
	base64 /sys/kernel/notes | sed 's/^/notes /'
	;;
record)
	share 300 &
	# faults and system calls, so that the kernel has something to do
	(while :; do find /proc /sys/kernel > /dev/null 2>&1; done) &
	kbpfprof profile -e cpu-clock -F 499 -d 4s -o /tmp/x.kbpf 2>&1 | sed 's/^/said /'
	base64 /tmp/x.kbpf | sed 's/^/recording /'
	;;
esac
grep ' _stext$' /proc/kallsyms | sed 's/^/stext /'
exit 0
