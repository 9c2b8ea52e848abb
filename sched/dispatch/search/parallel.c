/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A parallel job: sge_pe(5), allocation_rule. One attempt is for one PE and one number of slots:
 * hosts are visited in the order in which the queue list meets them, and each gives slots from its
 * instances, in the order of that list.
 *
 *   a number, $pe_slots    exactly so many on each host that takes part
 *   $fill_up               as many as there are, host by host
 *   $round_robin           one a host and round, until a round brings nothing
 *
 * The master queue: as long as there is none, an instance that can't be it leaves the last slot to
 * others. On the host that provides it each new instance that could be it goes to the head of the
 * list, so the last one of them is it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/dispatch/search/attempt.h"
#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/search/parallel.h"
#include "sched/dispatch/reserve/host_capacity.h"
#include "sched/dispatch/search/tag.h"

int parallel_create(struct dispatch *d)
{
	d->parallel = calloc(1, sizeof(*d->parallel));
	return d->parallel ? 0 : -ENOMEM;
}

void parallel_free(struct dispatch *d)
{
	if (!d->parallel)
		return;
	free(d->parallel->visits);
	free(d->parallel->places);
	free(d->parallel->violations);
	free(d->parallel);
	d->parallel = NULL;
}

/* Taking */

/*
 * How many slots a place can give of `due` on its host: never the last one of all if a master is
 * still to be found elsewhere.
 */
static uint32_t place_share(struct host_attempt *a, const struct tried_instance *place, uint32_t due, uint32_t taken, bool master_here)
{
	uint32_t slots = due < place->left ? due : place->left;

	if (place->master_only && !a->has_master && slots > 1)
		slots = 1;
	if (!a->has_master && !master_here && !place->is_master && slots > 0 && a->found + taken + slots == a->wanted)
		slots--;
	return slots ? match_quotas(a->s, place->instance, slots) : 0;
}

static void give_back(struct host_attempt *a, const struct visit *v, const uint32_t *taken)
{
	for (uint32_t k = 0; k < v->n; k++)
		if (taken[k])
			quota_take(a->s, a->p->places[v->first + k].instance, taken[k], QUOTA_GIVE_BACK);
}

/* 8.1.9 forgets what earlier rounds have taken when it adds up what there will be at the end of all bookings. */
static bool counts_rounds(const struct host_attempt *a)
{
	return !a->s->by_the_way || a->s->d->cell->pes[a->s->with->pe].rule != RULE_ROUND_ROBIN;
}

static int keep(struct host_attempt *a, struct visit *v, const uint32_t *taken, uint32_t sum)
{
	bool brings_master = false;

	for (uint32_t k = 0; k < v->n; k++)
		if (taken[k])
			brings_master |= a->p->places[v->first + k].is_master;
	for (uint32_t k = 0; k < v->n; k++) {
		struct tried_instance *place = &a->p->places[v->first + k];

		if (!taken[k])
			continue;
		place->left -= counts_rounds(a) ? taken[k] : 0;
		if (grant_add(a->grant, place->instance, taken[k], !a->has_master && place->is_master))
			return -ENOMEM;
	}
	v->left -= counts_rounds(a) ? sum : 0;
	a->found += sum;
	a->has_master |= brings_master;
	return 0;
}

/* One host's turn. 1: it gave something, 0: nothing, -ENOMEM. */
static int host_take(struct host_attempt *a, struct visit *v, uint32_t due)
{
	uint32_t *taken = calloc(v->n + 1, sizeof(*taken)), sum = 0;
	bool master_here = false;
	int rc = 0;

	if (!taken)
		return -ENOMEM;
	for (uint32_t k = 0; k < v->n && sum < due && rc == 0; k++) {
		const struct tried_instance *place = &a->p->places[v->first + k];

		taken[k] = place_share(a, place, due - sum, sum, master_here);
		master_here |= taken[k] && place->is_master;
		if (taken[k])
			rc = quota_take(a->s, place->instance, taken[k], QUOTA_TAKE);
		sum += taken[k];
	}
	if (rc == 0 && sum >= a->least)
		rc = keep(a, v, taken, sum) ? -ENOMEM : 1;
	else
		give_back(a, v, taken);
	free(taken);
	return rc;
}

/* Rounds */

static uint32_t due_of(const struct host_attempt *a, const struct pe *pe, const struct visit *v)
{
	uint32_t missing = a->wanted - a->found;

	switch (pe->rule) {
	case RULE_FILL_UP:
		return missing < v->left ? missing : v->left;
	case RULE_ROUND_ROBIN:
		return 1;
	default:
		return a->least;
	}
}

