#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Names of functions in real processes: wherever their files are, whatever they are built like. What
# cannot be named says why; nothing is named wrongly.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"
# shellcheck source=tests/live/profile.sh
. "$here/profile.sh"
need_live
# shellcheck disable=SC2154 # tgid is set by puppet

faults=(-e page-faults -c 1 -f folded -q)
source=$here/../workloads/puppet.c
build() { ${CC:-gcc} -O2 -g -fno-omit-frame-pointer "$source" "$@" -lpthread; }

# puppet_from FILE NAME [COMMAND...]: like puppet, but that file
puppet_from() {
	local file=$1 WORKLOADS=$tmp/from-$2
	mkdir "$WORKLOADS"
	ln -s "$file" "$WORKLOADS/puppet"
	shift
	puppet "$@"
}

# --- files of every kind, and where they may be
build -no-pie -o "$tmp/fixed"
build -pie -o "$tmp/moving"
build -static -o "$tmp/static"
build -static-pie -o "$tmp/static-pie"
cp "$tmp/moving" "$tmp/stripped"
strip "$tmp/stripped"
cp "$tmp/moving" "$tmp/deleted"
cp "$tmp/moving" "$tmp/replaced"
kinds='fixed moving static static-pie stripped deleted replaced chrooted'

# A root of its own, in a mount namespace of its own: the path there leads elsewhere here, or nowhere.
cat >"$tmp/in-chroot" <<-END
	set -e
	mount -t tmpfs none "$tmp/root"
	mkdir -p "$tmp/root$tmp"
	for file in \$(ldd "$tmp/moving" | grep -o '/[^ ]*'); do
		mkdir -p "$tmp/root\$(dirname "\$file")"
		cp "\$file" "$tmp/root\$file"
	done
	cp "$tmp/moving" "$tmp/root$tmp/chrooted"
	exec chroot "$tmp/root" "$tmp/chrooted"
END
mkdir "$tmp/root"
cp "$WORKLOADS/share" "$tmp/chrooted" # what somebody would find who took the path literally

for kind in fixed moving static static-pie stripped deleted replaced; do
	puppet_from "$tmp/$kind" "$kind"
done
puppet chrooted unshare --mount sh "$tmp/in-chroot"
rm "$tmp/deleted"
cp "$WORKLOADS/share" "$tmp/new"
mv "$tmp/new" "$tmp/replaced"

pids=
for kind in $kinds; do pids+=,${tgid[$kind]}; done
start "${faults[@]}" -s pid -p "${pids#,}"
for kind in $kinds; do
	tell "$kind" touch 100
	tell "$kind" worker 50
done
sleep 0.2
for kind in fixed static chrooted; do dismiss $kind; done # names are known by now
end
is 'exit status' "$rc" 0
for kind in fixed moving static static-pie deleted replaced chrooted; do
	is "$kind: the leaf" "$(count "^[a-z-]*-${tgid[$kind]};.*;touch_main ")" 100
	is "$kind: its callers" "$(count "^[a-z-]*-${tgid[$kind]};.*main;touch_pages;touch_main |-${tgid[$kind]};.*work;touch_pages;touch_worker ")" 150
	is "$kind: no other function touches" "$(count "^[a-z-]*-${tgid[$kind]};.*touch_pages;")" 150
done
unlike 'nothing is named after another file at the same path' "$out" 'burn_|now_s'

# The addresses of what has no names are those of the file.
like 'stripped: says so' "$out" "-${tgid[stripped]};.*;stripped\+0x[0-9a-f]+ \[stripped\] [0-9]+\$"
read -r low bytes < <(nm -S "$tmp/moving" | awk '$4 == "touch_main" { print "0x" $1, "0x" $2 }')
offset=$(printf '%s\n' "$out" | grep -- "-${tgid[stripped]};" | sed -n 's/.*;stripped+\(0x[0-9a-f]*\) \[stripped\] 100$/\1/p')
within 'stripped: its addresses are those of the unstripped file' "$((offset))" "$((low))" "$((low + bytes - 1))"

