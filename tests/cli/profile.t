#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# `profile` refuses what it does not understand before it asks for rights: each time with 129, and the
# word in question.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"

if [ "$(id -u)" = 0 ]; then
	mkdir -m 755 "$tmp/bin"
	chmod 755 "$tmp"
	install -m 755 "$KBPFPROF" "$tmp/bin/kbpfprof"
	profile=(setpriv --reuid 65534 --regid 65534 --clear-groups "$tmp/bin/kbpfprof" profile)
else
	profile=("$KBPFPROF" profile)
fi
try() { run "${profile[@]}" "$@"; }

# refused REGEX ARGS...: a usage error, told in one line that begins with the regex
refused() {
	try "${@:2}"
	ok "$(printf '%q ' "${@:2}")is a usage error: $1" is_refusal "^kbpfprof profile: $1" "$rc" "$out" "$err"
}
is_refusal() {
	printf 'exit status %d\n%s%s\n' "$2" "$3" "$4"
	[[ $2 = 129 && -z $3 && $4 =~ $1 && $4 != *$'\n'* ]]
}
# accepted ARGS...: it is for missing rights, not for its words, that the run fails
accepted() {
	try "$@"
	like "$(printf '%q ' "$@")is understood" "$rc $err" '^[04] (kbpfprof profile: (cannot (load|attach|open)|[0-9]+ Hz keeps)|$)'
}

# --- numbers
for wrong in 0 -1 1x x '' 1e30 ' 1' 99999999999999h; do
	refused "--duration $wrong: must be a time" -d "$wrong"
	refused "--delay $wrong: must be a time" -D "$wrong"
done
for wrong in 0 -1 x '' 1.5 99999999999999999999; do
	refused "-F $wrong: must be a rate" -F "$wrong"
	refused "--count $wrong: must be a number, 1 or more" -c "$wrong"
done
for wrong in -1 x '' 1.5; do refused "--top $wrong: must be a number" --top "$wrong"; done
for wrong in 255 4194305 x ''; do refused "--max-stacks $wrong: must be a number from 256 to 4194304" --max-stacks "$wrong"; done
for wrong in -1 101 x '' 5%% nan; do refused "--max-loss $wrong: must be a percentage" --max-loss "$wrong"; done

# --- lists
for letter in p t; do
	for wrong in x 0 -1 1,x '1 2' 1.5 2147483648 99999999999999999999; do
		refused "-$letter $wrong: '.*' is no number of a task" -$letter "$wrong"
	done
	for wrong in '' ',' ',,'; do refused "-$letter needs a number" -$letter "$wrong"; done
done
for wrong in '' ',' ',,'; do refused '--comm needs a name' --comm "$wrong"; done
for wrong in '' x 0- -1 1-0 0,,1 0-1-2 0,x 99999999999; do refused "-C $wrong: no list of CPUs" -C "$wrong"; done

# --- names
for wrong in nope '' Table 'table '; do refused "--format $wrong: no such format \(.*table" -f "$wrong"; done
for wrong in nope '' 'comm,' ',comm' comm,nope Comm; do refused "--sort: unknown key '.*' \(keys are comm, dso" -s "$wrong"; done
for wrong in '' maybe; do refused "--color $wrong: auto, always or never" --color "$wrong"; done
for wrong in '' cycles,instructions cpu-clock:; do refused "-e $wrong: no name of an event" -e "$wrong"; done

# --- what does not go together
refused '-F and -c exclude each other' -F 99 -c 1000
refused '-K and -U exclude each other' -K -U
for target in '-p 1' '-t 1' '-- true'; do
	# shellcheck disable=SC2086 # words
	refused '-a means the whole machine' -a $target
done
for option in '-s comm' '--top 5' '--children' '--idle' '--depth 3' '--percent-limit 1' '--callers main' '--callees main'; do
	# shellcheck disable=SC2086 # words
	refused "--?[a-z-]+ shapes a result, and -o alone shows none" -o "$tmp/none.kbpf" $option
done
refused "--sort: unknown key 'nope'" -f folded -s comm,nope
refused "'true' is no option \(a command to run goes after '--'\)" true
refused "'true' is no option" -d 1 true
refused "'--' and no COMMAND after it" -d 1 --
refused 'no option --all=3' --all=3
refused 'no option -x ' -qx
refused '-p needs an argument' -p
refused '--freq needs an argument' --freq

# --- exactly understood
for time in 1 1s 0.5s 500ms 200us 1000000ns 1.5m 1h; do accepted -D 1ms -d "$time" -- true; done
for rate in 1 99 999 max; do accepted -F "$rate" -d 1ms; done
accepted -q -c 10000000 -d 1ms
for pct in 0 5 5% 99.5 100; do accepted --max-loss "$pct" -d 1ms; done
accepted --sort=comm,dso,sym,pid,tid,cpu --dur 1ms
accepted -gKqd1ms
accepted -s sym,sym -d 1ms
accepted -C 0,0-0 -d 1ms

finish
