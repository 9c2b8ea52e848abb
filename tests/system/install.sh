#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program of somebody else's finds what was installed through pkg-config, compiles against it, links, and reads a run. The library
# exports what its header declares and nothing else. Cells have no faults, verbs have pages, and units start what is there.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
work=$(mktemp -d) && export FAIRLEAD_SHM="$work/shm" && mkdir "$FAIRLEAD_SHM" "$work/cell" || exit 1
echo '# the defaults' >"$work/cell/sched_conf"
trap 'rm -rf "$work"' EXIT
for program in make pkg-config nm "${CC:=cc}"; do
	command -v "$program" >/dev/null || { echo "no $program"; exit 77; }
done
failures=0

fail() {
	echo "FAIL $1"
	failures=$((failures + 1))
}

# libfairlead.so is all that a build with sanitizers can't share with a program without
! nm -D "$B/libfairlead.so" | grep -q '__asan_\|__tsan_\|__ubsan_' || { echo "$B is built with sanitizers"; exit 77; }

make -s B="$B" DESTDIR="$work/root" prefix=/usr install >"$work/log" 2>&1 || fail "make install: exit status $?"
lib=$work/root/usr/lib
nm -D --defined-only "$lib/libfairlead.so" | awk '{ print $3 }' | sort >"$work/exported"
sed -n 's/^FL_API .*[ *]\(fl_[a-z_]*\)(.*/\1/p' sched/reader/fairlead.h | sort >"$work/declared"
diff "$work/declared" "$work/exported" || fail "declared and exported functions differ"

cat >"$work/reader.c" <<'END'
#include <fairlead.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	struct fl_cell *cell;
	struct fl_job job;

	if (argc != 2 || fl_attach(&cell, argv[1]))
		return 1;
	if (fl_get(fl_begin(cell), FL_PENDING, 0, &job) == 0)
		printf("%u %s\n", job.job_number, job.owner);
	return fl_end(cell);
}
END
export PKG_CONFIG_PATH="$lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$work/root"
for compiler in "$CC -std=c99 -pedantic" "c++ -x c++"; do
	command -v "${compiler%% *}" >/dev/null || continue
	# shellcheck disable=SC2046
	$compiler -Wall -Wextra -Werror -o "$work/reader" "$work/reader.c" $(pkg-config --cflags --libs libfairlead) || fail "$compiler"
	echo '{"seq":1,"event":"job_add","job_number":17,"owner":"ann","submission_time":1700000000}' |
		"$work/root/usr/sbin/fairlead-schedd" -c "$work/cell" --once >>"$work/log" 2>&1 || fail "the installed scheduler"
	[ "$(LD_LIBRARY_PATH=$lib "$work/reader" "$work/cell")" = "17 ann" ] || fail "the reader does not see the job"
done

# what else is there to be used
share=$work/root/usr/share
for cell in "$share"/fairlead/*; do
	"$work/root/usr/bin/fairlead" lint "$cell" >>"$work/log" 2>&1 || fail "the installed cell $cell"
done
[ -d "$share/fairlead/local" ] || fail "no cell for fairlead-schedd --local"
for verb in $("$work/root/usr/bin/fairlead" --help | sed -n 's/^  \([a-z-]*\) .*/\1/p'); do
	[ -s "$share/man/man1/fairlead-$verb.1" ] || fail "no manual page of fairlead $verb"
done
for unit in "$work"/root/usr/lib/systemd/system/*.service; do
	grep -q '@prefix@' "$unit" && fail "$unit: no prefix"
	for program in $(sed -n 's/^Exec[A-Z][a-z]*=\(\/usr\/[^ ]*\).*/\1/p' "$unit"); do
		[ -x "$work/root$program" ] || fail "$unit: there is no $program"
	done
	grep -q ^ExecStart= "$unit" || fail "$unit: nothing is started"
	! command -v systemd-analyze >/dev/null || systemd-analyze verify --root="$work/root" "$(basename "$unit")" >"$work/unit" 2>&1 ||
		! grep -q "Unknown key\|Invalid\|Failed to parse" "$work/unit" || fail "$unit: $(cat "$work/unit")"
done

[ "$failures" = 0 ] || tail -n 20 "$work/log"
echo "install: $failures failures"
[ "$failures" = 0 ]
