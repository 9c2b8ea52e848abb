/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/shepherd/usage.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/*
 * Return the number that follows `name` in a small file of the kernel, or 0. An empty name selects
 * the first number of the file.
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
 * Return the characters that the children have read and written.
 *
 * When a parent waits for a child, the kernel adds the child's input and output to the account of
 * the parent. The difference to the account of our own thread is therefore our children's. Grid
 * Engine also counts characters that were served by a cache or a pipe.
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

static void rusage_take(struct attempt_usage *usage, const struct rusage *rusage)
{
	usage->ru_utime = seconds(rusage->ru_utime);
	usage->ru_stime = seconds(rusage->ru_stime);
	usage->ru_maxrss = (double)rusage->ru_maxrss;
	usage->ru_ixrss = (double)rusage->ru_ixrss;
	usage->ru_idrss = (double)rusage->ru_idrss;
	usage->ru_isrss = (double)rusage->ru_isrss;
	usage->ru_minflt = (double)rusage->ru_minflt;
	usage->ru_majflt = (double)rusage->ru_majflt;
	usage->ru_nswap = (double)rusage->ru_nswap;
	usage->ru_inblock = (double)rusage->ru_inblock;
	usage->ru_oublock = (double)rusage->ru_oublock;
	usage->ru_msgsnd = (double)rusage->ru_msgsnd;
	usage->ru_msgrcv = (double)rusage->ru_msgrcv;
	usage->ru_nsignals = (double)rusage->ru_nsignals;
	usage->ru_nvcsw = (double)rusage->ru_nvcsw;
	usage->ru_nivcsw = (double)rusage->ru_nivcsw;
}

void usage_collect(struct attempt_usage *usage, double wallclock_s, const char *cgroup)
{
	struct rusage children;
	double cpu_s = cgroup ? cgroup_number(cgroup, "cpu.stat", "usage_usec ") / 1e6 : 0;
	double peak = cgroup ? cgroup_number(cgroup, "memory.peak", "") : 0;

	memset(usage, 0, sizeof(*usage));
	if (getrusage(RUSAGE_CHILDREN, &children) == 0)
		rusage_take(usage, &children);
	usage->ru_wallclock = wallclock_s;
	usage->cpu_s = usage->ru_utime + usage->ru_stime;
	if (cpu_s > usage->cpu_s)
		usage->cpu_s = cpu_s;
	usage->io_gb = io_of_children() / 0x1p30;
	usage->maxvmem_bytes = usage->ru_maxrss * 1024;
	if (peak > usage->maxvmem_bytes)
		usage->maxvmem_bytes = peak;
}
