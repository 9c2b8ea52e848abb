/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A negotiation cycle, as HTCondor's negotiator makes it: submitters in the order of their user
 * priorities meet slots, within their slices of the pool and the quotas of their groups, and take
 * them from others where policy allows that. Sources: HTCondor's manual, "User Priorities and
 * Negotiation", "Group Accounting"; the program, where they differ (fairlead-condor(5)).
 *
 * It knows slots, submitters and requests as they are handed to it, no process, no clock, no job by
 * itself. One thread decides; workers only evaluate, so results do not depend on their number.
 *
 *     negotiator_create()                     lives as long as the configuration: what it has found
 *                                             out of classes stays from cycle to cycle
 *     negotiator_slots(), _classes()          what there is; only what has changed is looked at
 *                                             again
 *     negotiator_cycle()                      one cycle: matches, and a picture of how it came
 *                                             about
 *
 *     negotiation.h        this: what goes in and out; inside.h what the files share
 *     negotiator.c         what is kept; slot_classes.c slots that are alike; clusters.c requests
 *                          that are; interest.c which attributes that depends on, references.c one
 *                          text's
 *     cycle.c              the steps of a cycle; account.c whose claims there are; pool.c what is
 *                          to be had
 *     groups.c             groups and their rounds
 *     spin.c               a pie and its slices; visit.c one submitter
 *     candidates.c         slots for a request, the best first; rows.c what a kind of requests
 *                          finds in a class of slots; walk.c partitionable slots, of which each is
 *                          another
 *     claimed.c            who may be driven out; preempt.c class by class, clauses.c what
 *                          PREEMPTION_REQUIREMENTS depends on
 *     moment.c             attributes that belong to the cycle, as RemoteUserPrio; cross.c those of
 *                          other slots of the machine
 *     unmatched.c          requests that no slot matches
 *     pieces.c             what a request takes out of a partitionable slot
 *     concurrency.c        concurrency limits
 */
#ifndef SCHED_NEGOTIATION_NEGOTIATION_H
#define SCHED_NEGOTIATION_NEGOTIATION_H

#include "conf/classad/classad.h"
#include "conf/condor.h"
#include "conf/error.h"
#include "tickets/customers.h"
#include "tickets/quotas.h"

struct workers;

/* What goes in */

enum slot_state { SLOT_UNCLAIMED, SLOT_CLAIMED, SLOT_PREEMPTING };

struct slot {				/* what can be claimed */
	const char *name;
	/*
	 * as its machine says, without RemoteUserPrio and what else belongs to the cycle; borrowed,
	 * the same address as long as it says the same
	 */
	const struct classad *ad;
	uint64_t made;			/* differs when the ad does */
	double weight;			/* slot_weight(); of a partitionable one of what is left in it */
	bool partitionable;		/* Cpus, Memory, ... are what is left in it */
	enum slot_state state;
	/* whose claim it is, and for whom it is being preempted; CUSTOMER_NONE */
	uint32_t customer, preempting_customer;
	double current_rank;		/* RANK of the job that runs; of the preempting one, if there is */
	/*
	 * since when it is in its state, and since when the job runs: EnteredCurrentState, JobStart and
	 * the like, epoch seconds; 0: as its ad says
	 */
	int64_t since, job_start;
	/* the claim was reported with the slot: what its ad says of these times counts */
	bool claim_is_reported;
	/*
	 * of the match that the claim came from: RemoteNegotiatingGroup; of conf->groups, or
	 * UINT32_MAX
	 */
	uint32_t negotiating_group;
	bool autoregroup;		/* RemoteAutoregroup */
	const char *limits;		/* ConcurrencyLimits that are in use there; NULL */
	bool suspended;
	/* 0: out of this cycle, for accounting only (its host is down, it is closed) */
	bool open;
};

struct request_class {			/* jobs alike in all that their ads say */
	const struct classad *ad;	/* borrowed */
	uint64_t made;
};

