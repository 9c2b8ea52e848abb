/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Membership of hosts in host groups. The search goes from the host upwards, because a host is in
 * few groups and a group has many hosts.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/base/array.h"
#include "conf/lists.h"
#include "conf/gridengine/readers.h"
#include "conf/base/search.h"

/* Compare names: names of hosts are case-insensitive, names of groups are not. */
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

/* Return the index of the first entry of a host or group, and their number in `*n`. */
static size_t host_member_range(const struct cell *cell, const char *name, size_t *n)
{
	size_t first, end;

	lower_bound(first, cell->nhost_members, name_compare(cell->host_members[first].name, name) < 0);
	for (end = first; end < cell->nhost_members && !name_compare(cell->host_members[end].name, name); end++)
		;
	*n = end - first;
	return first;
}

int host_members_index(struct reader *reader)
{
	struct cell *cell = reader->cell;
	struct hostgroup *group;
	struct host_member *member;
	size_t i;

	for (group = cell->hostgroups; group != array_end(cell->hostgroups, cell->nhostgroups); group++) {
		for (i = 0; i < group->hostlist.n; i++) {
			member = array_add(&cell->host_members, &cell->nhost_members, sizeof(*member));
			if (!member)
				return -ENOMEM;
			*member = (struct host_member){ group->hostlist.items[i], group };
		}
	}
	if (cell->nhost_members > 1)
		qsort(cell->host_members, cell->nhost_members, sizeof(*member), host_member_compare);
	for (group = cell->hostgroups; group != array_end(cell->hostgroups, cell->nhostgroups); group++)
		group->above = host_member_range(cell, group->name, &group->nabove);
	return 0;
}

/* groups reached so far; a usual number of groups needs no allocation */
struct groups {
	const struct cell *cell;
	const struct hostgroup *wanted;
	bool few_seen[128], *seen;
	size_t few_stack[128], *stack;
	size_t depth;
};

static bool groups_init(struct groups *groups, const struct cell *cell, const struct hostgroup *wanted)
{
	size_t few = sizeof(groups->few_seen) / sizeof(*groups->few_seen), n = cell->nhostgroups;

	groups->cell = cell;
	groups->wanted = wanted;
	groups->depth = 0;
	groups->seen =
		n <= few ? memset(groups->few_seen, 0, n * sizeof(*groups->seen)) : calloc(n, sizeof(*groups->seen));
	groups->stack = n <= few ? groups->few_stack : calloc(n, sizeof(*groups->stack));
	return groups->seen && groups->stack;
}

static void groups_free(struct groups *groups)
{
	if (groups->seen != groups->few_seen)
		free(groups->seen);
	if (groups->stack != groups->few_stack)
		free(groups->stack);
}

/* Reach the groups of these entries. Returns true if the wanted group is one of them. */
static bool groups_reach(struct groups *groups, size_t first, size_t n)
{
	const struct host_member *member = groups->cell->host_members + first, *end = member + n;
	size_t at;

	for (; member < end && member->group != groups->wanted; member++) {
		at = (size_t)(member->group - groups->cell->hostgroups);
		if (!groups->seen[at] && member->group->nabove > 0)
			groups->stack[groups->depth++] = at;
		groups->seen[at] = true;
	}
	return member < end;
}

static bool groups_walk(struct groups *groups, size_t first, size_t n)
{
	bool found = groups_reach(groups, first, n);
	const struct hostgroup *group;

	while (!found && groups->depth > 0) {
		group = &groups->cell->hostgroups[groups->stack[--groups->depth]];
		found = groups_reach(groups, group->above, group->nabove);
	}
	return found;
}

bool cell_hostgroup_has(const struct cell *cell, const char *group, const char *host)
{
	const struct hostgroup *wanted = array_find(cell->hostgroups, cell->nhostgroups, sizeof(*wanted), group);
	struct groups groups;
	size_t first, n;
	bool found;

	if (!wanted || *host == '@')
		return false;
	first = host_member_range(cell, host, &n);
	if (n == 0)
		return false;
	found = groups_init(&groups, cell, wanted) && groups_walk(&groups, first, n);
	groups_free(&groups);
	return found;
}
