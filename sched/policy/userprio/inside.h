/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of `algorithm userprio` share: struct userprio_cell is made for a cell. userprio.h
 * has the map.
 */
#ifndef SCHED_POLICY_USERPRIO_INSIDE_H
#define SCHED_POLICY_USERPRIO_INSIDE_H

#include "conf/classad/classad.h"
#include "conf/text_set.h"
#include "sched/policy/places.h"
#include "sched/policy/userprio/kept.h"
#include "sched/run/records.h"
#include "sched/run/run.h"

/* Who submits: submitters.c */

struct class_submitter {		/* of a ticket class */
	uint64_t made;			/* classes.made of what is here; 0: nothing */
	uint64_t listed;		/* the last run whose list had a job of it */
	uint32_t customer;		/* CUSTOMER_NONE: no name that a submitter can have */
};

struct submitter {			/* of this run: has jobs that take part, or slots */
	uint32_t customer;
	uint32_t begin, n;		/* its jobs, in run->order */
	uint32_t tasks;			/* of these */
	uint32_t place;			/* in the order of priorities, from 0 */
};

struct uncharged {			/* claims that a submitter has and is not charged for */
	uint32_t slots;
	double weight;
};

struct submitters {
	struct class_submitter *classes;	/* by ticket class */
	size_t classes_capacity;
	struct submitter *items;
	size_t n, capacity;
	uint32_t *by_place;		/* numbers of `items`, best priority first */
	uint32_t *of_customer;		/* by customer: number of `items`; NONE */
	/* by customer: tasks that waited when the last run was over */
	uint32_t *waited;
	uint64_t *has_jobs;		/* the last run in which it had some */
	struct uncharged *uncharged;	/* slots that NEGOTIATOR_SLOT_CONSTRAINT hides, suspended claims */
	size_t customers_capacity;
};

/* Jobs alike in all that their ads say: ad_classes.c */

struct ad_key {
	uint32_t request, class_id;
	/* 0 where no expression asks for them */
	int32_t prios[5];
	uint32_t cluster, proc;
	uint32_t asked;			/* enum ad_by_job: which of these are asked for */
	int64_t submission;
};

struct ad_class {
	uint64_t request_made, class_made;	/* of what is here; 0, 0: nothing */
	uint64_t made;			/* struct request_class' */
	struct classad *ad;		/* NULL: not made yet */
	uint32_t customer;
	uint32_t cpus;			/* RequestCpus; of a parallel job its slots */
	double weight;			/* of one of its jobs, for demand */
	bool parallel;
	uint64_t seen;			/* the last run that met it */
	uint64_t reuse;			/* it does not fit what was free with this number: worklife.c */
	uint32_t place;			/* in run->waiting, of one of its jobs in that run */
	uint32_t refusal;		/* of the last cycle's refusals; NONE */
};

struct row_class {			/* of a job, as long as it says the same */
	uint32_t request, class_id;
	uint32_t class;
};

struct ad_classes {
	struct pool keys;		/* struct ad_key */
	struct ad_class *items;
	size_t capacity;
	struct row_class *rows;		/* by row of the job table */
	size_t rows_capacity;
	uint64_t made;			/* so many */
	unsigned by_job;		/* enum ad_by_job: which of these expressions ask for */
	struct classad *nothing;	/* in place of what is gone */
	struct request_class *given;	/* to the negotiator, by number */
	size_t given_capacity, ngiven;
};

enum ad_by_job {
	BY_JOB_PRIO = 1 << 0, BY_CLUSTER = 1 << 1, BY_PROC = 1 << 2, BY_SUBMISSION = 1 << 3, BY_OTHER_PRIOS = 1 << 4,
};

/* What can be claimed: slots.c, slot_ads.c */

struct slot_saying {			/* what a slot's ad says besides what was told; compared as bytes */
	uint64_t base;			/* of the told ad; 0: none was told */
	uint64_t facts;			/* a hash of Grid Engine's; of a piece its number */
	double cpus, memory, disk, gpus;
	int64_t retirement;		/* RetirementTimeRemaining */
};

struct slot_ad {
	struct slot_saying saying;
	struct classad *ad;		/* owned; NULL: the told one will do */
	uint64_t base;			/* of which the next three are; 0: they are not known */
	uint64_t made;
	double weight;
	bool partitionable;
};

