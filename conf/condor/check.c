/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Warnings about settings that HTCondor accepts silently and that administrators regret. Each
 * warning states the consequence.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/condor/macros.h"
#include "conf/base/number.h"

static void cycle_check(const struct macros *macros)
{
	static const char *const limits[] = {
		"NEGOTIATOR_MAX_TIME_PER_CYCLE", "NEGOTIATOR_MAX_TIME_PER_SCHEDD", "NEGOTIATOR_MAX_TIME_PER_SUBMITTER",
		"NEGOTIATOR_MAX_TIME_PER_PIESPIN",
	};
	const struct condor_conf *conf = macros->conf;

	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		const struct macro_parameter *parameter = macro_parameter_find(limits[i]);
		const uint32_t *seconds = (const void *)((const char *)conf + parameter->offset);

		if (*seconds == 0)
			macros_report(macros, WARNING, macro_parameter_place(macros, limits[i]),
				      "%s = 0 found: no submitter is ever served", limits[i]);
	}
	if (conf->consider_early_preemption && !conf->consider_preemption)
		macros_report(
			macros, WARNING, macro_parameter_place(macros, "NEGOTIATOR_CONSIDER_EARLY_PREEMPTION"),
			"NEGOTIATOR_CONSIDER_EARLY_PREEMPTION is true and NEGOTIATOR_CONSIDER_PREEMPTION is false: "
			"the former is "
			"ignored");
	if (conf->consider_preemption && conf->preemption_requirements.program &&
	    macro_parameter_macro(macros, "PREEMPTION_RANK") &&
	    strcasecmp(conf->preemption_requirements.text, "False") == 0)
		macros_report(
			macros, WARNING, macro_parameter_place(macros, "PREEMPTION_RANK"),
			"PREEMPTION_RANK is set and "
			"PREEMPTION_REQUIREMENTS is False: it only chooses between claims that a machine's Rank "
			"preempts");
}

static void domain_check(const struct macros *macros)
{
	const struct condor_conf *conf = macros->conf;

	if (*conf->local_domain && strcmp(conf->local_domain, conf->uid_domain) != 0)
		macros_report(macros, WARNING, macro_parameter_place(macros, "ACCOUNTANT_LOCAL_DOMAIN"),
			      "ACCOUNTANT_LOCAL_DOMAIN = %.60s found, "
			      "and UID_DOMAIN is %.60s: users who submit here are remote and get REMOTE_PRIO_FACTOR",
			      conf->local_domain, conf->uid_domain);
	if (strncmp(conf->nice_user_group, "nice-user", 9) != 0)
		macros_report(macros, WARNING, macro_parameter_place(macros, "NICE_USER_ACCOUNTING_GROUP_NAME"),
			      "NICE_USER_ACCOUNTING_GROUP_NAME "
			      "= %.60s found: "
			      "NICE_USER_PRIO_FACTOR goes to names that begin with nice-user, and to no others",
			      conf->nice_user_group);
}

