#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# doctor: exit codes, words, JSON, and facts against where they come from. Other machines are made of
# this one by dropping privileges and by mounting over /sys and /proc in a mount namespace.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"
PATH=$PATH:/usr/sbin:/sbin

# ask COMMAND...: `COMMAND... kbpfprof doctor --json`, its output in $tmp/json
ask() {
	run "$@" "$KBPFPROF" doctor --json
	cp "$tmp/out" "$tmp/json"
}

# tell COMMAND...: the same as text, in $out
tell() { run "$@" "$KBPFPROF" doctor; }

# json FILTER: of the last `ask`
json() { jq -r "$1" "$tmp/json"; }

# over MOUNTS COMMAND...: runs the command where the shell commands MOUNTS hold, in a mount namespace
over() { unshare --mount sh -ec "$1"'; exec "$@"' "$@"; }

# as_user CAPS COMMAND...: as nobody with these capabilities ("bpf perfmon"), the binary being readable or not
as_user() {
	local caps=''
	[ -z "$1" ] || caps=+${1// /,+}
	shift
	setpriv --reuid 65534 --regid 65534 --clear-groups ${caps:+--inh-caps "$caps" --ambient-caps "$caps"} "$@"
}

# fits TEXT: one screen of plain ASCII
fits() {
	printf '%s\n' "$1"
	[ "$(printf '%s\n' "$1" | wc -l)" -le 40 ] && ! printf '%s\n' "$1" | LC_ALL=C grep -qE '.{81}|[^ -~]'
}

# when CONDITION...: true or false
when() { if "$@" >/dev/null 2>&1; then echo true; else echo false; fi; }

# implies A B: both true or false
implies() { [ "$1" = false ] || [ "$2" = true ] || { echo "got $1, although $2"; return 1; }; }

# --- usage
run "$KBPFPROF" doctor extra
is 'a word too many is a usage error' "$rc" 129
run "$KBPFPROF" doctor --jsno
is 'an unknown option is a usage error' "$rc" 129
run "$KBPFPROF" doctor --help
is '--help is exit 0' "$rc" 0
like '--help tells of --json' "$out" '--json'
run sh -c "'$KBPFPROF' doctor >/dev/full"
is 'a full disk is exit 1' "$rc" 1
like 'a full disk is said' "$err" '^kbpfprof doctor: cannot write the report: No space left on device$'

# --- the keys of the JSON are for scripts: none goes
ask
cat >"$tmp/keys" <<-END
	btf/bytes
	btf/file
	btf/how_to_cut
	btf/how_to_make
	btf/modules
	btf/reason
	cgroup/v1
	cgroup/v2
	commands/diff/missing
	commands/diff/verdict
	commands/doctor/missing
	commands/doctor/verdict
	commands/irq/missing
	commands/irq/verdict
	commands/profile/missing
	commands/profile/verdict
	commands/report/missing
	commands/report/verdict
	commands/wakeup/missing
	commands/wakeup/verdict
	kbpfprof
	kernel/hz
	kernel/machine
	kernel/preempt
	kernel/preempt_dynamic
	kernel/release
	kernel/version
	lockdown
	memlock/can_be_raised
	memlock/limit_bytes
	privileges/missing_capabilities
	privileges/pid_namespace
	privileges/user_namespace
	psi
	sysctl/bpf_jit_enable
	sysctl/kptr_restrict
	sysctl/perf_event_max_sample_rate
	sysctl/perf_event_max_stack
	sysctl/perf_event_paranoid
	sysctl/unprivileged_bpf_disabled
END
for f in btf cycles fentry instructions iter kallsyms kprobe kprobe.multi perf_event perf_no_prealloc preempt_depth \
	ptrace raw_tp read_kernel ringbuf task_storage tp_btf trace_boosts trace_ipis trace_irqs trace_nmis trace_resched trace_schedule \
	trace_tasklets trace_timers trace_vectors trace_waits trace_works tracepoint uprobe wait_storage; do
	printf "features/$f/%s\n" cure errno reason works
done >>"$tmp/keys"
json 'paths(type != "object") | select(all(type == "string")) | join("/")' | sort >"$tmp/got"
ok 'the keys of the JSON' diff <(sort "$tmp/keys") "$tmp/got"
is 'a feature works, or has an errno and a reason' \
	"$(json '[.features[] | .works == (.errno == null) and .works == (.reason == null)] | all')" true
cp "$tmp/json" "$tmp/first"
LC_ALL=C ask
ok 'the same in the C locale' cmp "$tmp/first" "$tmp/json"
is 'version' "kbpfprof $(json .kbpfprof)" "$("$KBPFPROF" --version)"

# --- facts
is 'kernel release' "$(json .kernel.release)" "$(uname -r)"
is 'kernel version' "$(json .kernel.version)" "$(uname -v)"
is 'machine' "$(json .kernel.machine)" "$(uname -m)"
is 'PREEMPT_RT' "$(json '.kernel.preempt == "rt"')" "$(when grep -q PREEMPT_RT /proc/version)"
config=$(zcat /proc/config.gz 2>/dev/null || cat "/boot/config-$(uname -r)" 2>/dev/null)
if [ -n "$config" ]; then
	is 'CONFIG_HZ' "$(json .kernel.hz)" "$(printf '%s\n' "$config" | sed -n 's/^CONFIG_HZ=//p')"
else
	skip 'CONFIG_HZ' 'the configuration of this kernel is nowhere'
fi
for s in kernel/perf_event_paranoid kernel/perf_event_max_sample_rate kernel/perf_event_max_stack kernel/kptr_restrict \
	kernel/unprivileged_bpf_disabled net/core/bpf_jit_enable; do
	is "sysctl $s" "$(json ".sysctl.${s##*/}")" "$(cat "/proc/sys/$s" 2>/dev/null || echo null)"
done
is 'BTF' "$(json .btf.bytes)" "$(stat -Lc %s /sys/kernel/btf/vmlinux 2>/dev/null || echo 0)"
is 'modules with BTF' "$(json .btf.modules)" "$(find /sys/kernel/btf -type f ! -name vmlinux 2>/dev/null | wc -l)"
psi=absent
[ ! -e /proc/pressure/cpu ] || psi=$(cat /proc/pressure/cpu >/dev/null 2>&1 && echo on || echo off)
is 'PSI' "$(json .psi)" "$psi"
is 'cgroup v1' "$(json .cgroup.v1)" "$(when findmnt -t cgroup)"
is 'cgroup v2' "$(json .cgroup.v2)" "$(when findmnt -t cgroup2)"
is 'PID namespace' "$(json .privileges.pid_namespace)" "$(when test "$(readlink /proc/self/ns/pid)" != 'pid:[4026531836]')"
effective=$((0x$(sed -n 's/^CapEff:\t//p' /proc/self/status)))
is 'CAP_SYS_PTRACE' "$(json .features.ptrace.works)" "$(when test $((effective >> 19 & 1)) = 1)"
is 'kernel symbols' "$(json .features.kallsyms.works)" "$(when grep -qE '^0*[1-9a-f][0-9a-f]* T _stext$' /proc/kallsyms)"
tell
ok 'one screen' fits "$out"
like 'the table of subcommands' "$out" '^  doctor +works$'
ask prlimit --memlock=65536:
is 'limit of locked memory' "$(json .memlock.limit_bytes)" 65536
is 'it can be raised to the hard one at most' "$(json .memlock.can_be_raised)" "$(when prlimit --memlock=unlimited true)"

# --- what is refused without privileges
if [ "$(id -u)" = 0 ]; then
	cp "$KBPFPROF" "$tmp/kbpfprof" && chmod 755 "$tmp" && KBPFPROF=$tmp/kbpfprof
	user() { as_user '' "$@"; }
else
	user() { "$@"; }
fi
tell user
is 'a plain user: exit 4' "$rc" 4
ok 'a plain user: one screen' fits "$out"
like 'a plain user: which capabilities are missing' "$out" '^privileges  missing: CAP_BPF CAP_PERFMON CAP_SYS_PTRACE CAP_SYSLOG$'
like 'a plain user: nothing of BPF works' "$out" '^  works +nothing$'
like 'a plain user: profile does not work' "$out" '^  profile +does not work$'
like 'a plain user: the cure' "${out//$'\n'/ }" 'needs root, or +CAP_BPF and +CAP_PERFMON +\(load: EPERM\)'
is 'a plain user: nothing else on stderr' "$err" ''
ask user
is 'a plain user: JSON, exit 4' "$rc" 4
is 'a plain user: verdict' "$(json '.commands | .profile.verdict, .wakeup.verdict')" $'cannot\ncannot'
is 'a plain user: errno' "$(json .features.perf_event.errno)" EPERM
is 'a plain user: what the kernel has is known without privileges' "$(json '.features | .trace_waits.works, .trace_irqs.works')" \
	"$(when test -r /sys/kernel/btf/vmlinux | sed p)"
run user "$KBPFPROF" wakeup -d 1s
is 'a plain user: wakeup, exit 4' "$rc" 4
like 'a plain user: wakeup says what doctor says' "$err" 'needs root, or CAP_BPF and CAP_PERFMON'
is 'a plain user: wakeup prints no report' "$out" ''
if unshare --user --map-root-user true 2>/dev/null; then
	ask unshare --user --map-root-user
	is 'root of a user namespace: exit 4' "$rc" 4
	is 'root of a user namespace: told' "$(json .privileges.user_namespace)" true
	like 'root of a user namespace: why' "$(json .features.perf_event.reason)" '^root of a user namespace is not enough'
else
	skip 'root of a user namespace' 'this machine does not allow user namespaces'
fi

if [ "${LIVE:-1}" = 0 ] || [ "$(id -u)" != 0 ]; then
	skip 'what works with privileges' 'LIVE=0, or not root'
	finish
	exit
fi

# --- what works, as root
ask
is 'root: exit 0' "$rc" 0
unlike 'root: profile works, perhaps in part' "$(json .commands.profile.verdict)" cannot
unlike 'root: wakeup works, perhaps in part' "$(json .commands.wakeup.verdict)" cannot

# --- what wakeup will lack, as bpftool lists the tracepoints in the kernel's BTF, and as its reports say
bpftool btf dump file /sys/kernel/btf/vmlinux format raw >"$tmp/btf.raw"
traces() { for t; do grep -q "TYPEDEF 'btf_trace_$t'" "$tmp/btf.raw" || return; done; }
x86() { [ "$(uname -m)" != x86_64 ] || "$@"; }
preempt_rcu() { grep -q "'rcu_read_lock_nesting'" "$tmp/btf.raw"; }
safe_resched() { traces sched_set_need_resched_tp && ! preempt_rcu; }
no_rt() { ! uname -v | grep -q PREEMPT_RT; }
works() { json ".features.$1.works"; }
is 'trace_waits' "$(works trace_waits)" "$(when traces sched_waking sched_wakeup sched_wakeup_new sched_switch sched_migrate_task)"
is 'trace_irqs' "$(works trace_irqs)" "$(when traces irq_handler_entry irq_handler_exit softirq_entry softirq_exit)"
is 'trace_vectors' "$(works trace_vectors)" "$(when x86 traces local_timer_entry local_timer_exit)"
is 'trace_nmis' "$(works trace_nmis)" "$(when traces nmi_handler)"
is 'trace_timers' "$(works trace_timers)" "$(when traces hrtimer_expire_entry hrtimer_expire_exit)"
is 'trace_schedule' "$(works trace_schedule)" "$(when traces sched_entry_tp)"
is 'trace_resched' "$(works trace_resched)" "$(when safe_resched)"
is 'trace_works' "$(works trace_works)" "$(when traces workqueue_queue_work workqueue_execute_start workqueue_execute_end)"
is 'trace_tasklets' "$(works trace_tasklets)" "$(when traces tasklet_entry tasklet_exit)"
is 'trace_boosts' "$(works trace_boosts)" "$(when traces sched_pi_setprio)"
is 'wait_storage: as task_storage, but for PREEMPT_RT' "$(works wait_storage)" "$(if no_rt; then works task_storage; else echo false; fi)"
! traces sched_set_need_resched_tp || ! preempt_rcu ||
	like 'trace_resched: why not' "$(json .features.trace_resched.reason)" 'CONFIG_PREEMPT_RCU \(BTF: EOPNOTSUPP\)$'
# Each "no X", because of "Y (BTF: ...)", is "X: Y" in the footer, and it has no more of them.
# shellcheck disable=SC2016 # it is for jq
json '.features as $f | .commands.wakeup.missing[] | select(.feature | test("^(trace|preempt_depth)"))
	| .without[3:] + ": " + ($f[.feature].reason | sub(" \\(BTF: .*"; ""))' | sort >"$tmp/told"
run "$KBPFPROF" wakeup -q -- sleep 0.1
is 'wakeup: exit 0' "$rc" 0
sed -n 's/^not shown on this kernel: //p' "$tmp/out" | sed 's/; /\n/g' | sort >"$tmp/shown"
ok "wakeup's report lacks what doctor said" diff "$tmp/told" "$tmp/shown"
unlike '... and a target is a choice of tasks' "$out" 'shown of chosen tasks only'
run "$KBPFPROF" wakeup -q -d 100ms
sed -n 's/^not shown on this kernel: //p' "$tmp/out" | sed 's/; /\n/g' | sort >"$tmp/shown"
ok 'of the whole machine, too' diff "$tmp/told" "$tmp/shown"
like '... where some is shown of chosen tasks only' "$out" '^shown of chosen tasks only .*preempt depth of wakers|^not shown.*preempt depth of wakers'
bpftool -j feature probe kernel >"$tmp/bpftool" 2>/dev/null
while read -r feature type; do
	ok "bpftool knows of $feature too" implies "$(json ".features[\"$feature\"].works")" "$(jq ".program_types.have_${type}_prog_type" "$tmp/bpftool")"
done <<-END
	perf_event perf_event
	raw_tp raw_tracepoint
	tracepoint tracepoint
	kprobe kprobe
	uprobe kprobe
	fentry tracing
END
uname -v | grep -q PREEMPT_RT || # where it may be there, and harmful
	is 'ring buffer, as bpftool says' "$(json .features.ringbuf.works)" "$(jq .map_types.have_ringbuf_map_type "$tmp/bpftool")"
ok 'bpftool knows of task_storage too' implies "$(json .features.task_storage.works)" "$(jq .map_types.have_task_storage_map_type "$tmp/bpftool")"
is 'kprobe, as the kernel lists its event sources' "$(json .features.kprobe.works)" "$(when test -e /sys/bus/event_source/devices/kprobe)"
for event in cycles instructions; do
	perf stat -x, -e $event true 2>"$tmp/perf" >/dev/null
	is "$event, as perf says" "$(json ".features.$event.works")" "$(when grep -qE '^[0-9]+,' "$tmp/perf")"
done
is 'nothing is left behind' "$(bpftool -j prog show | jq '[.[] | select(.name == "kbpfprof_try")] | length')" 0

caps='bpf perfmon'
ask as_user "$caps"
if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 2 ]; then
	is 'CAP_BPF and CAP_PERFMON, Debian-paranoid: exit 4' "$rc" 4
	like 'CAP_BPF and CAP_PERFMON, Debian-paranoid: the cure' "$(json .features.perf_event.reason)" 'sysctl kernel.perf_event_paranoid=2'
else
	is 'CAP_BPF and CAP_PERFMON are enough: exit 0' "$rc" 0
	is 'CAP_BPF and CAP_PERFMON: not for all' "$(json .commands.profile.verdict)" degraded
fi
is 'CAP_BPF and CAP_PERFMON: the others are missing' "$(json '.privileges.missing_capabilities | join(" ")')" 'CAP_SYS_PTRACE CAP_SYSLOG'
is 'CAP_BPF and CAP_PERFMON: kernel symbols, as the same user sees them' "$(json .features.kallsyms.works)" \
	"$(as_user "$caps" cat /proc/kallsyms | when grep -qE '^0*[1-9a-f][0-9a-f]* T _stext$')"
ask as_user bpf
is 'CAP_BPF alone: exit 4' "$rc" 4
like 'CAP_BPF alone: the missing one' "$(json .features.perf_event.reason)" '^needs root, or CAP_PERFMON \('
ask as_user perfmon
like 'CAP_PERFMON alone: the missing one' "$(json .features.perf_event.reason)" '^needs root, or CAP_BPF \('

# --- other machines
mkdir "$tmp/empty" "$tmp/btf"
if [ -n "$(find /boot /lib/modules /usr/lib/debug -name "vmlinux*" 2>/dev/null)" ]; then
	skip 'no BTF' 'libbpf finds it in a vmlinux file'
else
	tell over "mount --bind $tmp/empty /sys/kernel/btf"
	is 'no BTF: exit 4' "$rc" 4
	like 'no BTF: profile does not work, and why' "${out//$'\n'/ }" \
		'profile +does not work +btf: this kernel has no BTF: CONFIG_DEBUG_INFO_BTF'
	ask over "mount --bind $tmp/empty /sys/kernel/btf"
	is 'no BTF: what needs none still works' "$(json '.features | .perf_event.works, .tp_btf.works')" $'true\nfalse'
	is 'no BTF: told' "$(json .btf.bytes)" 0
	is 'no BTF: why' "$(json .btf.reason)" 'this kernel has no BTF: CONFIG_DEBUG_INFO_BTF'
	ask over "mount -t tmpfs none /sys"
	like 'no /sys: not called a kernel without BTF' "$(json '.btf.reason, .features.btf.reason' | sort -u | head -1)" '^/sys is not mounted'
	is 'no /sys: the cure' "$(json '.features.btf.cure, .btf.how_to_make')" $'mount -t sysfs sysfs /sys\nnull'
	tell over "mount -t tmpfs none /sys"
	like 'no /sys: in words' "$out" 'BTF +none: /sys is not mounted'
	run over "mount -t tmpfs none /sys" "$KBPFPROF" profile -q -d 100ms
	is 'no /sys: profile, exit 4' "$rc" 4
	like 'no /sys: profile' "$err" 'is sysfs mounted|/sys is not mounted'
	for damage in 'head -c 100000 /sys/kernel/btf/vmlinux' 'head -c 100000 /dev/urandom' 'true'; do
		$damage >"$tmp/btf/vmlinux"
		ask over "mount --bind $tmp/btf /sys/kernel/btf"
		is "damaged BTF ($damage): exit 4" "$rc" 4
		like "damaged BTF ($damage): told" "$(json .features.btf.reason)" 'the BTF of this kernel cannot be read'
		is "damaged BTF ($damage): nothing else on stderr" "$err" ''
	done
fi
# without TRACEPOINT...: a copy of the kernel's BTF in which the tracepoints have other names
without() {
	cp /sys/kernel/btf/vmlinux "$tmp/btf/vmlinux"
	for t; do LC_ALL=C sed -i "s/btf_trace_$t\x00/btf_trace_${t%?}_\x00/" "$tmp/btf/vmlinux"; done
	ask over "mount --bind $tmp/btf /sys/kernel/btf"
	tell over "mount --bind $tmp/btf /sys/kernel/btf"
	out=$(tr -s '\n ' ' ' <<<"$out")
}
without nmi_handler hrtimer_expire_entry sched_pi_setprio softirq_exit
is 'a kernel without some tracepoints: exit 0' "$rc" 0
is '... wakeup works in part' "$(json .commands.wakeup.verdict)" degraded
ok '... which lacks these' test "$(json '[.commands.wakeup.missing[].feature | select(test("trace_(nmi|timer|boost|irq)s"))] | length')" = 4
like '... told: NMIs' "$out" 'no NMIs \(their time counts as what they interrupted\): no tracepoint nmi_handler \(BTF: ENOENT\)'
like '... told: timers' "$out" 'no expiry of timers \(no timer -> running\): no tracepoints hrtimer_expire_\* \(BTF: ENOENT\)'
like '... told: interrupts' "$out" 'no interrupts and softirqs \(their time counts as what they interrupted\): no tracepoints irq:\* \(BTF: ENOENT\)'
without sched_migrate_task
is 'a kernel without one that is needed: wakeup does not work' "$(json .commands.wakeup.verdict)" cannot
like '... and why' "$out" 'wakeup +does not work +trace_waits: this kernel has no tracepoint sched_migrate_task that a BPF program can read'
is '... profile does' "$(json '.commands.profile.verdict != "cannot"')" true
without sched_set_need_resched_tp sched_entry_tp
like 'as before 6.15: need_resched' "$out" 'no need_resched \(when a switch was first wanted\): from 6.17 on \(BTF: ENOENT\)'
like 'as before 6.15: the scheduler' "$out" "no entry of the scheduler \(its time counts as the task's before\): from 6.15 on \(BTF: ENOENT\)"
tell over "mount --bind $tmp/empty /proc/sys"
is 'no /proc/sys: exit 0' "$rc" 0
like 'no /proc/sys: what is not known is a question mark' "$out" 'perf_event_max_sample_rate \?'
ask over "mount --bind $tmp/empty /proc/sys"
is 'no /proc/sys: null' "$(json '[.sysctl[]] | unique == [null]')" true
if [ -e /proc/config.gz ] && [ ! -e "/boot/config-$(uname -r)" ]; then
	hz=$(json .kernel.hz)
	ask over 'mount --bind /dev/null /proc/config.gz'
	is 'no configuration: the tick is measured' "$(json .kernel.hz)" "$hz"
else
	skip 'no configuration' 'it cannot be hidden here'
fi
hide='umount -aqt tracefs || true; umount -qt debugfs /sys/kernel/debug || true'
ask over "$hide; mount -t tmpfs none /sys/kernel/tracing"
is 'no tracefs: told' "$(json .features.tracepoint.reason)" 'tracefs is not mounted (open: ENOENT)'
cure=$(json .features.tracepoint.cure)
ask over "$hide; $cure" # what is mounted already cannot be mounted once more
is 'no tracefs: the cure works' "$(json .features.tracepoint.works)" true
sed 's/^[0-9a-f]*/0000000000000000/' /proc/kallsyms >"$tmp/kallsyms"
ask over "mount --bind $tmp/kallsyms /proc/kallsyms"
is 'hidden kernel symbols: exit 0' "$rc" 0
like 'hidden kernel symbols: the effect' "$(json '.commands.profile.missing[].without')" 'kernel functions have no names'
is 'hidden kernel symbols: the cure' "$(json .features.kallsyms.cure)" 'sysctl kernel.kptr_restrict=1'
for word in none integrity confidentiality; do
	echo "none integrity confidentiality" | sed "s/$word/[$word]/" >"$tmp/lockdown"
	ask over "mount -t tmpfs none /sys/kernel/security; cp $tmp/lockdown /sys/kernel/security/lockdown"
	is "lockdown $word" "$(json .lockdown)" $word
done
ask over "mount --bind $tmp/empty /proc/pressure"
is 'no PSI' "$(json .psi)" absent
ask unshare --pid --fork --mount-proc
is 'in a PID namespace: exit 0' "$rc" 0
is 'in a PID namespace: told' "$(json .privileges.pid_namespace)" true
finish
