#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A COMMAND: measured from its exec to its end with all its children; it neither knows nor minds.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"
# shellcheck source=tests/live/profile.sh
. "$here/profile.sh"
need_live

profile() { run timeout -k 1 60 "$KBPFPROF" profile -q "$@"; }
faults=(-e page-faults -c 1 -f folded)
paths=$WORKLOADS/paths

# --- what is counted
# The puppet's children stay until they are seen, a COMMAND of a few ms may not.
profile "${faults[@]}" -- sh -c "printf 'touch 100\nworker 50\nfork 30\ndeep 20\n' | $WORKLOADS/puppet >/dev/null"
is 'threads and children of the COMMAND: exit status' "$rc" 0
is 'main thread' "$(count 'touch_main ')" 100
is 'another thread' "$(count 'touch_worker ')" 50
is 'children and their children' "$(count 'touch_child ')" 50

profile "${faults[@]}" --no-inherit -- sh -c "exec $WORKLOADS/puppet >/dev/null" < <(printf 'touch 100\nfork 30\n')
is '--no-inherit: the COMMAND, whatever it execs' "$(count 'touch_main ')" 100
is '--no-inherit: not its children' "$(count 'touch_child ')" 0

# perf counts from the exec on, too, even from the middle of it, where a few pages more are touched.
# Addresses are not random here, so that both see the same faults.
for path in 500 3000; do
	profile "${faults[@]}" -- setarch -R "$paths" $path
	kept=$(count .)
	like "before its exec the COMMAND is not measured ($path)" "$(printf '%s\n' "$out" | sed 's/;.*//' | sort -u | tr '\n' ' ')" \
		'^(setarch )?paths (setarch )?$'
	perf stat -x, -e page-faults -o "$tmp/perf" -- setarch -R "$paths" $path >/dev/null
	wanted=$(awk -F, '/page-faults/ { print $1 }' "$tmp/perf")
	within "all page faults of the COMMAND ($path), as perf counts them" "$kept" $((wanted - 8)) $((wanted + 2))
done

# Its CPU time by the kernel's own books.
# shellcheck disable=SC2016 # the inner shell expands it
profile -F 997 --top 3 -- bash -c '"$1" 20000; "$2" 0.7; times' - "$paths" "$WORKLOADS/share"
used_ms=$(printf '%s\n' "$out" | awk -F '[ms ]' '/^[0-9]+m[0-9.]+s [0-9]+m[0-9.]+s$/ { ms += ($1 * 60 + $2 + $4 * 60 + $5) * 1000 } END { print ms }')
shown_ms=$(printf '%s\n' "$out" | awk '/^shares: of/ { print $3 * ($4 == "s" ? 1000 : 1) }')
missed_ms=$(($(term 'not delivered') + $(term lost)))
within 'CPU time as times(2) has it' "$shown_ms" "$(awk "BEGIN { print $used_ms * 0.93 - $missed_ms }")" "$(awk "BEGIN { print $used_ms * 1.07 }")"
profile -F 9000 -f folded -- "$paths" 60000
within 'the time in which its memory is given back is its own, too' "$(count 'exit_mmap_\[k')" 1 100000

# --- its end ends the run, and its status is ours
profile -- sh -c 'exit 7'
is 'its exit status' "$rc" 7
like 'the report is there all the same' "$out" '^profile of command sh: '
profile -- sh -c 'kill -KILL $$'
is 'killed by a signal: 128 and its number' "$rc" 137
profile -- true
is 'a COMMAND that does nothing' "$rc: $err" '0: '
profile -- "$tmp/no-such-program"
is 'not found: 127' "$rc" 127
is 'not found: said' "$err" "kbpfprof profile: cannot run $tmp/no-such-program: No such file or directory"
is 'not found: no report' "$out" ''
profile -- no-such-program-in-path
is 'not found in PATH: 127' "$rc" 127
profile -- "$tmp"
is 'a directory is not executable: 126' "$rc" 126
touch "$tmp/file"
profile -- "$tmp/file"
is 'a file without the x bit: 126' "$rc" 126
is 'not executable: said' "$err" "kbpfprof profile: cannot run $tmp/file: Permission denied"
printf '\177ELF and nothing more\n' >"$tmp/file"
chmod +x "$tmp/file"
profile -D 10ms -- "$tmp/no-such-program"
is 'not found after a delay: 127' "$rc" 127
profile -- sh -c 'sleep 30 & echo $!'
background=$(printf '%s\n' "$out" | head -n 1)
ok 'what it leaves in the background runs on' kill "$background"

# --- limits in time
profile -d 300ms -- sh -c 'echo $$; exec sleep 30'
is '-d ends the run before the COMMAND: exit status' "$rc" 0
like '-d: the report is there' "$out" '^profile of command sh: [0-9 ]+ samples in '
ok '-d: the COMMAND is ended' gone "$(printf '%s\n' "$out" | head -n 1)"
profile -d 200ms -- sh -c 'trap "" TERM; echo $$; while :; do :; done'
is '-d: a COMMAND that minds no SIGTERM: exit status' "$rc" 0
stubborn=$(printf '%s\n' "$out" | head -n 1)
at_exit "grep -q TERM /proc/$stubborn/cmdline 2>/dev/null && kill -KILL $stubborn"
ok '-d: that COMMAND is ended, too' gone "$stubborn"
like '-d: with its report' "$out" '^books: '
profile -D 400ms -d 10 "${faults[@]}" -- sh -c "printf 'touch 100\n' | $WORKLOADS/puppet >/dev/null; sleep 0.6
	printf 'touch 70\nfork 1\n' | $WORKLOADS/puppet >/dev/null"
is '-D: the COMMAND starts at once, the measuring later' "$(count 'touch_main ')" 70

# --- what the COMMAND sees
profile -- sh -c 'cat; echo to-stderr >&2' <<<'from stdin'
is 'stdin and stdout are its own' "$(printf '%s\n' "$out" | head -n 1)" 'from stdin'
is 'stderr is its own' "$(printf '%s\n' "$err" | head -n 1)" 'to-stderr'
profile -- printf '<%s>' 'a b' '*' '' -p --help
like 'its arguments are its own' "$out" '^<a b><\*><><-p><--help>'
profile -f folded -- echo to-stdout
unlike 'a format for programs has stdout for itself' "$out" 'to-stdout'
like '... what COMMAND says goes to stderr' "$err" '^to-stdout$'
before_report() { printf '%s\n' "$out" | sed '/^profile of command/,$d'; }
# No shell, since some clear the mask; timeout as in profile(), since it has signals of its own.
timeout -k 1 60 grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status >"$tmp/plain"
profile -- grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status
is 'signals are as without us' "$(before_report)" "$(cat "$tmp/plain")"
sh -c 'ls /proc/self/fd; ulimit -a' >"$tmp/plain"
profile -- sh -c 'ls /proc/self/fd; ulimit -a'
is 'open files and limits are as without us' "$(before_report)" "$(cat "$tmp/plain")"

finish
