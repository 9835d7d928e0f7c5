#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Programs that the kernel left out are counted: of one that sets itself off, one for each that was run.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"
need_live
: "${PROGRAMS:?is set by make check}"
uname -m | grep -q x86 || skip_all "the tracepoint exceptions:page_fault_kernel is x86's"

for rounds in 1 1000; do
	run "$PROGRAMS/skipped" "$PROGRAMS/skipped.bpf.o" $rounds
	read -r _ runs _ skipped <<<"$out"
	within "$rounds faults: so many runs, and perhaps those of faults that it did not mean to make" "$runs" "$rounds" $((rounds + 10))
	is "... each left out one" "$skipped$err" "$runs"
done
finish
