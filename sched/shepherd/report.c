/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/shepherd/report.h"

#include <errno.h>
#include <jansson.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sched/shepherd/file.h"

/*
 * Return whether the directory was removed: it then has no links. Other errors, such as a full disk
 * or a server that does not answer, may pass.
 */
static bool directory_is_gone(int dirfd)
{
	struct stat st;

	return fstat(dirfd, &st) == 0 ? st.st_nlink == 0 : errno == ESTALE;
}

static void second_pass(void)
{
	nanosleep(&(struct timespec){ .tv_sec = 1 }, NULL);
}

/*
 * Make `begun` complete before it has its name. link(2) fails if the name exists, so `begun` is
 * made only once. The file is not synchronized; see record.h.
 */
static int begun_try(int dirfd, const char *text, size_t length)
{
	int rc = faccessat(dirfd, "begun", F_OK, AT_SYMLINK_NOFOLLOW) == 0 ? -EEXIST : 0;

	if (rc == 0)
		rc = file_write(dirfd, "begun.new", text, length, 0644, false);
	if (rc == 0 && linkat(dirfd, "begun.new", dirfd, "begun", 0))
		rc = -errno;
	unlinkat(dirfd, "begun.new", 0);
	return rc;
}

int report_begun(int dirfd, const struct attempt_process *leader)
{
	char text[256];
	int length = snprintf(text, sizeof(text),
			      "{\"shepherd\":%d,\"shepherd_start\":%llu,\"pid\":%d,\"pid_start\":%llu}\n",
			      (int)getpid(), (unsigned long long)attempt_process_start(getpid()), (int)leader->pid,
			      (unsigned long long)leader->start);

	for (;;) {
		int rc = begun_try(dirfd, text, (size_t)length);

		if (rc == 0 || rc == -EEXIST)
			return rc;
		if (directory_is_gone(dirfd))
			return -ENOENT;
		second_pass();
	}
}

static json_t *usage_json(const struct attempt_usage *usage)
{
	return json_pack("{s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f}",
			 "ru_wallclock", usage->ru_wallclock, "ru_utime", usage->ru_utime, "ru_stime", usage->ru_stime,
			 "ru_maxrss", usage->ru_maxrss, "ru_ixrss", usage->ru_ixrss, "ru_ismrss", usage->ru_ismrss,
			 "ru_idrss", usage->ru_idrss, "ru_isrss", usage->ru_isrss, "ru_minflt", usage->ru_minflt,
			 "ru_majflt", usage->ru_majflt, "ru_nswap", usage->ru_nswap, "ru_inblock", usage->ru_inblock,
			 "ru_oublock", usage->ru_oublock, "ru_msgsnd", usage->ru_msgsnd, "ru_msgrcv", usage->ru_msgrcv,
			 "ru_nsignals", usage->ru_nsignals, "ru_nvcsw", usage->ru_nvcsw, "ru_nivcsw", usage->ru_nivcsw,
			 "cpu", usage->cpu_s, "mem", usage->mem_gbs, "io", usage->io_gb, "maxvmem",
			 usage->maxvmem_bytes);
}

static char *exit_text(const struct attempt_exit *exit)
{
	json_t *object = json_pack("{s:i,s:i,s:i,s:b,s:i,s:s,s:f,s:f,s:i,s:f,s:o}", "wait_status", exit->wait_status,
				   "exit_status", exit->exit_status, "signal", exit->signal, "core", exit->core,
				   "failed", (int)exit->failed, "text", exit->text, "start_time", exit->start_time,
				   "end_time", exit->end_time, "vacated", (int)exit->vacated, "signalled",
				   exit->signalled, "usage", usage_json(&exit->usage));
	char *text = object ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;

	json_decref(object);
	return text;
}

static int exit_try(int dirfd, const struct attempt_exit *exit)
{
	char *text = exit_text(exit);
	int rc = text ? file_write(dirfd, "exit.new", text, strlen(text), 0644, true) : -ENOMEM;

	free(text);
	if (rc == 0 && renameat(dirfd, "exit.new", dirfd, "exit"))
		rc = -errno;
	return rc;
}

int report_exit(int dirfd, const struct attempt_exit *exit)
{
	while (exit_try(dirfd, exit)) {
		if (directory_is_gone(dirfd))
			return -ENOENT;
		second_pass();
	}
	/*
	 * Synchronize the name, too. If this fails, the task may count as lost after a power
	 * failure and may run again if it is rerunnable.
	 */
	fsync(dirfd);
	return 0;
}
