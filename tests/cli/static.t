#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# make static: one program for x86-64, one for arm64, that needs nothing of the machine it runs on and has
# nothing of the machine it was built on: another folder, user, umask and time zone make the same bytes.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

top=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
built=$(dirname "$KBPFPROF")
O=${built#"$top"/} # as make was given it
mk() { make --no-print-directory -C "$top" O="$O" -j2 "$@"; }

copy() { mkdir -p "$1/tests" && cp -r "$top/Makefile" "$top/bpf" "$top/include" "$top/vmlinux" "$top/src" "$1" && cp "$top"/tests/*.mk "$1/tests"; }

# elsewhere DIR ARG...: builds in a copy of the tree as somebody else; DIR/opened tells which files were opened for that
elsewhere() {
	local dir=$1 as=()
	shift
	copy "$dir" || return
	if [ "$(id -u)" = 0 ]; then
		chmod 711 "$tmp" && chown -R 65534:65534 "$tmp/far" || return
		as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	fi
	(umask 077 && env -i PATH="$PATH" TZ=Asia/Kathmandu LC_ALL=C USER=x LOGNAME=x HOME=/nonexistent TMPDIR="$tmp/far" "${as[@]}" \
		strace -f --seccomp-bpf -qq -z -e trace=open,openat,openat2 -o "$dir/opened" make -C "$dir" -j2 -s static "$@")
}

# part NAME: what the table that make printed says of NAME, in bytes
part() { awk -v name="$1" '$2 == "KiB" && $3 == name { print $1 * 1024 }' "$tmp/table"; }
needs_nothing() { ! readelf -ldW "$1" | grep -E 'INTERP|NEEDED'; }
sum() { awk '/ in all/ { all = $1; next } { sum += $1 } END { d = sum - all; print (d * d < 1 ? "the file" : sum " of " all) }' "$tmp/table"; }
# What an archive has, counted by another program
archive_bytes() { "${1}size" -t "$2" 2>/dev/null | awk '/TOTALS/ { print $1 + $2 }'; }

# check FOLDER MACHINE TOOLS ARG...: FOLDER is where it lies below the build folder
check() {
	local folder=$1 machine=$2 tools=$3 library bytes file far=$tmp/far/from/here
	shift 3
	file=$built/$folder/kbpfprof-static
	ok "$machine: make static" mk static "$@"
	mk -s static "$@" > "$tmp/table"
	like "$machine: the machine" "$(readelf -h "$file")" "Machine: +.*$machine"
	ok "$machine: needs no library and no loader" needs_nothing "$file"
	is "$machine: stripped" "$(readelf -SW "$file" | grep -c -E '\.symtab|\.debug')" 0
	within "$machine: at most 5 MiB" "$(stat -c %s "$file")" 500000 5242880
	for library in libbpf libelf libz libsqlite3 libiberty libc kbpfprof; do
		within "$machine: the table has $library" "$(part $library)" 10000 2000000
	done
	is "$machine: the lines of the table add up" "$(sum)" 'the file'
	bytes=$(archive_bytes "$tools" "$("${tools}gcc" -print-file-name=libsqlite3.a)")
	within "$machine: SQLite, nearly all of which is needed, has the size of its archive" "$(part libsqlite3)" $((bytes * 8 / 10)) $((bytes * 101 / 100))

	ok "$machine: a build elsewhere" elsewhere "$far" "$@"
	ok "$machine: ... is the same, byte for byte" cmp "$file" "$far/build/$folder/kbpfprof-static"
	is "$machine: no path is inside" "$(strings "$file" | grep -F -e "$tmp" -e "$top" | head -n 3)" ''
	like "$machine: it was seen what the build opens" "$(grep -c '"bpf/profile.bpf.c"' "$far/opened")" '^[1-9]'
	is "$machine: ... nothing of this machine's kernel, so no BTF of it" "$(grep -E '"/(sys|boot)/' "$far/opened")" ''
	rm -rf "$tmp/far"
}

arm64=(ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu-)
[ "$(uname -m)" = x86_64 ] || skip_all 'builds on x86-64'
check . X86-64 ''
check arm64 AArch64 aarch64-linux-gnu- "${arm64[@]}"

# It runs where there is nothing else at all.
mkdir "$tmp/bare"
cp "$built/kbpfprof-static" "$tmp/bare/kbpfprof"
run unshare --user --map-root-user chroot "$tmp/bare" /kbpfprof --version
is 'it runs in an empty root' "$rc $out" "0 $("$KBPFPROF" --version)"

# What must not slip in: functions that load libraries at run time, and too much of anything.
printf '#include <pwd.h>\nvoid *f(void) { return getpwnam("x"); }\n' | gcc -x c -c - -o "$tmp/nss.o"
run mk static "$tmp/kbpfprof-static" STATIC="$tmp/kbpfprof-static" LDFLAGS="$tmp/nss.o"
is 'a function of NSS: no program' "$((rc != 0)) $(ls "$tmp/kbpfprof-static" 2>/dev/null)" '1 '
like '... because the linker warns' "$err" 'getpwnam'
run mk static STATIC="$tmp/kbpfprof-static" STATIC_LIMIT_BYTES=1000000
is 'larger than the limit: no program' "$((rc != 0)) $(ls "$tmp/kbpfprof-static" 2>/dev/null)" '1 '
like '... and that is said' "$err" 'kbpfprof-static is larger than 1000000 bytes'

# Two machines, one build folder: nothing mixes. A compiler for another machine than was said: refused.
is 'the two are two' "$(cmp -s "$built/kbpfprof-static" "$built/arm64/kbpfprof-static" && echo one)" ''
run make --no-print-directory -C "$top" ARCH=arm64 -n
like 'ARCH without its compiler' "$rc $err" '^2 .*ARCH=arm64, but gcc compiles for x86_64.*CROSS_COMPILE='
run mk -n "${arm64[@]}" CROSS_COMPILE=nowhere-
like '... or a compiler that is not there' "$rc $err" '^2 .*ARCH=arm64, but nowhere-gcc'
finish
