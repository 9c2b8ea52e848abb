/* SPDX-License-Identifier: Apache-2.0 */
/* Records as ClassAds: -long, -autoformat, -constraint. */
#include "sched/cli/userprio/show.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool set(struct classad *ad, const char *name, struct classad_value value)
{
	return classad_set_value(ad, name, &value) == 0;
}

static bool set_real(struct classad *ad, const char *name, double real)
{
	return set(ad, name, (struct classad_value){ .type = CLASSAD_REAL, .real = real });
}

static bool set_whole(struct classad *ad, const char *name, int64_t integer)
{
	return set(ad, name, (struct classad_value){ .type = CLASSAD_INT, .integer = integer });
}

static bool set_text(struct classad *ad, const char *name, const char *text)
{
	return set(ad, name, (struct classad_value){ .type = CLASSAD_STRING, .text = text, .bytes = strlen(text) });
}

static bool leases_set(struct classad *ad, const struct userprio_record *record)
{
	static const char *const names[3][2] = { { "PriorityFactorLeaseExpiration", "PriorityFactorPreLeaseValue" },
						 { "CeilingLeaseExpiration", "CeilingPreLeaseValue" },
						 { "FloorLeaseExpiration", "FloorPreLeaseValue" } };

	for (size_t i = 0; i < 3; i++)
		if (record->leases[i].until > 0 && !(set_whole(ad, names[i][0], record->leases[i].until) &&
						     set_real(ad, names[i][1], record->leases[i].before)))
			return false;
	return true;
}

static bool group_set(struct classad *ad, const struct userprio_record *record)
{
	return set_real(ad, "ConfigQuota", record->config_quota) &&
	       set_real(ad, "EffectiveQuota", record->effective_quota) &&
	       set_real(ad, "SubtreeQuota", record->subtree_quota) && set_real(ad, "GroupSortKey", record->sort_key) &&
	       set_text(ad, "SurplusPolicy", record->surplus) && set_real(ad, "Requested", record->requested) &&
	       set_real(ad, "HierWeightedResourcesUsed", record->tree_used);
}

static bool submitter_set(struct classad *ad, const struct userprio_record *record)
{
	return set_whole(ad, "Ceiling", record->ceiling) && set_whole(ad, "Floor", record->floor) &&
	       set_real(ad, "SubmitterShare", record->share) && set_real(ad, "SubmitterLimit", record->limit);
}

static bool record_set(struct classad *ad, const struct userprio_record *record)
{
	return set_text(ad, "Name", record->name) && set_text(ad, "AccountingGroup", record->group) &&
	       set(ad, "IsAccountingGroup",
		   (struct classad_value){ .type = CLASSAD_BOOL, .truth = record->is_group }) &&
	       set_real(ad, "Priority", record->priority) && set_real(ad, "PriorityFactor", record->factor) &&
	       set_whole(ad, "ResourcesUsed", (int64_t)record->used) &&
	       set_real(ad, "WeightedResourcesUsed", record->weight_used) &&
	       set_real(ad, "AccumulatedUsage", record->accumulated) &&
	       set_real(ad, "WeightedAccumulatedUsage", record->weight_accumulated) &&
	       set_whole(ad, "BeginUsageTime", record->begin) && set_whole(ad, "LastUsageTime", record->last) &&
	       (record->is_group ? group_set(ad, record) : submitter_set(ad, record)) && leases_set(ad, record);
}

/* Return the record as a ClassAd, owned by the record. NULL: memory is exhausted. */
static const struct classad *userprio_ad(const struct userprio_records *records, struct userprio_record *record)
{
	if (!record->ad) {
		record->ad = classad_create();
		if (record->ad && !record_set(record->ad, record)) {
			classad_free(record->ad);
			record->ad = NULL;
		}
	}
	if (record->ad && !set_whole(record->ad, "LastUpdate", records->last_update))
		return NULL;
	return record->ad;
}

