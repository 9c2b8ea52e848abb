/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `algorithm multifactor`: Slurm's priorities, as a policy (policy.c).
 *
 *     configure   configure.c    what the cell says, beside what is in force
 *     collect     policy.c       who takes part, in the order of the list: run_collect_listed()
 *     account     period.c       once in PriorityCalcPeriod tasks are charged, and all usage decays
 *     urgency     shapes.c       job size, partition, QOS and TRES: what a request brings
 *     tickets     shares.c       fair-share and association: what its owner brings
 *     normalize   priorities.c   age, and the sum
 *     publish     publish.c      the tables
 *                 minutes.c      what is left to run
 *     rows        rows.c         usage, to the store and back
 *
 * Usage outlives trees and schedulers: past.h.
 *
 * Between two passes (PriorityCalcPeriod) numbers stay as they are: ages count up to the last pass,
 * and usage is charged and decayed there. Jobs that have come since then get theirs at once.
 * Formulas are those of urgency/multifactor.h, tickets/associations.h and tickets/usage_decay.h.
 */
#ifndef SCHED_POLICY_MULTIFACTOR_MULTIFACTOR_H
#define SCHED_POLICY_MULTIFACTOR_MULTIFACTOR_H

#include "conf/slurm.h"
#include "sched/policy/multifactor/past.h"
#include "sched/policy/policy.h"
#include "tickets/associations.h"
#include "urgency/multifactor.h"

/* more are not kept until they are stored: all usage is stored instead */
#define DECAYS_MOST 32
/*
 * usage is stored at least once in so many passes; at a start at most twice as many decays are done
 * again
 */
#define TURNS 64

struct shape_place {				/* a shape in one of its partitions */
	uint32_t partition;		/* of the cell's list */
	double partition_term, tres_term;	/* weighted */
};

struct shape {				/* what a request comes to, by its number */
	uint64_t made;			/* request_facts.made of what is here; 0: nothing */
	/* of `places` and, by kind, of `tres_factors`: higher tiers first */
	uint32_t first, count;
	/* the partition that the request names first, NONE: it names none that there is */
	uint32_t named;
	uint32_t named_place;		/* of `places`; NONE */
	double size_factor, qos_factor;
	/* weighted, in the named partition */
	double size_term, partition_term, qos_term, tres_term;
	/* 2^32 for each step of PriorityTier: what partitions are ordered by before priorities */
	double tier;
};

struct class_terms {			/* what a class comes to */
	uint64_t made;			/* classes.made of what is here; 0: nothing */
	uint32_t association;		/* NONE */
	double assoc, fairshare;	/* weighted */
};

#define KNOWN_ALLOCATIONS 512u		/* power of two */

struct known_allocation {		/* tasks that are alike in these have the same one */
	uint32_t request, partition, tres, slots;
	struct allocation is;
};

/* what running tasks may still use, for associations and for what is above them */
struct run_minutes {
	uint32_t *rows;			/* by association: its row, NONE: nothing */
	/* a row has one for each kind of TRES; at most UINT64_MAX */
	uint64_t *seconds;
	size_t n, capacity;		/* rows */
	struct known_allocation *known;	/* of this run, each where its hash leads to */
};

struct multifactor {
	const struct slurm_conf *conf;	/* the cell's; borrowed */
	struct association_tree tree;	/* by index in the cell's list */
	/*
	 * string ids, held: PriorityWeightTRES as written, NONE; of the weighted kinds; of the
	 * partitions
	 */
	uint32_t weight_tres;
	/* kind_names: of all of them */
	uint32_t tres_names[TRES_MOST], kind_names[TRES_MOST], *partition_names;
	size_t nkinds;
	size_t npartitions;
	/* string ids of account, user and partition, three an association, held; NONE */
	uint32_t *names;
	uint32_t *group_minutes;	/* string ids of their GrpTRESMins, held; NONE */
	struct run_minutes run_minutes;
	/* associations as readers see them, and where each of them stands there */
	uint32_t *display, *shown_at;
	double *assoc_factors;		/* by association */
	bool by_partition;		/* some association is for one partition only */
	double decay;			/* what is left after a second */
	int64_t pass;			/* the last one, epoch seconds; 0: there has been none */
	bool passed;			/* there has been one in this scheduler's life */
	int64_t last_reset;		/* PriorityUsageResetPeriod */
	/*
	 * by association: its usage is to be kept even if it is 0, since something else would count
	 * without it
	 */
	bool *kept;
	/* its usage was charged or reported since it was last stored: one of `changed` */
	bool *is_changed;
	uint32_t *changed;
	size_t nchanged;
	bool all_changed;		/* all of them are */
	/* of all usage, since it was last stored: what has only decayed needs no storing */
	struct decay decays[DECAYS_MOST];
	size_t ndecays;
	uint32_t turn;			/* whose usage is next to be stored all the same */
	/* when its turns began; each user's usage was stored at this pass or later, 0: unknown */
	int64_t turn_pass, stored_pass;
	bool resum;			/* accounts' usage is not the sum of what is below them */
	/* shares or factors are to be computed although no pass is due */
	bool stale;
	bool is_pass;			/* this run is one */
	/* this run takes over the usage that the qmaster has reported */
	bool told;
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
	struct multifactor *in_force;	/* NULL: another policy is */
	struct multifactor *prepared;	/* for a cell that is to be in force; NULL */
	struct past past;		/* usage of associations that it does not have */
	/* what the open transaction has of pass and last_reset, what the store has */
	int64_t pass, pass_kept, reset, reset_kept;
};

