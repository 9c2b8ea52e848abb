/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes that matter. Slots with equal values of these attributes are one class; for jobs they
 * are the significant attributes of HTCondor's autoclusters. They are collected from the
 * expressions of the configuration, of slots and of jobs, as these arrive. The set only grows.
 */
#ifndef SCHED_NEGOTIATION_INTEREST_H
#define SCHED_NEGOTIATION_INTEREST_H

#include "conf/condor.h"
#include "sched/negotiation/references.h"

enum root {			/* sources of a slot's values */
	ROOT_REQUIREMENTS, ROOT_RANK, ROOT_PRE, ROOT_POST, ROOT_PREEMPTION, ROOT_PREEMPTION_RANK, ROOTS
};

struct reach {
	/* Attributes of the own ad on which a value depends; those read from the other ad. */
	struct classad_names own, others;
	bool time, any, whether_owner, whether_user;	/* any: see struct classad_reads */
};

struct interest {			/* zero-initialise */
	struct references references;
	struct reach slots[ROOTS];	/* for all slots */
	/*
	 * For all jobs: Requirements, Rank, ConcurrencyLimits, RequestX and the attributes that
	 * slots read; own: all their names.
	 */
	struct reach jobs;
	/* Names in the slots' `others` that some job has or has had since they were read. */
	struct classad_names job_names;
	/* number of names in the slots' `others`, and in the jobs', each `any` counted as one */
	size_t asked, looked;
	/* Computed from the above by interest_settle() */
	bool by_job[ROOTS];		/* a slot's value depends on the job */
	/* attributes of slots on which values of both job and slot depend */
	struct classad_names key;
	uint32_t moments;		/* bits of moment.h to which any expression refers */
	uint32_t both_moments;		/* bits to which values of both job and slot refer */
	/* values of both job and slot depend on the owner of the claim */
	bool claim_matters;
	const struct classad_expression **queue;	/* expressions still to be followed */
	size_t queued, capacity;
	/* number of significant attributes when it was last settled */
	size_t significant;
};

struct interest_change {
	bool key;			/* slots must be classified again */
	bool significant;		/* jobs must be clustered again */
};

void interest_free(struct interest *interest);
/* Add the attributes on which the values of a slot or a job depend. -ENOMEM. */
int interest_slot(struct interest *interest, const struct condor_conf *conf, const struct classad *slot);
int interest_job(struct interest *interest, const struct classad *job);
/*
 * Return whether new slots read attributes of jobs that were not read before. Then interest_ask()
 * is necessary for all jobs.
 */
bool interest_asks(struct interest *interest);
int interest_ask(struct interest *interest, const struct classad *job);
/*
 * Return whether new jobs read attributes of slots that were not read before. Then interest_look()
 * is necessary for all slots.
 */
bool interest_looks(struct interest *interest);
int interest_look(struct interest *interest, const struct classad *slot);
/* Return the next "RequestX" of a job and its base ads, from *at and *ad on; NULL: no more. */
const char *request_next(const struct classad *job, const struct classad **ad, size_t *at);
/* Add the attributes on which an expression of `ad` depends to `reach`. -ENOMEM. */
int interest_follow(struct interest *interest, const struct classad_expression *expression, const struct classad *ad,
		    struct reach *reach);
/* Compute the sets and set *change to what has changed. -ENOMEM. */
int interest_settle(struct interest *interest, struct interest_change *change);
void reach_free(struct reach *reach);

#endif
