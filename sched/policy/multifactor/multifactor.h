/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `algorithm multifactor`: Slurm's priorities, as a policy (policy.c).
 *
 *     configure   configure.c    read the cell without changing the active configuration
 *     collect     policy.c       eligible tasks in the order of the list: run_collect_listed()
 *     account     period.c       once per PriorityCalcPeriod: charge tasks and decay all usage
 *     urgency     shapes.c       job size, partition, QOS and TRES: terms of a request
 *     tickets     shares.c       fair-share and association: terms of a class
 *     normalize   priorities.c   age, and the sum
 *     publish     publish.c      the tables
 *                 minutes.c      TRES minutes that running tasks may still use
 *     rows        rows.c         save and load usage
 *
 * Usage survives changes of the tree and restarts of the scheduler: past.h.
 *
 * Between two passes (PriorityCalcPeriod) the numbers do not change: ages count up to the last
 * pass, and usage is charged and decayed in a pass. A job that arrives between two passes gets its
 * numbers at once. The formulas are in urgency/multifactor.h, tickets/associations.h and
 * tickets/usage_decay.h.
 */
#ifndef SCHED_POLICY_MULTIFACTOR_MULTIFACTOR_H
#define SCHED_POLICY_MULTIFACTOR_MULTIFACTOR_H

#include "conf/slurm.h"
#include "sched/policy/multifactor/past.h"
#include "sched/policy/policy.h"
#include "tickets/associations.h"
#include "urgency/multifactor.h"

/* Most decays that are kept until they are stored. If there are more, all usage is stored. */
#define DECAYS_MOST 32
/*
 * Number of passes in which all usage is stored at least once. A scheduler that starts repeats at
 * most twice as many decays.
 */
#define TURNS 64

struct shape_place {				/* a shape in one of its partitions */
	uint32_t partition;		/* index in the cell's list */
	double partition_term, tres_term;	/* weighted */
};

struct shape {				/* factors and terms of a request, by its number */
	/* request_facts.made for which this was computed; 0: empty */
	uint64_t made;
	/* Range in `places` and, by kind, in `tres_factors`. Higher tiers come first. */
	uint32_t first, count;
	/* First partition in the request's list; NONE: none of its partitions exists. */
	uint32_t named;
	uint32_t named_place;		/* index in `places`; NONE */
	double size_factor, qos_factor;
	/* weighted, in the named partition */
	double size_term, partition_term, qos_term, tres_term;
	/* 2^32 times PriorityTier, by which partitions are ordered before priorities. */
	double tier;
};

struct class_terms {			/* terms of a class */
	uint64_t made;			/* classes.made for which this was computed; 0: empty */
	uint32_t association;		/* NONE */
	double assoc, fairshare;	/* weighted */
};

#define KNOWN_ALLOCATIONS 512u		/* power of two */

/* Tasks with the same four numbers have the same allocation. */
struct known_allocation {
	uint32_t request, partition, tres, slots;
	struct allocation is;
};

/* TRES seconds that running tasks may still use, by association; ancestors have the sum. */
struct run_minutes {
	uint32_t *rows;			/* row of each association; NONE: nothing */
	/* A row has one number for each kind of TRES. At most UINT64_MAX. */
	uint64_t *seconds;
	size_t n, capacity;		/* rows */
	/* allocations of this run, each at the index given by its hash */
	struct known_allocation *known;
};

struct multifactor {
	const struct slurm_conf *conf;	/* configuration of the cell; borrowed */
	struct association_tree tree;	/* tree, by index in the cell's list */
	/* String id, held: PriorityWeightTRES as written; NONE. */
	uint32_t weight_tres;
	/* String ids, held: kinds of TRES that have a weight, all kinds of TRES, all partitions. */
	uint32_t tres_names[TRES_MOST], kind_names[TRES_MOST], *partition_names;
	size_t nkinds;
	size_t npartitions;
	/* String ids of account, user and partition, three for each association, held; NONE. */
	uint32_t *names;
	uint32_t *group_minutes;	/* string ids of their GrpTRESMins, held; NONE */
	struct run_minutes run_minutes;
	/* Associations in the order that readers see, and the position of each in that order. */
	uint32_t *display, *shown_at;
	double *assoc_factors;		/* by association */
	bool by_partition;		/* some association is for one partition only */
	double decay;			/* part of usage that is left after a second */
	int64_t pass;			/* the last pass, epoch seconds; 0: no pass yet */
	bool passed;			/* a pass has been made in this scheduler's life */
	int64_t last_reset;		/* PriorityUsageResetPeriod */
	/*
	 * Whether an association's usage is stored even if it is 0, because the cell's or an older
	 * stored usage would count without it.
	 */
	bool *kept;
	/* Whether usage was charged or reported since it was last stored; listed in `changed`. */
	bool *is_changed;
	uint32_t *changed;
	size_t nchanged;
	bool all_changed;		/* the usage of all associations has changed */
	/* Decays since usage was last stored. Usage that has only decayed need not be stored. */
	struct decay decays[DECAYS_MOST];
	size_t ndecays;
	/* next association whose usage is stored although it has only decayed */
	uint32_t turn;
	/*
	 * Pass in which the current round of `turn` began. Every user's usage was stored in the
	 * pass stored_pass or later; 0: unknown.
	 */
	int64_t turn_pass, stored_pass;
	bool resum;			/* accounts' usage is not the sum of their children's */
	/* Shares or factors must be computed although no pass is due. */
	bool stale;
	bool is_pass;			/* a pass is made in this run */
	/* Reported usage is taken over in this run. */
	bool takes_reports;
	uint32_t largest_partition, largest_qos;
	uint32_t weighted[TRES_MOST];	/* kinds of TRES that have a weight */
	size_t nweighted;
	struct shape *shapes;		/* by request */
	size_t shapes_capacity;
	struct shape_place *places;
	double *tres_factors;		/* nweighted for each of `places` */
	size_t nplaces, places_capacity, dropped;
	struct class_terms *classes;	/* by class */
	size_t classes_capacity;
};

