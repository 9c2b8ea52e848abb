/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/shepherd/usage.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/*
 * The number behind `name` in a small file of the kernel's; 0 if there is none. An empty name: the
 * file's first number.
 */
static double number_look_up(const char *path, const char *name)
{
	char text[4096];
	const char *at;
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	at = strstr(text, name);
	return at ? (double)strtoull(at + strlen(name), NULL, 10) : 0;
}

static double cgroup_number(const char *cgroup, const char *file, const char *name)
{
	char path[4096];

	return snprintf(path, sizeof(path), "%s/%s", cgroup, file) < (int)sizeof(path) ? number_look_up(path, name) : 0;
}

static double seconds(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

/*
 * The kernel adds what a child has read and written to its parent's account when the parent waits
 * for it; what is left of ours without our own thread's is our children's. Characters, as Grid
 * Engine counts: also those that a cache or a pipe has served.
 */
static double io_of_children(void)
{
	char own[64];
	double all = number_look_up("/proc/self/io", "rchar: ") + number_look_up("/proc/self/io", "wchar: ");
	double ours;

	snprintf(own, sizeof(own), "/proc/self/task/%d/io", (int)getpid());
	ours = number_look_up(own, "rchar: ") + number_look_up(own, "wchar: ");
	return all > ours ? all - ours : 0;
}

static void rusage_take(struct attempt_usage *u, const struct rusage *r)
{
	u->ru_utime = seconds(r->ru_utime);
	u->ru_stime = seconds(r->ru_stime);
	u->ru_maxrss = (double)r->ru_maxrss;
	u->ru_ixrss = (double)r->ru_ixrss;
	u->ru_idrss = (double)r->ru_idrss;
	u->ru_isrss = (double)r->ru_isrss;
	u->ru_minflt = (double)r->ru_minflt;
	u->ru_majflt = (double)r->ru_majflt;
	u->ru_nswap = (double)r->ru_nswap;
	u->ru_inblock = (double)r->ru_inblock;
	u->ru_oublock = (double)r->ru_oublock;
	u->ru_msgsnd = (double)r->ru_msgsnd;
	u->ru_msgrcv = (double)r->ru_msgrcv;
	u->ru_nsignals = (double)r->ru_nsignals;
	u->ru_nvcsw = (double)r->ru_nvcsw;
	u->ru_nivcsw = (double)r->ru_nivcsw;
}

void usage_collect(struct attempt_usage *u, double wallclock_s, const char *cgroup)
{
	struct rusage children;
	double cpu_s = cgroup ? cgroup_number(cgroup, "cpu.stat", "usage_usec ") / 1e6 : 0;
	double peak = cgroup ? cgroup_number(cgroup, "memory.peak", "") : 0;

	memset(u, 0, sizeof(*u));
	if (getrusage(RUSAGE_CHILDREN, &children) == 0)
		rusage_take(u, &children);
	u->ru_wallclock = wallclock_s;
	u->cpu_s = u->ru_utime + u->ru_stime;
	if (cpu_s > u->cpu_s)
		u->cpu_s = cpu_s;
	u->io_gb = io_of_children() / 0x1p30;
	u->maxvmem_bytes = u->ru_maxrss * 1024;
	if (peak > u->maxvmem_bytes)
		u->maxvmem_bytes = peak;
}
