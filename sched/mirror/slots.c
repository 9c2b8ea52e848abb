/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/mirror/slots.h"

#include <errno.h>
#include <stdlib.h>
#include <strings.h>

#include "conf/base/number.h"

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

/* Read the step after "n-m:" and set `max` to the last number in the range. */
static bool step(const char **p, struct slot_range *range)
{
	++*p;
	if (range->max == SLOTS_OPEN || !number(p, &range->step))
		return false;
	range->max -= (range->max - range->min) % range->step;
	if (range->max == range->min)
		range->step = 1;
	return true;
}

static bool range(const char **p, struct slot_range *slot_range)
{
	bool has_min = **p != '-';

	slot_range->min = slot_range->step = 1;
	if (has_min) {
		if (!number(p, &slot_range->min))
			return false;
		slot_range->max = slot_range->min;
	}
	if (**p != '-')
		return true;
	++*p;
	slot_range->max = SLOTS_OPEN;
	if ((!has_min || (**p != '\0' && **p != ',')) && !number(p, &slot_range->max))
		return false;
	return slot_range->max >= slot_range->min && (**p != ':' || step(p, slot_range));
}

static int by_first(const void *a, const void *b)
{
	const struct slot_range *x = a, *y = b;

	return x->min < y->min ? -1 : x->min > y->min;
}

/*
 * Return whether ranges with a step overlap. Ranges without a step may overlap and form one range.
 */
static bool steps_overlap(const struct slot_ranges *ranges)
{
	uint32_t last = 0;
	bool stepped = false;

	for (size_t i = 0; i < ranges->n; i++) {
		const struct slot_range *range = &ranges->items[i];

		stepped = range->step > 1 || (range->min <= last && stepped);
		if (range->min <= last && stepped)
			return true;
		last = range->max > last ? range->max : last;
	}
	return false;
}

static int slots_sort(struct slot_ranges *ranges, const char *text, struct error *error)
{
	qsort(ranges->items, ranges->n, sizeof(*ranges->items), by_first);
	if (!steps_overlap(ranges))
		return 0;
	slots_free(ranges);
	return error_set(error, -EINVAL,
			 "\"%.40s\" is not a list of slots: a range with a step must not overlap another range", text);
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
		if (*p == '\0')
			return slots_sort(ranges, text, error);
		if (*p++ != ',')
			break;
	}
	slots_free(ranges);
	return error_set(
		error, -EINVAL,
		"\"%.40s\" is not a list of slots: allowed are n, n-m, n-m:step, n- and -m with 1 <= n <= m <= %u, "
		"separated by commas",
		text, SLOTS_LIMIT);
}

void slots_free(struct slot_ranges *ranges)
{
	free(ranges->items);
	*ranges = (struct slot_ranges){ 0 };
}

bool slots_contain(const struct slot_ranges *ranges, uint64_t slots)
{
	for (size_t i = 0; i < ranges->n; i++) {
		const struct slot_range *range = &ranges->items[i];

		if (range->min <= slots && slots <= range->max && (slots - range->min) % range->step == 0)
			return true;
	}
	return false;
}

/*
 * Return the rule of a parallel environment. NULL: it does not exist, or its urgency_slots is not
 * valid.
 */
static const struct slots_rule *pe_rule(const struct cell *cell, const char *pe_name, struct slots_rule *rule)
{
	const struct pe *pe = pe_name ? cell_pe_matching(cell, pe_name) : NULL;

	if (!pe)
		return NULL;
	*rule = (struct slots_rule){ .pe_slots = pe->slots };
	if (strcasecmp(pe->urgency_slots, "min") == 0)
		rule->rule = URGENCY_SLOTS_MIN;
	else if (strcasecmp(pe->urgency_slots, "max") == 0)
		rule->rule = URGENCY_SLOTS_MAX;
	else if (strcasecmp(pe->urgency_slots, "avg") == 0)
		rule->rule = URGENCY_SLOTS_AVG;
	else if (number_u32(pe->urgency_slots, &rule->number) == 0)
		rule->rule = URGENCY_SLOTS_NUMBER;
	else
		return NULL;
	return rule;
}

uint32_t slots_assumed(const struct slot_ranges *ranges, const struct cell *cell, const char *pe)
{
	struct slots_rule rule;

	return assumed_slots(ranges->items, ranges->n, pe_rule(cell, pe, &rule));
}
