#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What run has each kernel do. Every line says of which command it is and from where:
# "NAME out TEXT", "NAME err TEXT", "NAME status NUMBER".

# report NAME COMMAND...
report() {
	name=$1
	shift
	"$@" > /tmp/out 2> /tmp/err
	status=$?
	sed "s/^/$name out /" /tmp/out
	sed "s/^/$name err /" /tmp/err
	echo "$name status $status"
}

report doctor kbpfprof doctor

share 300 & # keeps one of the two CPUs busy, in functions of known names
share=$!
report profile kbpfprof profile -d 2s
report self-cost kbpfprof profile -d 1s --self-cost
# Wakings on both CPUs, from both, by timers and others; -d begins when all is loaded.
(while :; do find /proc | cat > /dev/null; done) &
finders=$!
sleeps 1000000 &
report wakeup kbpfprof wakeup -d 2s
kill $share $finders $!

report dmesg dmesg
exit 0