struct request_run {		/* jobs of one submitter that follow each other in its order */
	uint32_t class;			/* of the classes */
	uint32_t count;			/* >= 1 */
	uint32_t first;			/* the caller's: where they stand */
};

struct cycle_submitter {
	const char *name;		/* "group.user@domain" */
	uint32_t customer;
	const struct request_run *requests;	/* best first */
	size_t n;
	double idle, running;		/* weights, for the demand of its group */
	int32_t job_prio;		/* with USE_GLOBAL_JOB_PRIOS: one of these a priority */
	bool skip;			/* SkipMatchmaking */
	const struct classad *ad;	/* for NEGOTIATOR_SUBMITTER_CONSTRAINT; NULL */
};

/*
 * Beyond what ads say: may a class start on a slot, as far as the caller knows? It may be asked by
 * several threads. NULL: always.
 */
typedef bool slot_admits(void *context, uint32_t class, uint32_t slot);

struct cycle_input {
	int64_t now;
	int64_t cycle;			/* number, from 1 */
	const char *const *names;	/* of the customers: RemoteUser; for factors that are to be chosen */
	const struct cycle_submitter *submitters;
	size_t nsubmitters;
	slot_admits *admits;
	void *context;
	struct workers *workers;	/* NULL: this thread alone */
	/* ns of CLOCK_MONOTONIC or the like, for time limits; NULL: there is no limit */
	uint64_t (*clock_ns)(void *context);
};

/* What comes out */

enum preemption { PREEMPTS_NOBODY, PREEMPTS_BY_RANK, PREEMPTS_BY_PRIORITY };

struct match {				/* in the order in which they were made */
	uint32_t submitter;		/* of the input */
	uint32_t request;		/* of the submitter's; the next of its jobs */
	uint32_t slot;
	enum preemption preemption;
	double weight;			/* of the slot, or of the piece taken out of it */
	double rank;			/* RANK of the slot for the job: CurrentRank of the claim */
	uint32_t group;			/* of conf->groups: with whose slice */
	bool autoregroup;		/* ... or in the root's turn for those who regroup */
};

/*
 * Why a request did not get a slot, the first that applies; HTCondor's own words stand in brackets.
 */
enum refusal {
	REFUSED_NOT = 0,
	REFUSED_NOT_REACHED,		/* nobody has come to it: time limit, or the cycle ended before */
	REFUSED_CONCURRENCY_LIMIT,	/* [concurrency limit ... reached] */
	REFUSED_PREEMPTION,		/* [PREEMPTION_REQUIREMENTS == False] */
	REFUSED_RANK,			/* the slots prefer who they have */
	REFUSED_SUBMITTER_LIMIT,	/* its slice is used up [submitter limit exceeded] */
	REFUSED_GROUP_LIMIT,		/* its group is at its limit */
	REFUSED_CEILING,
	REFUSED_NO_MATCH,		/* [no match found] */
};

struct class_refusal {			/* of a submitter at its last visit */
	uint32_t submitter, request;	/* the first one of its autocluster; it stands for them all */
	enum refusal refusal;
	/* slots looked at, and of them: refused by the job, by the slot, by the caller; in use */
	uint32_t slots, by_job, by_slot, by_caller, claimed;
	uint32_t limit;			/* REFUSED_CONCURRENCY_LIMIT: which of the result's limits; else NONE */
	double units;			/* ... of which it needs so many */
};

/* Why a submitter was not served any further. */
enum stop {
	STOP_NONE,
	STOP_NO_JOBS,
	STOP_SLICE,
	STOP_CEILING,
	STOP_GROUP,
	STOP_NO_SLOTS,
	STOP_TIME_CYCLE,
	STOP_TIME_SUBMITTER,
	STOP_TIME_SPIN,
	STOP_REFUSED, /* all that it still asks for */
};

