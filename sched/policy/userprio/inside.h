/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared declarations of the files of `algorithm userprio`: struct userprio_cell is made for each
 * configuration. userprio.h lists the files.
 */
#ifndef SCHED_POLICY_USERPRIO_INSIDE_H
#define SCHED_POLICY_USERPRIO_INSIDE_H

#include "conf/classad/classad.h"
#include "conf/base/text_set.h"
#include "sched/policy/places.h"
#include "sched/policy/userprio/kept.h"
#include "sched/run/records.h"
#include "sched/run/run.h"

/* Submitters: submitters.c */

struct class_submitter {		/* submitter of a ticket class */
	uint64_t made;			/* classes.made for which this was computed; 0: empty */
	uint64_t listed;		/* last run whose list had a job of the class */
	uint32_t customer;		/* CUSTOMER_NONE: its jobs have no valid submitter name */
};

struct submitter {			/* submitter of this run: it has eligible jobs, or slots */
	uint32_t customer;
	uint32_t begin, n;		/* range of its jobs in run->order */
	uint32_t tasks;			/* tasks of its jobs */
	uint32_t place;			/* in the order of priorities, from 0 */
};

struct uncharged {			/* claims of a submitter that no customer is charged for */
	uint32_t slots;
	double weight;
};

struct submitters {
	struct class_submitter *classes;	/* indexed by ticket class */
	size_t classes_capacity;
	struct submitter *items;
	size_t n, capacity;
	uint32_t *by_place;		/* numbers of `items`, best priority first */
	uint32_t *of_customer;		/* number of each customer in `items`; NONE */
	/* Tasks of each customer that were pending at the end of the last run. */
	uint32_t *waited;
	uint64_t *has_jobs;		/* last run in which the customer had jobs */
	/* slots hidden by NEGOTIATOR_SLOT_CONSTRAINT, suspended claims */
	struct uncharged *uncharged;
	size_t customers_capacity;
};

/* Jobs whose ads have the same attributes: ad_classes.c */

struct ad_key {
	uint32_t request, class_id;
	/* 0 if no expression reads them */
	int32_t prios[5];
	uint32_t cluster, proc;
	uint32_t asked;			/* enum ad_by_job: members that expressions read */
	int64_t submission;
};

struct ad_class {
	/* request and class for which this was computed; 0, 0: empty */
	uint64_t request_made, class_made;
	uint64_t made;			/* made, for struct request_class */
	struct classad *ad;		/* NULL: not made yet */
	uint32_t customer;
	uint32_t cpus;			/* RequestCpus; for a parallel job its slots */
	double weight;			/* weight of one of its jobs, for demand */
	bool parallel;
	uint64_t seen;			/* last run that had a job of it */
	/* value of userprio_cell.stamps for which no job of it fitted a freed claim: worklife.c */
	uint64_t reuse;
	uint32_t place;			/* index in run->waiting of one of its jobs in that run */
	uint32_t refusal;		/* index in the last cycle's refusals; NONE */
};

/* class of a job, valid as long as request and class_id do not change */
struct row_class {
	uint32_t request, class_id;
	uint32_t class;
};

struct ad_classes {
	struct pool keys;		/* struct ad_key */
	struct ad_class *items;
	size_t capacity;
	struct row_class *rows;		/* indexed by row of the job table */
	size_t rows_capacity;
	uint64_t made;			/* counter of classes made */
	/* enum ad_by_job: attributes of single jobs that expressions read */
	unsigned by_job;
	struct classad *nothing;	/* empty ad, used for numbers without a class */
	struct request_class *given;	/* classes passed to the negotiator, by number */
	size_t given_capacity, ngiven;
};

enum ad_by_job {
	BY_JOB_PRIO = 1 << 0, BY_CLUSTER = 1 << 1, BY_PROC = 1 << 2, BY_SUBMISSION = 1 << 3, BY_OTHER_PRIOS = 1 << 4,
};

/* Slots that can be claimed: slots.c, slot_ads.c */

/* values that a slot's ad adds to the reported ad; compared as bytes */
struct slot_saying {
	uint64_t base;			/* number of the reported ad; 0: the slot reported none */
	uint64_t facts;			/* hash of Grid Engine's facts; for a piece its number */
	double cpus, memory, disk, gpus;
	int64_t retirement;		/* RetirementTimeRemaining */
};

struct slot_ad {
	struct slot_saying saying;
	struct classad *ad;		/* owned; NULL: use the reported ad */
	/* ad for which the next three members are valid; 0: unknown */
	uint64_t base;
	uint64_t made;
	double weight;
	bool partitionable;
};

struct taken {				/* resources taken out of a partitionable slot */
	double cpus, memory, disk, gpus;
};

