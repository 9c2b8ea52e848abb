/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pie and its slices: each submitter's share is inversely proportional to its effective user
 * priority. Submitters are served in that order, repeatedly, until none gets anything more. Source:
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
	bool of_group;			/* `quota` limits the group's use */
	bool autoregroup, floor_round;
	float quota, used;		/* for the group, in single precision as in HTCondor */
	/* weight of the pool, all of which a submitter without limits may have */
	double pool;
	double weight; /* weight that is shared: the pool, or the group's limit if that is less */
	double left;
	/* NEGOTIATION = manual: weight of submitters that are done, now and at begin of spin */
	double done, gone;
	uint32_t spin;
	/* machine RANK may still prefer jobs of submitters that have their slice */
	bool beyond;
};

static struct customer *customer_of(const struct pie *pie, const struct pie_turn *turn)
{
	return &pie->n->customers->items[pie->n->in->submitters[turn->submitter].customer];
}

static double group_use(const struct pie *pie)
{
	return pie->n->customers->items[pie->group].weight_used;
}

static bool group_is_full(const struct pie *pie)
{
	return pie->of_group && !pie->beyond && group_use(pie) >= (double)pie->quota;
}

static double rest(double x)
{
	return x > 0 ? x : 0;
}

static void turn_limit(const struct pie *pie, struct pie_turn *turn)
{
	const struct condor_conf *conf = pie->n->conf;

	turn->limit = conf->ignore_user_priorities
			      ? INFINITY
			      : rest(turn->share * (pie->weight - pie->gone) - customer_of(pie, turn)->weight_used);
	turn->limit_free = turn->limit;
	if (pie->of_group) {
		float more = pie->quota - pie->used;

		turn->limit_free = fmin(turn->limit_free, more > 0 ? (double)more : 0);
	}
	if (!conf->consider_preemption)
		turn->limit = turn->limit_free;
}

/* Return the sum of the inverses of their priorities. Several turns of one name count once. */
static double whole(const struct pie *pie, double worst)
{
	struct negotiator *negotiator = pie->n;
	double sum = 0;

	negotiator->names_counted++;
	for (size_t i = 0; i < pie->turns->n; i++) {
		uint32_t customer = negotiator->in->submitters[pie->turns->items[i].submitter].customer;

		if (negotiator->counted_in[customer] == negotiator->names_counted)
			continue;
		negotiator->counted_in[customer] = negotiator->names_counted;
		sum += worst / customer_eup(&negotiator->customers->items[customer]);
	}
	return sum;
}

static void slice_up(struct pie *pie)
{
	struct pie_turns *turns = pie->turns;
	double worst = DBL_MIN, sum;

	for (size_t i = 0; i < turns->n; i++)
		worst = fmax(worst, customer_eup(customer_of(pie, &turns->items[i])));
	sum = whole(pie, worst);
	pie->left = 0;
	for (size_t i = 0; i < turns->n; i++) {
		struct pie_turn *turn = &turns->items[i];
		double use = customer_of(pie, turn)->weight_used;

		turn->share = worst / (customer_eup(customer_of(pie, turn)) * sum);
		turn_limit(pie, turn);
		turn->starvation = use + turn->limit > 0 ? use / (use + turn->limit) : FLT_MAX;
		if (isinf(turn->limit))
			turn->starvation = 0;
		pie->left += turn->limit;
	}
}

