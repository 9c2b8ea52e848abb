/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/cluster/load.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/formula.h"
#include "conf/base/number.h"

/* Sort value of a host for which the formula has no value. */
#define UNKNOWN_LOAD 9999.0

/* Corrections */

double load_share(int64_t runtime, uint32_t decay)
{
	return runtime <= decay ? 1.0 - (double)(runtime < 0 ? 0 : runtime) / decay : 0.0;
}

static uint32_t percent(double value)
{
	return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

void load_correct_host(struct cluster *cluster, uint32_t host, double share, uint32_t slots)
{
	cluster->hosts[host].correction = percent(share * slots * 100 + cluster->hosts[host].correction);
}

void load_correct_global(struct cluster *cluster, double shares)
{
	cluster->correction = percent(shares * 100 + cluster->correction);
}

double cluster_load_value(const struct cluster *cluster, const struct column *column, const struct offer *offer,
			  enum level level, uint32_t host)
{
	enum complex_relop relop = column->complex->relop;
	uint32_t correction = level == LEVEL_GLOBAL ? cluster->correction : cluster->hosts[host].correction;
	double factor = correction, adjustment;

	if (column->adjustment == 0.0 || correction == 0 || cluster->as_reported)
		return offer->load;
	if (column->per_processor && level == LEVEL_HOST)
		factor /= cluster->hosts[host].processors;
	adjustment = column->adjustment * (factor / 100);
	return relop == RELOP_GE || relop == RELOP_GT ? offer->load + adjustment : offer->load - adjustment;
}

static void correct_capacity(const struct cluster *cluster, const struct column *column, uint32_t host)
{
	struct offer *offer = &column->hosts[host];
	double external;

	if (!offer->fixed_text || !offer->load_text)
		return;
	external = offer->fixed - offer->used - cluster_load_value(cluster, column, offer, LEVEL_HOST, host);
	/* INFINITY; the difference of such numbers would lose small amounts */
	if (external > LARGEST_NEED)
		offer->fixed = offer->used + cluster_load_value(cluster, column, offer, LEVEL_HOST, host);
	else if (external > 0)
		offer->fixed -= external;
}

void load_correct_capacity(struct cluster *cluster)
{
	for (size_t k = 0; k < cluster->nconsumables; k++) {
		const struct column *column = &cluster->columns[cluster->consumables[k]];
		enum complex_relop relop = column->complex->relop;

		if (!column->hosts_configured || relop == RELOP_GE || relop == RELOP_GT || relop == RELOP_EXCL)
			continue;
		for (uint32_t h = 0; h < cluster->nhosts; h++)
			correct_capacity(cluster, column, h);
	}
}

/* load_formula */

struct formula_values {
	const struct cluster *c;
	uint32_t host;
};

static double lookup(void *context, const char *name, bool *known)
{
	const struct formula_values *values = context;
	const struct complex *complex = cell_complex(values->c->cell, name);
	uint32_t number = complex ? values->c->column_of[complex - values->c->cell->complexes] : UINT32_MAX;
	const struct column *column = number == UINT32_MAX ? NULL : &values->c->columns[number];
	double host = 0.0, global = 0.0;
	bool on_host = column && cluster_value(values->c, column, LEVEL_HOST, values->host, &host);
	bool on_global = column && cluster_value(values->c, column, LEVEL_GLOBAL, 0, &global);

	*known = on_host || on_global;
	if (on_host && on_global)
		return cluster_stricter(complex->relop, host, global);
	return on_host ? host : global;
}

double cluster_host_value(const struct cluster *cluster, uint32_t host)
{
	struct formula_values values = { cluster, host };
	bool known = true;
	double value = formula_value(&cluster->cell->sched.formula, lookup, &values, &known);

	return known ? value : UNKNOWN_LOAD;
}

/* Thresholds */

static bool crosses(enum complex_relop relop, double value, double threshold)
{
	switch (relop) {
	case RELOP_EQ:
		return value == threshold;
	case RELOP_GE:
		return value >= threshold;
	case RELOP_GT:
		return value > threshold;
	case RELOP_LE:
		return value <= threshold;
	case RELOP_LT:
		return value < threshold;
	default:
		return value != threshold;
	}
}

static bool level_value(const struct cluster *cluster, struct column *column, enum level level, uint32_t object,
			const struct load_when *when, double *value)
{
	const struct offer *offer = column_offer(column, level, object);

	if (!cluster_value(cluster, column, level, object, value))
		return false;
	if (!when || !offer->fixed_text)
		return true;
	*value = offer->fixed - timeline_max(&cluster->timelines, offer->used_line, when->begin, when->end);
	if (offer->load_text)
		*value = cluster_stricter(
			column->complex->relop, *value,
			cluster_load_value(cluster, column, offer, level, level == LEVEL_HOST ? object : 0));
	return true;
}

/*
 * Get what is left of a consumable on all levels, now or during `when`. It is rounded as Grid
 * Engine rounds it before a comparison.
 */
static bool what_is_left(const struct cluster *cluster, struct column *column, uint32_t number,
			 const struct load_when *when, double *left, enum level *from)
{
	const struct queue_instance *instance = &cluster->instances[number];
	double value;
	bool any = false;
	char text[350];

	for (enum level level = LEVEL_GLOBAL; level < LEVELS; level++) {
		uint32_t object = level == LEVEL_QUEUE ? number : instance->host;

		if (!level_value(cluster, column, level, object, when, &value))
			continue;
		if (!any || cluster_stricter(column->complex->relop, value, *left) != *left) {
			*left = any ? cluster_stricter(column->complex->relop, value, *left) : value;
			*from = level;
		}
		any = true;
	}
	if (any) {
		snprintf(text, sizeof(text), "%8.3f", *left);
		*left = strtod(text, NULL);
	}
	return any;
}

/*
 * Return the offer of a load and its level: the host, otherwise the cluster, otherwise the queue's
 * complex_values.
 */
static const struct offer *load_offer(const struct column *column, const struct queue_instance *instance,
				      uint32_t number, enum level *level)
{
	*level = LEVEL_HOST;
	if (column->hosts[instance->host].load_text)
		return &column->hosts[instance->host];
	*level = LEVEL_GLOBAL;
	if (column->global.load_text)
		return &column->global;
	*level = LEVEL_QUEUE;
	return column->instances && column->instances[number].fixed_text ? &column->instances[number] : NULL;
}

static bool text_crosses(const struct column *column, const struct offer *offer, enum level level,
			 const char *threshold)
{
	bool equal = strcmp(level == LEVEL_QUEUE ? offer->fixed_text : offer->load_text, threshold) == 0;

	return column->complex->relop == RELOP_EQ ? equal : !equal;
}

bool load_alarm_on(const struct cluster *cluster, uint32_t number, const struct pair *threshold, bool consumables_too,
		   struct alarm *alarm)
{
	const struct queue_instance *instance = &cluster->instances[number];
	const struct complex *complex = cell_complex(cluster->cell, threshold->name);
	uint32_t at = complex ? cluster->column_of[complex - cluster->cell->complexes] : UINT32_MAX;
	struct column *column = at == UINT32_MAX ? NULL : &cluster->columns[at];
	const struct offer *offer;
	enum level level;

	*alarm = (struct alarm){ .threshold = threshold };
	if (!column)
		return true;
	if (!column->is_text && !threshold->is_number)
		return true;
	alarm->limit = column->is_text ? 0.0 : threshold->value;
	if (complex->consumable != CONSUMABLE_NO) {
		bool any = consumables_too && what_is_left(cluster, column, number, NULL, &alarm->value, &alarm->level);

		alarm->source = any ? ALARM_CONSUMABLE : ALARM_NOTHING;
		return consumables_too && (!any || crosses(complex->relop, alarm->value, alarm->limit));
	}
	offer = load_offer(column, instance, number, &level);
	if (!offer)
		return true;
	alarm->level = level;
	alarm->source = level == LEVEL_QUEUE ? ALARM_CONFIGURED : ALARM_REPORTED;
	alarm->text = column->is_text ? level == LEVEL_QUEUE ? offer->fixed_text : offer->load_text : NULL;
	if (column->is_text)
		return text_crosses(column, offer, level, threshold->text);
	alarm->value =
		level == LEVEL_QUEUE ? offer->fixed : cluster_load_value(cluster, column, offer, level, instance->host);
	return crosses(complex->relop, alarm->value, alarm->limit);
}

bool load_alarm(const struct cluster *cluster, uint32_t instance, const struct pairs *thresholds, bool consumables_too,
		struct alarm *alarm)
{
	for (size_t i = 0; i < thresholds->n; i++)
		if (load_alarm_on(cluster, instance, &thresholds->items[i], consumables_too, alarm))
			return true;
	return false;
}

static double need_of(const struct cluster *cluster, uint32_t column, const double *need)
{
	for (size_t k = 0; k < cluster->nconsumables; k++)
		if (cluster->consumables[k] == column)
			return need[k];
	return 0.0;
}

/*
 * Return the number of slots until a threshold is reached, as Grid Engine 8.1.9 computes it from
 * the reported load. Adjustments by jobs of this run and the decay time do not count. For
 * consumables it uses the amount left.
 */
static double slots_to(const struct cluster *cluster, uint32_t number, const struct pair *threshold, const double *need,
		       const struct load_when *when, bool with_loads)
{
	const struct queue_instance *instance = &cluster->instances[number];
	const struct complex *complex = cell_complex(cluster->cell, threshold->name);
	uint32_t at = complex ? cluster->column_of[complex - cluster->cell->complexes] : UINT32_MAX;
	struct column *column = at == UINT32_MAX ? NULL : &cluster->columns[at];
	double adjustment, limit = threshold->value, value;
	const struct offer *offer;
	enum level level;

	if (!column || column->is_text || !threshold->is_number)
		return INFINITY;
	if (complex->consumable != CONSUMABLE_NO) {
		adjustment = need_of(cluster, at, need);
		return adjustment > 0 && what_is_left(cluster, column, number, when, &value, &level)
			       ? trunc((value - limit) / adjustment)
			       : INFINITY;
	}
	offer = with_loads && column->slot_load != 0.0 ? load_offer(column, instance, number, &level) : NULL;
	if (!offer || level == LEVEL_QUEUE)
		return INFINITY;
	adjustment = column->slot_load;
	if (column->per_processor && level == LEVEL_HOST)
		adjustment /= cluster->hosts[instance->host].processors;
	if (complex->relop != RELOP_GE && complex->relop != RELOP_GT)
		return (offer->load - limit) / adjustment + 1;
	return (limit - offer->load) / adjustment + 1;
}

uint32_t load_headroom(const struct cluster *cluster, uint32_t instance, const double *need,
		       const struct load_when *when, bool with_loads)
{
	const struct pairs *thresholds = &cluster->profiles[cluster->instances[instance].profile].load_thresholds;
	double least = INFINITY;

	for (size_t i = 0; i < thresholds->n; i++)
		least = fmin(least, slots_to(cluster, instance, &thresholds->items[i], need, when, with_loads));
	return least < 0 ? 0 : least < UINT32_MAX ? (uint32_t)least : UINT32_MAX;
}

bool load_thresholds_consume(const struct cluster *cluster)
{
	bool any = false;

	for (size_t i = 0; i < cluster->nprofiles; i++)
		for (size_t k = 0; k < cluster->profiles[i].load_thresholds.n && !any; k++) {
			const struct complex *complex =
				cell_complex(cluster->cell, cluster->profiles[i].load_thresholds.items[k].name);

			any = complex && complex->consumable != CONSUMABLE_NO;
		}
	return any;
}

static bool is_global(const struct cluster *cluster, const struct pairs *thresholds)
{
	for (size_t i = 0; i < thresholds->n; i++) {
		const struct complex *complex = cell_complex(cluster->cell, thresholds->items[i].name);
		uint32_t column = complex ? cluster->column_of[complex - cluster->cell->complexes] : UINT32_MAX;

		if (column != UINT32_MAX &&
		    (cluster->columns[column].global.fixed_text || cluster->columns[column].global.load_text))
			return true;
	}
	return false;
}

bool load_thresholds_are_global(const struct cluster *cluster)
{
	for (size_t i = 0; i < cluster->nprofiles; i++)
		if (is_global(cluster, &cluster->profiles[i].load_thresholds) ||
		    is_global(cluster, &cluster->profiles[i].suspend_thresholds))
			return true;
	return false;
}
