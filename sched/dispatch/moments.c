/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/moments.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"

void moments_begin(struct moments *m, int64_t now)
{
	m->begin = now;
	m->n = m->nnotes = 0;
}

void moments_free(struct moments *m)
{
	free(m->items);
	free(m->notes);
	*m = (struct moments){ 0 };
}

int moments_reserve(struct moments *m)
{
	size_t capacity = 2 * m->notes_capacity + 64;

	if (m->notes_capacity - m->nnotes >= MOMENTS_RESERVED)
		return 0;
	if (array_grow(&m->notes, capacity, sizeof(*m->notes)))
		return -ENOMEM;
	m->notes_capacity = capacity;
	return 0;
}

void moments_note(struct moments *m, int64_t at, int lines)
{
	if (at >= m->begin)
		m->notes[m->nnotes++] = (struct moment){ at, lines };
}

static int moment_compare(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

/* From `first` on: each moment once, and none at which nothing changes any more. */
static size_t unite(struct moment *items, size_t first, size_t n)
{
	size_t kept = first;

	for (size_t i = first, next; i < n; i = next) {
		struct moment one = items[i];

		for (next = i + 1; next < n && items[next].at == one.at; next++)
			one.lines += items[next].lines;
		if (one.lines != 0)
			items[kept++] = one;
	}
	return kept;
}

int moments_gather(struct moments *m)
{
	size_t most = m->n + m->nnotes, i = m->n, k = m->nnotes;

	if (k == 0)
		return 0;
	if (most > m->capacity) {
		if (array_grow(&m->items, 2 * most, sizeof(*m->items)))
			return -ENOMEM;
		m->capacity = 2 * most;
	}
	qsort(m->notes, k, sizeof(*m->notes), moment_compare);
	for (size_t to = most; k > 0; )		/* from behind, so that nothing is overwritten that is still needed */
		m->items[--to] = i > 0 && m->items[i - 1].at > m->notes[k - 1].at ? m->items[--i] : m->notes[--k];
	m->n = unite(m->items, i > 0 ? i - 1 : 0, most);
	m->nnotes = 0;
	return 0;
}

/* How many are earlier than `at`. */
static size_t count_before(const struct moments *m, int64_t at)
{
	size_t low = 0, high = m->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (m->items[middle].at < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int64_t moments_before(const struct moments *m, int64_t at)
{
	size_t n = count_before(m, at);

	return n > 0 ? m->items[n - 1].at : INT64_MIN;
}

int64_t moments_from(const struct moments *m, int64_t at)
{
	size_t n = count_before(m, at);

	return n < m->n ? m->items[n].at : INT64_MAX;
}
