/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Factors of the job itself: age, size, partition, QOS, TRES. Formulas are those of
 * urgency/multifactor.h and multifactor.c; slurm.conf(5).
 */
#include <math.h>
#include <string.h>

#include "sched/explain/multifactor.h"

#define ZERO(J, WHY) (struct factor_lines){ derive_given((J)->d, "factor", 0.0, WHY), DERIVED_NONE, DERIVED_NONE }

uint32_t multifactor_settle_line(const struct priced_job *job, uint32_t derived, long double value)
{
	const struct derived_line *line = derivation_line(&job->x->derivation, derived);
	char name[TEXT_BYTES];

	if (!line || line->value == value)
		return derived;
	text_made(name, "%s", line->name);
	return line->precision == PRECISION_EXTENDED ? derive_given_extended(job->d, name, value, "last pass") :
						       derive_given(job->d, name, (double)value, "last pass");
}

/* Age */

struct factor_lines multifactor_derive_age(const struct priced_job *job)
{
	uint32_t pass, accrue, age, most, part;

	if (job->m->conf->weight_age == 0 || job->m->conf->no_storage)
		return ZERO(job, "PriorityWeightAge is 0");
	if (job->slurm->accrue == 0)
		return ZERO(job, "it does not age yet");
	sections_begin(job->x, "Age");
	pass = derived_unit(job->d, derive_whole(job->d, "last pass", job->m->pass, "run"), "epoch s");
	accrue = derived_unit(job->d, derive_whole(job->d, "accrue time", job->slurm->accrue, "job"), "epoch s");
	age = derive(job->d, "since then", OPERATION_DIFFERENCE, 2, pass, accrue);
	age = derived_unit(
		job->d,
		derive(job->d, "age", OPERATION_GREATEST, 2, age, derive_whole(job->d, "at least", 0, "constant")),
		"s");
	most = derived_unit(job->d, derive_whole(job->d, "PriorityMaxAge", job->m->conf->max_age, "slurm.conf"), "s");
	sections_line(job->x, pass);
	sections_line(job->x, accrue);
	sections_line(job->x, age);
	sections_line(job->x, most);
	if (job->m->conf->max_age == 0)
		return (struct factor_lines){ derive_given(job->d, "age factor", 1.0, "PriorityMaxAge is 0"), age,
					      most };
	part = derive(job->d, "age / PriorityMaxAge", OPERATION_QUOTIENT, 2, age, most);
	part = derive(job->d, "age factor", OPERATION_LEAST, 2, part, derive_given(job->d, "at most", 1.0, "constant"));
	sections_line(job->x, part);
	return (struct factor_lines){ part, age, most };
}

/* Size */

struct size_lines {
	uint32_t nodes, cpus, minutes;		/* values of the job */
	uint32_t all_nodes, all_cpus;
};

static void counts_of(const struct priced_job *job, double *counts)
{
	const struct request_key *key = requests_key(&job->run->mirror->requests, job->request);

	memset(counts, 0, TRES_MOST * sizeof(*counts));
	if (key->tres != NONE && slurm_tres_parse(job->m->conf, mirror_text(job->run->mirror, key->tres), counts) == 0)
		return;
	memset(counts, 0, TRES_MOST * sizeof(*counts));
	counts[TRES_CPU] = counts[TRES_BILLING] = key->size.cpus;
	counts[TRES_NODE] = key->size.nodes ? key->size.nodes : 1;
}

static uint32_t minutes_of(const struct priced_job *job)
{
	const struct request_key *key = requests_key(&job->run->mirror->requests, job->request);
	uint32_t minutes = key->size.time_limit;

	if (minutes == NONE)
		minutes = job->shape->named != NONE ? job->m->conf->partitions[job->shape->named].max_time : 1;
	return minutes > 0 ? minutes : 1;
}

static struct size_lines size_lines(const struct priced_job *job)
{
	const struct request_key *key = requests_key(&job->run->mirror->requests, job->request);
	double counts[TRES_MOST];
	struct size_lines lines;

	counts_of(job, counts);
	lines.nodes = derived_unit(
		job->d, derive_whole(job->d, "nodes requested", key->size.nodes ? key->size.nodes : 1, "job"), "nodes");
	lines.cpus = derived_unit(job->d,
				  derive_whole(job->d, "cpus requested",
					       key->size.cpus ? key->size.cpus : (int64_t)fmin(counts[TRES_CPU], 1e15),
					       "job"),
				  "cpus");
	lines.minutes = derived_unit(job->d, derive_whole(job->d, "time limit", minutes_of(job), "job"), "minutes");
	lines.all_nodes = derived_unit(
		job->d, derive_whole(job->d, "nodes of the cluster", job->m->conf->nodes, "slurm.conf"), "nodes");
	lines.all_cpus = derived_unit(
		job->d, derive_whole(job->d, "cpus of the cluster", (int64_t)job->m->conf->cpus, "slurm.conf"), "cpus");
	return lines;
}

/*
 * Derive nodes x cpus of the cluster / its nodes, or the cpus if more, per minute, as part of all
 * cpus.
 */
