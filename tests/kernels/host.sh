# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For what boots kernels and checks what they say: run, wakeup, faults, offline. Sourced after tests/lib.sh.
#   KERNELS: names of kernels.list, with or without their architecture; default: see choose_kernels
#   GUEST_amd64, GUEST_arm64: what `make static static-workloads` made for that architecture
#   KERNEL_RESULTS: a file that gets a line "KERNEL SUITE ok|FAIL|REASON" a check, for tests/kernels/table
# shellcheck disable=SC2034,SC2154 # kernel, suite and arch are those of who sources this, and tmp is lib.sh's

# shellcheck source=tests/kernels/common.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/common.sh"

# choose_kernels [DEFAULT...]: into $kernels, those of KERNELS, or else these
choose_kernels() {
	[ "${KERNELS-all}" ] || skip_all "KERNELS is empty"
	# shellcheck disable=SC2086 # words
	kernels=$("$here/names" ${KERNELS-$*}) || { echo "Bail out! no such kernels"; exit 1; }
}

# usual_kernels: all of amd64 and the first of arm64
usual_kernels() { awk '!/^#/ && NF && ($2 == "amd64" || !others++) { print $1 }' "$list"; }

# fetch_all KERNEL...: in the background, in that order, as a guest uses what else this machine has little of;
# prepare KERNEL does it for one
prepare() { "$here/fetch" "$1"; }
fetch_all() {
	local name
	for name; do
		prepare "$name" > "$tmp/$name.log" 2>&1
		echo $? > "$tmp/$name.fetched"
	done &
	fetcher=$!
	at_exit "kill $fetcher 2> /dev/null; wait $fetcher"
}
# is_there KERNEL: waits for it
is_there() {
	while [ ! -s "$tmp/$1.fetched" ] && kill -0 "$fetcher"; do sleep 0.1; done
	grep -qx 0 "$tmp/$1.fetched" || { cat "$tmp/$1.log"; return 1; }
}

# boot_all KERNEL...: in the background, one guest a CPU of this machine: guest KERNEL, which the script defines, boots one
boot_all() {
	local lanes lane
	lanes=$(nproc)
	for ((lane = 0; lane < lanes; lane++)); do
		boot_lane "$lane" "$lanes" "$@" &
		at_exit "end_lane $!"
	done
}
boot_lane() {
	local lane=$1 lanes=$2 n=0 name
	shift 2
	for name; do
		[ $((n++ % lanes)) = "$lane" ] || continue
		arch=$(kernel_arch "$name")
		is_there "$name" > /dev/null && guest "$name" > "$tmp/$name.guest" 2> "$tmp/$name.err"
		echo $? > "$tmp/$name.booted"
	done
}
end_lane() {
	local boot
	boot=$(pgrep -P "$1")
	# shellcheck disable=SC2086 # a word, or none
	kill "$1" $boot
	wait "$1"
} 2> /dev/null
# booted KERNEL: waits for it; what it said is in $tmp/guest
booted() {
	while [ ! -s "$tmp/$1.booted" ]; do sleep 0.1; done
	mv "$tmp/$1.guest" "$tmp/guest"
	grep -qx 0 "$tmp/$1.booted" && return
	grep -vE ' data |^(wakeup recording|timerlat ns|dmesg out)' "$tmp/guest" | tail -n 60
	cat "$tmp/$1.err"
	return 1
}

# guest_program NAME: of the guest's architecture, for boot -b
guest_program() {
	local folder=GUEST_$arch
	folder=${!folder:?is set by make check}
	case $1 in
	kbpfprof) echo "$folder/kbpfprof-static:/bin/kbpfprof" ;;
	*) echo "$folder/workloads-static/$1" ;;
	esac
}

# check TEXT COMMAND...: a test of $kernel in $suite
check() {
	local text=$1 result=ok
	shift
	ok "$kernel $suite: $text" "$@" || result=FAIL
	echo "$kernel $suite $result" >> "${KERNEL_RESULTS:-/dev/null}"
	[ $result = ok ]
}

# without REASON: $kernel has no means for what $suite asks
without() { echo "$kernel $suite $1" >> "${KERNEL_RESULTS:-/dev/null}"; }

# said NAME out|err|status: what command NAME of $suite had to say in the guest
said() { sed -n "s/^$suite\.$1 $2 \{0,1\}//p" "$tmp/guest"; }

# show NAME: both streams, for the reader of a failure
show() {
	said "$1" out
	said "$1" err
}

# succeeded NAME
succeeded() {
	[ "$(said "$1" status)" = 0 ] && return
	echo "exit status of $1: $(said "$1" status)"
	show "$1"
	return 1
}

# matches_all NAME REGEX...: each is in its output
matches_all() {
	local name=$1 regex
	shift
	for regex; do
		said "$name" out | grep -Eq -- "$regex" && continue
		echo "no match in the output of $name: $regex"
		show "$name"
		return 1
	done
}

# received NAME FILE: what the guest sent by `send`
received() { said "$1" data | base64 -d | gzip -dc > "$2"; }

# loses_nothing FILE [FILTER]: a report in JSON, of which the filter is true besides. On PREEMPT_RT an interrupt's timer may
# come while the program of a softirq's timer runs, and from 7.0 on programs may be preempted: the kernel does not run them
# again for what comes meanwhile, and counts that.
loses_nothing() {
	local busy=0
	case $kernel in *-rt) busy=.lost.program_busy ;; esac
	jq -e "(.lost | add) == $busy and (${2:-true})" "$1" > /dev/null && return
	jq -c '.lost, .latency.counts?, .irq.counts?' "$1"
	return 1
}

# clean FILE: a kernel's log has no complaint
clean() {
	grep -q 'Linux version' "$1" || { echo "dmesg is not whole"; return 1; }
	! grep -nE -A 30 'WARNING:|BUG:|Oops|Call Trace|scheduling while atomic|sleeping function|stall' "$1"
}
