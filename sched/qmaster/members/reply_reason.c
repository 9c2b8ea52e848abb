/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/members/reply_reason.h"

#include <string.h>

static const char *const words[REPLY_REASONS] = {
	[REPLY_OTHER] = "other",
	[REPLY_DONE] = "done",
	[REPLY_REGISTERED] = "registered",
	[REPLY_NOTHING_CHANGED] = "nothing_changed",
	[REPLY_IN_STATE] = "in_state",
	[REPLY_NONE_FOUND] = "none_found",
	[REPLY_VERIFIED] = "verified",
	[REPLY_INVALID] = "invalid",
	[REPLY_UNKNOWN_REQUEST] = "unknown_request",
	[REPLY_UNKNOWN_RESOURCE] = "unknown_resource",
	[REPLY_UNKNOWN_QUEUE] = "unknown_queue",
	[REPLY_UNKNOWN_PE] = "unknown_pe",
	[REPLY_UNKNOWN_CHECKPOINT] = "unknown_checkpoint",
	[REPLY_UNKNOWN_PROJECT] = "unknown_project",
	[REPLY_NO_SUITABLE_QUEUE] = "no_suitable_queue",
	[REPLY_TASK_CONCURRENCY] = "task_concurrency",
	[REPLY_WHOLE_JOB] = "whole_job",
	[REPLY_NOT_RERUNNABLE] = "not_rerunnable",
	[REPLY_TOO_MUCH] = "too_much",
	[REPLY_NO_JOB] = "no_job",
	[REPLY_NO_JOB_OF_USER] = "no_job_of_user",
	[REPLY_NO_TASK] = "no_task",
	[REPLY_NO_QUEUE] = "no_queue",
	[REPLY_NO_RESERVATION] = "no_reservation",
	[REPLY_NO_RESERVATION_OF_USER] = "no_reservation_of_user",
	[REPLY_NOTHING_NAMED] = "nothing_named",
	[REPLY_DENIED] = "denied",
	[REPLY_NOT_STORED] = "not_stored",
};

const char *reply_reason_word(enum reply_reason reason)
{
	return words[reason];
}

enum reply_reason reply_reason_find(const char *word)
{
	for (int k = 0; word && k < REPLY_REASONS; k++)
		if (strcmp(words[k], word) == 0)
			return (enum reply_reason)k;
	return REPLY_OTHER;
}
