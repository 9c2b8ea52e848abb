/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which hosts are in which host groups: found from the host upwards, since a host is in few groups
 * and a group has many hosts.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/array.h"
#include "conf/lists.h"
#include "conf/gridengine/readers.h"
#include "conf/search.h"

/* Hosts' names have no case, groups' names have. */
static int name_compare(const char *a, const char *b)
{
	int order = strcasecmp(a, b);

	return order || *a != '@' ? order : strcmp(a, b);
}

static int host_member_compare(const void *a, const void *b)
{
	const struct host_member *x = a, *y = b;
	int order = name_compare(x->name, y->name);

	return order ? order : strcmp(x->group->name, y->group->name);
}

/* The first entry of a host or group, and how many there are. */
static size_t host_member_range(const struct cell *cell, const char *name, size_t *n)
{
	size_t first, end;

	lower_bound(first, cell->nhost_members, name_compare(cell->host_members[first].name, name) < 0);
	for (end = first; end < cell->nhost_members && !name_compare(cell->host_members[end].name, name); end++)
		;
	*n = end - first;
	return first;
}

int host_members_index(struct reader *r)
{
	struct cell *cell = r->cell;
	struct hostgroup *group;
	struct host_member *m;
	size_t i;

	for (group = cell->hostgroups; group != array_end(cell->hostgroups, cell->nhostgroups); group++) {
		for (i = 0; i < group->hostlist.n; i++) {
			m = array_add(&cell->host_members, &cell->nhost_members, sizeof(*m));
			if (!m)
				return -ENOMEM;
			*m = (struct host_member){ group->hostlist.items[i], group };
		}
	}
	if (cell->nhost_members > 1)
		qsort(cell->host_members, cell->nhost_members, sizeof(*m), host_member_compare);
	for (group = cell->hostgroups; group != array_end(cell->hostgroups, cell->nhostgroups); group++)
		group->above = host_member_range(cell, group->name, &group->nabove);
	return 0;
}

/* reached so far; the room for a usual number of them needs no allocation */
struct groups {
	const struct cell *cell;
	const struct hostgroup *wanted;
	bool few_seen[128], *seen;
	size_t few_stack[128], *stack;
	size_t depth;
};

static bool groups_init(struct groups *g, const struct cell *cell, const struct hostgroup *wanted)
{
	size_t few = sizeof(g->few_seen) / sizeof(*g->few_seen), n = cell->nhostgroups;

	g->cell = cell;
	g->wanted = wanted;
	g->depth = 0;
	g->seen = n <= few ? memset(g->few_seen, 0, n * sizeof(*g->seen)) : calloc(n, sizeof(*g->seen));
	g->stack = n <= few ? g->few_stack : calloc(n, sizeof(*g->stack));
	return g->seen && g->stack;
}

static void groups_free(struct groups *g)
{
	if (g->seen != g->few_seen)
		free(g->seen);
	if (g->stack != g->few_stack)
		free(g->stack);
}

/* Reaches the groups of these entries; true: the one wanted is one of them. */
static bool groups_reach(struct groups *g, size_t first, size_t n)
{
	const struct host_member *m = g->cell->host_members + first, *end = m + n;
	size_t at;

	for (; m < end && m->group != g->wanted; m++) {
		at = (size_t)(m->group - g->cell->hostgroups);
		if (!g->seen[at] && m->group->nabove > 0)
			g->stack[g->depth++] = at;
		g->seen[at] = true;
	}
	return m < end;
}

static bool groups_walk(struct groups *g, size_t first, size_t n)
{
	bool found = groups_reach(g, first, n);
	const struct hostgroup *group;

	while (!found && g->depth > 0) {
		group = &g->cell->hostgroups[g->stack[--g->depth]];
		found = groups_reach(g, group->above, group->nabove);
	}
	return found;
}

bool cell_hostgroup_has(const struct cell *cell, const char *group, const char *host)
{
	const struct hostgroup *wanted = array_find(cell->hostgroups, cell->nhostgroups, sizeof(*wanted), group);
	struct groups g;
	size_t first, n;
	bool found;

	if (!wanted || *host == '@')
		return false;
	first = host_member_range(cell, host, &n);
	if (n == 0)
		return false;
	found = groups_init(&g, cell, wanted) && groups_walk(&g, first, n);
	groups_free(&g);
	return found;
}
