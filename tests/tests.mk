# SPDX-License-Identifier: GPL-2.0-only
# Test programs. A unit test is tests/unit/NAME.c: it is found, built with sanitizers against
# everything but main.c, and run; nothing needs to be listed.

UNIT_SRCS := $(sort $(wildcard tests/unit/*.c))
UNIT_BINS := $(UNIT_SRCS:tests/unit/%.c=$(O)/unit/%)
UNIT_OBJS := $(filter-out $(O)/unit/obj/main.o,$(SRCS:src/%.c=$(O)/unit/obj/%.o))
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer

$(O)/unit/obj/%.o: src/%.c Makefile | $(SKELS)
	$(call say,CC,$@)mkdir -p $(@D) && $(CC) -std=gnu11 $(CPPFLAGS) $(LIB_CFLAGS) $(WARN) -O1 -g $(SANITIZE) -MMD -MP -c $< -o $@

$(O)/unit/%: tests/unit/%.c $(UNIT_OBJS)
	$(call say,CC,$@)$(CC) -std=gnu11 $(CPPFLAGS) -Itests -DBUILD_DIR='"$(abspath $(O))"' $(LIB_CFLAGS) $(WARN) -O1 -g $(SANITIZE) -MMD -MP -MF $@.d $< $(UNIT_OBJS) $(LIB_LDLIBS) -lcmocka -o $@

-include $(UNIT_OBJS:.o=.d)

.PHONY: unit
unit: $(UNIT_BINS)
	$(Q)CMOCKA_MESSAGE_OUTPUT=TAP prove --exec '' $(UNIT_BINS)
