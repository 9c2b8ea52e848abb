/* SPDX-License-Identifier: Apache-2.0 */
/* Make an outcome of the recorded times of the jobs of another outcome. */
#include <errno.h>

#include "conf/base/array.h"
#include "sched/replay/outcome/inside.h"

/*
 * Return whether a job has recorded times. Jobs that were pending or running when the replay was
 * stopped may have them, too.
 */
static bool is_recorded(const struct outcome_job *job)
{
	return job->state != OUTCOME_ABSENT && job->recorded_start > 0 && job->run_s != UINT32_MAX;
}

static void record(struct outcome *outcome, const struct outcome_job *job)
{
	struct outcome_job *made = &outcome->jobs[outcome->njobs++];

	*made = *job;
	made->state = is_recorded(job) ? OUTCOME_ENDED : OUTCOME_ABSENT;
	made->submit = job->recorded_submit;
	made->start = made->began = job->recorded_start;
	made->end = job->recorded_start + (job->run_s == UINT32_MAX ? 0 : job->run_s);
	made->names[OUTCOME_QUEUE] = 0;
	made->backfilled = made->vacated = made->limited = made->suspended = false;
}

static int names_copy(struct text_set *to, const struct text_set *from)
{
	uint32_t number;
	int rc = 0;

	for (size_t k = 0; !rc && k < from->n; k++)
		rc = text_set_add(to, from->texts[k], &number);
	return rc;
}

int outcome_recorded(struct outcome **made, const struct outcome *outcome, const char *name)
{
	int rc = outcome_create(made, name);
	size_t known = 0;

	for (size_t k = 0; k < outcome->njobs; k++)
		known += is_recorded(&outcome->jobs[k]);
	if (!rc && known == 0)
		rc = -ENODATA;
	if (!rc)
		rc = array_grow(&(*made)->jobs, outcome->njobs + 1, sizeof(*outcome->jobs));
	if (!rc)
		rc = array_grow(&(*made)->slots, outcome->nslots + 1, sizeof(*outcome->slots));
	for (unsigned kind = 0; !rc && kind < OUTCOME_NAMES; kind++)
		rc = names_copy(&(*made)->names[kind], &outcome->names[kind]);
	if (rc) {
		outcome_destroy(*made);
		*made = NULL;
		return rc;
	}
	for (size_t k = 0; k < outcome->njobs; k++)
		record(*made, &outcome->jobs[k]);
	for (; (*made)->nslots < outcome->nslots; (*made)->nslots++)
		(*made)->slots[(*made)->nslots] = outcome->slots[(*made)->nslots];
	return 0;
}
