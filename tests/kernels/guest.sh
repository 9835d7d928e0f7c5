#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What run has each kernel do: the guest's part of each suite, one after the other. Every line says of which command
# it is and from where: "SUITE.NAME out TEXT", "... err TEXT", "... status NUMBER", "... data BASE64".
# usage: guest.sh SUITE...
# shellcheck disable=SC3045,SC2317 # what is sourced calls them; busybox has ulimit -l; 5.10 counts BPF maps as locked memory
ulimit -l unlimited

# tell NAME COMMAND...
tell() {
	name=$1
	shift
	"$@" > /tmp/out 2> /tmp/err < /dev/null
	status=$?
	sed "s/^/$suite.$name out /" /tmp/out
	sed "s/^/$suite.$name err /" /tmp/err
	echo "$suite.$name status $status"
}

# send NAME FILE
send() { gzip -c "$2" | base64 | sed "s/^/$suite.$1 data /"; }

# measuring PID: waits until the tool measures: it sleeps in poll(), and never before
measuring() { while [ -d "/proc/$1" ] && ! grep -q do_sys_poll "/proc/$1/stack"; do sleep 0.1; done; }

for suite; do
	# shellcheck source=/dev/null
	. "/root/$suite.guest"
done
suite=boot
tell dmesg dmesg
exit 0
