/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers and order of groups, and the sums of their subtrees. */
#include "sched/cli/userprio/show.h"

#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

struct group_index {			/* groups by name, the root last */
	struct userprio_record **groups;	/* owned array */
	size_t n;
};

static int groups_compare(const void *a, const void *b)
{
	const struct userprio_record *x = *(struct userprio_record *const *)a, *y = *(struct userprio_record *const *)b;
	int order = userprio_is_root(x->name) - userprio_is_root(y->name);

	if (!order)
		order = strcmp(x->name, y->name);
	return order ? order : (x->place > y->place) - (x->place < y->place);
}

static int index_make(struct group_index *index, struct userprio_records *records)
{
	*index = (struct group_index){ .groups = malloc((records->n + 1) * sizeof(struct userprio_record *)) };
	if (!index->groups)
		return -ENOMEM;
	for (size_t i = 0; i < records->n; i++)
		if (records->items[i].is_group)
			index->groups[index->n++] = &records->items[i];
	qsort(index->groups, index->n, sizeof(struct userprio_record *), groups_compare);
	return 0;
}

/* Return the group's record, or NULL. */
static struct userprio_record *index_find(const struct group_index *index, const char *name)
{
	size_t low = 0, high = index->n;
	bool root = userprio_is_root(name);

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const char *there = index->groups[middle]->name;
		int order = root - userprio_is_root(there);

		if (!order && !root)
			order = strcmp(name, there);
		if (order > 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == index->n ||
	    (root ? !userprio_is_root(index->groups[low]->name) : strcmp(name, index->groups[low]->name) != 0))
		return NULL;
	return index->groups[low];
}

/*
 * Clear the numbers if no submitter is in a group. condor_userprio then shows the negative number
 * of the record as the number of its group.
 */
static bool numbers_clear(struct userprio_records *records)
{
	int64_t none = -2 * (int64_t)records->n;
	bool has_members = false;

	for (size_t i = 0; i < records->n; i++) {
		struct userprio_record *record = &records->items[i];

		record->order = 0;
		if (userprio_is_root(record->is_group ? record->name : record->group))
			record->number = 0;
		else
			record->number = record->is_group ? -(int64_t)i - 1 : none;
		has_members |= record->number == none;
		record->columns = (record->columns & ~(unsigned)(USERPRIO_GROUP_ID | USERPRIO_GROUP_ORDER)) |
				  (record->number ? USERPRIO_GROUP_ID : 0);
	}
	return has_members;
}

/*
 * Return the position of a group among groups: its priority, usage or number, whichever is shown.
 */
static double order_of(const struct userprio_record *group, unsigned columns, bool has_sort_keys)
{
	if (columns & USERPRIO_EFFECTIVE && has_sort_keys)
		return group->sort_key;
	if (columns & USERPRIO_EFFECTIVE)
		return group->number > 0 ? group->priority : (double)FLT_MAX;
	if (columns & USERPRIO_USE)
		return group->weight_accumulated / 3600;
	return group->number > 0 ? (double)group->number : (double)FLT_MAX;
}

int userprio_groups_number(struct userprio_records *records, unsigned columns, bool *numbered)
{
	struct group_index index = { 0 };
	bool has_sort_keys = false;

	*numbered = numbers_clear(records);
	if (!*numbered)
		return 0;
	if (index_make(&index, records))
		return -ENOMEM;
	for (size_t i = 0; i < records->n; i++)
		has_sort_keys |= (records->items[i].columns & USERPRIO_SORT_KEY) != 0;
	for (size_t i = 0; i < index.n; i++) {
		struct userprio_record *group = index.groups[i];

		if (group->number)
			group->number = (int64_t)i + 1;
		group->order = order_of(group, columns, has_sort_keys);
		group->columns |= USERPRIO_GROUP_ORDER;
	}
	for (size_t i = 0; i < records->n; i++) {
		struct userprio_record *user = &records->items[i];
		const struct userprio_record *group = user->is_group ? NULL : index_find(&index, user->group);

		if (!group)
			continue;
		user->number = group->number;
		user->order = group->order;
		user->columns |= USERPRIO_GROUP_ORDER;
	}
	free(index.groups);
	return 0;
}

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

/*
 * Return the group above this one; NULL for the root. A parent without a record counts as the root.
 */
static struct userprio_record *parent_of(const struct group_index *index, const struct userprio_record *group)
{
	struct userprio_record *parent = userprio_is_root(group->name) ? NULL : index_find(index, group->group);

	return parent || userprio_is_root(group->name) ? parent : index_find(index, "<none>");
}

int userprio_groups_rollup(struct userprio_records *records)
{
	struct group_index index;
	struct userprio_record *own = malloc((records->n + 1) * sizeof(*own));
	int rc = own ? index_make(&index, records) : -ENOMEM;

	for (size_t i = 0; i < records->n && !rc; i++)
		own[i] = records->items[i];
	for (size_t i = 0; i < records->n && !rc; i++) {
		struct userprio_record *group = &records->items[i];
		size_t steps = 0;

		if (!group->is_group)
			continue;
		group->priority = 0;
		if (!(group->columns & USERPRIO_EFFECTIVE_QUOTA))
			group->columns &= ~(unsigned)USERPRIO_PRIORITY;
		/* Groups of a file may form a cycle. */
		for (struct userprio_record *above = parent_of(&index, group); above && steps < index.n;
		     above = parent_of(&index, above), steps++)
			group_add(above, &own[i]);
	}
	free(own);
	if (!rc)
		free(index.groups);
	return rc;
}
