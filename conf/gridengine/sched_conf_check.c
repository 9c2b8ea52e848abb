/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/gridengine/sched_conf.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "conf/lists.h"
#include "conf/base/number.h"

struct check {
	struct reader *reader;
	const struct fields *fields;
	const struct sched_conf *sched;
};

static void __attribute__((format(printf, 4, 5)))
finding(const struct check *check, enum severity severity, const char *parameter, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	report_add_arguments(check->reader->report, severity, check->fields->text.path,
			     fields_line(check->fields, parameter), "", format, arguments);
	va_end(arguments);
}

/* Check the complex attributes that the load parameters name. */
static void load_check(const struct check *check)
{
	const struct pairs *adjustments = &check->sched->job_load_adjustments;
	struct error error = { "out of memory" };
	double value;
	size_t i;

	if (!check->reader->complex_valid)
		return;
	if (load_formula_check(check->reader->cell, "load_formula", check->sched->load_formula, &error))
		finding(check, FAULT, "load_formula", "%s", error.text);
	for (i = 0; i < adjustments->n; i++) {
		if (!cell_complex(check->reader->cell, adjustments->items[i].name))
			finding(check, FAULT, "job_load_adjustments",
				"\"job_load_adjustments\" references not existing complex attribute \"%.60s\"",
				adjustments->items[i].name);
		if (number_parse(adjustments->items[i].text, &value))
			finding(check, WARNING, "job_load_adjustments",
				"\"%.60s\" of %.60s is not a number: each threshold on it counts as "
				"exceeded",
				adjustments->items[i].text, adjustments->items[i].name);
	}
}

/* Count the items of "a=1:b=2" as written, including invalid ones. */
static size_t items_count(const char *text)
{
	size_t n = 0;

	while (text && *(text += strspn(text, ":"))) {
		text += strcspn(text, ":");
		n++;
	}
	return n;
}

static void halflives_check(const struct check *check)
{
	const struct pairs *list = &check->sched->halflife_decay_list;
	const struct pair *typed = pairs_find(&check->sched->typed, "halflife_decay_list");
	size_t i;

	if (list->n > 0 && typed && items_count(typed->text) > list->n)
		finding(check, WARNING, "halflife_decay_list",
			"error parsing value \"%.60s\" of halflife_decay_list: items other than "
			"name=minutes are ignored",
			typed->text);
	for (i = 0; i < list->n; i++)
		if (list->items[i].value > 0 && list->items[i].value < M_LN2)
			finding(check, WARNING, "halflife_decay_list",
				"the half-life of %.60s is shorter than ln 2 = 0.693 minutes: its decay "
				"constant would be negative",
				list->items[i].name);
}

static void usage_check(const struct check *check)
{
	const struct pairs *list = &check->sched->usage_weight_list;
	double sum = 0;
	size_t i;

	for (i = 0; i < list->n; i++)
		sum += list->items[i].value;
	if (sum <= 0)
		finding(check, WARNING, "usage_weight_list",
			"the weights add up to %g: no usage counts, past use makes no difference", sum);
	if (check->sched->compensation_factor < 0)
		finding(check, WARNING, "compensation_factor",
			"compensation_factor %g is negative, which reverses short-term targets: "
			"0 for no limit or a positive factor is allowed",
			check->sched->compensation_factor);
}

/*
 * Warn about a large weight_deadline. The installed weight has always been that large, so only
 * other values cause a warning.
 */
static void deadline_check(const struct check *check)
{
	const struct complex *slots = cell_complex(check->reader->cell, "slots");
	double weight = check->sched->weight_deadline;

	if (weight == 3600000 || check->sched->weight_urgency == 0 || !slots || slots->urgency <= 0)
		return;
	if (weight >= 1000 * slots->urgency)
		finding(check, WARNING, "weight_deadline",
			"weight_deadline %g is %g times the urgency of a slot: one job past its deadline "
			"leaves almost no difference between all other jobs",
			weight, weight / slots->urgency);
}

