/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every macro that is used, with its default and range. Sources: HTCondor's manual, "Configuration
 * Macros", and the values that the program refuses. Macros with a name in them (GROUP_QUOTA_x,
 * x_LIMIT, ...) are in groups.c and limits.c.
 */
#include <errno.h>
#include <float.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/condor/macros.h"

static const char *const follows[] = { [FOLLOWS_PROGRAM] = "program", [FOLLOWS_MANUAL] = "manual", NULL };
static const char *const roundings[] = { "exact", "six", NULL };

#define MACRO(key, type, member, text, ...) \
	{ .name = key, .parse = type, .offset = offsetof(struct condor_conf, member), .fallback = text, __VA_ARGS__ }
#define BOOL(key, member, text, ...) MACRO(key, macro_bool, member, text, __VA_ARGS__)
#define SECONDS(key, member, text, ...) MACRO(key, macro_count, member, text, .high = INT_MAX, __VA_ARGS__)
#define EXPRESSION(key, member, text, ...) MACRO(key, macro_expression, member, text, __VA_ARGS__)
#define NAMES(key, member, text) MACRO(key, macro_names, member, text)
#define MACHINE(key, member, text, ...) EXPRESSION(key, member, text, .subsystem = "STARTD", __VA_ARGS__)

const struct macro_parameter macro_parameters[] = {
	/* macros of Fairlead only */
	MACRO("NEGOTIATION", macro_follows, follows, "program", .words = follows, .has_no_macro = true),
	MACRO("ROUND_PRIORITIES", macro_switch, six_decimals, "six", .words = roundings, .has_no_macro = true),
	MACRO("CLASSAD_USER_MAPDATA_PriorityFactorAuthorization", macro_text, factor_authorization, NULL),
	MACRO("PURGE_AFTER_DAYS", macro_count, purge_after_days, "0", .high = 36500, .has_no_macro = true),

	/* user priorities */
	MACRO("PRIORITY_HALFLIFE", macro_halflife, halflife, "86400", .low = 0.00001, .high = 1e15),
	MACRO("DEFAULT_PRIO_FACTOR", macro_factor, default_factor, "1000", .high = 1e100),
	MACRO("NICE_USER_PRIO_FACTOR", macro_factor, nice_user_factor, "1e10", .high = 1e100),
	MACRO("REMOTE_PRIO_FACTOR", macro_factor, remote_factor, "1e7", .high = 1e100),
	MACRO("ACCOUNTANT_LOCAL_DOMAIN", macro_text, local_domain, ""),
	MACRO("NICE_USER_ACCOUNTING_GROUP_NAME", macro_text, nice_user_group, "nice-user"),
	MACRO("UID_DOMAIN", macro_text, uid_domain, NULL),

	/* slots */
	BOOL("NEGOTIATOR_USE_SLOT_WEIGHTS", use_slot_weights, "true"),
	EXPRESSION("SLOT_WEIGHT", slot_weight, "Cpus"),
	BOOL("FORCE_NEGOTIATOR_SLOT_WEIGHT", force_slot_weight, "false"),
	BOOL("NEGOTIATOR_DISCOUNT_SUSPENDED_RESOURCES", discount_suspended, "false"),
	EXPRESSION("NEGOTIATOR_SLOT_CONSTRAINT", slot_constraint, NULL),
	EXPRESSION("NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT", poolsize_constraint, NULL,
		.old_name = "GROUP_DYNAMIC_MACH_CONSTRAINT"),
	EXPRESSION("NEGOTIATOR_SUBMITTER_CONSTRAINT", submitter_constraint, NULL),
	BOOL("NEGOTIATOR_DEPTH_FIRST", depth_first, "false"),
	BOOL("NEGOTIATOR_CROSS_SLOT_PRIOS", cross_slot_prios, "false"),

	/* the cycle */
	SECONDS("NEGOTIATOR_INTERVAL", interval, "60"),
	SECONDS("NEGOTIATOR_MIN_INTERVAL", min_interval, "5"),
	SECONDS("NEGOTIATOR_CYCLE_DELAY", cycle_delay, "20", .has_no_macro = true),
	SECONDS("NEGOTIATOR_MAX_TIME_PER_CYCLE", max_time_per_cycle, "1200"),
	SECONDS("NEGOTIATOR_MAX_TIME_PER_SCHEDD", max_time_per_schedd, "120"),
	SECONDS("NEGOTIATOR_MAX_TIME_PER_SUBMITTER", max_time_per_submitter, "60"),
	SECONDS("NEGOTIATOR_MAX_TIME_PER_PIESPIN", max_time_per_spin, "120"),
	BOOL("NEGOTIATOR_IGNORE_USER_PRIORITIES", ignore_user_priorities, "false"),
	BOOL("NEGOTIATOR_CONSIDER_PREEMPTION", consider_preemption, "true"),
	BOOL("NEGOTIATOR_CONSIDER_EARLY_PREEMPTION", consider_early_preemption, "false"),
	BOOL("NEGOTIATOR_MATCHLIST_CACHING", matchlist_caching, "true"),
	BOOL("USE_GLOBAL_JOB_PRIOS", use_global_job_prios, "false"),
	MACRO("NEGOTIATOR_RESOURCE_REQUEST_LIST_SIZE", macro_count, request_list_size, "200", .low = 1,
		.high = INT_MAX),

	/* matching */
	EXPRESSION("PREEMPTION_REQUIREMENTS", preemption_requirements, "False"),
	BOOL("PREEMPTION_REQUIREMENTS_STABLE", preemption_requirements_stable, "true", .has_no_macro = true),
	EXPRESSION("PREEMPTION_RANK", preemption_rank,
		   "RemoteUserPrio * 1000000 - ifThenElse(isUndefined(TotalJobRunTime), 0, TotalJobRunTime)"),
	BOOL("PREEMPTION_RANK_STABLE", preemption_rank_stable, "true", .has_no_macro = true),
	EXPRESSION("NEGOTIATOR_PRE_JOB_RANK", pre_job_rank,
		   "10000000 * MY.Rank + 1000000 * (RemoteOwner =?= undefined) - 100000 * Cpus - Memory"),
	EXPRESSION("NEGOTIATOR_POST_JOB_RANK", post_job_rank,
		   "(RemoteOwner =?= undefined) * (ifThenElse(isUndefined(KFlops), 1000, KFlops) - SlotID - 1.0e10 * "
		   "(Offline =?= true))"),
	NAMES("SIGNIFICANT_ATTRIBUTES", significant, NULL),
	NAMES("ADD_SIGNIFICANT_ATTRIBUTES", add_significant, NULL),
	NAMES("REMOVE_SIGNIFICANT_ATTRIBUTES", remove_significant,
		"CpusUsage, DiskUsage, GPUsUsage, MemoryUsage, ResidentSetSize"),
	MACRO("REMOVE_SIGNIFICANT_ATTRIBUTES_REGEX", macro_text, remove_significant_regex, "^Slot[0-9]*_"),
	BOOL("NEGOTIATE_ALL_JOBS_IN_CLUSTER", negotiate_all_jobs_in_cluster, "false", .subsystem = "SCHEDD",
		.has_no_macro = true),

	/* groups */
	BOOL("NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION", oversubscription, "true"),
	BOOL("NEGOTIATOR_STRICT_ENFORCE_QUOTA", strict_enforce_quota, "true", .has_no_macro = true),
	BOOL("NEGOTIATOR_USE_WEIGHTED_DEMAND", weighted_demand, "true"),
	EXPRESSION("GROUP_SORT_EXPR", group_sort, NULL),
	MACRO("GROUP_QUOTA_ROUND_ROBIN_RATE", macro_real, round_robin_rate, "1e100", .low = 1, .high = DBL_MAX,
	      .old_name = "HFS_ROUND_ROBIN_RATE"),
	MACRO("GROUP_QUOTA_MAX_ALLOCATION_ROUNDS", macro_count, max_allocation_rounds, "3", .low = 1, .high = INT_MAX,
	      .old_name = "HFS_MAX_ALLOCATION_ROUNDS"),
	BOOL("GROUP_ACCEPT_SURPLUS", accept_surplus, "false"),
	BOOL("GROUP_AUTOREGROUP", autoregroup, "false"),

	/* concurrency limits */
	MACRO("CONCURRENCY_LIMIT_DEFAULT", macro_real, limit_default, "2308032", .high = 1e15),

	/* claims and the end of claims */
	MACRO("CLAIM_WORKLIFE", macro_whole, claim_worklife, "1200", .low = -1, .high = INT_MAX, .subsystem = "STARTD"),
	MACHINE("START", start, "True"),
	MACHINE("RANK", rank, "0", .has_no_macro = true),
	MACHINE("MachineMaxVacateTime", max_vacate_time, "600", .old_name = "MaxVacateTime"),
	MACHINE("MaxJobRetirementTime", max_retirement_time, "0", .has_no_macro = true),
	MACHINE("WANT_VACATE", want_vacate, "True"),
	MACHINE("KILL", kill, "False"),
	MACHINE("PREEMPT", preempt, "False"),
	MACRO("POLLING_INTERVAL", macro_count, polling_interval, "5", .low = 1, .high = INT_MAX, .subsystem = "STARTD"),
	MACRO("KILLING_TIMEOUT", macro_count, killing_timeout, "30", .high = INT_MAX, .subsystem = "STARTD"),

	/* known but not used; check.c reports the consequences of some of them */
	{ .name = "ACCOUNTANT_DATABASE_FILE" }, { .name = "MAX_ACCOUNTANT_DATABASE_SIZE" },
	{ .name = "NEGOTIATOR_TIMEOUT" },
	{ .name = "NEGOTIATOR_UPDATE_INTERVAL" }, { .name = "ALLOW_PSLOT_PREEMPTION" }, { .name = "GROUP_NAMES" },
	{ .name = "DEFAULT_DOMAIN_NAME" }, { .name = "CLASSAD_USER_MAPFILE_PriorityFactorAuthorization" },
	{ .name = "LOCAL_CONFIG_FILE" }, { .name = "LOCAL_CONFIG_DIR" },
	{ .name = "REQUIRE_LOCAL_CONFIG_FILE" }, { .name = "WANT_VACATE_VANILLA" },
};
const size_t macro_parameters_count = sizeof(macro_parameters) / sizeof(*macro_parameters);

