#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Kernels without BTF: of this one it is hidden. With a file beside it everything works; without one, or with one of
# another kernel, nothing does, and it is said why.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"
# shellcheck source=tests/live/profile.sh
. "$here/profile.sh"
# shellcheck source=tests/live/books.sh
. "$here/books.sh"
# shellcheck source=tests/live/wakeup.sh
. "$here/wakeup.sh"
need_live
: "${PROGRAMS:?is set by make check}"
# shellcheck disable=SC2154 # rc, pid and tids are set by end and load

own=/sys/kernel/btf/vmlinux
btf=$tmp/kernel.btf
cp $own "$btf"

# Whatever may have BTF has none: the kernel's own is not at hand, and no vmlinux lies about.
cat >"$tmp/hide" <<-'END'
	#!/bin/sh
	exec unshare --mount sh -c 'mount -t tmpfs none /sys/kernel/btf && exec "$@"' sh "$@"
END
chmod +x "$tmp/hide"
hidden() { run "$tmp/hide" timeout -k 1 60 "$KBPFPROF" "$@"; }
words() { tr -s '\n ' ' ' <<<"$1"; }

is 'it is hidden' "$("$tmp/hide" ls -A /sys/kernel/btf)" ''

# --- no file
for tool in profile wakeup; do
	hidden $tool -d 100ms
	is "$tool without BTF: exit 4" "$rc" 4
	is "$tool without BTF: told, with the cure" "$err" \
		"kbpfprof $tool: this kernel has no BTF: CONFIG_DEBUG_INFO_BTF (give one by --btf FILE or KBPFPROF_BTF; 'kbpfprof doctor' tells how to make it)"
	is "$tool without BTF: no result" "$out" ''
done
hidden profile -F no
is 'a wrong option is still one' "$rc" 129
hidden doctor
is 'doctor without BTF: exit 4' "$rc" 4
like 'doctor without BTF: how to make it' "$(words "$out")" 'pahole --btf_encode_detached FILE vmlinux .*bpftool gen min_core_btf .* --btf FILE or KBPFPROF_BTF'
hidden doctor --json
is 'doctor without BTF, JSON: how to make it' "$(json .btf.how_to_make)" 'pahole --btf_encode_detached FILE vmlinux'
is '... what is missing, and the cure' "$(json '.features.btf | "\(.reason); \(.cure)"')" \
	'this kernel has no BTF: CONFIG_DEBUG_INFO_BTF (BTF: ENOENT); --btf FILE or KBPFPROF_BTF'
is '... no subcommand works' "$(json '[.commands.profile, .commands.wakeup | .verdict] | unique | .[]')" cannot

# --- with a file
hidden doctor --json --btf "$btf"
is 'doctor with a file: exit 0' "$rc" 0
is '... told which' "$(json .btf.file)" "$btf"
is '... no need to make one' "$(json .btf.how_to_make)" null
is '... subcommands work' "$(json '[.commands.profile, .commands.wakeup | .verdict == "cannot"] | any')" false
like '... what needs the own BTF says so' "$(json .features.tp_btf.reason)" "needs the kernel's own BTF"
like '... and what is done instead' "$(json '.commands.wakeup.missing[] | select(.feature == "tp_btf") | .without')" '^raw tracepoints instead'

occupy "$cpu" "$WORKLOADS/share" 60
tool=profile via=$tmp/hide
start -F 999 --btf "$btf" -f folded -p "${occupied[0]}"
is 'profile: its programs are there' "$(bpftool -j prog show | jq '[.[] | select(.name == "on_sample")] | length')" 1
used() { awk -v hz="$(getconf CLK_TCK)" '{ print int(($14 + $15) / hz) }' "/proc/${occupied[0]}/stat"; }
from=$(used)
enough() { [ $(($(used) - from)) -ge 5 ]; }
eventually enough
end
is 'profile with a file: exit status' "$rc" 0
sum=$(count .)
within '... samples' "$sum" 4000 100000
for share in 40 30 20 10; do
	within "... burn_$share" "$(pct "$(count ";burn_${share}[; ]")" "$sum")" $((share - 4)) $((share + 4))
done
is '... no other process' "$(count '^share;')" "$sum"
hidden profile --btf "$btf" -a -d 300ms
ok '... the books balance' books_balance
release

