# SPDX-License-Identifier: GPL-2.0-only
# make bench: kbpfprof beside its peers on the same load; see tests/bench/{bench,recordings,wakeups,irqs}.
# BENCH_ROUNDS BENCH_SECONDS BENCH_HZ change what is run.

$(O)/bench/floor.bpf.o: tests/bench/floor.bpf.c tests/bench.mk
	$(call say,BPF,$@)mkdir -p $(@D) && $(CLANG) $(BPF_ALL_CFLAGS) $(PREFIX_MAP) -MMD -MP -c $< -o $@ && $(LLVM_STRIP) -g $@

$(O)/bench/floor.skel.h: $(O)/bench/floor.bpf.o
	$(call say,SKEL,$@)$(BPFTOOL) gen skeleton $< name floor_bpf > $@

$(O)/bench/floor: $(O)/bench/floor.skel.h
$(O)/bench/%: tests/bench/%.c tests/bench.mk
	$(call say,CC,$@)mkdir -p $(@D) && $(CC) -std=gnu11 $(CPPFLAGS) -I$(O)/bench $(LIB_CFLAGS) $(WARN) $(CFLAGS) -MMD -MP -MF $@.d $< $(LIB_LDLIBS) -o $@

-include $(wildcard $(O)/bench/*.d)

# Frame pointers, as for the workloads.
$(O)/bench/link.so: tests/bench/link.c tests/bench/link.h tests/bench.mk
	$(call say,CC,$@)mkdir -p $(@D) && $(CC) $(WORKLOAD_FLAGS) -shared -fPIC $< -o $@
$(O)/bench/objects: tests/bench/objects.c tests/bench/link.h tests/bench.mk
	$(call say,CC,$@)mkdir -p $(@D) && $(CC) $(WORKLOAD_FLAGS) $< -ldl -o $@

.PHONY: bench-programs
bench-programs: $(O)/kbpfprof $(O)/workloads/deep $(O)/workloads/flood $(addprefix $(O)/bench/,measure floor once objects link.so beside)

bench:
	$(Q)tests/deps.sh build bench
	$(Q)$(MAKE) --no-print-directory bench-programs
	$(Q)KBPFPROF=$(abspath $(O)/kbpfprof) WORKLOADS=$(abspath $(O)/workloads) BENCH=$(abspath $(O)/bench) tests/bench/bench
	$(Q)KBPFPROF=$(abspath $(O)/kbpfprof) BENCH=$(abspath $(O)/bench) tests/bench/recordings
	$(Q)KBPFPROF=$(abspath $(O)/kbpfprof) BENCH=$(abspath $(O)/bench) tests/bench/wakeups
	$(Q)KBPFPROF=$(abspath $(O)/kbpfprof) WORKLOADS=$(abspath $(O)/workloads) BENCH=$(abspath $(O)/bench) tests/bench/irqs
