/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accounting groups: GROUP_NAMES becomes a tree, breadth first, and the macros of groups set its
 * members. A group without a macro of its own gets the value of the global macro. A group whose
 * parent does not exist is ignored, as in HTCondor.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/base/array.h"
#include "conf/condor/macros.h"
#include "conf/lists.h"

#define ROOT "<none>"
#define NONE UINT32_MAX

enum { DEPTH_MOST = 32 };

static const struct macro_parameter static_quota = { .name = "GROUP_QUOTA_", .parse = macro_real, .high = INT_MAX };
static const struct macro_parameter dynamic_quota = { .name = "GROUP_QUOTA_DYNAMIC_", .parse = macro_real, .high = 1 };
static const struct macro_parameter group_surplus = { .name = "GROUP_ACCEPT_SURPLUS_", .parse = macro_bool };
static const struct macro_parameter group_autoregroup = { .name = "GROUP_AUTOREGROUP_", .parse = macro_bool };
static const struct macro_parameter group_factor = { .name = "GROUP_PRIO_FACTOR_",
						     .parse = macro_group_factor,
						     .high = 1e100 };

/* Return the macro of a group: "GROUP_QUOTA_" followed by the group's name. */
static const struct macro *macro_of_group(const struct macros *macros, const struct macro_parameter *type,
					  const char *group)
{
	char name[2 * MACRO_NAME_MOST];
	const struct macro *macro;

	snprintf(name, sizeof(name), "%s%s", type->name, group);
	macro = macro_find(macros, "NEGOTIATOR", name);
	return macro && *macro->text ? macro : NULL;
}

int group_root_add(struct condor_conf *conf)
{
	struct condor_group *root = array_add(&conf->groups, &conf->ngroups, sizeof(*root));

	if (!root)
		return -ENOMEM;
	root->name = strdup(ROOT);
	root->first_child = 1;
	root->accepts_surplus = true;
	return root->name ? 0 : -ENOMEM;
}

/* Names in the tree, sorted case-insensitively, and the links between them. */
struct name_list {
	const char **names;
	uint32_t *parents;		/* index of each parent; NONE: the root */
	/* first child of each name, and of the root at the end; next sibling of each name */
	uint32_t *first, *next;
	size_t n;
};

struct listed_name {
	char *name;
	size_t place;			/* position in GROUP_NAMES */
};

static int name_compare(const void *a, const void *b)
{
	const struct listed_name *x = a, *y = b;
	int order = strcasecmp(x->name, y->name);

	return order ? order : (x->place > y->place) - (x->place < y->place);
}

/* Sort names, case-insensitive. Of equal names the one that is listed first stays first. */
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

/*
 * Return the reason why a name is not a group's, or NULL if it is valid. `*parent` becomes the
 * index of its parent in the list.
 */
static const char *name_refuse(const struct macros *macros, const struct name_list *list, const char *name,
			       uint32_t *parent)
{
	const char *dot = strrchr(name, '.');

	*parent = NONE;
	if (!strcasecmp(name, ROOT))
		return "it is the name of the root: it is ignored";
	if (strlen(name) > MACRO_NAME_MOST - 32 || components(name) > DEPTH_MOST || *name == '.' || (dot && !dot[1]) ||
	    strchr(name, '@'))
		return "names of at most 223 bytes and 32 components with dots between, none of them empty and "
		       "without @, are allowed: it is "
		       "ignored";
	if (list->n > 0 && !strcasecmp(list->names[list->n - 1], name))
		return "it appears twice: the second one is ignored";
	if (dot) {
		*parent = name_find(list, name, (size_t)(dot - name));
		if (*parent == NONE)
			return "its parent does not exist: it is ignored, and its members belong to the group above";
	}
	if (macros->conf->follows == FOLLOWS_MANUAL && !macro_of_group(macros, &static_quota, name) &&
	    !macro_of_group(macros, &dynamic_quota, name))
		return "it has no quota: with NEGOTIATION = manual it is ignored";
	return NULL;
}

static void names_choose(const struct macros *macros, struct name_list *list, char **names, struct macro_place place)
{
	uint32_t parent;

	for (; *names; names++) {
		const char *why = name_refuse(macros, list, *names, &parent);

		if (why) {
			macros_report(macros, WARNING, place, "GROUP_NAMES: group \"%.60s\" found: %s", *names, why);
			continue;
		}
		list->parents[list->n] = parent;
		list->names[list->n++] = *names;
	}
}

/* Link siblings. The loop runs backwards, so that each list of siblings is in order of name. */
static void names_link(struct name_list *list)
{
	memset(list->first, 0xff, (list->n + 1) * sizeof(*list->first));
	for (size_t i = list->n; i > 0; i--) {
		uint32_t *first = &list->first[list->parents[i - 1] == NONE ? list->n : list->parents[i - 1]];

		list->next[i - 1] = *first;
		*first = (uint32_t)(i - 1);
	}
}

/* Build the tree. `order` maps a group's index in the tree to its index in the list. */
static int tree_build(struct condor_conf *conf, const struct name_list *list, uint32_t *order)
{
	order[0] = (uint32_t)list->n;
	for (uint32_t parent = 0; parent < conf->ngroups; parent++) {
		conf->groups[parent].first_child = (uint32_t)conf->ngroups;
		for (uint32_t at = list->first[order[parent]]; at != NONE; at = list->next[at]) {
			struct condor_group *group = array_add(&conf->groups, &conf->ngroups, sizeof(*group));

			if (!group || !(group->name = strdup(list->names[at])))
				return -ENOMEM;
			group->parent = parent;
			conf->groups[parent].nchildren++;
			order[conf->ngroups - 1] = at;
		}
	}
	return 0;
}