static bool fits(const struct userprio_query *query, const struct classad *ad, struct classad_room *room)
{
	struct classad_value value;
	bool is_true;

	if (!query->condition)
		return true;
	room->now = query->now;
	classad_evaluate(query->condition, &(struct classad_pair){ ad, NULL }, room, &value);
	is_true = classad_is_true(&value);
	classad_room_reset(room);
	return is_true;
}

/* Return the text of an attribute as it was written, or its value. */
static const char *expression_text(const struct classad_expression *expression, char **held)
{
	const char *text = classad_expression_text(expression);
	struct classad_value value;
	size_t n;

	*held = NULL;
	if (text || !classad_is_constant(expression, &value))
		return text ? text : "";
	n = classad_value_show(&value, NULL, 0);
	*held = malloc(n + 1);
	if (!*held)
		return "";
	classad_value_show(&value, *held, n + 1);
	return *held;
}

/* Write "Name = value". A record number other than 0 follows the name. */
static void attribute_put(struct out *out, const struct classad *ad, size_t i, size_t number)
{
	char digits[24] = "", *held;

	if (number > 0)
		snprintf(digits, sizeof(digits), "%zu", number);
	out_text(out, classad_name(ad, i));
	out_text(out, digits);
	out_text(out, " = ");
	out_text(out, expression_text(classad_expression(ad, i), &held));
	out_text(out, "\n");
	free(held);
}

int userprio_long(const struct userprio_records *records, const struct userprio_query *query, struct out *out)
{
	struct classad_room room = { .now = query->now };
	char line[64];
	int rc = 0;

	if (!query->is_modular) {
		snprintf(line, sizeof(line), "LastUpdate = %lld\nNumSubmittors = %zu\n",
			 (long long)records->last_update, records->n);
		out_text(out, line);
	}
	for (size_t k = 0; k < records->n && !rc && !out->error; k++) {
		const struct classad *ad = userprio_ad(records, &records->items[k]);

		if (!ad) {
			rc = -ENOMEM;
			break;
		}
		if (!fits(query, ad, &room))
			continue;
		for (size_t i = 0; i < classad_count(ad); i++)
			if (query->is_modular || strcmp(classad_name(ad, i), "LastUpdate") != 0)
				attribute_put(out, ad, i, query->is_modular ? 0 : k + 1);
		out_text(out, query->is_modular ? "\n" : "");
	}
	classad_room_free(&room);
	return rc;
}

/* -autoformat */

struct formatted {			/* printed values of one record */
	char **cells;			/* owned texts, one per attribute */
	size_t n;
};

static void formatted_free(struct formatted *formatted)
{
	for (size_t i = 0; formatted->cells && i < formatted->n; i++)
		free(formatted->cells[i]);
	free(formatted->cells);
}

/*
 * Return the text of an attribute or the value of an expression. Texts have no quotes, except with
 * -af:V.
 */
static char *cell_make(const struct userprio_query *query, const struct classad_expression *expression,
		       const char *text, const struct classad *ad, struct classad_room *room)
{
	const struct classad_expression *raw = query->labels & LABEL_RAW ? classad_find(ad, text) : NULL;
	struct classad_value value;
	char *held, *cell;
	size_t n;

	if (raw) {
		const char *as_written = expression_text(raw, &held);

		cell = held ? held : strdup(as_written);
		return cell;
	}
	classad_evaluate(expression, &(struct classad_pair){ ad, NULL }, room, &value);
	if (value.type == CLASSAD_STRING && !(query->labels & LABEL_QUOTED)) {
		cell = strdup(value.text);
	} else {
		n = classad_value_show(&value, NULL, 0);
		cell = malloc(n + 1);
		if (cell)
			classad_value_show(&value, cell, n + 1);
	}
	classad_room_reset(room);
	return cell;
}

