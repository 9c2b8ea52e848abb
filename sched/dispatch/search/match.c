/* SPDX-License-Identifier: Apache-2.0 */
/* One object against what a category requests: complex(5). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "sched/dispatch/advance.h"
#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/pledge.h"
#include "sched/dispatch/search/match.h"
#include "sched/dispatch/search/pattern.h"

void match_why(struct search *s, enum why_kind kind, const char *subject, const char *object, double wanted, double had)
{
	if (!s->silent)
		why_add(s->d->why, s->category->verdict->why, kind, subject, object, wanted, had);
}

static const char *object_name(const struct search *s, enum level level, uint32_t object)
{
	const struct cluster *c = &s->d->cluster;

	return level == LEVEL_GLOBAL ? "global" : level == LEVEL_HOST ? c->host_names[object] : c->instances[object].name;
}

static const struct offer *offer_of(const struct search *s, const struct column *column, enum level level, uint32_t object)
{
	return category_offer(&s->d->cluster, s->category, (struct column *)column, level, object);
}

/* Consumables */

static double booked(const struct search *s, const struct timelines *t, double now, uint32_t line)
{
	if (s->free)
		return 0.0;
	if (!s->timed || (line == TIMELINE_EMPTY && !s->d->reserves))
		return now;
	return timeline_max(t, line, s->begin, s->end);
}

double match_booked(const struct search *s, double now, uint32_t line)
{
	return booked(s, &s->d->cluster.timelines, now, line);
}

double match_limited(const struct search *s, double now, uint32_t line)
{
	return booked(s, &s->d->cluster.limits, now, line);
}

/* Who wants the object alone needs it empty; nobody else gets it while he has it. */
static bool fits_exclusively(struct search *s, const struct column *column, const struct offer *o, bool wanted, const char *object)
{
	double alone = match_booked(s, o->used, o->used_line), others = wanted ? match_booked(s, o->shared, o->shared_line) : 0.0;

	if (alone == 0.0 && others == 0.0)
		return true;
	match_why(s, WHY_EXCLUSIVE, column->complex->name, object, 0, 0);
	return false;
}

double match_left(const struct search *s, const struct column *column, const struct offer *o, enum level level, uint32_t object)
{
	double left = o->fixed - match_booked(s, o->used, o->used_line);

	if (o->load_text && !s->later && level != LEVEL_QUEUE)
		left = cluster_stricter(column->complex->relop, left, cluster_load_value(&s->d->cluster, column, o, level, object));
	return left;
}

bool match_satisfies(enum complex_relop relop, double request, double offer)
{
	switch (relop) {
	case RELOP_EQ:
		return request == offer;
	case RELOP_GE:
		return request >= offer;
	case RELOP_GT:
		return request > offer;
	case RELOP_LE:
	case RELOP_EXCL:
		return request <= offer;
	case RELOP_LT:
		return request < offer;
	default:
		return request < offer || request > offer;
	}
}

uint32_t match_slots_in(double left, double need, uint32_t most)
{
	double n = trunc(left / need);

	return need <= 0 || n >= most ? most : n < 1 ? 0 : (uint32_t)n;
}

/* What there is now, whatever is reserved for later. */
static double left_now(const struct search *s, const struct column *column, const struct offer *o, enum level level, uint32_t object)
{
	double left = o->fixed - o->used;

	if (o->load_text && level != LEVEL_QUEUE)
		left = cluster_stricter(column->complex->relop, left, cluster_load_value(&s->d->cluster, column, o, level, object));
	return left;
}

/* Too little is left over its time, for `slots` of them: has somebody later what is free now? */
static bool tell_kept(struct search *s, const struct column *column, const struct offer *o, enum level level, uint32_t object, double need,
		      double left, uint32_t slots)
{
	const char *keeper;

	if (s->silent || !s->timed || s->later || s->free || match_slots_in(left_now(s, column, o, level, object), need, slots) < slots)
		return false;
	keeper = pledge_keeper(s, column->complex->name, level, object);
	if (keeper)
		match_why(s, WHY_KEPT, keeper, object_name(s, level, object), need, left);
	return keeper != NULL;
}

static void tell_lack(struct search *s, const struct column *column, const struct offer *o, enum level level, uint32_t object, double need, double left)
{
	if (!tell_kept(s, column, o, level, object, need, left, 1))
		match_why(s, WHY_CONSUMABLE, column->complex->name, object_name(s, level, object), need, left);
}

/*
 * Where somebody has the object to himself now, and the job does not say whether it wants that, 8.1.9
 * takes it that a parallel job will never get it.
 */
static bool is_taken_for_good(const struct search *s, const struct column *column, const struct offer *o)
{
	struct search now = *s;

	if (!s->after || s->category->requested[column - s->d->cluster.columns])
		return false;
	search_at(&now, s->d->now);
	return match_booked(&now, o->used, o->used_line) > 0;
}

