/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules and limits of all enabled sets, as quota_rules.c lays them out and quota.c looks them
 * up: nobody else needs them.
 */
#ifndef SCHED_DISPATCH_QUOTA_RULES_H
#define SCHED_DISPATCH_QUOTA_RULES_H

#include "conf/text_set.h"
#include "sched/dispatch/quota/count.h"

#define WORD_BITS 64

struct limit {
	const struct quota_limit *conf;
	const struct complex *complex;
	double *by_host;		/* of a dynamic one; NAN: not computed yet. NULL: static */
};

struct rule {
	const struct quota_set *set;
	uint32_t number;		/* of the set, among those that are enabled */
	const struct quota_rule *conf;
	uint32_t begin, end;		/* the first rule of its set, and the first one behind it */
	uint32_t limits, nlimits;	/* the first one, and how many */
	enum quota_reach reach;		/* unless an earlier rule has a say */
	bool names_queues, names_hosts;	/* it is not about all of them */
};

struct set_turn {
	struct quota_turn last;		/* of a task that counts in it; nth 0: none does */
	uint32_t number;		/* of the set */
};

struct quotas {
	const struct cell *cell;
	struct quota_names names;
	struct rule *rules;
	size_t nrules, nsets;
	struct set_turn *turns;		/* of sets */
	uint32_t *places;		/* of sets in their list, in this run */
	bool moved;			/* the list is not in the order of the file */
	bool reach_far;
	struct limit *limits;
	size_t nlimits;
	double *dynamic;		/* all values of limits by host */
	size_t ndynamic;
	size_t words;			/* of a row of bits */
	uint64_t *queues, *hosts;	/* rows of bits */
	struct quota_counts counts;
	struct text_set texts;		/* names of users, projects and PEs */
	quota_host_value *value;
	void *context;
};

/* order.c: as in the file; and those that count, in the order of their sets. */
void quotas_order_clear(struct quotas *quotas);
void quotas_order_hits(const struct quotas *quotas, uint32_t *hits, size_t n);

/* quota.c: of a limit on a host, now. */
double quotas_limit_value(struct quotas *quotas, const struct limit *limit, uint32_t host);

static inline void bit_set(uint64_t *row, size_t bit)
{
	row[bit / WORD_BITS] |= UINT64_C(1) << bit % WORD_BITS;
}

#endif
