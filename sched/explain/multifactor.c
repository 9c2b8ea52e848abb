/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/explain/multifactor.h"

#include <errno.h>
#include <math.h>

#define PARTITION_COLUMNS "partition", "factor", "weight", "weighted", "TRES, weighted", "sum"
#define TERMS 9

static struct explained_term no_lines(const char *name)
{
	return (struct explained_term){ name,	      DERIVED_NONE, DERIVED_NONE, DERIVED_NONE,
					DERIVED_NONE, DERIVED_NONE, DERIVED_NONE };
}

/* Derive weight x factor. */
static struct explained_term weigh(const struct priced_job *job, const char *name, const char *parameter,
				   uint32_t weight, struct factor_lines lines)
{
	struct explained_term term = no_lines(name);
	char text[TEXT_BYTES];

	term.weight = derive_whole(job->d, parameter, weight, "slurm.conf");
	term.normalised = lines.factor;
	term.raw = lines.raw;
	term.most = lines.most;
	term.contribution = derive_in(job->d, PRECISION_DOUBLE, text_made(text, "%s, weighted", name),
				      OPERATION_PRODUCT, 2, term.weight, term.normalised);
	return term;
}

/* Derive a term that has no weight, in double as the sum is. */
static struct explained_term as_it_is(const struct priced_job *job, const char *name, int64_t value)
{
	struct explained_term term = no_lines(name);

	term.raw = derive_whole(job->d, name, value, "job");
	term.contribution = derive_in(job->d, PRECISION_DOUBLE, name, OPERATION_SAME, 1, term.raw);
	return term;
}

static uint32_t derive_sum(const struct priced_job *job, const struct explained_term *terms)
{
	struct line_operand added[TERMS - 1];
	uint32_t sum;

	for (size_t i = 0; i < TERMS - 1; i++)
		added[i] = (struct line_operand){ terms[i].contribution, 1 };
	sum = derive_from(job->d, PRECISION_DOUBLE, "sum of all but nice", OPERATION_SUM, added, TERMS - 1);
	return derive(job->d, "sum", OPERATION_DIFFERENCE, 2, sum, terms[TERMS - 1].contribution);
}

/* Report the partitions of the job. Its priority is that of the first one that it names. */
static void report_partitions(const struct priced_job *job, struct explained_term *terms)
{
	const struct slurm_conf *conf = job->m->conf;
	struct explained_term partition = terms[4], tres = terms[6];

	sections_begin(job->x, "Partition");
	sections_columns(job->x, COLUMNS_OF(PARTITION_COLUMNS));
	if (job->shape->named_place == NONE)
		sections_note(job->x, "It names no partition that exists.");
	for (uint32_t p = job->shape->first; p < job->shape->first + job->shape->count; p++) {
		struct factor_lines lines;

		if (p != job->shape->named_place) {
			lines = multifactor_derive_partition(job, p);
			terms[4] = weigh(job, "partition", "PriorityWeightPartition", conf->weight_partition, lines);
			terms[6].contribution = multifactor_derive_tres(job, p);
		}
		sections_row(job->x, conf->partitions[job->m->places[p].partition].name,
			     ROW(terms[4].normalised, terms[4].weight, terms[4].contribution, terms[6].contribution,
				 derive_sum(job, terms)));
		terms[4] = partition;
		terms[6] = tres;
	}
	if (job->shape->count > 1)
		sections_note(job->x, "Higher tiers are first. The priority is that in %s, which the job names first.",
			      conf->partitions[job->shape->named].name);
}

/* Cut the sum to a whole number within the bounds. */
static uint32_t derive_priority(const struct priced_job *job, uint32_t sum)
{
	bool is_2009 = job->m->conf->version == PRIORITY_2009;
	uint32_t line = derive_in(job->d, PRECISION_WHOLE, "without its fraction", OPERATION_TRUNCATED, 1, sum);

	line = derive(job->d, "at least the lowest priority", OPERATION_GREATEST, 2, line,
		      derive_whole(job->d, "lowest priority", multifactor_least(is_2009), "constant"));
	return derive(job->d, "priority", OPERATION_LEAST, 2, line,
		      derive_whole(job->d, "highest priority", UINT32_MAX, "constant"));
}

