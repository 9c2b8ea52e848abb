/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A parallel job: sge_pe(5), allocation_rule. One attempt is for one PE and one number of slots: hosts are visited in the order in which the
 * queue list meets them, and each gives slots from its instances, in the order of that list.
 *
 *   a number, $pe_slots    exactly so many on each host that takes part
 *   $fill_up               as many as there are, host by host
 *   $round_robin           one a host and round, until a round brings nothing
 *
 * The master queue: as long as there is none, an instance that can't be it leaves the last slot to others. On the host that provides
 * it each new instance that could be it goes to the head of the list, so the last one of them is it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/load.h"
#include "sched/dispatch/parallel.h"

struct place {				/* an instance of a host that an attempt has looked at */
	uint32_t instance, left;	/* slots that it could still give */
	bool is_master, master_only;
};

struct visit {				/* a host */
	uint32_t host, left;
	uint32_t first, n;		/* its places */
};

struct parallel {			/* scratch of attempts */
	struct visit *visits;
	size_t nvisits, visit_capacity;
	struct place *places;
	size_t nplaces, place_capacity;
	uint32_t stamp;
	uint32_t *violations;		/* by instance: soft requests that it does not fulfil */
};

struct attempt {
	struct search *s;
	struct parallel *p;
	struct grant *grant;
	uint32_t wanted, found;
	uint32_t least;			/* slots that a host must give to take part */
	bool has_master;
	bool is_first;			/* for a start of this job, in this PE */
};

int parallel_create(struct dispatch *d)
{
	d->parallel = calloc(1, sizeof(*d->parallel));
	return d->parallel ? 0 : -ENOMEM;
}

bool parallel_found_taken(const struct dispatch *d, uint32_t host)
{
	return d->parallel->stamp > 0 && d->cluster.hosts[host].taken == d->parallel->stamp;
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

/* ---- what a host could give -------------------------------------------------------------------------------------------------------- */

static uint32_t instance_slots(struct search *s, uint32_t instance, uint32_t most, bool *master_only)
{
	if (!match_static(s, instance, master_only))
		return 0;
	return match_object(s, LEVEL_QUEUE, instance, most);
}

/* Slots until the last of a host's instances is overloaded: Grid Engine takes the most that one of them allows for all. */
static uint32_t host_headroom(struct search *s, uint32_t host)
{
	const struct cluster *c = &s->d->cluster;
	uint32_t most = 0;

	for (uint32_t i = c->hosts[host].first_instance; i != UINT32_MAX && most < UINT32_MAX; i = c->instances[i].next_on_host) {
		uint32_t headroom = queue_list_has(&s->d->list, i) ? load_headroom(c, i, s->ask->need) : 0;

		most = headroom > most ? headroom : most;
	}
	return most;
}

static int place_add(struct parallel *p, struct place place)
{
	size_t capacity = 2 * p->place_capacity + 64;

	if (p->nplaces == p->place_capacity) {
		if (array_grow(&p->places, capacity, sizeof(*p->places)))
			return -ENOMEM;
		p->place_capacity = capacity;
	}
	p->places[p->nplaces++] = place;
	return 0;
}

static int visit_add(struct parallel *p, struct visit visit)
{
	size_t capacity = 2 * p->visit_capacity + 64;

	if (p->nvisits == p->visit_capacity) {
		if (array_grow(&p->visits, capacity, sizeof(*p->visits)))
			return -ENOMEM;
		p->visit_capacity = capacity;
	}
	p->visits[p->nvisits++] = visit;
	return 0;
}

/*
 * A host that gives nothing now gives nothing for the rest of the run, but for instances that were dropped and come back. As long as it
 * gives something all its instances keep the mark, because the first one in the queue list, whether it fits or not, says when it is the
 * host's turn.
 */
static void turn_down(struct search *s, uint32_t host)
{
	const struct cluster *c = &s->d->cluster;

	if (s->with->mark == QUEUE_LIST_NONE || s->later)
		return;
	for (uint32_t i = c->hosts[host].first_instance; i != UINT32_MAX; i = c->instances[i].next_on_host)
		if (queue_list_has(&s->d->list, i))
			queue_list_unmark(&s->d->list, i, s->with->mark);
}

/* The places of a host in the order of the queue list: few, so insertion sorts them. */
static bool comes_before(const struct dispatch *d, uint32_t a, uint32_t b)
{
	struct queue_key x = queue_list_key(&d->list, a), y = queue_list_key(&d->list, b);

	return queue_key_compare(&x, &y) < 0;
}

static void places_sort(const struct dispatch *d, struct place *places, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct place place = places[i];
		size_t k = i;

		for (; k > 0 && comes_before(d, place.instance, places[k - 1].instance); k--)
			places[k] = places[k - 1];
		places[k] = place;
	}
}

