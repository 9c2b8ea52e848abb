/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs that waited much longer than similar ones. */

#include "sched/replay/outcome/groups.h"

#define CLASSES (SIZE_CLASSES * TIME_CLASSES)

static size_t class_of(const struct outcome_job *job)
{
	return group_of(job, BY_SIZE) * TIME_CLASSES + group_of(job, BY_TIME);
}

/*
 * Find the median of each class from the jobs that have started: they are ranked by wait, so it is
 * the value in the middle.
 */
static void medians_find(double *medians, const struct ranking *waits, const struct outcome_job *jobs)
{
	size_t n[CLASSES] = { 0 }, seen[CLASSES] = { 0 };

	for (size_t k = 0; k < waits->n; k++)
		n[class_of(&jobs[waits->items[k].job])]++;
	for (size_t k = 0; k < waits->n; k++) {
		size_t class = class_of(&jobs[waits->items[k].job]);

		if (seen[class]++ == (n[class] - 1) / 2)
			medians[class] = waits->items[k].value;
	}
}

static bool is_longer(const struct long_wait *a, const struct long_wait *b)
{
	return a->wait_s != b->wait_s ? a->wait_s > b->wait_s : a->job < b->job;
}

/* Insert a wait into the list of limited length. */
static void longest_add(struct answers *answers, struct long_wait wait)
{
	size_t at = answers->nlongest;

	if (at == LONGEST_WAITS && !is_longer(&wait, &answers->longest[at - 1]))
		return;
	at -= at == LONGEST_WAITS;
	for (; at > 0 && is_longer(&wait, &answers->longest[at - 1]); at--)
		answers->longest[at] = answers->longest[at - 1];
	answers->longest[at] = wait;
	answers->nlongest += answers->nlongest < LONGEST_WAITS;
}

void starving_find(struct answers *answers, const struct ranking *waits, int64_t until)
{
	double medians[CLASSES] = { 0.0 };
	size_t n;
	const struct outcome_job *jobs = outcome_jobs(answers->outcome, &n);

	medians_find(medians, waits, jobs);
	for (size_t k = 0; k < n; k++) {
		const struct outcome_job *job = &jobs[k];
		int64_t wait = outcome_wait(job, until);

		if (job->state == OUTCOME_ABSENT || job->state == OUTCOME_REMOVED)
			continue;
		answers->starving += wait >= STARVES_LEAST_S && (double)wait > STARVES_TIMES * medians[class_of(job)];
		longest_add(answers, (struct long_wait){ k, wait, job->start > 0 });
	}
}
