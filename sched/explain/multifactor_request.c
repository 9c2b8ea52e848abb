/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Factors that a job brings itself: age, size, partition, QOS, TRES. Formulas are those of
 * urgency/multifactor.h and multifactor.c; slurm.conf(5).
 */
#include <math.h>
#include <string.h>

#include "sched/explain/multifactor.h"

#define ZERO(J, WHY) (struct factor_lines){ derive_given((J)->d, "factor", 0.0, WHY), DERIVED_NONE, DERIVED_NONE }

uint32_t multifactor_settle_line(const struct priced_job *j, uint32_t derived, long double value)
{
	const struct derived_line *line = derivation_line(&j->x->derivation, derived);
	char name[TEXT_BYTES];

	if (!line || line->value == value)
		return derived;
	text_made(name, "%s", line->name);
	return line->precision == PRECISION_EXTENDED ? derive_given_extended(j->d, name, value, "last pass") :
						       derive_given(j->d, name, (double)value, "last pass");
}

/* Age */

struct factor_lines multifactor_derive_age(const struct priced_job *j)
{
	uint32_t pass, accrue, age, most, part;

	if (j->m->conf->weight_age == 0 || j->m->conf->no_storage)
		return ZERO(j, "PriorityWeightAge is 0");
	if (j->slurm->accrue == 0)
		return ZERO(j, "it does not age yet");
	sections_begin(j->x, "Age");
	pass = derived_unit(j->d, derive_whole(j->d, "last pass", j->m->pass, "run"), "epoch s");
	accrue = derived_unit(j->d, derive_whole(j->d, "accrue time", j->slurm->accrue, "job"), "epoch s");
	age = derive(j->d, "since then", OPERATION_DIFFERENCE, 2, pass, accrue);
	age = derived_unit(j->d, derive(j->d, "age", OPERATION_GREATEST, 2, age, derive_whole(j->d, "at least", 0, "constant")), "s");
	most = derived_unit(j->d, derive_whole(j->d, "PriorityMaxAge", j->m->conf->max_age, "slurm.conf"), "s");
	sections_line(j->x, pass);
	sections_line(j->x, accrue);
	sections_line(j->x, age);
	sections_line(j->x, most);
	if (j->m->conf->max_age == 0)
		return (struct factor_lines){ derive_given(j->d, "age factor", 1.0, "PriorityMaxAge is 0"), age, most };
	part = derive(j->d, "age / PriorityMaxAge", OPERATION_QUOTIENT, 2, age, most);
	part = derive(j->d, "age factor", OPERATION_LEAST, 2, part, derive_given(j->d, "at most", 1.0, "constant"));
	sections_line(j->x, part);
	return (struct factor_lines){ part, age, most };
}

/* Size */

struct size_lines {
	uint32_t nodes, cpus, minutes;		/* of the job */
	uint32_t all_nodes, all_cpus;
};

static void counts_of(const struct priced_job *j, double *counts)
{
	const struct request_key *key = requests_key(&j->run->mirror->requests, j->request);

	memset(counts, 0, TRES_MOST * sizeof(*counts));
	if (key->tres != NONE && slurm_tres_parse(j->m->conf, mirror_text(j->run->mirror, key->tres), counts) == 0)
		return;
	memset(counts, 0, TRES_MOST * sizeof(*counts));
	counts[TRES_CPU] = counts[TRES_BILLING] = key->size.cpus;
	counts[TRES_NODE] = key->size.nodes ? key->size.nodes : 1;
}

static uint32_t minutes_of(const struct priced_job *j)
{
	const struct request_key *key = requests_key(&j->run->mirror->requests, j->request);
	uint32_t minutes = key->size.time_limit;

	if (minutes == NONE)
		minutes = j->shape->named != NONE ? j->m->conf->partitions[j->shape->named].max_time : 1;
	return minutes > 0 ? minutes : 1;
}

static struct size_lines size_lines(const struct priced_job *j)
{
	const struct request_key *key = requests_key(&j->run->mirror->requests, j->request);
	double counts[TRES_MOST];
	struct size_lines l;

	counts_of(j, counts);
	l.nodes = derived_unit(j->d, derive_whole(j->d, "nodes requested", key->size.nodes ? key->size.nodes : 1, "job"), "nodes");
	l.cpus = derived_unit(j->d, derive_whole(j->d, "cpus requested", key->size.cpus ? key->size.cpus : (int64_t)fmin(counts[TRES_CPU], 1e15), "job"),
			      "cpus");
	l.minutes = derived_unit(j->d, derive_whole(j->d, "time limit", minutes_of(j), "job"), "minutes");
	l.all_nodes = derived_unit(j->d, derive_whole(j->d, "nodes of the cluster", j->m->conf->nodes, "slurm.conf"), "nodes");
	l.all_cpus = derived_unit(j->d, derive_whole(j->d, "cpus of the cluster", (int64_t)j->m->conf->cpus, "slurm.conf"), "cpus");
	return l;
}

