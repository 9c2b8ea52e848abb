/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/timeline/changes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "conf/base/search.h"

/* Notes */

void changes_begin(struct changes *changes, int64_t now)
{
	changes->begin = now;
	changes->n = 0;
	changes_source(changes, CHANGES_IGNORED, 0);
}

void changes_free(struct changes *changes)
{
	free(changes->notes);
	*changes = (struct changes){ 0 };
}

void changes_source(struct changes *changes, uint32_t column, uint32_t object)
{
	changes->column = column;
	changes->object = object;
}

int changes_reserve(struct changes *changes)
{
	size_t capacity = 2 * changes->capacity + 64;

	if (changes->capacity - changes->n >= CHANGES_RESERVED)
		return 0;
	if (array_grow(&changes->notes, capacity, sizeof(*changes->notes)))
		return -ENOMEM;
	changes->capacity = capacity;
	return 0;
}

void changes_note(struct changes *changes, int64_t at, int lines)
{
	if (changes->column != CHANGES_IGNORED)
		changes->notes[changes->n++] = (struct change_note){ at, changes->object, changes->column, lines > 0 };
}

/* Views */

static int change_compare(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

/* Merge equal times from index `first` on, and remove times at which nothing changes any more. */
static size_t unite(struct change *items, size_t first, size_t n)
{
	size_t kept = first;

	for (size_t i = first, next; i < n; i = next) {
		struct change one = items[i];

		for (next = i + 1; next < n && items[next].at == one.at; next++)
			one.lines += items[next].lines;
		if (one.lines != 0)
			items[kept++] = one;
	}
	return kept;
}

/*
 * Collect the new notes that concern this view, in order and without duplicates. Notes before now
 * are only counted.
 */
static size_t fresh(struct changes_view *view, const struct changes *changes, struct change *items)
{
	bool is_sorted = true;
	size_t n = 0;

	for (size_t i = view->seen; i < changes->n; i++) {
		const struct change_note *note = &changes->notes[i];
		int64_t lines = note->added ? 1 : -1;

		if (!view->columns[note->column] || !view->objects[note->object])
			continue;
		if (note->at < changes->begin)
			view->past += lines;
		/* most of a task's lines change together */
		else if (n > 0 && items[n - 1].at == note->at)
			items[n - 1].lines += lines;
		else {
			is_sorted &= n == 0 || items[n - 1].at < note->at;
			items[n++] = (struct change){ note->at, lines };
		}
	}
	if (!is_sorted)			/* a line that is recorded lists its times in order */
		qsort(items, n, sizeof(*items), change_compare);
	return unite(items, 0, n);
}

/* Return the number of changes before `at`. */
static size_t count_before(const struct changes_view *view, int64_t at)
{
	size_t count;

	lower_bound(count, view->n, view->items[count].at < at);
	return count;
}

/*
 * Add the items whose time is already in the view; only their number of lines changes. This is the
 * common case. Return the number of other items, which are moved to the front.
 */
static size_t add_known(struct changes_view *view, struct change *items, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		size_t at = count_before(view, items[i].at);

		if (at < view->n && view->items[at].at == items[i].at && view->items[at].lines + items[i].lines != 0)
			view->items[at].lines += items[i].lines;
		else
			items[kept++] = items[i];
	}
	return kept;
}

int changes_gather(struct changes_view *view, const struct changes *changes)
{
	size_t most = view->n + changes->n - view->seen, i = view->n, k;
	struct change *items;

	if (view->seen == changes->n)
		return 0;
	if (most > view->capacity) {
		if (array_grow(&view->items, 2 * most, sizeof(*view->items)))
			return -ENOMEM;
		view->capacity = 2 * most;
	}
	items = calloc(changes->n - view->seen, sizeof(*items));
	if (!items)
		return -ENOMEM;
	k = add_known(view, items, fresh(view, changes, items));
	view->seen = changes->n;
	most = view->n + k;
	/* backwards, so that no item is overwritten before it is read */
	for (size_t to = most; k > 0; )
		view->items[--to] = i > 0 && view->items[i - 1].at > items[k - 1].at ? view->items[--i] : items[--k];
	view->n = unite(view->items, i > 0 ? i - 1 : 0, most);
	free(items);
	return 0;
}

void changes_view_free(struct changes_view *view)
{
	free(view->columns);
	free(view->objects);
	free(view->items);
	*view = (struct changes_view){ 0 };
}

int64_t changes_before(const struct changes_view *view, int64_t at)
{
	size_t n = count_before(view, at);

	return n > 0 ? view->items[n - 1].at : INT64_MIN;
}

int64_t changes_from(const struct changes_view *view, int64_t at)
{
	size_t n = count_before(view, at);

	return n < view->n ? view->items[n].at : INT64_MAX;
}

bool changes_are_past(const struct changes_view *view)
{
	return view->past > 0;
}

bool changes_are_none(const struct changes_view *view)
{
	return view->n == 0 && view->past == 0;
}
