/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Age, and the sum of all factors: each job's priority. Sources: Priority Multifactor Plugin;
 * slurm.conf(5) PriorityMaxAge, PriorityFlags.
 */
#include "conf/slurm.h"
#include "sched/policy/multifactor/multifactor.h"

/*
 * Priority of a job that may not start yet, or that the system holds. A job held by a user has 0.
 */
#define NOT_YET_2009 1u

/* Age */

static bool is_held(const struct job_extra *extra)
{
	return extra && extra->flags & (JOB_ON_HOLD | JOB_IN_ERROR);
}

static bool is_dependent(const struct job_extra *extra)
{
	return extra && extra->flags & JOB_PREDECESSOR;
}

/*
 * Return the time from which the job could start: its own begin time, whatever else it waits for.
 * 0: unknown, as long as the job depends on others. A job that did depend on others is eligible
 * from the run on that sees its dependencies end.
 */
static int64_t eligible_time(const struct run *run, struct job_extra *extra, int64_t submission)
{
	if (!extra)
		return submission;
	if (extra->numbers.eligible_time)
		return extra->numbers.eligible_time;
	if (extra->numbers.execution_time)
		return extra->numbers.execution_time > submission ? extra->numbers.execution_time : submission;
	if (is_dependent(extra))
		return 0;
	return extra->depends ? extra->numbers.eligible_time = run->now : submission;
}

/*
 * Return the time from which the job ages. The caller sets it once and keeps it over holds. With
 * limits enforced this is the first run that sees the job free to start, otherwise the time when it
 * became eligible. With ACCRUE_ALWAYS it is the submission.
 */
static int64_t accrue_time(const struct multifactor *multifactor, const struct run *run, struct job_extra *extra,
			   int64_t submission)
{
	const struct slurm_conf *conf = multifactor->conf;
	int64_t eligible;

	if (conf->flags & FLAG_ACCRUE_ALWAYS)
		return submission;
	if (is_held(extra))
		return 0;
	eligible = eligible_time(run, extra, submission);
	if (conf->enforce_limits && conf->version != PRIORITY_2009)
		return eligible && eligible <= run->now && !is_dependent(extra) ? run->now : 0;
	return eligible;
}

/* The sum */

struct pricing {			/* values that all jobs of a run share */
	const struct multifactor *m;
	const struct run *run;
	double weight_age;		/* 0: ages do not count */
	uint32_t least;
	bool is_2009, incr_only, prices_running;
};

static struct pricing pricing_of(const struct multifactor *multifactor, const struct run *run)
{
	const struct slurm_conf *conf = multifactor->conf;
	bool is_2009 = conf->version == PRIORITY_2009;

	return (struct pricing){ .m = multifactor,
				 .run = run,
				 .weight_age = conf->no_storage ? 0.0 : conf->weight_age,
				 .least = multifactor_least(is_2009),
				 .is_2009 = is_2009,
				 .incr_only = conf->flags & FLAG_INCR_ONLY,
				 .prices_running = multifactor_prices_running(multifactor) };
}

/* Return whether a user or operator holds all pending tasks, or the job is in error. */
static bool is_held_by_people(const struct job_extra *extra)
{
	const struct ranges waiting = job_waiting(extra);

	_Static_assert(HOLD_USER < HOLD_SYSTEM && HOLD_OPERATOR < HOLD_SYSTEM,
		       "holds before HOLD_SYSTEM are placed by people");
	return extra->error || ranges_first(&waiting, extra->sets, HOLD_SYSTEM, &(uint32_t){ 0 }, 1) == 0;
}

/* In 2009 a job that could not begin yet had no factors. */
static bool waits_2009(const struct run *run, struct job_extra *extra, int64_t submission)
{
	int64_t eligible = eligible_time(run, extra, submission);

	return eligible == 0 || eligible > run->now;
}

static inline uint32_t priority_of(const struct pricing *pricing, const struct slurm_job *job,
				   const struct job_extra *extra, const struct shape *shape,
				   const struct class_terms *class)
{
	struct multifactor_terms terms = { .assoc = class->assoc,
					   .fairshare = class->fairshare,
					   .job_size = shape->size_term,
					   .partition = shape->partition_term,
					   .qos = shape->qos_term,
					   .tres = shape->tres_term };
	uint32_t priority;

	if (pricing->weight_age != 0.0)
		terms.age = pricing->weight_age * age_factor(pricing->m->pass, job->accrue, pricing->m->conf->max_age);
	if (extra) {
		terms.site = extra->numbers.site_factor;
		terms.nice = extra->numbers.nice;
	}
	priority = multifactor_priority(multifactor_sum(&terms), pricing->least);
	return pricing->incr_only && priority < job->priority ? job->priority : priority;
}

