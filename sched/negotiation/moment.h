/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes that are valid during a cycle: for a claimed slot the owner of the claim, for a job
 * its submitter. Source: HTCondor's manual, "PREEMPTION_REQUIREMENTS".
 */
#ifndef SCHED_NEGOTIATION_MOMENT_H
#define SCHED_NEGOTIATION_MOMENT_H

#include "conf/classad/classad.h"

struct negotiator;
struct slot;
struct submitter_visit;

enum moment { /* first the attributes of slots, then of jobs */
	      MOMENT_REMOTE_USER,
	      MOMENT_REMOTE_OWNER,
	      MOMENT_ACCOUNTING_GROUP,
	      MOMENT_REMOTE_PRIO,
	      MOMENT_REMOTE_FLOOR,
	      MOMENT_REMOTE_USED,
	      MOMENT_REMOTE_GROUP,
	      MOMENT_REMOTE_GROUP_USED,
	      MOMENT_REMOTE_GROUP_QUOTA,
	      MOMENT_REMOTE_NEGOTIATING,
	      MOMENT_REMOTE_AUTOREGROUP,
	      MOMENT_CURRENT_RANK,
	      MOMENT_STATE,
	      MOMENT_ACTIVITY,
	      MOMENT_ENTERED_STATE,
	      MOMENT_ENTERED_ACTIVITY,
	      MOMENT_JOB_START,
	      MOMENT_JOB_RUN_TIME,
	      MOMENT_CLAIM_RUN_TIME,
	      MOMENT_CLAIMED_BUSY,
	      MOMENT_OTHER_SLOTS,
	      MOMENT_USER_PRIO,
	      MOMENT_OLD_PRIO,
	      MOMENT_USED,
	      MOMENT_GROUP,
	      MOMENT_GROUP_USED,
	      MOMENT_GROUP_QUOTA,
	      MOMENT_NEGOTIATING,
	      MOMENT_AUTOREGROUP,
	      MOMENTS
};
#define MOMENTS_OF_JOBS (UINT32_MAX << MOMENT_USER_PRIO)
#define MOMENTS_OF_SLOTS (~MOMENTS_OF_JOBS)
#define MOMENTS_OF_TIME (1u << MOMENT_ACTIVITY | 1u << MOMENT_ENTERED_STATE | 1u << MOMENT_ENTERED_ACTIVITY | \
			 1u << MOMENT_JOB_START | 1u << MOMENT_JOB_RUN_TIME | 1u << MOMENT_CLAIM_RUN_TIME | \
			 1u << MOMENT_CLAIMED_BUSY)
/* attributes that a match changes */
#define MOMENTS_OF_USE (1u << MOMENT_REMOTE_USED | 1u << MOMENT_REMOTE_GROUP_USED | 1u << MOMENT_USED | \
			1u << MOMENT_GROUP_USED | 1u << MOMENT_OTHER_SLOTS)

/*
 * Set the attributes in `wanted` that a machine has of a claim: its owner, its state, and its times
 * as of `now`. -ENOMEM.
 */
int moment_describe_claim(struct classad *ad, const struct slot *slot, const char *user, int64_t now, uint32_t wanted);

/* Return the bit of an attribute; 0: the name is none of these attributes. */
uint32_t moment_of(const char *name);

/* Ads of a thread that evaluates; zero-initialise. */
struct moment_ads {
	struct classad *free, *claim, *job;
	struct classad *whole;		/* a partitionable slot with all of its resources */
	struct classad_room room;
	uint32_t described;		/* slot that `claim` describes; UINT32_MAX */
};

int moment_ads_create(struct moment_ads *ads);
void moment_ads_free(struct moment_ads *ads);
/*
 * Return the ad of a slot as the cycle sees it: a free slot with this ad, or a claimed slot. `slot`
 * NONE: any slot that has the ad.
 */
const struct classad *moment_free(struct negotiator *negotiator, uint32_t slot, const struct classad *ad);
const struct classad *moment_claim(struct negotiator *negotiator, uint32_t slot);
/* Set the attributes of a visit's requests. Then return a request's ad with them. */
void moment_submitter(struct negotiator *negotiator, const struct submitter_visit *visit);
const struct classad *moment_job(struct negotiator *negotiator, const struct classad *ad);

#endif