struct taken {				/* out of a partitionable slot */
	double cpus, memory, disk, gpus;
};

struct slot_piece {				/* that a task has of one */
	const char *slot;
	uint32_t number;		/* among those of the slot, from 1 */
	struct taken taken;
	int64_t retirement;		/* seconds that are left to it; 0 */
};

struct listed_slot {				/* an entry of the list of slots */
	uint32_t instance;		/* of state->instances */
	uint32_t task;			/* of state->tasks that has it; NONE */
	uint32_t claim;			/* number of the accountant's; NONE */
	uint32_t winner;		/* of the policy's winners, for whom it is vacated; NONE */
	bool is_piece, is_partitionable;
};

struct slot_list {
	struct slot *slots;
	struct charged_slot *charged;
	struct listed_slot *places;
	size_t n, capacity;
	/* the ads: of instances, by number; of pieces, by number of claim */
	struct slot_ad *ads, *pieces;
	size_t ads_capacity, pieces_capacity;
	uint32_t *order;		/* instances as they were first told */
	size_t order_capacity;
	struct text_set texts;		/* ConcurrencyLimits that are no constants */
	/* by instance: its tasks' claims in a chain; by claim the next one */
	uint32_t *first_claim, *next_claim, *claim_task;
	size_t chains_capacity, next_capacity;
	uint64_t made;
};

/* What has ended since the last run: claims.c */

struct claim_end {
	uint32_t job, task;
	int64_t start, end;
	enum ending ending;
};

struct freed_claim {			/* CLAIM_WORKLIFE: for the same submitter's next job */
	uint32_t instance, customer, cpus;
	double weight, rank;
	int64_t begun;
};

/* Requests of the cycle at hand: requests.c */

struct requests_of_cycle {
	struct cycle_submitter *submitters;
	const char **names;		/* of all customers */
	size_t names_capacity;
	struct request_run *runs;
	uint32_t *cursors;		/* by run: where in run->order its next task is */
	uint32_t *first_run;		/* by submitter: of `runs` */
	uint32_t *clusters;		/* by class: negotiator_cluster() */
	size_t nsubmitters, nruns, submitters_capacity, runs_capacity, clusters_capacity;
};

struct started_job {			/* of its tasks: that this run has started; that wait for a slot of their own */
	uint32_t started, reserved;
};

struct started {			/* by place in run->waiting */
	uint32_t *places;
	struct started_job *items;
	size_t n, capacity;
	struct index index;
};

struct start_wish {			/* the next task of a job is to start, charged to the customer */
	uint32_t place;			/* in run->waiting */
	uint32_t instance;
	const uint32_t *instances;	/* of a parallel job: any of these */
	uint32_t ninstances;
	uint32_t customer;
	double weight;			/* of the claim; < 0: of what is granted */
	double rank;
	uint32_t negotiating_group;
	bool autoregroup;
	int64_t begun;			/* of the claim */
	bool charge;			/* nobody has done that yet */
};

struct vacate_wish {			/* a task is to go */
	uint32_t task;			/* of state->tasks; NONE: a claim that was told */
	uint32_t instance;
	const struct slot *slot;
	const struct classad *job;	/* NULL: unknown */
	enum vacate_reason reason;
	const char *winner;		/* NULL: nobody */
};

struct userprio_cell {
	const struct condor_conf *conf;	/* the cell's; borrowed */
	struct negotiator *negotiator;
	struct classad_room room;
	struct classad *claim_ad;	/* a slot's ad with the attributes of its claim in front: vacate.c */
	struct submitters submitters;
	struct ad_classes classes;
	struct slot_list slots;
	struct claim_end *ends;		/* by job, task and start */
	size_t nends;
	struct freed_claim *freed;
	size_t nfreed;
	struct requests_of_cycle requests;
	struct started started;
	struct cycle_result result;	/* of the last cycle */
	struct shown_submitter *shown;	/* of the cycle at hand */
	struct shown last;
	struct before_run before;
	uint32_t *group_texts;		/* string ids, held: three a group, struct group_record's; NONE */
	bool due;			/* this run is a cycle */
	bool wanted;			/* something was submitted, or a claim has ended, since the last cycle */
	struct accountant_room room_for;	/* until it is in force */
	uint64_t duration_ns;		/* of the last cycle */
	uint32_t nstaying;		/* tasks of which PREEMPT was not true in this run, and may become so */
	struct claim_key *ordered;	/* that this run has started */
	size_t nordered;
	uint64_t stamps;
};

