################################################################################
#
# kbpfprof
#
################################################################################

# SPDX-License-Identifier: GPL-2.0-only
# Notes in the form of a package, in an external tree: make BR2_EXTERNAL=.../docs/buildroot menuconfig. Not built by Buildroot
# yet: the project's tests read it and run its commands with another cross compiler.

KBPFPROF_SITE = $(abspath $(BR2_EXTERNAL_KBPFPROF_PATH)/../..)
KBPFPROF_SITE_METHOD = local
KBPFPROF_OVERRIDE_SRCDIR_RSYNC_EXCLUSIONS = --exclude /build
KBPFPROF_LICENSE = GPL-2.0
KBPFPROF_LICENSE_FILES = LICENSE
KBPFPROF_DEPENDENCIES = host-bpftool host-pkgconf binutils elfutils libbpf sqlite zlib

# clang is the build machine's: flags of the target are not for BPF programs, its headers of libbpf are.
KBPFPROF_MAKE_OPTS = \
	O=$(@D)/out \
	PREFIX=/usr \
	BPFTOOL=bpftool \
	BPF_CFLAGS="-O2 -g -I$(STAGING_DIR)/usr/include -ffile-prefix-map=$(STAGING_DIR)=" \
	$(TARGET_CONFIGURE_OPTS)

define KBPFPROF_BUILD_CMDS
	$(TARGET_MAKE_ENV) $(MAKE) -C $(@D) $(KBPFPROF_MAKE_OPTS) all
endef

define KBPFPROF_INSTALL_TARGET_CMDS
	$(TARGET_MAKE_ENV) $(MAKE) -C $(@D) $(KBPFPROF_MAKE_OPTS) DESTDIR=$(TARGET_DIR) install
endef

$(eval $(generic-package))
