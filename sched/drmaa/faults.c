/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sched/drmaa/inside.h"

static const char *const texts[DRMAA_NO_ERRNO] = {
	[DRMAA_ERRNO_SUCCESS] = "success",
	[DRMAA_ERRNO_INTERNAL_ERROR] = "internal error of the library",
	[DRMAA_ERRNO_DRM_COMMUNICATION_FAILURE] = "the scheduler cannot be reached",
	[DRMAA_ERRNO_AUTH_FAILURE] = "this user is not permitted to do that",
	[DRMAA_ERRNO_INVALID_ARGUMENT] = "an argument is not valid",
	[DRMAA_ERRNO_NO_ACTIVE_SESSION] = "there is no session: call drmaa_init()",
	[DRMAA_ERRNO_NO_MEMORY] = "no memory",
	[DRMAA_ERRNO_INVALID_CONTACT_STRING] = "the contact string does not name a cell",
	[DRMAA_ERRNO_DEFAULT_CONTACT_STRING_ERROR] = "the default cell cannot be used",
	[DRMAA_ERRNO_NO_DEFAULT_CONTACT_STRING_SELECTED] =
		"there is no default cell, and the contact string names none",
	[DRMAA_ERRNO_DRMS_INIT_FAILED] = "the cell cannot be used",
	[DRMAA_ERRNO_ALREADY_ACTIVE_SESSION] = "there is a session already",
	[DRMAA_ERRNO_DRMS_EXIT_ERROR] = "the session cannot be ended",
	[DRMAA_ERRNO_INVALID_ATTRIBUTE_FORMAT] = "the value of an attribute has an invalid format",
	[DRMAA_ERRNO_INVALID_ATTRIBUTE_VALUE] = "an attribute cannot have that value",
	[DRMAA_ERRNO_CONFLICTING_ATTRIBUTE_VALUES] = "the values of two attributes conflict",
	[DRMAA_ERRNO_TRY_LATER] = "the scheduler cannot accept the job now; try again later",
	[DRMAA_ERRNO_DENIED_BY_DRM] = "the scheduler refuses the job",
	[DRMAA_ERRNO_INVALID_JOB] = "there is no such job",
	[DRMAA_ERRNO_RESUME_INCONSISTENT_STATE] = "the job is not suspended",
	[DRMAA_ERRNO_SUSPEND_INCONSISTENT_STATE] = "the job is not running",
	[DRMAA_ERRNO_HOLD_INCONSISTENT_STATE] = "the job is not pending, or is held already",
	[DRMAA_ERRNO_RELEASE_INCONSISTENT_STATE] = "the job is not held",
	[DRMAA_ERRNO_EXIT_TIMEOUT] = "the time has expired, and the job has not ended",
	[DRMAA_ERRNO_NO_RUSAGE] = "the job has no usage",
	[DRMAA_ERRNO_NO_MORE_ELEMENTS] = "there are no more elements",
};

const char *drmaa_strerror(int drmaa_errno)
{
	return drmaa_errno >= 0 && drmaa_errno < DRMAA_NO_ERRNO ? texts[drmaa_errno] : "no such error code";
}

int fault(struct reason_wanted *wanted, int code, const char *format, ...)
{
	va_list arguments;

	if (!wanted->text || !wanted->size)
		return code;
	if (!format) {
		snprintf(wanted->text, wanted->size, "%s", code == DRMAA_ERRNO_SUCCESS ? "" : drmaa_strerror(code));
		return code;
	}
	va_start(arguments, format);
	vsnprintf(wanted->text, wanted->size, format, arguments);
	va_end(arguments);
	return code;
}

int fault_of(struct reason_wanted *wanted, int exit_code, const char *said)
{
	const char *text = *said ? said : NULL;

	switch (exit_code) {
	case EXIT_OK: return fault(wanted, DRMAA_ERRNO_SUCCESS, NULL);
	case EXIT_USAGE: return fault(wanted, DRMAA_ERRNO_DENIED_BY_DRM, text ? "%s" : NULL, text);
	case EXIT_PERMISSION: return fault(wanted, DRMAA_ERRNO_AUTH_FAILURE, text ? "%s" : NULL, text);
	case EXIT_NOT_STORED: return fault(wanted, DRMAA_ERRNO_TRY_LATER, text ? "%s" : NULL, text);
	}
	return fault(wanted, DRMAA_ERRNO_DRM_COMMUNICATION_FAILURE, text ? "%s" : NULL, text);
}
