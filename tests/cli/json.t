#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# `report -f json` as jq reads it, in any locale: the counts of recordings whose content is known (see
# tests/programs/recording_make.c), and the examples of kbpfprof-json(5).
# shellcheck disable=SC2016 # the $ of jq
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"
: "${PROGRAMS:?is set by make check}"
export LC_ALL=C
man=$here/../../docs/kbpfprof-json.5

# report KIND ARGS...: that recording as JSON
report() { "$KBPFPROF" report "$tmp/$1" -q -f json "${@:2}" 2>"$tmp/report.err"; }
# jq_is NAME FILE FILTER WANTED
jq_is() { is "$1" "$(jq -rc "$3" "$tmp/$2" 2>&1)" "$4"; }
# example N [FROM TO]: the Nth example of the manual page, run on $tmp/report.json, with a word replaced
example() {
	awk -v want="$1" '/^\.EX/ { on = 1; n++; next } /^\.EE/ { on = 0 } on && n == want' "$man" |
		sed -e "s/\\\\(aq/'/g; s/\\\\-/-/g; s/\\\\e/\\\\/g" -e "${2:+s/$2/$3/}" >"$tmp/example"
	(cd "$tmp" && bash ./example)
}

for kind in basic hostile big empty intervals; do "$PROGRAMS/recording_make" $kind "$tmp/$kind" || exit 1; done
report basic >"$tmp/report.json"
is 'it is written' $? 0
jq_is 'format' report.json '.format, .version' $'kbpfprof-report\n1'
ok 'two runs write the same' eval "report basic | cmp - '$tmp/report.json'"

# --- counts
jq_is 'books' report.json .sampling.books \
	'{"expected":2000,"kept":1000,"idle":900,"filtered":0,"lost":50,"unexplained":0,"not_delivered":50}'
jq_is 'losses' report.json '.lost | to_entries[] | select(.value > 0) | [.key, .value]' $'["stack_map_full",40]\n["hash_collision",10]'
jq_is 'samples' report.json '[.samples[] | [.comm, .pid, .tid, .cpu, .fires]] | sort[]' \
	'["worker",100,101,0,200]
["worker",100,101,0,400]
["worker",100,102,1,200]
["writer",200,200,1,20]
["writer",200,200,1,80]
["writer",200,200,1,100]'
jq_is 'weights are 10 ms each' report.json '.sampling.unit, all(.samples[]; .weight == .fires * 10000000)' $'ns\ntrue'
jq_is 'a stack' report.json '. as $r | .samples[] | select(.fires == 80).stack | map($r.frames[.] | [.symbol, .object, .kernel])' \
	'[["ext4_write","[ext4]",true],["vfs_write","[kernel]",true],["write","libc.so.6",false],["main","writer",false]]'
jq_is 'a frame without a name' report.json '.frames[] | select(.symbol | not) | [.object, .address, .offset, .why]' \
	'["blob.so","0x1234",null,"stripped"]'
jq_is 'mappings' report.json '. as $r | .frames[] | select(.symbol == "spin" or .symbol == "vfs_read") | $r.mappings[.mapping] | [.name, .kind, .build_id, .start, .bytes]' \
	'["/usr/bin/worker","file","0102030405060708090a0b0c0d0e0f1011121314",null,65536]
["[kernel]","kernel",null,"0xffffffff81000000",null]'
jq_is 'the run' report.json '.meta | [.host, .kernel, .target, .start, .start_unix_s, .duration_ns, .cpus]' \
	'["board","6.1.0-test x86_64","whole machine","2023-11-14T22:13:20.000000000Z",1700000000,10000000000,2]'

# --- the examples of the manual page
is 'kbpfprof-json(5): examples' "$(grep -c '^\.EX' "$man")" 6
is 'example: functions' "$(example 1)" '6000000000 worker spin
2000000000 [kernel] copy_to_user
1000000000 libc.so.6 memcpy
800000000 [ext4] ext4_write
200000000 blob.so stripped'
is 'example: share of a function' "$(example 2)" 100
is 'example: share of work' "$(example 2 'name main' 'name work')" 80
is 'example: share of what is not there' "$(example 2 'name main' 'name nothing')" 0
is 'example: with a loss' "$(example 3; echo $?)" $'false\n1'
report intervals --to 20s >"$tmp/report.json"
is 'example: without one' "$(example 3; echo $?)" $'true\n0'
report basic >"$tmp/report.json"
is 'example: processes' "$(example 4)" $'"worker",100,800\n"writer",200,200'
is 'example: callers' "$(example 5 copy_page vfs_write)" '{"caller":"write","file":"/usr/lib/libc.so.6","weight":800000000}'
is 'example: folded' "$(example 6 'comm burn' 'comm writer' | sort)" 'writer;main;[stripped] 20
writer;main;memcpy 100
writer;main;write;vfs_write;ext4_write 80'

