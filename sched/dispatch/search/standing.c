/* SPDX-License-Identifier: Apache-2.0 */
/* Who makes a difference: what an owner and his project may use, as far as any object cares. */
#include "sched/dispatch/search/categories.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "conf/lists.h"
#include "sched/dispatch/dispatch.h"

struct access_key {			/* what an owner may use depends on it */
	uint32_t class_id, group;
};

static void mark(struct categories *a, const struct strlist *names)
{
	for (size_t i = 0; i < names->n; i++) {
		const struct userset *set = cell_userset(a->d->cell, names->items[i]);

		if (set)
			a->relevant[set - a->d->cell->usersets] = true;
		a->any_access = true;
	}
}

void standings_begin(struct categories *a)
{
	const struct cell *cell = a->d->cell;
	const struct cluster *c = &a->d->cluster;

	pool_create(&a->by_owner, sizeof(struct access_key));
	for (size_t i = 0; i < c->nprofiles; i++) {
		mark(a, &c->profiles[i].user_lists);
		mark(a, &c->profiles[i].xuser_lists);
		a->any_access |= c->profiles[i].projects.n + c->profiles[i].xprojects.n > 0;
	}
	a->d->hosts_restrict = false;
	for (size_t i = 0; i < cell->nhosts; i++) {
		const struct host_conf *h = &cell->hosts[i];

		mark(a, &h->user_lists);
		mark(a, &h->xuser_lists);
		a->any_access |= h->projects.n + h->xprojects.n > 0;
		a->d->hosts_restrict |= h->user_lists.n + h->xuser_lists.n + h->projects.n + h->xprojects.n > 0;
	}
	for (size_t i = 0; i < cell->npes; i++) {
		mark(a, &cell->pes[i].user_lists);
		mark(a, &cell->pes[i].xuser_lists);
	}
	mark(a, &a->d->global_access.user_lists);
	mark(a, &a->d->global_access.xuser_lists);
	a->any_access |= a->d->global_access.projects.n + a->d->global_access.xprojects.n > 0 || quotas_sets(a->d->quotas) > 0;
}

static bool list_has(const struct strlist *list, const char *name)
{
	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->items[i], name) == 0)
			return true;
	return false;
}

static bool project_is_relevant(const struct categories *a, const char *project)
{
	const struct cell *cell = a->d->cell;
	const struct cluster *c = &a->d->cluster;
	bool found = list_has(&a->d->global_access.projects, project) || list_has(&a->d->global_access.xprojects, project) ||
		     quotas_name_project(a->d->quotas, project);

	for (size_t i = 0; i < c->nprofiles && !found; i++)
		found = list_has(&c->profiles[i].projects, project) || list_has(&c->profiles[i].xprojects, project);
	for (size_t i = 0; i < cell->nhosts && !found; i++)
		found = list_has(&cell->hosts[i].projects, project) || list_has(&cell->hosts[i].xprojects, project);
	return found;
}

/* "lists|owner|project", lists and owner only as far as they make a difference. */
static int access_text(const struct categories *a, const char *owner, const char *group, const char *project, char **text)
{
	const struct cell *cell = a->d->cell;
	const struct category someone = { .user = owner, .group = group };
	size_t size;
	FILE *out = open_memstream(text, &size);
	bool complete;

	if (!out)
		return -ENOMEM;
	for (size_t i = 0; i < cell->nusersets; i++) {
		const struct strlist one = { .items = &cell->usersets[i].name, .n = 1 };

		if (a->relevant[i] && category_in_lists(a->d, &someone, &one))
			fprintf(out, "%s,", cell->usersets[i].name);
	}
	fprintf(out, "|%s|%s", quotas_name_user(a->d->quotas, owner, group) ? owner : "", project ? project : "");
	complete = !ferror(out);
	if (fclose(out) == 0 && complete && *text)	/* without memory fclose(3) leaves NULL */
		return 0;
	free(*text);
	return -ENOMEM;
}

static uint32_t access_number(struct categories *a, char *text)
{
	uint32_t number;
	int rc = text_set_add(&a->access_texts, text, &number);

	free(text);
	return rc ? NONE : number;
}

static const char *text_of(const struct categories *a, uint32_t id)
{
	return id == NONE ? NULL : strings_text(a->run->strings, id);
}

static struct standing standing_make(struct categories *a, const struct class_key *class, uint32_t group)
{
	const char *project = text_of(a, class->project);
	bool relevant = project && project_is_relevant(a, project);
	char *text = NULL;
	struct standing standing = { NONE, project && !relevant && quotas_count_project(a->d->quotas, project) ? class->project : NONE };

	if (access_text(a, text_of(a, class->owner), text_of(a, group), relevant ? project : NULL, &text) == 0)
		standing.number = access_number(a, text);
	return standing;
}

struct standing standing_of(struct categories *a, uint32_t class_id, uint32_t group)
{
	const struct access_key key = { class_id, group };
	uint32_t id;
	bool is_new;

	if (!a->any_access)
		return (struct standing){ 0, NONE };
	if (pool_reserve(&a->by_owner) || array_grow(&a->standing, a->by_owner.capacity, sizeof(*a->standing)))
		return (struct standing){ NONE, NONE };
	id = pool_hold(&a->by_owner, &key, &is_new);
	if (is_new)
		a->standing[id] = standing_make(a, classes_key(&a->run->mirror->classes, class_id), group);
	return a->standing[id];
}
