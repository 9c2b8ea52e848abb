/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/churn.h"

const char *change_name(enum change_pattern pattern)
{
	static const char *const names[CHANGE_PATTERNS] = { "spread", "clustered", "ends" };

	return names[pattern];
}

void churn_begin(struct churn *c, struct mirror *mirror, const struct bench_shape *shape, double percent, int64_t now)
{
	size_t n = (size_t)((double)shape->jobs * percent / 100);

	*c = (struct churn){ .mirror = mirror, .shape = shape, .per_round = n ? n : 1, .oldest = 1 };
	bench_jobs_begin(&c->added, shape, now);
	c->added.n = shape->jobs;
}

/* Another -p than the round before gave it; of the values that the jobs had from the beginning. */
static int job_alter(struct churn *c, size_t number, struct error *error)
{
	const struct job_spec spec = { .given = JOB_PRIORITY, .job_number = (uint32_t)number,
				       .priority = (int32_t)((number + c->round) % 5) - 4 };

	return mirror_job_modify(c->mirror, &spec, error);
}

static int jobs_alter(struct churn *c, size_t first, size_t step, struct error *error)
{
	int code = 0;

	for (size_t i = 0; code == 0 && i < c->per_round; i++)
		code = job_alter(c, 1 + (first + i * step) % c->shape->jobs, error);
	return code;
}

static int oldest_end(struct churn *c, int64_t now, struct error *error)
{
	const struct granted granted = { .queue = "all.q@node", .slots = 1 };
	uint32_t number;
	int code;

	while (bench_job_runs(c->shape, c->oldest))
		c->oldest++;
	number = (uint32_t)c->oldest++;
	code = mirror_task_start(c->mirror, number, 1, now, &granted, 1, NULL, NULL, error);
	return code ? code : mirror_task_finish(c->mirror, number, 1, 0, NULL, error);
}

static int job_submit(struct churn *c, int64_t now, struct error *error)
{
	struct job_spec spec;

	c->added.now = now;
	bench_jobs_next(&c->added, &spec);
	return mirror_job_add(c->mirror, &spec, error);
}

static int jobs_pass(struct churn *c, int64_t now, struct error *error)
{
	int code = 0;

	for (size_t i = 0; code == 0 && i < c->per_round; i += 2) {
		code = job_submit(c, now, error);
		if (code == 0)
			code = oldest_end(c, now, error);
	}
	return code;
}

int churn_make(struct churn *c, enum change_pattern pattern, int64_t now, struct error *error)
{
	c->round++;
	if (pattern == CHANGE_ENDS)
		return jobs_pass(c, now, error);
	if (pattern == CHANGE_CLUSTERED)
		return jobs_alter(c, c->round * c->per_round, 1, error);
	return jobs_alter(c, c->round, c->shape->jobs / c->per_round, error);
}
