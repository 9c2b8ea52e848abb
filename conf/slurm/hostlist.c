/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slurm's lists of nodes, "n[1-16,20],login,rack[0-3]n[01-64]". They are split into ranges and
 * never expanded, because a dozen bytes may mean a million nodes. Two names are equal if their
 * prefixes, their numbers of digits and their numbers are equal. Leading zeros therefore matter.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "conf/slurm/files.h"

enum { DIGITS_MOST = 18, DIMENSIONS_MOST = 8 };		/* 18 digits fit 64 bits */

struct hostlist {
	struct node_spans *spans;
	uint32_t kind;
	struct error *e;
};

struct node_range {				/* 08-11: digits is 2 */
	uint64_t low, high;
	uint32_t digits;
};

static uint64_t power10(uint32_t n)
{
	uint64_t p = 1;

	while (n-- > 0)
		p *= 10;
	return p;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * Add numbers that all have `digits` digits after `prefix`. Digits at the end of the prefix become
 * part of the numbers.
 */
static int span_add(struct hostlist *hostlist, const char *prefix, uint32_t digits, uint64_t low, uint64_t high)
{
	size_t length = strlen(prefix), own = 0;
	struct node_span *span;
	uint64_t above;

	while (own < length && isdigit((unsigned char)prefix[length - own - 1]))
		own++;
	if (own + digits > DIGITS_MOST)
		return error_set(hostlist->e, -EINVAL, "\"%.60s\" has more than %d digits", prefix, DIGITS_MOST);
	if (hostlist->spans->n >= SLURM_SPANS_MOST)
		return error_set(hostlist->e, -EINVAL, "the list comes to more than %d ranges", SLURM_SPANS_MOST);
	span = array_add(&hostlist->spans->items, &hostlist->spans->n, sizeof(*span));
	if (!span)
		return -ENOMEM;
	above = own > 0 ? strtoull(prefix + length - own, NULL, 10) * power10(digits) : 0;
	*span = (struct node_span){ strndup(prefix, length - own), (uint32_t)own + digits, hostlist->kind, above + low,
				    above + high };
	return span->prefix ? 0 : -ENOMEM;
}

/* Add a range. From 8 to 120 are three spans: with one, two and three digits. */
static int range_add(struct hostlist *hostlist, const char *prefix, const struct node_range *range)
{
	uint64_t low = range->low;
	uint32_t digits;
	int rc = 0;

	for (digits = range->digits; low <= range->high && !rc; digits++) {
		rc = span_add(hostlist, prefix, digits, low, smaller(range->high, power10(digits) - 1));
		low = power10(digits);
	}
	return rc;
}

/* Cut off "8" or "8-120". */
static int range_take(struct hostlist *hostlist, const char **text, struct node_range *range)
{
	const char *begin = *text, *high;
	char *end;

	if (!isdigit((unsigned char)*begin))
		return error_set(hostlist->e, -EINVAL, "\"%.40s\" found where a number is expected", begin);
	range->low = range->high = strtoull(begin, &end, 10);
	range->digits = (uint32_t)(end - begin);
	high = end + 1;
	if (*end == '-' && isdigit((unsigned char)*high)) {
		range->high = strtoull(high, &end, 10);
		if (end - high > DIGITS_MOST)
			range->high = UINT64_MAX;
	}
	if (range->digits > DIGITS_MOST || range->high >= power10(DIGITS_MOST) || range->high < range->low)
		return error_set(hostlist->e, -EINVAL,
				 "\"%.40s\" is not a range: low-high with up to %d digits is "
				 "allowed", begin, DIGITS_MOST);
	*text = end;
	return 0;
}

struct dimension {			/* "n[1-8]" of "rack[0-3]n[1-8]" */
	const char *literal;		/* "n" */
	const char *list;		/* "1-8" */
	const char *at;			/* rest of the list after the current range */
	struct node_range range;
	uint64_t number;
};

/* Split an item at its brackets. */
static int dimensions_cut(struct hostlist *hostlist, char *item, struct dimension dimensions[], size_t *n)
{
	char *open, *close;

	for (*n = 0; *item; item = close + 1) {
		open = strchr(item, '[');
		close = open ? strchr(open, ']') : NULL;
		if (!close)
			return error_set(hostlist->e, -EINVAL,
					 "\"%.60s\" found: a list of nodes ends in [numbers] or has none", item);
		if (*n == DIMENSIONS_MOST)
			return error_set(hostlist->e, -EINVAL, "more than %d lists of numbers in a name",
					 DIMENSIONS_MOST);
		*open = *close = '\0';
		dimensions[*n] = (struct dimension){ .literal = item, .list = open + 1 };
		(*n)++;
	}
	return 0;
}

/* Move to the first or the next number of the list. Returns -ENOENT after the last one. */
static int dimension_next(struct hostlist *hostlist, struct dimension *dimension, bool first)
{
	if (first) {
		dimension->at = dimension->list;
	} else if (dimension->number < dimension->range.high) {
		dimension->number++;
		return 0;
	} else if (*dimension->at++ != ',') {
		return dimension->at[-1]
			       ? error_set(hostlist->e, -EINVAL,
					   "\"%.40s\" found: numbers and ranges with commas between are allowed",
					   dimension->at - 1)
			       : -ENOENT;
	}
	if (range_take(hostlist, &dimension->at, &dimension->range))
		return -EINVAL;
	dimension->number = dimension->range.low;
	return 0;
}

/* Add the last dimension as whole ranges, after the prefix of the other dimensions. */
static int ranges_add(struct hostlist *hostlist, const char *before, const struct dimension *last)
{
	char prefix[2 * SLURM_NAME_MOST];
	const char *at = last->list;
	struct node_range range;
	int rc;

	if (snprintf(prefix, sizeof(prefix), "%s%s", before, last->literal) > SLURM_NAME_MOST)
		return error_set(hostlist->e, -EINVAL, "a name is longer than %d bytes", SLURM_NAME_MOST);
	for (;;) {
		rc = range_take(hostlist, &at, &range);
		if (!rc)
			rc = range_add(hostlist, prefix, &range);
		if (rc || *at++ != ',')
			break;
	}
	if (!rc && at[-1])
		rc = error_set(hostlist->e, -EINVAL,
			       "\"%.40s\" found: numbers and ranges with commas between are allowed", at - 1);
	return rc;
}

static int prefix_make(struct hostlist *hostlist, const struct dimension *dimensions, size_t n,
		       char prefix[SLURM_NAME_MOST + 1])
{
	size_t used = 0, i;

	*prefix = '\0';
	for (i = 0; i < n && used <= SLURM_NAME_MOST; i++)
		used += (size_t)snprintf(prefix + used, SLURM_NAME_MOST + 1 - used, "%s%0*llu", dimensions[i].literal,
					 (int)dimensions[i].range.digits, (unsigned long long)dimensions[i].number);
	return used > SLURM_NAME_MOST
		       ? error_set(hostlist->e, -EINVAL, "a name is longer than %d bytes", SLURM_NAME_MOST)
		       : 0;
}

/* Iterate over all dimensions but the last, like the wheels of an odometer. */
static int dimensions_add(struct hostlist *hostlist, struct dimension dimensions[], size_t n)
{
	char prefix[SLURM_NAME_MOST + 1];
	size_t i, wheel;
	int rc = 0;

	for (i = 0; i + 1 < n && !rc; i++)
		rc = dimension_next(hostlist, &dimensions[i], true);
	while (!rc) {
		rc = prefix_make(hostlist, dimensions, n - 1, prefix);
		if (!rc)
			rc = ranges_add(hostlist, prefix, &dimensions[n - 1]);
		for (wheel = n - 1; wheel > 0 && !rc; wheel--) {
			rc = dimension_next(hostlist, &dimensions[wheel - 1], false);
			if (rc != -ENOENT)
				break;
			rc = wheel > 1 ? dimension_next(hostlist, &dimensions[wheel - 1], true) : -ENOENT;
		}
		if (n == 1)
			break;
	}
	return rc == -ENOENT ? 0 : rc;
}

static int item_add(struct hostlist *hostlist, char *item)
{
	struct dimension dimensions[DIMENSIONS_MOST];
	size_t n;
	int rc;

	if (!strpbrk(item, "[]"))
		return strlen(item) > SLURM_NAME_MOST
			       ? error_set(hostlist->e, -EINVAL, "a name is longer than %d bytes", SLURM_NAME_MOST)
			       : span_add(hostlist, item, 0, 0, 0);
	rc = dimensions_cut(hostlist, item, dimensions, &n);
	return rc ? rc : dimensions_add(hostlist, dimensions, n);
}

/* Cut off the next item. Commas in brackets belong to the item. */
static char *item_take(char **rest)
{
	char *item = *rest, *end;
	int depth = 0;

	for (end = item; *end && (*end != ',' || depth > 0); end++)
		depth += (*end == '[') - (*end == ']');
	*rest = *end ? end + 1 : end;
	*end = '\0';
	return item;
}

int hostlist_parse(struct node_spans *spans, const char *text, uint32_t kind, struct error *error)
{
	struct hostlist hostlist = { spans, kind, error };
	char *copy = strdup(text), *rest = copy, *item;
	int rc = copy ? 0 : -ENOMEM;

	while (!rc && *rest) {
		item = item_take(&rest);
		if (*item)
			rc = item_add(&hostlist, item);
	}
	free(copy);
	return rc;
}

void node_span_name(const struct node_span *span, uint64_t number, char name[2 * SLURM_NAME_MOST])
{
	if (span->digits > 0)
		snprintf(name, 2 * SLURM_NAME_MOST, "%s%0*llu", span->prefix, (int)span->digits,
			 (unsigned long long)number);
	else
		snprintf(name, 2 * SLURM_NAME_MOST, "%s", span->prefix);
}

int node_span_compare(const void *a, const void *b)
{
	const struct node_span *x = a, *y = b;
	int order = strcmp(x->prefix, y->prefix);

	if (order)
		return order;
	if (x->digits != y->digits)
		return x->digits < y->digits ? -1 : 1;
	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return (x->kind > y->kind) - (x->kind < y->kind);
}

void node_spans_merge(struct node_spans *spans)
{
	struct node_span *last = NULL, *span;
	size_t n = 0, i;

	for (i = 0; i < spans->n; i++) {
		span = &spans->items[i];
		if (last && !strcmp(last->prefix, span->prefix) && last->digits == span->digits &&
		    span->low <= last->high) {
			last->high = span->high > last->high ? span->high : last->high;
			free(span->prefix);
		} else {
			spans->items[n] = *span;
			last = &spans->items[n++];
		}
	}
	spans->n = n;
}

void node_spans_free(struct node_spans *spans)
{
	size_t i;

	for (i = 0; i < spans->n; i++)
		free(spans->items[i].prefix);
	free(spans->items);
	*spans = (struct node_spans){ 0 };
}
