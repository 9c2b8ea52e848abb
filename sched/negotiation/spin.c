/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pie and its slices: each submitter's share is in the inverse ratio of its effective user
 * priority; they are served in that order, again and again until nobody gets anything more.
 * HTCondor's manual, "Negotiation".
 */
#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "sched/negotiation/inside.h"

struct pie {
	struct negotiator *n;
	struct pie_turns *turns;
	uint32_t group;
	bool of_group;			/* the use of the group has a limit: `quota` */
	bool autoregroup, floor_round;
	float quota, used;		/* of the group: HTCondor takes them in single precision */
	double pool;			/* weight of the pool, of which a submitter without limits may have all */
	double weight;			/* of which the shares are parts: the pool, or the group's limit if that is less */
	double left;
	double done, gone;		/* NEGOTIATION = manual: what those have who are done, as of this spin */
	uint32_t spin;
	bool beyond;			/* machine RANK may still prefer jobs of those who have their slice */
};

static struct customer *customer_of(const struct pie *p, const struct pie_turn *t)
{
	return &p->n->customers->items[p->n->in->submitters[t->submitter].customer];
}

static double group_use(const struct pie *p)
{
	return p->n->customers->items[p->group].weight_used;
}

static bool group_is_full(const struct pie *p)
{
	return p->of_group && !p->beyond && group_use(p) >= (double)p->quota;
}

static double rest(double x)
{
	return x > 0 ? x : 0;
}

static void turn_limit(const struct pie *p, struct pie_turn *t)
{
	const struct condor_conf *conf = p->n->conf;

	t->limit = conf->ignore_user_priorities ? INFINITY : rest(t->share * (p->weight - p->gone) - customer_of(p, t)->weight_used);
	t->limit_free = t->limit;
	if (p->of_group) {
		float more = p->quota - p->used;

		t->limit_free = fmin(t->limit_free, more > 0 ? (double)more : 0);
	}
	if (!conf->consider_preemption)
		t->limit = t->limit_free;
}

/* How much of their priorities' inverses there is: several turns of one name count once. */
static double whole(const struct pie *p, double worst)
{
	struct negotiator *n = p->n;
	double sum = 0;

	n->names_counted++;
	for (size_t i = 0; i < p->turns->n; i++) {
		uint32_t customer = n->in->submitters[p->turns->items[i].submitter].customer;

		if (n->counted_in[customer] == n->names_counted)
			continue;
		n->counted_in[customer] = n->names_counted;
		sum += worst / customer_eup(&n->customers->items[customer]);
	}
	return sum;
}

static void slice_up(struct pie *p)
{
	struct pie_turns *turns = p->turns;
	double worst = DBL_MIN, sum;

	for (size_t i = 0; i < turns->n; i++)
		worst = fmax(worst, customer_eup(customer_of(p, &turns->items[i])));
	sum = whole(p, worst);
	p->left = 0;
	for (size_t i = 0; i < turns->n; i++) {
		struct pie_turn *t = &turns->items[i];
		double use = customer_of(p, t)->weight_used;

		t->share = worst / (customer_eup(customer_of(p, t)) * sum);
		turn_limit(p, t);
		t->starvation = use + t->limit > 0 ? use / (use + t->limit) : FLT_MAX;
		if (isinf(t->limit))
			t->starvation = 0;
		p->left += t->limit;
	}
}

static int by_priority(const void *a, const void *b, void *context)
{
	const struct pie_turn *x = a, *y = b;
	const struct pie *p = context;
	double eup_x = customer_eup(customer_of(p, x)), eup_y = customer_eup(customer_of(p, y));
	const struct cycle_submitter *sx = &p->n->in->submitters[x->submitter], *sy = &p->n->in->submitters[y->submitter];

	if (eup_x != eup_y)
		return eup_x < eup_y ? -1 : 1;
	if (p->n->conf->use_global_job_prios && sx->job_prio != sy->job_prio)
		return sx->job_prio > sy->job_prio ? -1 : 1;
	if (x->starvation != y->starvation)
		return x->starvation < y->starvation ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

/* Equals stay in the order that the last pie of the same submitters has left. */
static void put_in_order(struct pie *p)
{
	for (uint32_t i = 0; i < p->turns->n; i++)
		p->turns->items[i].place = i;
	if (p->turns->n > 0)
		qsort_r(p->turns->items, p->turns->n, sizeof(*p->turns->items), by_priority, p);
}

/* Without preemption, who has no jobs has no slice. */
static void drop_idle_ones(struct pie *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->turns->n; i++)
		if (p->n->in->submitters[p->turns->items[i].submitter].n > 0)
			p->turns->items[n++] = p->turns->items[i];
		else
			p->n->result->submitters[p->turns->items[i].submitter].stop = STOP_NO_JOBS;
	p->turns->n = n;
}

