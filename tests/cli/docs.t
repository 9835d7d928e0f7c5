#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Man pages and completion say what --help says, and are what `make docs` makes.
# shellcheck disable=SC1003,SC2001,SC2013 # words, and what sed does better
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"
top=$(cd "$here/../.." && pwd)
docs=$top/docs
export LC_ALL=C.UTF-8

tools=$("$KBPFPROF" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p')

# --- made from the tables
regenerate() { sh "$docs/generate" "$KBPFPROF" "$1" && diff -r "$docs" "$1"; }
cp -r "$docs" "$tmp/docs"
ok "'make docs' changes nothing" regenerate "$tmp/docs"
sed -i -e '/^\.\\" begin/,/^\.\\" end/{/^\.\\" \(begin\|end\)/!d}' -e '/^# begin tables/,/^# end tables/{/^# \(begin\|end\) tables/!d}' "$tmp/docs"/kbpfprof*
ok 'without their lists they are different' test "$(cat "$tmp/docs"/kbpfprof* | wc -l)" -lt "$(($(cat "$docs"/kbpfprof* | wc -l) - 200))"
ok 'emptied lists are made anew' regenerate "$tmp/docs"
for awk in mawk gawk busybox original-awk; do
	command -v $awk >/dev/null || continue
	mkdir "$tmp/$awk"
	[ $awk = busybox ] && printf '#!/bin/sh\nexec busybox awk "$@"\n' >"$tmp/$awk/awk" && chmod +x "$tmp/$awk/awk"
	[ $awk = busybox ] || ln -s "$(command -v $awk)" "$tmp/$awk/awk"
	sed -i '/^\.\\" begin/,/^\.\\" end/{/^\.\\" \(begin\|end\)/!d}' "$tmp/docs"/kbpfprof*.1
	PATH=$tmp/$awk:$PATH ok "... by $awk, too" regenerate "$tmp/docs"
done
unlike '--describe is for programs, not in the usage' "$("$KBPFPROF" --help)" describe
run sh -c '"$1" --describe >/dev/full' - "$KBPFPROF"
is '--describe to a full disk: exit status' "$rc" 1

# --- a page per tool, and none without
is 'a page for every tool' "$(cd "$docs" && printf '%s\n' kbpfprof-*.1 | sed 's/^kbpfprof-//; s/\.1$//' | sort)" \
	"$(sed -nE 's/^\t(.*&tool_.*)/\1/p' "$top/src/tools/tools.c" | grep -o '&tool_[a-z]*' | sed 's/&tool_//' | sort)"
for page in "$docs"/*.[1-9]; do
	ok "${page##*/}: mandoc finds nothing" mandoc -Tlint -W warning "$page"
	! command -v groff >/dev/null || is "${page##*/}: groff finds nothing" "$(groff -man -ww -z "$page" 2>&1)" ''
	for other in $(sed -nE 's/^\.BR (kbpfprof[^ ]*) \(([15])\).*/\1.\2/p' "$page" | tr -d '\\' | sort -u); do
		ok "${page##*/} refers to $other, which exists" test -e "$docs/$other"
	done
done

# page FILE: as shown, words of a sentence on one line, neither bold nor underlined
page() { mandoc -T utf8 -O width=1000 "$docs/$1" | sed 's/.\x08//g'; }
# part FILE SECTION...: the lines below these headings
part() { page "$1" | awk -v wanted="^($2)$" '/^[A-Z]/ { on = $0 ~ wanted } on'; }

