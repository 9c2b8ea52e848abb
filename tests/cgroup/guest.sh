# SPDX-License-Identifier: Apache-2.0
# Runs in the machine that tests/numa/boot.sh starts, with its files in the working directory: steering by cgroup v2, from the root of the hierarchy and from a
# cgroup such as a service has.
set -u
failures=0

fail() {
	echo "FAIL $1"
	failures=$((failures + 1))
}

# as_service COMMAND...: alone in a cgroup that is its own
as_service() {
	mkdir -p /sys/fs/cgroup/service
	sh -c 'echo $$ >/sys/fs/cgroup/service/cgroup.procs; exec "$@"' sh "$@"
}

mount -t cgroup2 none /sys/fs/cgroup || fail "no cgroup v2"
./host_cgroup || fail "from the root"
[ -e /sys/fs/cgroup/fairlead.jobs ] && fail "something is left in the root"

echo +cpu >/sys/fs/cgroup/cgroup.subtree_control || fail "no cpu controller"
as_service ./host_cgroup || fail "as a service"
[ -z "$(ls -d /sys/fs/cgroup/service/*/ 2>/dev/null)" ] || fail "something is left: $(ls -d /sys/fs/cgroup/service/*/)"
[ -z "$(cat /sys/fs/cgroup/service/cgroup.subtree_control)" ] || fail "the service's controller is left on"

as_service ./fairlead doctor nice || fail "doctor nice ends with $?"
as_service ./fairlead doctor nice --json | grep -q '"lever":"cgroup","chosen":true' || fail "doctor chooses another lever"
if [ "$(cat /proc/sys/kernel/sched_autogroup_enabled 2>/dev/null)" = 1 ]; then
	as_service ./fairlead doctor nice --lever autogroup 2>&1 | grep -q "weighted as a whole" || fail "autogroups should not count in a service"
fi

# Another process is in the cgroup: the cgroup is kept.
as_service sleep 1000 &
sleep 1
as_service ./fairlead doctor nice | grep "^cgroup *no .*other processes are in it" || fail "a cgroup is divided with others in it"
[ "$(wc -l </sys/fs/cgroup/service/cgroup.procs)" = 1 ] || fail "the others are not where they were"

echo "cgroup: $failures failures"
[ "$failures" = 0 ]
