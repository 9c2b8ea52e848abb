/* SPDX-License-Identifier: Apache-2.0 */
/* Reasons why jobs wait, collected for all their printed forms. */
#ifndef CLI_STAT_REASONS_H
#define CLI_STAT_REASONS_H

#include "conf/base/text_set.h"
#include "sched/cli/stat/messages.h"
#include "sched/cli/stat/stat.h"
#include "sched/process/ranges.h"

#define JOBS_SHOWN 200u		/* jobs shown per reason */

struct reason_jobs {
	const struct message_kind *message;
	uint32_t numbers[JOBS_SHOWN];
	uint64_t n;
};

/* Begins as zeros, except for `form` and `only`. */
struct reason_list {
	struct text_set texts;
	struct reason_jobs **jobs;	/* indexed by the number of the text */
	size_t n;
	uint64_t unknown;		/* jobs without a reason in the run */
	enum message_form form;
	const struct ranges *only;	/* jobs that are considered; NULL: all */
};

/* Add the reasons of a job. Returns 0 or -ENOMEM. */
int reasons_of(const struct fl_view *view, struct reason_list *reasons, uint32_t job_number);
/* Add the reasons of all pending jobs that the listing selects. Returns 0 or -ENOMEM. */
int reasons_find(const struct fl_view *view, struct job_listing *listing, struct reason_list *reasons);
void reasons_free(struct reason_list *reasons);
/* Print a line with the label "scheduling info", or below it. */
void reasons_line(struct out *out, const char *text, bool is_first);

#endif
