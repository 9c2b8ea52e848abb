/* SPDX-License-Identifier: Apache-2.0 */
/* Which records are shown, and in which order. */
#include "sched/cli/userprio_show.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/text_set.h"

/* Numbers of groups, by name: the place of a group among them. */
struct group_names {
	struct text_set names;		/* without case */
	/* of each number; INDEX_NONE: nobody has told of the root */
	uint32_t *records;
	uint32_t *parents;		/* numbers */
};

static char *lower_copy(const char *text)
{
	char *copy = strdup(text);

	for (char *c = copy; c && *c; c++)
		*c = *c >= 'A' && *c <= 'Z' ? (char)(*c | 0x20) : *c;
	return copy;
}

static uint32_t group_number(const struct group_names *g, const char *name)
{
	char *lower = lower_copy(name);
	uint32_t number = lower ? text_set_find(&g->names, lower) : INDEX_NONE;

	free(lower);
	return number == INDEX_NONE ? 0 : number;
}

static int groups_number(struct group_names *g, const struct userprio_records *r)
{
	uint32_t number;

	g->records = calloc(r->n + 1, sizeof(*g->records));
	g->parents = calloc(r->n + 1, sizeof(*g->parents));
	if (!g->records || !g->parents)
		return -ENOMEM;
	for (size_t root = 1; root <= 1; root--) {	/* the root first, wherever it stands */
		for (size_t i = 0; i < r->n; i++) {
			char *lower;
			int rc;

			if (!r->items[i].is_group || (strcmp(r->items[i].name, "<none>") == 0) != root)
				continue;
			lower = lower_copy(r->items[i].name);
			rc = lower ? text_set_add(&g->names, lower, &number) : -ENOMEM;
			free(lower);
			if (rc)
				return rc;
			g->records[number] = (uint32_t)i;
		}
		if (root && g->names.n == 0) {
			if (text_set_add(&g->names, "<none>", &number))
				return -ENOMEM;
			g->records[number] = INDEX_NONE;
		}
	}
	return 0;
}

static void groups_assign(struct group_names *g, struct userprio_records *r)
{
	for (size_t i = 0; i < r->n; i++)
		r->items[i].id = group_number(g, r->items[i].is_group ? r->items[i].name : r->items[i].group);
	for (uint32_t k = 0; k < g->names.n; k++)
		g->parents[k] = k > 0 ? group_number(g, r->items[g->records[k]].group) : 0;	/* only the root may be unknown */
}

/* What a group's subtree has used; its priority says nothing then. */
static void group_add(struct userprio_record *to, const struct userprio_record *from)
{
	to->used += from->used;
	to->weight_used += from->weight_used;
	to->accumulated += from->accumulated;
	to->weight_accumulated += from->weight_accumulated;
	if (from->begin > 0 && (to->begin == 0 || from->begin < to->begin))
		to->begin = from->begin;
	if (from->last > to->last)
		to->last = from->last;
}

static int groups_rollup(const struct group_names *g, struct userprio_records *r)
{
	struct userprio_record *own = malloc((g->names.n + 1) * sizeof(*own));

	if (!own)
		return -ENOMEM;
	for (uint32_t k = 0; k < g->names.n; k++)
		if (g->records[k] != INDEX_NONE)
			own[k] = r->items[g->records[k]];
	for (uint32_t k = 0; k < g->names.n; k++) {
		uint32_t parent = k, steps = 0;

		if (g->records[k] == INDEX_NONE)
			continue;
		while (parent > 0 && steps++ < g->names.n) {	/* a file may say that they go in circles */
			parent = g->parents[parent];
			if (g->records[parent] != INDEX_NONE)
				group_add(&r->items[g->records[parent]], &own[k]);
		}
		r->items[g->records[k]].priority = 0;
	}
	free(own);
	return 0;
}

/* Order */

enum rows_key { KEY_PRIORITY, KEY_USAGE, KEY_NAME };

struct rows_order {
	const struct userprio_records *records;
	const struct group_names *groups;
	enum rows_key key;
	bool groups_first;
};

static int numbers_compare(double x, double y)
{
	return (x > y) - (x < y);
}

static int keys_compare(const struct rows_order *o, const struct userprio_record *x, const struct userprio_record *y)
{
	if (o->key == KEY_NAME)
		return strcmp(x->name, y->name);
	return o->key == KEY_PRIORITY ? numbers_compare(x->priority, y->priority) : numbers_compare(x->weight_accumulated, y->weight_accumulated);
}

static const struct userprio_record *group_of(const struct rows_order *o, uint32_t id)
{
	static const struct userprio_record root = { .name = (char *)"<none>", .sort_key = 3.4e38 };
	uint32_t record = o->groups->records[id];

	return record == INDEX_NONE ? &root : &o->records->items[record];
}