struct submitter_result {		/* by submitter of the input */
	uint32_t group;			/* of conf->groups; in which it was served first */
	double share;			/* part of the pie, 0..1, as of its last spin */
	double slice;			/* weight that the share comes to */
	double limit;			/* that was left to it when it was last looked at */
	uint32_t spins, visits, matches, preemptions, rejected;
	enum stop stop;
};

struct group_result {			/* by group of the configuration */
	struct quota_group quota;	/* of the last allocation round */
	double requested;		/* at the beginning */
	double tree_used;		/* at the end */
	double limit;			/* that it was negotiated with last; < 0: it was not */
	uint32_t capped_by;		/* the group whose quota bounds it; UINT32_MAX */
	double sort_key;
	uint32_t order;			/* of service, from 1; 0: it was not */
	double first_allocated;		/* in the first allocation round */
};

struct service {			/* a group was served, in order */
	uint32_t group, round;
	double uncut, limit;		/* weight that it could use; as HTCondor takes it, cut */
};

struct contact {			/* a visit: who was negotiated with, in order */
	uint32_t submitter, group, spin;
};

struct limit_result {			/* a concurrency limit in use */
	char *name;			/* the result's */
	double most, used;
};

struct cycle_result {			/* zero-initialise; keeps its memory from cycle to cycle */
	struct match *matches;
	size_t nmatches;
	struct class_refusal *refusals;
	size_t nrefusals;
	struct submitter_result *submitters;
	size_t nsubmitters;
	struct group_result *groups;
	size_t ngroups;
	struct contact *contacts;
	size_t ncontacts;
	struct service *services;
	size_t nservices;
	struct limit_result *limits;
	size_t nlimits;
	double pool_weight, least_weight;	/* of all slots; of the lightest one */
	double pool_counted;		/* NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT: what shares are of */
	uint32_t trimmed;		/* slots that took no part */
	uint32_t spins, rounds;
	/*
	 * ns: accounting; quotas and the order of groups; what is to be had, and who asks; slices
	 * and matching
	 */
	uint64_t account_ns, quota_ns, slice_ns, match_ns;
	struct { size_t matches, refusals, contacts, services; } room;	/* the cycle's own */
};

struct negotiator;

/* conf is borrowed until negotiator_free(). -ENOMEM: NULL. */
struct negotiator *negotiator_create(const struct condor_conf *conf);
void negotiator_free(struct negotiator *negotiator);	/* NULL is a no-op */

/*
 * The slots and the classes from now on, borrowed until the next call or the end. Slots come first,
 * and count when the classes are told, too. -ENOMEM.
 */
int negotiator_slots(struct negotiator *negotiator, const struct slot *slots, size_t count);
int negotiator_classes(struct negotiator *negotiator, const struct request_class *classes, size_t count);
/*
 * Which autocluster a class belongs to, now that slots and classes are known: jobs of one submitter
 * that stand next to each other and are of one autocluster are one request.
 */
uint32_t negotiator_cluster(const struct negotiator *negotiator, uint32_t class);

/*
 * Phase 2 of a cycle and all behind it: ends leases, updates priorities, checks whose claims there
 * are, negotiates. `customers` are those of the slots and submitters, with their groups in front:
 * customer g is the group conf->groups[g]. `claims` says of each slot for how long and at what
 * weight it has been charged (see struct charged_slot), and is brought up to date. -ENOMEM: given
 * up half way; customers may have changed.
 */
struct charged_slot {			/* the accountant's record of a slot; customer CUSTOMER_NONE: none */
	uint32_t customer;
	double weight;
	int64_t since;
};
int negotiator_cycle(struct negotiator *negotiator, const struct cycle_input *in, struct customers *customers,
		     struct charged_slot *charged, struct cycle_result *result);
void cycle_result_free(struct cycle_result *result);

/* slot_weight.c: SlotWeight, else SLOT_WEIGHT; 1 where weights are not used, or it is no weight. */
double slot_weight(const struct condor_conf *conf, const struct classad *ad, struct classad_room *room);

#endif