/* Slots that the k-th consumable of an object allows. */
static uint32_t consumable_slots(struct search *s, size_t k, enum level level, uint32_t object, uint32_t most)
{
	struct column *column = &s->d->cluster.columns[s->d->cluster.consumables[k]];
	const struct offer *o = offer_of(s, column, level, object);
	double need = s->category->need[k], left;
	uint32_t n;

	if (!o || !o->fixed_text || (column->complex->consumable == CONSUMABLE_JOB && s->category->pe && level != LEVEL_GLOBAL))
		return most;
	if (column->complex->relop == RELOP_EXCL && is_taken_for_good(s, column, o))
		return 0;
	if (column->complex->relop == RELOP_EXCL)
		return o->fixed == 0 || fits_exclusively(s, column, o, need != 0, object_name(s, level, object)) ? most : 0;
	if (need == 0)
		return most;
	left = match_left(s, column, o, level, object);
	if (most == 1 || column->complex->consumable == CONSUMABLE_JOB)
		n = match_satisfies(column->complex->relop, need, left) ? most : 0;
	else
		n = match_slots_in(left, need, most);
	if (n == 0)
		tell_lack(s, column, o, level, object, need, left);
	else if (n < most)
		tell_kept(s, column, o, level, object, need, left, n + 1);
	return n;
}

/* Requests */

static bool text_satisfies(const struct complex *complex, const char *request, const char *offer)
{
	bool matches = pattern_match(request, offer, complex->type == TYPE_CSTRING || complex->type == TYPE_HOST);

	return complex->relop == RELOP_NE ? !matches : matches;
}

bool match_offer(const struct column *column, const struct resource_request *w, const char *text, double value)
{
	if (column->is_text)
		return text_satisfies(column->complex, w->value_text, text);
	return match_satisfies(column->complex->relop, w->value, value);
}

/* What the object offers for a request that is not booked. False: nothing. */
static bool offers(const struct search *s, const struct column *column, enum level level, uint32_t object, double *value)
{
	const struct offer *o = offer_of(s, column, level, object);

	if (!o || (!o->fixed_text && !o->load_text))
		return false;
	if (level == LEVEL_QUEUE && s->category->advance && advance_lasts(s->category->advance, column->complex->name, value))
		return true;
	if (o->load_text && !o->fixed_text && s->later) {
		*value = o->load;
		return true;
	}
	return cluster_value(&s->d->cluster, column, level, object, value);
}

bool match_fits(struct search *s, const struct resource_request *w, enum level level, uint32_t object)
{
	const struct column *column = &s->d->cluster.columns[w->column];
	const struct offer *o = offer_of(s, column, level, object);
	double value = 0.0;

	if (!o || (!o->fixed_text && !o->load_text))
		return true;
	if (column->complex->consumable != CONSUMABLE_NO && o->fixed_text)
		return true;		/* seen to by consumable_slots() */
	offers(s, column, level, object, &value);
	return match_offer(column, w, o->fixed_text ? o->fixed_text : o->load_text, value);
}

double match_had(const struct search *s, const struct resource_request *w, enum level level, uint32_t object)
{
	double had = 0.0;

	offers(s, &s->d->cluster.columns[w->column], level, object, &had);
	return had;
}

/*
 * For jobs of one slot, where some may be reserved for, a load value alone is nothing that could be
 * booked; advance reservations alone make no such difference.
 */
bool match_is_offered(const struct search *s, const struct resource_request *w, uint32_t instance)
{
	struct column *column = &s->d->cluster.columns[w->column];
	bool any = false, loads = !s->d->reserves || s->category->pe || column->complex->consumable == CONSUMABLE_NO;

	/* most are offered by queues */
	for (int level = LEVEL_QUEUE; level >= LEVEL_GLOBAL && !any; level--) {
		uint32_t object = level == LEVEL_HOST ? s->d->cluster.instances[instance].host : instance;
		const struct offer *o = offer_of(s, column, (enum level)level, object);

		any = o && (o->fixed_text || (loads && o->load_text));
	}
	return any;
}

static bool requests_fit(struct search *s, enum level level, uint32_t object)
{
	for (size_t i = 0; i < s->category->nhard; i++) {
		struct resource_request *w = &s->category->hard[i];
		const struct column *column = w->column == UINT32_MAX ? NULL : &s->d->cluster.columns[w->column];

		if (isnan(w->value)) {
			match_why(s, WHY_ATTRIBUTE, w->text, object_name(s, level, object), 0, 0);
			return false;
		}
		if (column && column->complex->consumable == CONSUMABLE_JOB && s->category->pe)
			continue;	/* the master's affair */
		s->failed = column ? w : NULL;
		if (!column || (level == LEVEL_QUEUE && !match_is_offered(s, w, object))) {
			match_why(s, WHY_NO_ATTRIBUTE, w->text, object_name(s, level, object), 0, 0);
			return false;
		}
		if (match_fits(s, w, level, object)) {
			s->failed = NULL;
			continue;
		}
		match_why(s, WHY_ATTRIBUTE, w->text, object_name(s, level, object), w->value, match_had(s, w, level, object));
		return false;
	}
	return true;
}

