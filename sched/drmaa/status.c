/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The `stat` of drmaa_wait(), with the layout of Grid Engine's, which its Java classes read. The
 * lowest bits are the kind of result, followed by the exit code, and the number of the signal.
 */
#include <stdio.h>
#include <string.h>

#include "sched/drmaa/inside.h"
#include "sched/shepherd/record.h"

#define CODE_SHIFT 4
#define SIGNAL_SHIFT 12
#define VALUE 0xff

#define EXIT_JOB_ERROR 100	/* a job requests the error state with it */

static int stat_exited(int exit_status)
{
	return STAT_EXITED | (exit_status & VALUE) << CODE_SHIFT;
}

int stat_signaled(int signal)
{
	return STAT_SIGNALED | (signal & VALUE) << SIGNAL_SHIFT;
}

int stat_aborted(void)
{
	return STAT_ABORTED;
}

/*
 * Return the result. Jobs that were lost with the machine have neither an exit code nor a signal.
 */
int stat_of(long failed, long exit_status)
{
	if (failed == FAILED_NOT)
		return exit_status == EXIT_JOB_ERROR ? stat_aborted() : stat_exited((int)exit_status);
	return !failed_before_start(failed) && failed != FAILED_LOST && exit_status > 128
		       ? stat_signaled((int)exit_status - 128)
		       : stat_aborted();
}

int stat_for(const struct tracked_job *job, int stat)
{
	return job->terminated && stat & STAT_SIGNALED ? stat_aborted() : stat;
}

bool failed_before_start(long failed)
{
	return failed != FAILED_NOT && failed != FAILED_LOST && failed != FAILED_LIMIT && failed != FAILED_AFTER_JOB;
}

bool stat_is_good(int stat)
{
	return stat == stat_exited(0);
}

static int flag_give(int *to, int value, struct reason_wanted *wanted)
{
	if (!to)
		return fault(wanted, DRMAA_ERRNO_INVALID_ARGUMENT, NULL);
	*to = value;
	return fault(wanted, DRMAA_ERRNO_SUCCESS, NULL);
}

int drmaa_wifexited(int *exited, int stat, char *error_diagnosis, size_t error_diag_len)
{
	return flag_give(exited, !!(stat & STAT_EXITED), DIAGNOSIS);
}

/*
 * Return the exit code. Python's drmaa asks for code and signal of any job: a job without them has
 * 0 and "".
 */
int drmaa_wexitstatus(int *exit_status, int stat, char *error_diagnosis, size_t error_diag_len)
{
	return flag_give(exit_status, stat & STAT_EXITED ? stat >> CODE_SHIFT & VALUE : 0, DIAGNOSIS);
}

int drmaa_wifsignaled(int *signaled, int stat, char *error_diagnosis, size_t error_diag_len)
{
	return flag_give(signaled, !!(stat & STAT_SIGNALED), DIAGNOSIS);
}

int drmaa_wtermsig(char *signal, size_t signal_len, int stat, char *error_diagnosis, size_t error_diag_len)
{
	const char *name = sigabbrev_np(stat >> SIGNAL_SHIFT & VALUE);

	if (!signal || !signal_len)
		return fault(DIAGNOSIS, DRMAA_ERRNO_INVALID_ARGUMENT, NULL);
	snprintf(signal, signal_len, "%s%s", stat & STAT_SIGNALED ? "SIG" : "",
		 !(stat & STAT_SIGNALED) ? ""
		 : name			 ? name
					 : "UNKNOWN");
	return fault(DIAGNOSIS, DRMAA_ERRNO_SUCCESS, NULL);
}

/* Return 0: the shepherd does not report core dumps, so no `stat` has the bit. */
int drmaa_wcoredump(int *core_dumped, int stat, char *error_diagnosis, size_t error_diag_len)
{
	return flag_give(core_dumped, !!(stat & STAT_CORE), DIAGNOSIS);
}

int drmaa_wifaborted(int *aborted, int stat, char *error_diagnosis, size_t error_diag_len)
{
	return flag_give(aborted, !!(stat & STAT_ABORTED), DIAGNOSIS);
}
