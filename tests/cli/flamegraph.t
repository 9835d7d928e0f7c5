#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The flame graph in a real browser: the pages of view_flamegraph, driven by tests/browser/flamegraph.mjs.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

build=$(dirname "$KBPFPROF")
here=$(readlink -f "$(dirname "$0")/../browser")

give_up() {
	echo "1..1"
	echo "not ok 1 - $1"
	sed 's/^/# /' "$tmp/log"
	exit 1
}

: > "$tmp/log"
CHROMIUM=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || give_up "there is no chromium"
command -v npm > /dev/null || give_up "there is no npm"

# The driver is fetched once a build, its version and hash are in package-lock.json.
if ! cmp -s "$here/package-lock.json" "$build/browser/installed"; then
	mkdir -p "$build/browser"
	cp "$here/package.json" "$here/package-lock.json" "$build/browser"
	(cd "$build/browser" && timeout 300 npm ci --no-audit --no-fund --ignore-scripts) > "$tmp/log" 2>&1 ||
		give_up "playwright-core cannot be installed"
	cp "$here/package-lock.json" "$build/browser/installed"
fi

"$build/unit/view_flamegraph" "$tmp" > "$tmp/log" 2>&1 || give_up "view_flamegraph does not write its pages"
from_recording() {
	"$PROGRAMS/recording_make" basic "$tmp/basic" &&
		"$KBPFPROF" report "$tmp/basic" -f flamegraph -q > "$tmp/report.html" &&
		"$KBPFPROF" diff "$tmp/basic" "$tmp/basic" -f flamegraph -q > "$tmp/same.html"
}
from_recording > "$tmp/log" 2>&1 || give_up "no flame graph of a recording"

# Chromium leaves what it needs in $HOME and $TMPDIR.
mkdir "$tmp/home"
HOME=$tmp/home TMPDIR=$tmp CHROMIUM=$CHROMIUM BROWSER_MODULES=$(readlink -f "$build/browser") \
	timeout 300 node "$here/flamegraph.mjs" "$tmp"
