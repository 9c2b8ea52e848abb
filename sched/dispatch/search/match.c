/* SPDX-License-Identifier: Apache-2.0 */
/* Match one object with the requests of a category: complex(5). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "sched/dispatch/search/advance.h"
#include "sched/dispatch/search/match.h"
#include "sched/dispatch/search/pattern.h"
#include "sched/dispatch/search/pledge.h"
#include "sched/dispatch/search/search.h"

void match_why(struct search *search, enum why_kind kind, const char *subject, const char *object, double wanted,
	       double had)
{
	if (!search->question.silent)
		why_add(search->shared->why, search->question.category->verdict->why, kind, subject, object, wanted,
			had);
}

static const char *object_name(const struct search *search, enum level level, uint32_t object)
{
	const struct cluster *cluster = &search->supply->cluster;

	return level == LEVEL_GLOBAL ? "global"
	       : level == LEVEL_HOST ? cluster->host_names[object]
				     : cluster->instances[object].name;
}

static const struct offer *offer_of(const struct search *search, const struct column *column, enum level level,
				    uint32_t object)
{
	return category_offer(&search->supply->cluster, search->question.category, (struct column *)column, level,
			      object);
}

/* Consumables */

static double booked(const struct search *search, const struct timelines *timelines, double now, uint32_t line)
{
	if (search->question.counts == COUNT_NOTHING)
		return 0.0;
	if (search->question.counts == COUNT_NOW || (line == TIMELINE_EMPTY && !search->supply->reserves))
		return now;
	return timeline_max(timelines, line, search->question.begin, search->question.end);
}

double match_booked(const struct search *search, double now, uint32_t line)
{
	return booked(search, &search->supply->cluster.timelines, now, line);
}

double match_limited(const struct search *search, double now, uint32_t line)
{
	return booked(search, &search->supply->cluster.limits, now, line);
}

/*
 * Check an exclusive consumable. A job that wants the object alone needs it empty. While such a job
 * has it, no other job gets it.
 */
static bool fits_exclusively(struct search *search, const struct column *column, const struct offer *offer, bool wanted,
			     const char *object)
{
	double alone = match_booked(search, offer->used, offer->used_line),
	       others = wanted ? match_booked(search, offer->shared, offer->shared_line) : 0.0;

	if (alone == 0.0 && others == 0.0)
		return true;
	match_why(search, WHY_EXCLUSIVE, column->complex->name, object, 0, 0);
	return false;
}

