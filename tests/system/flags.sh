#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# CFLAGS, CPPFLAGS and LDFLAGS of the command line reach each compiler and each link, and libraries are still linked as libraries.
set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
	echo "FAIL $1"
	failures=$((failures + 1))
}

# expect FILE WORD...: the last command that makes the file contains all words
expect() {
	file=$1 && shift
	command=$(make -n B="$work" CFLAGS=-O1 CPPFLAGS=-DOTHER LDFLAGS=-Wl,-z,relro "$work/$file" 2>&1 | tail -n 1 | tr '\t' ' ')
	for word; do
		case " $command " in
		*" $word "*) ;;
		*) fail "$file is made without $word: $command" ;;
		esac
	done
}
expect libfairlead.so -shared -Wl,-soname,libfairlead.so.0 -O1 -Wl,-z,relro
expect libdrmaa.so -shared -Wl,-soname,libdrmaa.so.1.0,--exclude-libs,ALL -O1 -Wl,-z,relro
expect fairlead-schedd -O1 -Wl,-z,relro
expect sched/reader/jobs.o -O1 -DOTHER -ffp-contract=off
expect tests/conf/bad -Wl,--wrap=number_double -O1 -Wl,-z,relro
echo "flags: $failures failures"
[ "$failures" = 0 ]
