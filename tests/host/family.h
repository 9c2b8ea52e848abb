/* SPDX-License-Identifier: Apache-2.0 */
/* Controlled processes, each in a session of its own with an assigned activity. */
#ifndef TESTS_HOST_FAMILY_H
#define TESTS_HOST_FAMILY_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sched/host/host.h"

#define S 1000000000ull

/*
 * Start a child that runs `body` in a session of its own and dies with us. Return when it has its
 * session.
 */
static inline pid_t family_start(void (*body)(void))
{
	int ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setsid();
		close(ready[0]);
		close(ready[1]);
		body();
		_exit(0);
	}
	close(ready[1]);
	assert_true(read(ready[0], &byte, 1) == 0);
	close(ready[0]);
	return pid;
}

/* Adopt orphans of families, so that they are waited for at once. For main(). */
static inline void families_adopt(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

static inline void orphans_bury(void)
{
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

/* Kill the rest of a session. */
static inline void family_end(pid_t leader)
{
	kill(leader, SIGKILL);
	kill(-leader, SIGKILL);
	waitpid(leader, NULL, 0);
	orphans_bury();
}

static inline void sleeps(void)
{
	for (;;)
		pause();
}

static inline void burns(void)
{
	for (volatile unsigned long k = 0;; k++)
		;
}

/* Use this much CPU time. */
static inline void burn_for(double seconds)
{
	struct timespec timespec;

	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &timespec);
	while ((double)timespec.tv_sec + (double)timespec.tv_nsec / 1e9 < seconds);
}

static inline void doze(int ms)
{
	poll(NULL, 0, ms);
}

static inline struct host *host_of(enum lever lever)
{
	struct host_options options = HOST_OPTIONS;
	struct error error;
	struct host *host;

	options.force = lever;
	if (host_open(&host, &options, &error))
		fail_msg("%s", error.text);
	return host;
}

static inline void session_add(struct host *host, uint32_t job, pid_t leader)
{
	assert_int_equal(host_task_add(host, job, 0, &(struct host_where){ .session = leader }), 0);
}

static inline struct host_usage usage_of(struct host *host, uint32_t job)
{
	struct host_usage usage;

	assert_int_equal(host_task_usage(host, job, 0, &usage), 0);
	return usage;
}

#endif
