/* SPDX-License-Identifier: Apache-2.0 */
/* Records as ClassAds: -long, -autoformat, -constraint. */
#include "sched/cli/userprio_show.h"

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

static bool leases_set(struct classad *ad, const struct userprio_record *r)
{
	static const char *const names[3][2] = { { "PriorityFactorLeaseExpiration", "PriorityFactorPreLeaseValue" },
						 { "CeilingLeaseExpiration", "CeilingPreLeaseValue" },
						 { "FloorLeaseExpiration", "FloorPreLeaseValue" } };

	for (size_t i = 0; i < 3; i++)
		if (r->leases[i].until > 0 && !(set_whole(ad, names[i][0], r->leases[i].until) && set_real(ad, names[i][1], r->leases[i].before)))
			return false;
	return true;
}

static bool group_set(struct classad *ad, const struct userprio_record *r)
{
	return set_real(ad, "ConfigQuota", r->config_quota) && set_real(ad, "EffectiveQuota", r->effective_quota) &&
	       set_real(ad, "SubtreeQuota", r->subtree_quota) && set_real(ad, "GroupSortKey", r->sort_key) &&
	       set_text(ad, "SurplusPolicy", r->surplus) && set_real(ad, "Requested", r->requested) &&
	       set_real(ad, "HierWeightedResourcesUsed", r->tree_used);
}

static bool submitter_set(struct classad *ad, const struct userprio_record *r)
{
	return set_whole(ad, "Ceiling", r->ceiling) && set_whole(ad, "Floor", r->floor) && set_real(ad, "SubmitterShare", r->share) &&
	       set_real(ad, "SubmitterLimit", r->limit);
}

static bool record_set(struct classad *ad, const struct userprio_record *r)
{
	return set_text(ad, "Name", r->name) && set_text(ad, "AccountingGroup", r->group) &&
	       set(ad, "IsAccountingGroup", (struct classad_value){ .type = CLASSAD_BOOL, .truth = r->is_group }) &&
	       set_real(ad, "Priority", r->priority) && set_real(ad, "PriorityFactor", r->factor) && set_whole(ad, "ResourcesUsed", (int64_t)r->used) &&
	       set_real(ad, "WeightedResourcesUsed", r->weight_used) && set_real(ad, "AccumulatedUsage", r->accumulated) &&
	       set_real(ad, "WeightedAccumulatedUsage", r->weight_accumulated) && set_whole(ad, "BeginUsageTime", r->begin) &&
	       set_whole(ad, "LastUsageTime", r->last) && (r->is_group ? group_set(ad, r) : submitter_set(ad, r)) && leases_set(ad, r);
}

const struct classad *userprio_ad(const struct userprio_records *r, struct userprio_record *record)
{
	if (!record->ad) {
		record->ad = classad_create();
		if (record->ad && !record_set(record->ad, record)) {
			classad_free(record->ad);
			record->ad = NULL;
		}
	}
	if (record->ad && !set_whole(record->ad, "LastUpdate", r->last_update))
		return NULL;
	return record->ad;
}

static bool fits(const struct userprio_query *q, const struct classad *ad, struct classad_room *room)
{
	struct classad_value value;
	bool is_true;

	if (!q->condition)
		return true;
	room->now = q->now;
	classad_evaluate(q->condition, &(struct classad_pair){ ad, NULL }, room, &value);
	is_true = classad_is_true(&value);
	classad_room_reset(room);
	return is_true;
}

/* An attribute as it was written, or its value. */
static const char *expression_text(const struct classad_expression *e, char **held)
{
	const char *text = classad_expression_text(e);
	struct classad_value value;
	size_t n;

	*held = NULL;
	if (text || !classad_is_constant(e, &value))
		return text ? text : "";
	n = classad_value_show(&value, NULL, 0);
	*held = malloc(n + 1);
	if (!*held)
		return "";
	classad_value_show(&value, *held, n + 1);
	return *held;
}

/* "Name = value", with the record's number behind the name if it is not 0. */
static void attribute_put(struct out *o, const struct classad *ad, size_t i, size_t number)
{
	char digits[24] = "", *held;

	if (number > 0)
		snprintf(digits, sizeof(digits), "%zu", number);
	out_text(o, classad_name(ad, i));
	out_text(o, digits);
	out_text(o, " = ");
	out_text(o, expression_text(classad_expression(ad, i), &held));
	out_text(o, "\n");
	free(held);
}

int userprio_long(const struct userprio_records *r, const struct userprio_query *q, struct out *o)
{
	struct classad_room room = { .now = q->now };
	char line[64];
	int rc = 0;

	if (!q->is_modular) {
		snprintf(line, sizeof(line), "LastUpdate = %lld\nNumSubmittors = %zu\n", (long long)r->last_update, r->n);
		out_text(o, line);
	}
	for (size_t k = 0; k < r->n && !rc && !o->error; k++) {
		const struct classad *ad = userprio_ad(r, &r->items[k]);

		if (!ad) {
			rc = -ENOMEM;
			break;
		}
		if (!fits(q, ad, &room))
			continue;
		for (size_t i = 0; i < classad_count(ad); i++)
			if (q->is_modular || strcmp(classad_name(ad, i), "LastUpdate") != 0)
				attribute_put(o, ad, i, q->is_modular ? 0 : k + 1);
		out_text(o, q->is_modular ? "\n" : "");
	}
	classad_room_free(&room);
	return rc;
}