static void tickets_check(const struct check *check)
{
	const struct sched_conf *conf = check->sched;

	if (conf->weight_tickets_share > 0 && check->reader->cell->ntree == 0)
		finding(check, WARNING, "weight_tickets_share",
			"weight_tickets_share is %u, but there is no share tree: it has no effect",
			conf->weight_tickets_share);
	if (conf->weight_tickets_share == 0 && check->reader->cell->ntree > 0)
		finding(check, WARNING, "weight_tickets_share",
			"there is a share tree, but weight_tickets_share is 0: it has no effect");
	if (conf->weight_ticket == 0 && conf->weight_urgency == 0 && conf->weight_priority == 0)
		finding(check, WARNING, "weight_ticket",
			"weight_ticket, weight_urgency and weight_priority are all 0: each job has the "
			"priority 0, and the order is that of submission");
}

/* Warn about negative weights. Grid Engine accepts them too. */
static void weights_check(const struct check *check)
{
	const struct sched_conf *conf = check->sched;
	const struct { const char *name; double value;
	} weights[] = {
		{ "weight_ticket", conf->weight_ticket },     { "weight_urgency", conf->weight_urgency },
		{ "weight_priority", conf->weight_priority }, { "weight_waiting_time", conf->weight_waiting_time },
		{ "weight_deadline", conf->weight_deadline }, { "weight_user", conf->weight_user },
		{ "weight_project", conf->weight_project },   { "weight_department", conf->weight_department },
		{ "weight_job", conf->weight_job },
	};

	for (size_t i = 0; i < sizeof(weights) / sizeof(*weights); i++)
		if (weights[i].value < 0)
			finding(check, WARNING, weights[i].name,
				"%s %g is negative, which reverses the order: the job with the highest value comes "
				"last",
				weights[i].name, weights[i].value);
}

static void algorithm_check(const struct check *check)
{
	const struct slurm_conf *slurm = &check->reader->cell->slurm;
	bool multifactor = check->sched->algorithm && !strcmp(check->sched->algorithm, "multifactor");
	bool userprio = check->sched->algorithm && !strcmp(check->sched->algorithm, "userprio");

	if (check->sched->algorithm && !algorithm_is_here(check->sched->algorithm))
		finding(check, WARNING, "algorithm",
			"algorithm \"%.30s\" belongs to another scheduler: the policies of \"default\" are computed",
			check->sched->algorithm);
	if (multifactor && !slurm->present)
		finding(check, WARNING, "algorithm",
			"algorithm multifactor needs a slurm.conf, which does not exist: all weights are 0");
	if (!userprio && check->reader->cell->condor.is_there)
		finding(check, WARNING, "algorithm",
			"there is a condor_config, which only algorithm userprio uses: it has no effect");
	if (!multifactor && slurm->present)
		finding(check, WARNING, "algorithm",
			"there is a slurm.conf, which only algorithm multifactor uses: it has no effect");
}

/*
 * Warn about a parameter that files of Univa Grid Engine 8.6 do not have and Grid Engine 8.1.9
 * requires.
 */
static void missing_check(const struct check *check, const char *parameter, const char *taken)
{
	if (fields_line(check->fields, "algorithm") && !fields_line(check->fields, parameter))
		finding(check, WARNING, parameter, "\"%s\" is missing, as in files of Univa Grid Engine: %s is used",
			parameter, taken);
}

void sched_conf_check(struct reader *reader, const struct fields *fields)
{
	struct check check = { reader, fields, &reader->cell->sched };

	if (check.sched->max_pending_tasks_per_job == 0)
		finding(&check, FAULT, "max_pending_tasks_per_job",
			"invalid setting for param: \"max_pending_tasks_per_job\""
			"(should be \">0\"): 0 found");
	if (check.sched->default_duration == 0 && check.sched->max_reservation > 0)
		finding(&check, FAULT, "default_duration",
			"denied: resource reservation requires valid default duration: 0 found");
	algorithm_check(&check);
	missing_check(&check, "queue_sort_method", "load");
	missing_check(&check, "load_formula", "np_load_avg");
	load_check(&check);
	halflives_check(&check);
	usage_check(&check);
	deadline_check(&check);
	weights_check(&check);
	tickets_check(&check);
}
