#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# lint.sh [quick]: what a machine can see of the house rules. `make lint` sets CPPFLAGS and O; quick
# leaves out the analysers. Prints each fault with its place and ends with 1 if there was one.
set -u
shopt -s lastpipe # or refuse() would count in a shell of its own
cd "$(dirname "$0")/.." || exit 1
faults=0

# refuse WHAT: reads lines, each one a fault
refuse() {
	local lines
	lines=$(cat)
	[ -n "$lines" ] || return 0
	printf '%s:\n%s\n' "$1" "$lines"
	faults=$((faults + 1))
}

sources() { git ls-files --cached --others --exclude-standard -- "$@" | while read -r f; do [ -f "$f" ] && echo "$f"; done; }

mapfile -t c_files < <(sources 'src/*.[ch]' 'include/*.h' 'bpf/*.[ch]' 'vmlinux/*.h' 'tests/*.[ch]')
mapfile -t user_files < <(sources 'src/*.c')
mapfile -t shell_files < <(git grep -lE --untracked '^#!/bin/(ba)?sh|^# shellcheck shell=' -- .ci docs src tests)

# Versions differ in details: the style is what Debian 12's makes of it.
if clang-format --version | grep -q 'version 14\.'; then
	echo 'format (clang-format)'
	clang-format --dry-run -Werror "${c_files[@]}" 2>&1 | sed -n 's/:[0-9]*:[0-9]*: error.*//p' | sort -u |
		refuse 'not formatted (make format)'
fi

echo 'shell (shellcheck)'
shellcheck -x "${shell_files[@]}" | refuse 'shellcheck'

if [ "${1:-}" != quick ]; then
echo 'cppcheck'
cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
	--suppress=missingIncludeSystem --suppress=internalAstError --library=gnu -Isrc -Iinclude -I"$O/skel" -D__x86_64__ \
	-D'LIBBPF_OPTS(type,name,...)=struct type name = { __VA_ARGS__ }' \
	"${user_files[@]}" 2>&1 | refuse 'cppcheck'

echo 'clang-tidy'
# shellcheck disable=SC2016 # the inner shell expands them
printf '%s\n' "${user_files[@]}" | xargs -P 2 -n 4 sh -c 'clang-tidy --quiet "$@" -- -std=gnu11 $CPPFLAGS 2>/dev/null' tidy |
	grep -E 'error:|warning:' | grep -v '\.skel\.h:' | refuse 'clang-tidy' # generated code is not ours to mend
fi

echo 'house rules'
grep -nE '^[^/*]*:[[:space:]]*[0-9]+;' vmlinux/vmlinux.h | grep -v 'by BPF_CORE_READ_BITFIELD' | refuse 'vmlinux.h: bit-fields do not relocate (BPF_CORE_READ_BITFIELD)'
grep -nE '^[[:space:]]*enum' vmlinux/vmlinux.h | refuse 'vmlinux.h: enum values do not relocate (bpf_core_enum_value)'
grep -nE '#include "(tools|views|symbols)/' src/core/*.[ch] | refuse 'core includes what stands on it'
grep -nE '#include "(tools|views)/' src/symbols/*.[ch] | refuse 'symbols include a tool or a view'
grep -nE '#include "(tools/|core/session|.*\.skel\.h)|bpf/' src/views/*.[ch] | grep -v 'kbpfprof/' | refuse 'a view knows a tool, a session or a map'
grep -nE '#include "views/' src/tools/*.[ch] | grep -v 'src/tools/doctor' | refuse 'a collector knows a view'
grep -nE '(^|[^_a-z])exit\(' src/*/*.c | refuse 'exit() outside of main.c'
grep -nE '(^|[^a-z_])(pid|PID)_t pid\b|\bint pid\b' src/*/*.[ch] src/*.c | refuse 'a bare pid: tgid or tid?'
for f in "${c_files[@]}"; do
	lines=$(wc -l <"$f")
	[ "$lines" -le 500 ] || echo "$f: $lines lines"
done | refuse 'files over 500 lines'
for f in $(sources 'src/*.[ch]' 'bpf/*' 'include/*.h' 'vmlinux/*' 'tests/*.[ch]' 'tests/*.sh' Makefile); do
	head -n 3 "$f" | grep -q 'SPDX-License-Identifier: GPL-2.0-only' || echo "$f"
done | refuse 'no SPDX line'
# Data that can be written, in any object but main's.
for o in "$O"/obj/*/*.o; do
	objdump -t "$o" | awk -v o="$o" '($3 == "O" || $2 == "O") && /[[:space:]]\.(data|bss)[[:space:]]/ { print o ": " $NF }'
done | refuse 'writable globals outside of main.c'

[ $faults = 0 ] && echo 'lint: nothing found'
exit $((faults > 0))