# --- a file that was replaced, when only the path is left to go by (map_files needs more rights)
setpriv --bounding-set -sys_admin,-checkpoint_restore --inh-caps -sys_admin,-checkpoint_restore \
	"$KBPFPROF" profile "${faults[@]}" -p "${tgid[moving]},${tgid[replaced]},${tgid[deleted]}" -s pid -d 1.5 >"$tmp/out" &
profiler=$!
eventually measures
for kind in moving replaced deleted; do tell $kind touch 100; done
await
is 'by path: the file that is there' "$(count "^[a-z-]*-${tgid[moving]};.*touch_main ")" 100
is 'by path: another file has its path' "$(count "^[a-z-]*-${tgid[replaced]};.*replaced[^;]*\[file changed\] ")" \
	"$(count "^[a-z-]*-${tgid[replaced]};.*replaced")"
is 'by path: no file has its path, it takes more rights' "$(count "^[a-z-]*-${tgid[deleted]};.*deleted[^;]*\[no permission\] ")" \
	"$(count "^[a-z-]*-${tgid[deleted]};.*deleted")"
unlike 'by path: no name of the other file' "$out" 'burn_|now_s'

# --- C++: names as c++filt has them, without parameters
run "$KBPFPROF" profile -F 997 -f folded -q -- "$WORKLOADS/names" 1
nm "$WORKLOADS/names" | awk '$2 ~ /[tTwW]/ { print $3 }' | sed 's/\.[a-z].*//' | c++filt -p | grep -E '^(shapes|main)::' |
	sort -u >"$tmp/names"
is 'C++: functions in the test' "$(wc -l <"$tmp/names")" 5
while read -r name; do
	ok "C++: $name" grep -qE ";${name//[()]/.}[ ;]" <<<"$out"
done <"$tmp/names"
unlike 'C++: nothing is left mangled' "$out" ';_Z'

# --- a library that comes while the process runs
cat >"$tmp/plugin.c" <<-END
	void plugin_burn(void);
	static void hidden_in_plugin(void) __attribute__((noinline));
	static void hidden_in_plugin(void)
	{
		for (volatile int i = 0; i < 20000; i++)
			;
	}
	void plugin_burn(void)
	{
		hidden_in_plugin();
		__asm__ volatile("");
	}
END
gcc -O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -shared -fPIC "$tmp/plugin.c" -o "$tmp/plugin.so"
run "$KBPFPROF" profile -F 997 -f folded -q -- sh -c "sleep 0.3; $WORKLOADS/loader $tmp/plugin.so plugin_burn 1"
all=$(count '^loader;')
within 'dlopen: function that is not exported, and its caller' "$(count '^loader;.*main;plugin_burn;hidden_in_plugin[ ;]')" $((all * 8 / 10)) "$all"

# The file changes while it is in use: what it says now is of no use.
start -F 997 -f folded -q -- "$WORKLOADS/loader" "$tmp/plugin.so" plugin_burn 1
sleep 0.7
echo more >>"$tmp/plugin.so"
await
like 'a file that changed during the run' "$out" '^loader;.*;plugin.so\+0x[0-9a-f]+ \[file changed\]'
unlike 'a file that changed during the run: no names from it' "$out" 'plugin_burn'

# --- the vdso
run "$KBPFPROF" profile -F 997 -f folded -q -- "$WORKLOADS/vdso" 0.7
within 'vdso: by its own name' "$(count ';main;now_s;(.*;)?__(vdso|kernel)_clock_gettime|;__(vdso|kernel)_clock_gettime')" 20 1000000
run "$KBPFPROF" profile -F 997 -s dso -q -- "$WORKLOADS/vdso" 0.7
like 'vdso: as an object' "$out" '^ +[0-9.]+% .* \[vdso\]'

# --- a process that ends during the run
run "$KBPFPROF" profile -F 997 -f folded -q -- sh -c "$WORKLOADS/share 0.6; sleep 0.4"
within 'a process that ended: named all the same' "$(count '^share;.*burn_')" 20 1000000
within 'a process that ended: unnamed' "$(count '^share;.*process gone')" 0 $(($(count '^share;') / 10))

