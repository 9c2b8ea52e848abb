/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/shepherd/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sched/shepherd/file.h"

/*
 * A directory that was removed has no name left; whatever else is wrong may pass: a full disk, a
 * server that does not answer.
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
 * Complete before it has its name. link(2) fails where the name is taken, so only one can ever have
 * made it. Nobody waits for the disk here: see record.h.
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
	int length = snprintf(text, sizeof(text), "{\"shepherd\":%d,\"shepherd_start\":%llu,\"pid\":%d,\"pid_start\":%llu}\n",
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

static json_t *usage_json(const struct attempt_usage *u)
{
	return json_pack("{s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f}",
			 "ru_wallclock", u->ru_wallclock, "ru_utime", u->ru_utime, "ru_stime", u->ru_stime, "ru_maxrss", u->ru_maxrss,
			 "ru_ixrss", u->ru_ixrss, "ru_ismrss", u->ru_ismrss, "ru_idrss", u->ru_idrss, "ru_isrss", u->ru_isrss,
			 "ru_minflt", u->ru_minflt, "ru_majflt", u->ru_majflt, "ru_nswap", u->ru_nswap, "ru_inblock", u->ru_inblock,
			 "ru_oublock", u->ru_oublock, "ru_msgsnd", u->ru_msgsnd, "ru_msgrcv", u->ru_msgrcv, "ru_nsignals", u->ru_nsignals,
			 "ru_nvcsw", u->ru_nvcsw, "ru_nivcsw", u->ru_nivcsw, "cpu", u->cpu_s, "mem", u->mem_gbs, "io", u->io_gb,
			 "maxvmem", u->maxvmem_bytes);
}

static char *exit_text(const struct attempt_exit *x)
{
	json_t *object = json_pack("{s:i,s:i,s:i,s:b,s:i,s:s,s:f,s:f,s:i,s:f,s:o}", "wait_status", x->wait_status, "exit_status", x->exit_status,
				   "signal", x->signal, "core", x->core, "failed", (int)x->failed, "text", x->text,
				   "start_time", x->start_time, "end_time", x->end_time, "vacated", (int)x->vacated, "signalled", x->signalled,
				   "usage", usage_json(&x->usage));
	char *text = object ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;

	json_decref(object);
	return text;
}

static int exit_try(int dirfd, const struct attempt_exit *x)
{
	char *text = exit_text(x);
	int rc = text ? file_write(dirfd, "exit.new", text, strlen(text), 0644, true) : -ENOMEM;

	free(text);
	if (rc == 0 && renameat(dirfd, "exit.new", dirfd, "exit"))
		rc = -errno;
	return rc;
}

int report_exit(int dirfd, const struct attempt_exit *x)
{
	while (exit_try(dirfd, x)) {
		if (directory_is_gone(dirfd))
			return -ENOENT;
		second_pass();
	}
	/*
	 * the name, too. If that fails, the worst is that it counts as lost after a power failure;
	 * or runs again, if it may
	 */
	fsync(dirfd);
	return 0;
}
