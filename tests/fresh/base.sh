# SPDX-License-Identifier: Apache-2.0
# Functions that make a root of Debian 12, for tests/fresh/run and tests/packages/run. The archive of the base system is kept in
# $FAIRLEAD_FRESH (default /var/cache/fairlead-fresh). $root is the directory of the root.
# shellcheck shell=bash
release=bookworm
cache=${FAIRLEAD_FRESH:-/var/cache/fairlead-fresh}

skip() {
	echo "$1"
	exit 77
}

# The Debian archives that this machine uses, one a line: URI, release, component.
archives() {
	apt-get indextargets --no-release-info --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
		awk -v release="$release" '$2 == release || index($2, release "-") == 1' | sort -u
}

# Make the archive of the base system, unless a recent one is there.
make_base() {
	[ -z "$(find "$cache/$release.tar" -mtime -30 2>/dev/null)" ] || return 0
	mkdir -p "$cache"
	local work mirror
	work=$(mktemp -d "$cache/base.XXXXXX")
	# the first archive that has the release itself; without one debootstrap's own default
	mirror=$(archives | awk -v release="$release" '$2 == release { print $1; exit }')
	if ! debootstrap --variant=minbase "$release" "$work" ${mirror:+"$mirror"} >"$cache/log" 2>&1; then
		tail -n 5 "$cache/log"
		rm -rf "$work"
		skip "debootstrap cannot make a base system; $cache/log"
	fi
	tar -C "$work" --numeric-owner -cf "$cache/$release.tar.new" .
	rm -rf "$work"
	mv "$cache/$release.tar.new" "$cache/$release.tar"
}

# Let apt in the new root fetch packages from where this machine does.
configure_apt() {
	apt-config dump Acquire | grep -v '^Acquire::IndexTargets\|^Acquire::Languages' >"$root/etc/apt/apt.conf.d/00machine"
	archives | sed 's/^/deb /' >"$root/sources"
	[ ! -s "$root/sources" ] || mv "$root/sources" "$root/etc/apt/sources.list"
	rm -f "$root/sources"
	for keys in auth.conf.d trusted.gpg.d; do
		[ ! -d "/etc/apt/$keys" ] || cp -a "/etc/apt/$keys/." "$root/etc/apt/$keys/"
	done
	cp /etc/resolv.conf /etc/hosts "$root/etc/"
}
