/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/explain/multifactor.h"

#include <errno.h>
#include <math.h>

#define PARTITION_COLUMNS "partition", "factor", "weight", "weighted", "TRES, weighted", "sum"
#define TERMS 9

static struct explained_term no_lines(const char *name)
{
	return (struct explained_term){ name, DERIVED_NONE, DERIVED_NONE, DERIVED_NONE, DERIVED_NONE, DERIVED_NONE, DERIVED_NONE };
}

/* weight x factor */
static struct explained_term weigh(const struct priced_job *j, const char *name, const char *parameter, uint32_t weight, struct factor_lines l)
{
	struct explained_term t = no_lines(name);
	char text[TEXT_BYTES];

	t.weight = derive_whole(j->d, parameter, weight, "slurm.conf");
	t.normalised = l.factor;
	t.raw = l.raw;
	t.most = l.most;
	t.contribution = derive_in(j->d, PRECISION_DOUBLE, text_made(text, "%s, weighted", name), OPERATION_PRODUCT, 2, t.weight, t.normalised);
	return t;
}

/* In double, as the sum is. */
static struct explained_term as_it_is(const struct priced_job *j, const char *name, int64_t value)
{
	struct explained_term t = no_lines(name);

	t.raw = derive_whole(j->d, name, value, "job");
	t.contribution = derive_in(j->d, PRECISION_DOUBLE, name, OPERATION_SAME, 1, t.raw);
	return t;
}

static uint32_t derive_sum(const struct priced_job *j, const struct explained_term *terms)
{
	struct line_operand added[TERMS - 1];
	uint32_t sum;

	for (size_t i = 0; i < TERMS - 1; i++)
		added[i] = (struct line_operand){ terms[i].contribution, 1 };
	sum = derive_from(j->d, PRECISION_DOUBLE, "sum of all but nice", OPERATION_SUM, added, TERMS - 1);
	return derive(j->d, "sum", OPERATION_DIFFERENCE, 2, sum, terms[TERMS - 1].contribution);
}

/* Partitions of the job: its number is that of the first one that it names. */
static void tell_partitions(const struct priced_job *j, struct explained_term *terms)
{
	const struct slurm_conf *conf = j->m->conf;
	struct explained_term partition = terms[4], tres = terms[6];

	sections_begin(j->x, "Partition");
	sections_columns(j->x, COLUMNS_OF(PARTITION_COLUMNS));
	if (j->shape->named_place == NONE)
		sections_note(j->x, "It names no partition that there is.");
	for (uint32_t p = j->shape->first; p < j->shape->first + j->shape->count; p++) {
		struct factor_lines l;

		if (p != j->shape->named_place) {
			l = multifactor_derive_partition(j, p);
			terms[4] = weigh(j, "partition", "PriorityWeightPartition", conf->weight_partition, l);
			terms[6].contribution = multifactor_derive_tres(j, p);
		}
		sections_row(j->x, conf->partitions[j->m->places[p].partition].name,
			     ROW(terms[4].normalised, terms[4].weight, terms[4].contribution, terms[6].contribution, derive_sum(j, terms)));
		terms[4] = partition;
		terms[6] = tres;
	}
	if (j->shape->count > 1)
		sections_note(j->x, "Higher tiers first. The priority is that in %s, which it names first.",
			      conf->partitions[j->shape->named].name);
}

/* Cut to whole numbers between the bounds. */
static uint32_t derive_priority(const struct priced_job *j, uint32_t sum)
{
	bool is_2009 = j->m->conf->version == PRIORITY_2009;
	uint32_t line = derive_in(j->d, PRECISION_WHOLE, "without its fraction", OPERATION_TRUNCATED, 1, sum);

	line = derive(j->d, "at least the lowest priority", OPERATION_GREATEST, 2, line, derive_whole(j->d, "lowest priority", multifactor_least(is_2009), "constant"));
	return derive(j->d, "priority", OPERATION_LEAST, 2, line, derive_whole(j->d, "highest priority", UINT32_MAX, "constant"));
}

