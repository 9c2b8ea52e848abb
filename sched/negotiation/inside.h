/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared declarations of the files in this directory.
 *
 * Some values, such as Rank, depend on both the job and the slot. A class of slots combines the
 * slots with equal values of all attributes on which such values depend. A value that depends only
 * on the slot (by default NEGOTIATOR_POST_JOB_RANK) belongs to the slot itself. A kind of requests
 * combines the requests with equal values of all attributes on which a value depends. A cluster,
 * which is HTCondor's autocluster, combines those with equal significant attributes. Kinds and
 * clusters are the same unless the configuration removes significant attributes.
 */
#ifndef SCHED_NEGOTIATION_INSIDE_H
#define SCHED_NEGOTIATION_INSIDE_H

#include <math.h>

#include "conf/base/text_set.h"
#include "sched/negotiation/clauses.h"
#include "sched/negotiation/cross.h"
#include "sched/negotiation/interest.h"
#include "sched/negotiation/moment.h"
#include "sched/negotiation/negotiation.h"
#include "sched/negotiation/slot_pool.h"

#define NONE UINT32_MAX

/* slot_classes.c */

struct slot_class {
	/* ad of `slot`, or `left`; valid while `slot` is not NONE */
	const struct classad *ad;
	/* owned; rest of a partitionable slot in this cycle; NULL */
	struct classad *left;
	double weight, per_cpu;
	bool partitionable;
	uint32_t single;		/* slot whose claim makes a class of its own; NONE */
	uint32_t slot;			/* a slot that is in the class now; NONE */
	float pre, post;		/* the best ranks of its slots */
	bool rank_is_constant;
	double rank;			/* value of a constant rank: NAN if it is not a number */
};

struct slot_facts {			/* facts about a slot, kept from call to call */
	const struct classad *ad;
	uint64_t made;
	double weight;
	bool partitionable;
	uint32_t class;			/* NONE: unknown */
	/* class while the slot is claimed; NONE: the same as `class` */
	uint32_t claimed_class;
	float pre, post;		/* ranks of the free slot that do not depend on a job */
	bool known;			/* pre and post are known */
	float claimed_pre, claimed_post;	/* ranks of the claimed slot */
	bool claimed_known;
	bool retires;			/* whether the ad has RetirementTimeRemaining */
};

struct slot_classes {
	struct text_set keys;
	struct slot_class *items;
	size_t capacity, in_use;
	uint64_t version;		/* changes when a slot's own ranks have changed */
	char *text;			/* buffer for a key */
	size_t text_capacity;
};

/* rows.c */

struct row_entry {			/* a class of slots that matches a kind of requests */
	uint32_t class;
	float pre, post;		/* 0 if they belong to the slot itself */
	double job;			/* Rank of the job */
	double rank;			/* Rank of the slot; NAN: not a number */
	double weight;			/* weight that a match takes */
};

enum match_verdict { VERDICT_UNKNOWN, VERDICT_MATCHES, VERDICT_BY_JOB, VERDICT_BY_SLOT };

/* results for a kind, with free or with claimed slots */
struct class_row {
	struct row_entry *items;	/* free slots are sorted, the best first */
	uint8_t *verdicts;		/* indexed by class of slots */
	/* Verdicts for the first CLASSES_WALKED classes that do not match; NULL. */
	uint8_t *walked;
	size_t n, capacity, nverdicts;
	uint64_t version;		/* version of the classes when the row was sorted */
	int64_t cycle;
	uint32_t revived;		/* `revived` of the pool when `alive` was computed */
	/* classes at the start of the row that have no free slot any more */
	size_t alive;
};

/* clusters.c */

struct limit_use {
	uint32_t limit;
	double units;
};

struct request_kind {
	/* ad of one of its classes; NULL: no class has this kind now */
	const struct classad *ad;
	bool moments;			/* values depend on the submitter */
	bool time;
	bool limits_by_slot;		/* ConcurrencyLimits depend on the slot */
	bool limits_known;
	bool has_rank;			/* Rank may differ between slots */
	int64_t counted_in;		/* cycle of the next two counts, for refusals */
	uint32_t by_job, by_slot;
	/* cycle of the next three members, which record that no slot matches */
	int64_t looked_in;
	bool unmatched;
	uint32_t never_by_job, never_by_slot;
	struct limit_use *limits;
	size_t nlimits;
	struct class_row rows[2];		/* free, claimed */
};