/* Macros that influence in HTCondor which jobs start, and that have no effect here. */
static const struct absent_macro {
	const char *name;
	bool is_prefix;			/* prefix of several names */
	const char *effect;
} absent_macros[] = {
	{ "ALLOW_PSLOT_PREEMPTION", false, "several slots are never preempted for one job here" },
	{ "NEGOTIATOR_JOB_CONSTRAINT", false, "the negotiation considers all jobs" },
	{ "NEGOTIATOR_MATCH_EXPR", true, "no attributes are added to matches" },
	{ "NEGOTIATOR_TRIM_SHUTDOWN_THRESHOLD", false, "slots that are about to shut down are matched, too" },
	{ "CONSUMPTION_", true, "a job takes what it requests out of a partitionable slot" },
	{ "MODIFY_REQUEST_EXPR_", true, "a job takes what it requests out of a partitionable slot" },
	{ "SCHEDD_SLOT_WEIGHT", false, "the demand of jobs has the weight that SLOT_WEIGHT gives them" },
	{ "CLAIM_PARTITIONABLE_LEFTOVERS", false, "the rest of a slot is matched in the same cycle" },
	{ "SLOT_TYPE_", true, "slots are those of the queues, or reported" },
	{ "NUM_SLOTS", true, "slots are those of the queues, or reported" },
	{ "WANT_SUSPEND", false, "no policy suspends jobs" },
	{ "SUSPEND", false, "no policy suspends jobs" },
	{ "IS_OWNER", false, "no slot is in the Owner state" },
	{ "MAX_JOBS_RUNNING", false,
		"running jobs are limited by slots, quotas, ceilings and concurrency limits alone" },
	{ "MAX_RUNNING_JOBS_PER_OWNER", false,
		"running jobs are limited by slots, quotas, ceilings and concurrency limits alone" },
	{ "APPEND_REQUIREMENTS", false, "jobs have the requirements that they were submitted with" },
	{ "APPEND_REQ_", true, "jobs have the requirements that they were submitted with" },
	{ "APPEND_RANK", true, "jobs have the rank that they were submitted with" },
	{ "DEFAULT_RANK", true, "jobs have the rank that they were submitted with" },
	{ "JOB_TRANSFORM_NAMES", false, "jobs are not changed after submission" },
	{ "SUBMIT_REQUIREMENT_NAMES", false, "jobs are not changed after submission" },
	{ "FLOCK_TO", false, "jobs are offered only to this cell" },
};

static const struct absent_macro *absent_find(const char *name)
{
	for (size_t i = 0; i < sizeof(absent_macros) / sizeof(*absent_macros); i++) {
		const struct absent_macro *macro = &absent_macros[i];

		if (macro->is_prefix ? strncasecmp(name, macro->name, strlen(macro->name)) == 0
				     : strcasecmp(name, macro->name) == 0)
			return macro;
	}
	return NULL;
}

/*
 * Report macros without effect, each effect only once. A macro that is set to the behavior of
 * Fairlead is not reported.
 */
static int absent_check(const struct macros *macros)
{
	bool reported[sizeof(absent_macros) / sizeof(*absent_macros)] = { false };

	for (size_t i = 0; i < macros->n; i++) {
		const struct macro *macro = &macros->items[i];
		const char *dot = strchr(macro->name, '.'), *name = dot ? dot + 1 : macro->name;
		const struct absent_macro *absent_macro = macro->place.file ? absent_find(name) : NULL;
		bool truth = true;
		char *value;
		int rc;

		if (!absent_macro || reported[absent_macro - absent_macros])
			continue;
		rc = macro_value(macros, "NEGOTIATOR", macro, &value);
		if (rc)
			return rc;
		if (value && strcasecmp(value, macro_compiled_in("NEGOTIATOR", name)) != 0 &&
		    (number_bool(value, &truth) != 0 || truth)) {
			reported[absent_macro - absent_macros] = true;
			macros_report(macros, WARNING, macro->place,
				      "%.60s = %.60s found, which has no effect here: %s", macro->name, value,
				      absent_macro->effect);
		}
		free(value);
	}
	return 0;
}

/* limit on queue instances that are examined for a warning */
enum { INSTANCES_MOST = 200000 };

/*
 * Return the slots of the cell's queues, which are the pool if no slots are reported. Returns 0 if
 * the number is unknown.
 */
static double pool_of(const struct cell *cell)
{
	double slots = 0, of_instance;

	if (cell->nqueues > 0 && cell->nhosts > INSTANCES_MOST / cell->nqueues)
		return 0;
	for (const struct queue *queue = cell->queues; queue < cell->queues + cell->nqueues; queue++)
		for (const struct host_conf *conf = cell->hosts; conf < cell->hosts + cell->nhosts; conf++) {
			const char *text = cell_queue_is_on(cell, queue, conf->name)
						   ? cell_queue_value(cell, queue, conf->name, "slots")
						   : NULL;

			if (text && number_double(text, &of_instance) == 0)
				slots += of_instance;
		}
	return slots;
}

struct quota_sums {
	/* sums over the children: GROUP_QUOTA_x, GROUP_QUOTA_DYNAMIC_x */
	double whole, part;
};