# --- the kernel: every name is in kallsyms, those of a path in the order of its calls
run "$KBPFPROF" profile -F 997 -f folded -q -- dd if=/dev/zero of=/dev/null bs=64k count=60000
printf '%s\n' "$out" | grep -oE '[^;]*_\[k\]' | sed 's/_\[k\]$//' | sort -u >"$tmp/shown"
awk '{ print $3 }' /proc/kallsyms | sort -u >"$tmp/known"
within 'kernel: different functions' "$(wc -l <"$tmp/shown")" 5 10000
is 'kernel: names that kallsyms has not' "$(grep -v '\[' "$tmp/shown" | comm -23 - "$tmp/known" | head -n 3)" ''
within 'kernel: read(2) by way of its functions' "$(count '^dd;.*ksys_read_\[k\];vfs_read_\[k\];')" 20 1000000

# --- a BPF program of somebody else
cat >"$tmp/spin.bpf.c" <<-END
	static unsigned int (*random)(void) = (void *)7; /* bpf_get_prandom_u32 */
	__attribute__((section("socket"), used)) int spin_in_bpf(void *skb)
	{
		unsigned int sum = 0;
	#pragma clang loop unroll(full)
		for (int i = 0; i < 500; i++)
			sum = sum * 31 ^ random() >> 3;
		return sum == 5;
	}
	char LICENSE[] __attribute__((section("license"), used)) = "GPL";
END
pin=/sys/fs/bpf/kbpfprof-test-$$
at_exit "rm -f $pin"
head -c 64 /dev/zero >"$tmp/packet"
if mountpoint -q /sys/fs/bpf && clang -O2 -target bpf -mcpu=v2 -c "$tmp/spin.bpf.c" -o "$tmp/spin.bpf.o" &&
	bpftool prog load "$tmp/spin.bpf.o" "$pin" type socket; then
	run "$KBPFPROF" profile -F 997 -f folded -q -- bpftool prog run pinned "$pin" data_in "$tmp/packet" repeat 150000
	within 'a BPF program by its name' "$(count '^bpftool;.*;bpf_prog_[0-9a-f]+_spin_in_bpf_\[k\]')" 20 1000000
else
	skip 'a BPF program' 'no file system for BPF at /sys/fs/bpf'
fi

# --- rights that are missing
hidden=(setpriv --bounding-set -syslog --inh-caps -syslog)
if [ "$("${hidden[@]}" grep -c '^0*[1-9a-f]' /proc/kallsyms)" = 0 ]; then
	run "${hidden[@]}" "$KBPFPROF" profile -F 997 -f folded -q -- dd if=/dev/zero of=/dev/null bs=64k count=20000
	is 'kallsyms is hidden: exit status' "$rc" 0
	like 'kallsyms is hidden: said by each frame' "$out" '^dd;.*\[kptr_restrict\]_\[k\] [0-9]+$'
	unlike 'kallsyms is hidden: no kernel name' "$out" 'vfs_read|ksys_read'
else
	skip 'kallsyms is hidden' 'this machine shows it to everybody'
fi
mkdir -m 755 "$tmp/bin"
chmod 755 "$tmp"
install -m 755 "$KBPFPROF" "$tmp/bin/kbpfprof"
stranger=(setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps "+bpf,+perfmon" --ambient-caps "+bpf,+perfmon")
"${stranger[@]}" "$tmp/bin/kbpfprof" profile "${faults[@]}" -p "${tgid[moving]}" -d 1 >"$tmp/out" 2>"$tmp/err" &
profiler=$!
eventually measures
tell moving touch 100
await
is 'a process of somebody else: exit status' "$rc: $err" '0: '
within 'a process of somebody else: its samples are there' "$(count .)" 100 200
if "${stranger[@]}" cat "/proc/${tgid[moving]}/maps" >/dev/null 2>&1; then # newer kernels allow it for CAP_PERFMON
	is 'a process of somebody else: what may be read has names' "$(count 'touch_main ')" 100
else
	is 'a process of somebody else: frames say why they have no name' "$(count '\[no permission\]')" "$(count .)"
fi

finish
