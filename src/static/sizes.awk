# SPDX-License-Identifier: GPL-2.0-only
# awk -f sizes.awk -v file_bytes=N -v bpf_bytes=N MAP: of GNU ld's map file, how much of the program is from which library.
# bpf_bytes are the BPF objects inside our own objects; file_bytes is the program as it lies on disk, stripped.

# A line is " SECTION ADDRESS SIZE FILE", a long SECTION on a line of its own. Sections at 0 are not loaded; what is
# zero at the start is in no file.
/^Linker script and memory map/ { in_map = 1 }
!in_map { next }
/^ [.*A-Za-z_]/ { section = $1 }
/^ .*[[:space:]]0x[0-9a-f]+[[:space:]]+0x[0-9a-f]+[[:space:]]+[^[:space:]]/ && section !~ /^(\.t?bss|\.debug|\.comment|__libc_freeres_ptrs|COMMON)/ {
	for (i = 1; $i !~ /^0x/; i++)
		;
	if ($i !~ /[1-9a-f]/ || $(i + 2) !~ /[.]o\)?$/)
		next
	bytes[owner($(i + 2))] += number($(i + 1))
}

# glibc's libm.a is a script that names libm-2.36.a.
function owner(path) {
	if (path ~ /\/(libgcc[^\/]*\.a\(|(crt|Scrt|rcrt|gcrt)[^\/]*\.o$)/)
		return "compiler's start and run time"
	if (match(path, /[^\/]+\.a\(/)) {
		path = substr(path, RSTART, RLENGTH - 3)
		sub(/-[0-9.]+$/, "", path)
		return path
	}
	return "kbpfprof"
}

# mawk reads no hexadecimal numbers.
function number(hex,    n, i) {
	for (i = 3; i <= length(hex); i++)
		n = n * 16 + index("123456789abcdef", substr(hex, i, 1))
	return n
}

function line(name, n) { return sprintf("  %7.1f KiB  %s", n / 1024, name) }

END {
	if (bytes["kbpfprof"] < bpf_bytes || !bytes["libc"] || !bytes["libbpf"] || !file_bytes) {
		print "sizes.awk: this map is not understood" > "/dev/stderr"
		exit 1
	}
	bytes["kbpfprof"] -= bpf_bytes
	bytes["BPF programs"] = bpf_bytes
	rest = file_bytes
	for (name in bytes) {
		print line(name, bytes[name]) | "sort -rn"
		rest -= bytes[name]
	}
	close("sort -rn")
	print line("headers, alignment, tables of the linker", rest)
	print line("in all, stripped", file_bytes)
}
