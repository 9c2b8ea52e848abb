/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of this room share.
 *
 * A class of slots has what a value may depend on that depends on job and slot; a value that
 * depends on the slot alone (by default NEGOTIATOR_POST_JOB_RANK) is the slot's own. A kind of
 * requests is what is alike in all that a value depends on; a cluster, HTCondor's autocluster, in
 * the significant attributes. They are the same unless the configuration takes attributes out.
 */
#ifndef SCHED_NEGOTIATION_INSIDE_H
#define SCHED_NEGOTIATION_INSIDE_H

#include <math.h>

#include "conf/text_set.h"
#include "sched/negotiation/clauses.h"
#include "sched/negotiation/cross.h"
#include "sched/negotiation/interest.h"
#include "sched/negotiation/moment.h"
#include "sched/negotiation/negotiation.h"
#include "sched/negotiation/slot_pool.h"

#define NONE UINT32_MAX

/* slot_classes.c */

struct slot_class {
	const struct classad *ad;	/* of `slot`, or `left`; holds while `slot` is not NONE */
	struct classad *left;		/* owned: what is left of a partitionable slot in this cycle; NULL */
	double weight, per_cpu;
	bool partitionable;
	uint32_t single;		/* slot whose claim makes a class of its own; NONE */
	uint32_t slot;			/* one of its slots now; NONE */
	float pre, post;		/* the best of its slots' own */
	bool rank_is_constant;
	double rank;			/* then: NAN if it is no number */
};

struct slot_facts {			/* of a slot, from call to call */
	const struct classad *ad;
	uint64_t made;
	double weight;
	bool partitionable;
	uint32_t class;			/* NONE: not looked at */
	uint32_t claimed_class;		/* NONE: the same */
	float pre, post;		/* what of it does not depend on a job, as a free one */
	bool known;			/* these are */
	float claimed_pre, claimed_post;	/* as a claimed one */
	bool claimed_known;
	bool retires;			/* it says RetirementTimeRemaining */
};

struct slot_classes {
	struct text_set keys;
	struct slot_class *items;
	size_t capacity, in_use;
	uint64_t version;		/* another one when a slot's own ranks have changed */
	char *text;			/* for a key */
	size_t text_capacity;
};

/* rows.c */

struct row_entry {			/* a class of slots that a kind of requests matches */
	uint32_t class;
	float pre, post;		/* 0 where they are the slot's own */
	double job;			/* Rank of the job */
	double rank;			/* of the slot; NAN: it is no number */
	double weight;			/* that a match takes */
};

enum match_verdict { VERDICT_UNKNOWN, VERDICT_MATCHES, VERDICT_BY_JOB, VERDICT_BY_SLOT };

struct class_row {				/* what is known of a kind; of free, or of claimed slots */
	struct row_entry *items;	/* of free ones the best in front */
	uint8_t *verdicts;		/* by class of slots */
	/* of the first CLASSES_WALKED: how it does not match; NULL */
	uint8_t *walked;
	int64_t walked_in;		/* cycle, where it holds no longer */
	size_t n, capacity, nverdicts;
	uint64_t version;		/* of the classes, when it was sorted */
	int64_t cycle;
	uint32_t revived;		/* of the pool, when `alive` was found */
	size_t alive;			/* classes before that have no free slot any more */
};

/* clusters.c */

struct limit_use {
	uint32_t limit;
	double units;
};

struct request_kind {
	const struct classad *ad;	/* of one of its classes; NULL: none has it now */
	bool moments;			/* its values depend on the submitter */
	bool time;
	bool limits_by_slot;		/* ConcurrencyLimits that only a slot decides */
	bool limits_known;
	bool has_rank;			/* slots differ for it */
	int64_t counted_in;		/* cycle of these counts, for refusals */
	uint32_t by_job, by_slot;
	int64_t looked_in;		/* cycle in which it was found out that no slot matches it: */
	bool unmatched;
	uint32_t never_by_job, never_by_slot;
	struct limit_use *limits;
	size_t nlimits;
	struct class_row rows[2];		/* free, claimed */
};

struct class_facts {			/* of a class of requests, from call to call */
	const struct classad *ad;
	uint64_t made;
	uint32_t kind, cluster;		/* NONE: not looked at */
};

struct clusters {
	struct text_set keys;		/* of kinds and clusters */
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
	struct limit_use *uses;		/* what was read last */
	size_t nuses, uses_capacity;
};

/* candidates.c */

struct slot_candidate {
	float pre, post, preemption_rank;
	double job, rank, weight;
	uint32_t slot;
	uint32_t entry;			/* of the row; a claimed one's: NONE */
	enum preemption preemption;
};

struct claimed_head {			/* the best claimed slot of a class that is left to a list */
	struct slot_candidate candidate;
	uint32_t entry, at;
};

