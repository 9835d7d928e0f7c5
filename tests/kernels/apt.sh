# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Packages of other Debian releases, downloaded and unpacked into the cache, not installed. Sourced after
# common.sh; call work_alone first.
#
# The mirror is the one of this machine's apt configuration. apt checks the signatures; it works on
# lists of its own, so those of the machine stay as they are and no root is needed.
# Needs the Debian packages apt, dpkg, debian-archive-keyring, tar, util-linux (part of every Debian)
# and mawk or gawk.

keyring=/usr/share/keyrings/debian-archive-keyring.gpg
codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-sid}")
work=${cache:?comes from common.sh}/work # apt's lists, .debs and half-unpacked things: gone at the end

# work_alone: makes $work; one fetch works at a time, others wait. Sets the traps of EXIT and signals.
work_alone() {
	command -v apt-get > /dev/null || die "needs apt: what it fetches is Debian's"
	[ -r "$keyring" ] || die "needs $keyring (package debian-archive-keyring)"
	mkdir -p "$cache"
	exec 9> "$cache/lock"
	flock -n 9 || { say "waiting for another fetch" && flock 9; }
	rm -rf "$work" # of a run that was killed
	mkdir "$work"
	trap 'rm -rf "$work"' EXIT
	trap 'exit 130' INT TERM HUP
}

# mirror_of SUITE: the address from which this machine's apt has its own release, or that one's security updates
mirror_of() {
	local suffix='' sites
	case $1 in *-security) suffix=-security ;; esac
	# Other archives name their suites after Debian's releases too: Debian's usual path goes first.
	sites=$(apt-get update --print-uris 2> /dev/null |
		sed -nE "s#^'(.*)/dists/($codename|oldstable|stable|testing|unstable|sid)$suffix/main/.*#\1#p" | sort -u)
	{ grep -E "/debian$suffix\$" <<< "$sites" || echo "$sites"; } | head -n 1
}

# use_suites STATUS ARCH SUITE...: from here on apt_get and apt_cache know these alone; STATUS: dpkg's list of
# what is installed. Lists are loaded once a run.
use_suites() {
	local status=$1 arch=$2 suite site
	shift 2
	state=$work/apt-$arch-$1-$#
	[ ! -d "$state" ] || return 0
	mkdir -p "$state/lists/partial" "$state/archives/partial"
	cp "$status" "$state/status"
	for suite; do
		site=$(mirror_of "$suite")
		[ -n "$site" ] || site=$(mirror_of main)-security
		[ "$site" != -security ] || die "apt's configuration names no Debian mirror"
		echo "deb [arch=$arch signed-by=$keyring target=Packages] $site $suite main"
	done > "$state/sources.list"
	# Read after the machine's configuration, whose proxy and credentials stay in force.
	# Check-Valid-Until: a frozen mirror is good enough for a test kernel.
	cat > "$state/apt.conf" <<-END
		APT::Architecture "$arch";
		#clear APT::Architectures;
		APT::Architectures "$arch";
		APT::Sandbox::User "";
		APT::Default-Release "";
		Dir::Etc::sourcelist "$state/sources.list";
		Dir::Etc::sourceparts "/dev/null";
		Dir::Etc::preferences "/dev/null";
		Dir::Etc::preferencesparts "/dev/null";
		Dir::State "$state";
		Dir::State::lists "lists";
		Dir::State::status "$state/status";
		Dir::Cache "$state";
		Dir::Cache::archives "archives";
		Dir::Cache::pkgcache "pkgcache.bin";
		Dir::Cache::srcpkgcache "";
		Acquire::Languages "none";
		Acquire::Check-Valid-Until "false";
		Acquire::Retries "3";
		#clear APT::Update::Pre-Invoke;
		#clear APT::Update::Post-Invoke;
		#clear APT::Update::Post-Invoke-Success;
	END
	apt_get update -o APT::Update::Error-Mode=any || say "warning: $*: $(apt_error)"
}

apt_get() {
	apt-get -c "$state/apt.conf" -q "$@" > "$work/log" 2>&1
}

apt_error() {
	grep -m 1 '^[EW]:' "$work/log" || echo "apt-get failed, saying nothing"
}

apt_cache() {
	apt-cache -c "$state/apt.conf" "$@" 2> /dev/null
}

# unpack DIR DEB...: into DIR, made anew; the .debs go. Left out is what only fills the disk.
unpack() {
	local dir=$1 deb
	shift
	rm -rf "$dir"
	mkdir -p "$dir"
	for deb; do
		dpkg-deb --fsys-tarfile "$deb" > "$work/tar" || return 1
		tar -x -C "$dir" -f "$work/tar" --no-same-owner --exclude='./lib/modules/*/kernel' \
			--exclude='./usr/lib/modules/*/kernel' --exclude=./usr/share/doc --exclude=./usr/share/man \
			--exclude=./usr/share/locale || return 1
		rm -f "$deb" "$work/tar"
	done
}

# download PACKAGE...: the .debs, into an empty $work/debs
download() {
	rm -rf "$work/debs"
	mkdir "$work/debs"
	(cd "$work/debs" && apt_get download "$@")
}