double match_left(const struct search *search, const struct column *column, const struct offer *offer, enum level level,
		  uint32_t object)
{
	double left = offer->fixed - match_booked(search, offer->used, offer->used_line);

	if (offer->load_text && !search_is_later(search) && level != LEVEL_QUEUE)
		left = cluster_stricter(column->complex->relop, left,
					cluster_load_value(&search->supply->cluster, column, offer, level, object));
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

/* Return the amount left now, without regard to reservations for later. */
static double left_now(const struct search *search, const struct column *column, const struct offer *offer,
		       enum level level, uint32_t object)
{
	double left = offer->fixed - offer->used;

	if (offer->load_text && level != LEVEL_QUEUE)
		left = cluster_stricter(column->complex->relop, left,
					cluster_load_value(&search->supply->cluster, column, offer, level, object));
	return left;
}

/*
 * Record that free resources are kept for another job, if that is the reason why less than `slots`
 * slots fit over the whole duration.
 */
static bool report_kept(struct search *search, const struct column *column, const struct offer *offer, enum level level,
			uint32_t object, double need, double left, uint32_t slots)
{
	const char *keeper;

	if (search->question.silent || search->question.counts != COUNT_IN_TIME || search_is_later(search) ||
	    match_slots_in(left_now(search, column, offer, level, object), need, slots) < slots)
		return false;
	keeper = pledge_keeper(search, column->complex->name, level, object);
	if (keeper)
		match_why(search, WHY_KEPT, keeper, object_name(search, level, object), need, left);
	return keeper != NULL;
}

static void report_lack(struct search *search, const struct column *column, const struct offer *offer, enum level level,
			uint32_t object, double need, double left)
{
	if (!report_kept(search, column, offer, level, object, need, left, 1))
		match_why(search, WHY_CONSUMABLE, column->complex->name, object_name(search, level, object), need,
			  left);
}

static bool is_used_now(const struct search *search, const struct offer *offer)
{
	const struct search now = search_at(search, search->supply->now);

	return match_booked(&now, offer->used, offer->used_line) > 0;
}

/*
 * Return whether the object is used exclusively now and the job does not request the complex. In
 * that case Grid Engine 8.1.9 assumes that a parallel job will never get the object.
 */
static bool is_taken_for_good(const struct search *search, const struct column *column, const struct offer *offer)
{
	return search->question.purpose == SEARCH_FORECAST_TRIED &&
	       !search->question.category->requested[column - search->supply->cluster.columns] &&
	       is_used_now(search, offer);
}

/* Return the slots that consumable k of an object allows. */
static uint32_t consumable_slots(struct search *search, size_t k, enum level level, uint32_t object, uint32_t most)
{
	struct column *column = &search->supply->cluster.columns[search->supply->cluster.consumables[k]];
	const struct offer *offer = offer_of(search, column, level, object);
	double need = search->question.category->need[k], left;
	uint32_t n;

	if (!offer || !offer->fixed_text ||
	    (column->complex->consumable == CONSUMABLE_JOB && search->question.category->pe && level != LEVEL_GLOBAL))
		return most;
	if (column->complex->relop == RELOP_EXCL && is_taken_for_good(search, column, offer))
		return 0;
	if (column->complex->relop == RELOP_EXCL)
		return offer->fixed == 0 || fits_exclusively(search, column, offer, need != 0,
							     object_name(search, level, object))
			       ? most
			       : 0;
	if (need == 0)
		return most;
	left = match_left(search, column, offer, level, object);
	if (most == 1 || !complex_is_per_slot(column->complex))
		n = match_satisfies(column->complex->relop, need, left) ? most : 0;
	else
		n = match_slots_in(left, need, most);
	if (n == 0)
		report_lack(search, column, offer, level, object, need, left);
	else if (n < most)
		report_kept(search, column, offer, level, object, need, left, n + 1);
	return n;
}

/* Requests */

static bool text_satisfies(const struct complex *complex, const char *request, const char *offer)
{
	bool matches = pattern_match(request, offer, complex->type == TYPE_CSTRING || complex->type == TYPE_HOST);

	return complex->relop == RELOP_NE ? !matches : matches;
}

bool match_offer(const struct column *column, const struct resource_request *request, const char *text, double value)
{
	if (column->is_text)
		return text_satisfies(column->complex, request->value_text, text);
	return match_satisfies(column->complex->relop, request->value, value);
}

/* Get what the object offers for a request that is not booked. False: nothing. */
static bool offers(const struct search *search, const struct column *column, enum level level, uint32_t object,
		   double *value)
{
	const struct offer *offer = offer_of(search, column, level, object);

	if (!offer || (!offer->fixed_text && !offer->load_text))
		return false;
	if (level == LEVEL_QUEUE && search->question.category->advance &&
	    advance_lasts(search->question.category->advance, column->complex->name, value))
		return true;
	if (offer->load_text && !offer->fixed_text && search_is_later(search)) {
		*value = offer->load;
		return true;
	}
	return cluster_value(&search->supply->cluster, column, level, object, value);
}

bool match_fits(struct search *search, const struct resource_request *request, enum level level, uint32_t object)
{
	const struct column *column = &search->supply->cluster.columns[request->column];
	const struct offer *offer = offer_of(search, column, level, object);
	double value = 0.0;

	if (!offer || (!offer->fixed_text && !offer->load_text))
		return true;
	if (column->complex->consumable != CONSUMABLE_NO && offer->fixed_text)
		return true;		/* checked by consumable_slots() */
	offers(search, column, level, object, &value);
	return match_offer(column, request, offer->fixed_text ? offer->fixed_text : offer->load_text, value);
}

double match_had(const struct search *search, const struct resource_request *request, enum level level, uint32_t object)
{
	double had = 0.0;

	offers(search, &search->supply->cluster.columns[request->column], level, object, &had);
	return had;
}

/*
 * If reservations are possible, a load value without a configured value cannot be booked and is not
 * an offer to jobs of one slot. Advance reservations alone have no such effect.
 */
bool match_is_offered(const struct search *search, const struct resource_request *request, uint32_t instance)
{
	struct column *column = &search->supply->cluster.columns[request->column];
	bool any = false, loads = !search->supply->reserves || search->question.category->pe ||
				  column->complex->consumable == CONSUMABLE_NO;

	/* most attributes are offered by queues */
	for (int level = LEVEL_QUEUE; level >= LEVEL_GLOBAL && !any; level--) {
		uint32_t object = level == LEVEL_HOST ? search->supply->cluster.instances[instance].host : instance;
		const struct offer *offer = offer_of(search, column, (enum level)level, object);

		any = offer && (offer->fixed_text || (loads && offer->load_text));
	}
	return any;
}

static bool requests_fit(struct search *search, enum level level, uint32_t object)
{
	for (size_t i = 0; i < search->question.category->nhard; i++) {
		struct resource_request *request = &search->question.category->hard[i];
		const struct column *column =
			request->column == UINT32_MAX ? NULL : &search->supply->cluster.columns[request->column];

		if (isnan(request->value)) {
			match_why(search, WHY_ATTRIBUTE, request->text, object_name(search, level, object), 0, 0);
			return false;
		}
		if (column && column->complex->consumable == CONSUMABLE_JOB && search->question.category->pe)
			continue;	/* checked for the master task */
		search->failed = column ? request : NULL;
		if (!column || (level == LEVEL_QUEUE && !match_is_offered(search, request, object))) {
			match_why(search, WHY_NO_ATTRIBUTE, request->text, object_name(search, level, object), 0, 0);
			return false;
		}
		if (match_fits(search, request, level, object)) {
			search->failed = NULL;
			continue;
		}
		match_why(search, WHY_ATTRIBUTE, request->text, object_name(search, level, object), request->value,
			  match_had(search, request, level, object));
		return false;
	}
	return true;
}

bool match_forced(struct search *search, enum level level, uint32_t object)
{
	const struct cluster *cluster = &search->supply->cluster;

	for (size_t k = 0; k < cluster->nforced; k++) {
		const struct offer *offer = column_offer(&cluster->columns[cluster->forced[k]], level, object);

		if (!offer || !offer->fixed_text || search->question.category->requested[cluster->forced[k]])
			continue;
		match_why(search, WHY_FORCED, cluster->columns[cluster->forced[k]].complex->name,
			  object_name(search, level, object), 0, 0);
		return false;
	}
	return true;
}

uint32_t match_object(struct search *search, enum level level, uint32_t object, uint32_t most)
{
	uint32_t slots = most;

	if (!match_forced(search, level, object) || !requests_fit(search, level, object))
		return 0;
	for (size_t k = 0; k < search->supply->cluster.nconsumables && slots > 0; k++)
		slots = consumable_slots(search, k, level, object, slots);
	return slots;
}

/*
 * Check a JOB consumable: the master task uses the whole amount of the job. The levels from `from`
 * on are checked.
 */
static bool job_consumable_fits(struct search *search, size_t k, uint32_t instance, enum level from)
{
	struct column *column = &search->supply->cluster.columns[search->supply->cluster.consumables[k]];
	double need = search->question.category->need[k], left;

	if (column->complex->consumable != CONSUMABLE_JOB || need == 0)
		return true;
	for (enum level level = from; level < LEVELS; level++) {
		uint32_t object = level == LEVEL_HOST ? search->supply->cluster.instances[instance].host : instance;
		const struct offer *offer = offer_of(search, column, level, object);

		if (!offer || !offer->fixed_text)
			continue;
		left = match_left(search, column, offer, level, object);
		if (match_satisfies(column->complex->relop, need, left))
			continue;
		report_lack(search, column, offer, level, object, need, left);
		return false;
	}
	return true;
}

/*
 * Check that per-job requests are offered where the master task runs. They are not checked
 * elsewhere.
 */
static bool job_requests_are_offered(struct search *search, uint32_t instance)
{
	for (size_t i = 0; i < search->question.category->nhard; i++) {
		const struct resource_request *request = &search->question.category->hard[i];

		if (request->column == UINT32_MAX ||
		    search->supply->cluster.columns[request->column].complex->consumable != CONSUMABLE_JOB ||
		    match_is_offered(search, request, instance))
			continue;
		match_why(search, WHY_NO_ATTRIBUTE, request->text, search->supply->cluster.instances[instance].name, 0,
			  0);
		return false;
	}
	return true;
}

bool match_once(struct search *search, uint32_t instance, enum level from)
{
	for (size_t k = 0; k < search->supply->cluster.nconsumables; k++)
		if (!job_consumable_fits(search, k, instance, from))
			return false;
	return job_requests_are_offered(search, instance);
}

bool match_has_forced(struct search *search, uint32_t instance)
{
	return match_forced(search, LEVEL_HOST, search->supply->cluster.instances[instance].host) &&
	       match_forced(search, LEVEL_QUEUE, instance);
}