static bool done(const struct host_attempt *a)
{
	return a->found == a->wanted && a->has_master;
}

static int visit_take(struct host_attempt *a, const struct pe *pe, struct visit *v)
{
	if (match_skips_host(a->s, v->host))
		return 0;
	visit_look(a, v);
	if (v->left < a->least || v->n == 0 || a->found == a->wanted)
		return 0;
	return host_take(a, v, due_of(a, pe, v));
}

/* What a search for this moment has learnt says nothing about another one. */
static uint32_t mark_of(const struct search *s)
{
	return s->later ? QUEUE_LIST_NONE : s->with->mark;
}

/* What it has configured is another question for one slot than for several. */
enum { QUEUE_KNOWN = 1, QUEUE_ADMITS = 2, QUEUE_FOR_ONE = 4, QUEUE_FOR_SEVERAL = 8 };

static unsigned queue_look(struct search *s, uint32_t instance)
{
	uint32_t queue = s->d->cluster.instances[instance].queue;
	unsigned char *known = &s->with->queues[queue];

	if (*known == 0)
		*known = (unsigned char)(QUEUE_KNOWN | (match_queue_admits(s, queue) ? QUEUE_ADMITS : 0) |
					 (match_queue_configured(s, queue, 1) ? QUEUE_FOR_ONE : 0) |
					 (match_queue_configured(s, queue, 2) ? QUEUE_FOR_SEVERAL : 0));
	return *known;
}

bool parallel_queue_counts(struct search *s, uint32_t instance, uint32_t slots)
{
	unsigned known = queue_look(s, instance);

	return known & QUEUE_ADMITS && known & (slots == 1 ? QUEUE_FOR_ONE : QUEUE_FOR_SEVERAL);
}

bool parallel_queue_admits(struct search *s, uint32_t instance)
{
	return queue_look(s, instance) & QUEUE_ADMITS;
}

/*
 * Hosts without room at that time can be passed by, unless they are to be tagged, or quotas are to
 * be asked about them for what that puts out of question.
 */
static bool passes_by(const struct host_attempt *a, uint32_t host)
{
	return a->s->later && !visit_tags(a->s) && !quotas_reach_far(a->s->d->quotas) && !host_may_have_room(a->s, host);
}

/* An instance is met whose host may not have had its turn yet. */
static int host_meet(struct host_attempt *a, const struct pe *pe, uint32_t instance)
{
	uint32_t h = a->s->d->cluster.instances[instance].host;
	struct exec_host *host = &a->s->d->cluster.hosts[h];
	int rc;

	if (host->stamp == a->p->stamp || rule_out_has(a->s, h) || passes_by(a, h) || !parallel_queue_counts(a->s, instance, a->wanted))
		return 0;
	host->stamp = a->p->stamp;
	rc = visit_host(a, h);
	if (rc == 0)
		rc = visit_take(a, pe, &a->p->visits[a->p->nvisits - 1]);
	return rc == 0 && a->s->rules_out ? rule_out_host(a->s, h, a->wanted) : rc;
}

/* The first round goes as far along the queue list as it must. */
static int first_round(struct host_attempt *a, const struct pe *pe)
{
	const struct queue_list *list = &a->s->d->list;
	uint32_t mark = mark_of(a->s), next;
	int rc = 0;

	for (uint32_t i = queue_list_first(list, mark); i != QUEUE_LIST_NONE && !done(a) && rc >= 0; i = next) {
		rc = host_meet(a, pe, i);
		next = queue_list_next(list, i, mark);
	}
	return rc;
}

/* Hosts without an instance in question give nothing, but are tagged by what they say themselves. */
static void visit_others(struct host_attempt *a)
{
	const struct cluster *c = &a->s->d->cluster;

	for (uint32_t h = 0; h < c->nhosts; h++)
		if (c->hosts[h].stamp != a->p->stamp && !rule_out_has(a->s, h) && !match_skips_host(a->s, h))
			tag_host(a->s, h, 1, true);
}

/* The same, if few hosts may have room at that time: the others are not even passed by. */
static int short_round(struct host_attempt *a, const struct pe *pe)
{
	const struct cluster *c = &a->s->d->cluster;
	uint32_t *instances = a->s->d->touched;
	size_t n = 0;
	int rc = 0;

	for (uint32_t h = 0; h < c->nhosts; h++)
		for (uint32_t i = host_may_have_room(a->s, h) ? c->hosts[h].first_instance : UINT32_MAX; i != UINT32_MAX; i = c->instances[i].next_on_host)
			if (queue_list_has(&a->s->d->list, i))
				instances[n++] = i;
	ranking_order(a->s->d, instances, n);
	for (size_t k = 0; k < n && !done(a) && rc >= 0; k++)
		rc = host_meet(a, pe, instances[k]);
	return rc;
}

