/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results of a cycle that are kept for readers until the next cycle, and state of a run that is
 * kept until it is published.
 */
#ifndef SCHED_POLICY_USERPRIO_KEPT_H
#define SCHED_POLICY_USERPRIO_KEPT_H

#include "sched/policy/userprio/userprio.h"
#include "sched/run/records.h"

/* Results of the last cycle, and the positions at which customers are shown: shown.c */

struct shown_submitter {
	uint32_t customer;
	uint32_t idle, running;		/* tasks */
	double weight_idle, weight_running;
	struct submitter_result result;
};

struct shown_limit {
	uint32_t name;			/* string id, held */
	double most, used;
};

struct shown_match {
	uint32_t submitter;		/* index in `submitters` */
	uint32_t slot;			/* string id of its name, held */
	uint32_t job, task;
	uint32_t preemption;
	uint32_t loser;			/* customer; CUSTOMER_NONE */
	uint32_t loser_job, loser_task;
	double weight, rank;
};

struct shown {
	/*
	 * Customers that are not groups, in the order of their names; customers that are shown;
	 * position of each customer among these.
	 */
	uint32_t *by_name, *display, *shown_at;
	size_t nnamed, ndisplayed, ncustomers, customers_capacity;
	struct negotiation_record cycle;
	struct shown_submitter *submitters;
	/*
	 * Submitters in the order in which they were contacted, and the position of each submitter
	 * in that order.
	 */
	uint32_t *contact_order, *contact_row;
	struct contact *contacts;
	struct group_result *groups;
	/* Struct service's member of each group, from the last service; < 0: none. */
	double *uncut;
	struct shown_limit *limits;
	struct class_refusal *refusals;
	struct shown_match *matches;
	size_t nsubmitters, ncontacts, ngroups, nlimits, nrefusals, nmatches, matches_capacity;
};

/* State before a run, from which another process continues: resume.c */

struct claim_before {
	struct claim_key key;
	struct claim claim;
	int64_t ended;			/* end that the run has learned of; 0: none */
	bool finished;
};

struct winner_before {
	struct claim_key key;
	struct winner winner;
};

struct before_run {
	struct customer *customers;
	bool *hidden;
	uint32_t *waited;
	struct claim_before *claims;
	uint32_t *claim_at;		/* index in `claims`, by number in the accountant */
	struct winner_before *winners;
	size_t ncustomers, nclaims, nnumbers, nwinners;
	/* whether a cycle was wanted when the run had learned of all events */
	bool wanted;
	uint32_t *names;		/* held; names in records that the run has removed */
	size_t nnames;
	bool is_stale;
};

#endif
