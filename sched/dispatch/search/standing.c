/* SPDX-License-Identifier: Apache-2.0 */
/* The rights of an owner and a project, as far as any object depends on them. */
#include "sched/dispatch/search/categories.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "conf/lists.h"

struct access_key {			/* the rights of an owner depend on this */
	uint32_t class_id, group;
};

static void mark(struct categories *categories, const struct strlist *names)
{
	for (size_t i = 0; i < names->n; i++) {
		const struct userset *set = cell_userset(categories->supply->cell, names->items[i]);

		if (set)
			categories->relevant[set - categories->supply->cell->usersets] = true;
		categories->any_access = true;
	}
}

void standings_begin(struct categories *categories)
{
	const struct cell *cell = categories->supply->cell;
	const struct cluster *cluster = &categories->supply->cluster;

	pool_create(&categories->by_owner, sizeof(struct access_key));
	for (size_t i = 0; i < cluster->nprofiles; i++) {
		mark(categories, &cluster->profiles[i].user_lists);
		mark(categories, &cluster->profiles[i].xuser_lists);
		categories->any_access |= cluster->profiles[i].projects.n + cluster->profiles[i].xprojects.n > 0;
	}
	for (size_t i = 0; i < cell->nhosts; i++) {
		const struct host_conf *conf = &cell->hosts[i];

		mark(categories, &conf->user_lists);
		mark(categories, &conf->xuser_lists);
		categories->any_access |= conf->projects.n + conf->xprojects.n > 0;
	}
	for (size_t i = 0; i < cell->npes; i++) {
		mark(categories, &cell->pes[i].user_lists);
		mark(categories, &cell->pes[i].xuser_lists);
	}
	mark(categories, &categories->supply->access.user_lists);
	mark(categories, &categories->supply->access.xuser_lists);
	categories->any_access |=
		categories->supply->access.projects.n + categories->supply->access.xprojects.n > 0 ||
		quotas_sets(categories->supply->quotas) > 0;
}

static bool list_has(const struct strlist *list, const char *name)
{
	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->items[i], name) == 0)
			return true;
	return false;
}

static bool project_is_relevant(const struct categories *categories, const char *project)
{
	const struct cell *cell = categories->supply->cell;
	const struct cluster *cluster = &categories->supply->cluster;
	bool found = list_has(&categories->supply->access.projects, project) ||
		     list_has(&categories->supply->access.xprojects, project) ||
		     quotas_name_project(categories->supply->quotas, project);

	for (size_t i = 0; i < cluster->nprofiles && !found; i++)
		found = list_has(&cluster->profiles[i].projects, project) ||
			list_has(&cluster->profiles[i].xprojects, project);
	for (size_t i = 0; i < cell->nhosts && !found; i++)
		found = list_has(&cell->hosts[i].projects, project) || list_has(&cell->hosts[i].xprojects, project);
	return found;
}

/* Write "lists|owner|project". Lists and owner appear only if they make a difference. */
static int access_text(const struct categories *categories, const char *owner, const char *group, const char *project,
		       char **text)
{
	const struct cell *cell = categories->supply->cell;
	const struct category principal = { .user = owner, .group = group };
	size_t size;
	FILE *out = open_memstream(text, &size);
	bool complete;

	if (!out)
		return -ENOMEM;
	for (size_t i = 0; i < cell->nusersets; i++) {
		const struct strlist one = { .items = &cell->usersets[i].name, .n = 1 };

		if (categories->relevant[i] && category_in_lists(cell, &principal, &one))
			fprintf(out, "%s,", cell->usersets[i].name);
	}
	fprintf(out, "|%s|%s", quotas_name_user(categories->supply->quotas, owner, group) ? owner : "",
		project ? project : "");
	complete = !ferror(out);
	/* fclose(3) leaves NULL if memory is exhausted */
	if (fclose(out) == 0 && complete && *text)
		return 0;
	free(*text);
	return -ENOMEM;
}

static uint32_t access_number(struct categories *categories, char *text)
{
	uint32_t number;
	int rc = text_set_add(&categories->access_texts, text, &number);

	free(text);
	return rc ? NONE : number;
}

static const char *text_of(const struct categories *categories, uint32_t id)
{
	return id == NONE ? NULL : strings_text(categories->run->strings, id);
}

static struct standing standing_make(struct categories *categories, const struct class_key *class, uint32_t group)
{
	const char *project = text_of(categories, class->project);
	bool relevant = project && project_is_relevant(categories, project);
	char *text = NULL;
	struct standing standing = { NONE,
				     project && !relevant && quotas_count_project(categories->supply->quotas, project)
					     ? class->project
					     : NONE };

	if (access_text(categories, text_of(categories, class->owner), text_of(categories, group),
			relevant ? project : NULL, &text) == 0)
		standing.number = access_number(categories, text);
	return standing;
}

struct standing standing_of(struct categories *categories, uint32_t class_id, uint32_t group)
{
	const struct access_key key = { class_id, group };
	uint32_t id;
	bool is_new;

	if (!categories->any_access)
		return (struct standing){ 0, NONE };
	if (pool_reserve(&categories->by_owner) ||
	    array_grow(&categories->standing, categories->by_owner.capacity, sizeof(*categories->standing)))
		return (struct standing){ NONE, NONE };
	id = pool_hold(&categories->by_owner, &key, &is_new);
	if (is_new)
		categories->standing[id] =
			standing_make(categories, classes_key(&categories->run->mirror->classes, class_id), group);
	return categories->standing[id];
}