static void derive_terms(const struct priced_job *j, struct explained_term *terms)
{
	const struct slurm_conf *conf = j->m->conf;

	terms[0] = weigh(j, "age", "PriorityWeightAge", conf->no_storage ? 0 : conf->weight_age, multifactor_derive_age(j));
	terms[1] = weigh(j, "association", "PriorityWeightAssoc", conf->weight_assoc, multifactor_derive_association(j));
	terms[2] = weigh(j, "fair-share", "PriorityWeightFairshare", conf->no_storage ? 0 : conf->weight_fairshare, multifactor_derive_fairshare(j));
	terms[3] = weigh(j, "job size", "PriorityWeightJobSize", conf->weight_job_size, multifactor_derive_size(j));
	terms[4] = weigh(j, "partition", "PriorityWeightPartition", conf->weight_partition, multifactor_derive_partition(j, j->shape->named_place));
	terms[5] = weigh(j, "QOS", "PriorityWeightQOS", conf->weight_qos, multifactor_derive_qos(j));
	terms[6] = no_lines("TRES");
	terms[6].contribution = multifactor_derive_tres(j, j->shape->named_place);
	terms[7] = as_it_is(j, "site", j->numbers.site_factor);
	terms[8] = as_it_is(j, "nice", j->numbers.nice);
}

/* Another number than its factors come to, for a reason. */
static void take_other(const struct priced_job *j, uint32_t published, const char *note)
{
	j->x->prio = derive_whole(j->d, "priority", published, "run");
	j->x->note = explanation_text(j->x, note);
	j->x->is_sum = false;
}

static void derive_prio(const struct priced_job *j)
{
	struct explained_term terms[TERMS];
	uint32_t sum, derived;
	bool waits = !j->x->job.is_started;

	derive_terms(j, terms);
	sum = derive_sum(j, terms);
	tell_partitions(j, terms);
	terms[8].contribution = derive(j->d, "less nice", OPERATION_DIFFERENCE, 2, derive_given(j->d, "nothing", 0.0, "constant"), terms[8].contribution);
	for (size_t i = 0; i < TERMS; i++)
		term_add(j->x, &terms[i]);
	j->x->sum = sum;
	derived = j->x->prio = derive_priority(j, sum);
	if (derived_value(j->d, derived) == j->slurm->priority)
		return;
	if (!waits)
		take_other(j, j->slurm->priority, "It has the priority with which it has started; the factors are those that it would have now.");
	else if (j->m->conf->version == PRIORITY_2009 && j->slurm->priority < multifactor_least(true))
		take_other(j, j->slurm->priority, "As it was in 2009: a job that can't begin yet has this priority, whatever its factors are.");
	else if (j->m->conf->flags & FLAG_INCR_ONLY && j->slurm->priority > derived_value(j->d, derived))
		take_other(j, j->slurm->priority, "PriorityFlags has INCR_ONLY: it keeps the higher priority that it had before.");
}

static const char *first_reason(const struct priced_job *j, const char *otherwise)
{
	char text[TEXT_BYTES];
	struct fl_why why;

	if (j->x->job.is_started || fl_why(j->e->view, j->x->job.job_number, 0, &why))
		return otherwise;
	fl_why_text(&why, text, sizeof(text));
	return explanation_text(j->x, text);
}

/* As priorities.c takes it: what is allocated, where running jobs are priced. */
static uint32_t request_of(const struct priced_job *j, const struct job_extra *extra)
{
	const struct jobs *jobs = &j->run->mirror->state->jobs;

	if (extra && extra->allocated != NONE && multifactor_prices_running(j->m) && !(jobs->kind[j->row] & JOB_PENDING))
		return extra->allocated;
	return job_fact(jobs, j->row, category);
}

static int explain(struct explainer *e, struct explanation *x)
{
	const struct multifactor_policy *policy = (const struct multifactor_policy *)e->sched->policies.in_force;
	struct priced_job j = { .e = e, .x = x, .d = &x->derivation, .m = policy->in_force, .run = &e->sched->run };
	const struct jobs *jobs = &j.run->mirror->state->jobs;
	const struct job_extra *extra;

	j.row = jobs_find(jobs, x->job.job_number);
	if (j.row == INDEX_NONE || !j.m)
		return -ESRCH;
	extra = jobs_find_extra(jobs, j.row);
	j.request = request_of(&j, extra);
	j.shape = multifactor_shape(j.m, j.request);
	j.slurm = &jobs->slurm[j.row];
	j.association = j.slurm->association;
	if (extra)
		j.numbers = extra->numbers;
	if (j.slurm->priority == 0) {
		x->why = first_reason(&j, "it is held");
		return x->derivation.rc;
	}
	if (j.numbers.direct_priority)
		take_other(&j, j.slurm->priority, "An operator has set this priority: no factor counts.");
	else
		derive_prio(&j);
	value_add(x, "prio", x->prio);
	return x->derivation.rc;
}

const struct explained_policy multifactor_explained = { "multifactor", true, NULL, NULL, explain };
