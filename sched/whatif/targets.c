/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/whatif/targets.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"

#define ABOVE_MOST 500			/* bytes */

static int add(struct targets *targets, bool after, char *name, double first, double second)
{
	struct target_change *item = name ? array_add(&targets->items, &targets->n, sizeof(*item)) : NULL;

	if (!item) {
		free(name);
		return -ENOMEM;
	}
	item->name = name;
	*(after ? &item->in_after : &item->in_before) = true;
	(after ? item->after : item->before)[0] = first;
	(after ? item->after : item->before)[1] = second;
	return 0;
}

/* Join a path. A long one is shortened to its end, so that names in a deep tree stay short. */
static char *joined(const char *above, const char *name)
{
	char *text;

	return asprintf(&text, "%s/%s", strlen(above) > ABOVE_MOST ? "..." : above, name) < 0 ? NULL : text;
}

/* Add the nodes. A parent comes before its children, so its name is known. */
static int nodes_take(struct targets *targets, const struct fl_view *view, bool after)
{
	size_t n = fl_nodes(view), first = targets->n;

	for (size_t k = 0; k < n; k++) {
		struct fl_node node;
		const char *above = "";
		int rc;

		if (fl_node(view, k, &node))
			break;
		if (node.parent >= 0 && (size_t)node.parent < k && first + (size_t)node.parent < targets->n)
			above = targets->items[first + (size_t)node.parent].name;
		rc = add(targets, after, node.parent < 0 ? strdup("") : joined(above, node.name),
			 node.long_target_share, node.short_target_share);
		if (rc)
			return rc;
	}
	return 0;
}

static int associations_take(struct targets *targets, const struct fl_view *view, bool after)
{
	size_t n = fl_associations(view);

	for (size_t k = 0; k < n; k++) {
		struct fl_association association;
		char *name;

		if (fl_association(view, k, &association))
			break;
		if (asprintf(&name, "%s%s%s%s%s", association.account, *association.user ? "/" : "", association.user,
			     *association.partition ? "/" : "", association.partition) < 0)
			return -ENOMEM;
		if (add(targets, after, name, association.norm_shares, association.fairshare))
			return -ENOMEM;
	}
	return 0;
}

static int submitters_take(struct targets *targets, const struct fl_view *view, bool after)
{
	struct fl_submitter submitter;

	for (size_t k = 0; fl_submitter(view, k, &submitter) == 0; k++)
		if (add(targets, after, strdup(submitter.name), submitter.share, submitter.slice))
			return -ENOMEM;
	return 0;
}

static int take(struct targets *targets, const struct fl_view *view, bool after)
{
	struct fl_multifactor multifactor;
	struct fl_negotiation negotiation;
	enum target_kind *kind = after ? &targets->after_kind : &targets->before_kind;

	if (fl_multifactor(view, &multifactor) == 0) {
		*kind = TARGETS_ASSOCIATIONS;
		return associations_take(targets, view, after);
	}
	if (fl_negotiation(view, &negotiation) == 0) {
		*kind = TARGETS_SUBMITTERS;
		return submitters_take(targets, view, after);
	}
	*kind = TARGETS_NODES;
	return nodes_take(targets, view, after);
}

/* Compare by name; equal ones: the first run's before the second's. */
static int by_name(const void *a, const void *b)
{
	const struct target_change *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : x->in_after - y->in_after;
}

/* Combine the values that both runs have for a name. */
static void unite(struct targets *targets)
{
	size_t n = 0;

	for (size_t i = 0; i < targets->n; i++) {
		struct target_change *last = n > 0 ? &targets->items[n - 1] : NULL, *this = &targets->items[i];

		if (last && last->in_before && !last->in_after && !this->in_before &&
		    strcmp(last->name, this->name) == 0) {
			last->in_after = true;
			memcpy(last->after, this->after, sizeof(last->after));
			free(this->name);
		} else {
			targets->items[n++] = *this;
		}
	}
	targets->n = n;
}

bool target_differs(const struct target_change *change)
{
	bool differs = change->in_before != change->in_after;

	for (int k = 0; k < 2; k++)
		differs |= fabs(change->after[k] - change->before[k]) >= 1e-5 * fmax(1.0, fabs(change->before[k]));
	return differs;
}

int targets_find(struct targets *targets, const struct fl_view *before, const struct fl_view *after)
{
	int rc;

	*targets = (struct targets){ 0 };
	rc = take(targets, before, false);
	rc = rc ? rc : take(targets, after, true);
	if (rc || targets->n == 0)
		return rc;
	qsort(targets->items, targets->n, sizeof(*targets->items), by_name);
	if (targets->before_kind == targets->after_kind)
		unite(targets);
	for (size_t i = 0; i < targets->n; i++)
		targets->different += target_differs(&targets->items[i]);
	return 0;
}

void targets_free(struct targets *targets)
{
	for (size_t i = 0; i < targets->n; i++)
		free(targets->items[i].name);
	free(targets->items);
	*targets = (struct targets){ 0 };
}
