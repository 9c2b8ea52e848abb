/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parser of task ranges. Ranges that interlace ("1-9:2,2-10:2") may be written, but are not stored.
 * Their ids are expanded, which also finds an id that occurs twice.
 */
#include "sched/process/ranges.h"

#include <errno.h>
#include <stdlib.h>

#define MAX_RANGES 1000000u
#define MAX_INTERLACED_IDS 1000000u

struct interlaced {		/* ranges that interlace with each other, or a single range */
	const struct range *items;
	size_t n;
	uint64_t ids;
};

static int id_parse(const char **p, uint32_t *id)
{
	uint64_t n = 0;

	if (**p < '0' || **p > '9')
		return -EINVAL;
	for (; **p >= '0' && **p <= '9'; (*p)++) {
		n = n * 10 + (uint64_t)(**p - '0');
		if (n > UINT32_MAX)
			return -EINVAL;
	}
	*id = (uint32_t)n;
	return n ? 0 : -EINVAL;
}

static int range_parse(const char **p, struct range *range)
{
	uint32_t step = 1;
	int rc = id_parse(p, &range->min);

	if (rc)
		return rc;
	range->max = range->min;
	if (**p == '-') {
		(*p)++;
		rc = id_parse(p, &range->max);
		if (rc == 0 && **p == ':') {
			(*p)++;
			rc = id_parse(p, &step);
		}
	}
	if (rc || range->max < range->min)
		return -EINVAL;
	range->max -= (range->max - range->min) % step;
	range->step = range->max == range->min ? 1 : step;
	return 0;
}

static int ranges_parse_items(struct ranges *ranges, const char *text)
{
	for (const char *p = text;; p++) {
		int rc = range_parse(&p, &ranges->items[ranges->n]);

		if (rc)
			return rc;
		ranges->n++;
		if (*p == '\0')
			return 0;
		if (*p != ',')
			return -EINVAL;
	}
}

static int range_compare(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return (x->min > y->min) - (x->min < y->min);
}

static int id_compare(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static struct interlaced cluster_at(const struct ranges *ranges, size_t at)
{
	struct interlaced interlaced = { .items = ranges->items + at };
	uint32_t max = interlaced.items[0].max;

	for (; at + interlaced.n < ranges->n && (interlaced.n == 0 || interlaced.items[interlaced.n].min <= max);
	     interlaced.n++) {
		const struct range *range = &interlaced.items[interlaced.n];

		max = range->max > max ? range->max : max;
		interlaced.ids += (uint64_t)(range->max - range->min) / range->step + 1;
	}
	return interlaced;
}

/* Append the ids one by one; -EINVAL if one occurs twice. */
static int cluster_expand(const struct interlaced *interlaced, uint32_t *ids, struct ranges *to)
{
	size_t n = 0;
	int rc = 0;

	for (size_t i = 0; i < interlaced->n; i++)
		for (uint64_t id = interlaced->items[i].min; id <= interlaced->items[i].max;
		     id += interlaced->items[i].step)
			ids[n++] = (uint32_t)id;
	qsort(ids, n, sizeof(*ids), id_compare);
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = ranges_append(to, &(struct range){ ids[i], ids[i], 1 });
	return rc;
}

static int cluster_append(const struct interlaced *interlaced, uint64_t most, struct ranges *to)
{
	uint32_t *ids;
	int rc;

	if (interlaced->n == 1)
		return ranges_append(to, interlaced->items);
	if (interlaced->ids > most)
		return -EINVAL;
	ids = malloc(interlaced->ids * sizeof(*ids));
	rc = ids ? cluster_expand(interlaced, ids, to) : -ENOMEM;
	free(ids);
	return rc;
}

/* Convert ranges in any order to the stored form. */
static int ranges_untangle(struct ranges *written, uint64_t most, struct ranges *to)
{
	int rc = 0;

	qsort(written->items, written->n, sizeof(*written->items), range_compare);
	for (size_t at = 0; at < written->n && rc == 0;) {
		struct interlaced interlaced = cluster_at(written, at);

		rc = cluster_append(&interlaced, most, to);
		at += interlaced.n;
	}
	if (rc)
		ranges_free(to);
	return rc;
}

int ranges_parse_most(struct ranges *ranges, const char *text, uint64_t most)
{
	struct ranges written = { 0 };
	size_t commas = 0;
	int rc;

	*ranges = (struct ranges){ 0 };
	if (*text == '\0')
		return 0;
	for (const char *p = text; *p; p++)
		commas += *p == ',';
	if (commas >= MAX_RANGES)
		return -EINVAL;
	written.items = malloc((commas + 1) * sizeof(*written.items));
	if (!written.items)
		return -ENOMEM;
	rc = ranges_parse_items(&written, text);
	if (rc == 0)
		rc = ranges_untangle(&written, most, ranges);
	free(written.items);
	return rc;
}

int ranges_parse(struct ranges *ranges, const char *text)
{
	return ranges_parse_most(ranges, text, MAX_INTERLACED_IDS);
}