struct slot_piece {				/* piece of a slot that a task has */
	const char *slot;
	uint32_t number;		/* among the pieces of the slot, from 1 */
	struct taken taken;
	int64_t retirement;		/* seconds that its retirement still lasts; 0 */
};

struct listed_slot {				/* an entry of the list of slots */
	uint32_t instance;		/* index in state->instances */
	uint32_t task;			/* index in state->tasks of the task that has it; NONE */
	uint32_t claim;			/* number in the accountant; NONE */
	/* number in the policy's winners for which it is vacated; NONE */
	uint32_t winner;
	bool is_piece, is_partitionable;
};

struct slot_list {
	struct slot *slots;
	struct charged_slot *charged;
	struct listed_slot *places;
	size_t n, capacity;
	/* Ads of instances, by number, and of pieces, by number of claim. */
	struct slot_ad *ads, *pieces;
	size_t ads_capacity, pieces_capacity;
	/* instances in the order in which they were first reported */
	uint32_t *order;
	size_t order_capacity;
	struct text_set texts;		/* ConcurrencyLimits that are not constant */
	/* First claim of each instance in its chain; next claim, and task, of each claim. */
	uint32_t *first_claim, *next_claim, *claim_task;
	size_t chains_capacity, next_capacity;
	uint64_t made;
};

/* Tasks that have ended since the last run: claims.c */

struct claim_end {
	uint32_t job, task;
	int64_t start, end;
	enum ending ending;
};

/* CLAIM_WORKLIFE: a claim for the same submitter's next job */
struct freed_claim {
	uint32_t instance, customer, cpus;
	double weight, rank;
	int64_t begun;
};

/* Requests of the current cycle: requests.c */

struct requests_of_cycle {
	struct cycle_submitter *submitters;
	const char **names;		/* names of all customers */
	size_t names_capacity;
	struct request_run *runs;
	/* position in run->order of the next task of each request */
	uint32_t *cursors;
	uint32_t *first_run;		/* index of each submitter's first request in `runs` */
	uint32_t *clusters;		/* negotiator_cluster() of each class */
	size_t nsubmitters, nruns, submitters_capacity, runs_capacity, clusters_capacity;
};

/* number of its tasks that this run has started, and that wait for a slot being vacated */
struct started_job {
	uint32_t started, reserved;
};

struct started {			/* indexed by index in run->waiting */
	uint32_t *places;
	struct started_job *items;
	size_t n, capacity;
	struct index index;
};

/* the next task of a job to start, charged to the customer */
struct start_wish {
	uint32_t place;			/* index in run->waiting */
	uint32_t instance;
	const uint32_t *instances;	/* for a parallel job: any of these */
	uint32_t ninstances;
	uint32_t customer;
	double weight;			/* weight of the claim; < 0: weight of the slots granted */
	double rank;
	uint32_t negotiating_group;
	bool autoregroup;
	int64_t begun;			/* begin of the claim */
	bool charge;			/* the customer must still be charged */
};

struct vacate_wish {			/* a task to vacate */
	/* index in state->tasks; NONE: the slot reported a claim of an unknown job */
	uint32_t task;
	uint32_t instance;
	const struct slot *slot;
	const struct classad *job;	/* NULL: unknown */
	enum vacate_reason reason;
	const char *winner;		/* NULL: none */
};

struct userprio_cell {
	const struct condor_conf *conf;	/* configuration of the cell; borrowed */
	struct negotiator *negotiator;
	struct classad_room room;
	/* a slot's ad with the attributes of its claim added: vacate.c */
	struct classad *claim_ad;
	struct submitters submitters;
	struct ad_classes classes;
	struct slot_list slots;
	struct claim_end *ends;		/* sorted by job, task and start */
	size_t nends;
	struct freed_claim *freed;
	size_t nfreed;
	struct requests_of_cycle requests;
	struct started started;
	struct cycle_result result;	/* result of the last cycle */
	struct shown_submitter *shown;	/* submitters of the current cycle */
	struct shown last;
	struct before_run before;
	/* String ids, held, three for each group, as in struct group_record; NONE. */
	uint32_t *group_texts;
	bool due;			/* a cycle is made in this run */
	/* a job was submitted or a claim has ended since the last cycle */
	bool wanted;
	struct accountant_room room_for;	/* until the configuration is active */
	uint64_t duration_ns;		/* duration of the last cycle */
	/* tasks for which PREEMPT was false in this run and may become true */
	uint32_t nstaying;
	struct claim_key *ordered;	/* claims of the tasks that this run has started */
	size_t nordered;
	uint64_t stamps;
};