/* nodes x cpus of the cluster / its nodes, or the cpus, by minute, as part of all cpus */
static uint32_t derive_relative(const struct priced_job *j, const struct size_lines *l)
{
	uint32_t line = derive_in(j->d, PRECISION_DOUBLE, "nodes x cpus of the cluster", OPERATION_PRODUCT, 2, l->nodes, l->all_cpus);

	line = derive(j->d, "cpus of as many nodes", OPERATION_QUOTIENT, 2, line, l->all_nodes);
	line = derive(j->d, "cpus that it keeps from others", OPERATION_GREATEST, 2, line, l->cpus);
	line = derive(j->d, "by minute and cpu of the cluster", OPERATION_QUOTIENT, 3, line, l->minutes, l->all_cpus);
	if (j->m->conf->favor_small)
		line = derive(j->d, "small ones favored", OPERATION_DIFFERENCE, 2, derive_given(j->d, "one", 1.0, "constant"), line);
	sections_line(j->x, l->minutes);
	return line;
}

static uint32_t derive_part(const struct priced_job *j, const char *name, uint32_t requested, uint32_t all)
{
	uint32_t counts = j->m->conf->favor_small ? derive(j->d, "what is left", OPERATION_WRAPPED, 2, all, requested) : requested;

	return derive(j->d, name, OPERATION_QUOTIENT, 2, counts, all);
}

static uint32_t derive_parts(const struct priced_job *j, const struct size_lines *l)
{
	uint32_t nodes = derive_part(j, "part of the nodes", l->nodes, l->all_nodes), cpus;

	sections_line(j->x, nodes);
	if (j->m->conf->version == PRIORITY_2009 || derived_value(j->d, l->cpus) == 0)
		return nodes;
	cpus = derive_part(j, "part of the cpus", l->cpus, l->all_cpus);
	sections_line(j->x, cpus);
	nodes = derive(j->d, "both parts", OPERATION_SUM, 2, nodes, cpus);
	return derive(j->d, "mean of both", OPERATION_QUOTIENT, 2, nodes, derive_given(j->d, "two", 2.0, "constant"));
}

struct factor_lines multifactor_derive_size(const struct priced_job *j)
{
	const struct slurm_conf *conf = j->m->conf;
	bool nodes_only = conf->version == PRIORITY_2009;
	struct size_lines l;
	uint32_t line;

	if (conf->weight_job_size == 0)
		return ZERO(j, "PriorityWeightJobSize is 0");
	if (conf->nodes == 0 || (conf->cpus == 0 && !nodes_only))
		return ZERO(j, "the cluster has no nodes or cpus");
	l = size_lines(j);
	sections_begin(j->x, "Job size");
	sections_line(j->x, l.nodes);
	sections_line(j->x, l.all_nodes);
	sections_line(j->x, l.cpus);
	sections_line(j->x, l.all_cpus);
	line = conf->flags & FLAG_SMALL_RELATIVE_TO_TIME && !nodes_only ? derive_relative(j, &l) : derive_parts(j, &l);
	line = derive(j->d, "at least nothing", OPERATION_GREATEST, 2, line, derive_given(j->d, "nothing", 0.0, "constant"));
	line = derive(j->d, "job size factor", OPERATION_LEAST, 2, line, derive_given(j->d, "one", 1.0, "constant"));
	line = multifactor_settle_line(j, line, j->shape->size_factor);
	sections_line(j->x, line);
	return (struct factor_lines){ line, DERIVED_NONE, DERIVED_NONE };
}

/* Ranks: a priority beside the greatest one, or as it is */

static struct factor_lines derive_rank(const struct priced_job *j, const char *name, uint32_t value, uint32_t most, bool as_it_is, enum holder_kind kind,
				       const char *who, const char *of_most, double factor)
{
	struct factor_lines l = { DERIVED_NONE, DERIVED_NONE, DERIVED_NONE };
	char text[TEXT_BYTES];

	l.raw = derived_holder(j->d, derive_whole(j->d, text_made(text, "%s of %s", name, who), value, "cell"), kind, who);
	if (as_it_is) {
		l.factor = derive_in(j->d, PRECISION_DOUBLE, text_made(text, "%s factor", name), OPERATION_SAME, 1, l.raw);
	} else if (most > 0) {
		l.most = derived_holder(j->d, derive_whole(j->d, text_made(text, "greatest %s", name), most, "cell"), kind, of_most);
		l.factor = derive(j->d, text_made(text, "%s factor", name), OPERATION_QUOTIENT, 2, l.raw, l.most);
	} else {
		l.factor = derive_given(j->d, text_made(text, "%s factor", name), 0.0, "all are 0");
	}
	l.factor = multifactor_settle_line(j, l.factor, factor);
	return l;
}

struct factor_lines multifactor_derive_partition(const struct priced_job *j, uint32_t place)
{
	const struct slurm_conf *conf = j->m->conf;
	const char *of_most = "";
	const struct slurm_partition *p;

