/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A negotiation cycle, as HTCondor's negotiator makes it. Submitters get slots in the order of
 * their user priorities, within their slices of the pool and the quotas of their groups. If policy
 * allows it, they get slots that other submitters have. Sources: HTCondor's manual, "User
 * Priorities and Negotiation", "Group Accounting"; HTCondor's program where it differs from the
 * manual (fairlead-condor(5)).
 *
 * The negotiator knows only the slots, submitters and requests that it is given. It knows no
 * process, no clock and no single job. One thread decides; workers only evaluate, so results do not
 * depend on their number.
 *
 *     negotiator_create()                     lives as long as the configuration; results for
 *                                             classes are kept from cycle to cycle
 *     negotiator_slots(), _classes()          the current slots and classes; only changes are
 *                                             evaluated
 *     negotiator_cycle()                      one cycle: matches, and a record of how they were
 *                                             found
 *
 *     negotiation.h        the interface; inside.h declarations that the files share
 *     negotiator.c         state kept between cycles; slot_classes.c classes of equal slots;
 *                          clusters.c clusters of equal requests; interest.c the attributes that
 *                          matter for both, references.c those in one text
 *     cycle.c              the steps of a cycle; account.c the current claims; pool.c the available
 *                          slots
 *     groups.c             groups and their rounds
 *     spin.c               a pie and its slices; visit.c one submitter
 *     candidates.c         slots for a request, the best first; rows.c the classes of slots that
 *                          match a kind of requests; walk.c partitionable slots, which all differ
 *     claimed.c            claimed slots that may be preempted; preempt.c the same class by class;
 *                          clauses.c the clauses of PREEMPTION_REQUIREMENTS
 *     moment.c             attributes that are valid in a cycle, such as RemoteUserPrio; cross.c
 *                          those of other slots of the machine
 *     unmatched.c          requests that no slot matches
 *     pieces.c             the piece of a partitionable slot that a request takes
 *     concurrency.c        concurrency limits
 */
#ifndef SCHED_NEGOTIATION_NEGOTIATION_H
#define SCHED_NEGOTIATION_NEGOTIATION_H

#include "conf/classad/classad.h"
#include "conf/condor.h"
#include "conf/base/error.h"
#include "tickets/customers.h"
#include "tickets/quotas.h"

struct workers;

/* Input */

enum slot_state { SLOT_UNCLAIMED, SLOT_CLAIMED, SLOT_PREEMPTING };

struct slot {				/* slot that can be claimed */
	const char *name;
	/*
	 * Ad as reported by its machine, without RemoteUserPrio and other attributes of the cycle.
	 * Borrowed; the address stays the same as long as the ad does not change.
	 */
	const struct classad *ad;
	uint64_t made;			/* changes when the ad does */
	/* slot_weight(); for a partitionable slot, of what is left in it */
	double weight;
	bool partitionable;		/* Cpus, Memory, ... are what is left in it */
	enum slot_state state;
	/* Owner of the claim, and customer for which it is being preempted; CUSTOMER_NONE. */
	uint32_t customer, preempting_customer;
	/* RANK of the running job, or of the preempting one if there is one */
	double current_rank;
	/*
	 * Start of its state and of the job, from which EnteredCurrentState, JobStart and others
	 * are computed. Epoch seconds; 0: use the ad's values.
	 */
	int64_t since, job_start;
	/* The claim was reported with the slot: the ad's values of these times are used. */
	bool claim_is_reported;
	/* RemoteNegotiatingGroup: group of the claim's match, of conf->groups; UINT32_MAX. */
	uint32_t negotiating_group;
	bool autoregroup;		/* RemoteAutoregroup */
	const char *limits;		/* ConcurrencyLimits that its job uses; NULL */
	bool suspended;
	/* False: in this cycle only accounted for (its host is down, or it is closed). */
	bool open;
};

struct request_class {			/* jobs with the same attributes in their ads */
	const struct classad *ad;	/* borrowed */
	uint64_t made;
};

struct request_run {		/* adjacent jobs of one submitter, in its order */
	uint32_t class;			/* index in the classes */
	uint32_t count;			/* >= 1 */
	uint32_t first;			/* for the caller: position of the first job */
};

struct cycle_submitter {
	const char *name;		/* "group.user@domain" */
	uint32_t customer;
	const struct request_run *requests;	/* best first */
	size_t n;
	double idle, running;		/* weights, for the demand of its group */
	/* with USE_GLOBAL_JOB_PRIOS: one of these for each priority */
	int32_t job_prio;
	bool skip;			/* SkipMatchmaking */
	const struct classad *ad;	/* for NEGOTIATOR_SUBMITTER_CONSTRAINT; NULL */
};

/*
 * Return whether the caller admits a class to a slot, beyond what ads say. Several threads may call
 * this. NULL: always.
 */
typedef bool slot_admits(void *context, uint32_t class, uint32_t slot);

struct cycle_input {
	int64_t now;
	int64_t cycle;			/* number, from 1 */
	/* names of the customers, for RemoteUser and for choosing factors */
	const char *const *names;
	const struct cycle_submitter *submitters;
	size_t nsubmitters;
	slot_admits *admits;
	void *context;
	struct workers *workers;	/* NULL: only this thread */
	/* Return a time in ns like CLOCK_MONOTONIC, for time limits; NULL: no limits. */
	uint64_t (*clock_ns)(void *context);
};

/* Results */

enum preemption { PREEMPTS_NONE, PREEMPTS_BY_RANK, PREEMPTS_BY_PRIORITY };