# --- a part, a comparison, nothing, much
report basic --comm writer >"$tmp/part"
jq_is '--comm: the rest is told' part '.selection, .sampling.books.kept' \
	$'{"text":"comm=writer","left_out_fires":800,"left_out_weight":8000000000}\n1000'
jq_is '--comm: no frame of the rest' part '[.frames[].symbol] | index("spin")' null
"$KBPFPROF" diff "$tmp/basic" "$tmp/basic" -q -f json >"$tmp/diff"
jq_is 'diff: both counts, by command and stack' diff '[.samples[] | .fires == .base_fires and .weight == .base_weight] | length, all' $'5\ntrue'
jq_is 'diff: both runs' diff '.baseline.meta.host, .baseline.sampling.books.idle' $'board\n900'
report empty >"$tmp/none"
jq_is 'empty' none '.samples, .sampling.books.idle' $'[]\n2000'
report big >"$tmp/much"
jq_is 'big: all samples' much '.samples | length, (map(.fires) | add)' $'100000\n100000'
jq_is 'big: each index leads somewhere' much '(.frames | length) as $f | (.mappings | length) as $m |
	all(.samples[].stack[]; . < $f), all(.frames[].mapping; . < $m), $m' $'true\ntrue\n200'

# --- all that a name can be, in any locale
report hostile >"$tmp/hostile.json"
jq_is 'hostile names: all samples' hostile.json '.samples | length, (map(.fires) | add)' $'16\n1000'
is 'hostile names: markup' "$(jq -r '.samples[] | select(.fires == 10).comm' "$tmp/hostile.json")" '</script><img src=x onerror=alert(1)>'
is 'hostile names: escapes' "$(jq '.samples[] | select(.fires == 13).comm' "$tmp/hostile.json")" '"\u001b[31mred\u001b]0;title\u0007"'
is 'hostile names: separators' "$(jq '.samples[] | select(.fires == 14).comm' "$tmp/hostile.json")" '"new\nline\rreturn\ttab\u000bfeed"'
# U+FFFD for each maximal part of what is no UTF-8: FF, FE, C3, "(", E2 82.
is 'hostile names: no UTF-8' "$(jq -a '.samples[] | select(.fires == 16).comm' "$tmp/hostile.json")" '"\ufffd\ufffd\ufffd(\ufffd"'
is 'hostile names: symbol and file as the command' \
	"$(jq -c '. as $r | [.samples[] | .comm as $c | $r.frames[.stack[0]] | .symbol == $c and $r.mappings[.mapping].name == $c] | all' "$tmp/hostile.json")" true
ok 'hostile names: the file is UTF-8' iconv -f UTF-8 -t UTF-8 "$tmp/hostile.json" -o /dev/null
is 'hostile names: no control character' "$(tr -d '\n\040-\176\200-\377' <"$tmp/hostile.json" | wc -c)" 0
printf '%s\n' 'escape_char /' LC_NUMERIC 'decimal_point "<U002C>"' 'thousands_sep "<U002E>"' 'grouping 3' \
	'END LC_NUMERIC' >"$tmp/source"
localedef -c -i "$tmp/source" -f ANSI_X3.4-1968 "$tmp/comma" >/dev/null 2>&1
ok 'a locale with a decimal comma is at hand' test -s "$tmp/comma/LC_NUMERIC"
for locale in C.UTF-8 comma en_US.ISO-8859-1; do
	ok "locale $locale: the same" eval "LOCPATH='$tmp' LC_ALL=$locale report hostile | cmp - '$tmp/hostile.json'"
	LOCPATH=$tmp LC_ALL=$locale jq -e '.sampling.achieved_hz == 97.5' "$tmp/hostile.json" >"$tmp/answer" 2>&1
	is "locale $locale: jq reads it" "$(cat "$tmp/answer")" true
done

is 'a full disk is told' "$(report basic >/dev/full; echo $?)" 1
finish
