#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs as root in the machine of tests/packages/run: packages of two versions in /test/old and /test/new, under systemd.
set -u
failures=0
export LC_ALL=C DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin
unit=fairlead-local

fail() {
	echo "FAIL $1"
	failures=$((failures + 1))
}

begin() {
	echo "  $(cut -d. -f1 /proc/uptime) s: $1"
}

# End at once: what follows would only repeat the failure.
give_up() {
	fail "$1"
	journalctl -u 'fairlead*' --no-pager | tail -n 30
	exit 1
}

# wait_for DESCRIPTION COMMAND...: until the command succeeds
wait_for() {
	local description=$1 tries=0
	shift
	until "$@" >/dev/null 2>&1; do
		tries=$((tries + 1))
		[ $tries -lt 240 ] || { fail "$description: not after $tries attempts"; return 1; }
		sleep 0.5
	done
}

# packages VERSION NAME...: install the packages, with what is already here
packages() {
	local version=$1 files=() name
	shift
	for name; do
		files+=("$(echo "/test/$version/$name"_*.deb)")
	done
	apt-get install -qqy --no-install-recommends -o Dpkg::Options::=--force-confold "${files[@]}" >/tmp/apt 2>&1 ||
		{ cat /tmp/apt; give_up "packages of $version cannot be installed: $*"; }
}

main_pid() {
	systemctl show -p MainPID --value "${1:-$unit}"
}

# Print the processes of the job with their start times: a process that is replaced has another time.
job_processes() {
	for pid in $(pgrep -u ann -x sleep); do
		echo "$pid $(cut -d' ' -f22 "/proc/$pid/stat")"
	done
}

is_running() {
	[ "$(fairlead stat -s r -u ann | grep -c ' r ')" -ge 1 ]
}

another_scheduler() {
	local pid
	pid=$(main_pid)
	[ "$pid" != 0 ] && [ "$pid" != "$1" ] && systemctl is-active -q $unit
}

# Expect that the job and its processes are those of before, for the scheduler that is active now.
expect_same_job() {
	wait_for "$1: the scheduler reports the job" is_running
	[ "$(job_processes)" = "$job" ] || fail "$1: the processes of the job are $(job_processes), and were $job"
}