static int by_priority(const void *a, const void *b, void *context)
{
	const struct pie_turn *x = a, *y = b;
	const struct pie *pie = context;
	double eup_x = customer_eup(customer_of(pie, x)), eup_y = customer_eup(customer_of(pie, y));
	const struct cycle_submitter *sx = &pie->n->in->submitters[x->submitter],
				     *sy = &pie->n->in->submitters[y->submitter];

	if (eup_x != eup_y)
		return eup_x < eup_y ? -1 : 1;
	if (pie->n->conf->use_global_job_prios && sx->job_prio != sy->job_prio)
		return sx->job_prio > sy->job_prio ? -1 : 1;
	if (x->starvation != y->starvation)
		return x->starvation < y->starvation ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

/* Sort the submitters. Equal ones stay in the order of the last pie of the same submitters. */
static void put_in_order(struct pie *pie)
{
	for (uint32_t i = 0; i < pie->turns->n; i++)
		pie->turns->items[i].place = i;
	if (pie->turns->n > 0)
		qsort_r(pie->turns->items, pie->turns->n, sizeof(*pie->turns->items), by_priority, pie);
}

/* Drop submitters without jobs: without preemption they have no slice. */
static void drop_idle_ones(struct pie *pie)
{
	size_t n = 0;

	for (size_t i = 0; i < pie->turns->n; i++)
		if (pie->n->in->submitters[pie->turns->items[i].submitter].n > 0)
			pie->turns->items[n++] = pie->turns->items[i];
		else
			pie->n->result->submitters[pie->turns->items[i].submitter].stop = STOP_NO_JOBS;
	pie->turns->n = n;
}

static int record_contact(struct pie *pie, uint32_t submitter)
{
	struct cycle_result *result = pie->n->result;

	if (room_for(&result->contacts, &result->room.contacts, result->ncontacts + 1, sizeof(*result->contacts)) < 0)
		return -ENOMEM;
	result->contacts[result->ncontacts++] = (struct contact){ submitter, pie->group, pie->spin };
	return 0;
}

static uint64_t now_ns(const struct negotiator *negotiator)
{
	return negotiator->in->clock_ns ? negotiator->in->clock_ns(negotiator->in->context) : 0;
}

/* Set the earliest of the time limits. STOP_NONE: there is time left. */
static enum stop deadline(const struct negotiator *negotiator, struct submitter_visit *visit)
{
	const struct condor_conf *conf = negotiator->conf;
	uint64_t now = now_ns(negotiator), spent = negotiator->states[visit->submitter].ns,
		 cycle = (uint64_t)conf->max_time_per_cycle * 1000000000;
	uint64_t submitter = (uint64_t)conf->max_time_per_submitter * 1000000000,
		 spin = (uint64_t)conf->max_time_per_spin * 1000000000;

	if (!negotiator->in->clock_ns)
		return STOP_NONE;
	if ((uint64_t)conf->max_time_per_schedd * 1000000000 < submitter)
		submitter = (uint64_t)conf->max_time_per_schedd * 1000000000;
	if (now - negotiator->begin_ns >= cycle)
		return STOP_TIME_CYCLE;
	if (spent >= submitter)
		return STOP_TIME_SUBMITTER;
	visit->deadline_ns = now + spin;
	visit->deadline_stop = STOP_TIME_SPIN;
	if (submitter - spent < visit->deadline_ns - now) {
		visit->deadline_ns = now + submitter - spent;
		visit->deadline_stop = STOP_TIME_SUBMITTER;
	}
	if (negotiator->begin_ns + cycle < visit->deadline_ns) {
		visit->deadline_ns = negotiator->begin_ns + cycle;
		visit->deadline_stop = STOP_TIME_CYCLE;
	}
	return STOP_NONE;
}

/* Return the weight that the submitter may still get below its ceiling. */
static double room_of(const struct customer *customer)
{
	return customer->ceiling < 0 ? INFINITY : rest((double)customer->ceiling - trunc(customer->weight_used));
}

static void turn_record(const struct pie *pie, const struct pie_turn *turn)
{
	struct submitter_result *result = &pie->n->result->submitters[turn->submitter];

	if (result->spins == 0)
		result->group = pie->group;
	result->spins++;
	result->share = turn->share;
	result->slice = turn->share * pie->weight;
	result->limit = isinf(turn->limit) ? pie->pool : turn->limit;
}

static bool visit(struct pie *pie, struct pie_turn *turn, struct submitter_visit *submitter_visit)
{
	struct negotiator *negotiator = pie->n;
	struct submitter_result *result = &negotiator->result->submitters[turn->submitter];
	uint64_t begin = now_ns(negotiator);
	bool done;

	if (record_contact(pie, turn->submitter) < 0) {
		negotiator->rc = -ENOMEM;
		return false;
	}
	done = visit_make(negotiator, submitter_visit);
	negotiator->states[turn->submitter].ns += now_ns(negotiator) - begin;
	pie->left = submitter_visit->left;
	result->visits++;
	result->stop = submitter_visit->stop;
	return done;
}

/* Serve a submitter. True: it is done and leaves the pie. */
static bool take_turn(struct pie *pie, struct pie_turn *turn)
{
	struct negotiator *negotiator = pie->n;
	const struct customer *customer = customer_of(pie, turn);
	struct submitter_result *result = &negotiator->result->submitters[turn->submitter];
	struct submitter_visit submitter_visit = { .submitter = turn->submitter,
						   .group = pie->group,
						   .autoregroup = pie->autoregroup,
						   .ignore = pie->beyond };
	enum stop late;

	turn_limit(pie, turn);
	if (pie->floor_round)
		turn->limit = fmin((double)customer->floor, turn->limit);
	turn->limit = fmin(turn->limit, pie->left);
	turn_record(pie, turn);
	if (negotiator->in->submitters[turn->submitter].n == 0) {
		result->stop = STOP_NO_JOBS;
		return true;
	}
	late = deadline(negotiator, &submitter_visit);
	if (late != STOP_NONE) {
		result->stop = late;
		return true;
	}
	if (pie->spin > 1 && (turn->limit < negotiator->pool.least || pie->left < negotiator->pool.least)) {
		result->stop = STOP_SLICE;
		return false;
	}
	submitter_visit.room = room_of(customer);
	if (submitter_visit.room == 0 || submitter_visit.room < negotiator->pool.least) {
		result->stop = STOP_CEILING;
		return true;
	}
	submitter_visit.group_bound =
		pie->of_group && (double)(pie->quota - pie->used) < turn->share * pie->pool - customer->weight_used;
	submitter_visit.limit = turn->limit;
	submitter_visit.limit_free = turn->limit_free;
	submitter_visit.left = pie->left;
	return visit(pie, turn, &submitter_visit);
}

static void serve(struct pie *pie)
{
	struct pie_turns *turns = pie->turns;
	size_t n = 0, at;

	for (at = 0; at < turns->n && pie->n->rc == 0 && !group_is_full(pie); at++) {
		if (!take_turn(pie, &turns->items[at]))
			turns->items[n++] = turns->items[at];
		else if (pie->n->conf->follows == FOLLOWS_MANUAL)
			pie->done += customer_of(pie, &turns->items[at])->weight_used;
	}
	for (; at < turns->n; at++) {
		pie->n->result->submitters[turns->items[at].submitter].stop = STOP_GROUP;
		turns->items[n++] = turns->items[at];
	}
	turns->n = n;
}

/* Serve submitters in turn. A submitter that is done is removed from `turns`. */
static void pie_negotiate(struct negotiator *negotiator, struct pie_turns *turns, const struct pie_limits *limits)
{
	struct pie pie = { .n = negotiator,
			   .turns = turns,
			   .group = limits->group,
			   .of_group = limits->of_group,
			   .quota = (float)limits->quota,
			   .autoregroup = limits->autoregroup,
			   .floor_round = limits->floor_round,
			   .pool = negotiator->pool.counted,
			   .weight = fmin(negotiator->pool.counted, (double)(float)limits->quota) };
	const struct slot_pool *pool = &negotiator->pool;

	for (;;) {
		double left;
		size_t before;

		pie.spin++;
		negotiator->result->spins++;
		pie.beyond = pie.spin == 1 && negotiator->conf->consider_preemption;
		pie.used = pie.of_group ? (float)group_use(&pie) : 0;
		if (pie.of_group && !pie.beyond && pie.used >= pie.quota)
			return;
		if (!negotiator->conf->consider_preemption)
			drop_idle_ones(&pie);
		before = turns->n;
		pie.gone = pie.done;
		slice_up(&pie);
		left = pie.left;
		if (!negotiator->conf->consider_preemption && left <= 0)
			return;
		if (pie.spin == 1)
			put_in_order(&pie);
		negotiator->list.is_there = false;
		serve(&pie);
		if (negotiator->rc < 0 || pie.floor_round || turns->n == 0 || pool->nfree + pool->nclaimed == 0 ||
		    !(pie.left < left || turns->n < before))
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

void pie_with_floors(struct negotiator *negotiator, struct pie_turns *turns, const struct pie_limits *limits)
{
	struct pie_limits round = *limits;

	negotiator->below.n = 0;
	for (size_t i = 0; i < turns->n; i++) {
		const struct customer *customer =
			&negotiator->customers->items[negotiator->in->submitters[turns->items[i].submitter].customer];

		if (customer->floor > 0 && customer->weight_used < (double)customer->floor &&
		    pie_turns_add(&negotiator->below, turns->items[i].submitter) < 0)
			negotiator->rc = -ENOMEM;
	}
	round.floor_round = true;
	if (negotiator->below.n > 0 && negotiator->rc == 0)
		pie_negotiate(negotiator, &negotiator->below, &round);
	if (negotiator->rc == 0)
		pie_negotiate(negotiator, turns, limits);
}
