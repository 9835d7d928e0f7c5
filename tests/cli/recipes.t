#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Notes for Yocto and Buildroot: neither is here to build them, so the commands in them are run with what they would be given,
# for another machine; and what they say of this tree and of kernels is held against both.
# shellcheck disable=SC2016 # what make and bitbake expand
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

top=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
recipe=$top/docs/yocto/kbpfprof_git.bb
cross=aarch64-linux-gnu
libraries=/usr/lib/$cross/pkgconfig:/usr/share/pkgconfig
command -v $cross-gcc > /dev/null || skip_all "no $cross-gcc here"

# compiles FOLDER FILE: how many of our files the output of make -n in FILE compiles for the target, into FOLDER
compiles() { grep -c "$cross-gcc.* -c src/.* -o $1/arm64/obj/" "$2"; }
sources=$(find "$top/src" -name '*.c' ! -path '*/static/*' | wc -l)

# --- Yocto: values of the variables that bitbake would expand
value() { # NAME: of the recipe, lines joined
	sed -e ':a' -e '/\\$/{N;s/\\\n//;ba' -e '}' "$recipe" | sed -n "s/^$1 [?:]*= \"\(.*\)\"\$/\1/p"
}
expand() {
	sed -e "s|\${S}|$top|g" -e "s|\${B}|$tmp/oe|g" -e 's|${prefix}|/usr|g' -e 's|${includedir}|/usr/include|g' -e "s|\${CC}|$cross-gcc|g" \
		-e 's|${CFLAGS}|-O2 -pipe -D_FORTIFY_SOURCE=2|g' -e 's|${LDFLAGS}|-Wl,-O1|g' -e 's|${STAGING_INCDIR}|/sysroot/usr/include|g'
}
like 'the recipe names the licence' "$(value LIC_FILES_CHKSUM)" "^file://LICENSE;md5=$(md5sum < "$top/LICENSE" | cut -c1-32)\$"
is '... as every file of ours does' "$(value LICENSE)" "$(sed -n 's/.*SPDX-License-Identifier: \([^ ]*\).*/\1/p' "$top/src/main.c")"
options=$(value EXTRA_OEMAKE | expand)
unlike 'no variable is unknown' "$options" '\$'
# Quotes of the recipe are the shell's, as bitbake runs it; PKG_CONFIG_LIBDIR is what its class pkgconfig sets.
oe() { (cd "$tmp" && eval "env PKG_CONFIG_LIBDIR='$libraries' make $options \"\$@\""); }
ok 'its make command' eval 'oe -n V=1 all > "$tmp/log"'
is '... compiles every file for the target' "$(compiles "$tmp/oe" "$tmp/log")" "$sources"
like '... with the headers of the target for BPF' "$(grep 'clang -target bpf' "$tmp/log")" '__TARGET_ARCH_arm64 .*-I/sysroot/usr/include'
like '... and its libraries' "$(cat "$tmp/log")" "$cross-gcc -O2.* -L/usr/lib/$cross .*-lbpf.* -o $tmp/oe/arm64/kbpfprof"
is '... with hardening as OpenEmbedded has it' "$(grep -c -e '-U_FORTIFY_SOURCE\|-fstack-protector' "$tmp/log")" 0
read -ra libraries_wanted <<< "$(sed -n 's/^LIBS := //p' "$top/Makefile")"
within 'the Makefile names libraries' ${#libraries_wanted[@]} 4 10
for library in "${libraries_wanted[@]}"; do
	case $library in libelf) library=elfutils ;; sqlite3) library='sqlite3?' ;; esac
	like "libraries: $library, Yocto" " $(value DEPENDS) " " $library "
	like "libraries: $library, Buildroot" " $(sed -n 's/^KBPFPROF_DEPENDENCIES = //p' "$top/docs/buildroot/kbpfprof.mk") " " $library "
done

# --- Buildroot: its infrastructure is two lines of make
cat > "$tmp/stub.mk" <<END
BR2_EXTERNAL_KBPFPROF_PATH = $top/docs/buildroot
TARGET_MAKE_ENV = PKG_CONFIG_LIBDIR=$libraries
TARGET_CONFIGURE_OPTS = CC="$cross-gcc" CFLAGS="-O2" LDFLAGS="" PKG_CONFIG="pkg-config" STRIP=true
STAGING_DIR = $tmp/staging
TARGET_DIR = $tmp/target
define generic-package
all: ; \$\$(KBPFPROF_BUILD_CMDS)
install: ; \$\$(KBPFPROF_INSTALL_TARGET_CMDS)
site: ; @echo \$\$(KBPFPROF_SITE) \$\$(KBPFPROF_LICENSE_FILES)
endef
include $top/docs/buildroot/external.mk
END
# Its @D is the folder of the sources. The make that it calls only tells what it would do.
buildroot() { sed "s|\$(@D)|$1|g" "$top/docs/buildroot/kbpfprof.mk" > "$tmp/kbpfprof.mk" && make --no-print-directory -f "$tmp/stub2.mk" "${@:2}"; }
sed "s|^include .*|include $tmp/kbpfprof.mk|" "$tmp/stub.mk" > "$tmp/stub2.mk"
is 'Buildroot: external.mk reads the package, its site is this tree' "$(make -s -f "$tmp/stub.mk" site)" "$top LICENSE"
like '... external.desc has the name' "$(cat "$top/docs/buildroot/external.desc")" '^name: KBPFPROF$'
copy=$tmp/copy
mkdir "$copy" "$copy/tests" && cp -r "$top/Makefile" "$top/bpf" "$top/include" "$top/vmlinux" "$top/src" "$top/docs" "$copy" && cp "$top"/tests/*.mk "$copy/tests"
ok '... its commands' eval 'buildroot "$copy" MAKE="make -n" all install > "$tmp/log"'
is '... compile every file for the target' "$(compiles "$copy/out" "$tmp/log")" $((2 * sources))
like '... install into the target' "$(cat "$tmp/log")" "install -D -m 755 $copy/out/arm64/kbpfprof $tmp/target/usr/bin/kbpfprof"
is '... Config.in: what is needed is selected' "$(sed -n 's/.*select BR2_PACKAGE_\([A-Z]*\).*/\1/p' "$top/docs/buildroot/Config.in" | sort | tr '\n' ' ')" 'BINUTILS ELFUTILS LIBBPF SQLITE ZLIB '

# --- the kernel's options: Debian's kernels, on which the tests run, have every one
missing() { grep '^CONFIG_' "$top/docs/yocto/kbpfprof.cfg" | grep -vxFf "$1"; }
config=
for file in "/boot/config-$(uname -r)" /boot/config-* "$HOME"/.cache/kbpfprof/kernels/*6.1*/config; do
	[ ! -r "$file" ] || config=$file
done
if [ -n "$config" ]; then
	is "kernel options: Debian's have them" "$(missing "$config")" ''
else
	skip "kernel options: Debian's have them" 'no configuration of a Debian kernel here'
fi
finish
