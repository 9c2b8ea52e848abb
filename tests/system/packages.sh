#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# make on a machine where a package is missing names it and the cure, and compiles nothing.
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
