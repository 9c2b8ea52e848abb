/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept of a cycle until the next one, for readers, and of a run until it is published. */
#ifndef SCHED_POLICY_USERPRIO_KEPT_H
#define SCHED_POLICY_USERPRIO_KEPT_H

#include "sched/policy/userprio/userprio.h"
#include "sched/run/records.h"

/* Of the last cycle, and who is shown where: shown.c */

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
	uint32_t submitter;		/* of `submitters` */
	uint32_t slot;			/* name, string id, held */
	uint32_t job, task;
	uint32_t preemption;
	uint32_t loser;			/* customer; CUSTOMER_NONE */
	uint32_t loser_job, loser_task;
	double weight, rank;
};

struct shown {
	/*
	 * customers but groups in the order of their names; those that are shown; by customer where
	 */
	uint32_t *by_name, *display, *shown_at;
	size_t nnamed, ndisplayed, ncustomers, customers_capacity;
	struct negotiation_record cycle;
	struct shown_submitter *submitters;
	/* of these: as they were contacted; by submitter where it stands there */
	uint32_t *contact_order, *contact_row;
	struct contact *contacts;
	struct group_result *groups;
	/* by group: struct service's, of the last service; < 0: none */
	double *uncut;
	struct shown_limit *limits;
	struct class_refusal *refusals;
	struct shown_match *matches;
	size_t nsubmitters, ncontacts, ngroups, nlimits, nrefusals, nmatches, matches_capacity;
};

/* What a run goes on from, as it was before: resume.c */

struct claim_before {
	struct claim_key key;
	struct claim claim;
	int64_t ended;			/* as the run has learnt; 0: it has not */
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
	uint32_t *claim_at;		/* by number of the accountant's: of `claims` */
	struct winner_before *winners;
	size_t ncustomers, nclaims, nnumbers, nwinners;
	bool wanted;			/* a cycle, as of what the run has learnt */
	uint32_t *names;		/* held, of what the run has ended */
	size_t nnames;
	bool is_stale;
};

#endif