struct multifactor_policy {
	struct policy policy;
	struct multifactor *in_force;	/* NULL: another policy is active */
	struct multifactor *prepared;	/* for a configuration that is not active yet; NULL */
	struct past past;		/* usage of associations that the tree does not have */
	/* Values of pass and last_reset in the open transaction and in the store (_kept). */
	int64_t pass, pass_kept, reset, reset_kept;
};

extern const struct policy_kind multifactor_policy;
extern const struct policy_rows multifactor_rows;	/* rows.c */
extern const struct policy_file multifactor_file;	/* migrate.c */
extern const struct policy_migration multifactor_migration;	/* migrate.c */

/* configure.c: functions of struct policy_kind, and the destructor of their object. */
int multifactor_prepare(struct policy *policy, struct run *run, const struct cell *cell);
void multifactor_replace(struct policy *policy, struct run *run, const struct cell *cell);
/* NULL is a no-op */
void multifactor_free(struct multifactor *multifactor, struct strings *strings);

/*
 * period.c: restore the clock of another scheduler, and the values that it has computed for the
 * associations that it has reported.
 */
void multifactor_resume(struct multifactor *multifactor, struct run *run, const struct scheduler_event *from);
/* publish.c: save the state from which the next run continues. -ENOMEM. */
int multifactor_remain(const struct multifactor *multifactor, struct state_publication *state);

/* Phases; -ENOMEM. */
/* Call before run_account(). A task that ended after the report is charged in addition. */
void multifactor_take_reported(struct multifactor *multifactor, struct run *run);
/* Call after run_account(). */
int multifactor_account(struct multifactor *multifactor, struct run *run);
int multifactor_urgency(struct multifactor *multifactor, struct run *run);
int multifactor_tickets(struct multifactor *multifactor, struct run *run);
void multifactor_normalize(struct multifactor *multifactor, struct run *run);
void multifactor_settle(struct run *run);
void multifactor_block(const struct multifactor *multifactor, const struct block *block,
		       struct generation_writer *writer);
int multifactor_publish(struct multifactor *multifactor, struct run *run, struct generation_writer *writer);

/*
 * minutes.c: compute run_minutes again. Slurm's rule: with limits enforced, a task adds its time
 * limit times UsageFactor times its allocation, and each pass subtracts the time that has gone by.
 * Without enforced limits nothing is counted. -ENOMEM.
 */
int multifactor_count_minutes(struct multifactor *multifactor, struct run *run);

/*
 * period.c: charge tasks that have ended, except settled ones, which were charged before. Call when
 * the ledger has the ends of these tasks.
 */
void multifactor_charge_ended(struct multifactor *multifactor, struct run *run, struct ended_task *tasks, size_t n);

/* Return whether an association's usage must be stored. */
static inline bool multifactor_keeps(const struct multifactor *multifactor, size_t association)
{
	return multifactor->tree.items[association].is_user &&
	       (multifactor->kept[association] || multifactor->tree.items[association].usage > 0.0L);
}

/* Note that the usage of a user's association is about to change. */
static inline void multifactor_note(struct multifactor *multifactor, uint32_t association)
{
	if (!multifactor->is_changed[association])
		multifactor->changed[multifactor->nchanged++] = association;
	multifactor->is_changed[association] = multifactor->kept[association] = true;
}

/* Return the time of a pass that is not later than the pass of any stored usage. */
static inline int64_t multifactor_oldest_stored(const struct multifactor *multifactor)
{
	return multifactor->all_changed ? multifactor->pass : multifactor->stored_pass;
}

/* Note that all changes are stored. */
static inline void multifactor_stored(struct multifactor *multifactor)
{
	multifactor->stored_pass = multifactor_oldest_stored(multifactor);
	if (multifactor->all_changed)
		multifactor->turn = 0;
	while (multifactor->nchanged > 0)
		multifactor->is_changed[multifactor->changed[--multifactor->nchanged]] = false;
	multifactor->all_changed = false;
	multifactor->ndecays = 0;
}

/* Return whether running jobs get a new priority, by their allocation (CALCULATE_RUNNING). */
static inline bool multifactor_prices_running(const struct multifactor *multifactor)
{
	return multifactor->conf->flags & FLAG_CALCULATE_RUNNING;
}

/* Return the shape of a request that exists. */
static inline const struct shape *multifactor_shape(const struct multifactor *multifactor, uint32_t request)
{
	return &multifactor->shapes[request];
}

/*
 * Return the association with these names, as string ids; NONE is an empty name. NONE if there is
 * no such association.
 */
static inline uint32_t multifactor_association(const struct multifactor *multifactor, const struct run *run,
					       uint32_t account, uint32_t user, uint32_t partition)
{
	const struct mirror *mirror = run->mirror;
	uint32_t i = slurm_association(multifactor->conf, mirror_text(mirror, account), mirror_text(mirror, user),
				       mirror_text(mirror, partition));

	return i < multifactor->tree.n ? i : NONE;
}

/* shares.c: compute the terms of terms->association, which is set. */
void multifactor_class_terms(const struct multifactor *multifactor, struct class_terms *terms);

#endif
