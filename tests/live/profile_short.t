#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Processes that are gone before anybody can look at them have names all the same, and each its own:
# whoever had the same number before or after.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"
# shellcheck source=tests/live/profile.sh
. "$here/profile.sh"
need_live
brief=$WORKLOADS/brief
folded=(-e cpu-clock -f folded -q)
build() { ${CC:-gcc} -O2 -g -fno-omit-frame-pointer "$here/../workloads/brief.c" "$@"; }

# unnamed COMM: samples of it with a frame whose process or file came too late for its name
unnamed() { count "^$1;(.*;)?[^;]*\[(process gone|file gone|file changed)\]"; }
# astray COMM: stacks whose user side leads nowhere; the last steps of exec may, where registers are still
# those of the program before
astray() { printf '%s\n' "$out" | grep -E "^$1;\[no mapping\]" | grep -cv '_sys_execve_\[k\]'; }

# --- many, one after the other: every one is another process that lives for some 20 ms
run "$KBPFPROF" profile -F 499 "${folded[@]}" -- "$brief" spawn 1000 "$brief" burn 18
is '1000 processes: exit status' "$rc" 0
all=$(count '^brief;')
within '1000 processes: their samples' "$all" 6000 20000
within '1000 processes: in their function (percent)' "$(($(count '^brief;.*;main;burn_brief( |;)|^brief;.*;burn;burn_brief( |;)') * 100 / all))" 60 100
is '1000 processes: samples without names' "$(unnamed brief)" 0
is '1000 processes: samples that lead nowhere' "$(astray brief)" 0
like '1000 processes: the first frames, too' "$out" '^brief;.*_start;.*main'

# The whole machine, which does not know of them beforehand; a shell as the parent, cold binaries, each another file.
for i in {1..60}; do cp "$brief" "$tmp/cold$i"; done
start -F 499 "${folded[@]}" -d 60
for i in {1..60}; do "$tmp/cold$i" burn 15 2>/dev/null; done
end
is 'cold files: exit status' "$rc" 0
within 'cold files: programs seen' "$(printf '%s\n' "$out" | grep -oE '^cold[0-9]+;.*burn_brief' | cut -d';' -f1 | sort -u | wc -l)" 50 60
is 'cold files: samples without names' "$(unnamed 'cold[0-9]+')" 0

# --- one number, three programs, their functions at one address
for x in a b c; do build -no-pie -DNAME=burn_$x -o "$tmp/chain_$x"; done
is 'exec: functions at one address' "$(for x in a b c; do nm "$tmp/chain_$x" | sed -n "s/ T burn_$x\$//p"; done | sort -u | wc -l)" 1
chain=("$brief" spawn 10 "$tmp/chain_a" burn 10 "$tmp/chain_b" burn 10 "$tmp/chain_c" burn 10)

# --- one number, two processes
cat >"$tmp/reuse" <<-END
	for i in {1..6}; do
		for x in a b; do
			echo 4000 >/proc/sys/kernel/ns_last_pid
			"$tmp/reuse_\$x" burn 15 &
			echo \$! >>"$tmp/numbers"
			wait
		done
	done
END
for x in a b; do cp "$tmp/chain_$x" "$tmp/reuse_$x"; done

# --- a library that comes in a short life
cat >"$tmp/plugin.c" <<-END
	#include <time.h>
	static void hidden_in_plugin(void) __attribute__((noinline));
	static void hidden_in_plugin(void)
	{
		for (volatile int i = 0; i < 20000; i++)
			;
	}
	void plugin_burn(void);
	void plugin_burn(void)
	{
		for (clock_t end = clock() + 15000; clock() < end;)
			hidden_in_plugin();
		__asm__ volatile("");
	}
END
gcc -O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -shared -fPIC "$tmp/plugin.c" -o "$tmp/plugin.so"

# --- files that others replace as soon as their process has ended
for x in b c; do ln -s "$tmp/replaced" "$tmp/was_$x"; done
ln -s "$tmp/rewritten" "$tmp/is_b"

# Looks happen when they do. So that none comes in time the profiler is stopped until all is over.
cp "$brief" "$tmp/lone"
mkfifo "$tmp/go"
cat >"$tmp/unseen" <<-END
	read -r go <"$tmp/go"
	${chain[*]}
	unshare --pid --fork --mount-proc bash "$tmp/reuse"
	$brief spawn 10 $brief library "$tmp/plugin.so" plugin_burn
	"$tmp/lone" fork 10 30
	cp "$tmp/chain_b" "$tmp/replaced"
	"$tmp/was_b" burn 60
	rm "$tmp/replaced"
	cp "$tmp/chain_c" "$tmp/replaced"
	"$tmp/was_c" burn 60
	cp "$tmp/chain_b" "$tmp/rewritten"
	"$tmp/is_b" burn 60
	cat "$tmp/chain_c" >"$tmp/rewritten"
	touch "$tmp/all-over"