# The whole machine's programs while a run waits: "TYPE NAME", sorted
programs() { bpftool -j prog show | jq -r '.[] | select(.name | test("^on_")) | "\(.type) \(.name)"' | sort; }
tool=wakeup
load victim periodic -i 2000 -n 300 -c "$cpu" -p fifo:80
with="--btf $btf" via=$tmp/hide measure victim
is 'wakeup with a file: exit status' "$rc" 0
nearly '... each timer' "$(counted timers)" 300
nearly '... each wakeup, and no other' "$(counted wakeups)" $(($(told victim switches voluntary) + 1))
each_wait '... each wait' $(($(told victim switches voluntary) + $(told victim switches involuntary) + 1))
is '... nothing lost' "$(json '[.lost[]] | add') $(counted missed_end)" '0 0'
within '... the longest' "$(hist timer max_ns)" 1 "$(told victim late max_ns)"
within '... all together' "$(hist timer sum_ns)" $(($(told victim late sum_ns) / 2)) "$(told victim late sum_ns)"
is '... its name' "$(json '[.latency.cases[].comm] | unique | join(" ")')" periodic

# The other CPU is busy: were it idle, that the victim may not go there would be the cause.
if [ "$other" != "$cpu" ]; then
	load busy periodic -c "$other" -i 0 -n 1 -w 15000000 -m busy
	begin busy
fi
load victim periodic -v -i 20000 -c "$cpu" -o 500 -n 40 -m victim -p fifo:80
load keeper periodic -v -i 20000 -n 45 -w 2500 -m keeper -c "$cpu" -p fifo:99
longer_ns=1000000
with="--btf $btf" via=$tmp/hide measure victim keeper
[ "$other" = "$cpu" ] || kill_child "${pid[busy]}"
explained 'wakeup with a file: who kept the CPU' task_better keeper "$(overlap "$tmp/victim" "$tmp/keeper" | cut -d ' ' -f 1)"
longer_ns=0

load storm crowd forks 300 5
with="--btf $btf" via=$tmp/hide target="-p ${pid[storm]}" measure storm
target=
nearly '... first runs of forked tasks' "$(counted new)" 300

via=$tmp/hide start -q -f json --btf "$btf" -p $$
is 'programs are raw tracepoints' "$(programs | cut -d ' ' -f 1 | sort -u)" raw_tracepoint
ok '... the same as those with BTF, but for the one that needs it' test "$(programs | grep -c 'on_switch\|on_waking\|on_wakeup$\|on_migrate')" = 4
end
is '... exit status' "$rc" 0
via='' start -q -f json -p $$
ok 'with the kernel'"'"'s own they are BTF ones' grep -q '^tracing on_switch$' <(programs)
end

# --- how it is named
run env KBPFPROF_BTF="$btf" "$tmp/hide" "$KBPFPROF" profile -q -d 100ms
is 'by the variable: exit 0' "$rc" 0
run env KBPFPROF_BTF=/nonexistent "$tmp/hide" "$KBPFPROF" profile -q -d 100ms --btf "$btf"
is 'the option wins: exit 0' "$rc" 0
run env KBPFPROF_BTF=/nonexistent "$KBPFPROF" profile -q -d 100ms
is 'the variable wins over the own BTF: exit 4' "$rc" 4
run env KBPFPROF_BTF= "$KBPFPROF" profile -q -d 100ms
is 'an empty one is none: exit 0' "$rc" 0

# --- what else is BTF
cut() { bpftool gen min_core_btf "$btf" "$tmp/cut.btf" "$PROGRAMS"/../bpf/{profile,wakeup,btf_check}.bpf.o; }
ok 'a file can be cut down to what is needed' cut
within '... it is small' "$(stat -c %s "$tmp/cut.btf")" 500 20000
hidden profile --btf "$tmp/cut.btf" -a -d 300ms
is '... profile: exit 0' "$rc" 0
ok '... profile: the books balance' books_balance
load victim periodic -i 2000 -n 100 -c "$cpu" -p fifo:80
with="--btf $tmp/cut.btf" via=$tmp/hide measure victim
is '... wakeup: exit status' "$rc" 0
nearly '... wakeup: each timer' "$(counted timers)" 100
each_wait '... wakeup: each wait' $(($(told victim switches voluntary) + $(told victim switches involuntary) + 1))
via=$tmp/hide start -q -f json --btf "$tmp/cut.btf" -p $$
is '... wakeup: what can crash kernels, which it cannot tell, is left out' "$(programs | grep -c on_resched)" 0
is '... wakeup: the others are there' "$(programs | grep -c 'on_switch$')" 1
end
objcopy --remove-section .note.gnu.build-id --add-section .BTF="$btf" /bin/true "$tmp/vmlinux"
hidden profile -q -d 100ms --btf "$tmp/vmlinux"
is 'a vmlinux with the section: exit 0' "$rc" 0
objcopy --add-section .BTF="$btf" --update-section .note.gnu.build-id=/sys/kernel/notes /bin/true "$tmp/vmlinux"
hidden profile -q -d 100ms --btf "$tmp/vmlinux"
is 'a vmlinux with the build ID of the kernel: exit 0' "$rc" 0
hidden profile -q -d 100ms --btf ''
is 'an empty name is none: exit 4' "$rc" 4
like '... told' "$err" 'this kernel has no BTF'
run env KBPFPROF_BTF=/nonexistent "$KBPFPROF" profile -q -d 100ms --btf ''
is "... the kernel's own, whatever the variable says: exit 0" "$rc" 0

