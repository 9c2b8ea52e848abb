/* SPDX-License-Identifier: Apache-2.0 */
/* Why jobs wait, all of them: each reason once, and below it the jobs that it holds of. */
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "conf/text_set.h"
#include "sched/cli/stat.h"

#define JOBS_SHOWN 200u		/* of a reason */
#define REASONS_MOST 1000u

struct reason_jobs {
	uint32_t numbers[JOBS_SHOWN];
	uint64_t n;
};

struct reason_list {
	struct text_set texts;
	struct reason_jobs **jobs;	/* by number of the text */
	size_t n;
	uint64_t unknown;		/* jobs of which the run says nothing */
};

static int reason_add(struct reason_list *r, const char *text, uint32_t job_number)
{
	uint32_t number = text_set_find(&r->texts, text);
	struct reason_jobs *jobs;

	if (number == INDEX_NONE && r->n == REASONS_MOST)
		return 0;
	if (number == INDEX_NONE) {
		if (array_grow(&r->jobs, r->n + 1, sizeof(*r->jobs)) || !(r->jobs[r->n] = calloc(1, sizeof(**r->jobs))))
			return -ENOMEM;
		r->n++;
		if (text_set_add(&r->texts, text, &number))
			return -ENOMEM;
	}
	jobs = r->jobs[number];
	if (jobs->n < JOBS_SHOWN)
		jobs->numbers[jobs->n] = job_number;
	jobs->n++;
	return 0;
}

static int reasons_find(const struct fl_view *view, struct stat *s, struct reason_list *r)
{
	char text[STAT_WHY_BYTES];
	struct fl_job job;
	struct fl_why why;
	int rc = 0;

	for (size_t i = 0, n = fl_count(view, FL_PENDING); rc == 0 && i < n; i++) {
		size_t k = 0;

		if (fl_get(view, FL_PENDING, i, &job) || !stat_filter_has(&s->filter, view, &job))
			continue;
		for (; rc == 0 && fl_why(view, job.job_number, k, &why) == 0; k++) {
			fl_why_text(&why, text, sizeof(text));
			rc = reason_add(r, text, job.job_number);
		}
		r->unknown += k == 0;
	}
	return rc;
}

static void reasons_print(struct out *o, const struct reason_list *r)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct reason_jobs *jobs = r->jobs[i];

		if (i == 0)
			stat_label(o, "scheduling info");
		else
			out_take(o, text_blanks(out_room(o, STAT_LABEL_BYTES), STAT_LABEL_BYTES));
		text_plain(o, r->texts.texts[i]);
		for (uint64_t k = 0; k < jobs->n && k < JOBS_SHOWN; k++)
			out_put(o, k % 10 ? ",%8u" : "\n\t\t%8u", jobs->numbers[k]);
		if (jobs->n > JOBS_SHOWN)
			out_put(o, "\n\t\tand %llu more", (unsigned long long)(jobs->n - JOBS_SHOWN));
		out_text(o, "\n");
	}
	if (r->n == 0) {
		stat_label(o, "scheduling info");
		out_text(o, r->unknown ? "(none in this run)\n" : "no job waits\n");
	}
}

int stat_reasons(const struct fl_view *view, struct out *o, void *stat)
{
	struct reason_list r = { .n = 0 };
	int rc = reasons_find(view, stat, &r);

	if (rc == 0)
		reasons_print(o, &r);
	text_set_free(&r.texts);
	for (size_t i = 0; i < r.n; i++)
		free(r.jobs[i]);
	free(r.jobs);
	return rc ? EXIT_NO_DATA : EXIT_OK;
}
