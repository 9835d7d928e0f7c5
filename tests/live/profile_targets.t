#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Which tasks are measured: puppets make known numbers of page faults, and each one is sampled.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"
# shellcheck source=tests/live/profile.sh
. "$here/profile.sh"
need_live
# shellcheck disable=SC2154 # tgid and tid are set by puppet

faults=(-e page-faults -c 1 -f folded)
puppet a
puppet b

# --- processes
start "${faults[@]}" -p "${tgid[a]}" -s pid,tid
tell a touch 100
tell a worker 50
tell a thread 40
thread=$answer
tell a fork 30
child=$answer
tell a deep 20
tell b touch 70
tell b fork 60
end
is '-p: exit status' "$rc" 0
is '-p: main thread' "$(count "^puppet-${tgid[a]}/${tgid[a]};.*touch_main ")" 100
is '-p: thread that was there before' "$(count "^puppet-${tgid[a]}/${tid[a]};.*touch_worker ")" 50
is '-p: thread born later' "$(count "^puppet-${tgid[a]}/$thread;.*touch_thread ")" 40
is '-p: child born later, and its child' "$(count 'touch_child ')" 50
is '-p: the child under its own numbers' "$(count "^puppet-$child/$child;.*touch_child ")" 30
is '-p: callers of the leaf' "$(count ';main;touch_pages;touch_main |;main;obey;touch_pages;touch_main ')" 100
is '-p: nothing of others' "$(count "^puppet-${tgid[b]}/|touch_main ")" 100

start "${faults[@]}" -p "${tgid[a]},${tgid[b]}" -s pid
tell a touch 100
tell b touch 70
tell b fork 60
end
is '-p of two: the first' "$(count "^puppet-${tgid[a]};.*touch_main ")" 100
is '-p of two: the second' "$(count "^puppet-${tgid[b]};.*touch_main ")" 70
is '-p of two: child' "$(count 'touch_child ')" 60

start "${faults[@]}" --no-inherit -p "${tgid[a]}"
tell a touch 100
tell a worker 50
tell a thread 40
tell a fork 30
end
is '--no-inherit: the process and all its threads' "$(count 'touch_(main|worker|thread) ')" 190
is '--no-inherit: no child' "$(count 'touch_child ')" 0

# --- what is left out is in the books
start -e page-faults -c 1 -p "${tgid[a]}"
tell a touch 100
tell b touch 700
end
within 'the target is kept' "$(term kept)" 100 160
within 'others are other tasks' "$(term 'other tasks')" 700 1000000
is 'nothing is lost' "$(term lost)" 0
like 'the header names the process' "$out" "^profile of PID ${tgid[a]} \(puppet\): [0-9]+ samples in"

# --- threads
start "${faults[@]}" -t "${tid[a]}" -s tid
tell a touch 100
tell a worker 50
tell a thread 40
tell a fork 30
end
is '-t: that thread' "$(count "^puppet[-/].*${tid[a]};.*touch_worker ")" 50
is '-t: no other' "$(count 'touch_(main|thread|child) ')" 0

start "${faults[@]}" -t "${tid[a]},${tgid[b]}"
tell a touch 100
tell a worker 50
tell b touch 70
tell b worker 60
tell b thread 40
tell b fork 30
end
is '-t of two: the first' "$(count 'touch_worker ')" 50
is '-t of two: the second, and not its process' "$(count 'touch_main ')" 70
is '-t: what it starts' "$(count 'touch_(thread|child) ')" 70

start "${faults[@]}" --no-inherit -t "${tgid[b]}"
tell b touch 70
tell b thread 40
tell b fork 30
end
is '-t --no-inherit: that thread' "$(count 'touch_main ')" 70
is '-t --no-inherit: nothing that it starts' "$(count 'touch_(thread|child) ')" 0

start "${faults[@]}" -t "${tid[a]}" -p "${tgid[b]}"
tell a touch 100
tell a worker 50
tell b touch 70
end
is '-t and -p: either will do' "$(count 'touch_main ') $(count 'touch_worker ')" '70 50'

