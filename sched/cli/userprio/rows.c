/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structure of the table: columns, nesting, rows and their order. Each step needs the results of
 * the steps before it. userprio_shape_make() calls them in order.
 */
#include "sched/cli/userprio/show.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>


/* Columns */

/* Drop columns for which no record has a value. */
static unsigned columns_available(const struct userprio_records *records, const struct userprio_query *query)
{
	static const unsigned together[] = { USERPRIO_USE, USERPRIO_FACTOR, USERPRIO_START,
					     USERPRIO_LAST | USERPRIO_SINCE, USERPRIO_QUOTAS };
	unsigned columns = query->columns ? query->columns : USERPRIO_MOST_COLUMNS,
		 available = query->asks_quotas ? USERPRIO_QUOTAS : 0;

	for (size_t i = 0; i < records->n; i++)
		available |= records->items[i].columns;
	for (size_t i = 0; i < sizeof(together) / sizeof(*together); i++)
		if (!(available & together[i]))
			columns &= ~together[i];
	return columns;
}

static bool columns_within(unsigned columns, unsigned set)
{
	return columns && !(columns & ~set);
}

/* Shape */

static bool is_active(const struct userprio_query *query, const struct userprio_record *record)
{
	return (record->last ? record->last : USERPRIO_EVER) >= query->active_from;
}

static bool groups_are_active(const struct userprio_records *records, const struct userprio_query *query)
{
	for (size_t i = 0; i < records->n; i++)
		if (records->items[i].number > 0 && is_active(query, &records->items[i]))
			return true;
	return false;
}

static bool submitters_have_quotas(const struct userprio_records *records)
{
	for (size_t i = 0; i < records->n; i++)
		if (!records->items[i].is_group &&
		    records->items[i].columns & (USERPRIO_EFFECTIVE_QUOTA | USERPRIO_CONFIG_QUOTA))
			return true;
	return false;
}

/*
 * Choose nesting and kinds of rows. Submitters have priorities, groups have quotas. A table with
 * only one of them hides the rows of the other kind. If no active record is in a group, nothing is
 * nested, and quotas are left out unless they were requested.
 */
static void shape_choose(struct userprio_shape *shape, const struct userprio_query *query, bool has_groups,
			 bool has_user_quotas)
{
	bool only_priority = columns_within(shape->columns, USERPRIO_PRIORITY);

	shape->is_nested = query->nesting == NESTING_ON || (query->nesting == NESTING_DEFAULT && !only_priority);
	shape->shows_groups = !only_priority || shape->is_nested;
	shape->is_nested = shape->is_nested && has_groups;
	if ((!shape->shows_groups || !has_groups) && !query->asks_quotas && !has_user_quotas)
		shape->columns &= ~(unsigned)USERPRIO_QUOTAS;
	shape->shows_users = !columns_within(shape->columns, USERPRIO_QUOTAS) || has_user_quotas;
}

/* Return the policy of the last group that takes more than its quota. */
static const char *policy_of(const struct userprio_records *records)
{
	for (size_t i = records->n; i > 0; i--) {
		const struct userprio_record *record = &records->items[i - 1];

		if (record->is_group &&
		    (strcasecmp(record->surplus, "regroup") == 0 || strcasecmp(record->surplus, "byquota") == 0))
			return record->surplus;
	}
	return "";
}

/* Order */

typedef int rows_step(const struct userprio_record *x, const struct userprio_record *y);

static int numbers_compare(double x, double y)
{
	return (x > y) - (x < y);
}

static int by_priority(const struct userprio_record *x, const struct userprio_record *y)
{
	return numbers_compare(x->priority, y->priority);
}

static int by_usage(const struct userprio_record *x, const struct userprio_record *y)
{
	return numbers_compare(x->weight_accumulated, y->weight_accumulated);
}

static int by_name(const struct userprio_record *x, const struct userprio_record *y)
{
	return strcmp(x->name, y->name);
}

static int root_last(const struct userprio_record *x, const struct userprio_record *y)
{
	return (x->number == 0) - (y->number == 0);
}

static int by_order(const struct userprio_record *x, const struct userprio_record *y)
{
	return numbers_compare(x->order, y->order);
}

static int by_number(const struct userprio_record *x, const struct userprio_record *y)
{
	return (x->number > y->number) - (x->number < y->number);
}

static int groups_first(const struct userprio_record *x, const struct userprio_record *y)
{
	return y->is_group - x->is_group;
}

static int by_place(const struct userprio_record *x, const struct userprio_record *y)
{
	return (x->place > y->place) - (x->place < y->place);
}