bool match_forced(struct search *s, enum level level, uint32_t object)
{
	const struct cluster *c = &s->d->cluster;

	for (size_t k = 0; k < c->nforced; k++) {
		const struct offer *o = column_offer(&c->columns[c->forced[k]], level, object);

		if (!o || !o->fixed_text || s->category->requested[c->forced[k]])
			continue;
		match_why(s, WHY_FORCED, c->columns[c->forced[k]].complex->name, object_name(s, level, object), 0, 0);
		return false;
	}
	return true;
}

uint32_t match_object(struct search *s, enum level level, uint32_t object, uint32_t most)
{
	uint32_t slots = most;

	if (!match_forced(s, level, object) || !requests_fit(s, level, object))
		return 0;
	for (size_t k = 0; k < s->d->cluster.nconsumables && slots > 0; k++)
		slots = consumable_slots(s, k, level, object, slots);
	return slots;
}

/* Of a JOB consumable the master task takes all that the job takes; `from` that level on. */
static bool job_consumable_fits(struct search *s, size_t k, uint32_t instance, enum level from)
{
	struct column *column = &s->d->cluster.columns[s->d->cluster.consumables[k]];
	double need = s->category->need[k], left;

	if (column->complex->consumable != CONSUMABLE_JOB || need == 0)
		return true;
	for (enum level level = from; level < LEVELS; level++) {
		uint32_t object = level == LEVEL_HOST ? s->d->cluster.instances[instance].host : instance;
		const struct offer *o = offer_of(s, column, level, object);

		if (!o || !o->fixed_text)
			continue;
		left = match_left(s, column, o, level, object);
		if (match_satisfies(column->complex->relop, need, left))
			continue;
		tell_lack(s, column, o, level, object, need, left);
		return false;
	}
	return true;
}

/* What the job takes once must be offered where the master is; elsewhere nobody asks for it. */
static bool job_requests_are_offered(struct search *s, uint32_t instance)
{
	for (size_t i = 0; i < s->category->nhard; i++) {
		const struct resource_request *w = &s->category->hard[i];

		if (w->column == UINT32_MAX || s->d->cluster.columns[w->column].complex->consumable != CONSUMABLE_JOB || match_is_offered(s, w, instance))
			continue;
		match_why(s, WHY_NO_ATTRIBUTE, w->text, s->d->cluster.instances[instance].name, 0, 0);
		return false;
	}
	return true;
}

bool match_once(struct search *s, uint32_t instance, enum level from)
{
	for (size_t k = 0; k < s->d->cluster.nconsumables; k++)
		if (!job_consumable_fits(s, k, instance, from))
			return false;
	return job_requests_are_offered(s, instance);
}

bool match_has_forced(struct search *s, uint32_t instance)
{
	return match_forced(s, LEVEL_HOST, s->d->cluster.instances[instance].host) && match_forced(s, LEVEL_QUEUE, instance);
}

/* Soft requests */

/*
 * One for each level that offers it and doesn't satisfy, one more when no level does and the queue
 * doesn't offer it.
 */
static uint32_t soft_violations(struct search *s, const struct resource_request *w, uint32_t instance)
{
	bool satisfied = false;
	uint32_t n = 0;

	if (w->column == UINT32_MAX)
		return 1;
	for (enum level level = LEVEL_GLOBAL; level < LEVELS; level++) {
		uint32_t object = level == LEVEL_HOST ? s->d->cluster.instances[instance].host : instance;
		const struct offer *o = offer_of(s, &s->d->cluster.columns[w->column], level, object);

		if (!o || (!o->fixed_text && !o->load_text)) {
			n += level == LEVEL_QUEUE && !satisfied;
		} else if (match_fits(s, w, level, object)) {
			satisfied = true;
		} else {
			n++;
		}
	}
	return n;
}

uint32_t match_violations(struct search *s, uint32_t instance)
{
	const struct queue_instance *i = &s->d->cluster.instances[instance];
	uint32_t n = 0;

	for (size_t k = 0; k < s->category->nsoft; k++)
		n += soft_violations(s, &s->category->soft[k], instance);
	if (s->category->soft_queues)
		n += queue_list_misses(s->d->cell, s->category->soft_queues, s->d->cluster.queue_names[i->queue],
				       s->d->cluster.host_names[i->host]);
	return n;
}
