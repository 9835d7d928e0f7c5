# SPDX-License-Identifier: GPL-2.0-only
# TAP for shell tests. Source it, call the functions below, end with `finish`.
#   KBPFPROF: the binary; WORKLOADS: folder of built workloads; both set by the Makefile.
# shellcheck shell=bash
set -u
: "${KBPFPROF:?is set by make check}" "${WORKLOADS:?is set by make check}"

tap_count=0
tap_failed=0
tmp=$(mktemp -d)
tap_cleanup=()
tap_end() {
	local c
	for c in "${tap_cleanup[@]}"; do eval "$c"; done
	rm -rf "$tmp"
}
trap tap_end EXIT

# at_exit COMMAND: run at the end, however that comes.
at_exit() { tap_cleanup+=("$1"); }

# ok NAME COMMAND...: passes if COMMAND does; what it printed is shown if not.
ok() {
	local name=$1 out
	shift
	tap_count=$((tap_count + 1))
	if out=$("$@" 2>&1); then
		echo "ok $tap_count - $name"
		return 0
	fi
	tap_failed=$((tap_failed + 1))
	echo "not ok $tap_count - $name"
	printf '%s\n' "failed: $*" "$out" | sed 's/^/# /'
	return 1
}

# is NAME GOT WANTED
is() { ok "$1" same "$2" "$3"; }
same() { [ "$1" = "$2" ] || { printf 'got:    %s\nwanted: %s\n' "$1" "$2"; return 1; }; }

# like NAME TEXT REGEX (extended)
like() { ok "$1" matches "$2" "$3"; }
matches() { printf '%s\n' "$1" | grep -Eq -- "$2" || { printf 'no match for: %s\nin:\n%s\n' "$2" "$1"; return 1; }; }
unlike() { ok "$1" matches_not "$2" "$3"; }
matches_not() { ! printf '%s\n' "$1" | grep -Eq -- "$2" || { printf 'matches: %s\nin:\n%s\n' "$2" "$1"; return 1; }; }

# within NAME GOT LOW HIGH: numbers, decimals allowed
within() { ok "$1" between "$2" "$3" "$4"; }
between() { awk -v g="$1" -v l="$2" -v h="$3" 'BEGIN { exit !(g != "" && g + 0 >= l && g + 0 <= h) }' || { echo "got '$1', wanted $2 to $3"; return 1; }; }

skip() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

# skip_all REASON: the whole file
skip_all() { echo "1..0 # SKIP $1"; exit 0; }

# Live tests run where BPF works. LIVE=0 leaves them out; else what is missing is a failure.
need_live() {
	[ "${LIVE:-1}" != 0 ] || skip_all "LIVE=0"
	[ "$(id -u)" = 0 ] || { echo "1..1"; echo "not ok 1 - live tests need root (or LIVE=0)"; exit 1; }
}

# run COMMAND...: leaves its output in $out and $err, its exit status in $rc
run() {
	"$@" >"$tmp/out" 2>"$tmp/err"
	# shellcheck disable=SC2034
	rc=$?
	out=$(cat "$tmp/out")
	# shellcheck disable=SC2034
	err=$(cat "$tmp/err")
}

finish() {
	echo "1..$tap_count"
	[ "$tap_failed" = 0 ]
}
