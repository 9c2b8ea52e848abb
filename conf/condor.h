/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an HTCondor pool's own files say of user priorities, negotiation, group quotas and
 * preemption, read into memory: `algorithm userprio` works from it.
 *
 *     DIR/condor_config   macros of HTCondor's configuration language, and the files that it
 *                         includes or names in LOCAL_CONFIG_FILE; macros that do not matter here
 *                         are skipped
 *     DIR/userprio        the accountant's state, with which a pool begins: what `condor_userprio
 *                         -long -allusers` prints, or the accountant's own log
 *
 * Sources of defaults and ranges: HTCondor's manual, "Configuration Macros", and what the program
 * accepts and refuses. fairlead-condor(5).
 */
#ifndef CONF_CONDOR_H
#define CONF_CONDOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct classad_expression;

enum condor_follows { FOLLOWS_PROGRAM, FOLLOWS_MANUAL };		/* NEGOTIATION */

enum condor_surplus { SURPLUS_NO, SURPLUS_BY_QUOTA };

struct condor_group {			/* GROUP_NAMES: breadth first, the root first, siblings by name */
	char *name;			/* whole, as written: "physics.hep"; the root: "<none>" */
	uint32_t parent;		/* of the root: 0 */
	uint32_t first_child, nchildren;
	double quota;			/* weight, or part of the pool */
	bool is_static, has_quota;	/* neither GROUP_QUOTA_x nor GROUP_QUOTA_DYNAMIC_x: 0 */
	bool accepts_surplus, autoregroup;
	double prio_factor;		/* GROUP_PRIO_FACTOR_x; 0: none */
	/* which macro said so, for `fairlead negotiate`; NULL: the default */
	char *quota_by, *surplus_by, *autoregroup_by;
};

struct condor_limit {			/* by name, without case */
	char *name;			/* of <name>_LIMIT, or of CONCURRENCY_LIMIT_DEFAULT_<name> */
	double most;
	bool is_default;
};

struct condor_expression {		/* NULL, NULL: not set */
	char *text;
	struct classad_expression *program;
};

/*
 * Of DIR/userprio; 0: not said, as its record would have it; of a ceiling -1. What `condor_userprio
 * -long` does not tell (the slots, uncharged time, leases) only the log has.
 */
struct condor_customer {
	char *name;
	double rup, factor, accumulated, weight_accumulated, uncharged, weight_uncharged;
	double weight_used, tree_used;
	int64_t used, begin, last, ceiling, floor;
	struct { int64_t until; double before; } leases[3];	/* factor, ceiling, floor */
	bool is_group;
};

struct condor_resource {		/* a slot that somebody had then; each slot once */
	char *slot, *customer;		/* the former without the address of its machine */
	double weight;
	int64_t since;
};

struct condor_conf {
	bool is_there;			/* DIR/condor_config was read; else all are defaults */
	enum condor_follows follows;
	/* user priorities */
	double halflife;		/* PRIORITY_HALFLIFE, seconds, > 0 */
	double default_factor, nice_user_factor, remote_factor;	/* >= 1 */
	char *local_domain;		/* ACCOUNTANT_LOCAL_DOMAIN; "" */
	char *nice_user_group;		/* NICE_USER_ACCOUNTING_GROUP_NAME */
	char *uid_domain;		/* UID_DOMAIN; this host's full name unless said */
	bool six_decimals;		/* ROUND_PRIORITIES: six (true), exact */
	uint32_t purge_after_days;	/* PURGE_AFTER_DAYS; 0: never */
	/*
	 * CLASSAD_USER_MAPDATA_PriorityFactorAuthorization: lines "* user[@domain] prefix,...": who
	 * may set the factors of which submitters though he is no operator; NULL
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
	/* NULL-terminated; NULL: not set, which the last one never is */
	char **significant, **add_significant, **remove_significant;
	char *remove_significant_regex;
	bool negotiate_all_jobs_in_cluster;
	/* groups */
	struct condor_group *groups;	/* n == 1: the root alone, no groups are configured */
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
	/* claims and their end; the machine's side */
	int32_t claim_worklife;		/* seconds; -1: no limit, 0: one job a claim */
	struct condor_expression start, rank;	/* of a slot that has no ad of its own: Requirements, Rank */
	struct condor_expression max_vacate_time, max_retirement_time, want_vacate, kill, preempt;
	uint32_t killing_timeout, polling_interval;		/* seconds */
	/* where Fairlead goes on */
	struct condor_customer *customers;
	size_t ncustomers;
	struct condor_resource *resources;
	size_t nresources;
	int64_t last_update;		/* epoch seconds; 0: unknown */
};

/* condor.c: as if DIR/condor_config were empty. -ENOMEM; condor_free() in any case. */
int condor_defaults(struct condor_conf *conf);
void condor_free(struct condor_conf *conf);

/*
 * The group that a submitter's name ("physics.hep.ann@pool") leads to: the deepest one that exists
 * on the way, 0 for the root. `whole` (may be NULL): whether all of the path did.
 */
uint32_t condor_group_of(const struct condor_conf *conf, const char *submitter, bool *whole);
/* The factor of a customer that has none, and of whose group: fairlead-condor(5). >= 1. */
double condor_factor(const struct condor_conf *conf, const char *customer, uint32_t group);
/* How much of a concurrency limit ("name" or "name.sub") there is. */
double condor_limit(const struct condor_conf *conf, const char *name);

#endif
