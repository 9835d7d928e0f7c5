# SPDX-License-Identifier: GPL-2.0-only
# make            build kbpfprof                make demo     install what is missing, build, run
# make check      all tests (root)              make bench    against perf, bpftrace, libbpf-tools
# make lint       format, analysers, own rules  make static   one static binary
# make install    DESTDIR=, PREFIX=             make deb      a Debian package, in O
# make deps       packages for building and testing
# make docs       lists of man pages and completion, from the tables of the program just built
# make fuzz       libFuzzer on what reads files of others, FUZZ_SECONDS=60 each
# V=1 shows commands; O=DIR builds there; CC CLANG BPFTOOL ARCH CROSS_COMPILE as usual.
# For another machine: make deps-arm64, then make static ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu-
# What is built for another machine than this one lies in a folder of its own, O/arm64: nothing mixes.

V ?= 0
O ?= build
PREFIX ?= /usr/local
CROSS_COMPILE ?=
ifeq ($(origin CC),default)
CC := $(CROSS_COMPILE)gcc
endif
ifeq ($(origin CXX),default)
CXX := $(CROSS_COMPILE)g++
endif
CLANG ?= clang
LLVM_STRIP ?= llvm-strip
STRIP ?= $(CROSS_COMPILE)strip
BPFTOOL ?= $(shell PATH="$$PATH:/usr/sbin:/sbin" command -v bpftool || echo bpftool)

# The target is what the compiler makes code for; names are the kernel's, as __TARGET_ARCH_ wants them.
kernel_arch = $(patsubst x86_64,x86,$(patsubst amd64,x86,$(patsubst aarch64,arm64,$(1))))
HOST_ARCH := $(shell uname -m)
TARGET := $(or $(shell $(CC) -dumpmachine 2>/dev/null),$(HOST_ARCH))
TARGET_ARCH := $(call kernel_arch,$(firstword $(subst -, ,$(TARGET))))
ARCH ?= $(TARGET_ARCH)
BPF_ARCH := $(call kernel_arch,$(ARCH))
ifneq ($(BPF_ARCH),$(TARGET_ARCH))
$(error ARCH=$(ARCH), but $(CC) compiles for $(TARGET) (CROSS_COMPILE=, for example aarch64-linux-gnu-))
endif
ifneq ($(BPF_ARCH),$(call kernel_arch,$(HOST_ARCH)))
override O := $(O)/$(BPF_ARCH)
# Debian's libraries of another architecture lie in its multiarch folder; a pkg-config of the target knows better.
PKG_CONFIG ?= $(shell command -v $(or $(CROSS_COMPILE),$(TARGET)-)pkg-config || \
	echo env PKG_CONFIG_LIBDIR=$(or $(PKG_CONFIG_LIBDIR),/usr/lib/$(TARGET)/pkgconfig:/usr/share/pkgconfig) pkg-config)
endif
PKG_CONFIG ?= pkg-config

Q := $(if $(filter 1,$(V)),,@)
say = $(if $(filter 1,$(V)),,@printf '  %-8s %s\n' '$(1)' '$(2)';)

# Paths in debug info and assertions do not depend on where the tree lies.
# The last rule that fits wins: O comes last, as it may lie inside.
PREFIX_MAP := -ffile-prefix-map=$(CURDIR)=. -ffile-prefix-map=$(abspath $(O))=build

CFLAGS ?= -O2 -g
# As distributions build, since it reads files of others. Fortified functions need an optimizing compiler; whose CFLAGS
# speak of them is left alone.
FORTIFY := $(if $(findstring FORTIFY,$(CFLAGS)),,$(if $(filter -O1 -O2 -O3 -Os,$(CFLAGS)),-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2))
HARDEN ?= -fstack-protector-strong $(FORTIFY)
HARDEN_LDFLAGS ?= -Wl,-z,relro -Wl,-z,now
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla -Wformat=2 -Werror=date-time
override CPPFLAGS += -D_GNU_SOURCE -Iinclude -Isrc -I$(O)/skel
BPF_CFLAGS ?= -O2 -g
BPF_ALL_CFLAGS := -target bpf -mcpu=v2 -D__TARGET_ARCH_$(BPF_ARCH) -Wall -Wextra -Wno-unused-parameter -Werror=date-time \
	-Iinclude -Ivmlinux -Ibpf $(BPF_CFLAGS)

LIBS := libbpf libelf zlib sqlite3
LIB_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(LIBS) 2>/dev/null)
LIB_LDLIBS := $(shell $(PKG_CONFIG) --libs $(LIBS) 2>/dev/null) -liberty -lm
LIB_LDLIBS_STATIC := $(shell $(PKG_CONFIG) --static --libs $(LIBS) 2>/dev/null) -liberty -lm