# List all files, but those that programs of the system write at any time.
files_list() {
	find / -xdev \( -path /tmp -o -path /test -o -path /proc -o -path /sys -o -path /var/cache -o -path /var/log -o -path /var/lib/dpkg \
		-o -path /var/lib/apt -o -path /var/lib/systemd -o -path /var/backups -o -path /root \) -prune -o -print | sort
	ls -A /dev/shm /run/systemd/system /etc/systemd/system/*.wants
	id -un 998 997 2>/dev/null
	getent passwd | cut -d: -f1
	getent group | cut -d: -f1
}

all=$(cd /test/new && printf '%s\n' *.deb | sed 's/_.*//')
useradd -m -s /bin/bash ann
files_list >/tmp/before

begin "install the previous version"
packages old libfairlead0 fairlead fairlead-schedd
[ "$(stat -c '%U %a' /var/lib/fairlead)" = "root 755" ] || fail "/var/lib/fairlead: $(stat -c '%U %a' /var/lib/fairlead)"
getent passwd fairlead >/dev/null || fail "no user fairlead"
systemctl is-enabled -q $unit || fail "the unit is not enabled"
! systemctl is-active -q $unit || fail "the unit is active without a cell"
fairlead init >/dev/null || fail "no cell"
systemctl start $unit || give_up "the unit does not start"
begin "submit a job of a user"
runuser -u ann -- sh -c 'cd && fairlead submit -o /dev/null -j y sleep 100000' >/dev/null || give_up "ann cannot submit"
wait_for "the job runs" is_running || give_up "the job does not run"
wait_for "the process of the job exists" pgrep -u ann -x sleep
job=$(job_processes)

begin "kill the scheduler"
pid=$(main_pid)
kill -KILL "$pid"
wait_for "a killed scheduler returns" another_scheduler "$pid" || give_up "the scheduler does not return"
expect_same_job "after a kill"

begin "stop the scheduler with SIGSTOP: the watchdog starts another one"
mkdir -p /run/systemd/system/$unit.service.d
printf '[Service]\nWatchdogSec=20\n' >/run/systemd/system/$unit.service.d/test.conf
systemctl daemon-reload
systemctl restart $unit
pid=$(main_pid)
sleep 45	# two intervals: a scheduler without work feeds its watchdog
[ "$(main_pid)" = "$pid" ] || fail "the watchdog has ended a scheduler that was well"
kill -STOP "$pid"
wait_for "a stopped scheduler is replaced" another_scheduler "$pid"
expect_same_job "after SIGSTOP"
journalctl -u $unit --no-pager | grep -q "Watchdog timeout" || fail "the journal has no timeout of the watchdog"
rm -r /run/systemd/system/$unit.service.d
systemctl daemon-reload

begin "reload, and the fields of the journal"
systemctl reload $unit || fail "reload"
wait_for "the configuration is read again" sh -c "journalctl -u $unit --no-pager | grep -q 'configuration read again'"
journalctl FAIRLEAD_JOB=1 -o cat --no-pager | grep -q "^start: job 1 of ann in all.q@node1" || fail "no start of job 1: $(journalctl FAIRLEAD_JOB=1 -o cat --no-pager)"
[ -n "$(journalctl FAIRLEAD_HOST=node1 -q --no-pager)" ] || fail "no message about host node1"
journalctl FAIRLEAD_JOB=1 -o json --no-pager | grep -q '"FAIRLEAD_RUN" *: *"[0-9]' || fail "no number of a run"

begin "upgrade with a running job and changed options"
sed -i 's/^OPTIONS=.*/OPTIONS=--mode 0640 --group fairlead/' /etc/fairlead/local.conf
pid=$(main_pid)
# shellcheck disable=SC2086
packages new $all
wait_for "the upgrade restarts the scheduler" another_scheduler "$pid"
expect_same_job "after the upgrade"
grep -q '^OPTIONS=--mode' /etc/fairlead/local.conf || fail "the upgrade has replaced changed options"
! dpkg -l | grep '^ii.*previous' || fail "packages of the previous version are left"
[ -z "$(systemctl --failed --no-legend)" ] || fail "failed units: $(systemctl --failed --no-legend)"

begin "a group reads the segment"
! runuser -u ann -- fairlead stat >/dev/null 2>&1 || fail "a user who is not in the group reads the segment"
usermod -a -G fairlead ann
runuser -u ann -- fairlead stat | grep -q sleep || fail "a member of the group cannot read the segment"
runuser -u ann -- python3 -c 'import fairlead; print(*(job.name for job in fairlead.Cell().jobs(fairlead.STARTED)))' | grep -qx sleep ||
	fail "the module for Python does not list the job"
runuser -u ann -- /usr/libexec/fairlead/gridengine/qstat | grep -q sleep || fail "qstat does not list the job"

begin "the daemon of an execution host, with its restrictions"
fairlead keygen /etc/fairlead/keys >/dev/null || fail "keygen"
fairlead keygen --host node1 /etc/fairlead/keys >/dev/null 2>&1
cp -r /usr/share/fairlead/default /tmp/cell
fairlead-schedd -c /tmp/cell --events unix:/tmp/events --hosts 'tcp://127.0.0.1:6445' --keys /etc/fairlead/keys >/tmp/schedd 2>&1 &
other=$!
sed -i 's|^#SCHEDULER=.*|SCHEDULER=tcp://127.0.0.1:6445|' /etc/fairlead/hostd.conf
systemctl restart fairlead-hostd || { fail "fairlead-hostd does not start"; journalctl -u fairlead-hostd --no-pager | tail -n 20; }
wait_for "the host is connected" grep -q "host node1 is connected" /tmp/schedd || cat /tmp/schedd
systemctl status fairlead-hostd --no-pager | grep -q 'the scheduler is connected' || fail "no state of fairlead-hostd: $(systemctl status fairlead-hostd --no-pager)"
pid=$(main_pid fairlead-hostd)
kill -KILL "$pid"
wait_for "a killed fairlead-hostd returns" sh -c "systemctl is-active -q fairlead-hostd && [ \$(systemctl show -p MainPID --value fairlead-hostd) != $pid ]"
systemctl stop fairlead-hostd
kill $other
wait $other
fairlead clean /tmp/cell >/dev/null
rm -r /tmp/cell

begin "the restrictions of fairlead-qmaster@, with another source of jobs"
useradd -r sgeadmin
cp -r /usr/share/fairlead/default /etc/fairlead/test && chown -R sgeadmin /etc/fairlead/test
mkdir -p /run/systemd/system/fairlead-qmaster@test.service.d
printf '[Service]\nRuntimeDirectory=test\nExecStart=\nExecStart=/usr/bin/fairlead-schedd -c /etc/fairlead/test --events unix:/run/test/events\n' \
	>/run/systemd/system/fairlead-qmaster@test.service.d/test.conf
systemctl daemon-reload
systemctl start fairlead-qmaster@test || { fail "fairlead-qmaster@ does not start"; journalctl -u fairlead-qmaster@test --no-pager | tail -n 20; }
fairlead -c /etc/fairlead/test tree >/dev/null || fail "its run cannot be read"
systemctl stop fairlead-qmaster@test
fairlead clean /etc/fairlead/test >/dev/null
rm -r /etc/fairlead/test /run/systemd/system/fairlead-qmaster@test.service.d
userdel sgeadmin
systemctl daemon-reload

begin "remove with a running job, and install again"
# shellcheck disable=SC2086
apt-get remove -qqy $all >/tmp/apt 2>&1 || { cat /tmp/apt; fail "remove"; }
[ "$(job_processes)" = "$job" ] || fail "the removal has ended the job"
[ -e /var/lib/fairlead/fairlead.db ] || fail "the removal has lost the state"
[ -d /etc/fairlead/cell ] || fail "the removal has lost the cell"
grep -q '^OPTIONS=--mode' /etc/fairlead/local.conf || fail "the removal has lost the options"
[ -z "$(pgrep fairlead-schedd)" ] || fail "the scheduler runs after the removal"
[ -z "$(ls /dev/shm)" ] || fail "shared memory after the removal: $(ls /dev/shm)"
# shellcheck disable=SC2086
packages new $all
expect_same_job "after a removal and an installation"
runuser -u ann -- fairlead del 1 >/dev/null
wait_for "the job ends" sh -c '[ -z "$(pgrep -u ann -x sleep)" ]'
wait_for "the job is accounted" grep -q ':sleep:1:' /var/lib/fairlead/accounting

begin "purge"
# shellcheck disable=SC2086
apt-get purge -qqy $all >/tmp/apt 2>&1 || { cat /tmp/apt; fail "purge"; }
files_list >/tmp/after
diff /tmp/before /tmp/after || fail "a purge leaves something"
[ -z "$(pgrep fairlead)" ] || fail "processes after the purge: $(pgrep -a fairlead)"
[ -z "$(systemctl list-unit-files --no-legend 'fairlead*')" ] || fail "units after the purge: $(systemctl list-unit-files 'fairlead*')"

[ "$failures" = 0 ] || journalctl -u 'fairlead*' --no-pager | tail -n 100
echo "packages: $failures failures"
[ "$failures" = 0 ]
