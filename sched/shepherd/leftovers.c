/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/shepherd/leftovers.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sched/shepherd/process.h"

/* scans for processes that were made while others were stopped */
#define STOP_SCANS 16
#define PAUSE_MIN_NS 1000000l
#define PAUSE_MAX_NS 1000000000l
/* full-length pauses before processes that we may not kill are given up */
#define REFUSED_PATIENCE 4

struct descendant {
	pid_t pid;
	struct process_status is;
	bool ours;
};

struct descendant_scan {
	struct descendant *all;		/* first all processes, then only our descendants */
	size_t n, room;
};

/* Scan */

static int scan_add(struct descendant_scan *scan, pid_t pid)
{
	struct descendant descendant = { .pid = pid };

	if (process_read(pid, &descendant.is))
		return 0;		/* the process has just ended */
	if (scan->n == scan->room) {
		size_t room = scan->room ? 2 * scan->room : 256;
		struct descendant *more = reallocarray(scan->all, room, sizeof(*more));

		if (!more)
			return -ENOMEM;
		scan->all = more;
		scan->room = room;
	}
	scan->all[scan->n++] = descendant;
	return 0;
}

static int pid_compare(const void *a, const void *b)
{
	const struct descendant *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

static struct descendant *scan_find(const struct descendant_scan *scan, pid_t pid)
{
	struct descendant wanted = { .pid = pid };

	return bsearch(&wanted, scan->all, scan->n, sizeof(*scan->all), pid_compare);
}

/* Keep the descendants of `root`: mark children of marked parents until a pass finds no more. */
static void scan_select(struct descendant_scan *scan, pid_t root)
{
	bool more = true;
	size_t kept = 0;

	qsort(scan->all, scan->n, sizeof(*scan->all), pid_compare);
	while (more) {
		more = false;
		for (size_t k = 0; k < scan->n; k++) {
			struct descendant *descendant = &scan->all[k], *parent = scan_find(scan, descendant->is.parent);

			if (!descendant->ours && descendant->pid != root &&
			    (descendant->is.parent == root || (parent && parent->ours)))
				descendant->ours = more = true;
		}
	}
	for (size_t k = 0; k < scan->n; k++)
		if (scan->all[k].ours && scan->all[k].is.state != 'Z' && scan->all[k].is.state != 'X')
			scan->all[kept++] = scan->all[k];
	scan->n = kept;
}

static int scan_descendants(struct descendant_scan *scan)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int rc = 0;

	scan->n = 0;
	if (!proc)
		return -errno;
	while (rc == 0 && (entry = readdir(proc)) != NULL)
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
			rc = scan_add(scan, (pid_t)atoi(entry->d_name));
	closedir(proc);
	if (rc == 0)
		scan_select(scan, getpid());
	return rc;
}

/* Signals */

/*
 * Send a signal to this process and not to a later one with the same pid. The start time is checked
 * after the descriptor of the process is open.
 */
static int descendant_signal(const struct descendant *descendant, int signal)
{
	int fd = pidfd_open(descendant->pid, 0), rc = 0;
	struct process_status now;

	if (fd < 0)
		return -errno;
	if (process_read(descendant->pid, &now) || now.start != descendant->is.start)
		rc = -ESRCH;
	else if (pidfd_send_signal(fd, signal, NULL, 0))
		rc = -errno;
	close(fd);
	return rc;
}

/*
 * Stop all processes before they are killed, because a process could fork faster than we kill. A
 * signal takes a moment to have effect, so the scan is repeated until no process moves. Processes
 * that cannot be stopped are ignored.
 */
static int scan_stopped(struct descendant_scan *scan)
{
	size_t moving = 1;
	int rc = 0;

	for (int k = 0; k < STOP_SCANS && moving && rc == 0; k++) {
		rc = scan_descendants(scan);
		moving = 0;
		for (size_t i = 0; rc == 0 && i < scan->n; i++)
			if (scan->all[i].is.state != 'T' && descendant_signal(&scan->all[i], SIGSTOP) == 0)
				moving++;
	}
	return rc;
}

/*
 * Kill all processes once. Returns the number of processes that we may not kill; *killed is the
 * number of the others.
 */
static unsigned round_kill(struct descendant_scan *scan, unsigned *killed)
{
	unsigned refused = 0;
	int rc = scan_stopped(scan);

	*killed = rc ? 1 : 0;		/* without memory or descriptors: there may be some */
	for (size_t i = 0; rc == 0 && i < scan->n; i++) {
		int sent = descendant_signal(&scan->all[i], SIGKILL);

		refused += sent == -EPERM;
		*killed += sent != -EPERM;
	}
	return refused;
}

static void cgroup_kill(const char *cgroup)
{
	char path[4096];
	int fd;

	if (!cgroup || snprintf(path, sizeof(path), "%s/cgroup.kill", cgroup) >= (int)sizeof(path))
		return;
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		/*
		 * Older kernel: the scan finds all processes, except for those that were moved into
		 * the cgroup.
		 */
		return;
	(void)!write(fd, "1", 1);
	close(fd);
}

static bool cgroup_is_empty(const char *cgroup)
{
	char path[4096], text[512];
	ssize_t n;
	int fd;

	if (!cgroup || snprintf(path, sizeof(path), "%s/cgroup.events", cgroup) >= (int)sizeof(path))
		return true;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return true;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return !strstr(text, "populated 1");
}

/* Reap all children that have ended. Returns true if no child is left. */
static bool children_reap(void)
{
	for (;;) {
		pid_t pid = waitpid(-1, NULL, WNOHANG);

		if (pid < 0 && errno == EINTR)
			continue;
		if (pid <= 0)
			return pid < 0;
	}
}

/* Wait until a child ends or the time is over. */
static void pause_for(long ns)
{
	struct timespec time = { .tv_sec = ns / 1000000000l, .tv_nsec = ns % 1000000000l };
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigtimedwait(&child, NULL, &time);
}

unsigned leftovers_kill(const char *cgroup)
{
	struct descendant_scan scan = { 0 };
	unsigned refused = 0, killed, patience = REFUSED_PATIENCE;

	cgroup_kill(cgroup);
	for (long ns = PAUSE_MIN_NS; !(children_reap() && cgroup_is_empty(cgroup));
	     ns = 2 * ns < PAUSE_MAX_NS ? 2 * ns : PAUSE_MAX_NS) {
		refused = round_kill(&scan, &killed);
		if (refused && !killed && ns == PAUSE_MAX_NS && !--patience)
			break;
		pause_for(ns);
		cgroup_kill(cgroup);
		refused = 0;
	}
	free(scan.all);
	return refused;
}

int leftovers_signal(int signal, const char *cgroup)
{
	struct descendant_scan scan = { 0 };
	int rc;

	if (signal == SIGKILL)
		cgroup_kill(cgroup);
	rc = scan_descendants(&scan);
	for (size_t i = 0; rc == 0 && i < scan.n; i++)
		descendant_signal(&scan.all[i], signal);
	for (size_t i = 0; rc == 0 && i < scan.n && signal != SIGKILL; i++)
		descendant_signal(&scan.all[i], SIGCONT);
	free(scan.all);
	return rc;
}
