#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Options of the table, on a recording whose content is known (tests/programs/recording_make.c).
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"
: "${PROGRAMS:?is set by make check}"
export LC_ALL=C

"$PROGRAMS/recording_make" basic "$tmp/basic" || exit 1
report() { run "$KBPFPROF" report "$tmp/basic" "$@"; }
# body: the rows and their sum
body() { sed -e '1,/^$/d' -e '/^books:/,$d' <<<"$out"; }

report --callers vfs_read
is '--callers' "$(body)" '   total   self  +-95%  symbol, callers below
   20.0%   0.0%  +-2.5  [k] vfs_read
                   < read < work < main

table: 200 samples in it + 800 elsewhere = 1000 kept'
report --callees work
is '--callees' "$(body)" '   total   self  +-95%  symbol, callees below
   80.0%   0.0%  +-2.5  [.] work
          60.0%    |- spin
          20.0%    `- read > vfs_read > copy_to_user

table: 800 samples in it + 200 elsewhere = 1000 kept'
report --callees work --depth 1
is '--depth' "$(body)" '   total   self  +-95%  symbol, callees below
   80.0%   0.0%  +-2.5  [.] work
          60.0%    |- spin
          20.0%    `- read [... deeper]

table: 800 samples in it + 200 elsewhere = 1000 kept'
report --percent-limit 10 -s sym
is '--percent-limit' "$(body)" 'overhead  +-95%  symbol, callers below
   60.0%  +-3.1  [.] spin
                   < work < main
   20.0%  +-2.5  [k] copy_to_user
                   < vfs_read < read < work < main
   10.0%  +-1.9  [.] memcpy
                   < main
   10.0%  in 2 more rows (--percent-limit 0 shows all)

table: 900 samples shown + 100 left out = 1000 kept'
report --callers wrok
is 'no such function: exit status' "$rc" 0
like 'no such function: it is said' "$out" "^no function 'wrok' in any stack \(similar: work\)$"
report --callers work --callees work
is 'both: exit status' "$rc$out" 129
like 'both: it is said' "$err" '^kbpfprof report: --callers and --callees '
report --comm writer --callers write
like 'of a part: header' "$out" '^shown: 200 of 1000 samples kept \(comm=writer\)$'
like 'of a part: sum' "$out" '^table: 80 samples in it \+ 120 elsewhere \+ 800 not selected = 1000 kept$'
like 'of a part: books' "$out" '^books: 2000 due = 1000 kept \(200 shown \+ 800 not\) \+ 900 idle '
like 'what was not delivered is a share' "$out" '^CPU time: 52\.5 % busy, 45\.0 % idle, 2\.5 % not delivered; lost: 50 \(4\.8 %\)$'
finish
