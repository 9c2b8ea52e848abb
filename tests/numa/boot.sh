#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# boot.sh SCRIPT FILE...: run SCRIPT as root on a machine with four NUMA nodes, and end with its exit status.
#
# The machine is emulated: 8 CPUs, 4 nodes of $NODE_MIB MiB, unequal distances, an empty disk of 1 GiB; the kernel is the one at $KERNEL, or
# Debian's cloud kernel, unpacked from its package and kept in $B. It has busybox, and FILES, with the libraries they need, in /test, where
# SCRIPT finds itself. The emulation is true as to where pages lie; it says nothing of speed. 77: it is not available.
set -u
NODE_MIB=${NODE_MIB:-320}
KERNEL=${KERNEL:-${B:-build}/tests/numa/vmlinuz}
script=$1
shift
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
root=$work/root

cannot() {
	echo "no machine with four nodes: $1"
	exit 77
}
. "$(dirname "$0")/kernel.sh"

# Puts a program's libraries where it will look for them.
libraries_copy() {
	ldd "$1" 2>/dev/null | grep -o '/[^ ]*' | while read -r library; do
		mkdir -p "$root$(dirname "$library")" && cp -L "$library" "$root$library" || exit 1
	done
}

root_make() {
	mkdir -p "$root/bin" "$root/dev" "$root/proc" "$root/sys" "$root/tmp" "$root/test"
	cp "$(command -v busybox)" "$root/bin/" && ln -s busybox "$root/bin/sh" && cp -R "$script" "$@" "$root/test/" || exit 1
	for file in "$@"; do
		[ -d "$file" ] || libraries_copy "$file" || exit 1
	done
	cat >"$root/init" <<-END
		#!/bin/sh
		export PATH=/bin:/test
		/bin/busybox --install -s /bin
		mount -t proc none /proc
		mount -t sysfs none /sys
		mount -t devtmpfs none /dev
		mkdir /dev/shm
		mount -t tmpfs -o size=90% none /dev/shm
		cd /test
		sh ./$(basename "$script")
		echo "guest: exit \$?"
		poweroff -f
	END
	chmod +x "$root/init"
	(cd "$root" && find . | cpio --quiet -o -H newc) >"$work/initramfs" || exit 1
}

node() {	# NUMBER: its memory and its two CPUs
	echo "-object memory-backend-ram,id=m$1,size=${NODE_MIB}M -numa node,nodeid=$1,cpus=$((2 * $1))-$((2 * $1 + 1)),memdev=m$1"
}

# shellcheck disable=SC2046  # words are meant
machine_run() {
	timeout "${SECONDS_MAX:-540}" qemu-system-x86_64 -accel tcg,thread=multi -machine q35 -cpu max -smp 8,sockets=4,cores=2 -m $((4 * NODE_MIB)) \
		$(node 0) $(node 1) $(node 2) $(node 3) \
		-numa dist,src=0,dst=1,val=12 -numa dist,src=0,dst=2,val=21 -numa dist,src=0,dst=3,val=21 \
		-numa dist,src=1,dst=2,val=21 -numa dist,src=1,dst=3,val=21 -numa dist,src=2,dst=3,val=12 \
		-kernel "$KERNEL" -initrd "$work/initramfs" -append "console=ttyS0 quiet panic=-1 ${KERNEL_OPTIONS:-}" \
		-display none -serial stdio -monitor none -nic none -no-reboot \
		-drive "file=$work/disk,format=raw,if=none,id=disk" -device nvme,drive=disk,serial=1 </dev/null
}

for program in qemu-system-x86_64 busybox cpio apt-get dpkg-deb; do
	command -v $program >/dev/null || cannot "no $program"
done
[ -e "$KERNEL" ] || kernel_fetch
root_make "$@"
truncate -s 1G "$work/disk"
machine_run | tr -d '\r' | tee "$work/console"
code=$(sed -n 's/^guest: exit //p' "$work/console")
[ -n "$code" ] || { echo "the guest did not come to its end"; exit 1; }
exit "$code"
