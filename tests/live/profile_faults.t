#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What goes wrong on real machines: missing rights and features, signals, readers that go away, targets
# that end. Each with its exit code and its words, and nothing stays attached.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"
# shellcheck source=tests/live/profile.sh
. "$here/profile.sh"
need_live

profile() { run timeout -k 1 60 "$KBPFPROF" profile "$@"; }
faults=(-e page-faults -c 1 -f folded -q)

# Our programs in the kernel that no process holds.
unheld() {
	cat /proc/[0-9]*/fdinfo/* 2>/dev/null | awk '$1 == "prog_id:" { print $2 }' | sort -u >"$tmp/held"
	bpftool prog show | awk -F '[: ]' '/name (on_sample|filter_(fork|exec|exit|free)) / { print $1 }' | grep -vxFf "$tmp/held"
}
nothing_left() { ! unheld; }

# as_user CAPS COMMAND...: as nobody with these capabilities (",+bpf,+perfmon")
mkdir -m 755 "$tmp/bin"
chmod 755 "$tmp"
install -m 755 "$KBPFPROF" "$tmp/bin/kbpfprof"
as_user() {
	local caps=$1
	shift
	setpriv --reuid 65534 --regid 65534 --clear-groups ${caps:+--inh-caps "$caps" --ambient-caps "$caps"} "$@"
}
cannot_load='^kbpfprof profile: cannot load BPF programs: '

# --- rights
run as_user '' "$tmp/bin/kbpfprof" profile -d 1
is 'no root: exit status' "$rc" 4
like 'no root: said, with the cure' "$err" "${cannot_load}Operation not permitted \(needs root, or CAP_BPF and CAP_PERFMON;"
is 'no root: no report' "$out" ''
run as_user +bpf "$tmp/bin/kbpfprof" profile -d 1
is 'CAP_BPF alone: exit status' "$rc" 4
like 'CAP_BPF alone: which one is missing' "$err" "${cannot_load}Operation not permitted \(needs root, or CAP_PERFMON;"
run as_user '' "$tmp/bin/kbpfprof" profile -- touch "$tmp/touched"
is 'no root: exit status with a COMMAND' "$rc" 4
ok 'no root: the COMMAND does not run' test ! -e "$tmp/touched"
run as_user +bpf,+perfmon "$tmp/bin/kbpfprof" profile -d 300ms
is 'CAP_BPF and CAP_PERFMON: exit status' "$rc" 0
like 'CAP_BPF and CAP_PERFMON: a report' "$out" '^books: [0-9]'
run unshare --user --map-root-user "$KBPFPROF" profile -d 1
is 'root of a user namespace: exit status' "$rc" 4
like 'root of a user namespace: said' "$err" "${cannot_load}Operation not permitted \(root of a user namespace"

# --- what kernels and machines lack
# without MOUNTS COMMAND...: in a mount namespace where the shell commands MOUNTS hold
without() { run unshare --mount sh -ec "$1"'; exec "$@"' - "${@:2}"; }
without 'mount -t tmpfs none /sys/kernel/btf' "$KBPFPROF" profile -d 1
is 'no BTF: exit status' "$rc" 4
like 'no BTF: said' "$err" '^kbpfprof profile: this kernel has no BTF: CONFIG_DEBUG_INFO_BTF .*--btf FILE'
# shellcheck disable=SC2016 # the inner shell expands it
no_tracefs='for dir in /sys/kernel/debug/tracing /sys/kernel/tracing /sys/kernel/debug; do while umount -l "$dir" 2>/dev/null; do :; done; done'
without "$no_tracefs" "$KBPFPROF" profile -d 300ms
is 'tracefs is not mounted: works' "$rc: $err" '0: '
like 'tracefs is not mounted: a report' "$out" '^books: [0-9]'
without 'mount -t tmpfs none /sys/fs/bpf 2>/dev/null || :; mount -t tmpfs none /sys/bus' "$KBPFPROF" profile -d 300ms
is 'no /sys/bus, no file system for BPF: works' "$rc: $err" '0: '
run bash -c 'ulimit -l 64; exec setpriv --bounding-set -sys_resource --inh-caps -sys_resource "$@"' - "$KBPFPROF" profile -d 300ms
is 'the memlock limit cannot be raised: works' "$rc: $err" '0: '
run strace -f -o /dev/null -e trace=prlimit64,setrlimit -e inject=prlimit64,setrlimit:error=EPERM "$KBPFPROF" profile -d 300ms
is 'no limit can be read or set: works' "$rc: $err" '0: '
run bash -c 'ulimit -n 20; exec setpriv --bounding-set -sys_resource --inh-caps -sys_resource "$@"' - "$KBPFPROF" profile -d 300ms
is 'a limit of 20 open files: works, or says that' "$([ "$rc" = 0 ] || printf '%s\n' "$err" | grep -q 'oo many open files' && echo fine)" fine

# --- targets that end
wrong=
for round in 1 2 3 4 5 6; do
	sleep "0.0$round" &
	profile -q -d 10 -p $!
	[ "$rc" = 0 ] || printf '%s\n' "$err" | grep -q "no process with PID $!" || wrong+="$round: $rc $err"
done
is 'a target that ends while we start' "$wrong" ''
profile -q -p 2147483647 -d 1
is 'a target that never was' "$rc" 1
sleep 30 &
sleeper=$!
disown
start -q -p $sleeper
kill -KILL $sleeper
ok 'a target that is killed ends the run' eventually gone "$profiler"
await
is 'a target that is killed: exit status' "$rc" 0

# --- signals
start "${faults[@]}"
end
is 'Ctrl-C: exit status' "$rc" 0
within 'Ctrl-C: the report' "$(count .)" 1 10000000
for signal in TERM HUP; do
	start -q
	kill "-$signal" "$profiler"
	await
	is "SIG$signal: exit status" "$rc" 0
	like "SIG$signal: the report" "$out" '^books: '
done
start -q -- sh -c 'echo $$; exec sleep 30'
end
is 'Ctrl-C with a COMMAND: exit status' "$rc" 0
like 'Ctrl-C with a COMMAND: the report' "$out" '^books: '
ok 'Ctrl-C with a COMMAND: it is ended, too' gone "$(printf '%s\n' "$out" | head -n 1)"
via='nohup'
start -q
kill -HUP "$profiler"
sleep 0.5
ok 'nohup: a terminal that goes away does not matter' kill -0 "$profiler"
end
via=
is 'nohup: exit status' "$rc" 0

# A reader that does not read keeps the report from being written; then Ctrl-C means now.
mkfifo "$tmp/fifo"
exec {reader}<>"$tmp/fifo"
timeout 1 cat /dev/zero >"$tmp/fifo" # until the pipe is full
env --default-signal=INT "$KBPFPROF" profile -q >"$tmp/fifo" 2>"$tmp/err" &
profiler=$!
eventually measures
kill -INT "$profiler"
sleep 0.5
ok 'a reader that does not read: the report waits' kill -0 "$profiler"
kill -INT "$profiler"
ok 'Ctrl-C twice: stops now' eventually gone "$profiler"
await
is 'Ctrl-C twice: exit status' "$rc" 130
exec {reader}<&-

# --- output that cannot be written
"$KBPFPROF" profile -q -d 300ms 2>"$tmp/err" | :
is 'closed pipe: quiet' "${PIPESTATUS[0]} $(cat "$tmp/err")" '141 '
first=$("$KBPFPROF" profile -q -d 300ms 2>"$tmp/err" | head -n 1)
like 'head -n 1: the first line' "$first" '^profile of whole machine: '
is 'head -n 1: quiet' "$(cat "$tmp/err")" ''
for format in table folded; do
	run sh -c 'exec "$@" >/dev/full' - "$KBPFPROF" profile -q --idle -d 300ms -f $format
	is "full disk, $format: exit status" "$rc" 1
	like "full disk, $format: said" "$err" '^kbpfprof profile: cannot write the report: No space left on device$'
done
run sh -c 'exec "$@" >&-' - "$KBPFPROF" profile -q -d 300ms
is 'stdout is closed: exit status' "$rc" 1
like 'stdout is closed: said' "$err" '^kbpfprof profile: cannot write the report: Bad file descriptor$'

# --- killed at any moment of its life, 20 times
left_behind=
for round in {1..20}; do
	"$KBPFPROF" profile -q -F 997 -d 200ms -- sh -c "echo >$tmp/ran.$round; exec sleep 0.1" >/dev/null 2>&1 &
	profiler=$!
	disown
	sleep "0.0$((RANDOM % 10))"
	[ $((round % 2)) = 0 ] || sleep "0.$((RANDOM % 5))"
	is_child $profiler || continue
	kill -STOP $profiler
	sleep 0.05
	[ -e "$tmp/ran.$round" ] || not_yet=${not_yet:-}${not_yet:+ }$round
	kill -KILL $profiler
done
sleep 0.3
for round in ${not_yet:-}; do [ ! -e "$tmp/ran.$round" ] || left_behind+=" $round"; done
within 'SIGKILL: some were killed before the COMMAND began' "$(wc -w <<<"${not_yet:-}")" 3 20
is 'SIGKILL: a COMMAND that was not begun never begins' "$left_behind" ''
ok 'SIGKILL: no program stays in the kernel' eventually nothing_left
ok 'SIGKILL: no child waits for ever' test -z "$(pgrep -P 1 -f "echo >$tmp/ran")"

# --- a reader that stands still: what does not fit is counted
cp "$WORKLOADS/paths" "$tmp/paths-$$"
start -q -e page-faults -c 1 --max-stacks 256 --comm "paths-$$" -f table
kill -STOP "$profiler"
"$tmp/paths-$$" 20000 >/dev/null
sleep 0.5
kill -CONT "$profiler"
"$tmp/paths-$$" 100 >/dev/null
end
is 'stopped and continued: exit status' "$rc" 0
due=$(term due) kept=$(term kept) lost=$(term lost)
within 'stopped: much does not fit' "$lost" 1000 20000
within 'stopped: each page fault is kept, lost or not delivered' $((kept + lost + $(term 'not delivered'))) 20100 21000
is 'stopped: the books balance' $((kept + $(term idle) + $(term 'other tasks') + lost + $(term 'not delivered'))) "$due"
like 'stopped: the cause' "$out" '^lost: [0-9 ]+ stack map full'
profile -q -e page-faults -c 1 --max-stacks 256 --max-loss 1 -d 1 -- sh -c "kill -STOP \$PPID; $WORKLOADS/paths 20000; kill -CONT \$PPID"
is '--max-loss: exit status' "$rc" 3

# --- delay
puppet a
# shellcheck disable=SC2154
start "${faults[@]}" -D 1 -p "${tgid[a]}"
tell a touch 100
sleep 1.5
tell a touch 70
end
is '-D: what was before is not measured' "$(count 'touch_main ')" 70
start -q -D 30
end
is '-D: Ctrl-C before its end' "$rc" 0
like '-D: nothing was measured' "$out" '^profile of whole machine: 0 samples'

ok 'at the end no program stays in the kernel' eventually nothing_left

finish