const struct macro_parameter *macro_parameter_find(const char *name)
{
	for (const struct macro_parameter *parameter = macro_parameters;
	     parameter < macro_parameters + macro_parameters_count; parameter++)
		if (!strcasecmp(parameter->name, name) ||
		    (parameter->old_name && !strcasecmp(parameter->old_name, name)))
			return parameter;
	return NULL;
}

static const struct macro *macro_of(const struct macros *macros, const struct macro_parameter *parameter)
{
	const char *subsystem = parameter->subsystem ? parameter->subsystem : "NEGOTIATOR";
	const struct macro *macro = macro_find(macros, subsystem, parameter->name);

	return parameter->old_name && (!macro || !*macro->text) ? macro_find(macros, subsystem, parameter->old_name)
								: macro;
}

const struct macro *macro_parameter_macro(const struct macros *macros, const char *name)
{
	const struct macro *macro = macro_of(macros, macro_parameter_find(name));

	return macro && *macro->text ? macro : NULL;
}

struct macro_place macro_parameter_place(const struct macros *macros, const char *name)
{
	const struct macro *macro = macro_parameter_macro(macros, name);

	return macro ? macro->place : (struct macro_place){ 0 };
}

int macro_take(const struct macros *macros, const struct macro *macro, const struct macro_parameter *type, void *member,
	       bool *is_set)
{
	struct error error = { "" };
	char *value;
	int rc = macro_value(macros, type->subsystem ? type->subsystem : "NEGOTIATOR", macro, &value);

	*is_set = false;
	if (rc || !value)
		return rc;
	macros->items[macro - macros->items].used = true;
	rc = type->parse(type, member, value, &error);
	if (rc == -EINVAL)
		macros_report(macros, FAULT, macro->place, "error parsing value \"%.60s\" of %.60s: %s", value,
			      macro->name, error.text);
	else if (rc > 0)
		macros_report(macros, WARNING, macro->place, "%.60s = %.60s found: %s", macro->name, value, error.text);
	*is_set = rc >= 0;
	free(value);
	return rc == -ENOMEM ? rc : 0;
}

int macro_parameters_read(struct macros *macros)
{
	bool is_set;
	int rc = 0;

	for (const struct macro_parameter *parameter = macro_parameters;
	     parameter < macro_parameters + macro_parameters_count && !rc; parameter++)
		if (parameter->parse)
			rc = macro_take(macros, macro_of(macros, parameter), parameter,
					(char *)macros->conf + parameter->offset, &is_set);
	return rc;
}
