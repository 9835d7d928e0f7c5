#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# doctor --programs, the ceilings of tests/kernels/verified.list, and what is said of a program that is refused.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"
need_live
PATH=$PATH:/usr/sbin:/sbin
verified=$here/../kernels/verified
: "${PROGRAMS:?is set by make check}"

# What is in the kernel for BPF.
in_kernel() { bpftool -j prog show | jq -r '.[] | "program \(.id) \(.name)"'; bpftool -j map show | jq -r '.[] | "map \(.id) \(.name)"'; }
eventually_as() { for _ in {1..50}; do [ "$(in_kernel)" = "$1" ] && return; sleep 0.1; done; diff <(echo "$1") <(in_kernel); }

# --- what it says, against the kernel's own numbers of a true run
before=$(in_kernel)
run "$KBPFPROF" doctor --programs
is 'all load: exit status' "$rc" 0
is '... nothing on stderr' "$err" ''
is '... 80 columns of ASCII' "$(printf '%s\n' "$out" | LC_ALL=C grep -E '.{81}|[^ -~]')" ''
like '... the kernel is on top' "$(head -n 1 <<<"$out")" "^kernel +$(uname -r) $(uname -m),"
like '... each tool and variant' "$(tr '\n' ' ' <<<"$out")" ' profile, defaults .* profile, command .* wakeup, defaults .* wakeup, command '
like '... why some are left out' "$(tr -s '\n ' ' ' <<<"$out")" 'left out filter_fork, filter_exec, filter_free, filter_exit: no -p, -t or COMMAND'
run "$KBPFPROF" doctor --programs --json
is 'the same as JSON: exit status' "$rc" 0
cp "$tmp/out" "$tmp/json"
is '... of this kernel' "$(jq -r .kernel.release "$tmp/json")" "$(uname -r)"
ok 'nothing is left behind' eventually_as "$before"

# said TOOL VARIANT: "NAME INSTRUCTIONS TRANSLATED JITED" of what it loaded
said() {
	jq -r --arg tool "$1" --arg variant "$2" '.tools[] | select(.tool == $tool and .variant == $variant) | .programs[] |
		select(.state == "loaded") | "\(.name) \(.verified_instructions) \(.translated_bytes) \(.jited_bytes)"' "$tmp/json" | sort
}
# held PID: the same of the programs that a process holds, as fdinfo (5.16) and bpftool have it
held() {
	cat "/proc/$1/fdinfo/"* 2>/dev/null | awk '$1 == "prog_id:" { id = $2 } $1 == "verified_insns:" { print id, $2 }' | sort -u |
		while read -r id insns; do
			bpftool -j prog show id "$id" | jq -r --arg insns "$insns" '"\(.name) \($insns) \(.bytes_xlated) \(.bytes_jited)"'
		done | sort
}
# as_run TOOL VARIANT OPTION...: the tool's own run loads the same programs, of the same size. Some are held twice, by their links.
as_run() {
	local tool=$1 variant=$2 pid
	shift 2
	"$KBPFPROF" "$tool" -q "$@" >/dev/null 2>&1 &
	pid=$!
	for _ in {1..100}; do grep -q do_sys_poll "/proc/$pid/stack" && break; sleep 0.1; done
	held $pid >"$tmp/held"
	kill -INT $pid
	wait $pid
	[ -s "$tmp/held" ] && diff <(said "$tool" "$variant") "$tmp/held"
}
ok 'profile, defaults: as in a run' as_run profile defaults
ok 'profile, command: as in a run' as_run profile command -- sleep 30
ok 'wakeup, defaults: as in a run' as_run wakeup defaults
ok 'wakeup, command: as in a run' as_run wakeup command --comm true --per task --above 100us --user-stacks -- sleep 30
is 'stack is a multiple of 32 and at most 512' "$(jq '[.tools[].programs[] | select(.state == "loaded").stack_bytes |
	. > 0 and . <= 512 and . % 32 == 0] | all' "$tmp/json")" true

