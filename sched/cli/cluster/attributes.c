/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes of hosts and queues, combined like in Grid Engine's tools from the values of the
 * cluster, the host and the queue. A reported value has precedence over a configured one. Of
 * several values, the stricter one applies.
 */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/amount.h"
#include "conf/base/number.h"
#include "conf/base/wildcard.h"
#include "sched/cli/cluster/cluster.h"
#include "sched/cli/text.h"

/* Attributes of a queue in the order of qstat -F. */
static const char *const queue_attributes[] = {
	"qname", "hostname", "slots", "tmpdir", "seq_no", "rerun", "calendar", "s_rt", "h_rt", "s_cpu", "h_cpu", "s_fsize", "h_fsize",
	"s_data", "h_data", "s_stack", "h_stack", "s_core", "h_core", "s_rss", "h_rss", "s_vmem", "h_vmem", "min_cpu_interval",
};

void attributes_free(struct found_values *values)
{
	free(values->items);
	free(values->held);
	*values = (struct found_values){ 0 };
}

static const struct found_value *attribute_find(const struct found_values *values, const struct cell *cell,
						const char *name)
{
	const struct complex *complex = cell_complex(cell, name);

	for (size_t i = 0; complex && i < values->n; i++)
		if (strcmp(values->items[i].name, complex->name) == 0)
			return &values->items[i];
	return NULL;
}

static bool is_stricter(const struct complex *complex, const struct found_value *new, const struct found_value *old)
{
	if (new->text || complex->relop == RELOP_EQ || complex->relop == RELOP_NE || complex->relop == RELOP_EXCL)
		return new->level == old->level;
	return complex->relop == RELOP_GE || complex->relop == RELOP_GT ? new->value > old->value
									: new->value < old->value;
}

static int put(struct found_values *values, const struct complex *complex, struct found_value new)
{
	for (size_t i = 0; i < values->n; i++)
		if (strcmp(values->items[i].name, new.name) == 0) {
			if (is_stricter(complex, &new, &values->items[i]))
				values->items[i] = new;
			return 0;
		}
	if (values->n == values->capacity) {
		struct found_value *more = reallocarray(values->items, 2 * values->n + 64, sizeof(*more));

		if (!more)
			return -ENOMEM;
		values->items = more;
		values->capacity = 2 * values->n + 64;
	}
	values->items[values->n++] = new;
	return 0;
}

/* Return a scaled value with three decimals, as Grid Engine stores it. */
static double scaled(const struct host_conf *conf, const char *name, double value)
{
	char text[350];

	for (size_t i = 0; conf && i < conf->load_scaling.n; i++)
		if (strcmp(conf->load_scaling.items[i].name, name) == 0) {
			snprintf(text, sizeof(text), "%8.3f", value * conf->load_scaling.items[i].value);
			return strtod(text, NULL);
		}
	return value;
}

/* Add a value. `left` is the remaining amount of a consumable, NAN: use the configured amount. */
static int add(struct found_values *values, const struct complex *complex, enum fl_level level, enum fl_origin source,
	       const char *text, double left)
{
	struct found_value new = { .name = complex->name, .type = complex->type, .level = level, .source = source };

	if (complex_is_text(complex))
		new.text = text;
	else if (number_parse(text, &new.value))
		return 0;
	if (!isnan(left))
		new.value = left;
	return put(values, complex, new);
}

static int reported(struct found_values *values, const struct cell *cell, const struct host_conf *conf,
		    enum fl_level level, const char *name, const char *text)
{
	const struct complex *complex = cell_complex(cell, name);
	double value;

	if (!complex)
		return 0;
	if (!complex_is_text(complex) && number_parse(text, &value) == 0)
		return add(values, complex, level, FL_REPORTED, text,
			   level == FL_HOST ? scaled(conf, complex->name, value) : value);
	return complex_is_text(complex) ? add(values, complex, level, FL_REPORTED, text, NAN) : 0;
}

/* Return the remaining amount of a consumable of an object. NAN: the run does not have it. */
static double left_of(const struct fl_view *view, enum fl_level level, size_t object, const char *name)
{
	struct fl_resource resource;
	struct fl_instance instance;

	if (level == FL_QUEUE && strcmp(name, "slots") == 0)
		return fl_instance(view, object, &instance) == 0 ? (double)instance.slots - instance.used : NAN;
	for (size_t k = 0; fl_resource(view, level, object, k, &resource) == 0; k++)
		if (strcmp(resource.name, name) == 0)
			return resource.total >= DBL_MAX ? resource.total : resource.total - resource.used;
	return NAN;
}

static int configured(struct found_values *values, const struct fl_view *view, const struct complex *complex,
		      enum fl_level level, size_t object, const char *text)
{
	bool consumable = complex->consumable != CONSUMABLE_NO;
	double left = consumable && !values->totals ? left_of(view, level, object, complex->name) : NAN;