static void derive_terms(const struct priced_job *job, struct explained_term *terms)
{
	const struct slurm_conf *conf = job->m->conf;

	terms[0] = weigh(job, "age", "PriorityWeightAge", conf->no_storage ? 0 : conf->weight_age,
			 multifactor_derive_age(job));
	terms[1] = weigh(job, "association", "PriorityWeightAssoc", conf->weight_assoc,
			 multifactor_derive_association(job));
	terms[2] = weigh(job, "fair-share", "PriorityWeightFairshare", conf->no_storage ? 0 : conf->weight_fairshare,
			 multifactor_derive_fairshare(job));
	terms[3] = weigh(job, "job size", "PriorityWeightJobSize", conf->weight_job_size, multifactor_derive_size(job));
	terms[4] = weigh(job, "partition", "PriorityWeightPartition", conf->weight_partition,
			 multifactor_derive_partition(job, job->shape->named_place));
	terms[5] = weigh(job, "QOS", "PriorityWeightQOS", conf->weight_qos, multifactor_derive_qos(job));
	terms[6] = no_lines("TRES");
	terms[6].contribution = multifactor_derive_tres(job, job->shape->named_place);
	terms[7] = as_it_is(job, "site", job->numbers.site_factor);
	terms[8] = as_it_is(job, "nice", job->numbers.nice);
}

/* Use the published priority if it differs from the sum for a known reason. */
static void take_other(const struct priced_job *job, uint32_t published, const char *note)
{
	job->x->prio = derive_whole(job->d, "priority", published, "run");
	job->x->note = explanation_text(job->x, note);
	job->x->is_sum = false;
}

static void derive_prio(const struct priced_job *job)
{
	struct explained_term terms[TERMS];
	uint32_t sum, derived;
	bool waits = !job->x->job.is_started;

	derive_terms(job, terms);
	sum = derive_sum(job, terms);
	report_partitions(job, terms);
	terms[8].contribution = derive(job->d, "less nice", OPERATION_DIFFERENCE, 2,
				       derive_given(job->d, "nothing", 0.0, "constant"), terms[8].contribution);
	for (size_t i = 0; i < TERMS; i++)
		term_add(job->x, &terms[i]);
	job->x->sum = sum;
	derived = job->x->prio = derive_priority(job, sum);
	if (derived_value(job->d, derived) == job->slurm->priority)
		return;
	if (!waits)
		take_other(
			job, job->slurm->priority,
			"The priority is the one with which it has started. The factors are the present ones.");
	else if (job->m->conf->version == PRIORITY_2009 && job->slurm->priority < multifactor_least(true))
		take_other(
			job, job->slurm->priority,
			"PriorityVersion 2009: a job that cannot begin yet has this priority with any factors.");
	else if (job->m->conf->flags & FLAG_INCR_ONLY && job->slurm->priority > derived_value(job->d, derived))
		take_other(job, job->slurm->priority,
			   "PriorityFlags has INCR_ONLY: the job keeps its earlier, higher priority.");
}

static const char *first_reason(const struct priced_job *job, const char *otherwise)
{
	char text[TEXT_BYTES];
	struct fl_why why;

	if (job->x->job.is_started || fl_why(job->e->view, job->x->job.job_number, 0, &why))
		return otherwise;
	fl_why_text(&why, text, sizeof(text));
	return explanation_text(job->x, text);
}

/* Return the request as priorities.c does: the allocated one if running jobs are priced. */
static uint32_t request_of(const struct priced_job *job, const struct job_extra *extra)
{
	const struct jobs *jobs = &job->run->mirror->state->jobs;

	if (extra && extra->allocated != NONE && multifactor_prices_running(job->m) &&
	    !(jobs->kind[job->row] & JOB_PENDING))
		return extra->allocated;
	return job_fact(jobs, job->row, category);
}

static int explain(struct explainer *explainer, struct explanation *explanation)
{
	const struct multifactor_policy *policy =
		(const struct multifactor_policy *)explainer->sched->policies.in_force;
	struct priced_job job = { .e = explainer,
				  .x = explanation,
				  .d = &explanation->derivation,
				  .m = policy->in_force,
				  .run = &explainer->sched->run };
	const struct jobs *jobs = &job.run->mirror->state->jobs;
	const struct job_extra *extra;

	job.row = jobs_find(jobs, explanation->job.job_number);
	if (job.row == INDEX_NONE || !job.m)
		return -ESRCH;
	extra = jobs_find_extra(jobs, job.row);
	job.request = request_of(&job, extra);
	job.shape = multifactor_shape(job.m, job.request);
	job.slurm = &jobs->slurm[job.row];
	job.association = job.slurm->association;
	if (extra)
		job.numbers = extra->numbers;
	if (job.slurm->priority == 0) {
		explanation->why = first_reason(&job, "it is held");
		return explanation->derivation.rc;
	}
	if (job.numbers.direct_priority)
		take_other(&job, job.slurm->priority, "An operator has set this priority. Factors do not count.");
	else
		derive_prio(&job);
	value_add(explanation, "prio", explanation->prio);
	return explanation->derivation.rc;
}

const struct explained_policy multifactor_explained = {
	.name = "multifactor", .looks_inside = true, .explain = explain,
};
