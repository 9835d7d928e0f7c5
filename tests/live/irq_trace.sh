# SPDX-License-Identifier: GPL-2.0-only
# For the live tests of `kbpfprof irq`; sourced after irq.sh. What the kernel's own tracer, which is no BPF program, says
# of the same events at the same time.
# shellcheck shell=bash
# shellcheck disable=SC2154 # tmp is that of lib.sh

# need_tracer: a tracer of our own, in $tracer; it ends with the test
need_tracer() {
	local fs=/sys/kernel/tracing
	if [ ! -d $fs/instances ]; then
		fs=$tmp/tracefs
		mkdir -p "$fs"
		mount -t tracefs none "$fs" || skip_all 'tracefs cannot be mounted'
		at_exit "umount '$fs'"
	fi
	tracer=$fs/instances/kbpfprof-test-$$
	mkdir "$tracer" || skip_all 'no tracer of its own'
	at_exit "echo 0 > '$tracer/tracing_on'; echo > '$tracer/set_event'; rmdir '$tracer'"
	echo 16384 >"$tracer/buffer_size_kb"
	echo mono >"$tracer/trace_clock"
}

# traced EVENT... -- OPTIONS... -- COMMAND...: a recorded run around the command. The tracer begins before it and ends
# after it; its events are in $tmp/trace, between "mark: in" and "mark: out" those while everything was attached.
traced() {
	local events=() options=()
	while [ "$1" != -- ]; do events+=("$1") && shift; done
	shift
	while [ "$1" != -- ]; do options+=("$1") && shift; done
	shift
	rm -f "$tmp/kbpf"
	echo >"$tracer/trace"
	printf '%s\n' "${events[@]}" >"$tracer/set_event"
	record "${options[@]}"
	echo 'mark: in' >"$tracer/trace_marker"
	"$@" >"$tmp/load" 2>&1 || cat "$tmp/load"
	echo 'mark: out' >"$tracer/trace_marker"
	sleep 0.2 # what began by then has ended
	end
	echo >"$tracer/set_event"
	cat "$tracer/trace" >"$tmp/trace"
}

# trace_awk PROGRAM [NAME=VALUE...]: of each event cpu, seconds, event, and its text in $0; inside: everything was attached
trace_awk() {
	local program=$1
	shift
	awk "$@" '
	/mark: in/ { inside = 1 }
	/mark: out/ { inside = 0 }
	match($0, /\[[0-9]+\]/) { cpu = substr($0, RSTART + 1, RLENGTH - 2) + 0 }
	!match($0, /[0-9]+\.[0-9]+: [a-z_0-9]+: /) { next }
	{
		split(substr($0, RSTART, RLENGTH), head, ": ")
		seconds = head[1]
		event = head[2]
	}
	'"$program" "$tmp/trace"
}
# not_dropped: the tracer has all of it
not_dropped() { ! grep -hE '^(overrun|dropped events): *[1-9]' "$tracer"/per_cpu/cpu*/stats; }

# nearly_all NAME GOT LOW HIGH: some events pass without their BPF programs, one of $unseen at the most: see in_bracket
unseen=50
nearly_all() { within "$1" "$2" $(($3 - 4 - $3 / unseen)) "$4"; }
