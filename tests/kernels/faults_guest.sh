# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154 # sourced by guest.sh
# What faults has a guest of little memory do: with two CPUs one of them goes and comes back, in all ways; with one CPU
# the kernel is locked down in the end. Beside the lines of guest.sh: "faults.NAME TEXT" with what was seen meanwhile.
online=/sys/devices/system/cpu/cpu1/online

# seen NAME KEY VALUE
seen() { echo "$suite.$1 $2 $3"; }
# moment NAME KEY: seconds
moment() { seen "$1" "$2" "$(cut -d ' ' -f 1 /proc/uptime)"; }
# Perf events that the tool has: one a CPU for samples, one for what processes do.
descriptors() { find "/proc/$tool/fd" -type l -exec readlink {} \; | grep -c perf_event; }
# measures_on COUNT: it has so many
measures_on() {
	for _ in $(seq 100); do
		[ "$(descriptors)" != "$1" ] || break
		sleep 0.1
	done
	seen "$run" descriptors "$(descriptors) of $1"
}
# BPF programs there are, by their code.
programs() { seen "$1" "$2" "$(grep -c '\[bpf\]' /proc/kallsyms)"; }
memory() { sed -n "s/^$1:[^0-9]*\([0-9]*\) kB/\1/p" "$2"; }

# begin NAME TOOL OPTION...: it measures, and is not kept waiting by the loads
begin() {
	run=$1
	shift
	memory MemAvailable /proc/meminfo > /tmp/available
	kbpfprof "$@" > "/tmp/$run.out" 2> "/tmp/$run.err" < /dev/null &
	tool=$!
	renice -n -20 -p $tool > /dev/null
	measuring $tool
}

# end: no sooner than the script is through with it, however slow this machine is; and what became of it
end() {
	seen "$run" peak_kib "$(memory VmHWM "/proc/$tool/status")"
	seen "$run" taken_kib $(($(cat /tmp/available) - $(memory MemAvailable /proc/meminfo)))
	kill -INT "$tool"
	wait "$tool"
	echo "$suite.$run status $?"
	sed "s/^/$suite.$run out /" "/tmp/$run.out"
	sed "s/^/$suite.$run err /" "/tmp/$run.err"
}

# away NAME SECONDS: CPU 1 is
away() {
	moment "$1" before
	echo 0 > $online
	moment "$1" gone
	sleep "$2"
	moment "$1" returns
	echo 1 > $online
	moment "$1" back
}

hotplug() {
	[ -e $online ] || return 1
	share 600 &
	loads=$!
	share 600 &
	second=$!

	begin away profile -e cpu-clock -q -I 500ms -s comm,cpu -f table -o /tmp/away.kbpf
	sleep 0.7
	before=$(descriptors)
	away away 1.2
	measures_on "$before"
	sleep 1.2
	end
	kill $second
	send away /tmp/away.kbpf

	echo 0 > $online
	begin comes profile -e cpu-clock
	moment comes begin
	before=$(descriptors)
	sleep 0.7
	moment comes returns
	echo 1 > $online
	moment comes back
	measures_on $((before + 2))
	sleep 0.5
	end

	# Faster than it is looked for; the CPU's event alone tells, which is asked once a second.
	begin blink profile -e cpu-clock
	sleep 0.5
	away blink 0
	sleep 2.2
	end

	begin other profile -e cpu-clock -C 0
	sleep 0.3
	away other 0.5
	sleep 0.3
	end

	sleeps 1000000 &
	loads="$loads $!"
	begin waits wakeup -q -o /tmp/waits.kbpf --worst 16
	sleep 0.7
	away waits 1.5
	sleep 0.7
	end
	send waits /tmp/waits.kbpf
	# shellcheck disable=SC2086 # words
	kill $loads
}

# within NAME BYTES TOOL: in a cgroup of so much memory
within() {
	cgroup=/sys/fs/cgroup/small
	echo +memory > /sys/fs/cgroup/cgroup.subtree_control
	mkdir -p $cgroup
	echo "$2" > $cgroup/memory.max
	programs "$1" programs_before
	# shellcheck disable=SC2016 # the inner shell's
	tell "$1" sh -c 'echo $$ > /sys/fs/cgroup/small/cgroup.procs && exec kbpfprof "$0" -d 500ms' "$3"
	programs "$1" programs_after
	rmdir $cgroup || seen "$1" cgroup busy
}

locked() {
	share 600 &
	load=$!
	begin one_profile profile
	sleep 0.5
	end
	begin one_wakeup wakeup
	sleep 0.5
	end
	kill $load
	within small_profile 16M profile
	within small_wakeup 16M wakeup

	mount -t securityfs securityfs /sys/kernel/security
	tell level cat /sys/kernel/security/lockdown
	echo confidentiality > /sys/kernel/security/lockdown
	programs locked_profile programs_before
	tell locked_level cat /sys/kernel/security/lockdown
	tell locked_doctor kbpfprof doctor
	tell locked_profile kbpfprof profile -d 500ms
	tell locked_wakeup kbpfprof wakeup -d 500ms
	programs locked_profile programs_after
	tell pinned ls /sys/fs/bpf
}

if [ "$(grep -c '^processor' /proc/cpuinfo)" = 1 ]; then
	locked
else
	hotplug || seen hotplug none yes
fi
tell dmesg dmesg
