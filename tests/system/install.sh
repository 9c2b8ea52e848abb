#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A foreign program finds the installed library through pkg-config, compiles against it, links, and reads a run. The library
# exports exactly the functions of its header. Cells have no faults, verbs have pages, and units start existing programs.
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

# libfairlead.so is all that a build with sanitizers cannot share with a program without
! nm -D "$B/libfairlead.so" | grep -q '__asan_\|__tsan_\|__ubsan_' || { echo "$B is built with sanitizers"; exit 77; }

# Programs that only an installation of its own may run: ldconfig, which records its calls and lists $work/listed, and id, for either user.
mkdir "$work/programs"
printf '#!/bin/sh\necho "ldconfig $*" >>"%s/calls"\n[ "$*" != -p ] || cat "%s/listed"\n' "$work" "$work" >"$work/programs/ldconfig"
printf '#!/bin/sh\ncat "%s/user"\n' "$work" >"$work/programs/id"
chmod +x "$work/programs/ldconfig" "$work/programs/id"

# install_as USER ARGUMENTS...: the output of make install is in $work/said
install_as() {
	echo "$1" >"$work/user" && shift
	: >"$work/calls"
	(umask 077 && PATH=$work/programs:$PATH make -s B="$B" "$@" install) >"$work/said" 2>&1 || fail "make install $*: exit status $?: $(cat "$work/said")"
}
: >"$work/listed"
install_as 0 DESTDIR="$work/root" prefix=/usr
cp "$work/said" "$work/log"
[ ! -s "$work/calls" ] && ! grep -q LD_LIBRARY_PATH "$work/said" || fail "with DESTDIR make install concerns itself with the loader: $(cat "$work/calls" "$work/said")"
[ -z "$(find "$work/root" ! -type l ! -perm -444)" ] || fail "with umask 077 other users cannot read $(find "$work/root" ! -type l ! -perm -444)"
for program in fairlead fairlead-schedd fairlead-hostd fairlead-metrics; do
	[ -x "$work/root/usr/bin/$program" ] || fail "the PATH of an ordinary user has no $program"
done
for daemon in fairlead-schedd fairlead-hostd fairlead-metrics; do
	[ "$(readlink -f "$work/root/usr/sbin/$daemon")" = "$work/root/usr/bin/$daemon" ] || fail "sbin/$daemon is not the program in bin"
done

# an older installation has programs in sbin, and on some systems bin and sbin are one directory
rm "$work/root/usr/sbin/fairlead-schedd" && echo old >"$work/root/usr/sbin/fairlead-schedd"
mkdir -p "$work/one/usr/bin" && ln -s bin "$work/one/usr/sbin"
for root in root one; do
	install_as 0 DESTDIR="$work/$root" prefix=/usr
	"$work/$root/usr/sbin/fairlead-schedd" --version >>"$work/log" 2>&1 || fail "sbin/fairlead-schedd does not run in $root: $(ls -l "$work/$root/usr/sbin")"
done

# The dynamic loader: root updates its cache. If the loader does not find the library afterwards, one line says what to set.
prefix=$work/prefix
install_as 1000 prefix="$prefix"
grep -qx "ldconfig " "$work/calls" && fail "an ordinary user cannot update the cache of the loader"
[ "$(grep -c "LD_LIBRARY_PATH=$prefix/lib, .*-rpath,$prefix/lib" "$work/said")" = 1 ] || fail "no line about the loader: $(cat "$work/said")"
install_as 0 prefix="$prefix"
grep -qx "ldconfig " "$work/calls" || fail "root does not update the cache of the loader: $(cat "$work/calls")"
grep -q "LD_LIBRARY_PATH=$prefix/lib" "$work/said" || fail "the loader does not search $prefix/lib, and nothing says so"
printf '1 libs found\n\tlibfairlead.so.0 (libc6,x86-64) => %s\n' "$prefix/lib/libfairlead.so.0" >"$work/listed"
install_as 0 prefix="$prefix"
! grep -q LD_LIBRARY_PATH "$work/said" || fail "the loader finds the library, and all the same: $(cat "$work/said")"
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
		"$work/root/usr/bin/fairlead-schedd" -c "$work/cell" --once >>"$work/log" 2>&1 || fail "the installed scheduler"
	[ "$(LD_LIBRARY_PATH=$lib "$work/reader" "$work/cell")" = "17 ann" ] || fail "the reader does not see the job"
done

# other installed files for users
share=$work/root/usr/share
for cell in "$share"/fairlead/*; do
	case $cell in */grafana | */prometheus) continue ;; esac
	"$work/root/usr/bin/fairlead" lint "$cell" >>"$work/log" 2>&1 || fail "the installed cell $cell"
done
for file in grafana/fairlead.json prometheus/fairlead-rules.yml; do
	[ -s "$share/fairlead/$file" ] || fail "no file share/fairlead/$file"
done
[ -d "$share/fairlead/local" ] || fail "no cell for fairlead-schedd --local"
for verb in $("$work/root/usr/bin/fairlead" --help | sed -n 's/^  \([a-z-]*\) .*/\1/p'); do
	[ -s "$share/man/man1/fairlead-$verb.1" ] || fail "no manual page of fairlead $verb"
done
for page in man/*.scd; do	# fairlead(1) names each of them
	name=$(basename "$page" .scd)
	[ "$name" = fairlead.1 ] || grep -q "\*${name%.*}\*(${name##*.})" man/fairlead.1.scd || fail "fairlead(1) does not name the page $name"
done
for unit in "$work"/root/usr/lib/systemd/system/*.service; do
	grep -q '@prefix@' "$unit" && fail "$unit: no prefix"
	for program in $(sed -n 's/^Exec[A-Z][a-z]*=\(\/usr\/[^ ]*\).*/\1/p' "$unit"); do
		[ -x "$work/root$program" ] || fail "$unit: there is no $program"
	done
	grep -q ^ExecStart= "$unit" || fail "$unit: nothing is started"
	grep -q ^WatchdogSec= "$unit" || fail "$unit: no watchdog"
	! command -v systemd-analyze >/dev/null || systemd-analyze verify --root="$work/root" "$(basename "$unit")" >"$work/unit" 2>&1 ||
		! grep -q "Unknown key\|Invalid\|Failed to parse" "$work/unit" || fail "$unit: $(cat "$work/unit")"
done

[ "$failures" = 0 ] || tail -n 20 "$work/log"
echo "install: $failures failures"
[ "$failures" = 0 ]
