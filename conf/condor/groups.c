/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GROUP_NAMES becomes a tree, breadth first, and what the macros of groups say goes into it. What a
 * group does not say itself the macro without its name says; a group whose parent is not there is
 * ignored, as HTCondor does it.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/array.h"
#include "conf/condor/macros.h"
#include "conf/lists.h"

#define ROOT "<none>"
#define NONE UINT32_MAX

enum { DEPTH_MOST = 32 };

static const struct macro_parameter static_quota = { .name = "GROUP_QUOTA_", .parse = macro_real, .high = INT_MAX };
static const struct macro_parameter dynamic_quota = { .name = "GROUP_QUOTA_DYNAMIC_", .parse = macro_real, .high = 1 };
static const struct macro_parameter group_surplus = { .name = "GROUP_ACCEPT_SURPLUS_", .parse = macro_bool };
static const struct macro_parameter group_autoregroup = { .name = "GROUP_AUTOREGROUP_", .parse = macro_bool };
static const struct macro_parameter group_factor = { .name = "GROUP_PRIO_FACTOR_", .parse = macro_group_factor, .high = 1e100 };

/* The macro of a group: "GROUP_QUOTA_" with its name behind. */
static const struct macro *macro_of_group(const struct macros *m, const struct macro_parameter *type, const char *group)
{
	char name[2 * MACRO_NAME_MOST];
	const struct macro *macro;

	snprintf(name, sizeof(name), "%s%s", type->name, group);
	macro = macro_find(m, "NEGOTIATOR", name);
	return macro && *macro->text ? macro : NULL;
}

int group_root_add(struct condor_conf *c)
{
	struct condor_group *root = array_add(&c->groups, &c->ngroups, sizeof(*root));

	if (!root)
		return -ENOMEM;
	root->name = strdup(ROOT);
	root->first_child = 1;
	root->accepts_surplus = true;
	return root->name ? 0 : -ENOMEM;
}

/* Names that are in the tree, sorted without case, and their places in that. */
struct name_list {
	const char **names;
	uint32_t *parents;		/* NONE: the root */
	uint32_t *first, *next;		/* children of one, and of the root at the end; siblings */
	size_t n;
};

struct listed_name {
	char *name;
	size_t place;			/* in GROUP_NAMES */
};

static int name_compare(const void *a, const void *b)
{
	const struct listed_name *x = a, *y = b;
	int order = strcasecmp(x->name, y->name);

	return order ? order : (x->place > y->place) - (x->place < y->place);
}

/* Sort names without case; of equal ones the first that is listed stays first. */
static int names_sort(char **names, size_t n)
{
	struct listed_name *listed = malloc((n + 1) * sizeof(*listed));

	if (!listed)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		listed[i] = (struct listed_name){ names[i], i };
	qsort(listed, n, sizeof(*listed), name_compare);
	for (size_t i = 0; i < n; i++)
		names[i] = listed[i].name;
	free(listed);
	return 0;
}