# complete WORD...: what completes the last of these words after kbpfprof, sorted
complete_words() {
	# shellcheck disable=SC2016 # the inner shell expands them
	bash --norc -uc 'source "$0"; COMP_WORDS=(kbpfprof "$@"); COMP_CWORD=$#
		_kbpfprof; ((${#COMPREPLY[@]})) && printf "%s\n" "${COMPREPLY[@]}"' "$docs/kbpfprof.bash" "$@" 2>&1 | sort
}
lines() { tr ' ' '\n' | sed '/^$/d' | sort; }

# --- help, page and completion agree
for tool in $tools; do
	help=$("$KBPFPROF" "$tool" --help)
	text=$(page "kbpfprof-$tool.1")
	summary=$(sed -n 3p <<<"$help")

	like "$tool: NAME has its summary" "$(part "kbpfprof-$tool.1" NAME)" "^ *kbpfprof-$tool . $(sed 's/[(.]/\\&/g' <<<"$summary")$"
	is "$tool: SYNOPSIS is its usage" "$(part "kbpfprof-$tool.1" SYNOPSIS | sed -n 's/^ *kbpfprof/kbpfprof/p')" "$(sed -n '1s/^usage: //p' <<<"$help")"

	# -x, --name ARGUMENT, in help with its text beside it, in the page with it below
	sed -nE 's/^  (-.,|   ) (--[a-z-]+( [A-Z]+[A-Za-z.,]*)?)   *(.*)/\1 \2\t\4/p; s/^  (-.,|   ) (--[a-z-]+ [A-Z]+[A-Za-z.,]*) ([^ ].*)/\1 \2\t\3/p' <<<"$help" |
		sed 's/^ *//' | sort -u >"$tmp/help"
	is "$tool: every option of --help was read" "$(wc -l <"$tmp/help")" "$(grep -cE '^  (-.,|   ) --' <<<"$help")"
	part "kbpfprof-$tool.1" OPTIONS | sed -nE '/^ {5,7}(-., )?--[a-z]/ { s/^ *((-., )?--[a-z-]+( [A-Z][A-Za-z.,]*)?) */\1\t/; /\t$/ { N; s/\n *// }; p }' |
		grep -v '^-h, --help' | sed -E 's/ \([0-9]+ (to [0-9]+|or more)\)$//' | sort -u >"$tmp/page"
	is "$tool: the page has the options of --help" "$(cat "$tmp/page")" "$(cat "$tmp/help")"
	is "$tool: so has the completion" "$(complete_words "$tool" -)" \
		"$( (echo -h --help; cut -f1 "$tmp/help" | sed -E 's/ [A-Z].*//; s/,//') | lines)"

	formats=$(sed -n '/^formats/,$ s/^  \([a-z]*\)  .*/\1/p' <<<"$help")
	is "$tool: the page has the formats of --help" "$(part "kbpfprof-$tool.1" FORMATS | sed -nE 's/^ {5,7}([a-z]+)( .*|$)/\1/p' | lines)" "$(lines <<<"$formats")"
	default=$(sed -nE 's/^formats \((.*) unless -f says otherwise\):/\1/p' <<<"$help")
	[ -z "$default" ] || like "$tool: ... and the default" "$(part "kbpfprof-$tool.1" FORMATS | grep '(default)')" "^ *($default |\S.*\(default\))"
	[ -z "$formats" ] || is "$tool: so has the completion after -f" "$(complete_words "$tool" -f '')" "$(lines <<<"$formats")"
	for format in $formats; do
		run "$KBPFPROF" "$tool" -f "$format" --top x a b
		unlike "$tool -f $format is a format" "$err" 'format'
	done
	# What --help promises works: formats in examples are formats.
	for format in $(grep -oE -- '^  kbpfprof .* -f [a-z]+' <<<"$help" | sed 's/.* //'); do
		like "$tool: example with -f $format" "$formats" "^$format\$"
	done

	keys=$(sed -nE 's/.*--sort KEYS .*: ([a-z,]+)$/\1/p' <<<"$help")
	[ -z "$keys" ] || is "$tool: sort keys" "$(complete_words "$tool" -s '')" "$(tr , ' ' <<<"$keys" | lines)"

	while read -r line; do
		ok "$tool: the page has the example $line" grep -qF -- "$line" <<<"$text"
	done < <(sed -nE 's/^  (kbpfprof .*)/\1/p' <<<"$help" | sed 's/  .*//')
	while read -r line; do
		eval "set -- $(printf '%s' "$line" | sed -E 's/ -- .*| [>|] .*//') --no-such-option"
		run "$KBPFPROF" "${@:2}"
		like "$tool: the page's example $line is understood" "$err" "^kbpfprof $tool: no option --no-such-option "
	done < <(part "kbpfprof-$tool.1" EXAMPLES | sed -nE 's/^ *(kbpfprof .*)/\1/p')
done

letters=$(for tool in $tools; do "$KBPFPROF" "$tool" --help; done | sed -nE 's/^  -(.), --([a-z-]+).*/\1 \2/p' | sort -u)
is 'a letter has one meaning in all tools' "$(cut -d' ' -f1 <<<"$letters")" "$(cut -d' ' -f1 <<<"$letters" | sort -u)"

# --- the page of all
summaries() { sed -nE 's/^  ([a-z]+)  +/\1 /p'; }
is 'kbpfprof.1: the tools as --help has them' \
	"$(part kbpfprof.1 TOOLS | sed -nE '/kbpfprof-/ { s/^ *kbpfprof-([a-z]+)\(1\)/\1/; / /! { N; s/\n */ / }; s/  +/ /; p }')" \
	"$("$KBPFPROF" --help | summaries)"
is 'kbpfprof.1: every exit status of exit.h' "$(part kbpfprof.1 'EXIT STATUS' | grep -oE '^ {5,7}[0-9]+' | lines)" \
	"$(sed -nE 's/^\tEXIT_[A-Z_]+ = ([0-9]+),.*/\1/p' "$top/src/core/exit.h" | lines)"
for variable in $(grep -hoE '(getenv|number_in)\("[A-Z_]+"\)' -r "$top/src" | sed 's/.*("//; s/")//' | sort -u); do
	like "kbpfprof.1: the environment's $variable" "$(part kbpfprof.1 ENVIRONMENT)" "^ +(.*, )?$variable\\b"
done
why=$(sed -nE 's/.*\[WHY_[A-Z_]+\] = "(.*)",$/\1/p' "$top/src/core/recording.c" | grep -vx named)
is 'the reasons of unnamed frames were read' "$(wc -l <<<"$why")" "$(($(grep -cE $'^\tWHY_[A-Z_]+,' "$top/src/core/recording.h") - 2))"
while read -r reason; do
	like "kbpfprof-profile.1: [$reason]" "$(part kbpfprof-profile.1 'READING THE TABLE')" "^ +\\[$reason\\]"
done <<<"$why"
losses=$(part kbpfprof-profile.1 'READING THE TABLE'; part kbpfprof-wakeup.1 'WHAT IS MEASURED')
while read -r cause; do
	like "kbpfprof-profile.1 or -wakeup.1: loss by $cause" "$losses" "$cause"
done < <(grep -oE '\[LOST_[A-Z_]+\] = "[^"]*"' "$top/src/core/recording.c" | cut -d'"' -f2)
events=$(sed -nE 's/^\t\{ "([a-z-]+)", PERF_TYPE.*/\1/p' "$top/src/core/event_name.c" | lines)
is 'kbpfprof-profile.1: events' "$(part kbpfprof-profile.1 EVENTS | sed -nE 's/.*takes one of (.*)\. +Also.*/\1/p' | tr -d , | lines)" "$events"

# --- completion
completes() { is "completion: $1" "$(complete_words "${@:3}")" "$(lines <<<"$2")"; }
has() { like "completion: $1" "$(complete_words "${@:3}")" "^$2\$"; }
is 'completion: tools' "$(complete_words '')" "$(lines <<<"$tools")"
is 'completion: tools after help' "$(complete_words help '')" "$(lines <<<"$tools")"
completes 'a tool' report rep
completes 'of the program' '--help --version' -
completes 'a long option' '--max-loss --max-stacks' profile --max-
completes 'a letter' -F profile -F
completes 'not of another tool' '' report --max-
completes 'nothing of a tool that there is not' '-h --help' frobnicate -
completes 'a format' 'flamegraph folded' profile -f f
completes 'a format after --format=' 'flamegraph folded' profile --format = f
completes 'a format after --format= and nothing' "$(complete_words profile -f '' | tr '\n' ' ')" profile --format =
completes 'after a cluster of letters' 'flamegraph folded' profile -qf f
completes 'a sort key' 'comm cpu' profile -s c
completes 'the next of a list' 'sym,comm sym,cpu' profile -s sym,c
completes 'an event' 'cpu-clock cpu-cycles cpu-migrations' profile -e cpu-
is 'completion: events' "$(complete_words profile -e '')" "$events"
completes 'colours' 'always auto never' report --color ''
completes 'a colour' never report --color n
completes 'one of two ways' 'samples time' diff --normalize ''
has 'this process' $$ profile -p ''
has 'this process, in a list' "1,$$" profile -p "1,$$"
has 'a thread' $$ profile -t ''
completes 'nothing after -C' '' profile -C ''
completes 'nothing after -d' '' profile -d ''
mkdir -p "$tmp/files/folder.db" && touch "$tmp/files/a b.db" "$tmp/files/c.db"
cd "$tmp/files" || exit
is 'completion: recordings of report' "$(complete_words report '')" $'a b.db\nc.db\nfolder.db'
is 'completion: the second of diff' "$(complete_words diff c.db a)" 'a b.db'
like 'completion: and then options' "$(complete_words report c.db '')" '^--symfs$'
is 'completion: files after -o' "$(complete_words profile -o c)" 'c.db'
is 'completion: folders for --symfs' "$(complete_words report --symfs '')" 'folder.db'
is 'completion: files after >' "$(complete_words report c.db -f folded '>' c)" 'c.db'
like 'completion: options of what reads no file' "$(complete_words doctor '')" '^--json$'
has 'a command after --' sleep profile -d 1 -- slee
completes 'not of what runs none' '' doctor -- slee
is 'completion: arguments of a command' "$(complete_words profile -- cat c)" 'c.db'
completes 'not -- as an argument' -F profile -e -- -F
# shellcheck disable=SC2016 # it must not be expanded
complete_words profile -s 'comm,$(touch evil),' >/dev/null
complete_words profile -s "\`touch evil\`" >/dev/null
complete_words "\$(touch evil)" '' >/dev/null
ok 'completion: what is typed is not evaluated' test ! -e evil
# As bash does it: in a terminal, by a key.
# typed LINE: the arguments that kbpfprof would get
typed() {
	printf '%s\n' "source '$docs/kbpfprof.bash'" 'kbpfprof() { printf "<%s>" "$@" >typed; }' "$1" exit |
		timeout 30 script -qec 'bash --norc --noprofile -i' /dev/null >screen 2>&1
	cat typed && rm typed
}
is 'completion: a tool and a long option by TAB' "$(typed $'kbpfprof doc\t--js\t')" '<doctor><--json>'
is 'completion: --format= by TAB' "$(typed $'kbpfprof profile --format=flame\t')" '<profile><--format=flamegraph>'
is 'completion: a list by TAB' "$(typed $'kbpfprof report c.db -s comm,d\t')" '<report><c.db><-s><comm,dso>'
is 'completion: a file by TAB, quoted' "$(typed $'kbpfprof diff a\tc.\t')" '<diff><a b.db><c.db>'
cd / || exit

# --- the table of kernels in the README
table() { sed -n '/^<!-- kernels -->/,/^<!-- end of kernels -->/p' "$top/README.md"; }
is 'README: a row for each kernel of the list' "$(table | sed -nE 's/^\| (.*-[0-9][^ ]*) \|.*/\1/p')" "$("$top/tests/kernels/names")"
unlike 'README: no kernel fails' "$(table)" FAIL
for check in "$top"/tests/kernels/suite/*.check; do
	like "README: a column for suite $(basename "$check" .check)" "$(table)" "^\| kernel \|.* $(basename "$check" .check) \|"
done

# --- installed
ok 'make install' make --no-print-directory -C "$top" O="$(dirname "$KBPFPROF")" install DESTDIR="$tmp/root" PREFIX=/usr
for page in "$docs"/*.[1-9]; do
	ok "installed: ${page##*/}" cmp "$page" "$tmp/root/usr/share/man/man${page##*.}/${page##*/}"
done
ok 'installed: the completion' cmp "$docs/kbpfprof.bash" "$tmp/root/usr/share/bash-completion/completions/kbpfprof"
is 'installed: nothing else' "$(cd "$tmp/root/usr" && find . -type f | wc -l)" "$((2 + $(printf '%s\n' "$docs"/*.[1-9] | wc -l)))"
! man --version 2>/dev/null | grep -q '^man 2' || # where images are kept small it is a script that says so
	like 'installed: man finds it' "$(MANPATH=$tmp/root/usr/share/man man -P cat kbpfprof-report 2>&1 | sed 's/.\x08//g')" '^ *kbpfprof report FILE'
finish
