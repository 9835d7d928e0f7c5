# SPDX-License-Identifier: GPL-2.0-only
# Test programs. Nothing needs to be listed: a unit test is tests/unit/NAME.c, a shell test
# tests/{cli,live}/NAME.t, a workload tests/workloads/NAME.c or .cc, a maker of inputs tests/programs/NAME.c.

UNIT_SRCS := $(sort $(wildcard tests/unit/*.c))
UNIT_BINS := $(UNIT_SRCS:tests/unit/%.c=$(O)/unit/%)
UNIT_OBJS := $(filter-out $(O)/unit/obj/main.o,$(SRCS:src/%.c=$(O)/unit/obj/%.o))
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
UNIT_CFLAGS = -std=gnu11 $(CPPFLAGS) $(LIB_CFLAGS) $(WARN) -O1 -g $(SANITIZE) -MMD -MP

$(O)/unit/obj/%.o: src/%.c Makefile | $(SKELS) $(PAGE)
	$(call say,CC,$@)mkdir -p $(@D) && $(CC) $(UNIT_CFLAGS) -c $< -o $@

$(O)/unit/%: tests/unit/%.c $(UNIT_OBJS) tests/tests.mk
	$(call say,CC,$@)$(CC) $(UNIT_CFLAGS) -Itests/unit -Ivmlinux -Ibpf -Itests/unit/host_bpf -DBUILD_DIR='"$(abspath $(O))"' -MF $@.d $< $(UNIT_OBJS) $(LIB_LDLIBS) -lcmocka -o $@

-include $(UNIT_OBJS:.o=.d) $(UNIT_BINS:=.d)

# Workloads keep frame pointers: what is known of them includes their callers. On arm64 return addresses are signed, as
# distributions have it.
WORKLOADS := $(patsubst tests/workloads/%,$(O)/workloads/%,$(basename $(wildcard tests/workloads/*.c tests/workloads/*.cc)))
WORKLOAD_FLAGS := -O2 -g -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -Wall -Wextra \
	$(if $(filter arm64,$(BPF_ARCH)),-mbranch-protection=standard)

$(O)/workloads/%: tests/workloads/%.c
	$(call say,CC,$@)mkdir -p $(@D) && $(CC) $(WORKLOAD_FLAGS) -MMD -MP -MF $@.d $< -o $@ -lpthread
$(O)/workloads/%: tests/workloads/%.cc
	$(call say,CXX,$@)mkdir -p $(@D) && $(CXX) $(WORKLOAD_FLAGS) $< -o $@

-include $(WORKLOADS:=.d)

# For guests, which have no libraries of their own; so those are left out that load libraries.
STATIC_WORKLOADS := $(patsubst tests/workloads/%.c,$(O)/workloads-static/%,\
	$(filter-out %/brief.c %/loader.c,$(sort $(wildcard tests/workloads/*.c))))
.PHONY: static-workloads
static-workloads: $(STATIC_WORKLOADS)

$(O)/workloads-static/%: tests/workloads/%.c
	$(call say,CC,$@)mkdir -p $(@D) && $(CC) $(WORKLOAD_FLAGS) -MMD -MP -MF $@.d $< -static -o $@ -lpthread

-include $(STATIC_WORKLOADS:=.d)

# Of 32 bits and without a library, which machines of 64 bits seldom have.
CHAIN32 := $(O)/workloads-static/chain32
CHAIN32_FLAGS := -O1 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -ffreestanding -fno-stack-protector -fno-pic -Wall -Wextra
static-workloads: $(CHAIN32)

$(CHAIN32): tests/workloads/bits32/chain32.c tests/tests.mk
ifeq ($(BPF_ARCH),arm64)
	$(call say,CC,$@)mkdir -p $(@D) && $(CLANG) -target armv7-linux-gnueabihf $(CHAIN32_FLAGS) -c $< -o $@.o && \
		arm-linux-gnueabihf-ld -static -z max-page-size=65536 -e _start $@.o -o $@
else
	$(call say,CC,$@)mkdir -p $(@D) && $(CC) -m32 $(CHAIN32_FLAGS) -no-pie -nostdlib -static $< -o $@
endif

# Programs that make what tests read, of kbpfprof's own parts.
PROGRAM_BPF := $(patsubst tests/programs/%.bpf.c,$(O)/tests/%.bpf.o,$(sort $(wildcard tests/programs/*.bpf.c)))
PROGRAMS := $(patsubst tests/programs/%.c,$(O)/tests/%,$(sort $(filter-out %.bpf.c,$(wildcard tests/programs/*.c)))) $(PROGRAM_BPF)

$(O)/tests/%.bpf.o: tests/programs/%.bpf.c tests/tests.mk
	$(call say,BPF,$@)mkdir -p $(@D) && $(CLANG) $(BPF_ALL_CFLAGS) $(PREFIX_MAP) -MMD -MP -c $< -o $@

$(O)/tests/%: tests/programs/%.c $(OBJS) tests/tests.mk
	$(call say,CC,$@)mkdir -p $(@D) && $(CC) -std=gnu11 $(CPPFLAGS) $(LIB_CFLAGS) $(WARN) $(CFLAGS) $(PREFIX_MAP) -MMD -MP -MF $@.d $< $(filter-out $(O)/obj/main.o,$(OBJS)) $(LDFLAGS) $(LIB_LDLIBS) -o $@

-include $(PROGRAMS:=.d) $(PROGRAM_BPF:.o=.d)

.PHONY: check-programs
check-programs: $(O)/kbpfprof $(UNIT_BINS) $(WORKLOADS) $(PROGRAMS)

include tests/kernels.mk

# TESTS="tests/live/x.t ..." runs these only; LIVE=0 leaves out what needs BPF; KERNELS= names kernels to boot.
TESTS ?= $(UNIT_BINS) $(sort $(wildcard tests/cli/*.t)) $(sort $(wildcard tests/live/*.t)) $(KERNEL_TESTS)

check:
	$(Q)tests/deps.sh build test lint cross-arm64
	$(Q)$(MAKE) --no-print-directory check-programs guest-programs
	$(Q)$(MAKE) --no-print-directory prove

# prove, and then, whatever came of it, the table of kernels, and what failed and why
FAILURES := $(abspath $(O)/failures)
prove:
	$(Q)rm -f $(KERNEL_RESULTS) $(FAILURES)
	$(Q)$(KERNEL_ENV) ALL_KERNELS='$(ALL_KERNELS)' KBPFPROF=$(abspath $(O)/kbpfprof) WORKLOADS=$(abspath $(O)/workloads) PROGRAMS=$(abspath $(O)/tests) \
		FAILURES=$(FAILURES) CMOCKA_MESSAGE_OUTPUT=TAP ASAN_OPTIONS=detect_stack_use_after_return=1 \
		prove $(PROVE_FLAGS) --exec tests/each $(TESTS); status=$$?; \
		[ ! -e $(KERNEL_RESULTS) ] || tests/kernels/table $(KERNEL_RESULTS); \
		[ ! -e $(FAILURES) ] || head -n 200 $(FAILURES); exit $$status

unit: check-programs
	$(Q)$(MAKE) --no-print-directory prove TESTS='$(UNIT_BINS)'
.PHONY: prove

-include tests/bench.mk
-include tests/fuzz.mk