# --- the ceilings
ok 'this kernel keeps to the ceilings' "$verified" "$tmp/json"
run "$KBPFPROF" doctor --programs --json --btf /sys/kernel/btf/vmlinux
is 'as on a kernel without BTF: exit status' "$rc" 0
cp "$tmp/out" "$tmp/raw"
is '... raw tracepoints' "$(jq '[.tools[].programs[] | select(.state == "loaded" and (.hook | startswith("tp_btf")))] | length' "$tmp/raw")" 0
ok '... keeps to the ceilings' "$verified" "$tmp/raw"
# broken FILTER: the checker reads the report after jq has changed it; its faults in $out
switch='(.tools[] | select(.tool == "wakeup" and .variant == "defaults").programs[] | select(.name == "on_switch"))'
broken() {
	jq "$1" "$tmp/json" >"$tmp/broken"
	run "$verified" "$tmp/broken"
}
broken "$switch.verified_instructions = 999999"
is 'above the ceiling of instructions' "$rc" 1
like '... by name' "$out" '^wakeup, defaults: on_switch: 999999 instructions, ceiling [1-9][0-9]+$'
is '... nothing else' "$(wc -l <<<"$out")" 1
broken "$switch.stack_bytes = 544"
is 'above 512 bytes of stack' "$rc" 1
like '... by name' "$out" '^wakeup, defaults: on_switch: 544 bytes of stack$'
broken "$switch.verified_instructions = null"
is 'no count' "$rc: $out" '1: wakeup, defaults: on_switch: instructions is not known'
broken "$switch.name = \"on_swap\""
is 'one that is new, one that is gone' "$rc: $(sort <<<"$out")" "1: wakeup, defaults: on_swap: is not in the list
wakeup, defaults: on_switch: is in the list and not there"
broken "$switch |= (.state = \"left out\" | .reason = null)"
is 'left out for no reason' "$rc: $out" '1: wakeup, defaults: on_switch: left out, and no reason given'
broken "$switch |= (.state = \"left out\" | .reason = \"from 9.9 on\")"
is 'left out for a reason' "$rc: $out" '0: '
broken "$switch |= (.state = \"refused\" | .log = [\"a\", \"R1 is bad\"])"
is 'refused' "$rc: $out" '1: wakeup, defaults: on_switch: refused: R1 is bad'
broken 'del(.tools[] | select(.tool == "profile"))'
is 'a tool that is gone' "$rc" 1
like '... by name' "$out" '^profile, defaults: on_sample: is in the list and not there$'
broken '.tools[0] |= (.errno = "EPERM" | .reason = "refused by policy")'
like 'a tool that could not be tried' "$rc: $(tr '\n' ' ' <<<"$out")" '^1: .*profile, defaults: -: failed: refused by policy'
for text in '' '{}' '{"tools": []}' '{"tools": [{"tool"' ; do
	printf '%s' "$text" >"$tmp/broken"
	run "$verified" "$tmp/broken"
	is "no report: '$text'" "$rc" 1
done
run "$verified" "$tmp/none"
is 'no file' "$rc" 1
run "$verified" -l "$tmp/none" "$tmp/json"
is 'no list' "$rc" 1

# --- a program that is refused
# refuse PROGRAM [-v]: of tests/programs/refused.bpf.c
refuse() { run "$PROGRAMS/refused" "$PROGRAMS/refused.bpf.o" "$@"; }
kernel="$(uname -r) $(uname -m)"
refuse fine
is 'one that is fine' "$rc: $out$err" '0: '
refuse unchecked
is 'a bad read: exit status' "$rc" 4
like '... program, hook, errno and kernel' "$err" "^refused: program unchecked \\(raw_tp/sched_switch\\): EACCES on Linux ${kernel//./\\.}\$"
like '... what the verifier says' "$err" "^    R[0-9] invalid mem access 'map_value_or_null'\$"
like '... and what to do' "$(tail -n 1 <<<"$err")" '^refused: cannot load BPF programs: Permission denied \(this kernel.s verifier refuses the program: a bug, please report it with the log; -v shows'
within '... in a few lines' "$(wc -l <<<"$err")" 4 12
refuse endless
is 'a log that fits no buffer: exit status' "$rc" 4
like '... the program' "$err" '^refused: program endless \(raw_tp/sched_switch\): E[A-Z0-9]+ on Linux '
within '... in a few lines' "$(wc -l <<<"$err")" 4 12
is '... that are not long' "$(grep -E '.{200}' <<<"$err")" ''
refuse endless -v
is '... -v: exit status' "$rc" 4
within '... -v: more lines, not all' "$(wc -l <<<"$err")" 500 1100
like '... -v: what libbpf says' "$err" "^libbpf: prog 'endless': BPF program load failed"
refuse homeless
is 'no such hook: exit status' "$rc" 4
like '... the program' "$err" '^refused: program homeless \(tp_btf/no_such_tracepoint_anywhere\): ESRCH on Linux '
like '... what is missing' "$err" "^    libbpf: prog 'homeless': .*no_such_tracepoint_anywhere"