/* facts about a class of requests, kept from call to call */
struct class_facts {
	const struct classad *ad;
	uint64_t made;
	uint32_t kind, cluster;		/* NONE: unknown */
};

struct clusters {
	struct text_set keys;		/* keys of kinds and clusters */
	struct request_kind *kinds;		/* by key */
	size_t capacity, in_use, row_bytes;
	struct classad_names wanted, significant, added, removed;
	void *pattern;			/* regex_t: REMOVE_SIGNIFICANT_ATTRIBUTES_REGEX; NULL */
	char *text;
	size_t text_capacity;
};

/* concurrency.c */

struct limits {
	struct text_set names;
	double *used, *most;
	size_t capacity;
	struct limit_use *uses;		/* limits of the text that was read last */
	size_t nuses, uses_capacity;
};

/* candidates.c */

struct slot_candidate {
	float pre, post, preemption_rank;
	double job, rank, weight;
	uint32_t slot;
	uint32_t entry;			/* index in the row; NONE for a claimed slot */
	enum preemption preemption;
};

/* best claimed slot of a class that the list has not used */
struct claimed_head {
	struct slot_candidate candidate;
	uint32_t entry, at;
};

struct match_list {			/* HTCondor's match list */
	bool is_there, rank_only, by_limit;
	bool walk;			/* free slots are taken in the pool's own order */
	uint32_t cursor;
	/* a partitionable slot has given a piece and has more left */
	bool gave;
	uint64_t number;
	uint32_t customer, cluster, kind, class;
	double limit, limit_free, used, used_free;	/* values when the list was made */
	size_t next_entry;
	struct slot_candidate *heap;		/* free slots: the first ones of classes */
	size_t nheap, heap_capacity;
	/* free slots of this weight or more exceed the limit now; INFINITY */
	double refused;
	struct slot_candidate *claimed;	/* sorted */
	size_t nclaimed, at_claimed, claimed_capacity;
	/* heap of claimed slots by class, used while no RANK can prefer a job */
	struct claimed_head *lazy;
	size_t nlazy, lazy_capacity;
	/* NEGOTIATOR_DEPTH_FIRST: rest of the last slot; slot NONE */
	struct slot_candidate again;
	bool by_policy, by_rank, by_concurrency;
	struct limit_use limited_by;	/* concurrency limit */
};

/* spin.c */

struct pie_turn {				/* a submitter in a pie */
	uint32_t submitter, place;
	double share, limit, limit_free, starvation;
};

struct pie_turns {
	struct pie_turn *items;
	size_t n, capacity;
};

/* visit.c */

struct submitter_state {
	uint64_t ns;			/* time that its visits have taken so far */
	size_t refusals;		/* index of the first refusal of its last visit */
};

struct submitter_visit {
	uint32_t submitter, group;
	bool autoregroup, ignore;
	double limit, limit_free, room, left;
	double used, used_free;
	bool rank_only, limited;
	bool group_bound;		/* the group's limit is below the submitter's own */
	uint64_t deadline_ns;		/* 0: none */
	enum stop deadline_stop, stop;
};