BPF_SRCS := $(sort $(wildcard bpf/*.bpf.c))
BPF_OBJS := $(BPF_SRCS:bpf/%.c=$(O)/bpf/%.o)
SKELS := $(BPF_SRCS:bpf/%.bpf.c=$(O)/skel/%.skel.h)
SRCS := $(filter-out src/static/%,$(sort $(wildcard src/*.c src/*/*.c)))
OBJS := $(SRCS:src/%.c=$(O)/obj/%.o)
STATIC_OBJS := $(patsubst src/%.c,$(O)/obj/%.o,$(wildcard src/static/*.c))

.PHONY: all deps deps-arm64 demo check unit bench lint format static install deb docs clean
.DELETE_ON_ERROR:
.SECONDARY:
all: $(O)/kbpfprof

# --- BPF: object -> stripped of debug info, not of BTF -> skeleton
$(O)/bpf/%.bpf.o: bpf/%.bpf.c Makefile
	$(call say,BPF,$@)mkdir -p $(@D) && $(CLANG) $(BPF_ALL_CFLAGS) $(PREFIX_MAP) -MMD -MP -c $< -o $@ && $(LLVM_STRIP) -g $@

$(O)/skel/%.skel.h: $(O)/bpf/%.bpf.o
	$(call say,SKEL,$@)mkdir -p $(@D) && $(BPFTOOL) gen skeleton $< name $*_bpf > $@

# --- The flame graph's page, as C arrays
PAGE_PARTS := $(addprefix src/views/flamegraph/,page.html page.css tree.js words.js draw.js use.js events.js)
PAGE := $(O)/skel/flamegraph_page.h

$(PAGE): $(PAGE_PARTS) src/views/flamegraph/embed.sh
	$(call say,PAGE,$@)mkdir -p $(@D) && src/views/flamegraph/embed.sh $(PAGE_PARTS) > $@

# --- C
# A tool includes the skeleton of its own name: it must exist before the first compile tells make so.
$(O)/obj/%.o: src/%.c Makefile | $(SKELS) $(PAGE)
	$(call say,CC,$@)mkdir -p $(@D) && $(CC) -std=gnu11 $(CPPFLAGS) $(LIB_CFLAGS) $(WARN) $(CFLAGS) $(HARDEN) $(PREFIX_MAP) -MMD -MP -c $< -o $@

$(O)/kbpfprof: $(OBJS)
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(HARDEN_LDFLAGS) $(LDFLAGS) $^ $(LIB_LDLIBS) -o $@

# Warnings of the linker are errors: they tell of functions of glibc's that would load libraries (NSS, dlopen).
STATIC := $(O)/kbpfprof-static
STATIC_LIMIT_BYTES := 5242880
STATIC_LDFLAGS := -static -Wl,--fatal-warnings -Wl,--wrap=dlopen -Wl,-Map=$(STATIC).map

static: $(STATIC)
	@awk -f src/static/sizes.awk -v file_bytes="$$(wc -c < $<)" -v bpf_bytes="$$(cat $(BPF_OBJS) | wc -c)" $<.map

$(STATIC): $(OBJS) $(STATIC_OBJS)
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(HARDEN_LDFLAGS) $(LDFLAGS) $(STATIC_LDFLAGS) $^ $(LIB_LDLIBS_STATIC) -o $@ && $(STRIP) $@
	$(Q)[ $$(wc -c < $@) -le $(STATIC_LIMIT_BYTES) ] || { echo '$@ is larger than $(STATIC_LIMIT_BYTES) bytes' >&2; exit 1; }

# Man pages as they are: packagers compress them. Nothing is run, since it may be built for another machine.
MAN_PAGES := $(sort $(wildcard docs/*.[1-9]))
SHARE = $(DESTDIR)$(PREFIX)/share

define install_files
	$(call say,INSTALL,$(DESTDIR)$(PREFIX)/bin/kbpfprof)install -D -m 755 $(O)/kbpfprof $(DESTDIR)$(PREFIX)/bin/kbpfprof
	$(Q)for page in $(MAN_PAGES); do install -D -m 644 -t $(SHARE)/man/man$${page##*.} $$page || exit 1; done
	$(Q)install -D -m 644 docs/kbpfprof.bash $(SHARE)/bash-completion/completions/kbpfprof
endef

install: all
	$(install_files)

# A Debian package in O: the program linked with Debian's libraries, man pages and completion; nothing that starts.
deb: override DESTDIR := $(O)/deb
deb: override PREFIX := /usr
deb: all
	$(Q)rm -rf $(DESTDIR)
	$(install_files)
	$(Q)STRIP='$(STRIP)' docs/debian/build $(DESTDIR) $(O) $(patsubst x86,amd64,$(BPF_ARCH))

docs: $(O)/kbpfprof
	$(call say,DOCS,docs)docs/generate $(O)/kbpfprof

deps:
	$(Q)tests/deps.sh build test lint bench cross-arm64

deps-arm64:
	$(Q)tests/deps.sh build cross-arm64

# A sub-make, since what is installed here changes what the lines above find.
demo:
	$(Q)tests/deps.sh build
	$(Q)$(MAKE) --no-print-directory all
	$(Q)$(O)/kbpfprof profile -d 5s --top 15

format:
	$(Q)clang-format -i $$(git ls-files '*.c' '*.h')

lint: $(OBJS)
	$(Q)O='$(O)' CPPFLAGS='$(CPPFLAGS) $(LIB_CFLAGS)' tests/lint.sh

clean:
	$(Q)rm -rf $(O)

-include $(OBJS:.o=.d) $(STATIC_OBJS:.o=.d) $(wildcard $(O)/bpf/*.d) $(wildcard $(O)/unit/*.d)

include tests/tests.mk
