# SPDX-License-Identifier: GPL-2.0-only
# make check-kernels     every kernel of tests/kernels/kernels.list, or KERNELS="6.12-rt amd64-5.10", under qemu; make check
#                        takes some of them
# make readme-kernels    the table of the last run into README.md

KERNEL_TESTS := tests/kernels/run tests/kernels/offline tests/kernels/wakeup tests/kernels/irq_line tests/kernels/irq_off tests/kernels/beside_perf tests/kernels/faults
KERNEL_RESULTS := $(abspath $(O)/kernels.results)
KERNEL_ENV := GUEST_amd64=$(abspath $(O)) GUEST_arm64=$(abspath $(O)/arm64) KERNEL_RESULTS=$(KERNEL_RESULTS)

.PHONY: check-kernels readme-kernels guest-programs

# What guests run is the static binary, of their architecture.
guest-programs:
	$(Q)$(MAKE) --no-print-directory static static-workloads
	$(Q)$(MAKE) --no-print-directory static static-workloads ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu-

check-kernels:
	$(Q)tests/kernels/names $(KERNELS) > /dev/null
	$(Q)tests/deps.sh build test cross-arm64
	$(Q)$(MAKE) --no-print-directory $(O)/kbpfprof $(WORKLOADS) $(PROGRAMS) guest-programs
	$(Q)$(MAKE) --no-print-directory prove TESTS='$(KERNEL_TESTS)' ALL_KERNELS="$$(tests/kernels/names | tr '\n' ' ')"

readme-kernels:
	$(Q)tests/kernels/table -u README.md $(KERNEL_RESULTS)
