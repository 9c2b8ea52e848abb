/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/mirror/slots.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

static bool number(const char **p, uint32_t *value)
{
	uint32_t n = 0;

	if (**p < '0' || **p > '9')
		return false;
	for (; **p >= '0' && **p <= '9'; ++*p)
		if ((n = n * 10 + (uint32_t)(**p - '0')) > SLOTS_LIMIT)
			return false;
	*value = n;
	return n > 0;
}

static bool range(const char **p, struct slot_range *r)
{
	r->min = 1;
	if (**p != '-') {
		if (!number(p, &r->min))
			return false;
		r->max = r->min;
	}
	if (**p != '-')
		return true;
	++*p;
	r->max = SLOTS_OPEN;
	if (**p != '\0' && **p != ',' && !number(p, &r->max))
		return false;
	return r->max >= r->min;
}

static int by_first(const void *a, const void *b)
{
	const struct slot_range *x = a, *y = b;

	return x->min < y->min ? -1 : x->min > y->min;
}

int slots_parse(struct slot_ranges *ranges, const char *text, struct error *error)
{
	size_t commas = 0;
	const char *p = text;

	for (const char *c = text; *c; c++)
		commas += *c == ',';
	*ranges = (struct slot_ranges){ .items = calloc(commas + 1, sizeof(*ranges->items)) };
	if (!ranges->items)
		return error_set(error, -ENOMEM, "out of memory");
	while (range(&p, &ranges->items[ranges->n])) {
		ranges->n++;
		if (*p == '\0') {
			qsort(ranges->items, ranges->n, sizeof(*ranges->items), by_first);
			return 0;
		}
		if (*p++ != ',')
			break;
	}
	slots_free(ranges);
	return error_set(error, -EINVAL, "\"pe_range\" is \"%.40s\": allowed are n, n-m, n- and -m with 1 <= n <= m <= %u, joined by commas", text,
			 SLOTS_LIMIT);
}

void slots_free(struct slot_ranges *ranges)
{
	free(ranges->items);
	*ranges = (struct slot_ranges){ 0 };
}
