/* SPDX-License-Identifier: Apache-2.0 */
/* List the usage of each limit, for display. */
#include <math.h>

#include "conf/base/search.h"
#include "sched/dispatch/quota/rules.h"

static const struct rule *rule_of(const struct quotas *quotas, uint32_t limit)
{
	size_t at;

	lower_bound(at, quotas->nrules, quotas->rules[at].limits + quotas->rules[at].nlimits <= limit);
	return &quotas->rules[at];
}

static const char *part_of(const struct quotas *quotas, const struct quota_key *key, enum quota_kind kind)
{
	uint32_t part = key->part[kind];

	if (part == 0)
		return NULL;
	if (kind == QUOTA_QUEUES)
		return quotas->names.queues[part - 1];
	return kind == QUOTA_HOSTS ? quotas->names.hosts[part - 1] : quotas->texts.texts[part - 1];
}

/*
 * Return the value of a limit. For a dynamic limit that is not counted per host: the value on the
 * first host for which it was computed.
 */
static double value_of(struct quotas *quotas, const struct limit *limit, uint32_t host)
{
	double value = QUOTA_UNKNOWN;

	if (!limit->by_host)
		return limit->conf->value;
	if (host > 0)
		return quotas_limit_value(quotas, limit, host - 1);
	for (size_t h = quotas->names.nhosts; h-- > 0;)
		if (!isnan(limit->by_host[h]))
			value = limit->by_host[h];
	return value;
}

static struct quota_use use_of(struct quotas *quotas, const struct quota_counted *counted)
{
	const struct quota_key *key = &counted->key;
	const struct limit *limit = &quotas->limits[key->limit];
	const struct rule *rule = rule_of(quotas, key->limit);
	struct quota_use use = { .limit = key->limit,
				 .set = rule->set,
				 .rule = rule->conf,
				 .complex = limit->complex,
				 .text = limit->conf->text,
				 .value = value_of(quotas, limit, key->part[QUOTA_HOSTS]),
				 .used = counted->count.used };

	for (int k = 0; k < QUOTA_KINDS; k++)
		use.parts[k] = part_of(quotas, key, (enum quota_kind)k);
	return use;
}

int quotas_each_use(struct quotas *quotas, quota_each *each, void *context)
{
	int rc = 0;

	for (size_t i = 0; quotas && rc == 0 && i < quotas->counts.n; i++)
		if (quotas->counts.items[i].count.used != 0) {
			const struct quota_use use = use_of(quotas, &quotas->counts.items[i]);

			rc = each(context, &use);
		}
	return rc;
}