static int host_look(struct attempt *a, uint32_t host, struct visit *visit)
{
	struct search *s = a->s;
	const struct cluster *c = &s->d->cluster;

	*visit = (struct visit){ .host = host, .first = (uint32_t)a->p->nplaces };
	visit->left = match_object(s, LEVEL_HOST, host, a->wanted);
	if (a->is_first && match_host_taken(s, host)) {
		s->d->cluster.hosts[host].taken = a->p->stamp;
		s->d->any_taken = true;
	}
	if (visit->left > 0 && !s->later) {
		uint32_t headroom = host_headroom(s, host);

		visit->left = headroom < visit->left ? headroom : visit->left;
		if (headroom == 0)
			match_why(s, WHY_OVERLOADED, "load_thresholds", c->host_names[host], 0, 0);
	}
	for (uint32_t i = c->hosts[host].first_instance; i != UINT32_MAX; i = c->instances[i].next_on_host) {
		struct place place = { .instance = i };

		if (!queue_list_has(&s->d->list, i))
			continue;
		place.left = visit->left ? instance_slots(s, i, a->wanted, &place.master_only) : 0;
		if (place.left == 0)
			continue;
		place.is_master = match_master(s, i);
		if (place_add(a->p, place))
			return -ENOMEM;
		visit->n++;
	}
	if (visit->n == 0)
		turn_down(s, host);
	places_sort(s->d, &a->p->places[visit->first], visit->n);
	return 0;
}

/* ---- taking ------------------------------------------------------------------------------------------------------------------------ */

/* How many slots a place can give of `due` on its host: never the last one of all if a master is still to be found elsewhere. */
static uint32_t place_share(struct attempt *a, const struct place *place, uint32_t due, uint32_t taken, bool master_here)
{
	uint32_t slots = due < place->left ? due : place->left;

	if (place->master_only && !a->has_master && slots > 1)
		slots = 1;
	if (!a->has_master && !master_here && !place->is_master && slots > 0 && a->found + taken + slots == a->wanted)
		slots--;
	return slots ? match_quotas(a->s, place->instance, slots) : 0;
}

static void give_back(struct attempt *a, const struct visit *v, const uint32_t *taken)
{
	for (uint32_t k = 0; k < v->n; k++)
		if (taken[k])
			quota_take(a->s, a->p->places[v->first + k].instance, taken[k], QUOTA_GIVE_BACK);
}

static int keep(struct attempt *a, struct visit *v, const uint32_t *taken, uint32_t sum)
{
	bool brings_master = false;

	for (uint32_t k = 0; k < v->n; k++)
		if (taken[k])
			brings_master |= a->p->places[v->first + k].is_master;
	for (uint32_t k = 0; k < v->n; k++) {
		struct place *place = &a->p->places[v->first + k];

		if (!taken[k])
			continue;
		place->left -= taken[k];
		if (grant_add(a->grant, place->instance, taken[k], !a->has_master && place->is_master))
			return -ENOMEM;
	}
	v->left -= sum;
	a->found += sum;
	a->has_master |= brings_master;
	return 0;
}

/* One host's turn. 1: it gave something, 0: nothing, -ENOMEM. */
static int host_take(struct attempt *a, struct visit *v, uint32_t due)
{
	uint32_t *taken = calloc(v->n + 1, sizeof(*taken)), sum = 0;
	bool master_here = false;
	int code = 0;

	if (!taken)
		return -ENOMEM;
	for (uint32_t k = 0; k < v->n && sum < due && code == 0; k++) {
		const struct place *place = &a->p->places[v->first + k];

		taken[k] = place_share(a, place, due - sum, sum, master_here);
		master_here |= taken[k] && place->is_master;
		if (taken[k])
			code = quota_take(a->s, place->instance, taken[k], QUOTA_TAKE);
		sum += taken[k];
	}
	if (code == 0 && sum >= a->least)
		code = keep(a, v, taken, sum) ? -ENOMEM : 1;
	else
		give_back(a, v, taken);
	free(taken);
	return code;
}

