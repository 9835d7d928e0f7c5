# SPDX-License-Identifier: GPL-2.0-only
# make fuzz: libFuzzer on each tests/fuzz/NAME.c, FUZZ_SECONDS each; FUZZ="NAME ..." runs these only.
# Inputs grow in O/fuzz/corpus/NAME, a finding is left as O/fuzz/NAME-crash-... and ends it.

FUZZ_SECONDS ?= 60
FUZZ_MAX_BYTES ?= 65536
FUZZ ?= $(sort $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/*.c)))

FUZZ_OBJS := $(filter-out $(O)/fuzz/obj/main.o,$(SRCS:src/%.c=$(O)/fuzz/obj/%.o))
FUZZ_CFLAGS = -std=gnu11 $(CPPFLAGS) $(LIB_CFLAGS) -Wall -Wextra -O1 -g -fno-omit-frame-pointer \
	-fno-sanitize-recover=undefined -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION -MMD -MP

$(O)/fuzz/obj/%.o: src/%.c Makefile tests/fuzz.mk | $(SKELS)
	$(call say,CC,$@)mkdir -p $(@D) && $(CLANG) $(FUZZ_CFLAGS) -fsanitize=fuzzer-no-link,address,undefined -c $< -o $@

$(O)/fuzz/%: tests/fuzz/%.c $(FUZZ_OBJS)
	$(call say,CC,$@)$(CLANG) $(FUZZ_CFLAGS) -MF $@.d -fsanitize=fuzzer,address,undefined $< $(FUZZ_OBJS) $(LIB_LDLIBS) -o $@

-include $(wildcard $(O)/fuzz/*.d $(O)/fuzz/obj/*.d $(O)/fuzz/obj/*/*.d)

.PHONY: fuzz fuzz-programs
fuzz-programs: $(O)/kbpfprof $(PROGRAMS) $(addprefix $(O)/fuzz/,$(FUZZ))

fuzz:
	$(Q)tests/deps.sh build fuzz
	$(Q)$(MAKE) --no-print-directory fuzz-programs
	$(Q)for name in $(FUZZ); do \
		mkdir -p $(O)/fuzz/corpus/$$name && O=$(O) tests/fuzz/seeds $$name $(O)/fuzz/seeds/$$name || exit 1; \
		echo "fuzzing $$name for $(FUZZ_SECONDS) s"; \
		scratch=$$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d) || exit 1; \
		TMPDIR=$$scratch ASAN_OPTIONS=quarantine_size_mb=16 $(O)/fuzz/$$name -max_total_time=$(FUZZ_SECONDS) -max_len=$(FUZZ_MAX_BYTES) \
			-timeout=10 -rss_limit_mb=1024 -close_fd_mask=2 -verbosity=0 -print_final_stats=1 \
			-artifact_prefix=$(O)/fuzz/$$name- $(O)/fuzz/corpus/$$name $(O)/fuzz/seeds/$$name; \
		status=$$?; \
		rm -rf "$$scratch"; \
		[ $$status = 0 ] || exit $$status; \
	done
