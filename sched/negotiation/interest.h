/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which attributes matter: of slots, so that slots alike in them are one class; of jobs, the
 * significant attributes of HTCondor's autoclusters. What matters is found from the expressions of
 * the configuration, of slots and of jobs as they come; it only grows.
 */
#ifndef SCHED_NEGOTIATION_INTEREST_H
#define SCHED_NEGOTIATION_INTEREST_H

#include "conf/condor.h"
#include "sched/negotiation/references.h"

enum root {			/* where a slot's values come from */
	ROOT_REQUIREMENTS, ROOT_RANK, ROOT_PRE, ROOT_POST, ROOT_PREEMPTION, ROOT_PREEMPTION_RANK, ROOTS
};

struct reach {
	/*
	 * attributes of the own ad on which a value depends; those that it looks for in the other
	 * one
	 */
	struct classad_names own, others;
	bool time, whether_owner, whether_user;
};

struct interest {			/* zero-initialise */
	struct references references;
	struct reach slots[ROOTS];	/* of any slot */
	/*
	 * of any job's Requirements, Rank, ConcurrencyLimits, RequestX and what slots ask for; own:
	 * all their names
	 */
	struct reach jobs;
	/*
	 * those of the slots' `others` that some job has, of all jobs as long as `others` were
	 * asked for
	 */
	struct classad_names job_names;
	size_t asked, looked;		/* names in the slots' `others`, in the jobs' */
	/* found from these by interest_settle() */
	bool by_job[ROOTS];		/* a slot's value of it depends on the job */
	struct classad_names key;	/* attributes of slots on which depends what depends on both */
	uint32_t moments;		/* of moment.h, that anybody refers to */
	uint32_t both_moments;		/* ... of those, that what depends on both refers to */
	bool claim_matters;		/* what depends on both depends on whose claim it is */
	const struct classad_expression **queue;	/* while following */
	size_t queued, capacity;
	size_t significant;		/* attributes of jobs when it was settled last */
};

struct interest_change {
	bool key;			/* slots are to be put into classes anew */
	bool significant;		/* and jobs into clusters */
};

void interest_free(struct interest *interest);
/* The expression of each root, of a slot's ad or of the configuration; NULL: there is none. */
const struct classad_expression *root_expression(const struct condor_conf *conf, enum root root,
						 const struct classad *slot);
/* Takes in what a slot's, a job's values depend on. -ENOMEM. */
int interest_slot(struct interest *interest, const struct condor_conf *conf, const struct classad *slot);
int interest_job(struct interest *interest, const struct classad *job);
/*
 * New slots look for other attributes of jobs than before: all jobs are to be asked
 * (interest_ask()).
 */
bool interest_asks(struct interest *interest);
int interest_ask(struct interest *interest, const struct classad *job);
/* The same the other way: new jobs look for other attributes of slots. */
bool interest_looks(struct interest *interest);
int interest_look(struct interest *interest, const struct classad *slot);
/*
 * "RequestX" of a job, and of what is behind it: the next one from *at, *ad on; NULL: there is no
 * more.
 */
const char *request_next(const struct classad *job, const struct classad **ad, size_t *at);
/* The attributes that `e` of `ad` depends on, added to `reach`. -ENOMEM. */
int interest_follow(struct interest *interest, const struct classad_expression *expression, const struct classad *ad,
		    struct reach *reach);
/* *change: what is another than before. -ENOMEM. */
int interest_settle(struct interest *interest, struct interest_change *change);
void reach_free(struct reach *reach);

#endif