/* submitters.c: submitters of all ticket classes, and of a run. -ENOMEM. */
int submitters_of_classes(struct userprio_policy *policy, struct run *run);
uint32_t submitters_customer(struct userprio_policy *policy, struct run *run, uint32_t class_id);
int submitters_collect(struct userprio_policy *policy, struct run *run);
/* Reserve room for the values kept by customer. */
int submitters_reserve(struct submitters *submitters, size_t customers);
uint32_t submitters_tasks(const struct run *run, uint32_t place);
int submitters_add_users(struct userprio_policy *policy, const struct run *run);
bool submitters_want_more(const struct submitters *submitters);
void submitters_remember(struct userprio_policy *policy, const struct run *run);
void submitters_free(struct submitters *submitters);

/* sequence.c: sort submitters by priority; fill run->order. -ENOMEM. */
void sequence_submitters(struct userprio_policy *policy);
int sequence_jobs(struct userprio_policy *policy, struct run *run);

/* ad_classes.c */
void ad_classes_create(struct ad_classes *classes);
void ad_classes_free(struct ad_classes *classes);
/* Note which attributes of single jobs an expression reads. -ENOMEM. */
int ad_classes_ask(struct ad_classes *classes, const struct classad_expression *expression);
uint32_t ad_classes_known(const struct ad_classes *classes, const struct run *run, uint32_t row);
/* Return the class of the job in a row; NONE: memory is exhausted. */
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
int slot_ad_reported(struct userprio_cell *cell, struct slot_ad *ad, const struct instance *instance,
		 const struct taken *taken, int64_t retirement);
int slot_ad_piece(struct userprio_cell *cell, struct slot_ad *ad, const struct slot_piece *piece,
		  const struct classad *base, uint64_t base_made);
int slot_ad_gridengine(struct userprio_cell *cell, struct slot_ad *ad, const struct places *places, uint32_t instance,
		       const char *name, double memory_taken);
double slot_ad_weight(struct userprio_cell *cell, const struct classad *base, double cpus);

/* slots.c: the current list. -ENOMEM. */
/*
 * Read which job attributes the reported ads of slots use, before anything is matched: the ads of
 * jobs must have them. -ENOMEM.
 */
int slot_list_look(struct userprio_policy *policy, const struct run *run);
int slot_list_take(struct userprio_policy *policy, struct run *run, const struct places *places);
int slot_list_order(struct slot_list *slots, const struct state *state);	/* fills `order` */
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

/* requests.c: requests of submitters in this cycle. -ENOMEM. */
int requests_names(struct userprio_policy *policy, const struct run *run);
int requests_classes(struct userprio_policy *policy, struct run *run);
int requests_take(struct userprio_policy *policy, struct run *run, const struct places *places);
/* Return the next task of a request, as index in run->waiting of its job; NONE: no more. */
uint32_t requests_next(struct userprio_cell *cell, const struct run *run, uint32_t submitter, uint32_t request);
void requests_free(struct requests_of_cycle *requests);

/* matches.c: carry out the results of the cycle. -ENOMEM. */
int matches_take(struct userprio_policy *policy, struct run *run, const struct places *places);
int matches_evict(struct userprio_policy *policy, struct run *run, const struct places *places);

/* negotiate.c */
bool cycle_is_due(const struct userprio_policy *policy, const struct run *run);
int userprio_negotiate(struct policy *policy, struct run *run, const struct places *places);

/* configure.c: functions of struct policy_kind */
int userprio_prepare(struct policy *policy, struct run *run, const struct cell *cell);
void userprio_replace(struct policy *policy, struct run *run, const struct cell *cell);
/* NULL is a no-op */
void userprio_free(struct userprio_cell *cell, struct strings *strings);

/* Return the latest time of the next cycle, if nothing else happens. */
int64_t cycle_next(const struct userprio_policy *policy);

/* shown.c; -ENOMEM */
int shown_customers(struct userprio_policy *policy, const struct run *run);
int shown_keep(struct userprio_policy *policy, const struct run *run);
int shown_match(struct userprio_policy *policy, const struct run *run, const struct shown_match *match);
void shown_free(struct shown *shown, struct strings *strings);

/* resume.c */
void before_begin(struct before_run *before, struct strings *strings);
void before_hold(struct before_run *before, struct strings *strings, uint32_t name);
/* Note that a claim that existed before the run has ended. */
void before_end(struct before_run *before, uint32_t number, int64_t ended, bool finished);
void before_free(struct before_run *before, struct strings *strings);
void userprio_remember(const struct policy *policy, struct state_head *head);
struct pool *userprio_places(struct policy *policy, size_t k);
int userprio_remain(const struct policy *policy, struct state_publication *state);
void userprio_resume(struct policy *policy, struct run *run, const struct scheduler_event *from);

/* publish.c */
void userprio_block(struct policy *policy, const struct block *block, struct generation_writer *writer);
int userprio_publish(struct policy *policy, struct run *run, struct generation_writer *writer);

/* Return the number of eligible tasks of a job. */
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
