/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/quota/filter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/lists.h"
#include "conf/search.h"
#include "conf/wildcard.h"

static bool is_pattern(const char *text)
{
	return strpbrk(text, "*?[|\\");
}

/* Does one of the patterns between the | match? */
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

bool quota_filter_is_open(const struct quota_filter *f)
{
	size_t i;

	if (f->not_in.n > 0 || f->expanded)
		return false;
	for (i = 0; i < f->in.n; i++)
		if (!strcmp(f->in.items[i], "*"))
			return true;
	return f->in.n == 0;
}

/* Projects, PEs, queues */

static bool list_has(const struct strlist *list, const char *name)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (!strcmp(list->items[i], name) || (is_pattern(list->items[i]) && pattern_matches(list->items[i], name, 0)))
			return true;
	return false;
}

bool quota_filter_has(const struct quota_filter *f, const char *name)
{
	if (!name || !*name)
		return f->in.n == 0;
	return !list_has(&f->not_in, name) && (f->in.n == 0 || list_has(&f->in, name));
}

bool quota_filter_names(const struct quota_filter *f, const char *name)
{
	return name && *name && (list_has(&f->in, name) || list_has(&f->not_in, name));
}

/* Users */

struct who {
	const struct cell *cell;
	const char *user;
	char group[256];		/* with its @; "" not known */
};

static bool set_has(const struct userset *set, const struct who *who)
{
	return cell_userset_lists(who->cell, set, who->user) || (*who->group && cell_userset_lists(who->cell, set, who->group));
}

static bool sets_have(const char *name, const struct who *who)
{
	const struct userset *set = cell_userset(who->cell, name);
	size_t i;

	if (set || !is_pattern(name))
		return set && set_has(set, who);
	for (i = 0; i < who->cell->nusersets; i++)
		if (pattern_matches(name, who->cell->usersets[i].name, 0) && set_has(&who->cell->usersets[i], who))
			return true;
	return false;
}

static bool list_has_user(const struct strlist *list, const struct who *who)
{
	const char *item;
	size_t i;

	for (i = 0; i < list->n; i++) {
		item = list->items[i];
		if (!strcmp(item, who->user) || (*item == '@' && sets_have(item + 1, who)) ||
		    (*item != '@' && is_pattern(item) && pattern_matches(item, who->user, 0)))
			return true;
	}
	return false;
}

bool quota_filter_has_user(const struct quota_filter *f, const struct cell *cell, const char *user, const char *group)
{
	struct who who = { .cell = cell, .user = user ? user : "" };

	if (f->in.n == 0 && f->not_in.n == 0)
		return true;
	/* a longer one is in no list */
	if (group && *group && strlen(group) < sizeof(who.group) - 1)
		snprintf(who.group, sizeof(who.group), "@%s", group);
	return !list_has_user(&f->not_in, &who) && (f->in.n == 0 || list_has_user(&f->in, &who));
}

/* Hosts */

static int by_name(const void *a, const void *b, void *names)
{
	const char *const *name = names;

	return strcasecmp(name[*(const uint32_t *)a], name[*(const uint32_t *)b]);
}

int quota_hosts_create(struct quota_hosts *h, const struct cell *cell, const char *const *names, size_t n)
{
	size_t i;

	*h = (struct quota_hosts){ .cell = cell, .names = names, .n = n };
	h->sorted = malloc((n + 1) * sizeof(*h->sorted));
	h->seen = malloc((cell->nhostgroups + 1) * sizeof(*h->seen));
	h->stack = malloc((cell->nhostgroups + 1) * sizeof(*h->stack));
	if (!h->sorted || !h->seen || !h->stack)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		h->sorted[i] = (uint32_t)i;
	qsort_r(h->sorted, n, sizeof(*h->sorted), by_name, (void *)names);
	return 0;
}

void quota_hosts_destroy(struct quota_hosts *h)
{
	free(h->sorted);
	free(h->seen);
	free(h->stack);
	*h = (struct quota_hosts){ 0 };
}

static void name_mark(const struct quota_hosts *h, const char *name, bool *matches, bool mark)
{
	size_t at;

	lower_bound(at, h->n, strcasecmp(h->names[h->sorted[at]], name) < 0);
	if (at < h->n && !strcasecmp(h->names[h->sorted[at]], name))
		matches[h->sorted[at]] = mark;
}

static void pattern_mark(const struct quota_hosts *h, const char *pattern, bool *matches, bool mark)
{
	size_t i;

	for (i = 0; i < h->n; i++)
		if (pattern_matches(pattern, h->names[i], WILDCARD_IGNORE_CASE))
			matches[i] = mark;
}

static void group_reach(struct quota_hosts *h, const struct hostgroup *group)
{
	size_t at = group ? (size_t)(group - h->cell->hostgroups) : 0;

	if (!group || h->seen[at])
		return;
	h->seen[at] = true;
	h->stack[h->depth++] = at;
}

static const struct hostgroup *group_find(const struct quota_hosts *h, const char *name)
{
	return array_find(h->cell->hostgroups, h->cell->nhostgroups, sizeof(*h->cell->hostgroups), name);
}

/* Groups may be in groups, in a circle too. */
static void groups_mark(struct quota_hosts *h, const char *name, bool *matches, bool mark)
{
	const struct strlist *list;
	size_t i;

	memset(h->seen, 0, h->cell->nhostgroups * sizeof(*h->seen));
	if (!is_pattern(name))
		group_reach(h, group_find(h, name));
	for (i = 0; i < h->cell->nhostgroups && is_pattern(name); i++)
		if (pattern_matches(name + 1, h->cell->hostgroups[i].name + 1, WILDCARD_IGNORE_CASE))
			group_reach(h, &h->cell->hostgroups[i]);
	while (h->depth > 0) {
		list = &h->cell->hostgroups[h->stack[--h->depth]].hostlist;
		for (i = 0; i < list->n; i++) {
			if (*list->items[i] == '@')
				group_reach(h, group_find(h, list->items[i]));
			else
				name_mark(h, list->items[i], matches, mark);
		}
	}
}

static void list_mark(struct quota_hosts *h, const struct strlist *list, bool *matches, bool mark)
{
	size_t i;

	for (i = 0; i < list->n; i++) {
		if (*list->items[i] == '@')
			groups_mark(h, list->items[i], matches, mark);
		else if (is_pattern(list->items[i]))
			pattern_mark(h, list->items[i], matches, mark);
		else
			name_mark(h, list->items[i], matches, mark);
	}
}

void quota_hosts_match(struct quota_hosts *h, const struct quota_filter *f, bool *matches)
{
	size_t i;

	for (i = 0; i < h->n; i++)
		matches[i] = f->in.n == 0;
	list_mark(h, &f->in, matches, true);
	list_mark(h, &f->not_in, matches, false);
}
