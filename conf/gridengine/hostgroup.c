/* SPDX-License-Identifier: Apache-2.0 */
/* hostgroup(5): lists of hosts and of other groups */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/fields.h"
#include "conf/lists.h"
#include "conf/gridengine/readers.h"

static int field_group_name(const struct field *field, void *member, const char *text, struct error *error)
{
	int rc;

	if (*text != '@')
		return error_set(error, -EINVAL, "error parsing value \"%.30s\" of %s: it has to begin with @", text,
				 field->name);
	rc = name_check(text + 1, error);
	return rc ? rc : field_string(field, member, text, error);
}

static const struct field table[] = {
	REQUIRED("group_name", field_group_name, struct hostgroup, name, NULL),
	REQUIRED("hostlist", field_names, struct hostgroup, hostlist, "NONE"),
	{ .name = "version" },
};

static void hostgroup_clear(void *item)
{
	free(((struct hostgroup *)item)->name);
}

/* depth-first walk through nested groups, without recursion because nesting may be deep */
struct group_walk {
	const struct cell *cell;
	size_t *next;		/* next entry of each group to visit; past its list: done */
	size_t *path, depth;	/* groups from the first to the current one */
	bool *open;		/* groups on the path */
};

static void walk_enter(struct group_walk *walk, size_t group)
{
	walk->path[walk->depth++] = group;
	walk->open[group] = true;
}

/* Return the group that an entry names, or ngroups if it is a host or unknown. */
static size_t walk_target(const struct group_walk *walk, const char *entry)
{
	const struct hostgroup *hostgroup =
		array_find(walk->cell->hostgroups, walk->cell->nhostgroups, sizeof(*hostgroup), entry);

	return hostgroup ? (size_t)(hostgroup - walk->cell->hostgroups) : walk->cell->nhostgroups;
}

static void walk_step(struct group_walk *walk, struct reader *reader)
{
	const struct hostgroup *group = &walk->cell->hostgroups[walk->path[walk->depth - 1]];
	size_t at = walk->path[walk->depth - 1], target;
	char *path;

	if (walk->next[at] >= group->hostlist.n) {
		walk->open[at] = false;
		walk->depth--;
		return;
	}
	target = walk_target(walk, group->hostlist.items[walk->next[at]++]);
	if (target == walk->cell->nhostgroups)
		return;
	if (walk->open[target]) {
		path = path_join(reader->dir, "hgrp", group->name);
		report_add(reader->report, FAULT, path ? path : "hgrp", 0,
			   "host group \"%s\" contains itself by way of \"%s\"", walk->cell->hostgroups[target].name,
			   group->name);
		free(path);
	} else if (walk->next[target] == 0) {
		walk_enter(walk, target);
	}
}

int hostgroups_check(struct reader *reader)
{
	size_t n = reader->cell->nhostgroups, i;
	struct group_walk walk = { .cell = reader->cell };
	int rc = 0;

	if (n == 0)
		return 0;
	walk.next = calloc(n, sizeof(*walk.next));
	walk.path = calloc(n, sizeof(*walk.path));
	walk.open = calloc(n, sizeof(*walk.open));
	if (!walk.next || !walk.path || !walk.open)
		rc = -ENOMEM;
	for (i = 0; i < n && !rc; i++) {
		if (walk.next[i] == 0)
			walk_enter(&walk, i);
		while (walk.depth > 0)
			walk_step(&walk, reader);
	}
	free(walk.next);
	free(walk.path);
	free(walk.open);
	return rc;
}

const struct kind kind_hostgroups = { KIND("hgrp", hostgroups, struct hostgroup), KIND_TABLE(table), .clear = hostgroup_clear };
