#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# embed.sh HTML CSS JS...: the page as two C arrays, what stands before the data and what behind. The
# scripts become one function. Lines that are comments, and indents, stay out of the page. The policy in it names the style and the script
# by their hashes, so a browser runs nothing else, whatever a symbol's name may be.
set -eu

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# Text of its own beside comments, no string spans lines: so each line stands for itself.
dense() { sed -e 's/^[[:space:]]*//' -e '/^\/\//d' -e '/^\/\*.*\*\/$/d' -e '/^$/d' "$@"; }
# Base64 of the digest's bytes, by what every coreutils and busybox has.
digits() { sha256sum < "$1" | cut -c1-64 | sed 's/../0x& /g'; }
hash() {
	# shellcheck disable=SC2046 # words are meant
	printf '%b' "$(printf '\\0%03o' $(digits "$1"))" | base64
}

page=$1 style=$2
shift 2
# An element's text starts right behind its tag: with the line break there.
{ echo; dense "$style"; } > "$tmp/css"
{ printf "\n'use strict';\n(() => {\n"; dense "$@"; echo '})();'; } > "$tmp/js"
css=$(hash "$tmp/css") js=$(hash "$tmp/js")
[ ${#css} = 44 ] && [ ${#js} = 44 ]

# A part goes where its mark stands.
part() {
	while IFS= read -r line; do
		case $line in
		*@STYLE@*) printf '%s' "${line%@STYLE@*}"; cat "$tmp/css"; printf '%s\n' "${line#*@STYLE@}" ;;
		*@SCRIPT@*) printf '%s' "${line%@SCRIPT@*}"; cat "$tmp/js"; printf '%s\n' "${line#*@SCRIPT@}" ;;
		*) printf '%s\n' "$line" ;;
		esac
	done
}
array() {
	printf 'static const unsigned char flamegraph_%s[] = {\n' "$1"
	od -An -v -tu1 | sed -e 's/  *\([0-9][0-9]*\)/\1,/g'
	printf '};\n'
}

dense "$page" | sed -e '/^<!-- .* -->$/d' -e "s|@STYLE_HASH@|$css|" -e "s|@SCRIPT_HASH@|$js|" > "$tmp/html"
echo '/* Made by src/views/flamegraph/embed.sh. */'
sed '/@DATA@/,$d' "$tmp/html" | part | array head
sed '1,/@DATA@/d' "$tmp/html" | part | array tail