static int groups_by_place(const struct userprio_record *x, const struct userprio_record *y)
{
	return x->is_group && y->is_group ? by_place(x, y) : 0;
}

static int groups_by_number(const struct userprio_record *x, const struct userprio_record *y)
{
	int order = x->is_group && y->is_group ? root_last(x, y) : 0;

	return order || !x->is_group || !y->is_group ? order : by_number(x, y);
}

#define STEPS_MOST 8

/* Fill in the comparisons. The first one that distinguishes two rows determines their order. */
static void order_make(rows_step **steps, const struct userprio_shape *shape, const struct userprio_query *query,
		       bool numbered)
{
	size_t n = 0;

	if (shape->is_nested) {
		if (strcasecmp(shape->policy, "regroup") == 0)
			steps[n++] = root_last;
		if (shape->columns & (USERPRIO_EFFECTIVE | USERPRIO_USE))
			steps[n++] = by_order;
		steps[n++] = by_number;
		steps[n++] = groups_first;
	} else if (query->groups_first) {
		steps[n++] = groups_first;
		steps[n++] = groups_by_place;
	}
	steps[n++] = shape->columns & USERPRIO_EFFECTIVE ? by_priority
		     : shape->columns & USERPRIO_USE	 ? by_usage
							 : by_name;
	/* numbering has sorted the groups to the head of the list */
	if (numbered && !shape->is_nested) {
		steps[n++] = groups_first;
		steps[n++] = groups_by_number;
	}
	steps[n++] = by_place;
	steps[n] = NULL;
}

static int rows_compare(const void *a, const void *b, void *steps)
{
	const struct userprio_record *x = *(const struct userprio_record *const *)a,
				     *y = *(const struct userprio_record *const *)b;
	int order = 0;

	for (rows_step **step = steps; *step && !order; step++)
		order = (*step)(x, y);
	return order;
}

/* Rows */

/*
 * Return the bytes of a name as the table shows it: a nested submitter's is indented and without
 * its group.
 */
static size_t name_bytes(const struct userprio_shape *shape, const struct userprio_record *record)
{
	size_t n = strlen(record->name), group = strlen(record->group);

	if (!shape->is_nested || record->is_group)
		return n;
	return n + 2 > group && record->number ? n + 2 - group : n + 2;
}

static void active_take(struct userprio_shape *shape, const struct userprio_records *records,
			const struct userprio_query *query)
{
	for (size_t i = 0; i < records->n; i++) {
		size_t bytes = name_bytes(shape, &records->items[i]);

		if (!is_active(query, &records->items[i]))
			continue;
		shape->rows[shape->nrows++] = &records->items[i];
		if (bytes > shape->name_width)
			shape->name_width = bytes;
	}
}

/*
 * Keep the rows that are shown. The root is shown only below another group, unless submitters are
 * in groups.
 */
static void rows_filter(struct userprio_shape *shape, bool has_groups)
{
	bool shows_root = has_groups;
	size_t kept = 0;

	for (size_t i = 0; i < shape->nrows; i++) {
		const struct userprio_record *record = shape->rows[i];

		if (!record->is_group) {
			shape->nusers++;
			shape->weight_used += record->weight_used;
			shape->weight_accumulated += record->weight_accumulated;
		}
		if (record->is_group ? !shape->shows_groups || (!shows_root && !record->number) : !shape->shows_users)
			continue;
		shows_root |= record->is_group;
		shape->rows[kept++] = record;
	}
	shape->nrows = kept;
}

int userprio_shape_make(struct userprio_shape *shape, struct userprio_records *records,
			const struct userprio_query *query)
{
	rows_step *steps[STEPS_MOST + 1];
	bool numbered, has_groups;
	int rc;

	*shape = (struct userprio_shape){ .columns = columns_available(records, query), .policy = policy_of(records) };
	shape->rows = malloc((records->n + 1) * sizeof(*shape->rows));
	rc = shape->rows ? userprio_groups_number(records, shape->columns, &numbered) : -ENOMEM;
	if (rc)
		return rc;
	has_groups = groups_are_active(records, query);
	shape_choose(shape, query, has_groups, submitters_have_quotas(records));
	active_take(shape, records, query);
	order_make(steps, shape, query, numbered);
	if (shape->nrows > 1)
		qsort_r(shape->rows, shape->nrows, sizeof(*shape->rows), rows_compare, steps);
	rows_filter(shape, has_groups);
	return 0;
}

void userprio_shape_free(struct userprio_shape *shape)
{
	free(shape->rows);
	*shape = (struct userprio_shape){ 0 };
}
