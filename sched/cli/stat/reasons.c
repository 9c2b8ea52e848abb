/* SPDX-License-Identifier: Apache-2.0 */
/* Reasons why jobs wait, each once with the jobs to which it applies, and their text. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "sched/cli/stat/messages.h"
#include "sched/cli/stat/reasons.h"
#include "sched/process/ranges.h"

#define REASONS_MOST 1000u

static int reason_add(struct reason_list *reasons, const struct message_kind *message, const char *text,
		      uint32_t job_number)
{
	uint32_t number = text_set_find(&reasons->texts, text);
	struct reason_jobs *jobs;

	if (number == INDEX_NONE && reasons->n == REASONS_MOST)
		return 0;
	if (number == INDEX_NONE) {
		if (array_grow(&reasons->jobs, reasons->n + 1, sizeof(*reasons->jobs)) ||
		    !(reasons->jobs[reasons->n] = calloc(1, sizeof(**reasons->jobs))))
			return -ENOMEM;
		reasons->jobs[reasons->n++]->message = message;
		if (text_set_add(&reasons->texts, text, &number))
			return -ENOMEM;
	}
	jobs = reasons->jobs[number];
	if (jobs->n > 0 && jobs->n <= JOBS_SHOWN && jobs->numbers[jobs->n - 1] == job_number)
		return 0;
	if (jobs->n < JOBS_SHOWN)
		jobs->numbers[jobs->n] = job_number;
	jobs->n++;
	return 0;
}

int reasons_of(const struct fl_view *view, struct reason_list *reasons, uint32_t job_number)
{
	char text[STAT_WHY_BYTES];
	struct fl_why why;
	bool held = false;
	size_t k = 0;
	int rc = 0;

	for (; rc == 0 && fl_why(view, job_number, k, &why) == 0; k++) {
		const struct message_kind *message = message_kind(&why);

		if (!message_text(message, reasons->form, text, sizeof(text)))
			fl_why_text(&why, text, sizeof(text));
		/*
		 * Grid Engine gives no further reason for a held job, and prints messages about
		 * queue instances separately.
		 */
		if (reasons->form == MESSAGE_SENTENCE || (!held && !message->of_queue))
			rc = reason_add(reasons, message, text, job_number);
		held |= message->number == MESSAGE_HELD;
	}
	reasons->unknown += k == 0;
	return rc;
}

int reasons_find(const struct fl_view *view, struct job_listing *listing, struct reason_list *reasons)
{
	struct fl_job job;
	int rc = 0;

	for (size_t i = 0, n = fl_count(view, FL_PENDING); rc == 0 && i < n; i++)
		if (fl_get(view, FL_PENDING, i, &job) == 0 && stat_filter_has(&listing->filter, view, &job) &&
		    (!reasons->only || ranges_contain(reasons->only, job.job_number)))
			rc = reasons_of(view, reasons, job.job_number);
	return rc;
}

void reasons_free(struct reason_list *reasons)
{
	text_set_free(&reasons->texts);
	for (size_t i = 0; i < reasons->n; i++)
		free(reasons->jobs[i]);
	free(reasons->jobs);
}

void reasons_line(struct out *out, const char *text, bool is_first)
{
	if (is_first)
		stat_label(out, "scheduling info");
	else
		out_take(out, text_blanks(out_room(out, STAT_LABEL_BYTES), STAT_LABEL_BYTES));
	text_plain(out, text);
}

static void reasons_print(struct out *out, const struct reason_list *reasons)
{
	for (size_t i = 0; i < reasons->n; i++) {
		const struct reason_jobs *jobs = reasons->jobs[i];

		reasons_line(out, reasons->texts.texts[i], i == 0);
		for (uint64_t k = 0; k < jobs->n && k < JOBS_SHOWN; k++)
			out_put(out, k % 10 ? ",%8u" : "\n\t\t%8u", jobs->numbers[k]);
		if (jobs->n > JOBS_SHOWN)
			out_put(out, "\n\t\tand %llu more", (unsigned long long)(jobs->n - JOBS_SHOWN));
		out_text(out, "\n");
	}
	if (reasons->n == 0) {
		stat_label(out, "scheduling info");
		out_text(out, reasons->unknown ? "(none in this run)\n" : "no job waits\n");
	}
}

int stat_reasons(const struct fl_view *view, struct out *out, void *context)
{
	struct reason_list reasons = { .form = MESSAGE_SENTENCE };
	int rc = reasons_find(view, context, &reasons);

	if (rc == 0)
		reasons_print(out, &reasons);
	reasons_free(&reasons);
	return rc ? EXIT_NO_DATA : EXIT_OK;
}