# --- of another kernel, or nothing
# refused NAME WORDS [OPTION...]
refused() {
	run timeout -k 1 30 "$KBPFPROF" profile -q -d 100ms --btf "$tmp/wrong" "${@:3}"
	is "$1: exit 4" "$rc" 4
	is "$1: why" "$err" "kbpfprof profile: $tmp/wrong: not the BTF of this kernel ($2)"
}
# cannot NAME read|check WORDS [COMMAND...]: nothing is said of the contents
cannot() {
	run timeout -k 1 30 "${@:4}" "$KBPFPROF" profile -q -d 100ms --btf "$tmp/wrong"
	is "$1: exit 4" "$rc" 4
	is "$1: why" "$err" "kbpfprof profile: cannot $2 $tmp/wrong: $3"
}
# move FIELD WHAT-DIFFERS
move() {
	"$PROGRAMS/btf_edit" "$btf" "$tmp/wrong" move "$1"
	refused "$1 lies elsewhere" "$2 differs"
}
move task_struct.comm task_struct.comm
move task_struct.tgid task_struct.tgid
move task_struct.start_boottime task_struct.start_boottime
move task_struct.on_cpu task_struct.on_cpu
move task_struct.thread_pid pid_namespace.ns
move task_struct.se rq.curr
move cfs_rq.rq rq.curr
move css_set.dfl_cgrp css_set.dfl_cgrp
move hrtimer._softexpires hrtimer._softexpires
move hrtimer.node hrtimer.node
"$PROGRAMS/btf_edit" "$btf" "$tmp/wrong" shift task_struct.prio # static_prio is there
refused 'task_struct.prio is that beside it' 'task_struct.prio differs'
"$PROGRAMS/btf_edit" "$btf" "$tmp/wrong" shift task_struct.tgid
refused 'task_struct.tgid is behind itself' 'task_struct.tgid differs'
"$PROGRAMS/btf_edit" "$btf" "$tmp/wrong" move hrtimer.function
refused 'a field that cannot be looked at lies in another one' 'hrtimer.base lies within another field'
"$PROGRAMS/btf_edit" "$btf" "$tmp/wrong" functions 5
like 'functions of another kernel: why' "$("$KBPFPROF" profile -q -d 100ms --btf "$tmp/wrong" 2>&1)" \
	"$tmp/wrong: not the BTF of this kernel \([0-9]+ of its [0-9]+ functions are not in this kernel, [A-Za-z0-9_]+ for one\)$"
