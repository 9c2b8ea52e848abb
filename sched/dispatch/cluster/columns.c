/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/cluster/columns.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "conf/base/number.h"
#include "conf/resource_map.h"

static const struct offer nothing = { .used_line = TIMELINE_EMPTY, .shared_line = TIMELINE_EMPTY };

/* Configured values */

static double number_of(const struct complex *complex, const char *text)
{
	double value;

	if (complex->type == TYPE_RSMAP)
		return resource_map_amount(text, &value) == 0 ? value : 0.0;
	return complex->type < TYPE_STRING && number_parse(text, &value) == 0 ? value : 0.0;
}

static void offer_fix(struct offer *offer, const struct complex *complex, const char *text)
{
	*offer = nothing;
	offer->fixed_text = text;
	if (text)
		offer->fixed = offer->configured = number_of(complex, text);
}

/* Find the value of a complex. complex_values contain its name or its shortcut. */
static const char *pairs_text(const struct pairs *pairs, const struct complex *complex)
{
	for (size_t i = 0; i < pairs->n; i++)
		if (strcmp(pairs->items[i].name, complex->name) == 0 ||
		    strcmp(pairs->items[i].name, complex->shortcut) == 0)
			return pairs->items[i].text;
	return NULL;
}

/* Return whether it is an attribute of queues that can be requested as a complex. */
static bool is_queue_attribute(const char *name)
{
	static const char *const names[] = {
		"tmpdir", "calendar", "seq_no",	 "rerun",  "min_cpu_interval", "slots",	  "s_rt",
		"h_rt",	  "d_rt",     "s_cpu",	 "h_cpu",  "s_fsize",	       "h_fsize", "s_data",
		"h_data", "s_stack",  "h_stack", "s_core", "h_core",	       "s_rss",	  "h_rss",
		"s_vmem", "h_vmem",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* Return the value of an instance. complex_values of the queue have priority over its attribute. */
static const char *instance_text(const struct cluster *cluster, const struct queue_instance *instance,
				 const struct complex *complex, bool attribute)
{
	const char *text = pairs_text(&cluster->profiles[instance->profile].complex_values, complex);

	if (text)
		return text;
	if (strcmp(complex->name, "qname") == 0)
		return cluster->queue_names[instance->queue];
	if (strcmp(complex->name, "hostname") == 0)
		return cluster->host_names[instance->host];
	return attribute ? cell_queue_value(cluster->cell, &cluster->cell->queues[instance->queue],
					    cluster->host_names[instance->host], complex->name)
			 : NULL;
}

static int fix_hosts(struct cluster *cluster, struct column *column)
{
	bool any = false;

	column->hosts = malloc((cluster->nhosts + 1) * sizeof(*column->hosts));
	if (!column->hosts)
		return -ENOMEM;
	for (size_t h = 0; h < cluster->nhosts; h++) {
		const char *text = cluster->hosts[h].conf
					   ? pairs_text(&cluster->hosts[h].conf->complex_values, column->complex)
					   : NULL;

		offer_fix(&column->hosts[h], column->complex, text);
		any |= text != NULL;
	}
	column->hosts_configured = column->hosts_offer = any;
	return 0;
}

static int fix_instances(struct cluster *cluster, struct column *column)
{
	bool attribute = is_queue_attribute(column->complex->name), any = false;

	column->instances = malloc((cluster->ninstances + 1) * sizeof(*column->instances));
	if (!column->instances)
		return -ENOMEM;
	for (size_t i = 0; i < cluster->ninstances; i++) {
		const char *text = instance_text(cluster, &cluster->instances[i], column->complex, attribute);

		offer_fix(&column->instances[i], column->complex, text);
		any |= text != NULL;
	}
	if (!any) {
		free(column->instances);
		column->instances = NULL;
	}
	return 0;
}

static void column_adjustment(const struct cluster *cluster, struct column *column)
{
	const struct pair *pair = pairs_find(&cluster->cell->sched.job_load_adjustments, column->complex->name);

	if (!pair)
		pair = pairs_find(&cluster->cell->sched.job_load_adjustments, column->complex->shortcut);
	if (pair && number_parse(pair->text, &column->slot_load) != 0)
		column->slot_load = 0.0;
	column->adjustment = cluster->cell->sched.load_adjustment_decay_time > 0 ? column->slot_load : 0.0;
	column->per_processor = strncmp(column->complex->name, "np_", 3) == 0;
}

/* Loads */

/* Scale a load value. The result has three decimals, as in Grid Engine. */
static double scaled(const struct host_conf *conf, const struct complex *complex, double value)
{
	const struct pair *factor = conf ? pairs_find(&conf->load_scaling, complex->name) : NULL;
	char text[350];

	if (!factor)
		return value;
	snprintf(text, sizeof(text), "%8.3f", value * factor->value);
	return strtod(text, NULL);
}

static void offer_load(struct offer *offer, const struct host_conf *conf, const struct complex *complex,
		       const char *text)
{
	double value = 0.0;

	if (complex->type < TYPE_STRING && number_parse(text, &value) != 0)
		return;
	offer->load_text = text;
	offer->load = complex->type < TYPE_STRING ? scaled(conf, complex, value) : 0.0;
}

static void host_offer(struct cluster *cluster, struct column *column, uint32_t host, const char *text)
{
	offer_load(&column->hosts[host], cluster->hosts[host].conf, column->complex, text);
	column->hosts_offer = true;
}

static void column_load(struct cluster *cluster, struct column *column)
{
	for (uint32_t h = 0; h < cluster->nhosts; h++)
		for (size_t k = 0; k < cluster->loads[h].n; k++)
			if (strcmp(cluster->loads[h].values[k].name, column->complex->name) == 0)
				host_offer(cluster, column, h, cluster->loads[h].values[k].value);
	for (size_t k = 0; k < cluster->global_loads.n; k++)
		if (strcmp(cluster->global_loads.values[k].name, column->complex->name) == 0)
			offer_load(&column->global, cluster->global_host, column->complex,
				   cluster->global_loads.values[k].value);
}

/* Columns */

static int add_number(uint32_t **list, size_t *n, uint32_t number)
{
	uint32_t *item = array_add(list, n, sizeof(**list));

	if (!item)
		return -ENOMEM;
	*item = number;
	return 0;
}

uint32_t cluster_column(struct cluster *cluster, const struct complex *complex)
{
	size_t at = (size_t)(complex - cluster->cell->complexes);
	struct column *column;

	if (cluster->column_of[at] != UINT32_MAX)
		return cluster->column_of[at];
	column = array_add(&cluster->columns, &cluster->ncolumns, sizeof(*column));
	if (!column)
		return UINT32_MAX;
	*column = (struct column){ .complex = complex,
				   .consumable = UINT32_MAX,
				   .is_slots = strcmp(complex->name, "slots") == 0,
				   .is_text = complex->type >= TYPE_STRING };
	column_adjustment(cluster, column);
	offer_fix(&column->global, complex,
		  cluster->global_host ? pairs_text(&cluster->global_host->complex_values, complex) : NULL);
	if (fix_hosts(cluster, column) || fix_instances(cluster, column)) {
		free(column->hosts);
		free(column->instances);
		cluster->ncolumns--;
		return UINT32_MAX;
	}
	column_load(cluster, column);
	cluster->column_of[at] = (uint32_t)cluster->ncolumns - 1;
	return cluster->column_of[at];
}

static bool is_configured(const struct column *column)
{
	return column->global.fixed_text || column->hosts_configured || column->instances;
}

/*
 * Create the column of a consumable or a FORCED complex. Such a complex matters for each job on an
 * object that has it.
 */
static int column_needed(struct cluster *cluster, const struct complex *complex)
{
	uint32_t column = cluster_column(cluster, complex);

	if (column == UINT32_MAX)
		return -ENOMEM;
	if (!is_configured(&cluster->columns[column]))
		return 0;
	cluster->columns[column].consumable =
		complex->consumable != CONSUMABLE_NO ? (uint32_t)cluster->nconsumables : UINT32_MAX;
	if (complex->consumable != CONSUMABLE_NO && add_number(&cluster->consumables, &cluster->nconsumables, column))
		return -ENOMEM;
	if (complex->requestable == REQUESTABLE_FORCED && add_number(&cluster->forced, &cluster->nforced, column))
		return -ENOMEM;
	return 0;
}

int cluster_name(struct cluster *cluster, const char *name)
{
	const struct complex *complex = name ? cell_complex(cluster->cell, name) : NULL;

	return complex && cluster_column(cluster, complex) == UINT32_MAX ? -ENOMEM : 0;
}

static int named_by_pairs(struct cluster *cluster, const struct pairs *pairs)
{
	int rc = 0;

	for (size_t i = 0; i < pairs->n && rc == 0; i++)
		rc = cluster_name(cluster, pairs->items[i].name);
	return rc;
}

int columns_create(struct cluster *cluster)
{
	const struct formula *formula = &cluster->cell->sched.formula;
	const struct complex *slots = cell_complex(cluster->cell, "slots");
	int rc = 0;

	cluster->slots = UINT32_MAX;
	cluster->column_of = malloc((cluster->cell->ncomplexes + 1) * sizeof(*cluster->column_of));
	if (!cluster->column_of)
		return -ENOMEM;
	memset(cluster->column_of, 0xff, (cluster->cell->ncomplexes + 1) * sizeof(*cluster->column_of));
	for (size_t i = 0; i < cluster->cell->ncomplexes && rc == 0; i++)
		if (cluster->cell->complexes[i].consumable != CONSUMABLE_NO ||
		    cluster->cell->complexes[i].requestable == REQUESTABLE_FORCED)
			rc = column_needed(cluster, &cluster->cell->complexes[i]);
	for (size_t i = 0; i < formula->n && rc == 0; i++) {
		rc = cluster_name(cluster, formula->terms[i].x.name);
		if (rc == 0)
			rc = cluster_name(cluster, formula->terms[i].y.name);
	}
	for (size_t i = 0; i < cluster->nprofiles && rc == 0; i++) {
		rc = named_by_pairs(cluster, &cluster->profiles[i].load_thresholds);
		if (rc == 0)
			rc = named_by_pairs(cluster, &cluster->profiles[i].suspend_thresholds);
	}
	if (rc == 0 && slots)
		cluster->slots = cluster->column_of[slots - cluster->cell->complexes];
	return rc;
}

void columns_destroy(struct cluster *cluster)
{
	for (size_t i = 0; i < cluster->ncolumns; i++) {
		free(cluster->columns[i].hosts);
		free(cluster->columns[i].instances);
	}
	free(cluster->columns);
	free(cluster->column_of);
	free(cluster->consumables);
	free(cluster->forced);
}

static void offer_begin(struct offer *offer, bool keeps)
{
	offer->fixed = offer->configured;
	offer->load_text = NULL;
	offer->load = offer->used = offer->shared = 0.0;
	if (!keeps)
		offer->used_line = offer->shared_line = TIMELINE_EMPTY;
}

void columns_begin(struct cluster *cluster, bool keeps)
{
	for (size_t k = 0; k < cluster->ncolumns; k++) {
		struct column *column = &cluster->columns[k];

		column->hosts_offer = column->hosts_configured;
		offer_begin(&column->global, keeps);
		for (size_t h = 0; h < cluster->nhosts; h++)
			offer_begin(&column->hosts[h], keeps);
		for (size_t i = 0; column->instances && i < cluster->ninstances; i++)
			offer_begin(&column->instances[i], keeps);
	}
}

void column_set_slots(struct cluster *cluster, uint32_t instance, uint32_t slots)
{
	if (cluster->slots == UINT32_MAX || !cluster->columns[cluster->slots].instances)
		return;
	cluster->columns[cluster->slots].instances[instance].fixed = slots;
}

/* Loads of a run */

void cluster_load(struct cluster *cluster, uint32_t host, const struct load_text *values, size_t n)
{
	*(host == GLOBAL_HOST ? &cluster->global_loads : &cluster->loads[host]) = (struct host_loads){ values, n };
}

/*
 * Guess of the column of a load value. Hosts usually report equal values in equal order, so value k
 * of a host has the column of value k of the previous host.
 */
struct guess {
	const char *name;
	uint32_t column;
};

#define GUESSES 64

static uint32_t column_named(struct cluster *cluster, struct guess *guess, const char *name)
{
	const struct complex *complex;

	if (guess->name && (guess->name == name || strcmp(guess->name, name) == 0))
		return guess->column;
	complex = cell_complex(cluster->cell, name);
	guess->name = name;
	guess->column = complex && strcmp(complex->name, name) == 0
				? cluster->column_of[complex - cluster->cell->complexes]
				: UINT32_MAX;
	return guess->column;
}

static void host_load(struct cluster *cluster, struct guess *guesses, uint32_t host, const struct host_loads *loads)
{
	double processors;

	for (size_t k = 0; k < loads->n; k++) {
		uint32_t column = column_named(cluster, &guesses[k % GUESSES], loads->values[k].name);
		struct column *of = column == UINT32_MAX ? NULL : &cluster->columns[column];

		if (of && host == GLOBAL_HOST)
			offer_load(&of->global, cluster->global_host, of->complex, loads->values[k].value);
		else if (of)
			host_offer(cluster, of, host, loads->values[k].value);
		if (host != GLOBAL_HOST && strcmp(loads->values[k].name, "num_proc") == 0 &&
		    number_parse(loads->values[k].value, &processors) == 0 && processors >= 1 &&
		    processors <= UINT32_MAX)
			cluster->hosts[host].processors = (uint32_t)processors;
	}
}

int cluster_ready(struct cluster *cluster)
{
	struct guess guesses[GUESSES] = { { NULL, 0 } };

	host_load(cluster, guesses, GLOBAL_HOST, &cluster->global_loads);
	for (uint32_t h = 0; h < cluster->nhosts; h++) {
		cluster->hosts[h].processors = 1;
		host_load(cluster, guesses, h, &cluster->loads[h]);
	}
	return 0;
}

/* Values */

/* Return which of a configured and a reported value counts: complex(5). */
double cluster_stricter(enum complex_relop relop, double fixed, double load)
{
	switch (relop) {
	case RELOP_EQ:
	case RELOP_NE:
	case RELOP_EXCL:
		return fixed;
	case RELOP_GE:
	case RELOP_GT:
		return fmax(fixed, load);
	default:
		return fmin(fixed, load);
	}
}

bool cluster_value(const struct cluster *cluster, const struct column *column, enum level level, uint32_t object,
		   double *value)
{
	const struct offer *offer = column_offer((struct column *)column, level, object);
	uint32_t host = level == LEVEL_HOST ? object : 0;
	double fixed;

	if (!offer || (!offer->fixed_text && !offer->load_text))
		return false;
	fixed = (cluster->as_reported && level == LEVEL_HOST ? offer->configured : offer->fixed) -
		(column->complex->consumable ? offer->used : 0.0);
	if (!offer->load_text)
		*value = fixed;
	else if (!offer->fixed_text)
		*value = cluster_load_value(cluster, column, offer, level, host);
	else
		*value = cluster_stricter(column->complex->relop, fixed,
					  cluster_load_value(cluster, column, offer, level, host));
	return true;
}
