#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The Makefile: what is built again when, reproducibly, and where it is installed.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

top=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
O=$(dirname "$KBPFPROF")
O=${O#"$top"/} # as make was given it: its dependencies name targets so
mk() { make --no-print-directory -C "$top" O="$O" "$@"; }

# rebuilt FILE: the objects that a change of FILE would make anew
rebuilt() { mk -n -W "$1" all | sed -n "s/.*printf '  %-8s %s\\\\n' '[A-Z]*' '\([^']*\)'.*/\1/p" | sed "s|^$O/||"; }

is 'nothing is built twice' "$(rebuilt README.md)" ''
like 'a header of both sides: the BPF object' "$(rebuilt include/kbpfprof/samples.h)" '^bpf/profile.bpf.o$'
like '... and its user' "$(rebuilt include/kbpfprof/samples.h)" '^obj/core/samples.o$'
like 'a BPF header: the BPF object' "$(rebuilt bpf/core.bpf.h)" '^bpf/profile.bpf.o$'
like 'vmlinux.h: the BPF object' "$(rebuilt vmlinux/vmlinux.h)" '^bpf/profile.bpf.o$'
unlike '... and not what does not include it' "$(rebuilt vmlinux/vmlinux.h)" '^obj/views/'
is 'a header of views: views only' "$(rebuilt src/views/tree.h | grep -c '^bpf/\|^obj/core/')" 0
like '... and those' "$(rebuilt src/views/tree.h)" '^obj/views/tree.o$'

# Another folder, another O: the same bytes.
copy() { mkdir -p "$1" && cp -r "$top/Makefile" "$top/bpf" "$top/include" "$top/vmlinux" "$top/src" "$1" && mkdir "$1/tests" && cp "$top"/tests/*.mk "$1/tests"; }
skeleton() { make -s -C "$1" O="$2" "$2/skel/profile.skel.h" > "$tmp/log" 2>&1 && sha256sum < "$2/skel/profile.skel.h"; }
ok 'copy the tree' copy "$tmp/one"
ok 'copy it deeper' copy "$tmp/and/another"
first=$(skeleton "$tmp/one" "$tmp/one/build")
like 'the skeleton builds' "$first" '^[0-9a-f]{64}'
is 'elsewhere it is the same' "$(skeleton "$tmp/and/another" "$tmp/out")" "$first"
is 'and the same as here' "$(cd "$top" && sha256sum < "$O/skel/profile.skel.h")" "$first"
is 'no path of this machine is in it' "$(cd "$top" && strings "$O/bpf/profile.bpf.o" | grep -F "$top")" ''

ok 'make install' mk install DESTDIR="$tmp/root" PREFIX=/usr
is 'DESTDIR and PREFIX are honoured' "$(cd "$tmp/root" && find . -type f | sort | head -1)" ./usr/bin/kbpfprof
ok 'what is installed runs' "$tmp/root/usr/bin/kbpfprof" --version
finish