/* -autoformat */

struct formatted {			/* what is printed of one record */
	char **cells;			/* owned, of each attribute */
	size_t n;
};

static void formatted_free(struct formatted *f)
{
	for (size_t i = 0; f->cells && i < f->n; i++)
		free(f->cells[i]);
	free(f->cells);
}

/*
 * An attribute's own text, or the value of an expression: texts without their quotes unless -af:V.
 */
static char *cell_make(const struct userprio_query *q, const struct classad_expression *e, const char *text, const struct classad *ad,
		       struct classad_room *room)
{
	const struct classad_expression *raw = q->labels & LABEL_RAW ? classad_find(ad, text) : NULL;
	struct classad_value value;
	char *held, *cell;
	size_t n;

	if (raw) {
		const char *as_written = expression_text(raw, &held);

		cell = held ? held : strdup(as_written);
		return cell;
	}
	classad_evaluate(e, &(struct classad_pair){ ad, NULL }, room, &value);
	if (value.type == CLASSAD_STRING && !(q->labels & LABEL_QUOTED)) {
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

static int formatted_make(struct formatted *f, const struct userprio_query *q, struct classad_expression *const *expressions,
			  const struct classad *ad, struct classad_room *room)
{
	*f = (struct formatted){ .cells = calloc(q->nattributes, sizeof(*f->cells)), .n = q->nattributes };
	if (!f->cells)
		return -ENOMEM;
	for (size_t i = 0; i < f->n; i++) {
		f->cells[i] = cell_make(q, expressions[i], q->attributes[i], ad, room);
		if (!f->cells[i])
			return -ENOMEM;
	}
	return 0;
}

static void field_put(struct out *o, const struct userprio_query *q, size_t i, const char *cell, size_t width)
{
	size_t n = strlen(cell);
	bool between = q->labels & LABEL_BETWEEN;

	if (q->labels & LABEL_TAB && (i > 0 || between))
		out_text(o, "\t");
	else if (i > 0 && !between && !(q->labels & LABEL_LINES))
		out_text(o, " ");
	if (q->labels & LABEL_NAMES) {
		out_text(o, q->attributes[i]);
		out_text(o, " = ");
	}
	out_text(o, cell);
	if (q->labels & LABEL_COMMA && i + 1 < q->nattributes)
		out_text(o, ",");
	for (; n < width && i + 1 < q->nattributes; n++)
		out_text(o, " ");
	if (q->labels & LABEL_LINES)
		out_text(o, "\n");
}

static void line_put(struct out *o, const struct userprio_query *q, char *const *cells, const size_t *widths)
{
	for (size_t i = 0; i < q->nattributes; i++)
		field_put(o, q, i, cells[i], q->labels & LABEL_HEADINGS ? widths[i] : 0);
	if (!(q->labels & LABEL_LINES) || q->labels & LABEL_BETWEEN)
		out_text(o, "\n");
}

static void lines_put(struct out *o, const struct userprio_query *q, const struct formatted *lines, size_t n)
{
	size_t widths[256] = { 0 }, columns = q->nattributes < 256 ? q->nattributes : 256;
	struct userprio_query heading = *q;

	for (size_t i = 0; i < columns; i++) {
		widths[i] = strlen(q->attributes[i]);
		for (size_t k = 0; k < n; k++)
			widths[i] = strlen(lines[k].cells[i]) > widths[i] ? strlen(lines[k].cells[i]) : widths[i];
	}
	heading.labels &= ~(unsigned)(LABEL_LINES | LABEL_NAMES);
	if (q->labels & LABEL_HEADINGS)
		line_put(o, &heading, q->attributes, widths);
	for (size_t k = 0; k < n; k++)
		line_put(o, q, lines[k].cells, widths);
}

static int lines_make(const struct userprio_records *r, const struct userprio_query *q, struct classad_expression *const *expressions,
		      struct formatted *lines, size_t *n)
{
	struct classad_room room = { .now = q->now };
	int rc = 0;

	for (size_t k = 0; k < r->n && !rc; k++) {
		const struct classad *ad = userprio_ad(r, &r->items[k]);

		if (!ad)
			rc = -ENOMEM;
		else if (fits(q, ad, &room))
			rc = formatted_make(&lines[(*n)++], q, expressions, ad, &room);
	}
	classad_room_free(&room);
	return rc;
}

int userprio_autoformat(const struct userprio_records *r, const struct userprio_query *q, struct out *o)
{
	struct classad_expression **expressions = calloc(q->nattributes, sizeof(*expressions));
	struct formatted *lines = calloc(r->n + 1, sizeof(*lines));
	size_t n = 0;
	int rc = expressions && lines ? 0 : -ENOMEM;

	for (size_t i = 0; i < q->nattributes && !rc; i++)
		rc = classad_parse(&expressions[i], q->attributes[i], NULL);
	if (!rc)
		rc = lines_make(r, q, expressions, lines, &n);
	if (!rc)
		lines_put(o, q, lines, n);
	for (size_t k = 0; k < n; k++)
		formatted_free(&lines[k]);
	for (size_t i = 0; expressions && i < q->nattributes; i++)
		classad_expression_free(expressions[i]);
	free(expressions);
	free(lines);
	return rc;
}
