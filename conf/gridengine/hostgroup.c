/* SPDX-License-Identifier: Apache-2.0 */
/* hostgroup(5): lists of hosts and of other groups */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/fields.h"
#include "conf/lists.h"
#include "conf/gridengine/readers.h"

static int field_group_name(const struct field *field, void *member, const char *text, struct error *e)
{
	int rc;

	if (*text != '@')
		return error_set(e, -EINVAL, "error parsing value \"%.30s\" of %s: it has to begin with @", text, field->name);
	rc = name_check(text + 1, e);
	return rc ? rc : field_string(field, member, text, e);
}

static const struct field table[] = {
	REQUIRED("group_name", field_group_name, struct hostgroup, name, NULL),
	REQUIRED("hostlist", field_names, struct hostgroup, hostlist, "NONE"),
	{ .name = "version" },
};

static int hostgroup_read(struct reader *r, const char *path, void *item)
{
	struct fields f;
	int rc = fields_read(&f, table, sizeof(table) / sizeof(*table), path, item, r->report);

	fields_close(&f);
	return rc;
}

static void hostgroup_clear(void *item)
{
	struct hostgroup *group = item;

	free(group->name);
	strlist_free(&group->hostlist);
}

/* depth first through groups within groups, without recursion: nesting may be deep */
struct group_walk {
	const struct cell *cell;
	size_t *next;		/* of each group, the entry to look at; beyond its list: done */
	size_t *path, depth;	/* groups from the first to the one looked at */
	bool *open;		/* on the path */
};

static void walk_enter(struct group_walk *w, size_t group)
{
	w->path[w->depth++] = group;
	w->open[group] = true;
}

/* The group that an entry means, ngroups if it is a host or unknown. */
static size_t walk_target(const struct group_walk *w, const char *entry)
{
	const struct hostgroup *g = array_find(w->cell->hostgroups, w->cell->nhostgroups, sizeof(*g), entry);

	return g ? (size_t)(g - w->cell->hostgroups) : w->cell->nhostgroups;
}

static void walk_step(struct group_walk *w, struct reader *r)
{
	const struct hostgroup *group = &w->cell->hostgroups[w->path[w->depth - 1]];
	size_t at = w->path[w->depth - 1], target;
	char *path;

	if (w->next[at] >= group->hostlist.n) {
		w->open[at] = false;
		w->depth--;
		return;
	}
	target = walk_target(w, group->hostlist.items[w->next[at]++]);
	if (target == w->cell->nhostgroups)
		return;
	if (w->open[target]) {
		path = path_join(r->dir, "hgrp", group->name);
		report_add(r->report, FAULT, path ? path : "hgrp", 0, "host group \"%s\" contains itself by way of \"%s\"",
			   w->cell->hostgroups[target].name, group->name);
		free(path);
	} else if (w->next[target] == 0) {
		walk_enter(w, target);
	}
}

int hostgroups_check(struct reader *r)
{
	size_t n = r->cell->nhostgroups, i;
	struct group_walk w = { .cell = r->cell };
	int rc = 0;

	if (n == 0)
		return 0;
	w.next = calloc(n, sizeof(*w.next));
	w.path = calloc(n, sizeof(*w.path));
	w.open = calloc(n, sizeof(*w.open));
	if (!w.next || !w.path || !w.open)
		rc = -ENOMEM;
	for (i = 0; i < n && !rc; i++) {
		if (w.next[i] == 0)
			walk_enter(&w, i);
		while (w.depth > 0)
			walk_step(&w, r);
	}
	free(w.next);
	free(w.path);
	free(w.open);
	return rc;
}

const struct kind kind_hostgroups = {
	"hgrp", offsetof(struct cell, hostgroups), offsetof(struct cell, nhostgroups), sizeof(struct hostgroup),
	hostgroup_read, hostgroup_clear,
};
