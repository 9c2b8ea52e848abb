/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules and limits of all enabled sets. rules.c builds them and quota.c reads them; private to
 * this directory.
 */
#ifndef SCHED_DISPATCH_QUOTA_RULES_H
#define SCHED_DISPATCH_QUOTA_RULES_H

#include "conf/base/text_set.h"
#include "sched/dispatch/quota/count.h"

#define WORD_BITS 64

struct limit {
	const struct quota_limit *conf;
	const struct complex *complex;
	/* values of a dynamic limit; NAN: not computed yet. NULL: static */
	double *by_host;
};

struct rule {
	const struct quota_set *set;
	uint32_t number;		/* number of the set among the enabled sets */
	const struct quota_rule *conf;
	/* first rule of its set, and the first rule after the set */
	uint32_t begin, end;
	uint32_t limits, nlimits;	/* index of the first limit, and their number */
	enum quota_reach reach;		/* unless an earlier rule matters */
	bool names_queues, names_hosts;	/* the filter does not match all of them */
};

struct set_turn {
	/* start of the last task that counts in the set; nth 0: none */
	struct quota_turn last;
	uint32_t number;		/* number of the set */
};

struct quotas {
	const struct cell *cell;
	struct quota_names names;
	struct rule *rules;
	size_t nrules, nsets;
	struct set_turn *turns;		/* order of the sets, by quotas_order() */
	uint32_t *places;		/* positions of the sets in the list of this run */
	bool moved;			/* the list is not in the order of the file */
	bool reach_far;
	struct limit *limits;
	size_t nlimits;
	double *dynamic;		/* memory of the by_host arrays */
	size_t ndynamic;
	size_t words;			/* words in a row of bits */
	uint64_t *queues, *hosts;	/* rows of bits */
	struct quota_counts counts;
	struct text_set texts;		/* names of users, projects and PEs */
	quota_host_value *value;
	void *context;
};

/*
 * order.c. quotas_order_clear(): restore the order of the file. quotas_order_hits(): sort rules
 * that count by the order of their sets.
 */
void quotas_order_clear(struct quotas *quotas);
void quotas_order_hits(const struct quotas *quotas, uint32_t *hits, size_t n);

/* quota.c: Return the value of a limit on a host now. */
double quotas_limit_value(struct quotas *quotas, const struct limit *limit, uint32_t host);

static inline void bit_set(uint64_t *row, size_t bit)
{
	row[bit / WORD_BITS] |= UINT64_C(1) << bit % WORD_BITS;
}

#endif
