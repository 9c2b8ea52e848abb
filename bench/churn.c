/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/churn.h"

const char *change_name(enum change_pattern pattern)
{
	static const char *const names[CHANGE_PATTERNS] = { "spread", "clustered", "ends" };

	return names[pattern];
}

void churn_begin(struct churn *churn, struct mirror *mirror, const struct bench_shape *shape, double percent,
		 int64_t now)
{
	size_t n = (size_t)((double)shape->jobs * percent / 100);

	*churn = (struct churn){ .mirror = mirror, .shape = shape, .per_round = n ? n : 1, .oldest = 1 };
	bench_jobs_begin(&churn->added, shape, now);
	churn->added.n = shape->jobs;
}

/*
 * Give a job a -p that differs from the one of the previous round. It is one of the values that the
 * jobs had at the beginning.
 */
static int job_alter(struct churn *churn, size_t number, struct error *error)
{
	const struct job_spec spec = { .given = JOB_PRIORITY, .job_number = (uint32_t)number,
				       .priority = (int32_t)((number + churn->round) % 5) - 4 };

	return mirror_job_modify(churn->mirror, &spec, error);
}

static int jobs_alter(struct churn *churn, size_t first, size_t step, struct error *error)
{
	int code = 0;

	for (size_t i = 0; code == 0 && i < churn->per_round; i++)
		code = job_alter(churn, 1 + (first + i * step) % churn->shape->jobs, error);
	return code;
}

static int oldest_end(struct churn *churn, int64_t now, struct error *error)
{
	const struct granted granted = { .queue = "all.q@node", .slots = 1 };
	uint32_t number;
	int code;

	while (bench_job_runs(churn->shape, churn->oldest))
		churn->oldest++;
	number = (uint32_t)churn->oldest++;
	code = mirror_task_start(churn->mirror, number, 1, now, &granted, 1, NULL, NULL, error);
	return code ? code : mirror_task_finish(churn->mirror, number, 1, 0, NULL, error);
}

static int job_submit(struct churn *churn, int64_t now, struct error *error)
{
	struct job_spec spec;

	churn->added.now = now;
	bench_jobs_next(&churn->added, &spec);
	return mirror_job_add(churn->mirror, &spec, error);
}

static int jobs_pass(struct churn *churn, int64_t now, struct error *error)
{
	int code = 0;

	for (size_t i = 0; code == 0 && i < churn->per_round; i += 2) {
		code = job_submit(churn, now, error);
		if (code == 0)
			code = oldest_end(churn, now, error);
	}
	return code;
}

int churn_make(struct churn *churn, enum change_pattern pattern, int64_t now, struct error *error)
{
	churn->round++;
	if (pattern == CHANGE_ENDS)
		return jobs_pass(churn, now, error);
	if (pattern == CHANGE_CLUSTERED)
		return jobs_alter(churn, churn->round * churn->per_round, 1, error);
	return jobs_alter(churn, churn->round, churn->shape->jobs / churn->per_round, error);
}
