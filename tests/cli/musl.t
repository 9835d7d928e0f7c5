#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Every file of ours compiles against musl's headers, and what it calls is in musl. Headers of the kernel and of the libraries
# are this machine's; those of glibc are not there. A link is not tried: no library here was built with musl.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

top=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
built=$(dirname "$KBPFPROF")
command -v musl-gcc > /dev/null || skip_all 'no musl-gcc here'
cd "$top" || exit 1

# The headers that are not libc's, and no others.
mkdir "$tmp/include"
for name in linux asm asm-generic bpf libelf.h gelf.h zlib.h zconf.h sqlite3.h libiberty; do
	for dir in /usr/include "/usr/include/$(gcc -print-multiarch)"; do
		[ ! -e "$dir/$name" ] || ln -sfn "$dir/$name" "$tmp/include/$name"
	done
done

# Names of objects are not unique without their folder.
# shellcheck disable=SC2016 # the inner shell expands them
compile() {
	find src -name '*.c' | sort | xargs -P 2 -n 1 sh -c 'out=$1/$(echo "$3" | tr / _).o; exec musl-gcc -std=gnu11 -D_GNU_SOURCE \
		-Iinclude -Isrc -I"$2" -idirafter "$1/include" -Wall -Wextra -Werror -O1 -c "$3" -o "$out"' - "$tmp" "$built/skel"
}
ok 'everything compiles, without a warning' compile
is '... as many objects as files' "$(find "$tmp" -name '*.o' | wc -l)" "$(find src -name '*.c' | wc -l)"
is '... and glibc had no part in it' "$(musl-gcc -D_GNU_SOURCE -idirafter "$tmp/include" -E -dM -include stdio.h -x c - < /dev/null | grep -c __GLIBC__)" 0

# What our objects want and do not have: of musl, of the compiler, or of the libraries.
names() { nm --defined-only -g "$@" 2> /dev/null | awk 'NF == 3 { print $3 }'; }
archive() { gcc -print-file-name="$1.a"; }
nm -u "$tmp"/*.o | awk '$1 == "U" { print $2 }' | sort -u > "$tmp/wanted"
names "$tmp"/*.o "$(archive libbpf)" "$(archive libelf)" "$(archive libz)" "$(archive libsqlite3)" "$(archive libiberty)" "$(archive libgcc)" |
	grep -v '^_start$' | sort -u > "$tmp/have"
# gcc looks for libc.a in its own folders, where glibc's is.
names "/usr/lib/$(uname -m)-linux-musl/libc.a" | sort -u > "$tmp/musl"
like 'musl was found' "$(cat "$tmp/musl")" '^getopt_long$'
unlike '... and not glibc' "$(cat "$tmp/musl")" '^gnu_get_libc_version$'
within 'what our objects want was found' "$(comm -12 "$tmp/wanted" "$tmp/musl" | wc -l)" 100 1000
is 'musl has all that is called' "$(comm -23 "$tmp/wanted" "$tmp/have" | comm -23 - "$tmp/musl" | grep -vx _GLOBAL_OFFSET_TABLE_)" ''
finish