static int record_contact(struct pie *p, uint32_t submitter)
{
	struct cycle_result *r = p->n->result;

	if (room_for(&r->contacts, &r->room.contacts, r->ncontacts + 1, sizeof(*r->contacts)) < 0)
		return -ENOMEM;
	r->contacts[r->ncontacts++] = (struct contact){ submitter, p->group, p->spin };
	return 0;
}

static uint64_t now_ns(const struct negotiator *n)
{
	return n->in->clock_ns ? n->in->clock_ns(n->in->context) : 0;
}

/* The earliest of the limits of time. STOP_NONE: there is time left. */
static enum stop deadline(const struct negotiator *n, struct submitter_visit *v)
{
	const struct condor_conf *conf = n->conf;
	uint64_t now = now_ns(n), spent = n->states[v->submitter].ns, cycle = (uint64_t)conf->max_time_per_cycle * 1000000000;
	uint64_t submitter = (uint64_t)conf->max_time_per_submitter * 1000000000, spin = (uint64_t)conf->max_time_per_spin * 1000000000;

	if (!n->in->clock_ns)
		return STOP_NONE;
	if ((uint64_t)conf->max_time_per_schedd * 1000000000 < submitter)
		submitter = (uint64_t)conf->max_time_per_schedd * 1000000000;
	if (now - n->begin_ns >= cycle)
		return STOP_TIME_CYCLE;
	if (spent >= submitter)
		return STOP_TIME_SUBMITTER;
	v->deadline_ns = now + spin;
	v->deadline_stop = STOP_TIME_SPIN;
	if (submitter - spent < v->deadline_ns - now) {
		v->deadline_ns = now + submitter - spent;
		v->deadline_stop = STOP_TIME_SUBMITTER;
	}
	if (n->begin_ns + cycle < v->deadline_ns) {
		v->deadline_ns = n->begin_ns + cycle;
		v->deadline_stop = STOP_TIME_CYCLE;
	}
	return STOP_NONE;
}

/* What the submitter may still get below its ceiling. */
static double room_of(const struct customer *c)
{
	return c->ceiling < 0 ? INFINITY : rest((double)c->ceiling - trunc(c->weight_used));
}

static void tell_turn(const struct pie *p, const struct pie_turn *t)
{
	struct submitter_result *r = &p->n->result->submitters[t->submitter];

	if (r->spins == 0)
		r->group = p->group;
	r->spins++;
	r->share = t->share;
	r->slice = t->share * p->weight;
	r->limit = isinf(t->limit) ? p->pool : t->limit;
}

static bool visit(struct pie *p, struct pie_turn *t, struct submitter_visit *v)
{
	struct negotiator *n = p->n;
	struct submitter_result *r = &n->result->submitters[t->submitter];
	uint64_t begin = now_ns(n);
	bool done;

	if (record_contact(p, t->submitter) < 0) {
		n->rc = -ENOMEM;
		return false;
	}
	done = visit_make(n, v);
	n->states[t->submitter].ns += now_ns(n) - begin;
	p->left = v->left;
	r->visits++;
	r->stop = v->stop;
	return done;
}

