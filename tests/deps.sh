#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# deps.sh GROUP...: installs the packages of these groups (build, test, lint, bench, fuzz, cross-arm64) that are
# missing; says nothing when all are there. Where there is no apt it prints what is needed.
# shellcheck disable=SC2086 # lists of words are meant to be split
set -eu

build='make gcc libc6-dev clang llvm bpftool libbpf-dev libelf-dev zlib1g-dev libsqlite3-dev libiberty-dev pkg-config'
test='mandoc sqlite3 g++ gcc-aarch64-linux-gnu libc6-dev-arm64-cross libcmocka-dev perl jq procps util-linux binutils iproute2 strace linux-perf rt-tests
	cpio kmod xz-utils zstd binutils binutils-arm-linux-gnueabihf debian-archive-keyring chromium dpkg-dev lintian musl-tools'
# A Node.js from elsewhere brings its own npm, and Debian's does not stand beside it.
command -v npm >/dev/null || test="$test npm"
lint='clang-format clang-tidy cppcheck shellcheck'
bench='linux-perf bpftrace debian-archive-keyring'
fuzz='libclang-rt-dev'
cross_arm64='gcc-aarch64-linux-gnu libc6-dev-arm64-cross binutils-aarch64-linux-gnu
	libbpf-dev:arm64 libelf-dev:arm64 zlib1g-dev:arm64 libsqlite3-dev:arm64 libiberty-dev:arm64'

wanted=
for group; do
	case $group in
	build) wanted="$wanted $build" ;;
	test) wanted="$wanted $test" ;;
	lint) wanted="$wanted $lint" ;;
	bench) wanted="$wanted $bench" ;;
	fuzz) wanted="$wanted $fuzz" ;;
	cross-arm64) wanted="$wanted $cross_arm64" ;;
	*) echo "deps.sh: no group '$group'" >&2; exit 2 ;;
	esac
done

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
	# Names are Debian's; a build with what is there may work all the same.
	echo "no apt here: make sure that these are installed (Debian's names):" $wanted >&2
	exit 0
fi

# A library may be there for several architectures, each a line.
native=$(dpkg --print-architecture)
installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}:${Architecture}\n' | sed -n 's/^installed //p')
missing=
for package in $wanted; do
	case $package in
	*:*) full=$package ;;
	*) full=$package:$native ;;
	esac
	printf '%s\n' "$installed" | grep -Fqx -e "$full" -e "${full%:*}:all" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" != 0 ]; then
	echo "missing packages, to be installed as root: apt-get install$missing" >&2
	exit 1
fi
log=$(mktemp)
# dpkg must know a foreign architecture, and apt then have its lists.
case $missing in
*:arm64*)
	if ! dpkg --print-foreign-architectures | grep -qx arm64; then
		dpkg --add-architecture arm64
		apt-get update -q >"$log" 2>&1 || { tail -n 20 "$log" >&2; echo "cannot fetch the list of arm64 packages" >&2; exit 1; }
	fi
	;;
esac
trap 'rm -f "$log"' EXIT
echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
# A fresh machine has no package lists, an old one lists of packages that are gone.
apt-get install -y -q --no-install-recommends $missing >"$log" 2>&1 ||
	{ apt-get update -q >"$log" 2>&1 && apt-get install -y -q --no-install-recommends $missing >>"$log" 2>&1; } ||
	{ tail -n 20 "$log" >&2; echo "cannot install:$missing" >&2; exit 1; }
