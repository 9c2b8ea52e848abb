/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What jobs ask for: hard and soft resources, queues, a parallel environment and its slots. Jobs
 * that ask for the same in the same words share a request; requests that mean the same share a
 * category, whose urgency is computed once a run, from the first job met: sge_priority(5). The
 * requests of a job are added in the order of their names, or as typed after a qalter(1) of only -p
 * or -js, which is how Grid Engine 8.1.9 does it; it shows in last bits only.
 */
#ifndef SCHED_MIRROR_REQUESTS_H
#define SCHED_MIRROR_REQUESTS_H

#include "conf/cell.h"
#include "conf/error.h"
#include "sched/mirror/ads.h"
#include "sched/mirror/pool.h"
#include "shm/strings.h"

#define REQUEST_TEXTS 13

struct request_size {		/* as Slurm asks for it */
	uint32_t nodes, cpus;	/* 0: not said */
	uint32_t time_limit;	/* minutes, NONE: the partition's */
};

struct request_key {
	union {			/* string ids, held by the request; NONE = none */
		struct {
			uint32_t hard, soft, pe, pe_range;
			/* -q, -soft -q, -masterq */
			uint32_t hard_queues, soft_queues, master_queues;
			uint32_t ckpt;
			/*
			 * the owner's Unix group: asked by nobody, but it decides what he gets, and
			 * is alike for many jobs
			 */
			uint32_t group;
			uint32_t partition, qos, tres;	/* Slurm's; see struct slurm_spec */
			/* HTCondor's: lines "Name = expression", by name without case */
			uint32_t ad;
		};
		uint32_t ids[REQUEST_TEXTS];
	};
	uint32_t now;		/* 1: -now y */
	uint32_t as_typed;	/* 1: resources are not sorted by name */
	uint32_t ar;		/* -ar; 0: none */
	struct request_size size;
};

struct request_texts {		/* the same in words: NULL or "" = none */
	union {
		struct {
			const char *hard, *soft, *pe, *pe_range, *hard_queues, *soft_queues, *master_queues, *ckpt,
				*group, *partition, *qos, *tres, *ad;
		};
		const char *texts[REQUEST_TEXTS];
	};
	bool now, as_typed;
	uint32_t ar;
	struct request_size size;
};

struct request_facts {
	uint32_t category;
	uint32_t slots;		/* smallest number asked for, 1 when sequential */
	uint32_t assumed;	/* what urgency_slots of the parallel environment makes of it */
	double rrcontr;		/* in this request's own order */
	uint64_t made;		/* differs from that of every other request that had this number */
	/* what `ad` of the key says, shared with other requests that say the same; NULL: nothing */
	const struct classad *ad;
	uint32_t ad_id;		/* number in `ads`, held; NONE */
};

struct category_contribution {
	uint64_t run;		/* of rrcontr */
	double rrcontr;		/* of the request met first */
};

struct requests {
	struct strings *strings;
	struct ads *ads;
	struct pool pool, categories;
	struct request_facts *facts;	/* by request */
	struct category_contribution *category;	/* by category */
	size_t facts_capacity, category_capacity;
	uint64_t made;		/* so many */
};

void requests_create(struct requests *requests, struct strings *strings, struct ads *ads);	/* both borrowed */
void requests_destroy(struct requests *requests);

/*
 * The number of a request, held once more. -EINVAL: a pe without a range or one that can't be read,
 * an expression of the ad that can't be; -ENOMEM; *id is NONE then.
 */
int requests_hold(struct requests *requests, const struct cell *cell, const struct request_texts *texts, uint32_t *id,
		  struct error *error);
void requests_hold_again(struct requests *requests, uint32_t id);
void requests_drop(struct requests *requests, uint32_t id);
const struct request_key *requests_key(const struct requests *requests, uint32_t id);

/*
 * A new configuration: work out categories and contributions again. -ENOMEM: some keep the old
 * ones.
 */
int requests_reload(struct requests *requests, const struct cell *cell);

/* rrcontr of a job with this request in this run. */
static inline double requests_rrcontr(struct requests *requests, uint32_t id, uint64_t run)
{
	struct category_contribution *contribution = &requests->category[requests->facts[id].category];

	if (contribution->run != run) {
		contribution->run = run;
		contribution->rrcontr = requests->facts[id].rrcontr;
	}
	return contribution->rrcontr;
}

#endif