struct match_list {			/* HTCondor's match list */
	bool is_there, rank_only, by_limit;
	bool walk;			/* free ones are those of the pool's own order */
	uint32_t cursor;
	bool gave;			/* a partitionable slot has given a piece, and has more */
	uint64_t number;
	uint32_t customer, cluster, kind, class;
	double limit, limit_free, used, used_free;	/* when it was made */
	size_t next_entry;
	struct slot_candidate *heap;		/* free ones: heads of classes */
	size_t nheap, heap_capacity;
	double refused;			/* free ones of that weight are beyond the limit by now; INFINITY */
	struct slot_candidate *claimed;	/* sorted */
	size_t nclaimed, at_claimed, claimed_capacity;
	struct claimed_head *lazy;	/* heap: claimed ones by class, while nobody can be preferred by RANK */
	size_t nlazy, lazy_capacity;
	struct slot_candidate again;		/* NEGOTIATOR_DEPTH_FIRST: slot NONE, or what is left of it */
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
	uint64_t ns;			/* it has taken so far */
	size_t refusals;		/* where those of its last visit begin */
};

struct submitter_visit {
	uint32_t submitter, group;
	bool autoregroup, ignore;
	double limit, limit_free, room, left;
	double used, used_free;
	bool rank_only, limited;
	bool group_bound;		/* the group's limit is below its own */
	uint64_t deadline_ns;		/* 0: none */
	enum stop deadline_stop, stop;
};

struct negotiator {
	const struct condor_conf *conf;
	/* from call to call */
	const struct slot *slots;
	size_t nslots;
	struct slot_facts *facts;
	size_t nfacts;			/* room */
	const struct request_class *classes;
	size_t nclasses;
	struct class_facts *class_facts;
	size_t nclass_facts;
	struct interest interest;
	struct slot_classes slot_classes;
	struct clusters clusters;
	struct moment_ads moments;
	struct cross cross;
	struct preemption_clauses clauses;		/* of PREEMPTION_REQUIREMENTS */
	struct limits limits;
	struct slot_pool pool;
	struct match_list list;
	/* of a cycle */
	const struct cycle_input *in;
	struct customers *customers;
	struct charged_slot *charged;
	struct cycle_result *result;
	int64_t cycle;
	struct submitter_state *states;
	uint32_t *left;			/* jobs of each request that are left */
	size_t *left_of;		/* where those of a submitter begin */
	uint64_t *rejected;		/* by cluster: visit in which it was */
	uint64_t visits;
	size_t nstates, nleft, nrejected;	/* room */
	uint32_t *counted_in;		/* by customer: number of the sum in which it was counted */
	uint32_t names_counted;
	size_t ncounted;
	struct pie_turns below;		/* who has less than its floor */
	struct pie_turns *groups;		/* by group: who has not finished */
	double *tree_used;
	uint32_t *quota_order, *group_order;
	struct quota_group *quotas;
	uint64_t begin_ns;
	uint32_t looks;			/* of a cycle, for unmatched requests */
	int rc;				/* -ENOMEM: the cycle is given up */
};

/* negotiator.c */
int room_for(void *array, size_t *capacity, size_t n, size_t bytes);

/*
 * slot_classes.c: the class of slots with that ad, or, with a number, of that slot alone. NONE: no
 * memory.
 */
uint32_t slot_class_of(struct negotiator *negotiator, const struct classad *ad, double weight, bool partitionable,
		       uint32_t single);
double attribute_number(struct negotiator *negotiator, const struct classad *ad, const char *name, double otherwise);
/* The slot's own ranks, as a free one. */
void slot_ranks(struct negotiator *negotiator, const struct classad *ad, float *pre, float *post);
void slot_classes_clear(struct slot_classes *classes);
void slot_classes_free(struct slot_classes *classes);
/* Of all slots, where they are not known any more. */
void slots_rank(struct negotiator *negotiator);
/* `left`, now the class's, is what is left of a slot that has come into it. */
void class_take_in(struct negotiator *negotiator, uint32_t class, uint32_t slot, struct classad *left);
float negotiators_rank(struct negotiator *negotiator, const struct classad_expression *expression,
		       const struct classad *slot, const struct classad *job);

/* clusters.c */
int clusters_create(struct clusters *clusters, const struct condor_conf *conf);
int class_put(struct negotiator *negotiator, size_t class);
int clusters_settle(struct negotiator *negotiator);		/* what is significant is another set */
void clusters_clear(struct clusters *clusters);
void clusters_free(struct clusters *clusters);

/*
 * rows.c: one class of slots as a kind of requests sees it; the row of a kind is complete for all
 * classes that have slots now.
 */
enum match_verdict row_evaluate(struct negotiator *negotiator, const struct request_kind *kind, uint32_t class,
				enum slot_place place, struct row_entry *entry);
