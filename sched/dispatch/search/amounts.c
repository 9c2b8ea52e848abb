/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/search/amounts.h"

#include <errno.h>
#include <stdlib.h>

#include "sched/process/ranges.h"

void amounts_free(struct amounts *amounts)
{
	if (amounts->parts != &amounts->own)
		free(amounts->parts);
	amounts->parts = NULL;
}

static uint32_t most_of(const struct slot_range *range, uint32_t most)
{
	return range->max == SLOTS_OPEN || range->max > most ? most : range->max;
}

static size_t part_count(const struct amounts_part *part)
{
	return (part->last - part->first) / part->step + 1;
}

/*
 * Return the first of `first`, `first` + `step`, ... `last` that is divisible by `multiple`; 0:
 * none.
 */
static uint64_t first_multiple(uint64_t first, uint64_t last, uint32_t step, uint32_t multiple)
{
	uint32_t tried = 0;

	if (step == 1)
		first += (multiple - first % multiple) % multiple;
	for (; first <= last && first % multiple; first += step)
		if (++tried == multiple)	/* the remainders repeat */
			return 0;
	return first <= last ? first : 0;
}

/* Take the numbers of a range from `least` to `most` that are divisible by `multiple`. */
static bool part_create(struct amounts_part *part, const struct slot_range *range, uint32_t multiple, uint32_t least,
			uint32_t most)
{
	uint64_t first = range->min, last = most_of(range, most),
		 step = range->step / common_divisor(range->step, multiple) * multiple;

	if (first < least)
		first += (least - first + range->step - 1) / range->step * range->step;
	first = first_multiple(first, last, range->step, multiple);
	if (first == 0)
		return false;
	if (step > last - first)
		*part = (struct amounts_part){ (uint32_t)first, (uint32_t)first, 1 };
	else
		*part = (struct amounts_part){ (uint32_t)first, (uint32_t)(last - (last - first) % step),
					       (uint32_t)step };
	return true;
}

int amounts_create(struct amounts *amounts, const struct slot_ranges *ranges, const struct pe *pe,
			  uint32_t least, uint32_t most)
{
	uint32_t next = least, multiple = pe->rule == RULE_FIXED ? pe->slots_per_host : 1;

	*amounts = (struct amounts){ 0 };
	amounts->parts = ranges->n <= 1 ? &amounts->own : calloc(ranges->n, sizeof(*amounts->parts));
	if (!amounts->parts)
		return -ENOMEM;
	for (size_t i = 0; i < ranges->n; i++) {
		struct amounts_part *part = &amounts->parts[amounts->nparts];

		if (!part_create(part, &ranges->items[i], multiple, next, most))
			continue;
		amounts->nparts++;
		amounts->n += part_count(part);
		next = part->last + 1;
	}
	return 0;
}

uint32_t amounts_at(const struct amounts *amounts, size_t i)
{
	for (size_t k = 0; k < amounts->nparts; k++) {
		size_t n = part_count(&amounts->parts[k]);

		if (i < n)
			return amounts->parts[k].first + (uint32_t)i * amounts->parts[k].step;
		i -= n;
	}
	return 0;
}

size_t amounts_to(const struct amounts *amounts, uint64_t most)
{
	size_t n = 0;

	for (size_t k = 0; k < amounts->nparts && amounts->parts[k].first <= most; k++)
		n += ((amounts->parts[k].last < most ? amounts->parts[k].last : (uint32_t)most) -
		      amounts->parts[k].first) /
			     amounts->parts[k].step +
		     1;
	return n;
}