/* Return the terms of the user's association in this partition, or else those of the class. */
static struct class_terms terms_in_partition(const struct multifactor *multifactor, const struct run *run,
					     uint32_t class_id, const struct shape *shape)
{
	const struct class_key *key = classes_key(&run->mirror->classes, class_id);
	struct class_terms terms;

	if (shape->named == NONE)
		return multifactor->classes[class_id];
	terms.association = multifactor_association(multifactor, run, key->account, key->owner,
						    multifactor->partition_names[shape->named]);
	multifactor_class_terms(multifactor, &terms);
	return terms;
}

static inline const struct class_terms *class_of(const struct pricing *pricing, uint32_t class_id,
						 const struct shape *shape, struct class_terms *own)
{
	if (!pricing->m->by_partition)
		return &pricing->m->classes[class_id];
	*own = terms_in_partition(pricing->m, pricing->run, class_id, shape);
	return own;
}

/* Return the job's request, or its allocation. */
static inline uint32_t request_of(const struct pricing *pricing, uint32_t row, const struct job_extra *extra)
{
	const struct jobs *jobs = &pricing->run->mirror->state->jobs;

	if (extra && extra->allocated != NONE && pricing->prices_running && !(jobs->kind[row] & JOB_PENDING))
		return extra->allocated;
	return job_fact(jobs, row, category);
}

static inline const struct shape *compute(const struct pricing *pricing, uint32_t row)
{
	struct jobs *jobs = &pricing->run->mirror->state->jobs;
	const struct job_facts *facts = facts_of(&jobs->facts, row);
	uint32_t i = row % CHUNK_ROWS;
	struct slurm_job *job = &jobs->slurm[row];
	struct job_extra *extra = facts->extra[i] == NONE ? NULL : jobs->extras[facts->extra[i]];
	const struct shape *shape = multifactor_shape(pricing->m, request_of(pricing, row, extra));
	struct class_terms own;
	const struct class_terms *class = class_of(pricing, facts->class_id[i], shape, &own);

	job->association = class->association;
	if (extra && extra->depends)
		/* recorded now or never: the job may be held, or age already */
		eligible_time(pricing->run, extra, facts->submission[i]);
	if (job->accrue == 0)
		job->accrue = accrue_time(pricing->m, pricing->run, extra, facts->submission[i]);
	if (is_held(extra))
		job->priority = pricing->is_2009 && !is_held_by_people(extra) ? NOT_YET_2009 : 0;
	else if (extra && extra->numbers.direct_priority)
		job->priority = extra->numbers.direct_priority;
	else if (pricing->is_2009 && waits_2009(pricing->run, extra, facts->submission[i]))
		job->priority = NOT_YET_2009;
	else
		job->priority = priority_of(pricing, job, extra, shape, class);
	return shape;
}

/* Compute priorities. Jobs of higher tiers come first, whatever their priorities are. */
static void block_compute(const struct block *block)
{
	struct waiting_columns *columns = &block->run->waiting;
	const struct slurm_job *jobs = block->run->mirror->state->jobs.slurm;
	const struct pricing pricing = pricing_of(block->context, block->run);

	for (size_t k = block->begin; k < block->end; k++) {
		const struct shape *shape = compute(&pricing, columns->rows[k]);
		double priority = jobs[columns->rows[k]].priority;

		columns->prio[k] = priority > 0.0 ? priority + shape->tier : 0.0;
	}
}

/* Set the job's association in the active tree. An index from another tree may be out of range. */
static void association_set(const struct pricing *pricing, uint32_t row)
{
	struct jobs *jobs = &pricing->run->mirror->state->jobs;
	struct class_terms own;

	jobs->slurm[row].association = class_of(pricing, job_fact(jobs, row, class_id),
						multifactor_shape(pricing->m, job_fact(jobs, row, category)), &own)
					       ->association;
}

/*
 * Compute priorities of jobs without pending tasks. They keep the priority with which they started
 * unless CALCULATE_RUNNING is set. Holds apply to pending tasks only.
 */
static void running_compute(struct multifactor *multifactor, struct run *run)
{
	struct jobs *jobs = &run->mirror->state->jobs;
	const struct pricing pricing = pricing_of(multifactor, run);

	for (size_t i = 0; i < run->started.n; i++) {
		uint32_t row = run->started.rows[i];
		struct job_extra *extra = jobs_find_extra(jobs, row);

		if (jobs->kind[row] & JOB_PENDING)
			continue;
		if (extra)
			extra->flags = 0;
		if (pricing.prices_running || jobs->slurm[row].priority == 0)
			compute(&pricing, row);
		else
			association_set(&pricing, row);
	}
}

void multifactor_normalize(struct multifactor *multifactor, struct run *run)
{
	run->record.report_pending = 1;
	run->record.prio_is_whole = 1;
	run_show_columns(&run->record, COLUMNS_MULTIFACTOR, sizeof(struct multifactor_results));
	run_blocks(run, block_compute, multifactor);
	running_compute(multifactor, run);
}
