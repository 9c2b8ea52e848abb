/* SPDX-License-Identifier: Apache-2.0 */
/* What is booked on a line: the searches in the tree of timeline_node.h. */
#include <stdbool.h>

#include "sched/dispatch/timeline/timeline_node.h"

/*
 * The greatest level in [begin, end) in a subtree, `level` being booked before it. INT64_MIN: from
 * the first step on.
 */
static units most_in(const struct timelines *t, uint32_t node, int64_t begin, int64_t end, units level)
{
	const struct timeline_node *n;
	units here, most;
	uint32_t i = 0;

	if (node == TIMELINE_EMPTY)
		return level;
	n = &t->nodes[node];
	if (begin == INT64_MIN && end == TIMELINE_NEVER)
		return level + n->top;
	if (n->steps[0].at >= end)
		return most_in(t, n->left, begin, end, level);
	if (n->steps[n->n - 1].at <= begin)
		return most_in(t, n->right, begin, end, level + rise(t, n));
	for (here = level + sum(t, n->left); n->steps[i].at <= begin; i++)
		here += n->steps[i].change;
	most = i > 0 || n->left == TIMELINE_EMPTY ? here : most_in(t, n->left, begin, TIMELINE_NEVER, level);
	for (; i < n->n && n->steps[i].at < end; i++) {
		here += n->steps[i].change;
		most = larger(most, here);
	}
	return i < n->n || n->right == TIMELINE_EMPTY ? most : larger(most, most_in(t, n->right, INT64_MIN, end, here));
}

double timeline_max(const struct timelines *t, uint32_t line, int64_t begin, int64_t end)
{
	if (line == TIMELINE_EMPTY || begin >= end)
		return 0.0;
	if (t->peaks[line].from < end && t->peaks[line].to > begin)
		return t->peaks[line].most;
	return amount_of(larger(most_in(t, line, begin, end, 0), 0));
}

/*
 * The last step before a moment with more than `limit` booked behind it, `level` being booked
 * behind all; STEPS: there is none.
 */
static uint32_t steps_above(const struct timeline_node *n, units level, double limit, int64_t before)
{
	for (uint32_t i = n->n; i-- > 0; level -= n->steps[i].change)
		if (n->steps[i].at < before && amount_of(level) > limit)
			return i;
	return STEPS;
}

/*
 * The first change behind the last moment < `before` with more than `limit`. INT64_MIN: there is
 * none, unless there is one before the line.
 */
static int64_t behind_last(const struct timelines *t, uint32_t line, double limit, int64_t before, bool exceeded)
{
	int64_t next = TIMELINE_NEVER;
	units level = 0;

	while (line != TIMELINE_EMPTY) {
		const struct timeline_node *n = &t->nodes[line];
		units here = level + rise(t, n);
		uint32_t i;

		if (n->steps[n->n - 1].at < before && amount_of(most_in(t, n->right, INT64_MIN, before, here)) > limit) {
			exceeded = true;
			level = here;
			line = n->right;
			continue;
		}
		i = steps_above(n, here, limit, before);
		if (i < STEPS)
			/* not the last one: that would have been found above */
			return n->steps[i + 1].at;
		next = n->steps[0].at;
		line = n->left;
	}
	return exceeded ? next : INT64_MIN;
}

int64_t timeline_below(const struct timelines *t, uint32_t line, double limit)
{
	return behind_last(t, line, limit, TIMELINE_NEVER, limit < 0);
}

int64_t timeline_above(const struct timelines *t, uint32_t line, double limit, int64_t before)
{
	return behind_last(t, line, limit, before, false);
}

int64_t timeline_change(const struct timelines *t, uint32_t line, int64_t before)
{
	int64_t found = INT64_MIN;

	while (line != TIMELINE_EMPTY) {
		const struct timeline_node *n = &t->nodes[line];
		uint32_t i = steps_before(n, before);

		if (i > 0)
			found = n->steps[i - 1].at;
		line = i > 0 ? n->right : n->left;
	}
	return found;
}

int64_t timeline_next(const struct timelines *t, uint32_t line, int64_t from)
{
	int64_t found = TIMELINE_NEVER;

	while (line != TIMELINE_EMPTY) {
		const struct timeline_node *n = &t->nodes[line];
		uint32_t i = steps_before(n, from);

		if (i < n->n)
			found = n->steps[i].at;
		line = i < n->n ? n->left : n->right;
	}
	return found;
}