static uint32_t derive_relative(const struct priced_job *job, const struct size_lines *lines)
{
	uint32_t line = derive_in(job->d, PRECISION_DOUBLE, "nodes x cpus of the cluster", OPERATION_PRODUCT, 2,
				  lines->nodes, lines->all_cpus);

	line = derive(job->d, "cpus of as many nodes", OPERATION_QUOTIENT, 2, line, lines->all_nodes);
	line = derive(job->d, "cpus that it keeps from others", OPERATION_GREATEST, 2, line, lines->cpus);
	line = derive(job->d, "by minute and cpu of the cluster", OPERATION_QUOTIENT, 3, line, lines->minutes,
		      lines->all_cpus);
	if (job->m->conf->favor_small)
		line = derive(job->d, "small ones favored", OPERATION_DIFFERENCE, 2,
			      derive_given(job->d, "one", 1.0, "constant"), line);
	sections_line(job->x, lines->minutes);
	return line;
}

static uint32_t derive_part(const struct priced_job *job, const char *name, uint32_t requested, uint32_t all)
{
	uint32_t counts = job->m->conf->favor_small
				  ? derive(job->d, "rest", OPERATION_WRAPPED, 2, all, requested)
				  : requested;

	return derive(job->d, name, OPERATION_QUOTIENT, 2, counts, all);
}

static uint32_t derive_parts(const struct priced_job *job, const struct size_lines *lines)
{
	uint32_t nodes = derive_part(job, "part of the nodes", lines->nodes, lines->all_nodes), cpus;

	sections_line(job->x, nodes);
	if (job->m->conf->version == PRIORITY_2009 || derived_value(job->d, lines->cpus) == 0)
		return nodes;
	cpus = derive_part(job, "part of the cpus", lines->cpus, lines->all_cpus);
	sections_line(job->x, cpus);
	nodes = derive(job->d, "both parts", OPERATION_SUM, 2, nodes, cpus);
	return derive(job->d, "mean of both", OPERATION_QUOTIENT, 2, nodes,
		      derive_given(job->d, "two", 2.0, "constant"));
}

struct factor_lines multifactor_derive_size(const struct priced_job *job)
{
	const struct slurm_conf *conf = job->m->conf;
	bool nodes_only = conf->version == PRIORITY_2009;
	struct size_lines lines;
	uint32_t line;

	if (conf->weight_job_size == 0)
		return ZERO(job, "PriorityWeightJobSize is 0");
	if (conf->nodes == 0 || (conf->cpus == 0 && !nodes_only))
		return ZERO(job, "the cluster has no nodes or cpus");
	lines = size_lines(job);
	sections_begin(job->x, "Job size");
	sections_line(job->x, lines.nodes);
	sections_line(job->x, lines.all_nodes);
	sections_line(job->x, lines.cpus);
	sections_line(job->x, lines.all_cpus);
	line = conf->flags & FLAG_SMALL_RELATIVE_TO_TIME && !nodes_only ? derive_relative(job, &lines)
									: derive_parts(job, &lines);
	line = derive(job->d, "at least nothing", OPERATION_GREATEST, 2, line,
		      derive_given(job->d, "nothing", 0.0, "constant"));
	line = derive(job->d, "job size factor", OPERATION_LEAST, 2, line,
		      derive_given(job->d, "one", 1.0, "constant"));
	line = multifactor_settle_line(job, line, job->shape->size_factor);
	sections_line(job->x, line);
	return (struct factor_lines){ line, DERIVED_NONE, DERIVED_NONE };
}

/* Ranks: a priority divided by the greatest one, or the priority unchanged */

static struct factor_lines derive_rank(const struct priced_job *job, const char *name, uint32_t value, uint32_t most,
				       bool as_it_is, enum holder_kind kind, const char *who, const char *of_most,
				       double factor)
{
	struct factor_lines lines = { DERIVED_NONE, DERIVED_NONE, DERIVED_NONE };
	char text[TEXT_BYTES];

	lines.raw = derived_holder(job->d, derive_whole(job->d, text_made(text, "%s of %s", name, who), value, "cell"),
				   kind, who);
	if (as_it_is) {
		lines.factor = derive_in(job->d, PRECISION_DOUBLE, text_made(text, "%s factor", name), OPERATION_SAME,
					 1, lines.raw);
	} else if (most > 0) {
		lines.most =
			derived_holder(job->d, derive_whole(job->d, text_made(text, "greatest %s", name), most, "cell"),
				       kind, of_most);
		lines.factor = derive(job->d, text_made(text, "%s factor", name), OPERATION_QUOTIENT, 2, lines.raw,
				      lines.most);
	} else {
		lines.factor = derive_given(job->d, text_made(text, "%s factor", name), 0.0, "all are 0");
	}
	lines.factor = multifactor_settle_line(job, lines.factor, factor);
	return lines;
}

struct factor_lines multifactor_derive_partition(const struct priced_job *job, uint32_t place)
{
	const struct slurm_conf *conf = job->m->conf;
	const char *of_most = "";
	const struct slurm_partition *partition;