/* submitters.c: of all ticket classes; of a run. -ENOMEM. */
int submitters_of_classes(struct userprio_policy *policy, struct run *run);
uint32_t submitters_customer(struct userprio_policy *policy, struct run *run, uint32_t class_id);
int submitters_collect(struct userprio_policy *policy, struct run *run);
/* Room for what is known by customer. */
int submitters_reserve(struct submitters *submitters, size_t customers);
uint32_t submitters_tasks(const struct run *run, uint32_t place);
int submitters_add_users(struct userprio_policy *policy, const struct run *run);
bool submitters_want_more(const struct submitters *submitters);
void submitters_remember(struct userprio_policy *policy, const struct run *run);
void submitters_free(struct submitters *submitters);

/* sequence.c: submitters by priority; run->order. -ENOMEM. */
void sequence_submitters(struct userprio_policy *policy);
int sequence_jobs(struct userprio_policy *policy, struct run *run);

/* ad_classes.c */
void ad_classes_create(struct ad_classes *classes);
void ad_classes_free(struct ad_classes *classes);
/* Expressions that look at jobs: which of what differs from job to job do they ask for? -ENOMEM. */
int ad_classes_ask(struct ad_classes *classes, const struct classad_expression *expression);
uint32_t ad_classes_known(const struct ad_classes *classes, const struct run *run, uint32_t row);
/* The class of the job in a row; NONE: no memory. */
uint32_t ad_classes_of(struct userprio_policy *policy, const struct run *run, uint32_t row);
int ad_classes_give(struct userprio_policy *policy, const struct run *run);

/* claims.c */
void claims_note_end(struct userprio_cell *cell, const struct claim_end *end);
void claims_note_ends(struct userprio_policy *policy, struct run *run, const struct ended_task *tasks, size_t n);
int claims_chain(struct userprio_policy *policy, uint32_t instance, const struct claim_key *key, uint32_t task);
int claims_take(struct userprio_policy *policy, struct run *run);

/* slot_ads.c; -ENOMEM */
struct taken slot_ad_taken(struct userprio_cell *cell, const struct classad *job, const struct classad *slot,
			   double cpus);
bool slot_ad_is_partitionable(struct userprio_cell *cell, struct slot_ad *ad, const struct instance *instance);
int slot_ad_told(struct userprio_cell *cell, struct slot_ad *ad, const struct instance *instance,
		 const struct taken *taken, int64_t retirement);
int slot_ad_piece(struct userprio_cell *cell, struct slot_ad *ad, const struct slot_piece *piece,
		  const struct classad *base, uint64_t base_made);
int slot_ad_gridengine(struct userprio_cell *cell, struct slot_ad *ad, const struct places *places, uint32_t instance,
		       const char *name, double memory_taken);
double slot_ad_weight(struct userprio_cell *cell, const struct classad *base, double cpus);

/* slots.c: the list, as it is now. -ENOMEM. */
/*
 * Before anything is matched: what told slots ask of jobs has to be in the ads of these. -ENOMEM.
 */
int slot_list_look(struct userprio_policy *policy, const struct run *run);
int slot_list_take(struct userprio_policy *policy, struct run *run, const struct places *places);
int slot_list_order(struct slot_list *slots, const struct state *state);	/* `order` */
double slot_list_weight(struct userprio_cell *cell, const struct run *run, uint32_t instance, uint32_t cpus);
void slot_list_free(struct slot_list *slots);

/* starts.c */
struct started_job starts_of(const struct started *started, uint32_t place);
int starts_reserve(struct userprio_cell *cell, uint32_t place);
void starts_begin(struct userprio_cell *cell);
void starts_free(struct userprio_cell *cell);
int starts_make(struct userprio_policy *policy, struct run *run, const struct places *places,
		const struct start_wish *wish);
