#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# -G: cgroups of v2 and of v1, with what lies below them and without what lies beside.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"
# shellcheck source=tests/live/profile.sh
. "$here/profile.sh"
need_live
# shellcheck disable=SC2154 # tgid and tid are set by puppet

faults=(-e page-faults -c 1 -f folded -q)
name=kbpfprof-test-$$

# mount_of TYPE [OPTION]: where such a cgroup file system is mounted
mount_of() { awk -v type="$1" -v option="${2:-}" '$3 == type && (option == "" || ","$4"," ~ ","option",") { print $2; exit }' /proc/self/mounts; }

# make_cgroups MOUNT: outer/inner and beside; taken away at the end
make_cgroups() {
	mkdir -p "$1/$name/outer/inner" "$1/$name/beside" || return 1
	at_exit "sleep 0.2; rmdir '$1/$name/outer/inner' '$1/$name/outer' '$1/$name/beside' '$1/$name'"
}
# into CGROUP NAME: moves the puppet
into() { echo "${tgid[$2]}" >"$1/cgroup.procs"; }

# let_all_touch: each puppet, and a child of it, in the same number of pages
let_all_touch() {
	tell outer touch 100
	tell inner touch 30
	tell inner fork 7
	tell beside touch 1000
	tell nowhere touch 10000
}

# check_hierarchy VERSION MOUNT
check_hierarchy() {
	make_cgroups "$2" || return
	into "$2/$name/outer" outer
	into "$2/$name/outer/inner" inner
	into "$2/$name/beside" beside
	start "${faults[@]}" -G "$2/$name/outer" -s pid
	let_all_touch
	end
	is "$1: exit status" "$rc" 0
	is "$1: the cgroup itself, and what is below it" "$(count 'touch_main ')" 130
	is "$1: a child born in it" "$(count 'touch_child ')" 7
	is "$1: the one below" "$(count "^puppet-${tgid[inner]};.*touch_main ")" 30
	start "${faults[@]}" -G "$2/$name/outer/inner"
	let_all_touch
	end
	is "$1: the inner one, without that above it" "$(count 'touch_main ')" 30
	start "${faults[@]}" -G "$2/$name"
	let_all_touch
	end
	is "$1: all below a cgroup that holds no task" "$(count 'touch_main ')" 1130
	start "${faults[@]}" -G "$2/$name/outer" -p "${tgid[inner]},${tgid[beside]}"
	let_all_touch
	end
	is "$1: with -p both must hold" "$(count 'touch_main ')" 30
	start "${faults[@]}" -G "$2/$name/outer"
	tell nowhere touch 1
	into "$2/$name/outer" nowhere
	tell nowhere touch 500
	into "$2" nowhere
	tell nowhere touch 3
	end
	is "$1: a task that comes and goes is measured while it is there" "$(count 'touch_main ')" 500
}

for who in outer inner beside nowhere; do puppet $who; done

v2=$(mount_of cgroup2)
if [ -n "$v2" ]; then
	check_hierarchy v2 "$v2"
	start "${faults[@]}" -G "$name/outer"
	let_all_touch
	end
	is 'v2: named by its path below the mount' "$(count 'touch_main ')" 130
	start "${faults[@]}" -G "/$name/outer/"
	let_all_touch
	end
	is 'v2: slashes do not matter' "$(count 'touch_main ')" 130
	start -e page-faults -c 1 -G "$name/outer"
	let_all_touch
	end
	like 'v2: the header names it' "$out" "^profile of cgroup $name/outer: "
	within 'v2: others are other tasks' "$(term 'other tasks')" 11000 10000000

	# As a container sees it: the root of its hierarchy lies somewhere in ours.
	via="unshare --mount --cgroup sh -c" # its one word is the script
	cat >"$tmp/contained" <<-END
		#!/bin/bash
		echo \$\$ >$v2/$name/outer/cgroup.procs
		mkdir $tmp/cg
		exec unshare --mount --cgroup bash -c 'mount -t cgroup2 none $tmp/cg && exec "\$@"' - "\$@"
	END
	chmod +x "$tmp/contained"
	via=$tmp/contained
	start "${faults[@]}" -G "$tmp/cg/inner"
	let_all_touch
	end
	via=
	is 'v2: in a cgroup namespace' "$rc: $(count 'touch_main ')" '0: 30'
else
	skip 'v2' 'no cgroup2 is mounted'
fi

v1=$(mount_of cgroup cpu)
if [ -n "$v1" ]; then
	check_hierarchy v1 "$v1"
else
	skip 'v1' 'no cgroup v1 with the controller cpu is mounted'
fi
v1=$(mount_of cgroup name=systemd)
if [ -n "$v1" ]; then
	make_cgroups "$v1"
	run "$KBPFPROF" profile -d 1 -G "$v1/$name/outer"
	is 'v1 without a controller: not possible' "$rc" 4
	like 'v1 without a controller is said' "$err" "^kbpfprof profile: cgroup $v1/$name/outer cannot be followed: its v1 hierarchy has no controller"
else
	skip 'v1 without a controller' 'none is mounted'
fi

for wrong in no-such-cgroup /proc/self "$tmp" ''; do
	run "$KBPFPROF" profile -d 1 -G "$wrong"
	is "-G '$wrong' is no cgroup: exit status" "$rc" 1
	like "-G '$wrong' is no cgroup: said" "$err" "^kbpfprof profile: no cgroup $wrong \("
done

finish