	return add(values, complex, level, consumable ? FL_CONSUMABLE : FL_CONFIGURED, text, left);
}

static int pairs_add(struct found_values *values, const struct fl_view *view, const struct cell *cell,
		     const struct pairs *pairs, enum fl_level level, size_t object)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < pairs->n; i++) {
		const struct complex *complex = cell_complex(cell, pairs->items[i].name);

		rc = complex ? configured(values, view, complex, level, object, pairs->items[i].text) : 0;
	}
	return rc;
}

/*
 * Add the values of a host. `scale`: scaled as queue instances see them. A host's own values are as
 * reported.
 */
static int host_add(struct found_values *values, const struct fl_view *view, const struct cell *cell,
		    enum fl_level level, size_t host, bool scale)
{
	const struct host_conf *conf;
	struct fl_host h;
	const char *name, *value;
	int rc = 0;

	if (fl_host(view, host, &h))
		return 0;
	conf = cell_host(cell, h.name);
	for (size_t k = 0; rc == 0 && h.available && fl_load(view, host, k, &name, &value) == 0; k++)
		rc = reported(values, cell, scale ? conf : NULL, level, name, value);
	for (size_t k = 0; rc == 0 && h.loads == 0 && conf && k < conf->load_values.n; k++)
		rc = reported(values, cell, scale ? conf : NULL, level, conf->load_values.items[k].name,
			      conf->load_values.items[k].text);
	return rc == 0 && conf ? pairs_add(values, view, cell, &conf->complex_values, level, host) : rc;
}

static const char *queue_text(const struct cell *cell, const struct queue *queue, const char *host, const char *name)
{
	if (strcmp(name, "qname") == 0)
		return queue->name;
	return strcmp(name, "hostname") == 0 ? host : cell_queue_value(cell, queue, host, name);
}

/* Add "a=1,b=2", the values of the queue on this host. */
static int queue_values_add(struct found_values *values, const struct fl_view *view, const struct cell *cell,
			    const char *text, size_t instance)
{
	int rc = 0;

	if (!text || strcasecmp(text, "NONE") == 0)
		return 0;
	values->held = strdup(text);
	if (!values->held)
		return -ENOMEM;
	for (char *rest = values->held, *word; rc == 0 && (word = strsep(&rest, ", ")) != NULL;) {
		char *value = strchr(word, '=');
		const struct complex *complex = NULL;

		if (value) {
			*value++ = '\0';
			complex = cell_complex(cell, word);
		}
		if (complex)
			rc = configured(values, view, complex, FL_QUEUE, instance, value);
	}
	return rc;
}

static int queue_add(struct found_values *values, const struct fl_view *view, const struct cell *cell,
		     const struct fl_instance *instance, size_t number)
{
	const struct queue *queue = cell_queue(cell, instance->queue);
	const char *host = strchr(instance->name, '@');
	int rc = 0;

	if (!queue || !host)
		return 0;
	for (size_t k = 0; rc == 0 && k < sizeof(queue_attributes) / sizeof(*queue_attributes); k++) {
		const struct complex *complex = cell_complex(cell, queue_attributes[k]);
		const char *text = complex ? queue_text(cell, queue, host + 1, queue_attributes[k]) : NULL;

		rc = text ? configured(values, view, complex, FL_QUEUE, number, text) : 0;
	}
	return rc ? rc
		  : queue_values_add(values, view, cell, cell_queue_value(cell, queue, host + 1, "complex_values"),
				     number);
}

int attributes_of(struct found_values *values, const struct fl_view *view, const struct cell *cell, size_t host,
		  const size_t *instance)
{
	struct fl_instance i;
	int rc;

	values->n = 0;
	free(values->held);
	values->held = NULL;
	rc = host_add(values, view, cell, FL_GLOBAL, 0, true);
	if (rc == 0 && host > 0)
		rc = host_add(values, view, cell, FL_HOST, host, instance != NULL);
	if (rc == 0 && instance && fl_instance(view, *instance, &i) == 0)
		rc = queue_add(values, view, cell, &i, *instance);
	return rc;
}

/* Output */

static void memory_number(char text[64], double value)
{
	static const char units[] = "KMG";
	int unit = -1;

	while (unit < 2 && fabs(value) >= 1024) {
		value /= 1024;
		unit++;
	}
	snprintf(text, 64, unit < 0 ? "%.3f" : "%.3f%c", value, unit < 0 ? ' ' : units[unit]);
}

static void time_number(char text[64], double value)
{
	uint64_t s = value < 0 ? 0 : value < 1e15 ? (uint64_t)value : 0;

	snprintf(text, 64, "%02lu:%02lu:%02lu", s / 3600, s / 60 % 60, s % 60);
}