struct negotiator {
	const struct condor_conf *conf;
	/* Kept from call to call */
	const struct slot *slots;
	size_t nslots;
	struct slot_facts *facts;
	size_t nfacts;			/* capacity */
	const struct request_class *classes;
	size_t nclasses;
	struct class_facts *class_facts;
	size_t nclass_facts;
	struct interest interest;
	struct slot_classes slot_classes;
	struct clusters clusters;
	struct moment_ads moments;
	struct cross cross;
	struct preemption_clauses clauses;		/* clauses of PREEMPTION_REQUIREMENTS */
	struct limits limits;
	struct slot_pool pool;
	struct match_list list;
	/* Values of a cycle */
	const struct cycle_input *in;
	struct customers *customers;
	struct charged_slot *charged;
	struct cycle_result *result;
	int64_t cycle;
	struct submitter_state *states;
	uint32_t *left;			/* jobs of each request that are left */
	size_t *left_of;		/* index of each submitter's first request in `left` */
	uint64_t *rejected;		/* visit in which each cluster was rejected */
	uint64_t visits;
	size_t nstates, nleft, nrejected;	/* capacity */
	uint32_t *counted_in;		/* number of the sum in which each customer was counted */
	uint32_t names_counted;
	size_t ncounted;
	struct pie_turns below;		/* submitters below their floor */
	/* submitters of each group that have not finished */
	struct pie_turns *groups;
	double *tree_used;
	uint32_t *quota_order, *group_order;
	struct quota_group *quotas;
	uint64_t begin_ns;
	uint32_t looks;			/* evaluations in a cycle for unmatched requests */
	int rc;				/* -ENOMEM: the cycle is abandoned */
};

/* negotiator.c */
int room_for(void *array, size_t *capacity, size_t n, size_t bytes);

/*
 * slot_classes.c: return the class of slots with this ad. `single`: number of a slot that has a
 * class of its own. NONE: memory is exhausted.
 */
uint32_t slot_class_of(struct negotiator *negotiator, const struct classad *ad, double weight, bool partitionable,
		       uint32_t single);
double attribute_number(struct negotiator *negotiator, const struct classad *ad, const char *name, double otherwise);
/* Compute the slot's own ranks as a free slot. */
void slot_ranks(struct negotiator *negotiator, const struct classad *ad, float *pre, float *post);
void slot_classes_clear(struct slot_classes *classes);
void slot_classes_free(struct slot_classes *classes);
/* Compute the ranks of all slots for which they are not valid any more. */
void slots_rank(struct negotiator *negotiator);
/* Put a slot into a class, which takes ownership of `left`, the ad of the slot's rest. */
void class_take_in(struct negotiator *negotiator, uint32_t class, uint32_t slot, struct classad *left);
float negotiators_rank(struct negotiator *negotiator, const struct classad_expression *expression,
		       const struct classad *slot, const struct classad *job);

/* clusters.c */
int clusters_create(struct clusters *clusters, const struct condor_conf *conf);
int class_put(struct negotiator *negotiator, size_t class);
/* Call after the significant attributes have changed. */
int clusters_settle(struct negotiator *negotiator);
void clusters_free(struct clusters *clusters);

/*
 * rows.c: match one class of slots with a kind of requests, or complete the row of a kind for all
 * classes that have slots now.
 */
enum match_verdict row_evaluate(struct negotiator *negotiator, const struct request_kind *kind, uint32_t class,
				enum slot_place place, struct row_entry *entry);
int row_complete(struct negotiator *negotiator, uint32_t kind, enum slot_place place);
void rows_drop(struct clusters *clusters);
/* Return whether the Requirements of `my`, if there are any, are true for `target`. */
bool requirements_are_true(struct negotiator *negotiator, const struct classad *my, const struct classad *target);
/* Drop the rows if they use too much memory. */
void rows_bound(struct clusters *clusters);

/* walk.c */
#define CLASSES_WALKED 4096u
/* Return whether this kind takes free slots in the common order and needs no classes. */
bool walk_serves(const struct negotiator *negotiator, const struct request_kind *kind);
/* Return the next free slot from the list's cursor on. False: there is none. */
bool walk_step(struct negotiator *negotiator, uint32_t class, struct slot_candidate *candidate);
/* Insert a slot into the list, searching from its last position or from the end, or remove it. */
void walk_put(struct negotiator *negotiator, uint32_t slot, uint32_t from);
void walk_take(struct slot_pool *pool, uint32_t slot);

/* pieces.c */
/* Return whether a job's request fits into what is left, and the weight that it takes. */
bool piece_fits(struct negotiator *negotiator, const struct slot_class *class, const struct classad *job,
		double *weight);
/*
 * Return the ad of what is left of a slot after a piece was taken, owned by the caller. NULL:
 * memory is exhausted.
 */
struct classad *piece_left(struct negotiator *negotiator, uint32_t slot, const struct slot_class *class,
			   const struct classad *job);

