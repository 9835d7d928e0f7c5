# SPDX-License-Identifier: GPL-2.0-only
include $(BR2_EXTERNAL_KBPFPROF_PATH)/kbpfprof.mk