int row_complete(struct negotiator *negotiator, uint32_t kind, enum slot_place place);
void rows_drop(struct clusters *clusters);
/* Are the Requirements of an ad, if it has some, true of the other one? */
bool requirements_are_true(struct negotiator *negotiator, const struct classad *my, const struct classad *target);
void rows_bound(struct clusters *clusters);			/* drops them where they have become too many */
void row_free(struct class_row *row);

/* walk.c */
#define CLASSES_WALKED 4096u
/*
 * Is the order of free slots the same for a kind as for others, so that its list needs no classes?
 */
bool walk_serves(const struct negotiator *negotiator, const struct request_kind *kind);
/* *c: the next free slot, from the list's cursor on. False: there is none. */
bool walk_step(struct negotiator *negotiator, uint32_t class, struct slot_candidate *candidate);
/* A slot comes into the list, from where it stood last or from the end on; it leaves it. */
void walk_put(struct negotiator *negotiator, uint32_t slot, uint32_t from);
void walk_take(struct slot_pool *pool, uint32_t slot);

/* pieces.c */
/* Does a job's request fit into what is left, and what weight does it take? */
bool piece_fits(struct negotiator *negotiator, const struct slot_class *class, const struct classad *job,
		double *weight);
/* What is left of a slot of the class behind a piece, owned by the caller; NULL: no memory. */
struct classad *piece_left(struct negotiator *negotiator, uint32_t slot, const struct slot_class *class,
			   const struct classad *job);

/*
 * pool.c: which slots the constraint shows; then, with all customers known, what is to be had.
 * -ENOMEM.
 */
int pool_see(struct negotiator *negotiator);
int pool_fill(struct negotiator *negotiator);
/* A slot is gone; what is left of one is there, of that class. -ENOMEM. */
void pool_take(struct negotiator *negotiator, uint32_t slot);
bool slot_precedes(const struct negotiator *negotiator, uint32_t slot, uint32_t other);		/* by its own ranks */
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
/* The ConcurrencyLimits of a kind's jobs. */
int kind_limits(struct negotiator *negotiator, struct request_kind *kind);
int concurrency_read(struct negotiator *negotiator, const char *text);
/* NULL: all of them are there; else the first of which too little is left. */
const struct limit_use *concurrency_refuse(const struct limits *limits, const struct limit_use *uses, size_t n);
void concurrency_use(struct limits *limits, const struct limit_use *uses, size_t n);
void concurrency_free(struct limits *limits);

/* candidates.c; claimed.c */
/* The best slot for the request, or slot NONE. */
bool slot_admits_class(const struct negotiator *negotiator, uint32_t class, uint32_t slot);
struct slot_candidate candidates_best(struct negotiator *negotiator, const struct submitter_visit *visit,
				      uint32_t class);
/* NEGOTIATOR_DEPTH_FIRST: what is left of the slot comes next. */
void candidates_again(struct negotiator *negotiator, const struct slot_candidate *candidate, uint32_t class);
bool is_better(const struct slot_candidate *a, const struct slot_candidate *b);
int claimed_collect(struct negotiator *negotiator, const struct submitter_visit *visit, uint32_t class);
/* preempt.c: the same, class by class, as they are asked for */
bool preempt_is_lazy(const struct negotiator *negotiator);
int preempt_open(struct negotiator *negotiator, uint32_t class, uint32_t entry, const struct classad *job);
void preempt_advance(struct negotiator *negotiator, uint32_t class);
bool claimed_may_take(struct negotiator *negotiator, uint32_t slot, const struct classad *job);
const struct claim_facts *claim_facts(struct negotiator *negotiator, uint32_t slot);
bool claimed_holds(struct negotiator *negotiator, uint32_t class, const struct slot_candidate *candidate);

/* visit.c */
bool visit_make(struct negotiator *negotiator, struct submitter_visit *visit);		/* true: it is done */
void refusals_settle(struct negotiator *negotiator);		/* those of each submitter's last visit stay */
/* unmatched.c: refusals of requests that no slot matches, after refusals_settle() */
void unmatched_find(struct negotiator *negotiator);
/* spin.c */
struct pie_limits {
	uint32_t group;			/* whose submitters these are */
	bool of_group;			/* `quota` is a limit of what the group may use */
	bool autoregroup, floor_round;
	double quota;			/* weight of which the shares are parts at most; INFINITY: of the pool */
};
/* Who is done leaves `turns`. */
void pie_negotiate(struct negotiator *negotiator, struct pie_turns *turns, const struct pie_limits *limits);
/* A floor round before it, for those who have less than their floor. */
void pie_with_floors(struct negotiator *negotiator, struct pie_turns *turns, const struct pie_limits *limits);
int pie_turns_add(struct pie_turns *turns, uint32_t submitter);
/* groups.c */
void groups_negotiate(struct negotiator *negotiator);

static inline bool limit_permits(double used, double weight, double limit)
{
	/* a fraction of a slot is rounded up, once a visit */
	return used + weight <= limit || (used == 0 && limit > 0);
}

#endif
