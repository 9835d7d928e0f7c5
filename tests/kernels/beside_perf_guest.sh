#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What beside_perf has a kernel do: one load, seen by perf and by kbpfprof at the same time. Lines "perf SHARE COMMAND SYMBOL"
# and "ours ...".
share 300 > /dev/null &
dd if=/dev/zero of=/dev/null bs=64k 2> /dev/null &
kbpfprof profile -q -d 6s -e cpu-clock -F 199 --comm share,dd -s comm,sym --top 0 > /tmp/ours 2> /tmp/err &
tool=$!
while [ -d /proc/$tool ] && ! grep -q do_sys_poll /proc/$tool/stack; do sleep 0.1; done
perf record -q -e cpu-clock -F 199 -a -g -o /tmp/perf.data -- sleep 6 > /tmp/log 2>&1
echo "record status $?"
wait $tool
echo "profile status $?"
sed 's/^/profile err /' /tmp/err
awk '$1 ~ /^[0-9.]+%$/ && $2 ~ /[0-9]$/ && NF >= 4 { print "ours", $1 + 0, $3, $NF }' /tmp/ours
perf report -i /tmp/perf.data --stdio --no-inline --no-children -g none --comms share,dd --percentage relative \
	-F overhead,comm,sym 2>> /tmp/log | awk '$1 ~ /^[0-9.]+%$/ { print "perf", $1 + 0, $2, $NF }'
sed 's/^/record err /' /tmp/log
dmesg | sed 's/^/dmesg out /'
exit 0
