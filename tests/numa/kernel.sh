# SPDX-License-Identifier: Apache-2.0
# Debian's cloud kernel for emulated machines, for tests/numa/boot.sh and tests/packages/run: unpacked from its package and kept at
# $KERNEL. $work is a directory for temporary files, and cannot REASON ends the test.
# shellcheck shell=sh disable=SC2154
# The kernel that the package of the newest one depends on.
kernel_fetch() {
	package=$(apt-cache depends linux-image-cloud-amd64 2>/dev/null | sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1)
	[ -n "$package" ] || cannot "apt-cache knows no linux-image-cloud-amd64"
	echo "fetching $package"
	mkdir -p "$(dirname "$KERNEL")"
	(cd "$work" && apt-get -qq download "$package" && dpkg-deb -x ./linux-image-*.deb kernel) >"$work/log" 2>&1 &&
		mv "$work"/kernel/boot/vmlinuz-* "$KERNEL" || cannot "$package cannot be fetched: $(tail -n 1 "$work/log")"
}
