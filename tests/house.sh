#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Rooms know only rooms below them (CONTRIBUTING.md). Each kind of fault is made once on purpose, and must be found.
cd "$(dirname "$0")/.." || exit 1
failures=0
python3 tests/house.py . "${B:-build}" || failures=1

faulty=$(mktemp -d) || exit 1
trap 'rm -rf "$faulty"' EXIT

# control WORDS FILE TEXT...: with these files the finding has these words
control() {
	words=$1
	shift
	rm -rf "$faulty/house"
	while [ $# -gt 0 ]; do
		mkdir -p "$faulty/house/$(dirname "$1")"
		printf '%s\n' "$2" >"$faulty/house/$1"
		shift 2
	done
	found=$(python3 tests/house.py "$faulty/house") && { echo "FAIL this is not found: $words"; failures=1; }
	case $found in
	*"$words"*) ;;
	*) echo "FAIL \"$words\" is not what is found, but: $found"; failures=1 ;;
	esac
}

control "sched/mirror uses sched/run/run.h of sched/run, which stands above it" \
	sched/mirror/a.c '#include "sched/run/run.h"'
control "shm uses conf/base/error.h of conf/base, which stands above it or beside it" \
	shm/a.c '#include "conf/base/error.h"'
control "a circle: sched/mirror -> sched/run -> sched/mirror" \
	sched/mirror/a.c '#include "sched/run/run.h"' sched/run/a.c '#include "sched/mirror/mirror.h"'
control "sched/host uses sched/store/store.h of sched/store, which stands above it or beside it" \
	sched/host/a.c '#include "sched/store/store.h"'
control "<jansson.h> in sched/run" \
	sched/run/a.c '#include <jansson.h>'
control "JSON in sched/dispatch" \
	sched/dispatch/a.c '#include "sched/process/json.h"'
control "JSON text in sched/mirror" \
	sched/mirror/a.c 'const char *text = "{\"order\":1}";'
control "grant is the name of a type in sched/host and in sched/run" \
	sched/run/a.h 'struct grant {' sched/host/a.h 'struct grant {'
control "sched/store includes sched/mirror/tables.h, the inside of sched/mirror: only sched/mirror, sched/run may" \
	sched/store/a.c '#include "sched/mirror/tables.h"'
control "sched/run includes sched/mirror/inside.h, the inside of sched/mirror: only sched/mirror may" \
	sched/run/a.c '#include "sched/mirror/inside.h"'
tables='struct mirror {
	struct state *state;		/* active */
	struct objects objects[KINDS];
};'
control "sched/store/a.c:2: mirror_of(store)->objects: a member of struct mirror, which sched/store may not know" \
	sched/mirror/tables.h "$tables" sched/store/a.c '
return mirror_of(store)->objects;'
control "sched/qmaster/local/a.c:1: mirror->state: a member of struct mirror" \
	sched/mirror/tables.h "$tables" sched/qmaster/local/a.c 'local->intake->mirror->state->jobs'
# No finding: a run includes and reads the tables, other rooms name other members.
control "5 files, no symbols, 1 findings" \
	shm/a.c '#include "conf/base/error.h"' sched/mirror/tables.h "$tables" \
	sched/run/a.c '#include "sched/mirror/tables.h"' sched/dispatch/search/a.c 'run->mirror->state' \
	sched/store/a.c 'mirror_instance(mirror, i)->state; mirror->stateful; /* mirror->state */ sched->mirror'
fifo='const struct policy_kind fifo_policy = {
	.name = "fifo", .eager = true,'
control 'sched/run/a.c:2: strcmp(name, "fifo") compares the name of a policy' \
	sched/policy/fifo/a.c "$fifo" sched/run/a.c '
	if (strcmp(name, "fifo") == 0)'
control 'sched/run/a.c:1: strcasecmp(cell->sched.algorithm, other(1)) compares the name of a policy' \
	sched/policy/fifo/a.c "$fifo" sched/run/a.c 'if (!strcasecmp(cell->sched.algorithm,
	other(1)))'
default='const struct policy_kind first_policy = {
	.name = "default",'
control 'strcmp(x->policy, "default") compares the name of a policy' \
	sched/policy/first/a.c "$default" sched/run/a.c 'return strcmp(x->policy, "default");'
# No finding: names of other things, comments, and comparisons in the rooms of policies.
control "3 files, no symbols, 1 findings" \
	shm/a.c '#include "conf/base/error.h"' \
	sched/policy/first/a.c "$default };
	return strcmp(algorithm, \"default\");" \
	sched/run/a.c 'strcmp(node->name, "default"); strncmp(line, "algorithm", 9); strcmp(policy, "byquota"); /* strcmp(algorithm, x) */'
control "sched/compat/a.c:2: result->text is compared" \
	sched/compat/a.c '
if (result->code && strstr(result->text, "does not exist"))'
control "sched/drmaa/a.c:1: reply.items[k].text is compared" \
	sched/drmaa/a.c 'return !strncmp(reply.items[k].text, "denied", 6);'
# No finding: other texts, comments, and the scheduler's own rooms.
control "3 files, no symbols, 1 findings" \
	shm/a.c '#include "conf/base/error.h"' sched/qmaster/local/a.c 'strcmp(result->text, "x")' \
	sched/cli/a.c 'strstr(value->text, "x"); strcmp(result->object, "result->text");
puts(result->text); /* strcmp(result->text, x) */'
control "sched/attic is a room that the house does not have" \
	sched/attic/a.c '#include "conf/base/error.h"'
control "sched/attic/ is not there" \
	shm/a.c '' CONTRIBUTING.md '| `shm/`, `sched/attic/` | junk | `a.c` |'
control "no row describes shm/" \
	shm/a.c '' CONTRIBUTING.md 'Nothing.'

# A symbol that is used without its header.
rm -rf "$faulty/house" && mkdir -p "$faulty/house/shm" "$faulty/house/sched/run" || exit 1
echo 'int run_it(void); int low(void); int low(void) { return run_it(); }' >"$faulty/house/shm/a.c"
echo 'int run_it(void); int run_it(void) { return 1; }' >"$faulty/house/sched/run/a.c"
for file in shm/a sched/run/a; do
	mkdir -p "$faulty/build/$(dirname $file)" && ${CC:-cc} -c -o "$faulty/build/$file.o" "$faulty/house/$file.c" || exit 1
done
found=$(python3 tests/house.py "$faulty/house" "$faulty/build")
case $found in
*"shm uses run_it of sched/run"*) ;;
*) echo "FAIL a symbol of a room above is not found: $found"; failures=1 ;;
esac
[ "$failures" = 0 ]
