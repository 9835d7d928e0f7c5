#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The house rules that need no analyser; `make lint` has the rest.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

here=$(dirname "$(readlink -f "$0")")
[ -d "$here/../../.git" ] || skip_all 'no git checkout: which files are ours is not known'
ok 'make lint, quick' env O="$(dirname "$KBPFPROF")" "$here/../lint.sh" quick
finish