static struct quota_sums children_sum(const struct condor_conf *conf, const struct condor_group *group)
{
	struct quota_sums sums = { 0, 0 };

	for (uint32_t i = group->first_child; i < group->first_child + group->nchildren; i++)
		*(conf->groups[i].is_static ? &sums.whole : &sums.part) += conf->groups[i].quota;
	return sums;
}

/*
 * Compare the quotas of a group's children with the quota of the group, `most`. A negative `most`
 * is unknown.
 */
static void sums_check(const struct macros *macros, const struct condor_group *group, double most)
{
	const struct quota_sums sums = children_sum(macros->conf, group);
	struct macro_place place = macro_parameter_place(macros, "GROUP_NAMES");

	if (most >= 0 && sums.whole > most && macros->conf->oversubscription)
		macros_report(macros, WARNING, place,
			      "the quotas of the groups in %.60s come to %.15g, and it has %.15g: with "
			      "NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION = "
			      "True they are not scaled down, and groups that are served first take the quotas of "
			      "others",
			      group->name, sums.whole, most);
	else if (most >= 0 && sums.whole > most)
		macros_report(macros, WARNING, place,
			      "the quotas of the groups in %.60s come to %.15g, and it has %.15g: they are scaled "
			      "down to that",
			      group->name, sums.whole, most);
	if (sums.part > 1 + 1e-9)
		macros_report(macros, WARNING, place,
			      "the parts of the groups in %.60s (GROUP_QUOTA_DYNAMIC_x) come to %.15g: they are "
			      "scaled down to 1",
			      group->name, sums.part);
	if (most >= 0 && sums.part > 0 && sums.whole >= most)
		macros_report(macros, WARNING, place,
			      "the quotas of the groups in %.60s (GROUP_QUOTA_x) take all of it: those with "
			      "GROUP_QUOTA_DYNAMIC_x get nothing",
			      group->name);
}

/*
 * Warn about slots that are lost by rounding. A quota is cut to a whole number when slots are
 * assigned: 9.9 of 30 slots are 9.
 */
static void fractions_check(const struct macros *macros, double pool)
{
	const struct condor_conf *conf = macros->conf;
	const struct quota_sums sums = children_sum(conf, &conf->groups[0]);
	double rest = sums.whole < pool ? pool - sums.whole : 0, quota, all = 0, cut = 0;
	bool surplus = false;

	for (uint32_t i = 1; i < 1 + conf->groups[0].nchildren; i++) {
		quota = conf->groups[i].is_static ? conf->groups[i].quota
						  : conf->groups[i].quota * rest / (sums.part > 1 ? sums.part : 1);
		all += quota;
		cut += floor(quota);
		surplus |= conf->groups[i].accepts_surplus || conf->groups[i].autoregroup;
	}
	if (!surplus && floor(fmin(all, pool) + 1e-9) > cut)
		macros_report(
			macros, WARNING, macro_parameter_place(macros, "GROUP_NAMES"),
			"quotas come to %.15g of the %.15g slots of the "
			"cell's queues, and count as whole "
			"numbers, %.15g: %.15g slots stay idle though the groups have jobs, unless "
			"GROUP_ACCEPT_SURPLUS or "
			"GROUP_AUTOREGROUP is True",
			fmin(all, pool), pool, cut, floor(fmin(all, pool) + 1e-9) - cut);
}

static void groups_check(const struct macros *macros, const struct cell *cell)
{
	const struct condor_conf *conf = macros->conf;
	double pool = conf->ngroups > 1 ? pool_of(cell) : 0;

	for (const struct condor_group *group = conf->groups; group < conf->groups + conf->ngroups; group++)
		if (group->nchildren > 0)
			sums_check(macros, group,
				   group == conf->groups ? (pool > 0 ? pool : -1)
				   : group->is_static	 ? group->quota
							 : -1);
	if (pool > 0)
		fractions_check(macros, pool);
}

int macros_check(const struct macros *macros, const struct cell *cell)
{
	cycle_check(macros);
	domain_check(macros);
	groups_check(macros, cell);
	return absent_check(macros);
}
