/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A job of one slot: the first instance of the queue list that fits, or with soft requests the one
 * that violates the fewest.
 *
 * Grid Engine asks quotas before all else, even about instances that the job may not use or that
 * are full, and when one has nothing left there, more may be out of question than that instance
 * (quota.h). So the order of checks can be seen, and what is asked about at all: nothing on a host
 * that failed as a whole, not by another job of the category either; no more of a cluster queue
 * that did, in this search.
 */
#include <errno.h>

#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/search/parallel.h"
#include "sched/dispatch/search/tag.h"

static bool is_skipped(const struct search *s, uint32_t instance)
{
	return match_skips_queue(s, instance) || match_skips_host(s, s->d->cluster.instances[instance].host);
}

/* Its category does not look at it again in this run. */
static bool forget(struct search *s, uint32_t instance)
{
	if (s->with->mark != QUEUE_LIST_NONE)
		queue_list_unmark(&s->d->list, instance, s->with->mark);
	return false;
}

static bool forget_host(struct search *s, uint32_t host)
{
	const struct cluster *c = &s->d->cluster;

	for (uint32_t i = c->hosts[host].first_instance; i != UINT32_MAX; i = c->instances[i].next_on_host)
		forget(s, i);
	return match_skip_host(s, host);
}

static bool fits(struct search *s, uint32_t instance)
{
	const struct queue_instance *i = &s->d->cluster.instances[instance];
	bool far = quotas_reach_far(s->d->quotas), as_master;

	s->failed = NULL;
	if (!match_quotas(s, instance, 1))
		return far ? false : forget(s, instance);
	if ((far || s->category->advance) && !parallel_queue_counts(s, instance, 1))
		return match_skip_queue(s, i->queue);
	if (!match_host(s, i->host))
		return forget_host(s, i->host);
	if (!match_static(s, instance, &as_master) || !match_has_forced(s, instance))
		return forget(s, instance);
	if (!match_object(s, LEVEL_HOST, i->host, 1))
		return forget_host(s, i->host);
	return match_object(s, LEVEL_QUEUE, instance, 1) || forget(s, instance);
}

/* Without a mark of its own the category shares what it has in common with others. */
static bool may_sift(const struct search *s)
{
	return s->with->mark == QUEUE_LIST_NONE && !s->category->ar && !quotas_reach_far(s->d->quotas);
}

int search_sequential(struct search *s, struct grant *g)
{
	struct queue_list *list = &s->d->list;
	struct category_pe *with = &s->category->pes[0];
	uint32_t best = QUEUE_LIST_NONE, mark;
	bool sifts;

	s->with = with;
	ranking_number(s->d, false);
	ranking_search(s->d, true);
	if (!match_object(s, LEVEL_GLOBAL, 0, 1))
		return -ENOENT;
	category_mark(s->d, with);
	sifts = may_sift(s);
	mark = sifts ? sieve_first(s) : with->mark;
	for (uint32_t i = queue_list_first(list, mark); i != QUEUE_LIST_NONE; i = queue_list_next(list, i, mark)) {
		uint32_t violations;

		if (is_skipped(s, i) || !fits(s, i)) {
			mark = sifts && s->failed ? sieve_failed(s, s->failed, mark) : mark;
			continue;
		}
		violations = category_is_soft(s->category) ? match_violations(s, i) : 0;
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

int search_in_vain(struct search *s)
{
	if (s->category->ckpt && !cell_checkpoint(s->d->cell, s->category->ckpt))
		return 0;
	ranking_number(s->d, false);
	if (s->category->pe)
		tags_reset(s->d);
	else
		ranking_search(s->d, true);
	return 0;
}
