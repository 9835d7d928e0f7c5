#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Inside a pid namespace: numbers are those that the caller sees, given and shown; who is outside has none.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"
# shellcheck source=tests/live/profile.sh
. "$here/profile.sh"

faults=(-e page-faults -c 1 -f folded -q)
in_ns=(unshare --pid --fork --kill-child --mount-proc)

# What is run inside, by this script itself: everything it prints is a line "word value".
if [ "${1:-}" = inside ]; then
	# shellcheck disable=SC2154 # tgid and tid are set by puppet
	{
	puppet a
	puppet b
	start "${faults[@]}" -p "${tgid[a]}" -s pid,tid
	tell a touch 100
	tell a worker 50
	tell a fork 30
	child=$answer
	tell a deep 20
	tell b touch 1000
	end
	echo "small $((tgid[a] < 100))"
	echo "status $rc"
	echo "main $(count "^puppet-${tgid[a]}/${tgid[a]};.*;main;touch_pages;touch_main ")"
	echo "worker $(count "^puppet-${tgid[a]}/${tid[a]};.*touch_worker ")"
	echo "child $(count "^puppet-$child/$child;.*touch_child ")"
	echo "children $(count 'touch_child ')"
	echo "all_main $(count 'touch_main ')"

	start "${faults[@]}" --no-inherit -t "${tid[a]}"
	tell a touch 100
	tell a worker 50
	tell b worker 1000
	end
	echo "thread $(count 'touch_worker ') $(count .)"

	# The whole machine: somebody outside makes page faults all the time.
	start "${faults[@]}" -s pid
	tell a touch 100
	eventually test -e "$2"
	sleep 0.3
	end
	echo "whole_inside $(count "^puppet-${tgid[a]};.*touch_main ")"
	echo "whole_outside $(count '^outside;')"
	echo "whole_outside_numbered $(count '^outside-')"

	run "$KBPFPROF" profile "${faults[@]}" -- sh -c "printf 'touch 100\nfork 30\n' | $WORKLOADS/puppet >/dev/null"
	echo "command $rc $(count 'touch_main ') $(count 'touch_child ')"

	start "${faults[@]}" -p "${tgid[b]}"
	tell b touch 70
	sleep 0.3
	dismiss b
	eventually gone "$profiler" && await
	echo "ends $rc $(count 'touch_main ')"
	run "$KBPFPROF" profile -p 4999999 -d 1
	echo "none $rc $err"
	}
	exit 0
fi

need_live

# Who is outside, by a name of his own: a page fault every now and then until the end of the test.
cat >"$tmp/outside" <<-END
	#!/bin/bash
	printf outside >/proc/self/comm
	while :; do (:); echo >"$tmp/outside-runs"; read -r -t 0.02 <> <(:); done
END
bash "$tmp/outside" &
outside=$!
disown
at_exit "kill_child $outside"
eventually test -e "$tmp/outside-runs"

# said WORD: the value of that line
said() { printf '%s\n' "$inside" | sed -n "s/^$1 //p"; }

check_inside() {
	inside=$("${@:2}" bash "$0" inside "$tmp/outside-runs")
	is "$1: numbers are small" "$(said small)" 1
	is "$1: exit status" "$(said status)" 0
	is "$1: -p, main thread under its number inside" "$(said main)" 100
	is "$1: -p, the other thread" "$(said worker)" 50
	is "$1: -p, child under its number inside" "$(said child)" 30
	is "$1: -p, children and theirs" "$(said children)" 50
	is "$1: -p, no other process" "$(said all_main)" 100
	is "$1: -t" "$(said thread | cut -d' ' -f1)" 50
	is "$1: whole machine, inside" "$(said whole_inside)" 100
	within "$1: whole machine, outside" "$(said whole_outside)" 1 1000000
	is "$1: who is outside has no number" "$(said whole_outside_numbered)" 0
	is "$1: COMMAND and its children" "$(said command)" '0 100 30'
	is "$1: the end of the target ends the run" "$(said ends)" '0 70'
	is "$1: no such number inside" "$(said none)" '1 kbpfprof profile: no process with PID 4999999'
}

check_inside 'in a pid namespace' "${in_ns[@]}"
check_inside 'in one within another' "${in_ns[@]}" "${in_ns[@]}"

# Where /proc shows the numbers of another namespace, none can be meant.
run unshare --pid --fork "$KBPFPROF" profile -p 1 -d 1
is '/proc of another namespace: exit status' "$rc" 4
like '/proc of another namespace: said' "$err" '^kbpfprof profile: /proc shows no or another pid namespace'
run unshare --pid --fork "$KBPFPROF" profile -q -d 300ms
is '/proc of another namespace: the whole machine can be measured' "$rc: $err" '0: '

# From outside, the same processes have other numbers.
puppet a "${in_ns[@]}"
# shellcheck disable=SC2154
is 'it does not know its number outside' "${tgid[a]}" 1
number=$(pgrep -f "^$WORKLOADS/puppet\$" -n)
start "${faults[@]}" -p "$number" -s pid
tell a touch 100
tell a fork 30
end
is 'from outside: -p' "$(count "^puppet-$number;.*touch_main ")" 100
is 'from outside: child' "$(count 'touch_child ')" 30

finish
