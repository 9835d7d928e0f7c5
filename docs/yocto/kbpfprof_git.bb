# SPDX-License-Identifier: GPL-2.0-only
# Notes in the form of a recipe, for OpenEmbedded with meta-openembedded's meta-oe (libbpf, bpftool) and a clang-native
# (openembedded-core, or meta-clang before that had one). Not built by bitbake yet: the project's tests check its words
# and run its make command with another cross compiler.
#
# The kernel wants kbpfprof.cfg, in this folder, and pahole-native for its BTF. In a layer of your own set KBPFPROF_URI.
SUMMARY = "eBPF profiler and latency tracer"
LICENSE = "GPL-2.0-only"
LIC_FILES_CHKSUM = "file://LICENSE;md5=b234ee4d69f5fce4486a80fdaf4a4263"

KBPFPROF_URI ?= "git://${@os.path.abspath(d.getVar('THISDIR') + '/../..')};protocol=file;branch=main"
SRC_URI = "${KBPFPROF_URI};destsuffix=kbpfprof"
SRCREV = "${AUTOREV}"
UNPACKDIR ?= "${WORKDIR}"
S = "${UNPACKDIR}/kbpfprof"
B = "${WORKDIR}/build"

# binutils has libiberty, which demangles names.
DEPENDS = "libbpf elfutils zlib sqlite3 binutils clang-native bpftool-native"
COMPATIBLE_HOST = "(x86_64|aarch64).*-linux"

inherit pkgconfig bash-completion

# BPF programs are compiled for no CPU of this world: flags of the target are not for them, its headers of libbpf are.
EXTRA_OEMAKE = " \
    -C ${S} O=${B} PREFIX=${prefix} STRIP=true HARDEN= \
    'CC=${CC}' 'CFLAGS=${CFLAGS}' 'LDFLAGS=${LDFLAGS}' \
    CLANG=clang LLVM_STRIP=llvm-strip BPFTOOL=bpftool \
    'BPF_CFLAGS=-O2 -g -I${STAGING_INCDIR} -ffile-prefix-map=${STAGING_INCDIR}=${includedir}' \
"

do_compile() {
    oe_runmake all
}

do_install() {
    oe_runmake install DESTDIR=${D}
}
