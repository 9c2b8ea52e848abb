/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The `stat` of drmaa_wait(): the exit code or the number of the signal in its lowest byte, how it
 * ended above.
 */
#include <stdio.h>
#include <string.h>

#include "sched/drmaa/inside.h"

enum { STAT_EXITED = 1 << 8, STAT_SIGNALED = 1 << 9, STAT_ABORTED = 1 << 10, STAT_VALUE = 0xff };

#define FAILED_AFTER_START 100	/* of accounting(5): its exit status is 128 and a signal */

int stat_exited(int exit_status)
{
	return STAT_EXITED | (exit_status & STAT_VALUE);
}

int stat_signaled(int signal)
{
	return STAT_SIGNALED | (signal & STAT_VALUE);
}

int stat_aborted(void)
{
	return STAT_ABORTED;
}

/* What was lost with the machine has neither an exit code nor a signal. */
int stat_of(long failed, long exit_status)
{
	if (failed == 0)
		return stat_exited((int)exit_status);
	return failed == FAILED_AFTER_START && exit_status > 128 ? stat_signaled((int)exit_status - 128) : stat_aborted();
}

bool stat_is_good(int stat)
{
	return stat == stat_exited(0);
}

static int flag_give(int *to, int value, struct reason_wanted *d)
{
	if (!to)
		return fault(d, DRMAA_ERRNO_INVALID_ARGUMENT, NULL);
	*to = value;
	return fault(d, DRMAA_ERRNO_SUCCESS, NULL);
}

int drmaa_wifexited(int *exited, int stat, char *error_diagnosis, size_t error_diag_len)
{
	return flag_give(exited, !!(stat & STAT_EXITED), DIAGNOSIS);
}

/* Python's drmaa asks for code and signal of any job: one that has none has 0 and "". */
int drmaa_wexitstatus(int *exit_status, int stat, char *error_diagnosis, size_t error_diag_len)
{
	return flag_give(exit_status, stat & STAT_EXITED ? stat & STAT_VALUE : 0, DIAGNOSIS);
}

int drmaa_wifsignaled(int *signaled, int stat, char *error_diagnosis, size_t error_diag_len)
{
	return flag_give(signaled, !!(stat & STAT_SIGNALED), DIAGNOSIS);
}

int drmaa_wtermsig(char *signal, size_t signal_len, int stat, char *error_diagnosis, size_t error_diag_len)
{
	const char *name = sigabbrev_np(stat & STAT_VALUE);

	if (!signal || !signal_len)
		return fault(DIAGNOSIS, DRMAA_ERRNO_INVALID_ARGUMENT, NULL);
	snprintf(signal, signal_len, "%s%s", stat & STAT_SIGNALED ? "SIG" : "", !(stat & STAT_SIGNALED) ? "" : name ? name : "UNKNOWN");
	return fault(DIAGNOSIS, DRMAA_ERRNO_SUCCESS, NULL);
}

/* The shepherd does not tell. */
int drmaa_wcoredump(int *core_dumped, int stat, char *error_diagnosis, size_t error_diag_len)
{
	(void)stat;
	return flag_give(core_dumped, 0, DIAGNOSIS);
}

int drmaa_wifaborted(int *aborted, int stat, char *error_diagnosis, size_t error_diag_len)
{
	return flag_give(aborted, !!(stat & STAT_ABORTED), DIAGNOSIS);
}
