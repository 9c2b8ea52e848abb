/* SPDX-License-Identifier: Apache-2.0 */
/* The table of targets of a column: what was promised, and what would be. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/cli/whatif_line.h"

static double distance(const struct target_change *t)
{
	return fmax(fabs(t->after[0] - t->before[0]), fabs(t->after[1] - t->before[1]));
}

static int by_distance(const void *a, const void *b)
{
	const struct target_change *x = *(const struct target_change *const *)a, *y = *(const struct target_change *const *)b;
	double d = distance(x), e = distance(y);

	return d > e ? -1 : d < e ? 1 : strcmp(x->name, y->name);
}

/* Those that differ, the farthest first. NULL: no memory. */
static const struct target_change **targets_sorted(const struct targets *t)
{
	const struct target_change **sorted = malloc((t->different + 1) * sizeof(struct target_change *));
	size_t n = 0;

	for (size_t i = 0; sorted && i < t->n; i++)
		if (target_differs(&t->items[i]))
			sorted[n++] = &t->items[i];
	if (sorted)
		qsort(sorted, n, sizeof(*sorted), by_distance);
	return sorted;
}

static void two(char text[60], bool there, const double values[2])
{
	if (there)
		snprintf(text, 60, "%11.5g %11.5g", values[0], values[1]);
	else
		snprintf(text, 60, "%11s %11s", "-", "-");
}

static const char *const kinds[] = { [TARGETS_NODES] = "share tree", [TARGETS_ASSOCIATIONS] = "association", [TARGETS_SUBMITTERS] = "submitter" };
static const char *const words[][2] = { [TARGETS_NODES] = { "shares", "entitled" }, [TARGETS_ASSOCIATIONS] = { "shares", "fairshare" },
					[TARGETS_SUBMITTERS] = { "share", "slice" } };

/* Of another algorithm's those of before have no counterpart. */
static void print_head(struct out *o, const struct whatif_query *q, size_t k, const struct targets *t)
{
	char name[60], before[60] = "";

	snprintf(name, sizeof(name), "%s%s%s", whatif_letter(q, k), q->ncolumns > 1 ? ": " : "", kinds[t->after_kind]);
	if (t->before_kind == t->after_kind)
		snprintf(before, sizeof(before), " %11s %11s ->", words[t->before_kind][0], words[t->before_kind][1]);
	out_text(o, "\n");
	whatif_line(o, "%-30s%s %11s %11s", name, before, words[t->after_kind][0], words[t->after_kind][1]);
}

static void print_target(struct out *o, const struct targets *t, const struct target_change *c)
{
	char before[60], after[60];

	two(before, c->in_before, c->before);
	two(after, c->in_after, c->after);
	whatif_line(o, "%-30s%s%s%s %s", *c->name ? c->name : "/", t->before_kind == t->after_kind ? " " : "", t->before_kind == t->after_kind ? before : "",
		    t->before_kind == t->after_kind ? " ->" : "", after);
}

void whatif_print_targets(struct out *o, const struct whatif_query *q, size_t k)
{
	const struct targets *t = &q->columns[k].targets;
	const struct target_change **sorted = targets_sorted(t);
	size_t rows = 0, left = 0;

	for (size_t i = 0; sorted && i < t->different; i++) {
		if (t->before_kind != t->after_kind && !sorted[i]->in_after)
			continue;
		if (!q->all && rows == q->rows) {
			left++;
			continue;
		}
		if (rows++ == 0)
			print_head(o, q, k, t);
		print_target(o, t, sorted[i]);
	}
	if (left)
		whatif_line(o, "... %zu more: --rows, --all", left);
	free(sorted);
}