void starts_settle(struct userprio_policy *policy, const struct run *run);

/* winners.c */
uint32_t winners_find(const struct userprio_policy *policy, const struct claim_key *key);
int winners_add(struct userprio_policy *policy, struct strings *strings, const struct claim_key *victim,
		const struct winner *winner);
void winners_free(struct userprio_policy *policy, struct strings *strings);
void winners_follow(struct userprio_policy *policy, const uint32_t *moved);
void winners_stand_in(struct userprio_policy *policy, const struct run *run, struct slot *slot,
		      struct listed_slot *place, struct charged_slot *charged);
void winners_step_back(struct userprio_policy *policy, const struct run *run, struct claim *claim,
		       const struct charged_slot *charged);
int winners_take(struct userprio_policy *policy, struct run *run, const struct places *places);

/* vacate.c; -ENOMEM */
int64_t vacate_retirement_left(struct userprio_policy *policy, const struct run *run, const struct slot *slot,
			       const struct classad *job);
int vacate_order(struct userprio_policy *policy, const struct run *run, const struct places *places,
		 const struct vacate_wish *wish);
int vacate_is_due(struct userprio_policy *policy, const struct run *run, const struct slot *slot,
		  const struct classad *job);
bool vacate_may_be_due(const struct userprio_cell *cell);

/* worklife.c */
int worklife_take(struct userprio_policy *policy, struct run *run, const struct places *places);

/* requests.c: what submitters ask for in this cycle. -ENOMEM. */
int requests_names(struct userprio_policy *policy, const struct run *run);
int requests_classes(struct userprio_policy *policy, struct run *run);
int requests_take(struct userprio_policy *policy, struct run *run, const struct places *places);
/* The next task of a request: its job's place in run->waiting; NONE: there is no more. */
uint32_t requests_next(struct userprio_cell *cell, const struct run *run, uint32_t submitter, uint32_t request);
void requests_free(struct requests_of_cycle *requests);

/* matches.c: what the cycle has found. -ENOMEM. */
int matches_take(struct userprio_policy *policy, struct run *run, const struct places *places);
int matches_evict(struct userprio_policy *policy, struct run *run, const struct places *places);

/* negotiate.c */
bool cycle_is_due(const struct userprio_policy *policy, const struct run *run);
int userprio_negotiate(struct policy *policy, struct run *run, const struct places *places);

/* configure.c: struct policy_kind's */
int userprio_prepare(struct policy *policy, struct run *run, const struct cell *cell);
void userprio_replace(struct policy *policy, struct run *run, const struct cell *cell);
void userprio_free(struct userprio_cell *cell, struct strings *strings);	/* NULL is a no-op */

/* The next one at the latest, as things are. */
int64_t cycle_next(const struct userprio_policy *policy);

/* shown.c; -ENOMEM */
int shown_customers(struct userprio_policy *policy, const struct run *run);
int shown_keep(struct userprio_policy *policy, const struct run *run);
int shown_match(struct userprio_policy *policy, const struct run *run, const struct shown_match *match);
void shown_free(struct shown *shown, struct strings *strings);

/* resume.c */
void before_begin(struct before_run *before, struct strings *strings);
void before_hold(struct before_run *before, struct strings *strings, uint32_t name);
/* A claim that there was before has ended. */
void before_end(struct before_run *before, uint32_t number, int64_t ended, bool finished);
void before_free(struct before_run *before, struct strings *strings);
void userprio_remember(const struct policy *policy, struct state_head *head);
struct pool *userprio_places(struct policy *policy, size_t k);
int userprio_remain(const struct policy *policy, struct state_publication *state);
void userprio_resume(struct policy *policy, struct run *run, const struct scheduler_event *from);

/* publish.c */
void userprio_block(struct policy *policy, const struct block *block, struct generation_writer *writer);
int userprio_publish(struct policy *policy, struct run *run, struct generation_writer *writer);

/* How many tasks of a job take part in the run. */
static inline uint32_t run_tasks_of(const struct run *run, uint32_t place)
{
	uint32_t first = run->waiting.first[place], n = 0;

	if (first == NONE)
		return 0;
	while (first + n < run->pending.n && run->pending.job[first + n] == place)
		n++;
	return n;
}

#endif