	if (conf->weight_partition == 0 || place == NONE)
		return ZERO(j, place == NONE ? "no partition that there is" : "PriorityWeightPartition is 0");
	p = &conf->partitions[j->m->places[place].partition];
	for (size_t i = 0; !*of_most && i < conf->npartitions; i++)
		of_most = conf->partitions[i].job_factor == j->m->largest_partition ? conf->partitions[i].name : "";
	return derive_rank(j, "PriorityJobFactor", p->job_factor, j->m->largest_partition, conf->flags & FLAG_NO_NORMAL_PART, HOLDER_PARTITION, p->name,
			   of_most, rank_factor(p->job_factor, j->m->largest_partition, conf->flags & FLAG_NO_NORMAL_PART));
}

struct factor_lines multifactor_derive_qos(const struct priced_job *j)
{
	const struct slurm_conf *conf = j->m->conf;
	const struct request_key *key = requests_key(&j->run->mirror->requests, j->request);
	const struct slurm_qos *qos = key->qos == NONE ? NULL : slurm_qos(conf, mirror_text(j->run->mirror, key->qos));
	const char *of_most = "";

	if (conf->weight_qos == 0 || !qos)
		return ZERO(j, qos ? "PriorityWeightQOS is 0" : "no QOS that there is");
	for (size_t i = 0; !*of_most && i < conf->nqos; i++)
		of_most = conf->qos[i].priority == j->m->largest_qos ? conf->qos[i].name : "";
	return derive_rank(j, "QOS priority", qos->priority, j->m->largest_qos, conf->flags & FLAG_NO_NORMAL_QOS, HOLDER_QOS, qos->name, of_most,
			   j->shape->qos_factor);
}

struct factor_lines multifactor_derive_association(const struct priced_job *j)
{
	const struct slurm_conf *conf = j->m->conf;
	const struct slurm_association *a;
	uint32_t most = 0;

	if (conf->weight_assoc == 0 || j->association == NONE)
		return ZERO(j, j->association == NONE ? "it has no association" : "PriorityWeightAssoc is 0");
	a = &conf->associations[j->association];
	for (size_t i = 0; i < conf->nassociations; i++)
		most = conf->associations[i].priority > most ? conf->associations[i].priority : most;
	return derive_rank(j, "association priority", a->priority, most, conf->flags & FLAG_NO_NORMAL_ASSOC, HOLDER_ASSOCIATION, a->account, "",
			   j->m->assoc_factors[j->association]);
}

/* TRES */

/* One kind: weight x what it requests / what the partition has. */
static uint32_t derive_kind(const struct priced_job *j, uint32_t place, size_t k, const double *counts, bool shows)
{
	const struct slurm_conf *conf = j->m->conf;
	const struct slurm_partition *p = &conf->partitions[j->m->places[place].partition];
	uint32_t kind = j->m->weighted[k], count, all = DERIVED_NONE, factor, weight, term;
	const char *name = conf->tres[kind];
	char text[TEXT_BYTES];

	weight = derive_given(j->d, text_made(text, "PriorityWeightTRES %s", name), conf->weight_tres[kind], "slurm.conf");
	count = derived_holder(j->d, derive_given(j->d, text_made(text, "%s requested", name), counts[kind], "job"), HOLDER_RESOURCE, name);
	if (conf->flags & FLAG_NO_NORMAL_TRES) {
		factor = derive(j->d, text_made(text, "%s factor", name), OPERATION_SAME, 1, count);
	} else if (p->total[kind] > 0.0) {
		all = derived_holder(j->d, derive_given(j->d, text_made(text, "%s of the partition", name), p->total[kind], "cell"), HOLDER_PARTITION, p->name);
		factor = derive(j->d, text_made(text, "%s factor", name), OPERATION_QUOTIENT, 2, count, all);
	} else {
		factor = derive_given(j->d, text_made(text, "%s factor", name), 0.0, "the partition has none");
	}
	factor = multifactor_settle_line(j, factor, j->m->tres_factors[(size_t)place * j->m->nweighted + k]);
	term = derive(j->d, text_made(text, "%s, weighted", name), OPERATION_PRODUCT, 2, weight, factor);
	if (shows)
		sections_row(j->x, name, ROW(count, all, factor, weight, term));
	return term;
}

uint32_t multifactor_derive_tres(const struct priced_job *j, uint32_t place)
{
	uint32_t sum = derive_given(j->d, "TRES, weighted", 0.0, "constant");
	bool shows = place == j->shape->named_place;
	double counts[TRES_MOST];

	if (place == NONE || j->m->nweighted == 0)
		return sum;
	counts_of(j, counts);
	if (shows) {
		sections_begin(j->x, "TRES");
		sections_columns(j->x, COLUMNS_OF("", "requested", "of the partition", "factor", "weight", "weighted"));
	}
	for (size_t k = 0; k < j->m->nweighted; k++)
		sum = derive(j->d, "TRES, weighted", OPERATION_SUM, 2, sum, derive_kind(j, place, k, counts, shows));
	return multifactor_settle_line(j, sum, j->m->places[place].tres_term);
}
