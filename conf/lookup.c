/* SPDX-License-Identifier: Apache-2.0 */
/* Finding things in a cell by their names. */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/lists.h"
#include "conf/readers.h"

const struct complex *cell_complex(const struct cell *cell, const char *name)
{
	const struct complex *c = array_find(cell->complexes, cell->ncomplexes, sizeof(*c), name);
	size_t i;

	for (i = 0; i < cell->ncomplexes && !c; i++)
		if (!strcmp(cell->complexes[i].shortcut, name))
			c = &cell->complexes[i];
	return c;
}

const struct user *cell_user(const struct cell *cell, const char *name)
{
	return array_find(cell->users, cell->nusers, sizeof(*cell->users), name);
}

const struct project *cell_project(const struct cell *cell, const char *name)
{
	return array_find(cell->projects, cell->nprojects, sizeof(*cell->projects), name);
}

const struct userset *cell_userset(const struct cell *cell, const char *name)
{
	return array_find(cell->usersets, cell->nusersets, sizeof(*cell->usersets), name);
}

const struct userset *cell_department(const struct cell *cell, const char *name)
{
	const struct userset *set = cell_userset(cell, name);

	return set && set->is_department ? set : NULL;
}

const struct pe *cell_pe_matching(const struct cell *cell, const char *pattern)
{
	size_t i;

	for (i = 0; i < cell->npes; i++)
		if (!fnmatch(pattern, cell->pes[i].name, 0))
			return &cell->pes[i];
	return NULL;
}

const struct queue *cell_queue(const struct cell *cell, const char *name)
{
	return array_find(cell->queues, cell->nqueues, sizeof(*cell->queues), name);
}

const struct checkpoint *cell_checkpoint(const struct cell *cell, const char *name)
{
	return array_find(cell->checkpoints, cell->ncheckpoints, sizeof(*cell->checkpoints), name);
}

int member_compare(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	int order = strcmp(x->user, y->user);

	return order ? order : strcmp(x->set->name, y->set->name);
}

bool cell_userset_lists(const struct cell *cell, const struct userset *set, const char *user)
{
	struct member key = { user, set };

	return cell->nmembers && bsearch(&key, cell->members, cell->nmembers, sizeof(key), member_compare);
}

const char *cell_department_of(const struct cell *cell, const char *user)
{
	size_t low = 0, high = cell->nmembers, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (strcmp(cell->members[middle].user, user) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < cell->nmembers && !strcmp(cell->members[low].user, user); low++)
		if (cell->members[low].set->is_department)
			return cell->members[low].set->name;
	return "defaultdepartment";
}

/* Groups reached so far; the room for a usual number of them needs no allocation. */
struct groups {
	const struct cell *cell;
	bool few_seen[128], *seen;
	size_t few_stack[128], *stack;
	size_t depth;
};

static int groups_init(struct groups *g, const struct cell *cell)
{
	size_t few = sizeof(g->few_seen) / sizeof(*g->few_seen), n = cell->nhostgroups;

	*g = (struct groups){ .cell = cell };
	g->seen = n <= few ? g->few_seen : calloc(n, sizeof(*g->seen));
	g->stack = n <= few ? g->few_stack : calloc(n, sizeof(*g->stack));
	return g->seen && g->stack ? 0 : -ENOMEM;
}

static void groups_free(struct groups *g)
{
	if (g->seen != g->few_seen)
		free(g->seen);
	if (g->stack != g->few_stack)
		free(g->stack);
}

static void groups_reach(struct groups *g, const char *name)
{
	const struct hostgroup *group = array_find(g->cell->hostgroups, g->cell->nhostgroups, sizeof(*group), name);
	size_t at = group ? (size_t)(group - g->cell->hostgroups) : 0;

	if (!group || g->seen[at])
		return;
	g->seen[at] = true;
	g->stack[g->depth++] = at;
}

static bool groups_contain(struct groups *g, const char *name, const char *host)
{
	const struct strlist *list;
	size_t i;

	groups_reach(g, name);
	while (g->depth > 0) {
		list = &g->cell->hostgroups[g->stack[--g->depth]].hostlist;
		for (i = 0; i < list->n; i++) {
			if (*list->items[i] == '@')
				groups_reach(g, list->items[i]);
			else if (!strcasecmp(list->items[i], host))
				return true;
		}
	}
	return false;
}

static bool group_contains(const struct cell *cell, const char *name, const char *host)
{
	struct groups g;
	bool found = false;

	if (!groups_init(&g, cell))
		found = groups_contain(&g, name, host);
	groups_free(&g);
	return found;
}

const char *cell_queue_value(const struct cell *cell, const struct queue *queue, const char *host, const char *attribute)
{
	const struct queue_value *v;
	const struct value_override *o;

	for (v = queue->values; v < queue->values + queue->nvalues && strcmp(v->name, attribute); v++)
		;
	if (v == queue->values + queue->nvalues)
		return NULL;
	for (o = v->overrides; o < v->overrides + v->noverrides; o++)
		if (!strcasecmp(o->where, host))
			return o->value;
	for (o = v->overrides; o < v->overrides + v->noverrides; o++)
		if (*o->where == '@' && group_contains(cell, o->where, host))
			return o->value;
	return v->value;
}