/* Groups in the order in which they are served, or by name; each one before its users. */
static int nested_compare(const struct rows_order *o, const struct userprio_record *x, const struct userprio_record *y)
{
	const struct userprio_record *gx = group_of(o, x->id), *gy = group_of(o, y->id);
	int order = 0;

	if (x->id != y->id)
		order = o->key == KEY_NAME ? strcmp(gx->name, gy->name) : numbers_compare(gx->sort_key, gy->sort_key);
	if (!order)
		order = (x->id > y->id) - (x->id < y->id);
	if (!order)
		order = y->is_group - x->is_group;
	return order;
}

static int rows_compare(const void *a, const void *b, void *order)
{
	const struct rows_order *o = order;
	const struct userprio_record *x = &o->records->items[*(const uint32_t *)a], *y = &o->records->items[*(const uint32_t *)b];
	int result = 0;

	if (o->groups_first) {
		result = y->is_group - x->is_group;
		if (!result && x->is_group)
			result = (x->id > y->id) - (x->id < y->id);
	} else if (o->records->is_nested) {
		result = nested_compare(o, x, y);
	}
	if (!result)
		result = keys_compare(o, x, y);
	return result ? result : (x->place > y->place) - (x->place < y->place);
}

static enum rows_key key_of(unsigned columns)
{
	return columns & USERPRIO_PRIORITY ? KEY_PRIORITY : columns & USERPRIO_USAGE ? KEY_USAGE : KEY_NAME;
}

/* Choice */

/*
 * Somebody who is asked for is shown, active or not; a file has been asked for as a whole. Records
 * as ClassAds are a state that is kept, with all that it has.
 */
static bool is_active(const struct userprio_records *r, const struct userprio_query *q, const struct userprio_record *record)
{
	if (q->submitter && r->view)
		return strcasecmp(record->name, q->submitter) == 0;
	return q->all_users || q->is_json || q->is_long || q->nattributes > 0 || record->last >= q->active_from;
}

static size_t name_bytes(const struct userprio_records *r, const struct userprio_record *record)
{
	size_t n = strlen(record->name);

	if (!r->is_nested || record->is_group)
		return n;
	return n + 2 - (record->id > 0 && n > strlen(record->group) ? strlen(record->group) : 0);
}

static void shape_choose(struct userprio_records *r, const struct userprio_query *q)
{
	unsigned columns = q->columns;
	bool only_quotas = columns && !(columns & ~(unsigned)USERPRIO_QUOTAS), only_priority = columns && !(columns & ~(unsigned)USERPRIO_PRIORITY);
	bool has_groups = false;

	for (size_t i = 0; i < r->n && !has_groups; i++)
		has_groups = !r->items[i].is_group && r->items[i].id > 0 && is_active(r, q, &r->items[i]);
	r->shows_users = !only_quotas;
	r->shows_groups = !only_priority || q->is_hierarchical;
	r->is_nested = !q->is_flat && !q->group_order && r->shows_groups && (has_groups || q->is_hierarchical);
}

static void rows_choose(struct userprio_records *r, const struct userprio_query *q, size_t ngroups)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct userprio_record *record = &r->items[i];
		size_t bytes;

		if (!*record->name || !is_active(r, q, record) || (record->is_group && ngroups == 1 && !q->is_json && !q->is_long && !q->nattributes))
			continue;
		r->nusers += !record->is_group;
		bytes = name_bytes(r, record);
		if ((!record->is_group || r->shows_groups) && bytes > r->name_width)
			r->name_width = bytes;
		r->shown[r->nshown++] = (uint32_t)i;
	}
}

int userprio_choose(struct userprio_records *r, const struct userprio_query *q)
{
	struct group_names groups = { 0 };
	struct rows_order order = { r, &groups, key_of(q->columns ? q->columns : USERPRIO_MOST_COLUMNS), q->group_order };
	int rc = groups_number(&groups, r);

	r->shown = malloc((r->n + 1) * sizeof(*r->shown));
	if (!rc && !r->shown)
		rc = -ENOMEM;
	if (!rc)
		groups_assign(&groups, r);
	if (!rc && q->group_rollup)
		rc = groups_rollup(&groups, r);
	if (!rc) {
		shape_choose(r, q);
		rows_choose(r, q, groups.names.n);
		if (r->nshown > 1 && !q->is_json && !q->is_long)
			qsort_r(r->shown, r->nshown, sizeof(*r->shown), rows_compare, &order);
	}
	text_set_free(&groups.names);
	free(groups.records);
	free(groups.parents);
	return rc;
}
