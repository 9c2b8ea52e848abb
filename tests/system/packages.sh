#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# make on a machine where a package is missing names it and the cure, and compiles nothing. make deps without root and sudo lists the packages.
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

said=$(PKG_CONFIG_LIBDIR=/nonexistent make -f GNUmakefile B="$work/build" all 2>&1) && { echo "FAIL make succeeds without packages"; exit 1; }
case $said in
*"packages are missing"*"make deps"*) ;;
*) echo "FAIL make does not name the cure: $said"; exit 1 ;;
esac
case $said in
*" CC "* | *"fatal error"*) echo "FAIL the compiler was called: $said"; exit 1 ;;
esac

# a machine of an ordinary user that has make, and neither packages nor sudo
mkdir "$work/bin"
for program in make sh grep; do
	ln -s "$(command -v $program)" "$work/bin"
done
printf '#!/bin/sh\necho 1000\n' >"$work/bin/id"
printf '#!/bin/sh\nexit 1\n' >"$work/bin/dpkg"
chmod 755 "$work/bin/id" "$work/bin/dpkg"
said=$(PATH="$work/bin" make -f GNUmakefile deps 2>&1) && { echo "FAIL make deps succeeds without packages and sudo: $said"; exit 1; }
case $said in
*"there is no sudo"*"apt-get install --no-install-recommends gcc make pkg-config "*" libxxhash-dev"*) ;;
*) echo "FAIL make deps does not list the packages: $said"; exit 1 ;;
esac