struct match {				/* in the order in which they were made */
	uint32_t submitter;		/* index in the input */
	/* index in the submitter's requests; the match is for its next job */
	uint32_t request;
	uint32_t slot;
	enum preemption preemption;
	double weight;			/* weight of the slot, or of the piece taken out of it */
	double rank;			/* RANK of the slot for the job: CurrentRank of the claim */
	uint32_t group;			/* group whose slice was used, of conf->groups */
	bool autoregroup;		/* true: in the root's turn for groups that regroup */
};

/* First reason that applies why a request got no slot; HTCondor's own words are in brackets. */
enum refusal {
	REFUSED_NOT = 0,
	/* the request was not considered: time limit, or the cycle ended before */
	REFUSED_NOT_REACHED,
	REFUSED_CONCURRENCY_LIMIT,	/* [concurrency limit ... reached] */
	REFUSED_PREEMPTION,		/* [PREEMPTION_REQUIREMENTS == False] */
	REFUSED_RANK,			/* the slots prefer the jobs that they have */
	REFUSED_SUBMITTER_LIMIT,	/* slice used up [submitter limit exceeded] */
	REFUSED_GROUP_LIMIT,		/* group at its limit */
	REFUSED_CEILING,
	REFUSED_NO_MATCH,		/* [no match found] */
};

struct class_refusal {			/* refusal in a submitter's last visit */
	/* the first request of its autocluster, for which the refusal stands */
	uint32_t submitter, request;
	enum refusal refusal;
	/*
	 * Slots examined, and of these the number refused by the job, by the slot, by the caller,
	 * and in use.
	 */
	uint32_t slots, by_job, by_slot, by_caller, claimed;
	/* REFUSED_CONCURRENCY_LIMIT: index in the result's limits; otherwise NONE */
	uint32_t limit;
	double units;			/* number of units of this limit that it needs */
};

/* Reason why a submitter was not served any further */
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
	STOP_REFUSED, /* no slot for any of the remaining requests */
};

struct submitter_result {		/* indexed by submitter of the input */
	uint32_t group;			/* group in which it was served first, of conf->groups */
	double share;			/* part of the pie in its last spin, 0..1 */
	double slice;			/* weight of the share */
	double limit;			/* weight that was left to it in its last turn */
	uint32_t spins, visits, matches, preemptions, rejected;
	enum stop stop;
};

struct group_result {			/* indexed by group of the configuration */
	struct quota_group quota;	/* values of the last allocation round */
	double requested;		/* at the beginning */
	double tree_used;		/* at the end */
	double limit;			/* limit of its last negotiation; < 0: none */
	uint32_t capped_by;		/* the group whose quota bounds it; UINT32_MAX */
	double sort_key;
	uint32_t order;			/* order of service, from 1; 0: not served */
	double first_allocated;		/* in the first allocation round */
};

struct service {			/* service of a group, in order */
	uint32_t group, round;
	/* weight that it could use, and the same as HTCondor truncates it */
	double uncut, limit;
};

struct contact {			/* visit of a submitter, in order */
	uint32_t submitter, group, spin;
};

struct limit_result {			/* a concurrency limit in use */
	char *name;			/* owned by the result */
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
	double pool_weight, least_weight;	/* sum of all slots; weight of the lightest one */
	/* weight that is shared: NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT */
	double pool_counted;
	uint32_t trimmed;		/* slots that were not considered */
	uint32_t spins, rounds;
	/*
	 * Time in ns for accounting; for quotas and the order of groups; for collecting slots and
	 * requests; for slices and matching.
	 */
	uint64_t account_ns, quota_ns, slice_ns, match_ns;
	/* capacities, private to the cycle */
	struct { size_t matches, refusals, contacts, services; } room;
};

struct negotiator;

/* Create a negotiator. conf is borrowed until negotiator_free(). NULL: memory is exhausted. */
struct negotiator *negotiator_create(const struct condor_conf *conf);
void negotiator_free(struct negotiator *negotiator);	/* NULL is a no-op */

/*
 * Set the slots and the classes, borrowed until the next call or the end. Call negotiator_slots()
 * first; it becomes effective with negotiator_classes(). -ENOMEM.
 */
int negotiator_slots(struct negotiator *negotiator, const struct slot *slots, size_t count);
int negotiator_classes(struct negotiator *negotiator, const struct request_class *classes, size_t count);
/*
 * Return the autocluster of a class, after slots and classes are set. Adjacent jobs of one
 * submitter that have the same autocluster are one request.
 */
uint32_t negotiator_cluster(const struct negotiator *negotiator, uint32_t class);

/*
 * Make phase 2 of a cycle and everything after it: end leases, update priorities, check the current
 * claims, negotiate. `customers` are those of the slots and submitters, with their groups first:
 * customer g is the group conf->groups[g]. `charged` has the customer, the weight and the start of
 * the charge for each slot, and is updated. -ENOMEM: the cycle was abandoned; customers may have
 * changed.
 */
/* the accountant's record of a slot; customer CUSTOMER_NONE: none */
struct charged_slot {
	uint32_t customer;
	double weight;
	int64_t since;
};
int negotiator_cycle(struct negotiator *negotiator, const struct cycle_input *in, struct customers *customers,
		     struct charged_slot *charged, struct cycle_result *result);
void cycle_result_free(struct cycle_result *result);

/*
 * slot_weight.c: return SlotWeight of the ad, or SLOT_WEIGHT. 1 if weights are not used, or if the
 * value is not a weight.
 */
double slot_weight(const struct condor_conf *conf, const struct classad *ad, struct classad_room *room);

#endif