extern const struct policy_kind multifactor_policy;
extern const struct policy_rows multifactor_rows;	/* rows.c */

/* configure.c: struct policy_kind's, and what is made for a cell. */
int multifactor_prepare(struct policy *policy, struct run *run, const struct cell *cell);
void multifactor_replace(struct policy *policy, struct run *run, const struct cell *cell);
void multifactor_free(struct multifactor *multifactor, struct strings *strings);	/* NULL is a no-op */

/*
 * period.c: go on where another scheduler has left off: its clock, and what it has computed of
 * those associations of which that was told.
 */
void multifactor_resume(struct multifactor *multifactor, struct run *run, const struct scheduler_event *from);
/* publish.c: what the next run goes on from. -ENOMEM. */
int multifactor_remain(const struct multifactor *multifactor, struct state_publication *state);

/* The phases; -ENOMEM. */
/* before run_account(): what ended later than that is charged on top */
void multifactor_take_told(struct multifactor *multifactor, struct run *run);
int multifactor_account(struct multifactor *multifactor, struct run *run);	/* behind run_account() */
int multifactor_urgency(struct multifactor *multifactor, struct run *run);
int multifactor_tickets(struct multifactor *multifactor, struct run *run);
int multifactor_normalize(struct multifactor *multifactor, struct run *run);
void multifactor_settle(struct run *run);
void multifactor_block(const struct multifactor *multifactor, const struct block *block,
		       struct generation_writer *writer);
int multifactor_publish(struct multifactor *multifactor, struct run *run, struct generation_writer *writer);

/*
 * minutes.c: m->run_minutes anew. Slurm's rule: with limits enforced a task takes its time limit
 * times UsageFactor times what it was given, and each pass gives back what has gone by; without,
 * nothing is counted. -ENOMEM.
 */
int multifactor_count_minutes(struct multifactor *multifactor, struct run *run);

/*
 * period.c: tasks that have ended are charged; those that are settled were before. To be called
 * when the ledger has their ends.
 */
void multifactor_charge_ended(struct multifactor *multifactor, struct run *run, struct ended_task *tasks, size_t n);

/* Must an association's usage be stored? */
static inline bool multifactor_keeps(const struct multifactor *multifactor, size_t association)
{
	return multifactor->tree.items[association].is_user &&
	       (multifactor->kept[association] || multifactor->tree.items[association].usage > 0.0L);
}

/* Usage of a user's association is going to be another. */
static inline void multifactor_note(struct multifactor *multifactor, uint32_t association)
{
	if (!multifactor->is_changed[association])
		multifactor->changed[multifactor->nchanged++] = association;
	multifactor->is_changed[association] = multifactor->kept[association] = true;
}

/* The pass that stored usage is of, or a later one. */
static inline int64_t multifactor_oldest_stored(const struct multifactor *multifactor)
{
	return multifactor->all_changed ? multifactor->pass : multifactor->stored_pass;
}

/* All that has changed is stored. */
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

/* CALCULATE_RUNNING: are jobs priced that run, by what they have? */
static inline bool multifactor_prices_running(const struct multifactor *multifactor)
{
	return multifactor->conf->flags & FLAG_CALCULATE_RUNNING;
}

/* What a shape or class brings; for requests and classes that are alive. */
static inline const struct shape *multifactor_shape(const struct multifactor *multifactor, uint32_t request)
{
	return &multifactor->shapes[request];
}

/* An association by its names' string ids, NONE: none. NONE if there is none. */
static inline uint32_t multifactor_association(const struct multifactor *multifactor, const struct run *run,
					       uint32_t account, uint32_t user, uint32_t partition)
{
	const struct mirror *mirror = run->mirror;
	uint32_t i = slurm_association(multifactor->conf, mirror_text(mirror, account), mirror_text(mirror, user),
				       mirror_text(mirror, partition));

	return i < multifactor->tree.n ? i : NONE;
}

/* shares.c: what an association weighs: terms->association is set. */
void multifactor_class_terms(const struct multifactor *multifactor, struct class_terms *terms);

#endif
