/* SPDX-License-Identifier: Apache-2.0 */
/* Queries on a line: searches in the tree of timeline_node.h. */
#include <stdbool.h>

#include "sched/dispatch/timeline/timeline_node.h"

/*
 * Return the highest level in [begin, end) in a subtree. `level` is booked before the subtree.
 * `begin` INT64_MIN: from the first step on.
 */
static units most_in(const struct timelines *timelines, uint32_t node, int64_t begin, int64_t end, units level)
{
	const struct timeline_node *timeline_node;
	units here, most;
	uint32_t i = 0;

	if (node == TIMELINE_EMPTY)
		return level;
	timeline_node = &timelines->nodes[node];
	if (begin == INT64_MIN && end == TIMELINE_NEVER)
		return level + timeline_node->top;
	if (timeline_node->steps[0].at >= end)
		return most_in(timelines, timeline_node->left, begin, end, level);
	if (timeline_node->steps[timeline_node->n - 1].at <= begin)
		return most_in(timelines, timeline_node->right, begin, end, level + rise(timelines, timeline_node));
	for (here = level + sum(timelines, timeline_node->left); timeline_node->steps[i].at <= begin; i++)
		here += timeline_node->steps[i].change;
	most = i > 0 || timeline_node->left == TIMELINE_EMPTY
		       ? here
		       : most_in(timelines, timeline_node->left, begin, TIMELINE_NEVER, level);
	for (; i < timeline_node->n && timeline_node->steps[i].at < end; i++) {
		here += timeline_node->steps[i].change;
		most = larger(most, here);
	}
	return i < timeline_node->n || timeline_node->right == TIMELINE_EMPTY
		       ? most
		       : larger(most, most_in(timelines, timeline_node->right, INT64_MIN, end, here));
}

double timeline_max(const struct timelines *timelines, uint32_t line, int64_t begin, int64_t end)
{
	if (line == TIMELINE_EMPTY || begin >= end)
		return 0.0;
	if (timelines->peaks[line].from < end && timelines->peaks[line].to > begin)
		return timelines->peaks[line].most;
	return amount_of(larger(most_in(timelines, line, begin, end, 0), 0));
}

/*
 * Return the last step before a time after which more than `limit` is booked. `level` is booked
 * after all steps. STEPS: there is none.
 */
static uint32_t steps_above(const struct timeline_node *timeline_node, units level, double limit, int64_t before)
{
	for (uint32_t i = timeline_node->n; i-- > 0; level -= timeline_node->steps[i].change)
		if (timeline_node->steps[i].at < before && amount_of(level) > limit)
			return i;
	return STEPS;
}

/*
 * Return the first change after the last time < `before` with more than `limit`. `exceeded`: the
 * limit is exceeded before the line begins. INT64_MIN: there is no such time.
 */
static int64_t after_last(const struct timelines *timelines, uint32_t line, double limit, int64_t before, bool exceeded)
{
	int64_t next = TIMELINE_NEVER;
	units level = 0;

	while (line != TIMELINE_EMPTY) {
		const struct timeline_node *timeline_node = &timelines->nodes[line];
		units here = level + rise(timelines, timeline_node);
		uint32_t i;

		if (timeline_node->steps[timeline_node->n - 1].at < before &&
		    amount_of(most_in(timelines, timeline_node->right, INT64_MIN, before, here)) > limit) {
			exceeded = true;
			level = here;
			line = timeline_node->right;
			continue;
		}
		i = steps_above(timeline_node, here, limit, before);
		if (i < STEPS)
			/* not the last step: it would have been found above */
			return timeline_node->steps[i + 1].at;
		next = timeline_node->steps[0].at;
		line = timeline_node->left;
	}
	return exceeded ? next : INT64_MIN;
}

int64_t timeline_below(const struct timelines *timelines, uint32_t line, double limit)
{
	return after_last(timelines, line, limit, TIMELINE_NEVER, limit < 0);
}

int64_t timeline_above(const struct timelines *timelines, uint32_t line, double limit, int64_t before)
{
	return after_last(timelines, line, limit, before, false);
}

int64_t timeline_change(const struct timelines *timelines, uint32_t line, int64_t before)
{
	int64_t found = INT64_MIN;

	while (line != TIMELINE_EMPTY) {
		const struct timeline_node *node = &timelines->nodes[line];
		uint32_t i = steps_before(node, before);

		if (i > 0)
			found = node->steps[i - 1].at;
		line = i > 0 ? node->right : node->left;
	}
	return found;
}

int64_t timeline_next(const struct timelines *timelines, uint32_t line, int64_t from)
{
	int64_t found = TIMELINE_NEVER;

	while (line != TIMELINE_EMPTY) {
		const struct timeline_node *node = &timelines->nodes[line];
		uint32_t i = steps_before(node, from);

		if (i < node->n)
			found = node->steps[i].at;
		line = i < node->n ? node->left : node->right;
	}
	return found;
}
