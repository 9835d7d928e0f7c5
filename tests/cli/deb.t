#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# make deb: what is in the packages, and that one installs, runs and leaves nothing. It is installed into a folder, beside a
# copy of this machine's list of packages, so that its dependencies are those of a real machine.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

command -v dpkg-deb > /dev/null || skip_all 'no dpkg here'
top=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
built=$(dirname "$KBPFPROF")
O=${built#"$top"/} # as make was given it
export DEBFULLNAME='A Tester' DEBEMAIL=tester@example.org
mk() { make --no-print-directory -C "$top" O="$O" -j2 -s "$@"; }

version=$("$KBPFPROF" --version | sed -n 's/^kbpfprof //p')
field() { dpkg-deb -f "$1" "$2"; }
members() { dpkg-deb --ctrl-tarfile "$1" | tar t | sed 's|^\./||' | grep . | sort | tr '\n' ' '; }
# Errors are what Debian refuses; of warnings one is right: there is no report of a bug that asks for this package.
lint() { lintian --allow-root --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs "$1"; }

# depends_on_all FILE TOOLS ARCHITECTURE: every library that the program names is of a package in Depends
depends_on_all() {
	local library package
	rm -rf "$tmp/x" && dpkg-deb -x "$1" "$tmp/x" || return
	"${2}readelf" -dW "$tmp/x/usr/bin/kbpfprof" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' > "$tmp/needed"
	grep -q libbpf "$tmp/needed" && while read -r library; do
		package=$(dpkg -S "*/$3-linux-gnu/$library" "*/ld-linux*/$library" 2>/dev/null | sed -n '1s/:.*//p')
		field "$1" Depends | grep -q "\b${package:-nothing}\b" || { echo "$library is of ${package:-no package}"; return 1; }
	done < "$tmp/needed"
}

# check ARCHITECTURE MACHINE TOOLS FOLDER ARG...
check() {
	local architecture=$1 machine=$2 tools=$3 first
	deb=$built/$4/kbpfprof_$version-1_$architecture.deb
	shift 4
	ok "$architecture: make deb" mk deb "$@"
	is "$architecture: its fields" "$(field "$deb" Package) $(field "$deb" Version) $(field "$deb" Architecture)" "kbpfprof $version-1 $architecture"
	ok "$architecture: lintian has no error" lint "$deb"
	ok "$architecture: it depends on its libraries" depends_on_all "$deb" "$tools" "$machine"
	is "$architecture: nothing is run at installation" "$(members "$deb")" 'control md5sums '
	is "$architecture: no service, no timer, no configuration" "$(dpkg-deb -c "$deb" | awk '{ print $6 }' | grep -v '^\./\(usr/\(bin/\(kbpfprof\)\?\|share/\(\(man\|doc\|bash-completion\)/.*\)\?\)\?\)\?$')" ''
	is "$architecture: a page for every one of docs" "$(dpkg-deb -c "$deb" | grep -o '[^/]*\.[15]\.gz$' | sed 's/\.gz$//' | sort)" "$(cd "$top/docs" && echo ./*.[15] | tr ' ' '\n' | sed 's|^\./||' | sort)"
	first=$(sha256sum < "$deb")
	ok "$architecture: again, by another umask and time zone" again "$@"
	is "$architecture: ... the same bytes" "$(sha256sum < "$deb")" "$first"
}
again() { (umask 077 && TZ=Asia/Kathmandu mk deb "$@"); }

# A kernel for 64 bits is no reason to install for another architecture than dpkg's own.
native=$(dpkg --print-architecture)
[ "$native" = amd64 ] || skip_all 'builds on amd64'
check arm64 aarch64 aarch64-linux-gnu- arm64 ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu-
like 'arm64: the program is of that machine' "$(readelf -h "$tmp/x/usr/bin/kbpfprof")" 'Machine: +AArch64'
check amd64 x86_64 '' .

# --- installed
root=$tmp/root
mkdir "$root"
cp -r /var/lib/dpkg "$tmp/dpkg"
rm -f "$tmp"/dpkg/lock*
sed -i '/^Package: kbpfprof$/,/^$/d' "$tmp/dpkg/status"
before=$(sha256sum /var/lib/dpkg/status)
package() { dpkg --admindir="$tmp/dpkg" --instdir="$root" --log="$tmp/log" --no-triggers --force-not-root,bad-path "$@"; }
ok 'dpkg -i, with this machine its dependencies' package -i "$deb"
like 'it is installed' "$(package -s kbpfprof)" '^Status: install ok installed'
ok 'its files are what was packed' package -V kbpfprof
is 'it runs' "$("$root/usr/bin/kbpfprof" --version)" "kbpfprof $version"
is 'its manual is found' "$(mman -M "$root/usr/share/man" -w kbpfprof kbpfprof-profile 2>/dev/null | sed "s|^$root||" | tr '\n' ' ')" '/usr/share/man/man1/kbpfprof.1.gz /usr/share/man/man1/kbpfprof-profile.1.gz '
like '... and can be read' "$(mman -M "$root/usr/share/man" kbpfprof-profile 2>/dev/null | col -b)" '^SYNOPSIS'
# shellcheck disable=SC2016 # the inner shell expands them
is 'its completion works' "$(bash -c '. "$1" && COMP_WORDS=(kbpfprof prof) COMP_CWORD=1 && $(complete -p kbpfprof | sed "s/.*-F \([^ ]*\).*/\1/") && echo "${COMPREPLY[@]}"' - "$root/usr/share/bash-completion/completions/kbpfprof")" profile
ok 'dpkg -r' package -r kbpfprof
is 'nothing is left' "$(cd "$root" && find . ! -type d)" ''
is "this machine's own list was not touched" "$(sha256sum /var/lib/dpkg/status)" "$before"

# --- date and maker
ok 'SOURCE_DATE_EPOCH' mk deb SOURCE_DATE_EPOCH=1000000000
is '... is the date of all files' "$(dpkg-deb -c "$deb" | awk '{ print $4 }' | sort -u)" 2001-09-09
is '... and of the change log' "$(dpkg-deb --fsys-tarfile "$deb" | tar xO ./usr/share/doc/kbpfprof/changelog.Debian.gz | zcat | tail -n 1)" ' -- A Tester <tester@example.org>  Sun, 09 Sep 2001 01:46:40 +0000'
if [ -e "$top/.git" ]; then
	ok 'without any of these' env -u DEBFULLNAME -u DEBEMAIL -u SOURCE_DATE_EPOCH make --no-print-directory -C "$top" O="$O" -s deb
	is '... those of the last commit' "$(field "$deb" Maintainer)" "$(git -c safe.directory="$top" -C "$top" log -1 --format='%an <%ae>')"
fi
finish
