/* SPDX-License-Identifier: Apache-2.0 */
/*
 * User priorities, negotiation, group quotas and preemption from an HTCondor pool's own files, read
 * into memory for `algorithm userprio`.
 *
 *   DIR/condor_config   macros of HTCondor's configuration language, and the files that it
 *                       includes or names in LOCAL_CONFIG_FILE; macros without a meaning here
 *                       are skipped
 *   DIR/userprio        state of the accountant at the beginning: the output of `condor_userprio
 *                       -long -allusers`, or the accountant's own log
 *
 * Sources of defaults and ranges: HTCondor's manual, "Configuration Macros", and the values that
 * the program accepts and refuses. See fairlead-condor(5).
 */
#ifndef CONF_CONDOR_H
#define CONF_CONDOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct classad_expression;

enum condor_follows { FOLLOWS_PROGRAM, FOLLOWS_MANUAL };		/* NEGOTIATION */

enum condor_surplus { SURPLUS_NO, SURPLUS_BY_QUOTA };

/* GROUP_NAMES: breadth first, starting with the root, siblings by name */
struct condor_group {
	/* full name as written: "physics.hep"; the root: "<none>" */
	char *name;
	uint32_t parent;		/* 0 for the root */
	uint32_t first_child, nchildren;
	double quota;			/* weight, or fraction of the pool */
	/*
	 * has_quota is false if neither GROUP_QUOTA_x nor GROUP_QUOTA_DYNAMIC_x is set; `quota` is
	 * then 0
	 */
	bool is_static, has_quota;
	bool accepts_surplus, autoregroup;
	double prio_factor;		/* GROUP_PRIO_FACTOR_x; 0: none */
	/* macro that set the value, for `fairlead negotiate`; NULL: the default */
	char *quota_by, *surplus_by, *autoregroup_by;
};

struct condor_limit {			/* sorted by name, case-insensitive */
	/* name in <name>_LIMIT, or in CONCURRENCY_LIMIT_DEFAULT_<name> */
	char *name;
	double most;
	bool is_default;
};

struct condor_expression {		/* NULL, NULL: not set */
	char *text;
	struct classad_expression *program;
};

/*
 * Customer of DIR/userprio. A value that is not in its record is 0, and the ceiling is -1, as in
 * the record. Slots, uncharged time and leases are only in the log and not in the output of
 * `condor_userprio -long`.
 */
struct condor_customer {
	char *name;
	double rup, factor, accumulated, weight_accumulated, uncharged, weight_uncharged;
	double weight_used, tree_used;
	int64_t used, begin, last, ceiling, floor;
	struct { int64_t until; double before; } leases[3];	/* factor, ceiling, floor */
	bool is_group;
};

struct condor_resource {		/* slot that was in use at that time; each slot once */
	char *slot, *customer;		/* the slot without the address of its machine */
	double weight;
	int64_t since;
};

struct condor_conf {
	/* DIR/condor_config was read; otherwise all values are defaults */
	bool is_there;
	enum condor_follows follows;
	/* user priorities */
	double halflife;		/* PRIORITY_HALFLIFE, seconds, > 0 */
	double default_factor, nice_user_factor, remote_factor;	/* >= 1 */
	char *local_domain;		/* ACCOUNTANT_LOCAL_DOMAIN, or "" */
	char *nice_user_group;		/* NICE_USER_ACCOUNTING_GROUP_NAME */
	char *uid_domain;		/* UID_DOMAIN; default: the full name of this host */
	bool six_decimals;		/* ROUND_PRIORITIES: true: six decimals; false: exact */
	uint32_t purge_after_days;	/* PURGE_AFTER_DAYS; 0: never */
	/*
	 * CLASSAD_USER_MAPDATA_PriorityFactorAuthorization, or NULL. Lines "* user[@domain]
	 * prefix,..." allow users that are not operators to set the factors of the submitters with
	 * these prefixes.
	 */
	char *factor_authorization;
	/* slots */
	bool use_slot_weights, force_slot_weight, discount_suspended;
	struct condor_expression slot_weight;			/* SLOT_WEIGHT: Cpus */
	struct condor_expression slot_constraint, poolsize_constraint, submitter_constraint;
	bool depth_first, cross_slot_prios;
	/* the cycle; seconds */
	uint32_t interval, min_interval, cycle_delay;
	uint32_t max_time_per_cycle, max_time_per_schedd, max_time_per_submitter, max_time_per_spin;
	bool ignore_user_priorities, consider_preemption, consider_early_preemption;
	bool matchlist_caching, use_global_job_prios;
	uint32_t request_list_size;
	/* matching */
	struct condor_expression preemption_requirements, preemption_rank, pre_job_rank, post_job_rank;
	bool preemption_requirements_stable, preemption_rank_stable;
	/* NULL-terminated. NULL: not set; remove_significant is never NULL */
	char **significant, **add_significant, **remove_significant;
	char *remove_significant_regex;
	bool negotiate_all_jobs_in_cluster;
	/* groups */
	/* n == 1: only the root, because no groups are configured */
	struct condor_group *groups;
	size_t ngroups;
	bool oversubscription, strict_enforce_quota, weighted_demand;
	struct condor_expression group_sort;			/* GROUP_SORT_EXPR; not set: by starvation */
	double round_robin_rate;
	uint32_t max_allocation_rounds;
	bool accept_surplus, autoregroup;			/* the global macros */
	/* concurrency limits */
	struct condor_limit *limits;
	size_t nlimits;
	double limit_default;
	/* claims and the end of claims; settings of the machine */
	int32_t claim_worklife;		/* seconds; -1: no limit, 0: one job a claim */
	/* Requirements and Rank of a slot without an ad of its own */
	struct condor_expression start, rank;
	struct condor_expression max_vacate_time, max_retirement_time, want_vacate, kill, preempt;
	uint32_t killing_timeout, polling_interval;		/* seconds */
	/* stored state with which Fairlead continues */
	struct condor_customer *customers;
	size_t ncustomers;
	struct condor_resource *resources;
	size_t nresources;
	int64_t last_update;		/* epoch seconds; 0: unknown */
};

/*
 * Set the values that an empty DIR/condor_config gives (condor.c). Returns 0 or -ENOMEM. Call
 * condor_free() in each case.
 */
int condor_defaults(struct condor_conf *conf);
void condor_free(struct condor_conf *conf);

/*
 * Return the group of a submitter's name ("physics.hep.ann@pool"): the deepest existing group on
 * its path, 0 for the root. `*whole` is true if the whole path exists; `whole` may be NULL.
 */
uint32_t condor_group_of(const struct condor_conf *conf, const char *submitter, bool *whole);
/*
 * Return the priority factor, >= 1, of a customer in `group` without a factor of its own:
 * fairlead-condor(5).
 */
double condor_factor(const struct condor_conf *conf, const char *customer, uint32_t group);
/* Return the value of a concurrency limit ("name" or "name.sub"). */
double condor_limit(const struct condor_conf *conf, const char *name);

#endif