# The same by a tool's own programs. bpf() is failed from the call on that loads the program; nth: which one that is.
nth() {
	strace -f -e trace=bpf -o "$tmp/trace" "$KBPFPROF" "${@:2}" >/dev/null 2>&1
	grep ' bpf(' "$tmp/trace" | grep -n "BPF_PROG_LOAD.*prog_name=\"$1\"" | head -n 1 | cut -d : -f 1
}
failing() { run strace -f -o /dev/null -e trace=bpf -e "inject=bpf:error=$1:when=$2+" "$KBPFPROF" "${@:3}"; }
at=$(nth on_switch wakeup -q -d 100ms)
failing EINVAL "$at" wakeup -q -d 100ms
is 'a program of wakeup is refused: exit status' "$rc" 4
like '... program, hook, errno and kernel' "$err" "^kbpfprof wakeup: program on_switch \\(tp_btf/sched_switch\\): EINVAL on Linux ${kernel//./\\.}\$"
like '... and what to do' "$err" '^kbpfprof wakeup: cannot load BPF programs: Invalid argument \(.*kbpfprof doctor'
failing EPERM "$at" wakeup -q -d 100ms
is 'refused by policy: exit status' "$rc" 4
is '... one line' "$(wc -l <<<"$err")" 1
like '... that says so' "$err" '^kbpfprof wakeup: cannot load BPF programs: Operation not permitted \((refused by policy|the limit of locked memory)'

# --- rights
install -m 755 "$KBPFPROF" "$tmp/kbpfprof" && chmod 755 "$tmp"
as_user() {
	local caps=$1
	shift
	setpriv --reuid 65534 --regid 65534 --clear-groups ${caps:+--inh-caps "$caps" --ambient-caps "$caps"} "$@"
}
run as_user '' "$tmp/kbpfprof" doctor --programs
is 'no root: exit status' "$rc" 4
like '... said, with the cure' "$(tr -s '\n ' ' ' <<<"$out")" 'wakeup, defaults: cannot be loaded reason EPERM: needs root, or CAP_BPF and CAP_PERFMON'
run as_user '' "$tmp/kbpfprof" doctor --programs --json
is '... as JSON' "$rc $(jq -r '[.tools[].errno] | unique | join(" ")' <<<"$out")" '4 EPERM'
run as_user +bpf,+perfmon "$tmp/kbpfprof" doctor --programs --json
is 'CAP_BPF and CAP_PERFMON: exit status' "$rc" 0
is '... the same counts' "$(jq -c '[.tools[].programs[] | [.name, .state, .verified_instructions, .stack_bytes]]' <<<"$out")" \
	"$(jq -c '[.tools[].programs[] | [.name, .state, .verified_instructions, .stack_bytes]]' "$tmp/json")"
run bash -c 'ulimit -n 30; exec "$@"' - "$KBPFPROF" doctor --programs
is 'a limit of 30 open files: exit status' "$rc" 4
like '... said' "$(tr -s '\n ' ' ' <<<"$out")" 'EMFILE'

# --- usage
run sh -c "'$KBPFPROF' doctor --programs >/dev/full"
is 'a full disk is exit 1' "$rc" 1
run "$KBPFPROF" doctor --help
like '--help tells of it' "$out" '--programs +load each'

ok 'nothing is left behind at the end' eventually_as "$before"
finish
