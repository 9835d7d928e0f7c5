#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What only a terminal gets: pager, colour, its width, a line of progress; and a pipe or a file nothing of it.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"
need_live

"$WORKLOADS/share" 300 > /dev/null &
at_exit "kill $! 2> /dev/null"
recording=$tmp/x.kbpf
"$KBPFPROF" profile -q -e cpu-clock -F 499 -d 1s -o "$recording" || exit 1

# on_terminal COLUMNS COMMAND: its output on a terminal of that width, as bytes, in $out
on_terminal() {
	out=$(script -qec "stty cols $1 rows 50; $2" /dev/null < /dev/null)
}
widest() { printf '%s\n' "$out" | sed 's/\x1b\[[0-9;]*[A-Za-z]//g; s/\r//g' | awk '{ n = length($0) > n ? length($0) : n } END { print n }'; }

export LC_ALL=C TERM=xterm
unset NO_COLOR PAGER LESS KBPFPROF_PAGER

# --- colour
export PAGER=cat
on_terminal 120 "'$KBPFPROF' report '$recording'"
like 'a terminal has colour' "$out" $'\x1b\\[1;31m'
NO_COLOR=1 on_terminal 120 "'$KBPFPROF' report '$recording'"
unlike 'not with NO_COLOR' "$out" $'\x1b'
NO_COLOR=1 on_terminal 120 "'$KBPFPROF' report '$recording' --color always"
like '--color always is stronger' "$out" $'\x1b\\[1;31m'
on_terminal 120 "'$KBPFPROF' report '$recording' --color never"
unlike '--color never' "$out" $'\x1b'
run "$KBPFPROF" report "$recording"
unlike 'a pipe has none' "$out" $'\x1b'

# --- width
for columns in 60 80 132; do
	on_terminal $columns "'$KBPFPROF' report '$recording' --color never"
	within "no line is wider than $columns columns" "$(widest)" 30 $columns
done

# --- pager
cat > "$tmp/pager" << 'P'
#!/bin/sh
echo "paged by $0 with LESS=$LESS"
cat
P
chmod +x "$tmp/pager"
PAGER=$tmp/pager on_terminal 120 "'$KBPFPROF' report '$recording'"
like 'PAGER gets the report' "$out" "paged by $tmp/pager with LESS=FRX"
like '... all of it' "$out" 'kernel: .* started'
PAGER=false KBPFPROF_PAGER=$tmp/pager on_terminal 120 "'$KBPFPROF' report '$recording'"
like 'KBPFPROF_PAGER before PAGER' "$out" 'paged by'
PAGER=$tmp/pager on_terminal 120 "'$KBPFPROF' report '$recording' --no-pager"
unlike '--no-pager' "$out" 'paged by'
PAGER=$tmp/pager on_terminal 120 "'$KBPFPROF' report '$recording' -f folded"
unlike 'none for data' "$out" 'paged by'
PAGER=/no/such/pager on_terminal 120 "'$KBPFPROF' report '$recording'"
like 'a pager that is not there is none' "$out" 'kernel: .* started'
PAGER='no-such-pager -R' on_terminal 120 "'$KBPFPROF' report '$recording'; echo status \$?"
like '... nor is one that only the shell could find' "$out" 'kernel: .* started'
like '... the report is shown' "$out" '^status 0'
KBPFPROF_PAGER=' ' on_terminal 120 "'$KBPFPROF' report '$recording'"
like 'a blank is none' "$out" 'kernel: .* started'
PAGER=true on_terminal 120 "'$KBPFPROF' report '$recording' --percent-limit 0 --top 0; echo status \$?"
like 'a pager that has seen enough at once' "$out" '^status 0'
PAGER="head -n 1" on_terminal 120 "'$KBPFPROF' report '$recording'; echo status \$?"
like 'a pager may stop reading' "$out" '^profile of'
unlike '... which is no error' "$out" 'cannot write'
run sh -c "PAGER='$tmp/pager' '$KBPFPROF' report '$recording' | cat"
unlike 'none in a pipe' "$out" 'paged by'

# --- progress
on_terminal 120 "'$KBPFPROF' profile -e cpu-clock -F 499 -d 2s -o '$tmp/y.kbpf'"
like 'a line of progress: time, samples, lost, own CPU' "$out" '[0-9.]+ m?s of 2\.0 s, [0-9 ]+ samples, 0 lost, own CPU [0-9.]+ %'
on_terminal 120 "'$KBPFPROF' profile -q -e cpu-clock -F 499 -d 1s -o '$tmp/y.kbpf'"
is 'nothing with -q' "$(printf '%s' "$out" | tr -d '\r\n')" ''
run "$KBPFPROF" profile -e cpu-clock -F 499 -d 1s -o "$tmp/y.kbpf"
unlike 'not in a file' "$err" 'own CPU'
on_terminal 120 "'$KBPFPROF' report '$recording' -f pprof; echo status \$?"
like 'binary data is nothing for a terminal' "$out" 'status 129'
finish
