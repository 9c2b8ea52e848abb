/* SPDX-License-Identifier: Apache-2.0 */
/* What is used of which limit, one after the other: for those who show it. */
#include <math.h>

#include "conf/search.h"
#include "sched/dispatch/quota/rules.h"

static const struct rule *rule_of(const struct quotas *q, uint32_t limit)
{
	size_t at;

	lower_bound(at, q->nrules, q->rules[at].limits + q->rules[at].nlimits <= limit);
	return &q->rules[at];
}

static const char *part_of(const struct quotas *q, const struct quota_key *key, enum quota_kind kind)
{
	uint32_t part = key->part[kind];

	if (part == 0)
		return NULL;
	if (kind == QUOTA_QUEUES)
		return q->names.queues[part - 1];
	return kind == QUOTA_HOSTS ? q->names.hosts[part - 1] : q->texts.texts[part - 1];
}

/*
 * Of a dynamic limit that is not for each host by itself: what it is on the first one that was
 * asked for.
 */
static double value_of(struct quotas *q, const struct limit *limit, uint32_t host)
{
	double value = QUOTA_UNKNOWN;

	if (!limit->by_host)
		return limit->conf->value;
	if (host > 0)
		return quotas_limit_value(q, limit, host - 1);
	for (size_t h = q->names.nhosts; h-- > 0;)
		if (!isnan(limit->by_host[h]))
			value = limit->by_host[h];
	return value;
}

static struct quota_use use_of(struct quotas *q, const struct quota_counted *counted)
{
	const struct quota_key *key = &counted->key;
	const struct limit *limit = &q->limits[key->limit];
	const struct rule *rule = rule_of(q, key->limit);
	struct quota_use use = { .limit = key->limit, .set = rule->set, .rule = rule->conf, .complex = limit->complex, .text = limit->conf->text,
				 .value = value_of(q, limit, key->part[QUOTA_HOSTS]), .used = counted->count.used };

	for (int k = 0; k < QUOTA_KINDS; k++)
		use.parts[k] = part_of(q, key, (enum quota_kind)k);
	return use;
}

int quotas_each_use(struct quotas *q, quota_each *each, void *context)
{
	int rc = 0;

	for (size_t i = 0; q && rc == 0 && i < q->counts.n; i++)
		if (q->counts.items[i].count.used != 0) {
			const struct quota_use use = use_of(q, &q->counts.items[i]);

			rc = each(context, &use);
		}
	return rc;
}
