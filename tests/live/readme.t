#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Every kbpfprof command line that the README shows does its work.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
need_live

readme=$(dirname "$(readlink -f "$0")")/../../README.md
mkdir "$tmp/bin" "$tmp/cwd"
ln -s "$KBPFPROF" "$tmp/bin/kbpfprof"
cd "$tmp/cwd" || exit 1

# An idle machine has nothing to show.
"$WORKLOADS/share" 900 > /dev/null &
at_exit "kill $! 2> /dev/null"

# Lines in sh blocks, and "$ sudo kbpfprof ..." of transcripts; without comments.
commands() {
	# shellcheck disable=SC2016 # the backticks are README's
	sed -n -e '/^```sh/,/^```$/{/^kbpfprof /p}' -e 's/^\$ sudo \(kbpfprof .*\)/\1/p' "$readme" | sed 's/ *#.*//'
}

succeeds() {
	PATH=$tmp/bin:$PATH timeout 60 bash -c "$1" > "$tmp/said" 2>&1 || { echo "exit status $?"; tail -n 20 "$tmp/said"; return 1; }
}

# A report without samples would be a success too.
has_rows() {
	case $1 in
	*doctor*) grep -q '^subcommands' "$tmp/said" ;;
	*' -p '* | *' -t '* | *'-- sleep'*) grep -q '^books: ' "$tmp/said" ;; # it may have nothing to do
	*' -o '*.kbpf) grep -q '[.]kbpf: [0-9.]* [KM]iB' "$tmp/said" ;;
	*'cases[0].parts'*) grep -q '"cause"' "$tmp/said" ;;
	*'-f matrix'*) grep -q '^ *local timer .*[0-9]' "$tmp/said" || grep -q '^ *IRQ [0-9]' "$tmp/said" ;;
	*folded*) grep -q '^[^;]*;.* [0-9]*$' out.folded ;;
	*) grep -q '%' "$tmp/said" && ! grep -q '^no samples' "$tmp/said" ;;
	esac
}

n=0
while read -r command; do
	n=$((n + 1))
	ok "$command" succeeds "$command" && ok "... and shows something" has_rows "$command"
done < <(commands)
ok "the README has commands" [ "$n" -ge 8 ]
finish
