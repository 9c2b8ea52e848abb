/* SPDX-License-Identifier: Apache-2.0 */
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

struct standing {			/* what of it matters */
	uint32_t number;		/* of its text */
	/* one that makes no difference to it, but has quota counts of its own; NONE */
	uint32_t project;
};

struct verdict_key {
	uint32_t category, access;
	uint32_t avoided;		/* 0: by all jobs alike */
};

struct categories_key {
	struct verdict_key verdict;
	uint32_t project;
};

/* Who makes a difference */

static void mark(struct categories *a, const struct strlist *names)
{
	for (size_t i = 0; i < names->n; i++) {
		const struct userset *set = cell_userset(a->d->cell, names->items[i]);

		if (set)
			a->relevant[set - a->d->cell->usersets] = true;
		a->any_access = true;
	}
}

static void mark_relevant(struct categories *a)
{
	const struct cell *cell = a->d->cell;
	const struct cluster *c = &a->d->cluster;

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

/* The number NONE: no memory. */
static struct standing standing_of(struct categories *a, uint32_t class_id, uint32_t group)
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

/* Categories */

static struct verdict *verdict_of(struct categories *a, const struct verdict_key *key)
{
	struct verdict *verdict, **item;
	uint32_t id;
	bool is_new;

	id = pool_find(&a->verdict_keys, key);
	if (id != UINT32_MAX)
		return a->verdicts[id];
	verdict = malloc(sizeof(*verdict));
	if (!verdict || pool_reserve(&a->verdict_keys) || !(item = array_add(&a->verdicts, &a->nverdicts, sizeof(*item)))) {
		free(verdict);
		return NULL;
	}
	*verdict = (struct verdict){ .why = why_list(a->d->why) };
	pool_hold(&a->verdict_keys, key, &is_new);
	return *item = verdict;
}

static bool is_range_on_a_host(const struct categories *a, const struct category *category)
{
	bool any = false;

	for (size_t i = 0; i < category->npes && category->pe; i++)
		any |= a->d->cell->pes[category->pes[i].pe].rule == RULE_PE_SLOTS;
	return any && (category->ranges.n > 1 || (category->ranges.n == 1 && category->ranges.items[0].min != category->ranges.items[0].max));
}

static int jobs_count(struct categories *a)
{
	const struct jobs *j = &a->run->mirror->state->jobs;
	const struct requests *requests = &a->run->mirror->requests;
	bool is_new;

	for (size_t i = 0; i < j->list_end; i++) {
		uint32_t row = j->list[i], request = row == NONE ? NONE : job_fact(j, row, category);
		struct verdict_key key;

		if (request == NONE)
			continue;
		if (pool_reserve(&a->jobs))
			return -ENOMEM;
		key = (struct verdict_key){ requests->facts[request].category,
					    standing_of(a, job_fact(j, row, class_id), requests_key(requests, request)->group).number, 0 };
		pool_hold(&a->jobs, &key, &is_new);
	}
	a->counted = true;
	return 0;
}

/*
 * Are there several jobs of the category, running and held ones among them? Found out where it
 * matters.
 */
static int several_find(struct categories *a, struct category *category, const struct verdict_key *key)
{
	uint32_t id;

	if (!is_range_on_a_host(a, category))
		return 0;
	if (!a->counted && jobs_count(a))
		return -ENOMEM;
	id = pool_find(&a->jobs, key);
	category->several = id != UINT32_MAX && a->jobs.holders[id] > 1;
	return 0;
}

static struct category *category_make(struct categories *a, uint32_t row, const struct categories_key *as)
{
	const struct jobs *j = &a->run->mirror->state->jobs;
	const struct class_key *class = classes_key(&a->run->mirror->classes, job_fact(j, row, class_id));
	const struct request_key *key = requests_key(&a->run->mirror->requests, job_fact(j, row, category));
	const struct category_facts facts = {
		.user = text_of(a, class->owner), .group = text_of(a, key->group), .project = text_of(a, class->project),
		.hard = text_of(a, key->hard), .soft = text_of(a, key->soft), .pe = text_of(a, key->pe), .pe_range = text_of(a, key->pe_range),
		.ckpt = text_of(a, key->ckpt), .hard_queues = text_of(a, key->hard_queues), .soft_queues = text_of(a, key->soft_queues),
		.master_queues = text_of(a, key->master_queues), .now = key->now, .ar = key->ar, .avoided = as->verdict.avoided,
	};
	struct verdict *verdict = verdict_of(a, &as->verdict);
	struct category *category = verdict ? malloc(sizeof(*category)) : NULL;

	if (category && (category_create(category, a->d, &facts) || several_find(a, category, &as->verdict))) {
		category_destroy(category);
		free(category);
		return NULL;
	}
	if (category)
		category->verdict = verdict;
	return category;
}

/* NONE: no memory. */
static uint32_t number_find(struct categories *a, uint32_t row, uint32_t avoided)
{
	const struct jobs *j = &a->run->mirror->state->jobs;
	const struct requests *requests = &a->run->mirror->requests;
	uint32_t request = job_fact(j, row, category), id;
	uint32_t category = requests->facts[request].category;
	struct standing standing = standing_of(a, job_fact(j, row, class_id), requests_key(requests, request)->group);
	struct categories_item *item;
	struct categories_key key;
	bool is_new;

	if (standing.number == NONE || pool_reserve(&a->keys))
		return NONE;
	key = (struct categories_key){ { category, standing.number, avoided }, standing.project };
	id = pool_find(&a->keys, &key);
	if (id != UINT32_MAX)
		return id;
	item = array_add(&a->items, &a->n, sizeof(*item));
	if (!item)
		return NONE;
	id = pool_hold(&a->keys, &key, &is_new);
	*item = (struct categories_item){ .category = NULL };
	if (!a->any_access && avoided == 0)
		a->known[category] = id + 1;
	return id;
}

static inline uint32_t number_of(struct categories *a, uint32_t row)
{
	uint32_t known = a->known[a->run->mirror->requests.facts[job_fact(&a->run->mirror->state->jobs, row, category)].category];

	return known > 0 ? known - 1 : number_find(a, row, 0);
}

static struct category *category_at(struct categories *a, uint32_t row, uint32_t number)
{
	if (number == NONE)
		return NULL;
	if (!a->items[number].category)
		a->items[number].category = category_make(a, row, pool_key(&a->keys, number));
	return a->items[number].category;
}

struct category *categories_of(struct categories *a, uint32_t row)
{
	return category_at(a, row, number_of(a, row));
}

struct category *categories_avoiding(struct categories *a, uint32_t row, uint32_t avoided)
{
	return category_at(a, row, number_find(a, row, avoided));
}

int categories_list(struct categories *a)
{
	const struct waiting_columns *w = &a->run->waiting;

	a->places = a->run->scratch.members;
	for (size_t i = 0; i < w->n; i++) {
		uint32_t number = w->first[i] == NONE ? NONE : number_of(a, w->rows[i]);

		a->places[i] = number;
		if (number != NONE)
			a->items[number].listed = true;
		else if (w->first[i] != NONE)
			return -ENOMEM;
	}
	return 0;
}

bool categories_are_over(struct categories *a, bool (*is_over)(const void *context, const struct category *category), const void *context)
{
	for (; a->over < a->n; a->over++) {
		const struct categories_item *item = &a->items[a->over];

		if (item->listed && (!item->category || !is_over(context, item->category)))
			return false;
	}
	return true;
}

void categories_tell_why(struct categories *a)
{
	const struct run *run = a->run;

	for (uint32_t place = 0; place < run->waiting.n; place++) {
		const struct category *category = run->waiting.why[place] == run->unreached ? categories_at(a, place) : NULL;

		if (category)
			run->waiting.why[place] = (uint16_t)category->verdict->why;
	}
}

int categories_begin(struct categories **categories, struct run *run, struct dispatch *d)
{
	struct categories *a = calloc(1, sizeof(*a));

	*categories = a;
	if (!a)
		return -ENOMEM;
	a->run = run;
	a->d = d;
	pool_create(&a->by_owner, sizeof(struct access_key));
	pool_create(&a->verdict_keys, sizeof(struct verdict_key));
	pool_create(&a->keys, sizeof(struct categories_key));
	pool_create(&a->jobs, sizeof(struct verdict_key));
	a->relevant = calloc(d->cell->nusersets + 1, sizeof(*a->relevant));
	a->known = calloc(run->mirror->requests.category_capacity + 1, sizeof(*a->known));
	if (!a->relevant || !a->known)
		return -ENOMEM;
	mark_relevant(a);
	return 0;
}

void categories_free(struct categories *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->n; i++)
		if (a->items[i].category) {
			category_destroy(a->items[i].category);
			free(a->items[i].category);
		}
	for (size_t i = 0; i < a->nverdicts; i++)
		free(a->verdicts[i]);
	free(a->verdicts);
	free(a->items);
	free(a->known);
	free(a->standing);
	free(a->relevant);
	pool_destroy(&a->by_owner);
	text_set_free(&a->access_texts);
	pool_destroy(&a->verdict_keys);
	pool_destroy(&a->keys);
	pool_destroy(&a->jobs);
	free(a);
}
