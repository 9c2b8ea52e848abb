/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/cluster/columns.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "conf/number.h"

static const struct offer nothing = { .used_line = TIMELINE_EMPTY, .shared_line = TIMELINE_EMPTY };

/* What is configured */

static double number_of(const struct complex *complex, const char *text)
{
	double value;

	return complex->type < TYPE_STRING && number_parse(text, &value) == 0 ? value : 0.0;
}

static void offer_fix(struct offer *o, const struct complex *complex, const char *text)
{
	*o = nothing;
	o->fixed_text = text;
	if (text)
		o->fixed = o->configured = number_of(complex, text);
}

/* complex_values name it by its name or its shortcut. */
static const char *pairs_text(const struct pairs *pairs, const struct complex *complex)
{
	for (size_t i = 0; i < pairs->n; i++)
		if (strcmp(pairs->items[i].name, complex->name) == 0 || strcmp(pairs->items[i].name, complex->shortcut) == 0)
			return pairs->items[i].text;
	return NULL;
}

/* Attributes of a queue that can be requested as complexes. */
static bool is_queue_attribute(const char *name)
{
	static const char *const names[] = {
		"tmpdir", "calendar", "seq_no", "rerun", "min_cpu_interval", "slots", "s_rt", "h_rt", "d_rt", "s_cpu", "h_cpu", "s_fsize",
		"h_fsize", "s_data", "h_data", "s_stack", "h_stack", "s_core", "h_core", "s_rss", "h_rss", "s_vmem", "h_vmem",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* complex_values of a queue come before an attribute that it has anyway. */
static const char *instance_text(const struct cluster *c, const struct queue_instance *i, const struct complex *complex, bool attribute)
{
	const char *text = pairs_text(&c->profiles[i->profile].complex_values, complex);

	if (text)
		return text;
	if (strcmp(complex->name, "qname") == 0)
		return c->queue_names[i->queue];
	if (strcmp(complex->name, "hostname") == 0)
		return c->host_names[i->host];
	return attribute ? cell_queue_value(c->cell, &c->cell->queues[i->queue], c->host_names[i->host], complex->name) : NULL;
}

static int fix_hosts(struct cluster *c, struct column *column)
{
	bool any = false;

	column->hosts = malloc((c->nhosts + 1) * sizeof(*column->hosts));
	if (!column->hosts)
		return -ENOMEM;
	for (size_t h = 0; h < c->nhosts; h++) {
		const char *text = c->hosts[h].conf ? pairs_text(&c->hosts[h].conf->complex_values, column->complex) : NULL;

		offer_fix(&column->hosts[h], column->complex, text);
		any |= text != NULL;
	}
	column->hosts_configured = column->hosts_offer = any;
	return 0;
}

static int fix_instances(struct cluster *c, struct column *column)
{
	bool attribute = is_queue_attribute(column->complex->name), any = false;

	column->instances = malloc((c->ninstances + 1) * sizeof(*column->instances));
	if (!column->instances)
		return -ENOMEM;
	for (size_t i = 0; i < c->ninstances; i++) {
		const char *text = instance_text(c, &c->instances[i], column->complex, attribute);

		offer_fix(&column->instances[i], column->complex, text);
		any |= text != NULL;
	}
	if (!any) {
		free(column->instances);
		column->instances = NULL;
	}
	return 0;
}

static void column_adjustment(const struct cluster *c, struct column *column)
{
	const struct pair *pair = pairs_find(&c->cell->sched.job_load_adjustments, column->complex->name);

	if (!pair)
		pair = pairs_find(&c->cell->sched.job_load_adjustments, column->complex->shortcut);
	if (pair && number_parse(pair->text, &column->slot_load) != 0)
		column->slot_load = 0.0;
	column->adjustment = c->cell->sched.load_adjustment_decay_time > 0 ? column->slot_load : 0.0;
	column->per_processor = strncmp(column->complex->name, "np_", 3) == 0;
}

/* Loads */

/* A scaled value is kept with three decimals, as Grid Engine writes it down. */
static double scaled(const struct host_conf *conf, const struct complex *complex, double value)
{
	const struct pair *factor = conf ? pairs_find(&conf->load_scaling, complex->name) : NULL;
	char text[350];

	if (!factor)
		return value;
	snprintf(text, sizeof(text), "%8.3f", value * factor->value);
	return strtod(text, NULL);
}

static void offer_load(struct offer *o, const struct host_conf *conf, const struct complex *complex, const char *text)
{
	double value = 0.0;

	if (complex->type < TYPE_STRING && number_parse(text, &value) != 0)
		return;
	o->load_text = text;
	o->load = complex->type < TYPE_STRING ? scaled(conf, complex, value) : 0.0;
}

static void host_offer(struct cluster *c, struct column *column, uint32_t host, const char *text)
{
	offer_load(&column->hosts[host], c->hosts[host].conf, column->complex, text);
	column->hosts_offer = true;
}

static void column_load(struct cluster *c, struct column *column)
{
	for (uint32_t h = 0; h < c->nhosts; h++)
		for (size_t k = 0; k < c->loads[h].n; k++)
			if (strcmp(c->loads[h].values[k].name, column->complex->name) == 0)
				host_offer(c, column, h, c->loads[h].values[k].value);
	for (size_t k = 0; k < c->global_loads.n; k++)
		if (strcmp(c->global_loads.values[k].name, column->complex->name) == 0)
			offer_load(&column->global, c->global_host, column->complex, c->global_loads.values[k].value);
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

uint32_t cluster_column(struct cluster *c, const struct complex *complex)
{
	size_t at = (size_t)(complex - c->cell->complexes);
	struct column *column;

	if (c->column_of[at] != UINT32_MAX)
		return c->column_of[at];
	column = array_add(&c->columns, &c->ncolumns, sizeof(*column));
	if (!column)
		return UINT32_MAX;
	*column = (struct column){ .complex = complex, .consumable = UINT32_MAX, .is_slots = strcmp(complex->name, "slots") == 0,
				   .is_text = complex->type >= TYPE_STRING };
	column_adjustment(c, column);
	offer_fix(&column->global, complex, c->global_host ? pairs_text(&c->global_host->complex_values, complex) : NULL);
	if (fix_hosts(c, column) || fix_instances(c, column)) {
		free(column->hosts);
		free(column->instances);
		c->ncolumns--;
		return UINT32_MAX;
	}
	column_load(c, column);
	c->column_of[at] = (uint32_t)c->ncolumns - 1;
	return c->column_of[at];
}

static bool is_configured(const struct column *column)
{
	return column->global.fixed_text || column->hosts_configured || column->instances;
}

/* A consumable or a FORCED complex concerns each job on an object that has it. */
static int column_needed(struct cluster *c, const struct complex *complex)
{
	uint32_t column = cluster_column(c, complex);

	if (column == UINT32_MAX)
		return -ENOMEM;
	if (!is_configured(&c->columns[column]))
		return 0;
	c->columns[column].consumable = complex->consumable != CONSUMABLE_NO ? (uint32_t)c->nconsumables : UINT32_MAX;
	if (complex->consumable != CONSUMABLE_NO && add_number(&c->consumables, &c->nconsumables, column))
		return -ENOMEM;
	if (complex->requestable == REQUESTABLE_FORCED && add_number(&c->forced, &c->nforced, column))
		return -ENOMEM;
	return 0;
}

int cluster_name(struct cluster *c, const char *name)
{
	const struct complex *complex = name ? cell_complex(c->cell, name) : NULL;

	return complex && cluster_column(c, complex) == UINT32_MAX ? -ENOMEM : 0;
}

static int named_by_pairs(struct cluster *c, const struct pairs *pairs)
{
	int rc = 0;

	for (size_t i = 0; i < pairs->n && rc == 0; i++)
		rc = cluster_name(c, pairs->items[i].name);
	return rc;
}

int columns_create(struct cluster *c)
{
	const struct formula *formula = &c->cell->sched.formula;
	const struct complex *slots = cell_complex(c->cell, "slots");
	int rc = 0;

	c->slots = UINT32_MAX;
	c->column_of = malloc((c->cell->ncomplexes + 1) * sizeof(*c->column_of));
	if (!c->column_of)
		return -ENOMEM;
	memset(c->column_of, 0xff, (c->cell->ncomplexes + 1) * sizeof(*c->column_of));
	for (size_t i = 0; i < c->cell->ncomplexes && rc == 0; i++)
		if (c->cell->complexes[i].consumable != CONSUMABLE_NO || c->cell->complexes[i].requestable == REQUESTABLE_FORCED)
			rc = column_needed(c, &c->cell->complexes[i]);
	for (size_t i = 0; i < formula->n && rc == 0; i++) {
		rc = cluster_name(c, formula->terms[i].x.name);
		if (rc == 0)
			rc = cluster_name(c, formula->terms[i].y.name);
	}
	for (size_t i = 0; i < c->nprofiles && rc == 0; i++) {
		rc = named_by_pairs(c, &c->profiles[i].load_thresholds);
		if (rc == 0)
			rc = named_by_pairs(c, &c->profiles[i].suspend_thresholds);
	}
	if (rc == 0 && slots)
		c->slots = c->column_of[slots - c->cell->complexes];
	return rc;
}

void columns_destroy(struct cluster *c)
{
	for (size_t i = 0; i < c->ncolumns; i++) {
		free(c->columns[i].hosts);
		free(c->columns[i].instances);
	}
	free(c->columns);
	free(c->column_of);
	free(c->consumables);
	free(c->forced);
}

static void offer_begin(struct offer *o, bool keeps)
{
	o->fixed = o->configured;
	o->load_text = NULL;
	o->load = o->used = o->shared = 0.0;
	if (!keeps)
		o->used_line = o->shared_line = TIMELINE_EMPTY;
}

void columns_begin(struct cluster *c, bool keeps)
{
	for (size_t k = 0; k < c->ncolumns; k++) {
		struct column *column = &c->columns[k];

		column->hosts_offer = column->hosts_configured;
		offer_begin(&column->global, keeps);
		for (size_t h = 0; h < c->nhosts; h++)
			offer_begin(&column->hosts[h], keeps);
		for (size_t i = 0; column->instances && i < c->ninstances; i++)
			offer_begin(&column->instances[i], keeps);
	}
}

void column_set_slots(struct cluster *c, uint32_t instance, uint32_t slots)
{
	if (c->slots == UINT32_MAX || !c->columns[c->slots].instances)
		return;
	c->columns[c->slots].instances[instance].fixed = slots;
}

/* Loads of a run */

void cluster_load(struct cluster *c, uint32_t host, const struct load_text *values, size_t n)
{
	*(host == GLOBAL_HOST ? &c->global_loads : &c->loads[host]) = (struct host_loads){ values, n };
}

/*
 * Hosts report the same values in the same order: what the k-th one of the last host was, that of
 * this one is.
 */
struct guess {
	const char *name;
	uint32_t column;
};

#define GUESSES 64

static uint32_t column_named(struct cluster *c, struct guess *guess, const char *name)
{
	const struct complex *complex;

	if (guess->name && (guess->name == name || strcmp(guess->name, name) == 0))
		return guess->column;
	complex = cell_complex(c->cell, name);
	guess->name = name;
	guess->column = complex && strcmp(complex->name, name) == 0 ? c->column_of[complex - c->cell->complexes] : UINT32_MAX;
	return guess->column;
}

static void host_load(struct cluster *c, struct guess *guesses, uint32_t host, const struct host_loads *loads)
{
	double processors;

	for (size_t k = 0; k < loads->n; k++) {
		uint32_t column = column_named(c, &guesses[k % GUESSES], loads->values[k].name);
		struct column *of = column == UINT32_MAX ? NULL : &c->columns[column];

		if (of && host == GLOBAL_HOST)
			offer_load(&of->global, c->global_host, of->complex, loads->values[k].value);
		else if (of)
			host_offer(c, of, host, loads->values[k].value);
		if (host != GLOBAL_HOST && strcmp(loads->values[k].name, "num_proc") == 0 &&
		    number_parse(loads->values[k].value, &processors) == 0 && processors >= 1 && processors <= UINT32_MAX)
			c->hosts[host].processors = (uint32_t)processors;
	}
}

int cluster_ready(struct cluster *c)
{
	struct guess guesses[GUESSES] = { { NULL, 0 } };

	host_load(c, guesses, GLOBAL_HOST, &c->global_loads);
	for (uint32_t h = 0; h < c->nhosts; h++) {
		c->hosts[h].processors = 1;
		host_load(c, guesses, h, &c->loads[h]);
	}
	return 0;
}

/* Values */

/* Which of a configured and a reported value counts: complex(5). */
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

bool cluster_value(const struct cluster *c, const struct column *column, enum level level, uint32_t object, double *value)
{
	const struct offer *o = column_offer((struct column *)column, level, object);
	uint32_t host = level == LEVEL_HOST ? object : 0;
	double fixed;

	if (!o || (!o->fixed_text && !o->load_text))
		return false;
	fixed = (c->as_reported && level == LEVEL_HOST ? o->configured : o->fixed) - (column->complex->consumable ? o->used : 0.0);
	if (!o->load_text)
		*value = fixed;
	else if (!o->fixed_text)
		*value = cluster_load_value(c, column, o, level, host);
	else
		*value = cluster_stricter(column->complex->relop, fixed, cluster_load_value(c, column, o, level, host));
	return true;
}
