/* SPDX-License-Identifier: Apache-2.0 */
/* Table of the targets of a column: the promised share before and after the change. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/cli/whatif/line.h"

static double distance(const struct target_change *change)
{
	return fmax(fabs(change->after[0] - change->before[0]), fabs(change->after[1] - change->before[1]));
}

static int by_distance(const void *a, const void *b)
{
	const struct target_change *x = *(const struct target_change *const *)a,
				   *y = *(const struct target_change *const *)b;
	double d = distance(x), e = distance(y);

	return d > e ? -1 : d < e ? 1 : strcmp(x->name, y->name);
}

/* Return the targets that differ, the greatest difference first. NULL: memory is exhausted. */
static const struct target_change **targets_sorted(const struct targets *targets)
{
	const struct target_change **sorted = malloc((targets->different + 1) * sizeof(struct target_change *));
	size_t n = 0;

	for (size_t i = 0; sorted && i < targets->n; i++)
		if (target_differs(&targets->items[i]))
			sorted[n++] = &targets->items[i];
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

static const char *const kinds[] = {
	[TARGETS_NODES] = "share tree", [TARGETS_ASSOCIATIONS] = "association", [TARGETS_SUBMITTERS] = "submitter"
};
static const char *const words[][2] = { [TARGETS_NODES] = { "shares", "entitled" }, [TARGETS_ASSOCIATIONS] = { "shares", "fairshare" },
					[TARGETS_SUBMITTERS] = { "share", "slice" } };

/* Print the heading. With another algorithm, the earlier targets have no counterpart. */
static void print_head(struct out *out, const struct whatif_query *query, size_t k, const struct targets *targets)
{
	char name[60], before[60] = "";

	snprintf(name, sizeof(name), "%s%s%s", whatif_letter(query, k), query->ncolumns > 1 ? ": " : "",
		 kinds[targets->after_kind]);
	if (targets->before_kind == targets->after_kind)
		snprintf(before, sizeof(before), " %11s %11s ->", words[targets->before_kind][0],
			 words[targets->before_kind][1]);
	out_text(out, "\n");
	whatif_line(out, "%-30s%s %11s %11s", name, before, words[targets->after_kind][0],
		    words[targets->after_kind][1]);
}

static void print_target(struct out *out, const struct targets *targets, const struct target_change *change)
{
	char before[60], after[60];

	two(before, change->in_before, change->before);
	two(after, change->in_after, change->after);
	whatif_line(out, "%-30s%s%s%s %s", *change->name ? change->name : "/",
		    targets->before_kind == targets->after_kind ? " " : "",
		    targets->before_kind == targets->after_kind ? before : "",
		    targets->before_kind == targets->after_kind ? " ->" : "", after);
}

void whatif_print_targets(struct out *out, const struct whatif_query *query, size_t k)
{
	const struct targets *targets = &query->columns[k].targets;
	const struct target_change **sorted = targets_sorted(targets);
	size_t rows = 0, left = 0;

	for (size_t i = 0; sorted && i < targets->different; i++) {
		if (targets->before_kind != targets->after_kind && !sorted[i]->in_after)
			continue;
		if (!query->all && rows == query->rows) {
			left++;
			continue;
		}
		if (rows++ == 0)
			print_head(out, query, k, targets);
		print_target(out, targets, sorted[i]);
	}
	if (left)
		whatif_line(out, "... %zu more: --rows, --all", left);
	free(sorted);
}
