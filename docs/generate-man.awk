# SPDX-License-Identifier: GPL-2.0-only
# awk -v tool=TOOL -f generate-man.awk TABLES PAGE: the page, its lists made anew. TABLES is what
# `kbpfprof --describe` prints (src/describe.h). Without a TOOL, what tools share.

# In gsub() backslashes mean something else to each awk.
function escape(text,    out, i, c) {
	out = ""
	for (i = 1; i <= length(text); i++) {
		c = substr(text, i, 1)
		out = out (c == "\\" ? "\\e" : c == "-" ? "\\-" : c == "'" ? "\\(aq" : c == "~" ? "\\(ti" : c == "^" ? "\\(ha" : c)
	}
	return (out ~ /^[.']/ ? "\\&" : "") out
}

function range(type, min, max) {
	if (type != "count" || (!min && !max))
		return ""
	return max ? " (" min " to " max ")" : " (" min " or more)"
}

function option_text(letter, name, argument, type, min, max, help) {
	return ".TP\n" (letter == "-" ? "" : "\\fB\\-" letter "\\fR, ") "\\fB\\-\\-" escape(name) "\\fR" \
		(argument == "-" ? "" : " \\fI" escape(argument) "\\fR") "\n" escape(help) range(type, min, max) "\n"
}

# A group that several tools have is the same in all of them.
function add_option(group, text) {
	if (group == "options" && tool == "")
		return
	if (!(group in seen)) {
		groups[++n_groups] = group
		seen[group] = 1
	}
	if (index(rows[group], text) == 0)
		rows[group] = rows[group] text
	if (users[group] !~ "(^| )" $2 "$")
		users[group] = users[group] (group in users && users[group] != "" ? " " : "") $2
}

function list(words) {
	gsub(/ /, ", ", words)
	return words
}

function write_options(    i, title) {
	for (i = 1; i <= n_groups; i++) {
		title = toupper(substr(groups[i], 1, 1)) substr(groups[i], 2)
		if (groups[i] != "options")
			print ".SS " title (tool == "" ? " (" list(users[groups[i]]) ")" : "")
		printf "%s", rows[groups[i]]
	}
}

function write_tools(    i) {
	for (i = 1; i <= n_tools; i++)
		print ".TP\n.BR kbpfprof\\-" tools[i] " (1)\n" escape(summary[tools[i]])
}

function write_formats(    i, f) {
	for (i = 1; i <= n_formats; i++) {
		f = formats[i]
		print ".TP\n.B " f "\n" escape(format_summary[f]) (tool == "" ? " (" list(format_users[f]) ")" : f == default_format ? " (default)" : "")
	}
}

function write_events(    i) {
	print ".nh"
	for (i = 1; i <= n_events; i++)
		print "\\fB" escape(events[i]) "\\fR" (i < n_events ? "," : ".")
	print ".hy"
}

BEGIN { FS = "\t" }

FNR == 1 { file++ }

file == 1 && $1 == "tool" { tools[++n_tools] = $2; summary[$2] = $3 }
file == 1 && $1 == "option" && (tool == "" || $2 == tool) { add_option($3, option_text($4, $5, $6, $7, $8, $9, $11)) }
file == 1 && $1 == "format" && (tool == "" || $2 == tool) {
	if (!($3 in format_summary))
		formats[++n_formats] = $3
	format_summary[$3] = $5
	format_users[$3] = format_users[$3] (format_users[$3] == "" ? "" : " ") $2
	if ($4)
		default_format = $3
}
file == 1 && $1 == "event" { events[++n_events] = $2 }
file == 1 { next }

/^\.\\" end / { inside = 0 }
!inside { print }
/^\.\\" begin [a-z]*, made by 'make docs'$/ {
	inside = 1
	if ($0 ~ / options,/) write_options()
	else if ($0 ~ / tools,/) write_tools()
	else if ($0 ~ / formats,/) write_formats()
	else if ($0 ~ / events,/) write_events()
}
