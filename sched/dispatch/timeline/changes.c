/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/timeline/changes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "conf/search.h"

/* Notes */

void changes_begin(struct changes *m, int64_t now)
{
	m->begin = now;
	m->n = 0;
	changes_source(m, CHANGES_OF_NOBODY, 0);
}

void changes_free(struct changes *m)
{
	free(m->notes);
	*m = (struct changes){ 0 };
}

void changes_source(struct changes *m, uint32_t column, uint32_t object)
{
	m->column = column;
	m->object = object;
}

int changes_reserve(struct changes *m)
{
	size_t capacity = 2 * m->capacity + 64;

	if (m->capacity - m->n >= CHANGES_RESERVED)
		return 0;
	if (array_grow(&m->notes, capacity, sizeof(*m->notes)))
		return -ENOMEM;
	m->capacity = capacity;
	return 0;
}

void changes_note(struct changes *m, int64_t at, int lines)
{
	if (m->column != CHANGES_OF_NOBODY)
		m->notes[m->n++] = (struct change_note){ at, m->object, m->column, lines > 0 };
}

/* Views */

static int change_compare(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

/* From `first` on: each moment once, and none at which nothing changes any more. */
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

/* The notes that concern it, in order and each once; those before now are counted. */
static size_t fresh(struct changes_view *v, const struct changes *m, struct change *items)
{
	bool is_sorted = true;
	size_t n = 0;

	for (size_t i = v->seen; i < m->n; i++) {
		const struct change_note *note = &m->notes[i];
		int64_t lines = note->added ? 1 : -1;

		if (!v->columns[note->column] || !v->objects[note->object])
			continue;
		if (note->at < m->begin)
			v->past += lines;
		else if (n > 0 && items[n - 1].at == note->at)	/* most of a task's lines change together */
			items[n - 1].lines += lines;
		else {
			is_sorted &= n == 0 || items[n - 1].at < note->at;
			items[n++] = (struct change){ note->at, lines };
		}
	}
	if (!is_sorted)			/* a line that is told tells its moments in order */
		qsort(items, n, sizeof(*items), change_compare);
	return unite(items, 0, n);
}

/* How many are earlier than `at`. */
static size_t count_before(const struct changes_view *v, int64_t at)
{
	size_t count;

	lower_bound(count, v->n, v->items[count].at < at);
	return count;
}

/*
 * At most moments something changes already: they only get more lines, or fewer. Returns how many
 * of the others there are, now in front.
 */
static size_t add_known(struct changes_view *v, struct change *items, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		size_t at = count_before(v, items[i].at);

		if (at < v->n && v->items[at].at == items[i].at && v->items[at].lines + items[i].lines != 0)
			v->items[at].lines += items[i].lines;
		else
			items[kept++] = items[i];
	}
	return kept;
}

int changes_gather(struct changes_view *v, const struct changes *m)
{
	size_t most = v->n + m->n - v->seen, i = v->n, k;
	struct change *items;

	if (v->seen == m->n)
		return 0;
	if (most > v->capacity) {
		if (array_grow(&v->items, 2 * most, sizeof(*v->items)))
			return -ENOMEM;
		v->capacity = 2 * most;
	}
	items = calloc(m->n - v->seen, sizeof(*items));
	if (!items)
		return -ENOMEM;
	k = add_known(v, items, fresh(v, m, items));
	v->seen = m->n;
	most = v->n + k;
	/* from behind, so that nothing is overwritten that is still needed */
	for (size_t to = most; k > 0; )
		v->items[--to] = i > 0 && v->items[i - 1].at > items[k - 1].at ? v->items[--i] : items[--k];
	v->n = unite(v->items, i > 0 ? i - 1 : 0, most);
	free(items);
	return 0;
}

void changes_view_free(struct changes_view *v)
{
	free(v->columns);
	free(v->objects);
	free(v->items);
	*v = (struct changes_view){ 0 };
}

int64_t changes_before(const struct changes_view *v, int64_t at)
{
	size_t n = count_before(v, at);

	return n > 0 ? v->items[n - 1].at : INT64_MIN;
}

int64_t changes_from(const struct changes_view *v, int64_t at)
{
	size_t n = count_before(v, at);

	return n < v->n ? v->items[n].at : INT64_MAX;
}

bool changes_are_past(const struct changes_view *v)
{
	return v->past > 0;
}

bool changes_are_none(const struct changes_view *v)
{
	return v->n == 0 && v->past == 0;
}
