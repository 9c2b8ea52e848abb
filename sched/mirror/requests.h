/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of jobs: hard and soft resources, queues, a parallel environment and its slots. Jobs
 * that make the same requests in the same words share a request. Requests with the same meaning
 * share a category. The urgency of a category is computed once in a run, from its first job:
 * sge_priority(5). The requests of a job are added in the order of their names, or as typed after a
 * qalter(1) of only -p or -js. Grid Engine 8.1.9 does the same; the difference is visible in the
 * last bits only.
 */
#ifndef SCHED_MIRROR_REQUESTS_H
#define SCHED_MIRROR_REQUESTS_H

#include "conf/cell.h"
#include "conf/base/error.h"
#include "sched/mirror/ads.h"
#include "sched/mirror/pool.h"
#include "shm/strings.h"

#define REQUEST_TEXTS 13

struct request_size {		/* size as requested from Slurm */
	uint32_t nodes, cpus;	/* 0: not set */
	uint32_t time_limit;	/* minutes, NONE: the partition's */
};

struct request_key {
	union {			/* string ids, held by the request; NONE: not set */
		struct {
			uint32_t hard, soft, pe, pe_range;
			/* -q, -soft -q, -masterq */
			uint32_t hard_queues, soft_queues, master_queues;
			uint32_t ckpt;
			/*
			 * the owner's Unix group: not part of any request, but it decides access to
			 * resources, and is the same for many jobs
			 */
			uint32_t group;
			uint32_t partition, qos, tres;	/* Slurm's; see struct slurm_spec */
			/* HTCondor's: lines "Name = expression", by name, ignoring case */
			uint32_t ad;
		};
		uint32_t ids[REQUEST_TEXTS];
	};
	uint32_t now;		/* 1: -now y */
	uint32_t as_typed;	/* 1: resources are not sorted by name */
	uint32_t ar;		/* -ar; 0: none */
	struct request_size size;
};

struct request_texts {		/* the key as texts: NULL or "": not set */
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
	uint32_t slots;		/* smallest requested number, 1 when sequential */
	uint32_t assumed;	/* slots according to urgency_slots of the parallel environment */
	double rrcontr;		/* in this request's own order */
	uint64_t made;		/* unique among all requests that had this number */
	/* parsed `ad` of the key, shared by requests with the same ad; NULL: none */
	const struct classad *ad;
	uint32_t ad_id;		/* number in `ads`, held; NONE */
};

struct category_contribution {
	uint64_t run;		/* run in which rrcontr was set */
	double rrcontr;		/* contribution of the first request in the run */
};

struct requests {
	struct strings *strings;
	struct ads *ads;
	struct pool pool, categories;
	struct request_facts *facts;	/* by request */
	struct category_contribution *category;	/* by category */
	size_t facts_capacity, category_capacity;
	uint64_t made;		/* number of requests made so far */
};

/* Create the table. Both pointers are borrowed. */
void requests_create(struct requests *requests, struct strings *strings, struct ads *ads);
void requests_destroy(struct requests *requests);

/*
 * Hold a request and set its number. -EINVAL: a pe without a range, an invalid range or an invalid
 * expression of the ad; -ENOMEM; *id is then NONE.
 */
int requests_hold(struct requests *requests, const struct cell *cell, const struct request_texts *texts, uint32_t *id,
		  struct error *error);
void requests_hold_again(struct requests *requests, uint32_t id);
void requests_drop(struct requests *requests, uint32_t id);
const struct request_key *requests_key(const struct requests *requests, uint32_t id);

/*
 * Compute categories and contributions again for a new configuration. -ENOMEM: some keep the old
 * ones.
 */
int requests_reload(struct requests *requests, const struct cell *cell);

/* Return rrcontr of a job with this request in this run. */
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
