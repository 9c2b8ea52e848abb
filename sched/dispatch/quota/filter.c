/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/quota/filter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/lists.h"
#include "conf/base/search.h"
#include "conf/base/wildcard.h"

static bool is_pattern(const char *text)
{
	return strpbrk(text, "*?[|\\");
}

/* Return whether one of the patterns separated by | matches. */
static bool pattern_matches(const char *pattern, const char *name, int flags)
{
	char one[WILDCARD_BYTES];
	size_t n;

	for (;; pattern += n + 1) {
		n = strcspn(pattern, "|");
		if (n < sizeof(one)) {
			memcpy(one, pattern, n);
			one[n] = '\0';
			if (wildcard_match(one, name, flags))
				return true;
		}
		if (!pattern[n])
			return false;
	}
}

bool quota_filter_is_open(const struct quota_filter *filter)
{
	size_t i;

	if (filter->not_in.n > 0 || filter->expanded)
		return false;
	for (i = 0; i < filter->in.n; i++)
		if (!strcmp(filter->in.items[i], "*"))
			return true;
	return filter->in.n == 0;
}

/* Projects, PEs, queues */

static bool list_has(const struct strlist *list, const char *name)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (!strcmp(list->items[i], name) ||
		    (is_pattern(list->items[i]) && pattern_matches(list->items[i], name, 0)))
			return true;
	return false;
}

bool quota_filter_has(const struct quota_filter *filter, const char *name)
{
	if (!name || !*name)
		return filter->in.n == 0;
	return !list_has(&filter->not_in, name) && (filter->in.n == 0 || list_has(&filter->in, name));
}

bool quota_filter_names(const struct quota_filter *filter, const char *name)
{
	return name && *name && (list_has(&filter->in, name) || list_has(&filter->not_in, name));
}

/* Users */

struct principal {
	const struct cell *cell;
	const char *user;
	char group[256];		/* with @ in front; "": not known */
};

static bool set_has(const struct userset *set, const struct principal *principal)
{
	return cell_userset_lists(principal->cell, set, principal->user) ||
	       (*principal->group && cell_userset_lists(principal->cell, set, principal->group));
}

static bool sets_have(const char *name, const struct principal *principal)
{
	const struct userset *set = cell_userset(principal->cell, name);
	size_t i;

	if (set || !is_pattern(name))
		return set && set_has(set, principal);
	for (i = 0; i < principal->cell->nusersets; i++)
		if (pattern_matches(name, principal->cell->usersets[i].name, 0) &&
		    set_has(&principal->cell->usersets[i], principal))
			return true;
	return false;
}

static bool list_has_user(const struct strlist *list, const struct principal *principal)
{
	const char *item;
	size_t i;

	for (i = 0; i < list->n; i++) {
		item = list->items[i];
		if (!strcmp(item, principal->user) || (*item == '@' && sets_have(item + 1, principal)) ||
		    (*item != '@' && is_pattern(item) && pattern_matches(item, principal->user, 0)))
			return true;
	}
	return false;
}

bool quota_filter_has_user(const struct quota_filter *filter, const struct cell *cell, const char *user,
			   const char *group)
{
	struct principal principal = { .cell = cell, .user = user ? user : "" };

	if (filter->in.n == 0 && filter->not_in.n == 0)
		return true;
	/* a longer name is in no list */
	if (group && *group && strlen(group) < sizeof(principal.group) - 1)
		snprintf(principal.group, sizeof(principal.group), "@%s", group);
	return !list_has_user(&filter->not_in, &principal) &&
	       (filter->in.n == 0 || list_has_user(&filter->in, &principal));
}

/* Hosts */

static int by_name(const void *a, const void *b, void *names)
{
	const char *const *name = names;

	return strcasecmp(name[*(const uint32_t *)a], name[*(const uint32_t *)b]);
}

