/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/mirror/objects.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "conf/base/columns.h"
#include "conf/base/search.h"

/* Usage names */

uint32_t usage_name(struct usage_names *names, struct strings *strings, const char *text)
{
	uint32_t string = strings_find(strings, text), id;

	if (string != NONE && (id = index_find(&names->by_string, names->strings, string)) != INDEX_NONE)
		return id;
	if (array_reserve(&names->capacity, names->n + 1, COLUMN(names->strings)))
		return UINT32_MAX;
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

uint32_t objects_find(const struct objects *objects, uint32_t name)
{
	return index_find(&objects->by_name, objects->names, name);
}

int objects_reserve(struct objects *objects)
{
	if (array_reserve(&objects->capacity, objects->n + 1, COLUMN(objects->items), COLUMN(objects->sharers),
			  COLUMN(objects->names), COLUMN(objects->sorted)))
		return -ENOMEM;
	return index_reserve(&objects->by_name, objects->names);
}

static void insert_sorted(struct objects *objects, const struct strings *strings, const char *name, uint32_t id)
{
	size_t at;

	lower_bound(at, objects->n, strcmp(strings_text(strings, objects->names[objects->sorted[at]]), name) < 0);
	memmove(objects->sorted + at + 1, objects->sorted + at, (objects->n - at) * sizeof(uint32_t));
	objects->sorted[at] = id;
}

uint32_t objects_add(struct objects *objects, struct strings *strings, const char *name)
{
	uint32_t string, id = (uint32_t)objects->n;

	if (objects_reserve(objects) || (string = strings_hold(strings, name)) == NONE)
		return UINT32_MAX;
	if (objects_find(objects, string) != INDEX_NONE) {
		strings_drop(strings, string);
		return objects_find(objects, string);
	}
	objects->items[id] = (struct object){ .name = string };
	objects->sharers[id] = (struct sharer){ 0 };
	objects->names[id] = string;
	insert_sorted(objects, strings, name, id);
	index_insert(&objects->by_name, objects->names, id);
	objects->n++;
	return id;
}

void objects_drop_last(struct objects *objects, struct strings *strings)
{
	uint32_t id = (uint32_t)--objects->n;
	size_t at = 0;

	while (objects->sorted[at] != id)
		at++;
	memmove(objects->sorted + at, objects->sorted + at + 1, (objects->n - at) * sizeof(uint32_t));
	index_remove(&objects->by_name, objects->names, objects->names[id]);
	strings_drop(strings, objects->names[id]);
}

void object_free(struct object *object, struct strings *strings)
{
	for (size_t i = 0; i < object->nprojects; i++) {
		strings_drop(strings, object->projects[i].project);
		usage_free(&object->projects[i].usage);
		usage_free(&object->projects[i].long_term);
	}
	free(object->projects);
	usage_free(&object->usage);
	usage_free(&object->long_term);
	object->projects = NULL;
	object->nprojects = 0;
}

void objects_destroy(struct objects *objects, struct strings *strings)
{
	for (size_t i = 0; i < objects->n; i++) {
		object_free(&objects->items[i], strings);
		strings_drop(strings, objects->items[i].name);
	}
	free(objects->items);
	free(objects->sharers);
	free(objects->names);
	free(objects->sorted);
	index_free(&objects->by_name);
	*objects = (struct objects){ 0 };
}

const struct usage_in_project *object_find_project(const struct object *object, uint32_t project)
{
	for (size_t i = 0; i < object->nprojects; i++)
		if (object->projects[i].project == project)
			return &object->projects[i];
	return NULL;
}

struct usage_in_project *object_in_project(struct object *object, struct strings *strings, uint32_t project)
{
	const struct usage_in_project *found = object_find_project(object, project);

	if (found)
		return (struct usage_in_project *)found;
	if (array_grow(&object->projects, object->nprojects + 1, sizeof(*object->projects)))
		return NULL;
	/* the project is held, so this cannot fail */
	object->projects[object->nprojects] =
		(struct usage_in_project){ .project = strings_hold(strings, strings_text(strings, project)) };
	return &object->projects[object->nprojects++];
}

/*
 * Fill in a complete set of values. After -ENOMEM there are none, but new names may remain, which
 * the caller removes.
 */
static int fill_usage(struct object *object, struct strings *strings, struct usage_names *names,
		      const struct object_usage *from)
{
	if (usage_from(&object->usage, names, strings, &from->usage) ||
	    usage_from(&object->long_term, names, strings, &from->long_term))
		return -ENOMEM;
	for (size_t i = 0; i < from->nprojects; i++) {
		uint32_t project = strings_hold(strings, from->projects[i].project);
		struct usage_in_project *usage = project == NONE ? NULL : object_in_project(object, strings, project);

		strings_drop(strings, project);
		if (!usage || usage_from(&usage->usage, names, strings, &from->projects[i].usage) ||
		    usage_from(&usage->long_term, names, strings, &from->projects[i].long_term))
			return -ENOMEM;
	}
	return 0;
}

int object_make_usage(struct object *new, struct strings *strings, struct usage_names *names,
		      const struct object_usage *from, uint64_t reported)
{
	*new = (struct object){ .time_stamp = from->time_stamp, .reported = reported, .replaced = true };
	return fill_usage(new, strings, names, from);
}

void object_swap_usage(struct object *a, struct object *b)
{
	struct object old = *a;

	a->time_stamp = b->time_stamp;
	a->reported = b->reported;
	a->replaced = b->replaced;
	a->usage = b->usage;
	a->long_term = b->long_term;
	a->projects = b->projects;
	a->nprojects = b->nprojects;
	b->time_stamp = old.time_stamp;
	b->reported = old.reported;
	b->replaced = old.replaced;
	b->usage = old.usage;
	b->long_term = old.long_term;
	b->projects = old.projects;
	b->nprojects = old.nprojects;
}