	if (conf->weight_partition == 0 || place == NONE)
		return ZERO(job, place == NONE ? "its partition does not exist" : "PriorityWeightPartition is 0");
	partition = &conf->partitions[job->m->places[place].partition];
	for (size_t i = 0; !*of_most && i < conf->npartitions; i++)
		of_most = conf->partitions[i].job_factor == job->m->largest_partition ? conf->partitions[i].name : "";
	return derive_rank(
		job, "PriorityJobFactor", partition->job_factor, job->m->largest_partition,
		conf->flags & FLAG_NO_NORMAL_PART, HOLDER_PARTITION, partition->name, of_most,
		rank_factor(partition->job_factor, job->m->largest_partition, conf->flags & FLAG_NO_NORMAL_PART));
}

struct factor_lines multifactor_derive_qos(const struct priced_job *job)
{
	const struct slurm_conf *conf = job->m->conf;
	const struct request_key *key = requests_key(&job->run->mirror->requests, job->request);
	const struct slurm_qos *qos =
		key->qos == NONE ? NULL : slurm_qos(conf, mirror_text(job->run->mirror, key->qos));
	const char *of_most = "";

	if (conf->weight_qos == 0 || !qos)
		return ZERO(job, qos ? "PriorityWeightQOS is 0" : "its QOS does not exist");
	for (size_t i = 0; !*of_most && i < conf->nqos; i++)
		of_most = conf->qos[i].priority == job->m->largest_qos ? conf->qos[i].name : "";
	return derive_rank(job, "QOS priority", qos->priority, job->m->largest_qos, conf->flags & FLAG_NO_NORMAL_QOS,
			   HOLDER_QOS, qos->name, of_most, job->shape->qos_factor);
}

struct factor_lines multifactor_derive_association(const struct priced_job *job)
{
	const struct slurm_conf *conf = job->m->conf;
	const struct slurm_association *association;
	uint32_t most = 0;

	if (conf->weight_assoc == 0 || job->association == NONE)
		return ZERO(job, job->association == NONE ? "it has no association" : "PriorityWeightAssoc is 0");
	association = &conf->associations[job->association];
	for (size_t i = 0; i < conf->nassociations; i++)
		most = conf->associations[i].priority > most ? conf->associations[i].priority : most;
	return derive_rank(job, "association priority", association->priority, most, conf->flags & FLAG_NO_NORMAL_ASSOC,
			   HOLDER_ASSOCIATION, association->account, "", job->m->assoc_factors[job->association]);
}

/* TRES */

/* Derive one kind: weight x requested amount / amount of the partition. */
static uint32_t derive_kind(const struct priced_job *job, uint32_t place, size_t k, const double *counts, bool shows)
{
	const struct slurm_conf *conf = job->m->conf;
	const struct slurm_partition *partition = &conf->partitions[job->m->places[place].partition];
	uint32_t kind = job->m->weighted[k], count, all = DERIVED_NONE, factor, weight, term;
	const char *name = conf->tres[kind];
	char text[TEXT_BYTES];

	weight = derive_given(job->d, text_made(text, "PriorityWeightTRES %s", name), conf->weight_tres[kind],
			      "slurm.conf");
	count = derived_holder(job->d, derive_given(job->d, text_made(text, "%s requested", name), counts[kind], "job"),
			       HOLDER_RESOURCE, name);
	if (conf->flags & FLAG_NO_NORMAL_TRES) {
		factor = derive(job->d, text_made(text, "%s factor", name), OPERATION_SAME, 1, count);
	} else if (partition->total[kind] > 0.0) {
		all = derived_holder(job->d,
				     derive_given(job->d, text_made(text, "%s of the partition", name),
						  partition->total[kind], "cell"),
				     HOLDER_PARTITION, partition->name);
		factor = derive(job->d, text_made(text, "%s factor", name), OPERATION_QUOTIENT, 2, count, all);
	} else {
		factor = derive_given(job->d, text_made(text, "%s factor", name), 0.0, "the partition has none");
	}
	factor = multifactor_settle_line(job, factor, job->m->tres_factors[(size_t)place * job->m->nweighted + k]);
	term = derive(job->d, text_made(text, "%s, weighted", name), OPERATION_PRODUCT, 2, weight, factor);
	if (shows)
		sections_row(job->x, name, ROW(count, all, factor, weight, term));
	return term;
}

uint32_t multifactor_derive_tres(const struct priced_job *job, uint32_t place)
{
	uint32_t sum = derive_given(job->d, "TRES, weighted", 0.0, "constant");
	bool shows = place == job->shape->named_place;
	double counts[TRES_MOST];

	if (place == NONE || job->m->nweighted == 0)
		return sum;
	counts_of(job, counts);
	if (shows) {
		sections_begin(job->x, "TRES");
		sections_columns(job->x,
				 COLUMNS_OF("", "requested", "of the partition", "factor", "weight", "weighted"));
	}
	for (size_t k = 0; k < job->m->nweighted; k++)
		sum = derive(job->d, "TRES, weighted", OPERATION_SUM, 2, sum,
			     derive_kind(job, place, k, counts, shows));
	return multifactor_settle_line(job, sum, job->m->places[place].tres_term);
}