/* True: the submitter is done and leaves the pie. */
static bool take_turn(struct pie *p, struct pie_turn *t)
{
	struct negotiator *n = p->n;
	const struct customer *c = customer_of(p, t);
	struct submitter_result *r = &n->result->submitters[t->submitter];
	struct submitter_visit v = { .submitter = t->submitter, .group = p->group, .autoregroup = p->autoregroup, .ignore = p->beyond };
	enum stop late;

	turn_limit(p, t);
	if (p->floor_round)
		t->limit = fmin((double)c->floor, t->limit);
	t->limit = fmin(t->limit, p->left);
	tell_turn(p, t);
	if (n->in->submitters[t->submitter].n == 0) {
		r->stop = STOP_NO_JOBS;
		return true;
	}
	late = deadline(n, &v);
	if (late != STOP_NONE) {
		r->stop = late;
		return true;
	}
	if (p->spin > 1 && (t->limit < n->pool.least || p->left < n->pool.least)) {
		r->stop = STOP_SLICE;
		return false;
	}
	v.room = room_of(c);
	if (v.room == 0 || v.room < n->pool.least) {
		r->stop = STOP_CEILING;
		return true;
	}
	v.group_bound = p->of_group && (double)(p->quota - p->used) < t->share * p->pool - c->weight_used;
	v.limit = t->limit;
	v.limit_free = t->limit_free;
	v.left = p->left;
	return visit(p, t, &v);
}

static void serve(struct pie *p)
{
	struct pie_turns *turns = p->turns;
	size_t n = 0, at;

	for (at = 0; at < turns->n && p->n->rc == 0 && !group_is_full(p); at++) {
		if (!take_turn(p, &turns->items[at]))
			turns->items[n++] = turns->items[at];
		else if (p->n->conf->follows == FOLLOWS_MANUAL)
			p->done += customer_of(p, &turns->items[at])->weight_used;
	}
	for (; at < turns->n; at++) {
		p->n->result->submitters[turns->items[at].submitter].stop = STOP_GROUP;
		turns->items[n++] = turns->items[at];
	}
	turns->n = n;
}

void pie_negotiate(struct negotiator *n, struct pie_turns *turns, const struct pie_limits *limits)
{
	struct pie p = { .n = n, .turns = turns, .group = limits->group, .of_group = limits->of_group, .quota = (float)limits->quota,
			 .autoregroup = limits->autoregroup, .floor_round = limits->floor_round, .pool = n->pool.counted, .weight = fmin(n->pool.counted, (double)(float)limits->quota) };
	const struct slot_pool *pool = &n->pool;

	for (;;) {
		double left;
		size_t before;

		p.spin++;
		n->result->spins++;
		p.beyond = p.spin == 1 && n->conf->consider_preemption;
		p.used = p.of_group ? (float)group_use(&p) : 0;
		if (p.of_group && !p.beyond && p.used >= p.quota)
			return;
		if (!n->conf->consider_preemption)
			drop_idle_ones(&p);
		before = turns->n;
		p.gone = p.done;
		slice_up(&p);
		left = p.left;
		if (!n->conf->consider_preemption && left <= 0)
			return;
		if (p.spin == 1)
			put_in_order(&p);
		n->list.is_there = false;
		serve(&p);
		if (n->rc < 0 || p.floor_round || turns->n == 0 || pool->nfree + pool->nclaimed == 0 || !(p.left < left || turns->n < before))
			return;
	}
}

int pie_turns_add(struct pie_turns *turns, uint32_t submitter)
{
	if (room_for(&turns->items, &turns->capacity, turns->n + 1, sizeof(*turns->items)) < 0)
		return -ENOMEM;
	turns->items[turns->n++] = (struct pie_turn){ .submitter = submitter };
	return 0;
}

void pie_with_floors(struct negotiator *n, struct pie_turns *turns, const struct pie_limits *limits)
{
	struct pie_limits round = *limits;

	n->below.n = 0;
	for (size_t i = 0; i < turns->n; i++) {
		const struct customer *c = &n->customers->items[n->in->submitters[turns->items[i].submitter].customer];

		if (c->floor > 0 && c->weight_used < (double)c->floor && pie_turns_add(&n->below, turns->items[i].submitter) < 0)
			n->rc = -ENOMEM;
	}
	round.floor_round = true;
	if (n->below.n > 0 && n->rc == 0)
		pie_negotiate(n, &n->below, &round);
	if (n->rc == 0)
		pie_negotiate(n, turns, limits);
}