# --- names
tell a comm a-name-of-15-byt
tell b comm a-name-of
start "${faults[@]}" --comm a-name-of
tell a touch 100
tell b touch 70
end
is '--comm: the whole name, not its start' "$(count 'touch_main ') $(count '^a-name-of;')" "70 $(count .)"
start "${faults[@]}" --comm a-name-of-15-bytes-and-more,no-such
tell a touch 100
tell b touch 70
end
is '--comm: cut at 15 bytes, as the kernel does' "$(count '^a-name-of-15-by;.*touch_main ') $(count 'touch_main ')" '100 100'
start "${faults[@]}" --comm a-name-of,a-name-of-15-by
tell a touch 100
tell b touch 70
tell a fork 30
end
is '--comm of two' "$(count 'touch_main ') $(count 'touch_child ')" '170 30'
start "${faults[@]}" --comm a-name-of -p "${tgid[a]},${tgid[b]}"
tell a touch 100
tell b touch 70
end
is '--comm and -p: both must hold' "$(count 'touch_main ')" 70

# --- CPUs
read -r first rest < <(taskset -pc $$ | sed 's/.*: //; s/[-,]/ /g')
last=${rest##* }
if [ -n "$last" ]; then
	tell a cpu "$first"
	tell b cpu "$last"
	start "${faults[@]}" -C "$last"
	tell a touch 100
	tell b touch 70
	end
	is '-C: only what runs there' "$(count 'touch_main ')" 70
	start "${faults[@]}" -C "$first,$last" -p "${tgid[a]}"
	tell a touch 100
	tell b touch 70
	end
	is '-C and -p: both must hold' "$(count 'touch_main ')" 100
	start -e page-faults -c 1 --top 0 -C "$first,$last" -p "${tgid[a]},${tgid[b]}" -s pid,cpu,sym
	tell a touch 100
	tell b touch 300
	end
	like '-s: columns in the order of the keys' "$out" '^overhead +(\+-|±)95% +PID +CPU +symbol'
	like '-s cpu: the CPU of the one' "$out" "^ +[0-9.]+% +(\+-|±)[0-9.]+ +${tgid[a]} +$first +(\[\.\] +)?touch_main"
	like '-s cpu: the CPU of the other' "$out" "^ +[0-9.]+% +(\+-|±)[0-9.]+ +${tgid[b]} +$last +(\[\.\] +)?touch_main"
	unlike '-s cpu: none on the other CPU' "$out" "${tgid[a]} +$last +touch|${tgid[b]} +$first +touch"
	like 'the header counts CPUs' "$out" 'on 2 CPUs$'
else
	skip '-C' 'one CPU'
fi
run "$KBPFPROF" profile -C 9999 -d 1
is '-C of a CPU that there is not' "$rc" 1
is '-C of a CPU that there is not is said' "$err" 'kbpfprof profile: -C 9999: CPU 9999 is not online'

start -e page-faults -c 1 --top 0 -p "${tgid[a]}" -s tid,comm,dso,sym
tell a touch 100
tell a worker 300
end
like '-s: a row a thread' "$out" "^ +[0-9.]+% +(\+-|±)[0-9.]+ +${tgid[a]} +a-name-of-15-by +puppet +(\[\.\] +)?touch_main"
like '-s: the other thread' "$out" "^ +[0-9.]+% +(\+-|±)[0-9.]+ +${tid[a]} +puppet +puppet +touch_worker"

# --- the end of the target ends the run
start "${faults[@]}" -p "${tgid[a]},${tgid[b]}"
tell a touch 100
sleep 0.3 # so that both were looked at before their end
dismiss a
sleep 0.3
ok 'the run goes on while a target lives' kill -0 "$profiler"
tell b touch 70
sleep 0.3
dismiss b
ok 'the end of the last target ends the run' eventually gone "$profiler"
await
is 'exit status' "$rc" 0
is 'targets that ended have their names' "$(count 'touch_main ')" 170

puppet c
start "${faults[@]}" -t "${tid[c]}"
tell c worker 50
sleep 0.3
dismiss c
ok 'the end of the thread ends the run' eventually gone "$profiler"
await
is 'the thread that ended' "$(count 'touch_worker ')" 50

# --- numbers that are none
run "$KBPFPROF" profile -p 4999999 -d 1
is '-p of no process' "$rc: $err" '1: kbpfprof profile: no process with PID 4999999'
run "$KBPFPROF" profile -t 4999999 -d 1
is '-t of no thread' "$rc: $err" '1: kbpfprof profile: no thread with TID 4999999'
puppet d
run "$KBPFPROF" profile -p "${tid[d]}" -d 1
is '-p of a thread is a usage error' "$rc" 129
like '-p of a thread: what to do' "$err" "^kbpfprof profile: ${tid[d]} is a thread of PID ${tgid[d]} \(use -t ${tid[d]} .* -p ${tgid[d]} "

finish