END
start -F 999 --max-stacks 65536 "${folded[@]}" -- bash "$tmp/unseen"
kill -STOP "$profiler"
eventually grep -q '^State:.T' "/proc/$profiler/status"
echo >"$tmp/go"
eventually test -e "$tmp/all-over"
kill -CONT "$profiler"
await
is 'gone before a look: exit status' "$rc" 0
for x in a b c; do within "exec: $x in its own function" "$(count "^chain_$x;.*burn_$x( |;)")" 50 1000; done
is 'exec: none in a function of another' "$(count '^chain_a;.*burn_[bc]|^chain_b;.*burn_[ac]|^chain_c;.*burn_[ab]')" 0
is 'exec: samples without names' "$(unnamed 'chain_[abc]')" 0
is 'exec: stacks that lead nowhere' "$(astray 'chain_[abc]')" 0
is 'reuse: 12 processes had one number' "$(sort "$tmp/numbers" | uniq -c | awk '{ print $1 }')" 12
for x in a b; do within "reuse: $x in its own function" "$(count "^reuse_$x;.*burn_$x( |;)")" 50 1000; done
is 'reuse: none in the function of the other' "$(count '^reuse_a;.*burn_b|^reuse_b;.*burn_a')" 0
is 'reuse: samples without names' "$(unnamed 'reuse_[ab]')" 0
within 'dlopen: in the library' "$(count '^brief;.*;plugin_burn;hidden_in_plugin( |;)')" 60 1000
is 'dlopen: samples without names' "$(unnamed brief)" 0
within 'fork: in the function of the child' "$(count '^lone;.*;burn_child( |;)')" 80 1000
is 'fork: samples without names' "$(unnamed lone)" 0
for x in was_b is_b; do
	within "replaced: $x, seen, and said why it has no names" "$(count "^$x;.*\[file (gone|changed)\]")" 30 1000
	is "replaced: $x, no names of who came after" "$(count "^$x;.*burn_[abc]")" 0
done
within 'replaced: was_c, which is still there' "$(count '^was_c;.*burn_c( |;)')" 30 1000
within 'rewritten: said' "$(count '^is_b;.*\[file changed\]')" 30 1000

# --- looks in between: any may come while one program or process follows another
run "$KBPFPROF" profile -F 999 "${folded[@]}" -- "${chain[@]}"
for x in a b c; do within "exec, looked at: $x in its own function" "$(count "^chain_$x;.*burn_$x( |;)")" 50 1000; done
is 'exec, looked at: none in a function of another' "$(count '^chain_a;.*burn_[bc]|^chain_b;.*burn_[ac]|^chain_c;.*burn_[ab]')" 0
is 'exec, looked at: samples without names' "$(unnamed 'chain_[abc]')" 0
run "$KBPFPROF" profile -F 999 "${folded[@]}" -- unshare --pid --fork --mount-proc bash "$tmp/reuse"
for x in a b; do within "reuse, looked at: $x in its own function" "$(count "^reuse_$x;.*burn_$x( |;)")" 50 1000; done
is 'reuse, looked at: none in the function of the other' "$(count '^reuse_a;.*burn_b|^reuse_b;.*burn_a')" 0
is 'reuse, looked at: samples without names' "$(unnamed 'reuse_[ab]')" 0

# --- an older process that ends with its first samples: it was asked for, so it is known
puppet older
start -e page-faults -c 1 -f folded -q -p "${tgid[older]}"
printf 'touch 100\nquit 0\n' >&"${puppet_in[older]}"
await
is 'an older process: exit status' "$rc" 0
is 'an older process: named though it is gone at once' "$(count '^puppet;.*;touch_main ')" 100

# --- children of an older process that never exec: a shell's subshells
cp "$(command -v bash)" "$tmp/subsh"
mkfifo "$tmp/begin"
"$tmp/subsh" -c "read -r go <'$tmp/begin'; for i in {1..20}; do (i=0; while ((i++ < 3000)); do :; done); done; :" &
subsh=$!
at_exit "kill_child $subsh"
eventually grep -q subsh "/proc/$subsh/comm"
start -F 499 "${folded[@]}" -d 60
echo >"$tmp/begin"
wait "$subsh"
end
within 'subshells: samples' "$(count '^subsh;')" 20 100000
is 'subshells: samples without names' "$(unnamed subsh)" 0

# --- deleted while it runs
cp "$tmp/chain_a" "$tmp/deleted"
start -F 499 "${folded[@]}" -d 60
"$tmp/deleted" burn 300 &
deleted=$!
eventually grep -q deleted "/proc/$deleted/comm"
rm "$tmp/deleted"
wait "$deleted"
end
within 'deleted while it runs: named' "$(count '^deleted;.*burn_a( |;)')" 50 1000
is 'deleted while it runs: samples without names' "$(unnamed deleted)" 0

# --- files that only the mount namespace of the process has: that of its parent is the same
mkdir "$tmp/root"
cp "$brief" "$tmp/inner"
cat >"$tmp/in-mount" <<-END
	mount -t tmpfs none "$tmp/root"
	cp "$tmp/inner" "$tmp/root/inner"
	for i in {1..10}; do "$tmp/root/inner" burn 18; done
	:
END
run "$KBPFPROF" profile -F 499 "${folded[@]}" -- unshare --mount bash "$tmp/in-mount"
within 'in a mount namespace: in their function' "$(count '^inner;.*burn_brief( |;)')" 40 1000
is 'in a mount namespace: samples without names' "$(unnamed inner)" 0

# --- numbers are those of the namespace that the profiler is in
run unshare --pid --fork --kill-child --mount-proc "$KBPFPROF" profile -F 499 "${folded[@]}" -s pid -- \
	"$brief" spawn 20 "$brief" burn 18
within 'in a pid namespace: in their function' "$(count '^brief-[0-9][0-9]?;.*burn_brief( |;)')" 80 1000
is 'in a pid namespace: samples without names' "$(unnamed 'brief-[0-9]+')" 0

# --- what has no user side needs none: nothing is opened
opened() { strace -qq -f -e trace=perf_event_open -o "$tmp/strace" "$KBPFPROF" profile -e cpu-clock -d 100ms -q "$@" >/dev/null 2>&1; grep -c COUNT_SW_DUMMY "$tmp/strace"; }
is 'kernel stacks only: processes are not watched' "$(opened -K)" 0
within 'else they are, on every CPU' "$(opened)" 1 4096

finish