void attribute_value(char text[64], enum complex_type type, double value, bool integers)
{
	if (value >= DBL_MAX)
		snprintf(text, 64, "infinity");
	else if (type == TYPE_MEMORY)
		memory_number(text, value);
	else if (type == TYPE_TIME)
		time_number(text, value);
	else if ((type == TYPE_INT || type == TYPE_RSMAP) && integers && fabs(value) < 1e15)
		snprintf(text, 64, "%.0f", value);
	else
		snprintf(text, 64, fabs(value) < 1e30 ? "%f" : "%.6g", value);
}

const char *attribute_origin(const struct found_value *value)
{
	static const char *const origins[3][4] = {
		{ "g-", "gl", "gf", "gc" },
		{ "h-", "hl", "hf", "hc" },
		{ "q-", "ql", "qf", "qc" },
	};

	return origins[value->level][value->source];
}

void attribute_xml(struct out *out, const struct found_value *value, bool integers)
{
	char text[64];

	if (!value->text)
		attribute_value(text, value->type, value->value, integers);
	text_xml(out, value->text ? value->text : text);
}

void attribute_put(struct out *out, const struct found_value *value, bool integers)
{
	char text[64];

	out_put(out, "%s:", attribute_origin(value));
	text_plain(out, value->name);
	out_text(out, "=");
	if (value->text) {
		text_plain(out, value->text);
		return;
	}
	attribute_value(text, value->type, value->value, integers);
	out_text(out, text);
}

/* Requests */

int wanted_add(struct messages *messages, struct requests_wanted *requests, const char *verb, char *word)
{
	for (char *rest = word, *piece; (piece = strsep(&rest, ",")) != NULL;) {
		struct wanted *more;
		char *value = strchr(piece, '=');

		if (!*piece)
			continue;
		more = reallocarray(requests->items, requests->n + 1, sizeof(*more));
		if (!more)
			return message_no_memory(messages);
		requests->items = more;
		if (value)
			*value++ = '\0';
		requests->items[requests->n++] = (struct wanted){ piece, value ? value : "TRUE", 0.0 };
	}
	return requests->n > 0 ? EXIT_OK
			       : message_add(messages, EXIT_USAGE, verb,
					     "-l needs RESOURCE=VALUE, or several with commas between them");
}

/* Parse an amount as users write it, with units if the type has any. */
static int amount_of(const struct complex *complex, const char *text, double *value)
{
	uint32_t seconds;

	if (complex->type == TYPE_MEMORY)
		return amount_size(text, value);
	if (complex->type != TYPE_TIME || amount_time(text, &seconds) || seconds == UINT32_MAX)
		return number_parse(text, value);
	*value = seconds;
	return 0;
}

int wanted_check(struct messages *messages, struct requests_wanted *requests, const char *verb, const struct cell *cell)
{
	for (size_t i = 0; i < requests->n; i++) {
		const struct complex *complex = cell_complex(cell, requests->items[i].name);

		if (!complex) {
			message_add(messages, EXIT_NO_DATA, verb,
				    "-l: the cell has no resource \"%s\"; its file \"complex\" names them",
				    requests->items[i].name);
			return message_reason(messages, REASON_NO_RESOURCE, requests->items[i].name);
		}
		if (!complex_is_text(complex) && amount_of(complex, requests->items[i].text, &requests->items[i].value))
			return message_add(messages, EXIT_USAGE, verb, "-l: \"%s\" is not a value of %s",
					requests->items[i].text, complex->name);
	}
	return EXIT_OK;
}

static bool number_fits(enum complex_relop relop, double wanted, double had)
{
	switch (relop) {
	case RELOP_EQ: return wanted == had;
	case RELOP_GE: return wanted >= had;
	case RELOP_GT: return wanted > had;
	case RELOP_LT: return wanted < had;
	case RELOP_NE: return wanted != had;
	default: return wanted <= had;
	}
}

bool wanted_fits(const struct requests_wanted *requests, const struct found_values *values, const struct cell *cell)
{
	for (size_t i = 0; i < requests->n; i++) {
		const struct complex *complex = cell_complex(cell, requests->items[i].name);
		const struct found_value *had = complex ? attribute_find(values, cell, complex->name) : NULL;
		bool equal;

		if (!had)
			return false;
		if (!had->text && !number_fits(complex->relop, requests->items[i].value, had->value))
			return false;
		equal = had->text && wildcard_match(requests->items[i].text, had->text,
						    complex->type == TYPE_STRING ? 0 : WILDCARD_IGNORE_CASE);
		if (had->text && equal == (complex->relop == RELOP_NE))
			return false;
	}
	return true;
}
