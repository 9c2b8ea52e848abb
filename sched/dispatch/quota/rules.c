/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a configuration says about quotas, laid out once: rules and limits in rows, and which rules
 * are about which queue and which host.
 */
#include "sched/dispatch/quota/rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "sched/dispatch/quota/filter.h"

static size_t rules_count(const struct cell *cell, size_t *limits)
{
	const struct quota_set *set;
	size_t n = 0, i;

	*limits = 0;
	for (set = cell->quotas; set != array_end(cell->quotas, cell->nquotas); set++) {
		for (i = 0; set->enabled && i < set->nrules; i++) {
			*limits += set->rules[i].nlimits;
			n++;
		}
	}
	return n;
}

/* What limits a complex that does not exist limits nothing. */
static void rule_limits(struct quotas *q, struct rule *rule)
{
	const struct quota_limit *conf;
	const struct complex *complex;

	rule->limits = (uint32_t)q->nlimits;
	for (conf = rule->conf->limits; conf != array_end(rule->conf->limits, rule->conf->nlimits); conf++) {
		complex = cell_complex(q->cell, conf->name);
		if (complex)
			q->limits[q->nlimits++] = (struct limit){ .conf = conf, .complex = complex };
	}
	rule->nlimits = (uint32_t)q->nlimits - rule->limits;
}

/* Whether a filter leaves anything out: none, "*" and "{*}" do not. */
static bool is_for_all(const struct quota_filter *f)
{
	return f->not_in.n == 0 && (f->in.n == 0 || (f->in.n == 1 && strcmp(f->in.items[0], "*") == 0));
}

static void rule_reach(struct rule *rule)
{
	const struct quota_filter *queues = &rule->conf->filters[QUOTA_QUEUES];
	const struct quota_filter *hosts = &rule->conf->filters[QUOTA_HOSTS];

	rule->names_queues = !is_for_all(queues);
	rule->names_hosts = !is_for_all(hosts);
	if (rule->names_queues && !rule->names_hosts && hosts->expanded)
		rule->reach = queues->expanded ? QUOTA_REACH_QUEUE : QUOTA_REACH_QUEUES;
	if (rule->names_hosts && !rule->names_queues && queues->expanded)
		rule->reach = hosts->expanded ? QUOTA_REACH_HOST : QUOTA_REACH_HOSTS;
}

static void set_rules(struct quotas *q, const struct quota_set *set)
{
	size_t begin = q->nrules, end = begin + set->nrules;
	struct rule *rule;

	for (size_t i = 0; i < set->nrules; i++) {
		rule = &q->rules[q->nrules++];
		*rule = (struct rule){ .set = set, .number = (uint32_t)q->nsets, .conf = &set->rules[i], .begin = (uint32_t)begin, .end = (uint32_t)end };
		rule_limits(q, rule);
		rule_reach(rule);
		q->reach_far |= rule->reach != QUOTA_REACH_INSTANCE;
	}
	q->nsets += set->nrules > 0;
}

static int rules_make(struct quotas *q)
{
	size_t limits, rules = rules_count(q->cell, &limits), i;

	if (rules >= UINT32_MAX || limits >= UINT32_MAX)
		return -ENOMEM;
	q->rules = calloc(rules + 1, sizeof(*q->rules));
	q->limits = calloc(limits + 1, sizeof(*q->limits));
	if (!q->rules || !q->limits)
		return -ENOMEM;
	for (i = 0; i < q->cell->nquotas; i++)
		if (q->cell->quotas[i].enabled)
			set_rules(q, &q->cell->quotas[i]);
	q->turns = calloc(q->nsets + 1, sizeof(*q->turns));
	q->places = calloc(q->nsets + 1, sizeof(*q->places));
	q->words = (q->nrules + WORD_BITS - 1) / WORD_BITS;
	return q->turns && q->places ? 0 : -ENOMEM;
}

static int dynamic_make(struct quotas *q)
{
	size_t i;

	for (i = 0; i < q->nlimits; i++)
		q->ndynamic += q->limits[i].conf->formula.n > 0;
	q->ndynamic *= q->names.nhosts;
	q->dynamic = calloc(q->ndynamic + 1, sizeof(*q->dynamic));
	if (!q->dynamic)
		return -ENOMEM;
	double *next = q->dynamic;

	for (i = 0; i < q->nlimits; i++) {
		if (q->limits[i].conf->formula.n > 0) {
			q->limits[i].by_host = next;
			next += q->names.nhosts;
		}
	}
	return 0;
}

static int queues_match(struct quotas *q)
{
	size_t r, i;

	q->queues = calloc(q->names.nqueues * q->words + 1, sizeof(*q->queues));
	if (!q->queues)
		return -ENOMEM;
	for (r = 0; r < q->nrules; r++)
		for (i = 0; i < q->names.nqueues; i++)
			if (quota_filter_has(&q->rules[r].conf->filters[QUOTA_QUEUES], q->names.queues[i]))
				bit_set(q->queues + i * q->words, r);
	return 0;
}

static int hosts_match(struct quotas *q)
{
	size_t n = q->names.nhosts, r, i;
	bool *matches = malloc(n + 1);
	struct quota_hosts hosts;
	int error = quota_hosts_create(&hosts, q->cell, q->names.hosts, n);

	q->hosts = calloc(n * q->words + 1, sizeof(*q->hosts));
	if (!q->hosts || !matches)
		error = -ENOMEM;
	for (r = 0; r < q->nrules && !error; r++) {
		quota_hosts_match(&hosts, &q->rules[r].conf->filters[QUOTA_HOSTS], matches);
		for (i = 0; i < n; i++)
			if (matches[i])
				bit_set(q->hosts + i * q->words, r);
	}
	quota_hosts_destroy(&hosts);
	free(matches);
	return error;
}

int quotas_create(struct quotas **out, const struct cell *cell, const struct quota_names *names)
{
	struct quotas *q = calloc(1, sizeof(*q));
	int error = -ENOMEM;

	*out = NULL;
	if (!q)
		return error;
	q->cell = cell;
	q->names = *names;
	error = rules_make(q);
	error = error ? error : dynamic_make(q);
	error = error ? error : queues_match(q);
	error = error ? error : hosts_match(q);
	if (error)
		quotas_destroy(q);
	else
		*out = q;
	return error;
}
