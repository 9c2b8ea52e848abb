/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Build the tables of quotas from a configuration, once: rules and limits in arrays, and which
 * rules apply to which queue and which host.
 */
#include "sched/dispatch/quota/rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
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

/* Add the limits of a rule. A limit on a complex that does not exist has no effect. */
static void rule_limits(struct quotas *quotas, struct rule *rule)
{
	const struct quota_limit *conf;
	const struct complex *complex;

	rule->limits = (uint32_t)quotas->nlimits;
	for (conf = rule->conf->limits; conf != array_end(rule->conf->limits, rule->conf->nlimits); conf++) {
		complex = cell_complex(quotas->cell, conf->name);
		if (complex)
			quotas->limits[quotas->nlimits++] = (struct limit){ .conf = conf, .complex = complex };
	}
	rule->nlimits = (uint32_t)quotas->nlimits - rule->limits;
}

/* Return whether a filter matches everything. An absent filter, "*" and "{*}" do. */
static bool is_for_all(const struct quota_filter *filter)
{
	return filter->not_in.n == 0 &&
	       (filter->in.n == 0 || (filter->in.n == 1 && strcmp(filter->in.items[0], "*") == 0));
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

static void set_rules(struct quotas *quotas, const struct quota_set *set)
{
	size_t begin = quotas->nrules, end = begin + set->nrules;
	struct rule *rule;

	for (size_t i = 0; i < set->nrules; i++) {
		rule = &quotas->rules[quotas->nrules++];
		*rule = (struct rule){ .set = set,
				       .number = (uint32_t)quotas->nsets,
				       .conf = &set->rules[i],
				       .begin = (uint32_t)begin,
				       .end = (uint32_t)end };
		rule_limits(quotas, rule);
		rule_reach(rule);
		quotas->reach_far |= rule->reach != QUOTA_REACH_INSTANCE;
	}
	quotas->nsets += set->nrules > 0;
}

static int rules_make(struct quotas *quotas)
{
	size_t limits, rules = rules_count(quotas->cell, &limits), i;

	if (rules >= UINT32_MAX || limits >= UINT32_MAX)
		return -ENOMEM;
	quotas->rules = calloc(rules + 1, sizeof(*quotas->rules));
	quotas->limits = calloc(limits + 1, sizeof(*quotas->limits));
	if (!quotas->rules || !quotas->limits)
		return -ENOMEM;
	for (i = 0; i < quotas->cell->nquotas; i++)
		if (quotas->cell->quotas[i].enabled)
			set_rules(quotas, &quotas->cell->quotas[i]);
	quotas->turns = calloc(quotas->nsets + 1, sizeof(*quotas->turns));
	quotas->places = calloc(quotas->nsets + 1, sizeof(*quotas->places));
	quotas->words = (quotas->nrules + WORD_BITS - 1) / WORD_BITS;
	return quotas->turns && quotas->places ? 0 : -ENOMEM;
}

static int dynamic_make(struct quotas *quotas)
{
	size_t i;

	for (i = 0; i < quotas->nlimits; i++)
		quotas->ndynamic += quotas->limits[i].conf->formula.n > 0;
	quotas->ndynamic *= quotas->names.nhosts;
	quotas->dynamic = calloc(quotas->ndynamic + 1, sizeof(*quotas->dynamic));
	if (!quotas->dynamic)
		return -ENOMEM;
	double *next = quotas->dynamic;

	for (i = 0; i < quotas->nlimits; i++) {
		if (quotas->limits[i].conf->formula.n > 0) {
			quotas->limits[i].by_host = next;
			next += quotas->names.nhosts;
		}
	}
	return 0;
}

static int queues_match(struct quotas *quotas)
{
	size_t r, i;

	quotas->queues = calloc(quotas->names.nqueues * quotas->words + 1, sizeof(*quotas->queues));
	if (!quotas->queues)
		return -ENOMEM;
	for (r = 0; r < quotas->nrules; r++)
		for (i = 0; i < quotas->names.nqueues; i++)
			if (quota_filter_has(&quotas->rules[r].conf->filters[QUOTA_QUEUES], quotas->names.queues[i]))
				bit_set(quotas->queues + i * quotas->words, r);
	return 0;
}

static int hosts_match(struct quotas *quotas)
{
	size_t n = quotas->names.nhosts, r, i;
	bool *matches = malloc(n + 1);
	struct quota_hosts hosts;
	int error = quota_hosts_create(&hosts, quotas->cell, quotas->names.hosts, n);

	quotas->hosts = calloc(n * quotas->words + 1, sizeof(*quotas->hosts));
	if (!quotas->hosts || !matches)
		error = -ENOMEM;
	for (r = 0; r < quotas->nrules && !error; r++) {
		quota_hosts_match(&hosts, &quotas->rules[r].conf->filters[QUOTA_HOSTS], matches);
		for (i = 0; i < n; i++)
			if (matches[i])
				bit_set(quotas->hosts + i * quotas->words, r);
	}
	quota_hosts_destroy(&hosts);
	free(matches);
	return error;
}

int quotas_create(struct quotas **out, const struct cell *cell, const struct quota_names *names)
{
	struct quotas *quotas = calloc(1, sizeof(*quotas));
	int error = -ENOMEM;

	*out = NULL;
	if (!quotas)
		return error;
	quotas->cell = cell;
	quotas->names = *names;
	error = rules_make(quotas);
	error = error ? error : dynamic_make(quotas);
	error = error ? error : queues_match(quotas);
	error = error ? error : hosts_match(quotas);
	if (error)
		quotas_destroy(quotas);
	else
		*out = quotas;
	return error;
}
