/* SPDX-License-Identifier: Apache-2.0 */
/* Which hosts are in which host groups: found from the host upwards, since a host is in few groups and a group has many hosts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/lists.h"
#include "conf/readers.h"

/* Hosts' names have no case, groups' names have: the order is good for both. */
static int host_member_compare(const void *a, const void *b)
{
	const struct host_member *x = a, *y = b;
	int order = strcasecmp(x->name, y->name);

	return order ? order : strcmp(x->group->name, y->group->name);
}

int host_members_index(struct reader *r)
{
	struct cell *cell = r->cell;
	struct host_member *m;
	size_t i, j;

	for (i = 0; i < cell->nhostgroups; i++) {
		for (j = 0; j < cell->hostgroups[i].hostlist.n; j++) {
			m = array_add(&cell->host_members, &cell->nhost_members, sizeof(*m));
			if (!m)
				return -ENOMEM;
			*m = (struct host_member){ cell->hostgroups[i].hostlist.items[j], &cell->hostgroups[i] };
			cell->hostgroups_nest |= *m->name == '@';
		}
	}
	if (cell->nhost_members > 1)
		qsort(cell->host_members, cell->nhost_members, sizeof(*m), host_member_compare);
	return 0;
}

/* The first entry of a host or group; those of the same name follow. */
static const struct host_member *host_member_first(const struct cell *cell, const char *name)
{
	size_t low = 0, high = cell->nhost_members, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (strcasecmp(cell->host_members[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return cell->host_members + low;
}

struct groups {			/* reached so far; the room for a usual number of them needs no allocation */
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

/* Reaches the groups in which the name is directly; true: the one wanted is one of them. */
static bool groups_reach(struct groups *g, const char *name)
{
	const struct host_member *m = host_member_first(g->cell, name), *end = g->cell->host_members + g->cell->nhost_members;
	size_t at;

	for (; m < end && !strcasecmp(m->name, name); m++) {
		if (*name == '@' && strcmp(m->name, name))
			continue;
		if (m->group == g->wanted)
			return true;
		at = (size_t)(m->group - g->cell->hostgroups);
		if (!g->seen[at])
			g->stack[g->depth++] = at;
		g->seen[at] = true;
	}
	return false;
}

static bool groups_walk(struct groups *g, const char *host)
{
	bool found = groups_reach(g, host);

	while (!found && g->depth > 0)
		found = groups_reach(g, g->cell->hostgroups[g->stack[--g->depth]].name);
	return found;
}

bool cell_hostgroup_has(const struct cell *cell, const char *group, const char *host)
{
	const struct hostgroup *wanted = array_find(cell->hostgroups, cell->nhostgroups, sizeof(*wanted), group);
	struct host_member key = { host, wanted };
	struct groups g;
	bool found;

	if (!wanted || *host == '@' || cell->nhost_members == 0)
		return false;
	if (bsearch(&key, cell->host_members, cell->nhost_members, sizeof(key), host_member_compare))
		return true;
	if (!cell->hostgroups_nest)
		return false;
	found = groups_init(&g, cell, wanted) && groups_walk(&g, host);
	groups_free(&g);
	return found;
}
