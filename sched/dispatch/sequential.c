/* SPDX-License-Identifier: Apache-2.0 */
/* A job of one slot: the first instance of the queue list that fits, or with soft requests the one that violates the fewest. */
#include <errno.h>

#include "sched/dispatch/dispatch.h"

static bool is_skipped(const struct search *s, uint32_t instance)
{
	return match_skips_queue(s, instance) || match_skips_host(s, s->d->cluster.instances[instance].host);
}

static bool fits(struct search *s, uint32_t instance)
{
	bool as_master;

	return match_static(s, instance, &as_master) && match_quotas(s, instance, 1) &&
	       match_object(s, LEVEL_HOST, s->d->cluster.instances[instance].host, 1) && match_object(s, LEVEL_QUEUE, instance, 1);
}

int search_sequential(struct search *s, struct grant *g)
{
	struct queue_list *list = &s->d->list;
	struct ask_pe *with = &s->ask->pes[0];
	uint32_t best = QUEUE_LIST_NONE, next;

	s->with = with;
	ranking_search(s->d, true);
	if (!match_object(s, LEVEL_GLOBAL, 0, 1))
		return -ENOENT;
	if (!with->marked)
		with->mark = queue_list_mark(list);
	with->marked = true;
	for (uint32_t i = queue_list_first(list, with->mark); i != QUEUE_LIST_NONE; i = next) {
		uint32_t violations;

		next = queue_list_next(list, i, with->mark);
		if (is_skipped(s, i))
			continue;
		if (!fits(s, i)) {
			if (with->mark != QUEUE_LIST_NONE && !is_skipped(s, i))
				queue_list_unmark(list, i, with->mark);
			continue;
		}
		violations = ask_is_soft(s->ask) ? match_violations(s, i) : 0;
		if (best == QUEUE_LIST_NONE || violations < g->violations) {
			best = i;
			g->violations = violations;
		}
		if (violations == 0)
			break;
	}
	if (best == QUEUE_LIST_NONE)
		return -ENOENT;
	g->begin = s->begin;
	return grant_add(g, best, 1, false);
}
