# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# What fetch, boot and run share: the list, and where things lie in the cache. Sourced, not run.
#
# $cache/kernels/NAME/{vmlinuz,config,origin}	origin: the line of the list, then the packages it led to
# $cache/kernels/NAME/headers/{src,lib}	where the list says so: the tree src/linux-headers-RELEASE is one to build modules in
# $cache/busybox-ARCH				static, to make a guest's user space of
# $cache/qemu-ARCH/				an unpacked qemu, where the installed one is missing or too old

me=$(basename "$0")
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
list=$here/kernels.list
cache=$(realpath -m "${KBPFPROF_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kbpfprof}")

say() {
	echo "$me: $*" >&2
}

die() {
	say "$@"
	exit 1
}

# kernel_names: all names of the list
kernel_names() {
	awk '!/^#/ && NF { print $1 }' "$list"
}

# kernel_row NAME: its line, with single blanks
kernel_row() {
	awk -v name="$1" '$1 == name { $1 = $1; print; found = 1 } END { exit !found }' "$list"
}

# kernel_arch NAME
kernel_arch() {
	awk -v name="$1" '$1 == name { print $2 }' "$list"
}

# kernel_there NAME: fetched, as its line says today
kernel_there() {
	local origin
	{ read -r origin < "$cache/kernels/$1/origin"; } 2> /dev/null && [ "$origin" = "$(kernel_row "$1")" ]
}

# find_qemu ARCH: sets the array qemu to the command; 1 if there is none that is fit.
# Before 9, its threads emulate cmpxchg16b and live patched code wrongly: 6.12 and 7.x guests die at random.
find_qemu() {
	local dir=$cache/qemu-$1 system lib version
	case $1 in
	amd64) system="qemu-system-x86_64" ;;
	arm64) system="qemu-system-aarch64" ;;
	*) die "no emulator is known for $1" ;;
	esac
	lib=lib/$(uname -m)-linux-gnu
	for qemu in "$system" "$dir/usr/bin/$system"; do
		qemu=("$qemu")
		[ "${qemu[0]}" = "$system" ] ||
			qemu=(env LD_LIBRARY_PATH="$dir/usr/$lib:$dir/$lib" "${qemu[0]}"
				-L "$dir/usr/share/qemu" -L "$dir/usr/share/seabios")
		version=$("${qemu[@]}" --version 2> /dev/null | sed -n '1s/.*version \([0-9]*\).*/\1/p')
		[ "${version:-0}" -lt 9 ] || return 0
	done
	return 1
}
