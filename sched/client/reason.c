/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/client/reason.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Parts of sentences of sched/qmaster/local/. */
static const struct {
	/* text at the begin of the sentence; NULL: any */
	const char *begin;
	/* text after it, or after the object in quotes; NULL: any */
	const char *middle;
	enum reply_reason reason;
	bool has_object;		/* `begin` ends with the quote before the object */
} sentences[] = {
	{ "denied: job \"", "\" does not exist", REPLY_NO_JOB, true },
	{ "job \"", "\" does not exist", REPLY_NO_JOB, true },
	{ "denied: there are no advance reservations of \"", "\"", REPLY_NO_RESERVATION, true },
	{ "job rejected: it requests the unknown queue \"", "\"", REPLY_NO_QUEUE, true },
	{ NULL, " is altered as a whole", REPLY_WHOLE_JOB, false },
	{ "task_concurrency: ", NULL, REPLY_TASK_CONCURRENCY, false },
	{ "nothing was ", NULL, REPLY_NOTHING_CHANGED, false },
	{ NULL, " is not ", REPLY_WRONG_STATE, false },
	{ NULL, " already ", REPLY_WRONG_STATE, false },
	{ NULL, "does not run", REPLY_WRONG_STATE, false },
};

#define SENTENCES (sizeof(sentences) / sizeof(*sentences))

int reason_find(struct reply_result *result)
{
	for (size_t k = 0; k < SENTENCES; k++) {
		size_t length = sentences[k].begin ? strlen(sentences[k].begin) : 0;
		const char *rest = result->text + length, *at = NULL;

		if (length && strncmp(result->text, sentences[k].begin, length) != 0)
			continue;
		if (sentences[k].middle && !(at = strstr(rest, sentences[k].middle)))
			continue;
		result->reason = sentences[k].reason;
		if (sentences[k].has_object) {
			result->object = strndup(rest, (size_t)(at - rest));
			return result->object ? 0 : -ENOMEM;
		}
		return 0;
	}
	return 0;
}
