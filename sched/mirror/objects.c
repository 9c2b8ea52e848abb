/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/mirror/objects.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "conf/search.h"

/* Usage names */

uint32_t usage_name(struct usage_names *names, struct strings *strings, const char *text)
{
	uint32_t string = strings_find(strings, text), id;

	if (string != NONE && (id = index_find(&names->by_string, names->strings, string)) != INDEX_NONE)
		return id;
	if (names->n == names->capacity) {
		size_t capacity = names->capacity ? 2 * names->capacity : 64;

		if (array_grow(&names->strings, capacity, sizeof(uint32_t)))
			return UINT32_MAX;
		names->capacity = capacity;
	}
	if (index_reserve(&names->by_string, names->strings) || (string = strings_hold(strings, text)) == NONE)
		return UINT32_MAX;
	names->strings[names->n] = string;
	index_insert(&names->by_string, names->strings, (uint32_t)names->n);
	return (uint32_t)names->n++;
}

void usage_names_cut(struct usage_names *names, struct strings *strings, size_t n)
{
	while (names->n > n) {
		uint32_t string = names->strings[--names->n];

		index_remove(&names->by_string, names->strings, string);
		strings_drop(strings, string);
	}
}

int usage_from(struct usage *to, struct usage_names *names, struct strings *strings, const struct usage_values *from)
{
	struct usage usage = { 0 };
	size_t known = names->n;

	for (size_t i = 0; i < from->n; i++) {
		uint32_t name = usage_name(names, strings, from->items[i].name);

		if (name == UINT32_MAX || usage_add(&usage, name, from->items[i].value)) {
			usage_names_cut(names, strings, known);
			usage_free(&usage);
			return -ENOMEM;
		}
	}
	usage_free(to);
	*to = usage;
	return 0;
}

void usage_names_free(struct usage_names *names, struct strings *strings)
{
	for (size_t i = 0; i < names->n; i++)
		strings_drop(strings, names->strings[i]);
	free(names->strings);
	index_free(&names->by_string);
	*names = (struct usage_names){ 0 };
}

/* Objects */

uint32_t objects_find(const struct objects *o, uint32_t name)
{
	return index_find(&o->by_name, o->names, name);
}

int objects_reserve(struct objects *o)
{
	size_t capacity = o->capacity ? 2 * o->capacity : 64;

	if (o->n < o->capacity)
		return index_reserve(&o->by_name, o->names);
	if (array_grow(&o->items, capacity, sizeof(*o->items)) || array_grow(&o->sharers, capacity, sizeof(*o->sharers)) ||
	    array_grow(&o->names, capacity, sizeof(uint32_t)) || array_grow(&o->sorted, capacity, sizeof(uint32_t)))
		return -ENOMEM;
	o->capacity = capacity;
	return index_reserve(&o->by_name, o->names);
}

static void insert_sorted(struct objects *o, const struct strings *strings, const char *name, uint32_t id)
{
	size_t at;

	lower_bound(at, o->n, strcmp(strings_text(strings, o->names[o->sorted[at]]), name) < 0);
	memmove(o->sorted + at + 1, o->sorted + at, (o->n - at) * sizeof(uint32_t));
	o->sorted[at] = id;
}

uint32_t objects_add(struct objects *o, struct strings *strings, const char *name)
{
	uint32_t string, id = (uint32_t)o->n;

	if (objects_reserve(o) || (string = strings_hold(strings, name)) == NONE)
		return UINT32_MAX;
	if (objects_find(o, string) != INDEX_NONE) {
		strings_drop(strings, string);
		return objects_find(o, string);
	}
	o->items[id] = (struct object){ .name = string };
	o->sharers[id] = (struct sharer){ 0 };
	o->names[id] = string;
	insert_sorted(o, strings, name, id);
	index_insert(&o->by_name, o->names, id);
	o->n++;
	return id;
}

void objects_drop_last(struct objects *o, struct strings *strings)
{
	uint32_t id = (uint32_t)--o->n;
	size_t at = 0;

	while (o->sorted[at] != id)
		at++;
	memmove(o->sorted + at, o->sorted + at + 1, (o->n - at) * sizeof(uint32_t));
	index_remove(&o->by_name, o->names, o->names[id]);
	strings_drop(strings, o->names[id]);
}

void object_free(struct object *o, struct strings *strings)
{
	for (size_t i = 0; i < o->nprojects; i++) {
		strings_drop(strings, o->projects[i].project);
		usage_free(&o->projects[i].usage);
		usage_free(&o->projects[i].long_term);
	}
	free(o->projects);
	usage_free(&o->usage);
	usage_free(&o->long_term);
	o->projects = NULL;
	o->nprojects = 0;
}

void objects_destroy(struct objects *o, struct strings *strings)
{
	for (size_t i = 0; i < o->n; i++) {
		object_free(&o->items[i], strings);
		strings_drop(strings, o->items[i].name);
	}
	free(o->items);
	free(o->sharers);
	free(o->names);
	free(o->sorted);
	index_free(&o->by_name);
	*o = (struct objects){ 0 };
}

const struct usage_in_project *object_find_project(const struct object *o, uint32_t project)
{
	for (size_t i = 0; i < o->nprojects; i++)
		if (o->projects[i].project == project)
			return &o->projects[i];
	return NULL;
}

struct usage_in_project *object_in_project(struct object *o, struct strings *strings, uint32_t project)
{
	const struct usage_in_project *found = object_find_project(o, project);

	if (found)
		return (struct usage_in_project *)found;
	if (array_grow(&o->projects, o->nprojects + 1, sizeof(*o->projects)))
		return NULL;
	/* it is held */
	o->projects[o->nprojects] = (struct usage_in_project){ .project = strings_hold(strings, strings_text(strings, project)) };
	return &o->projects[o->nprojects++];
}

/*
 * A complete set of values, or none, with what names it has brought along until then: the caller's
 * to cut.
 */
static int fill_usage(struct object *o, struct strings *strings, struct usage_names *names, const struct object_usage *from)
{
	if (usage_from(&o->usage, names, strings, &from->usage) || usage_from(&o->long_term, names, strings, &from->long_term))
		return -ENOMEM;
	for (size_t i = 0; i < from->nprojects; i++) {
		uint32_t project = strings_hold(strings, from->projects[i].project);
		struct usage_in_project *p = project == NONE ? NULL : object_in_project(o, strings, project);

		strings_drop(strings, project);
		if (!p || usage_from(&p->usage, names, strings, &from->projects[i].usage) ||
		    usage_from(&p->long_term, names, strings, &from->projects[i].long_term))
			return -ENOMEM;
	}
	return 0;
}

int object_make_usage(struct object *new, struct strings *strings, struct usage_names *names, const struct object_usage *from, uint64_t told)
{
	*new = (struct object){ .time_stamp = from->time_stamp, .told = told, .replaced = true };
	return fill_usage(new, strings, names, from);
}

void object_swap_usage(struct object *a, struct object *b)
{
	struct object old = *a;

	a->time_stamp = b->time_stamp;
	a->told = b->told;
	a->replaced = b->replaced;
	a->usage = b->usage;
	a->long_term = b->long_term;
	a->projects = b->projects;
	a->nprojects = b->nprojects;
	b->time_stamp = old.time_stamp;
	b->told = old.told;
	b->replaced = old.replaced;
	b->usage = old.usage;
	b->long_term = old.long_term;
	b->projects = old.projects;
	b->nprojects = old.nprojects;
}