static int tree_read(struct macros *macros, char **names, struct macro_place place)
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
		names_choose(macros, &list, names, place);
		names_link(&list);
		rc = tree_build(macros->conf, &list, order);
	}
	free(list.names), free(list.parents), free(list.first), free(list.next), free(order);
	return rc;
}

/* Store the name of the macro that set a value. */
static int said_by(char **by, const struct macro *macro)
{
	*by = macro ? strdup(macro->name) : NULL;
	return macro && !*by ? -ENOMEM : 0;
}

static int quota_read(struct macros *macros, struct condor_group *group)
{
	const struct macro *whole = macro_of_group(macros, &static_quota, group->name),
			   *part = macro_of_group(macros, &dynamic_quota, group->name);
	const struct macro *by = whole ? whole : part;
	int rc = 0;

	if (part)
		macros->items[part - macros->items].used = true;
	if (by)
		rc = macro_take(macros, by, whole ? &static_quota : &dynamic_quota, &group->quota, &group->has_quota);
	group->is_static = group->has_quota && whole;
	if (whole && part)
		macros_report(macros, WARNING, part->place, "%.60s and %.60s found: the latter counts",
			      part->name, whole->name);
	if (!rc && !by)
		macros_report(macros, WARNING, macro_parameter_place(macros, "GROUP_NAMES"),
			      "group \"%.60s\" has neither GROUP_QUOTA_%.60s nor "
			      "GROUP_QUOTA_DYNAMIC_%.60s: its quota is 0, and it gets only the surplus of others",
			      group->name, group->name, group->name);
	if (macros->conf->follows == FOLLOWS_MANUAL && group->has_quota && !group->is_static && group->quota >= 1)
		macros_report(macros, FAULT, part->place,
			      "%.60s = %g found: with NEGOTIATION = manual a number from 0 to less than 1 is "
			      "allowed",
			      part->name, group->quota);
	return rc ? rc : said_by(&group->quota_by, group->has_quota ? by : NULL);
}

/* Read a switch of the group, else the global one. */
static int switch_read(struct macros *macros, const struct condor_group *group, const struct macro_parameter *type,
		       const char *of_all, bool *truth, char **by)
{
	const struct macro *own = macro_of_group(macros, type, group->name);
	bool is_set = false;
	int rc = own ? macro_take(macros, own, type, truth, &is_set) : 0;

	return rc ? rc : said_by(by, is_set ? own : macro_parameter_macro(macros, of_all));
}

static int group_read(struct macros *macros, struct condor_group *group)
{
	bool is_set;
	int rc = macro_take(macros, macro_of_group(macros, &group_factor, group->name), &group_factor,
			    &group->prio_factor, &is_set);

	if (rc || group == macros->conf->groups)
		return rc;
	group->accepts_surplus = macros->conf->accept_surplus;
	group->autoregroup = macros->conf->autoregroup;
	rc = quota_read(macros, group);
	if (!rc)
		rc = switch_read(macros, group, &group_surplus, "GROUP_ACCEPT_SURPLUS", &group->accepts_surplus,
				 &group->surplus_by);
	if (!rc)
		rc = switch_read(macros, group, &group_autoregroup, "GROUP_AUTOREGROUP", &group->autoregroup,
				 &group->autoregroup_by);
	macros->conf->groups[0].autoregroup |= group->autoregroup;
	return rc;
}

/* Warn about macros of groups that do not exist. */
static void unknown_groups_report(const struct macros *macros)
{
	/* longer prefixes first */
	static const struct macro_parameter *const types[] = {
		&dynamic_quota, &static_quota, &group_surplus, &group_autoregroup, &group_factor,
	};

	for (const struct macro *macro = macros->items; macro < macros->items + macros->n; macro++)
		for (size_t i = 0;
		     i < sizeof(types) / sizeof(*types) && !macro->used && !macro_parameter_find(macro->name); i++) {
			const char *group = macro->name + strlen(types[i]->name);

			if (strncasecmp(macro->name, types[i]->name, strlen(types[i]->name)) != 0)
				continue;
			macros_report(macros, WARNING, macro->place,
				      "%.60s found: \"%.60s\" is not in GROUP_NAMES: it has no effect",
				      macro->name, group);
			macros->items[macro - macros->items].used = true;
		}
}

int groups_read(struct macros *macros)
{
	const struct macro *macro = macro_parameter_macro(macros, "GROUP_NAMES");
	static const struct macro_parameter list = { .name = "GROUP_NAMES", .parse = macro_names };
	char **names = NULL;
	bool is_set;
	int rc = macro_take(macros, macro, &list, &names, &is_set);

	if (!rc && names)
		rc = tree_read(macros, names, macro->place);
	condor_names_free(names);
	for (size_t i = 0; i < macros->conf->ngroups && !rc; i++)
		rc = group_read(macros, &macros->conf->groups[i]);
	if (!rc)
		unknown_groups_report(macros);
	return rc;
}
