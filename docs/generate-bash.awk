# SPDX-License-Identifier: GPL-2.0-only
# awk -f generate-bash.awk TABLES COMPLETION: the completion, its tables made anew. TABLES is what
# `kbpfprof --describe` prints (src/describe.h).

function add(list, word) { return list (list == "" ? "" : " ") word }

function write_tables(    i, t) {
	print "__kbpfprof_tables() {"
	print "\ttools='" names "'"
	print "\tkeys='" keys "'"
	print "\tevents='" events "'"
	print "\tcase $1 in"
	for (i = 1; i <= n_tools; i++) {
		t = tools[i]
		print "\t" t ")"
		print "\t\tfiles=" files[t] " command=" (command[t] ? 1 : "")
		print "\t\tformats='" formats[t] "'"
		print "\t\toptions='"
		printf "%s", options[t]
		print "'"
		print "\t\t;;"
	}
	print "\tesac"
	print "}"
}

BEGIN { FS = "\t" }

FNR == 1 { file++ }

file == 1 && $1 == "tool" { tools[++n_tools] = $2; names = add(names, $2); files[$2] = $4; command[$2] = $5 }
file == 1 && $1 == "option" { options[$2] = options[$2] $4 " " $5 " " $6 " " $10 "\n" }
file == 1 && $1 == "format" { formats[$2] = add(formats[$2], $3) }
file == 1 && $1 == "key" { keys = add(keys, $2) }
file == 1 && $1 == "event" { events = add(events, $2) }
file == 1 { next }

/^# end tables$/ { inside = 0 }
!inside { print }
/^# begin tables, made by 'make docs'$/ { inside = 1; write_tables() }