static uint32_t name_find(const struct name_list *list, const char *name, size_t n)
{
	size_t low = 0, high = list->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strncasecmp(list->names[middle], name, n);

		if (order == 0 && !list->names[middle][n])
			return (uint32_t)middle;
		if (order >= 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NONE;
}

static size_t components(const char *name)
{
	size_t n = 1;

	for (; *name; name++)
		n += *name == '.';
	return n;
}

/* Why a name is no group's; NULL: it is one. Its parent becomes the place of that in the list. */
static const char *name_refuse(const struct macros *m, const struct name_list *list, const char *name, uint32_t *parent)
{
	const char *dot = strrchr(name, '.');

	*parent = NONE;
	if (!strcasecmp(name, ROOT))
		return "it is the root's name, and ignored";
	if (strlen(name) > MACRO_NAME_MOST - 32 || components(name) > DEPTH_MOST || *name == '.' || (dot && !dot[1]) || strchr(name, '@'))
		return "names of at most 223 bytes and 32 components with dots between, none of them empty and without @, are allowed: it is "
		       "ignored";
	if (list->n > 0 && !strcasecmp(list->names[list->n - 1], name))
		return "it stands there twice: the second one is ignored";
	if (dot) {
		*parent = name_find(list, name, (size_t)(dot - name));
		if (*parent == NONE)
			return "the group that it is in is not there: it is ignored, and its members belong to what is above it";
	}
	if (m->conf->follows == FOLLOWS_MANUAL && !macro_of_group(m, &static_quota, name) && !macro_of_group(m, &dynamic_quota, name))
		return "it has no quota, and with NEGOTIATION = manual is ignored";
	return NULL;
}

static void names_choose(const struct macros *m, struct name_list *list, char **names, struct macro_place place)
{
	uint32_t parent;

	for (; *names; names++) {
		const char *why = name_refuse(m, list, *names, &parent);

		if (why) {
			macros_report(m, WARNING, place, "GROUP_NAMES: group \"%.60s\" found: %s", *names, why);
			continue;
		}
		list->parents[list->n] = parent;
		list->names[list->n++] = *names;
	}
}

/* Backwards, so that each list of siblings is in order of name. */
static void names_link(struct name_list *list)
{
	memset(list->first, 0xff, (list->n + 1) * sizeof(*list->first));
	for (size_t i = list->n; i > 0; i--) {
		uint32_t *first = &list->first[list->parents[i - 1] == NONE ? list->n : list->parents[i - 1]];

		list->next[i - 1] = *first;
		*first = (uint32_t)(i - 1);
	}
}

/* `order`: the list's places of the groups that are in the tree already, by their index there. */
static int tree_build(struct condor_conf *c, const struct name_list *list, uint32_t *order)
{
	order[0] = (uint32_t)list->n;
	for (uint32_t parent = 0; parent < c->ngroups; parent++) {
		c->groups[parent].first_child = (uint32_t)c->ngroups;
		for (uint32_t at = list->first[order[parent]]; at != NONE; at = list->next[at]) {
			struct condor_group *g = array_add(&c->groups, &c->ngroups, sizeof(*g));

			if (!g || !(g->name = strdup(list->names[at])))
				return -ENOMEM;
			g->parent = parent;
			c->groups[parent].nchildren++;
			order[c->ngroups - 1] = at;
		}
	}
	return 0;
}

static int tree_read(struct macros *m, char **names, struct macro_place place)
{
	struct name_list list = { 0 };
	uint32_t *order = NULL;
	size_t n = 0;
	int rc;

	while (names[n])
		n++;
	rc = names_sort(names, n);
	if (!rc)
		rc = array_grow(&list.names, n + 1, sizeof(*list.names));
	if (!rc)
		rc = array_grow(&list.parents, n + 1, sizeof(*list.parents));
	if (!rc)
		rc = array_grow(&list.first, n + 1, sizeof(*list.first));
	if (!rc)
		rc = array_grow(&list.next, n + 1, sizeof(*list.next));
	if (!rc)
		rc = array_grow(&order, n + 1, sizeof(*order));
	if (!rc) {
		names_choose(m, &list, names, place);
		names_link(&list);
		rc = tree_build(m->conf, &list, order);
	}
	free(list.names), free(list.parents), free(list.first), free(list.next), free(order);
	return rc;
}

/* Which macro said so. */
static int said_by(char **by, const struct macro *macro)
{
	*by = macro ? strdup(macro->name) : NULL;
	return macro && !*by ? -ENOMEM : 0;
}

static int quota_read(struct macros *m, struct condor_group *g)
{
	const struct macro *whole = macro_of_group(m, &static_quota, g->name), *part = macro_of_group(m, &dynamic_quota, g->name);
	const struct macro *by = whole ? whole : part;
	int rc = 0;

	if (part)
		m->items[part - m->items].used = true;
	if (by)
		rc = macro_take(m, by, whole ? &static_quota : &dynamic_quota, &g->quota, &g->has_quota);
	g->is_static = g->has_quota && whole;
	if (whole && part)
		macros_report(m, WARNING, part->place, "%.60s found, and %.60s, too: the latter counts", part->name, whole->name);
	if (!rc && !by)
		macros_report(m, WARNING, macro_parameter_place(m, "GROUP_NAMES"), "group \"%.60s\" has neither GROUP_QUOTA_%.60s nor "
			      "GROUP_QUOTA_DYNAMIC_%.60s: its quota is 0, and it gets but what others leave over", g->name, g->name, g->name);
	if (m->conf->follows == FOLLOWS_MANUAL && g->has_quota && !g->is_static && g->quota >= 1)
		macros_report(m, FAULT, part->place, "%.60s = %g found: with NEGOTIATION = manual a number from 0 to less than 1 is "
			      "allowed", part->name,
			      g->quota);
	return rc ? rc : said_by(&g->quota_by, g->has_quota ? by : NULL);
}

/* Of the group, else of all. */
static int switch_read(struct macros *m, const struct condor_group *g, const struct macro_parameter *type, const char *of_all, bool *truth,
			char **by)
{
	const struct macro *own = macro_of_group(m, type, g->name);
	bool is_set = false;
	int rc = own ? macro_take(m, own, type, truth, &is_set) : 0;

	return rc ? rc : said_by(by, is_set ? own : macro_parameter_macro(m, of_all));
}

static int group_read(struct macros *m, struct condor_group *g)
{
	bool is_set;
	int rc = macro_take(m, macro_of_group(m, &group_factor, g->name), &group_factor, &g->prio_factor, &is_set);

	if (rc || g == m->conf->groups)
		return rc;
	g->accepts_surplus = m->conf->accept_surplus;
	g->autoregroup = m->conf->autoregroup;
	rc = quota_read(m, g);
	if (!rc)
		rc = switch_read(m, g, &group_surplus, "GROUP_ACCEPT_SURPLUS", &g->accepts_surplus, &g->surplus_by);
	if (!rc)
		rc = switch_read(m, g, &group_autoregroup, "GROUP_AUTOREGROUP", &g->autoregroup, &g->autoregroup_by);
	m->conf->groups[0].autoregroup |= g->autoregroup;
	return rc;
}

/* What is said of a group that there is none of. */
static void strangers_report(const struct macros *m)
{
	/* the longer ones first */
	static const struct macro_parameter *const types[] = {
		&dynamic_quota, &static_quota, &group_surplus, &group_autoregroup, &group_factor,
	};

	for (const struct macro *macro = m->items; macro < m->items + m->n; macro++)
		for (size_t i = 0; i < sizeof(types) / sizeof(*types) && !macro->used && !macro_parameter_find(macro->name); i++) {
			const char *group = macro->name + strlen(types[i]->name);

			if (strncasecmp(macro->name, types[i]->name, strlen(types[i]->name)) != 0)
				continue;
			macros_report(m, WARNING, macro->place, "%.60s found: \"%.60s\" is no group of GROUP_NAMES, and it has no "
				      "effect", macro->name,
				      group);
			m->items[macro - m->items].used = true;
		}
}

int groups_read(struct macros *m)
{
	const struct macro *macro = macro_parameter_macro(m, "GROUP_NAMES");
	static const struct macro_parameter list = { .name = "GROUP_NAMES", .parse = macro_names };
	char **names = NULL;
	bool is_set;
	int rc = macro_take(m, macro, &list, &names, &is_set);

	if (!rc && names)
		rc = tree_read(m, names, macro->place);
	condor_names_free(names);
	for (size_t i = 0; i < m->conf->ngroups && !rc; i++)
		rc = group_read(m, &m->conf->groups[i]);
	if (!rc)
		strangers_report(m);
	return rc;
}