static int formatted_make(struct formatted *formatted, const struct userprio_query *query,
			  struct classad_expression *const *expressions, const struct classad *ad,
			  struct classad_room *room)
{
	*formatted = (struct formatted){ .cells = calloc(query->nattributes, sizeof(*formatted->cells)),
					 .n = query->nattributes };
	if (!formatted->cells)
		return -ENOMEM;
	for (size_t i = 0; i < formatted->n; i++) {
		formatted->cells[i] = cell_make(query, expressions[i], query->attributes[i], ad, room);
		if (!formatted->cells[i])
			return -ENOMEM;
	}
	return 0;
}

static void field_put(struct out *out, const struct userprio_query *query, size_t i, const char *cell, size_t width)
{
	size_t n = strlen(cell);
	bool between = query->labels & LABEL_BETWEEN;

	if (query->labels & LABEL_TAB && (i > 0 || between))
		out_text(out, "\t");
	else if (i > 0 && !between && !(query->labels & LABEL_LINES))
		out_text(out, " ");
	if (query->labels & LABEL_NAMES) {
		out_text(out, query->attributes[i]);
		out_text(out, " = ");
	}
	out_text(out, cell);
	if (query->labels & LABEL_COMMA && i + 1 < query->nattributes)
		out_text(out, ",");
	for (; n < width && i + 1 < query->nattributes; n++)
		out_text(out, " ");
	if (query->labels & LABEL_LINES)
		out_text(out, "\n");
}

static void line_put(struct out *out, const struct userprio_query *query, char *const *cells, const size_t *widths)
{
	for (size_t i = 0; i < query->nattributes; i++)
		field_put(out, query, i, cells[i], query->labels & LABEL_HEADINGS ? widths[i] : 0);
	if (!(query->labels & LABEL_LINES) || query->labels & LABEL_BETWEEN)
		out_text(out, "\n");
}

static void lines_put(struct out *out, const struct userprio_query *query, const struct formatted *lines, size_t n)
{
	size_t widths[256] = { 0 }, columns = query->nattributes < 256 ? query->nattributes : 256;
	struct userprio_query heading = *query;

	for (size_t i = 0; i < columns; i++) {
		widths[i] = strlen(query->attributes[i]);
		for (size_t k = 0; k < n; k++)
			widths[i] = strlen(lines[k].cells[i]) > widths[i] ? strlen(lines[k].cells[i]) : widths[i];
	}
	heading.labels &= ~(unsigned)(LABEL_LINES | LABEL_NAMES);
	if (query->labels & LABEL_HEADINGS)
		line_put(out, &heading, query->attributes, widths);
	for (size_t k = 0; k < n; k++)
		line_put(out, query, lines[k].cells, widths);
}

static int lines_make(const struct userprio_records *records, const struct userprio_query *query,
		      struct classad_expression *const *expressions, struct formatted *lines, size_t *n)
{
	struct classad_room room = { .now = query->now };
	int rc = 0;

	for (size_t k = 0; k < records->n && !rc; k++) {
		const struct classad *ad = userprio_ad(records, &records->items[k]);

		if (!ad)
			rc = -ENOMEM;
		else if (fits(query, ad, &room))
			rc = formatted_make(&lines[(*n)++], query, expressions, ad, &room);
	}
	classad_room_free(&room);
	return rc;
}

int userprio_autoformat(const struct userprio_records *records, const struct userprio_query *query, struct out *out)
{
	struct classad_expression **expressions = calloc(query->nattributes, sizeof(*expressions));
	struct formatted *lines = calloc(records->n + 1, sizeof(*lines));
	size_t n = 0;
	int rc = expressions && lines ? 0 : -ENOMEM;

	for (size_t i = 0; i < query->nattributes && !rc; i++)
		rc = classad_parse(&expressions[i], query->attributes[i], NULL);
	if (!rc)
		rc = lines_make(records, query, expressions, lines, &n);
	if (!rc)
		lines_put(out, query, lines, n);
	for (size_t k = 0; k < n; k++)
		formatted_free(&lines[k]);
	for (size_t i = 0; expressions && i < query->nattributes; i++)
		classad_expression_free(expressions[i]);
	free(expressions);
	free(lines);
	return rc;
}