/* ---- rounds ------------------------------------------------------------------------------------------------------------------------ */

static uint32_t due_of(const struct attempt *a, const struct pe *pe, const struct visit *v)
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

static bool done(const struct attempt *a)
{
	return a->found == a->wanted && a->has_master;
}

static int visit_take(struct attempt *a, const struct pe *pe, struct visit *v)
{
	if (v->left < a->least || v->n == 0 || a->found == a->wanted || match_skips_host(a->s, v->host))
		return 0;
	return host_take(a, v, due_of(a, pe, v));
}

/* What a search for this moment has learnt says nothing about another one. */
static uint32_t mark_of(const struct search *s)
{
	return s->later ? QUEUE_LIST_NONE : s->with->mark;
}

/* Instances of cluster queues that are out of question say nothing about whose turn it is. */
static bool queue_counts(struct search *s, uint32_t instance)
{
	uint32_t queue = s->d->cluster.instances[instance].queue;

	if (s->with->queues[queue] == 0)
		s->with->queues[queue] = match_queue(s, queue) ? 1 : 2;
	return s->with->queues[queue] == 1;
}

/* The first round goes as far along the queue list as it must. */
static int first_round(struct attempt *a, const struct pe *pe)
{
	struct cluster *c = &a->s->d->cluster;
	uint32_t next;
	int code = 0;

	for (uint32_t i = queue_list_first(&a->s->d->list, mark_of(a->s)); i != QUEUE_LIST_NONE && !done(a) && code >= 0; i = next) {
		struct exec_host *host = &c->hosts[c->instances[i].host];
		struct visit visit;

		if (host->stamp != a->p->stamp && queue_counts(a->s, i)) {
			host->stamp = a->p->stamp;
			code = host_look(a, c->instances[i].host, &visit);
			if (code == 0)
				code = visit_add(a->p, visit);
			if (code == 0)
				code = visit_take(a, pe, &a->p->visits[a->p->nvisits - 1]);
		}
		next = queue_list_next(&a->s->d->list, i, mark_of(a->s));
	}
	return code;
}

static int more_rounds(struct attempt *a, const struct pe *pe)
{
	bool any = true;

	while (any && !done(a)) {
		any = false;
		for (size_t v = 0; v < a->p->nvisits && !done(a); v++) {
			int code = visit_take(a, pe, &a->p->visits[v]);

			if (code < 0)
				return code;
			any |= code > 0;
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

/* ---- the attempt ------------------------------------------------------------------------------------------------------------------- */

static void quotas_clear(struct attempt *a)
{
	for (size_t i = 0; i < a->grant->n; i++)
		quota_take(a->s, a->grant->entries[i].instance, 0, QUOTA_CLEAR);
}

int parallel_try(struct search *s, uint32_t slots, struct grant *g)
{
	const struct pe *pe = &s->d->cell->pes[s->with->pe];
	struct parallel *p = s->d->parallel;
	struct attempt a = { .s = s, .p = p, .grant = g, .wanted = slots,
			     .least = pe->rule == RULE_FIXED ? pe->slots_per_host : pe->rule == RULE_PE_SLOTS ? slots : 1 };
	int code;

	grant_clear(g);
	p->nvisits = p->nplaces = 0;
	if (match_object(s, LEVEL_GLOBAL, 0, slots) < slots)
		return -ENOENT;
	ranking_search(s->d, false);
	p->stamp++;
	s->d->any_taken = false;
	a.is_first = !s->later && !s->tried;
	s->tried = true;
	if (!s->with->marked)
		s->with->mark = queue_list_mark(&s->d->list);
	s->with->marked = true;
	if (ask_is_soft(s->ask) && soft_sort(s, &p->violations))
		return -ENOMEM;
	code = first_round(&a, pe);
	if (code >= 0 && pe->rule == RULE_ROUND_ROBIN)
		code = more_rounds(&a, pe);
	quotas_clear(&a);
	if (code < 0)
		return code;
	if (!done(&a)) {
		match_why(s, WHY_PE_HOSTS, pe->name, NULL, slots, a.found);
		return -ENOENT;
	}
	g->pe = s->with->pe;
	g->slots = slots;
	g->begin = s->begin;
	g->violations = ask_is_soft(s->ask) ? violations_of(p, g) : 0;
	return 0;
}