static int more_rounds(struct host_attempt *a, const struct pe *pe)
{
	bool any = true;

	while (any && !done(a)) {
		any = false;
		for (size_t v = 0; v < a->p->nvisits && !done(a); v++) {
			int rc = visit_take(a, pe, &a->p->visits[v]);

			if (rc < 0)
				return rc;
			any |= rc > 0;
		}
	}
	return 0;
}

static uint32_t violations_of(const struct parallel *p, const struct grant *g)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < g->n; i++)
		sum += g->entries[i].slots * p->violations[g->entries[i].instance];
	return sum;
}

/* The attempt */

static void quotas_clear(struct host_attempt *a)
{
	for (size_t i = 0; i < a->grant->n; i++)
		quota_take(a->s, a->grant->entries[i].instance, 0, QUOTA_CLEAR);
}

uint32_t parallel_host_least(const struct pe *pe, uint32_t slots)
{
	if (pe->rule == RULE_FIXED)
		return slots % pe->slots_per_host == 0 ? pe->slots_per_host : 1;
	return pe->rule == RULE_PE_SLOTS ? slots : 1;
}

/*
 * Not even all that was free when the run began would be enough. What an attempt leaves behind in
 * vain is reasons and what quotas and tags say, so this is for runs in which nobody asks for these.
 */
static bool is_hopeless(const struct search *s, uint32_t slots)
{
	const struct dispatch *d = s->d;

	return d->why->untold && d->bounded && !s->later && !s->free && slots > d->unused_slots && !d->gives && !s->rules_out && !s->category->advance &&
	       !quotas_reach_far(d->quotas) && !tags_matter(s);
}

/*
 * Say how many slots there were. Where all must be on one host, those of the host that has most:
 * none is found as long as none has all.
 */
static void tell_short(const struct host_attempt *a, const struct pe *pe, uint32_t slots)
{
	const struct parallel *p = a->p;
	const char *host = NULL;
	uint64_t most = 0;

	for (size_t v = 0; pe->rule == RULE_PE_SLOTS && !a->s->silent && v < p->nvisits; v++) {
		const struct visit *visit = &p->visits[v];
		uint64_t here = 0;

		for (uint32_t k = 0; k < visit->n; k++)
			here += p->places[visit->first + k].left;
		here = here < visit->left ? here : visit->left;
		if (here > most) {
			most = here;
			host = a->s->d->cluster.host_names[visit->host];
		}
	}
	if (most > 0 && most < slots)
		match_why(a->s, WHY_SLOTS, pe->name, host, slots, (double)most);
	else
		match_why(a->s, WHY_PE_HOSTS, pe->name, NULL, slots, a->found);
}

int parallel_try(struct search *s, uint32_t slots, struct grant *g)
{
	const struct pe *pe = &s->d->cell->pes[s->with->pe];
	struct parallel *p = s->d->parallel;
	struct host_attempt a = { .s = s, .p = p, .grant = g, .wanted = slots, .least = parallel_host_least(pe, slots) };
	int rc;

	grant_clear(g);
	p->nvisits = p->nplaces = 0;
	/*
	 * each moment is a search of its own: what quotas put out of question at another one is in
	 * question again
	 */
	if (s->later)
		s->number = ++s->d->searches;
	if (match_object(s, LEVEL_GLOBAL, 0, slots) < slots)
		return -ENOENT;
	if (!s->by_the_way)
		ranking_search(s->d, false);
	p->stamp++;
	category_mark(s->d, s->with);
	if (!s->by_the_way && category_is_soft(s->category) && soft_sort(s, &p->violations))
		return -ENOMEM;
	if (!s->by_the_way)
		ranking_visit(s, slots);
	if (is_hopeless(s, slots))
		return -ENOENT;
	rc = s->later && hosts_are_few(s) && !quotas_reach_far(s->d->quotas) ? short_round(&a, pe) : first_round(&a, pe);
	if (rc >= 0 && visit_tags(s) && !s->category->advance && !done(&a))
		visit_others(&a);
	if (rc >= 0 && pe->rule == RULE_ROUND_ROBIN)
		rc = more_rounds(&a, pe);
	quotas_clear(&a);
	if (rc < 0)
		return rc;
	if (!done(&a)) {
		tell_short(&a, pe, slots);
		return -ENOENT;
	}
	g->pe = s->with->pe;
	g->slots = slots;
	g->begin = s->begin;
	g->unadjusted = s->found;
	g->violations = !s->by_the_way && category_is_soft(s->category) ? violations_of(p, g) : 0;
	return 0;
}
