# SPDX-License-Identifier: GPL-2.0-only
# For the live tests of `kbpfprof profile`; sourced after lib.sh. A run in the background that is
# known to measure, and puppets (tests/workloads/puppet.c) whose every page fault is known.
# shellcheck shell=bash
# shellcheck disable=SC2154 # tmp, rc and err are set by lib.sh
PATH=$PATH:/usr/sbin:/sbin

# eventually COMMAND...: waits until the command passes; gives up after 20 s
eventually() {
	local i
	for ((i = 0; i < 400; i++)); do
		"$@" >/dev/null 2>&1 && return 0
		sleep 0.05
	done
	echo "never: $*"
	return 1
}

# Is that number still a child of this shell, and not by now somebody else's?
is_child() { grep -qs "^PPid:[[:space:]]$$\$" "/proc/$1/status"; }
kill_child() { is_child "$1" && kill -KILL "$1"; }

gone() { ! kill -0 "$1"; }
# A session sleeps in poll() from the moment that everything is enabled, and never before.
measures() { grep -q poll "/proc/$profiler/wchan"; }

# start OPTIONS...: `kbpfprof profile`, or $tool, in the background; returns when it measures, or has ended.
# Signals work as in the foreground, and $via is put before it.
start() {
	# shellcheck disable=SC2086 # words
	env --default-signal=INT,QUIT,HUP,TERM ${via:-} "$KBPFPROF" "${tool:-profile}" "$@" >"$tmp/out" 2>"$tmp/err" &
	profiler=$!
	at_exit "kill_child $profiler"
	eventually measures_or_ended
}
measures_or_ended() { measures || gone "$profiler"; }

# end: Ctrl-C; leaves $out, $err, $rc as `run` does
end() {
	kill -INT "$profiler"
	await
}

# await: the run ends by itself
await() {
	wait "$profiler"
	# shellcheck disable=SC2034
	rc=$?
	# shellcheck disable=SC2034
	out=$(cat "$tmp/out") err=$(cat "$tmp/err")
}

# count REGEX: samples in folded lines of $out that match
count() { printf '%s\n' "$out" | re=$1 awk '$0 ~ ENVIRON["re"] { n += $NF } END { print n + 0 }'; }
# term NAME: the number before that name in the line "books:" of $out
term() {
	printf '%s\n' "$out" | sed -n 's/^books: //p' | tr '=+-' '\n' | sed -n "s/^ *\([0-9 ]*[0-9]\) $1.*/\1/p" | tr -d ' '
}

# puppet NAME [COMMAND...]: starts one, by way of COMMAND; its numbers are ${tgid[NAME]} and ${tid[NAME]}
# shellcheck disable=SC2034 # for the tests that source this
declare -A tgid tid puppet_in puppet_out
puppet() {
	local name=$1 in out
	shift
	mkfifo "$tmp/$name.in" "$tmp/$name.out"
	"$@" "$WORKLOADS/puppet" <"$tmp/$name.in" >"$tmp/$name.out" &
	disown
	at_exit "kill_child $!"
	exec {in}>"$tmp/$name.in" {out}<"$tmp/$name.out"
	puppet_in[$name]=$in puppet_out[$name]=$out
	read -r -t 20 -u "$out" "tgid[$name]" "tid[$name]"
}

# tell NAME WORDS...: a command of the puppet; returns when it is done, its answer in $answer
tell() {
	local name=$1
	shift
	echo "$*" >&"${puppet_in[$name]}"
	# shellcheck disable=SC2034
	read -r -t 20 -u "${puppet_out[$name]}" answer
}

# dismiss NAME: ends the puppet
dismiss() {
	echo quit 0 >&"${puppet_in[$1]}"
	eventually gone "${tgid[$1]}"
}