/*
 * pool.c: evaluate which slots the constraint shows; then, with all customers known, collect the
 * available slots. -ENOMEM.
 */
int pool_see(struct negotiator *negotiator);
int pool_fill(struct negotiator *negotiator);
/* Remove a slot; add what is left of one to a class. -ENOMEM. */
void pool_take(struct negotiator *negotiator, uint32_t slot);
/* Compare the slots' own ranks. */
bool slot_precedes(const struct negotiator *negotiator, uint32_t slot, uint32_t other);
int pool_put(struct negotiator *negotiator, uint32_t slot, uint32_t class);
void pool_free(struct slot_pool *pool);

/* account.c */
bool slot_is_claimed(const struct negotiator *negotiator, uint32_t slot);
uint32_t slot_customer(const struct slot *slot);
void account_check(struct negotiator *negotiator);
void account_match(struct negotiator *negotiator, uint32_t slot, uint32_t customer, double weight);
uint32_t customer_group(const struct customers *customers, uint32_t customer);

/* concurrency.c */
int concurrency_count(struct negotiator *negotiator);
/* Read the ConcurrencyLimits of a kind's jobs. */
int kind_limits(struct negotiator *negotiator, struct request_kind *kind);
int concurrency_read(struct negotiator *negotiator, const char *text);
/* Return the first limit of which too little is left; NULL: enough of all of them is left. */
const struct limit_use *concurrency_refuse(const struct limits *limits, const struct limit_use *uses, size_t n);
void concurrency_use(struct limits *limits, const struct limit_use *uses, size_t n);
void concurrency_free(struct limits *limits);

/* candidates.c; claimed.c */
bool slot_admits_class(const struct negotiator *negotiator, uint32_t class, uint32_t slot);
/* Return the best slot for the request, or slot NONE. */
struct slot_candidate candidates_best(struct negotiator *negotiator, const struct submitter_visit *visit,
				      uint32_t class);
/* NEGOTIATOR_DEPTH_FIRST: use what is left of the slot next. */
void candidates_again(struct negotiator *negotiator, const struct slot_candidate *candidate, uint32_t class);
bool is_better(const struct slot_candidate *a, const struct slot_candidate *b);
int claimed_collect(struct negotiator *negotiator, const struct submitter_visit *visit, uint32_t class);
/* preempt.c: find claimed candidates class by class, only when they are needed. */
bool preempt_is_lazy(const struct negotiator *negotiator);
int preempt_open(struct negotiator *negotiator, uint32_t class, uint32_t entry, const struct classad *job);
void preempt_advance(struct negotiator *negotiator, uint32_t class);
bool claimed_may_take(struct negotiator *negotiator, uint32_t slot, const struct classad *job);
const struct claim_facts *claim_facts(struct negotiator *negotiator, uint32_t slot);
bool claimed_holds(struct negotiator *negotiator, uint32_t class, const struct slot_candidate *candidate);

/* visit.c */
/* Return true if the submitter is done. */
bool visit_make(struct negotiator *negotiator, struct submitter_visit *visit);
/* Keep only the refusals of each submitter's last visit. */
void refusals_settle(struct negotiator *negotiator);
/* unmatched.c: refusals of requests that no slot matches, after refusals_settle() */
void unmatched_find(struct negotiator *negotiator);
/* spin.c */
struct pie_limits {
	uint32_t group;			/* group of the submitters */
	bool of_group;			/* `quota` limits the group's use */
	bool autoregroup, floor_round;
	/* upper bound of the weight that is shared; INFINITY: the pool */
	double quota;
};
/* Serve submitters, after a floor round for those below their floor. */
void pie_with_floors(struct negotiator *negotiator, struct pie_turns *turns, const struct pie_limits *limits);
int pie_turns_add(struct pie_turns *turns, uint32_t submitter);
/* groups.c */
void groups_negotiate(struct negotiator *negotiator);

static inline bool limit_permits(double used, double weight, double limit)
{
	/* a fraction of a slot is rounded up, once per visit */
	return used + weight <= limit || (used == 0 && limit > 0);
}

#endif