int quota_hosts_create(struct quota_hosts *hosts, const struct cell *cell, const char *const *names, size_t n)
{
	size_t i;

	*hosts = (struct quota_hosts){ .cell = cell, .names = names, .n = n };
	hosts->sorted = malloc((n + 1) * sizeof(*hosts->sorted));
	hosts->seen = malloc((cell->nhostgroups + 1) * sizeof(*hosts->seen));
	hosts->stack = malloc((cell->nhostgroups + 1) * sizeof(*hosts->stack));
	if (!hosts->sorted || !hosts->seen || !hosts->stack)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		hosts->sorted[i] = (uint32_t)i;
	qsort_r(hosts->sorted, n, sizeof(*hosts->sorted), by_name, (void *)names);
	return 0;
}

void quota_hosts_destroy(struct quota_hosts *hosts)
{
	free(hosts->sorted);
	free(hosts->seen);
	free(hosts->stack);
	*hosts = (struct quota_hosts){ 0 };
}

static void name_mark(const struct quota_hosts *hosts, const char *name, bool *matches, bool mark)
{
	size_t at;

	lower_bound(at, hosts->n, strcasecmp(hosts->names[hosts->sorted[at]], name) < 0);
	if (at < hosts->n && !strcasecmp(hosts->names[hosts->sorted[at]], name))
		matches[hosts->sorted[at]] = mark;
}

static void pattern_mark(const struct quota_hosts *hosts, const char *pattern, bool *matches, bool mark)
{
	size_t i;

	for (i = 0; i < hosts->n; i++)
		if (pattern_matches(pattern, hosts->names[i], WILDCARD_IGNORE_CASE))
			matches[i] = mark;
}

static void group_reach(struct quota_hosts *hosts, const struct hostgroup *group)
{
	size_t at = group ? (size_t)(group - hosts->cell->hostgroups) : 0;

	if (!group || hosts->seen[at])
		return;
	hosts->seen[at] = true;
	hosts->stack[hosts->depth++] = at;
}

static const struct hostgroup *group_find(const struct quota_hosts *hosts, const char *name)
{
	return array_find(hosts->cell->hostgroups, hosts->cell->nhostgroups, sizeof(*hosts->cell->hostgroups), name);
}

/* Mark the hosts of a group and its subgroups. Groups may contain each other in a cycle. */
static void groups_mark(struct quota_hosts *hosts, const char *name, bool *matches, bool mark)
{
	const struct strlist *list;
	size_t i;

	memset(hosts->seen, 0, hosts->cell->nhostgroups * sizeof(*hosts->seen));
	if (!is_pattern(name))
		group_reach(hosts, group_find(hosts, name));
	for (i = 0; i < hosts->cell->nhostgroups && is_pattern(name); i++)
		if (pattern_matches(name + 1, hosts->cell->hostgroups[i].name + 1, WILDCARD_IGNORE_CASE))
			group_reach(hosts, &hosts->cell->hostgroups[i]);
	while (hosts->depth > 0) {
		list = &hosts->cell->hostgroups[hosts->stack[--hosts->depth]].hostlist;
		for (i = 0; i < list->n; i++) {
			if (*list->items[i] == '@')
				group_reach(hosts, group_find(hosts, list->items[i]));
			else
				name_mark(hosts, list->items[i], matches, mark);
		}
	}
}

static void list_mark(struct quota_hosts *hosts, const struct strlist *list, bool *matches, bool mark)
{
	size_t i;

	for (i = 0; i < list->n; i++) {
		if (*list->items[i] == '@')
			groups_mark(hosts, list->items[i], matches, mark);
		else if (is_pattern(list->items[i]))
			pattern_mark(hosts, list->items[i], matches, mark);
		else
			name_mark(hosts, list->items[i], matches, mark);
	}
}

void quota_hosts_match(struct quota_hosts *hosts, const struct quota_filter *filter, bool *matches)
{
	size_t i;

	for (i = 0; i < hosts->n; i++)
		matches[i] = filter->in.n == 0;
	list_mark(hosts, &filter->in, matches, true);
	list_mark(hosts, &filter->not_in, matches, false);
}