"$PROGRAMS/btf_edit" "$btf" "$tmp/wrong" functions 1
run "$KBPFPROF" profile -q -d 100ms --btf "$tmp/wrong"
is 'one of 100 functions is missing, as those are that the linker drops: exit 0' "$rc" 0
objcopy --add-section .BTF="$btf" /bin/true "$tmp/wrong"
refused 'a vmlinux of another build' 'its build ID differs'
if [ "$(uname -m)" = x86_64 ]; then move runqueues 'the per-CPU variables'; fi
"$PROGRAMS/btf_edit" "$btf" "$tmp/wrong" lose task_struct.nr_cpus_allowed
refused 'a field is missing' 'task_struct.nr_cpus_allowed is not in it'
"$PROGRAMS/btf_edit" "$btf" "$tmp/wrong" reverse
refused 'of the other byte order' 'BTF of another byte order'
"$PROGRAMS/btf_edit" "$btf" "$tmp/wrong" type task_struct
run "$KBPFPROF" wakeup -q -d 100ms --btf "$tmp/wrong"
is 'no struct task_struct: exit 4' "$rc" 4
like 'no struct task_struct: why' "$err" '^kbpfprof wakeup: .*: not the BTF of this kernel \('
run "$KBPFPROF" doctor --json --btf "$tmp/wrong"
is '... doctor: exit 4' "$rc" 4
like '... doctor: why' "$(json .features.btf.reason)" "$tmp/wrong: not the BTF of this kernel"
like '... doctor: where the file is told, too' "$(json .btf.reason)" "^$tmp/wrong: not the BTF of this kernel \\("
is '... doctor: no size, not even that of the own' "$(json .btf.bytes)" null
run "$KBPFPROF" doctor --btf "$tmp/wrong"
like '... doctor, in words' "$(words "$out")" "BTF refused: $tmp/wrong: not the BTF of this kernel \\("
run "$KBPFPROF" doctor --programs --btf "$tmp/wrong"
like '... doctor --programs' "$(words "$out")" "BTF refused: $tmp/wrong: not the BTF of this kernel \\("
run "$KBPFPROF" doctor --json --btf "$tmp/cut.btf"
is 'doctor, a file that was cut down: its size' "$(json .btf.bytes)" "$(stat -c %s "$tmp/cut.btf")"
is '... no reason' "$(json .btf.reason)" null
like '... what it does not tell is not laid on the kernel' "$(json .features.trace_resched.reason)" '^the BTF file lacks it'
bpftool btf dump file "$PROGRAMS/../bpf/profile.bpf.o" >/dev/null && cp "$PROGRAMS/../bpf/profile.bpf.o" "$tmp/wrong"
run "$KBPFPROF" profile -q -d 100ms --btf "$tmp/wrong"
is 'of a program, not of a kernel: exit 4' "$rc" 4

rm -f "$tmp/wrong"
cannot 'no file' read 'No such file or directory'
mkdir "$tmp/wrong"
cannot 'a directory' read 'no regular file'
rmdir "$tmp/wrong"
mkfifo "$tmp/wrong"
cannot 'a FIFO' read 'no regular file'
rm "$tmp/wrong"
: >"$tmp/wrong"
refused 'an empty file' 'no BTF'
truncate -s 4G "$tmp/wrong"
refused '4 GiB of nothing' 'no BTF: larger than that of any kernel'
head -c 100000 "$btf" >"$tmp/wrong"
refused 'cut short' 'damaged BTF: cut short'
head -c 5000000 /dev/urandom >"$tmp/wrong"
refused 'noise' 'no BTF'
cp /bin/true "$tmp/wrong"
refused 'an ELF file without BTF' 'an ELF file without a section .BTF'
head -c 1000 /bin/true >"$tmp/wrong"
run "$KBPFPROF" profile -q -d 100ms --btf "$tmp/wrong"
is 'half an ELF file: exit 4' "$rc" 4
cp "$btf" "$tmp/wrong"
told=
cannot 'a good file without /proc' check '/proc is not mounted' unshare --mount sh -c 'mount -t tmpfs none /proc && exec "$@"' sh
# With so few files it cannot even start, or it can measure; in between what fails is not the file
for few in $(seq 4 12); do
	run timeout -k 1 30 prlimit --nofile="$few" "$KBPFPROF" profile -q -d 100ms --btf "$tmp/wrong"
	ok "a good file, $few files can be opened: not called wrong" test "${err/not the BTF of this kernel/}" = "$err"
	grep -q "^kbpfprof profile: cannot \(read\|check\) $tmp/wrong: .*open files" <<<"$err" && told="$told $few"
done
ok '... it was told' test -n "$told"
rm "$tmp/wrong"
run "$KBPFPROF" profile -q -d 100ms --btf $'no\e[31mfile'
is 'control characters of a name are escaped' "$err" 'kbpfprof profile: cannot read no\x1b[31mfile: No such file or directory'
is 'nothing is left behind' "$(bpftool -j prog show | jq '[.[] | select(.name | test("^check_|^kbpfprof_try$"))] | length')" 0

# --- privileges: as without a file
chmod 755 "$tmp"
cp "$KBPFPROF" "$tmp/kbpfprof"
chmod 755 "$tmp/kbpfprof" && chmod 644 "$btf"
run setpriv --reuid 65534 --regid 65534 --clear-groups "$tmp/kbpfprof" profile -q -d 100ms --btf "$btf"
is 'a plain user: exit 4' "$rc" 4
like 'a plain user: why' "$err" "^kbpfprof profile: cannot check $btf: needs root, or CAP_BPF"
finish
