#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The command line of the program and of every tool, without root and without BPF.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"

# As nobody, if we are root: nothing here may need rights.
if [ "$(id -u)" = 0 ]; then
	mkdir -m 755 "$tmp/bin"
	chmod 755 "$tmp"
	install -m 755 "$KBPFPROF" "$tmp/bin/kbpfprof"
	kbpfprof=(setpriv --reuid 65534 --regid 65534 --clear-groups "$tmp/bin/kbpfprof")
else
	kbpfprof=("$KBPFPROF")
fi
try() { run "${kbpfprof[@]}" "$@"; }

# fits TEXT: lines that a terminal holds
fits() { ! grep -nE '.{81}' <<<"$1"; }

# refused WORD ARGS...: a usage error, told in one line that holds the word
refused() {
	try "${@:2}"
	ok "$(printf '%q ' "${@:2}")is a usage error that names $1" is_refusal "$1" "$rc" "$out" "$err"
}
is_refusal() {
	printf 'exit status %d\n%s%s\n' "$2" "$3" "$4"
	[[ $2 = 129 && -z $3 && $4 = kbpfprof*": "*"$1"* && $4 != *$'\n'* ]]
}

# --- the program
try --help
is '--help: exit status' "$rc" 0
is '--help: nothing on stderr' "$err" ''
like '--help: how it is used' "$out" '^usage: kbpfprof TOOL '
help=$out
tools=$(printf '%s\n' "$out" | sed -n 's/^  \([a-z]*\)  .*/\1/p')
sources=$(cd "$here/../../src/tools" && sed -n 's/^const struct tool tool_\([a-z]*\) = {/\1/p' ./*.c)
is '--help: every tool there is' "$(sort <<<"$tools")" "$(sort <<<"$sources")"
for alias in -h help; do
	try $alias
	is "$alias is the same" "$rc $out" "0 $help"
done
for tool in $tools; do
	try "$tool" --help
	own=$out
	try help "$tool"
	is "help $tool is $tool --help" "$rc $out" "0 $own"
done
try help no-such-tool
is 'help of what is no tool: exit status' "$rc" 129
like '... a message' "$err" "^kbpfprof: no tool 'no-such-tool' "
try
is 'without arguments: exit status' "$rc" 129
is 'without arguments: the same on stderr' "$out$err" "$help"
for option in --version -V; do
	try $option
	is "$option" "$rc $out$err" "0 kbpfprof $(sed -n 's/.*KBPFPROF_VERSION "\(.*\)"/\1/p' "$here/../../src/core/version.h")"
done
refused "'frobnicate'" frobnicate
refused "'--frobnicate'" --frobnicate
refused "''" ''

# --- every tool
# sample ARGUMENT: some word that this argument of an option may be
sample() {
	case $1 in
	HZ | N | COUNT) echo 300 ;;
	PCT) echo 5 ;;
	TIME) echo 1s ;;
	WHEN) echo never ;;
	HOW) echo samples ;;
	LIST) echo 0 ;;
	KEYS | KEY) echo comm ;;
	CASES) echo 3 ;;
	*) echo word ;;
	esac
}
for tool in $tools; do
	try "$tool" --help
	is "$tool --help: exit status" "$rc" 0
	is "$tool --help: nothing on stderr" "$err" ''
	like "$tool --help: how it is used" "$out" "^usage: kbpfprof $tool "
	ok "$tool --help: 80 columns" fits "$out"
	help=$out
	try "$tool" -h
	is "$tool -h is the same" "$rc $out" "0 $help"

	# An option that is accepted is not what is complained about when another one is wrong.
	options=0
	while read -r letter name argument; do
		value=
		[ "$argument" = - ] || value=$(sample "$argument")
		try "$tool" "--$name" ${value:+"$value"} --no-such-option
		like "$tool --$name${value:+ $value} is an option" "$rc $err" "^129 kbpfprof $tool: no option --no-such-option "
		[ "$letter" = - ] || try "$tool" "-$letter" ${value:+"$value"} --no-such-option
		like "$tool --$name has the letter it says" "$rc $err" "^129 kbpfprof $tool: no option --no-such-option "
		[ -n "$value" ] && refused "--$name needs an argument" "$tool" "--$name"
		options=$((options + 1))
	done < <(printf '%s\n' "$help" | sed -nE 's/^  (-(.),|   ) --([a-z-]+) ([A-Z]+[A-Z.,]*)? .*/\2 \3 \4/p' |
		sed -E 's/^ /- /; s/ $/ -/; s/,\.\.\.//')
	is "$tool --help: all its options were tried" "$options" "$(grep -cE '^  .{3} --[a-z]' <<<"$help")"

	# So are the examples.
	while read -r line; do
		eval "set -- $(printf '%s' "$line" | sed -E 's/ -- .*| [>|] .*//') --no-such-option"
		try "${@:2}"
		like "$tool --help: example $line" "$err" "^kbpfprof $tool: no option --no-such-option "
	done < <(printf '%s\n' "$help" | sed -nE 's/^  (kbpfprof .*)/\1/p' | sed 's/   .*//')

	refused '--no-such-option' "$tool" --no-such-option
	refused '-Z' "$tool" -Z
	files=$(sed -n "1s/^usage: kbpfprof $tool //; 1s/\[.*//p" <<<"$help")
	# shellcheck disable=SC2086 # words: FILE, BEFORE AFTER or none
	refused "'stray'" "$tool" $files stray
	run sh -c 'exec "$@" >/dev/full' - "${kbpfprof[@]}" "$tool" --help
	is "$tool --help to a full disk: exit status" "$rc" 1
done
run sh -c 'exec "$@" >/dev/full' - "${kbpfprof[@]}" --version
is '--version to a full disk: exit status' "$rc" 1

finish
