#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Recordings of runs that cannot start, and of runs whose stdout or stderr is closed: no file that holds nothing, no
# older recording lost, nothing written into a recording that is none of it.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"
: "${PROGRAMS:?is set by make check}"
need_live
"$PROGRAMS/recording_make" basic "$tmp/basic" || exit 1

# --- a run that cannot start
cannot_start() { # ARGS...
	run "$KBPFPROF" profile -d 100ms -o "$tmp/new.kbpf" "$@"
	ok "$*: fails" [ "$rc" != 0 ]
	is '... and leaves no file' "$(find "$tmp" -name 'new.kbpf*')" ''
	cp "$tmp/basic" "$tmp/old.kbpf"
	run "$KBPFPROF" profile -d 100ms -o "$tmp/old.kbpf" "$@"
	ok '... nor does it cost an older one' cmp "$tmp/old.kbpf" "$tmp/basic"
}
cannot_start -e no-such-event
cannot_start -p 4194304
cannot_start -C 4095
cannot_start -G no-such-cgroup
cannot_start -e cpu-clock:k -U
run "$KBPFPROF" profile -d 100ms -o "$tmp/new.kbpf" -- "$tmp/no-such-command"
is 'no such COMMAND: exit status' "$rc" 127
is '... and leaves no file' "$(find "$tmp" -name 'new.kbpf*')" ''
run "$KBPFPROF" profile -o "$tmp/no/such/folder" -- touch "$tmp/ran"
is 'no place for the file: exit status' "$rc" 1
ok '... COMMAND has not run' [ ! -e "$tmp/ran" ]

# --- a full disk before the first interval
mkdir "$tmp/small"
mount -t tmpfs -o size=28k tmpfs "$tmp/small"
at_exit "umount '$tmp/small'"
run "$KBPFPROF" profile -F 999 -o "$tmp/small/x.kbpf" -- "$WORKLOADS/paths" 2000 40 20
is 'a disk that is full at once: exit status' "$rc" 1
like '... says so' "$err" 'x\.kbpf: No space left .*nothing was recorded'
is '... and leaves no file' "$(ls "$tmp/small")" ''

# --- descriptors that are closed: the file must not take their place
closed() { # NAME REDIRECTIONS
	rm -f "$tmp/closed.kbpf"
	bash -c "'$KBPFPROF' profile -e cpu-clock -d 200ms -o '$tmp/closed.kbpf' -f table $2" > "$tmp/closed.out" 2> "$tmp/closed.err"
	is "$1 closed: the file is a database" "$(sqlite3 -readonly "$tmp/closed.kbpf" 'PRAGMA integrity_check')" ok
	run "$KBPFPROF" report "$tmp/closed.kbpf" --list
	is '... and a recording' "$rc" 0
}
closed stdout '>&-'
like '... the table was for it' "$(cat "$tmp/closed.err")" 'cannot write the report: Bad file descriptor'
closed stderr '2>&-'
closed 'stdin, stdout and stderr' '<&- >&- 2>&-'
"$KBPFPROF" profile -q -d 10s -o "$tmp/command.kbpf" -- sh -c 'read x || echo none' 2> "$tmp/err" <&- > "$tmp/out"
is 'a COMMAND has no stdin either' "$(cat "$tmp/out")" none
finish
