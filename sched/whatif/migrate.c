/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/whatif/migrate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "sched/policy/policies.h"
#include "sched/reader/handle.h"
#include "sched/run/records_state.h"
#include "sched/sched.h"

/* Services for the policy */

struct migration_source {
	struct rewrite *rewrite;
	const struct view *view;
	const struct supposition *supposition;
	struct error *error;
};

static bool file_exists(void *self, const char *file)
{
	return rewrite_text(((const struct migration_source *)self)->rewrite, file);
}

static int file_put(void *self, const char *file, const char *text)
{
	struct migration_source *source = self;

	return rewrite_put(source->rewrite, file, text, source->supposition->option);
}

static int parameter_set(void *self, const char *file, const char *name, const char *value)
{
	struct migration_source *source = self;

	return rewrite_set(source->rewrite, file, name, value, source->supposition->option);
}

static int note(void *self, const char *text)
{
	struct migration_source *source = self;

	return rewrite_note(source->rewrite, source->supposition->option, "%s", text);
}

/* Return the slots of all queue instances. An instance without a number counts as one slot. */
static uint64_t slots_of(void *self)
{
	const struct view *view = ((const struct migration_source *)self)->view;
	uint64_t n, slots = 0;
	const uint8_t *records = view_state_part(view, STATE_INSTANCES, sizeof(struct instance_record), &n);

	for (uint64_t i = 0; i < n; i++) {
		struct instance_record instance;

		view_copy(&instance, records + i * sizeof(instance), sizeof(instance));
		slots += instance.slots == NONE ? 1 : instance.slots;
	}
	return slots;
}

static int by_names(const void *a, const void *b)
{
	const struct migrated_owner *x = a, *y = b;
	int order = strcmp(x->project, y->project);

	return order ? order : strcmp(x->user, y->user);
}

/* Return the shares of the first node with a name, preferably below `above`; 1: there is none. */
static uint32_t tree_shares_of(const struct cell *cell, const char *above, const char *name)
{
	uint32_t shares = 0, otherwise = 0;

	for (size_t i = 1; i < cell->ntree && shares == 0; i++) {
		const struct tree_node *node = &cell->tree[i];
		bool below = above && node->parent >= 0 && strcmp(cell->tree[node->parent].name, above) == 0;

		if (strcmp(node->name, name) == 0 && (!above || below))
			shares = node->shares;
		else if (strcmp(node->name, name) == 0 || (below && strcmp(node->name, "default") == 0))
			otherwise = node->shares;
	}
	return shares ? shares : otherwise ? otherwise : 1;
}

/* List the pairs of a project and a user, which are those of the published job classes. */
static int owners_list(void *self, struct migrated_owner **owners, size_t *n)
{
	const struct migration_source *source = self;
	const struct cell *cell = NULL;
	struct migrated_owner *list;
	struct class_record class;
	uint64_t classes;
	size_t found = 0;
	/* a file that was added before has released the cell */
	int rc = source->supposition->number ? rewrite_cell(source->rewrite, &cell, source->error) : 0;

	if (rc)
		return rc;
	view_table(source->view, TABLE_CLASSES, sizeof(class), &classes);
	*owners = list = calloc(classes + 1, sizeof(*list));
	*n = 0;
	if (!list)
		return -ENOMEM;
	for (uint64_t i = 0; i < classes; i++) {
		if (!record_copy(source->view, TABLE_CLASSES, i, &class, sizeof(class)) ||
		    !*view_string(source->view, class.owner))
			continue;
		list[found++] = (struct migrated_owner){
			.project = class.project == NONE ? MIGRATED_ACCOUNT : view_string(source->view, class.project),
			.user = view_string(source->view, class.owner),
			.project_shares = 1, .user_shares = 1,
		};
	}
	qsort(list, found, sizeof(*list), by_names);
	for (size_t i = 0; i < found; i++)
		if (*n == 0 || by_names(&list[i], &list[*n - 1]) != 0)
			list[(*n)++] = list[i];
	for (size_t i = 0; cell && i < *n; i++) {
		list[i].project_shares = tree_shares_of(cell, NULL, list[i].project);
		list[i].user_shares = tree_shares_of(cell, list[i].project, list[i].user);
	}
	return 0;
}

/* Files */

static int sched_conf_need(struct rewrite *rewrite, const struct cell *cell, const struct supposition *supposition)
{
	char *text = NULL;
	size_t size;
	FILE *out;
	int rc;

	if (rewrite_text(rewrite, "sched_conf"))
		return 0;
	out = open_memstream(&text, &size);
	if (!out)
		return -ENOMEM;
	for (size_t i = 0; i < cell->sched.typed.n; i++)
		fprintf(out, "%s %s\n", cell->sched.typed.items[i].name, cell->sched.typed.items[i].text);
	rc = fclose(out) ? -ENOMEM : rewrite_put(rewrite, "sched_conf", text, supposition->option);
	free(text);
	return rc;
}

int migration_files(struct migration *migration, struct rewrite *rewrite, const struct view *view,
		    const struct supposition *supposition, struct error *error)
{
	const struct policy_kind *to = policies_find(supposition->name);
	struct migration_source source = { rewrite, view, supposition, error };
	const struct migration_files files = {
		.self = &source, .tree_shares = supposition->number, .exists = file_exists, .put = file_put,
		.set = parameter_set, .note = note, .slots = slots_of, .owners = owners_list,
	};
	const struct cell *cell;
	int rc = rewrite_cell(rewrite, &cell, error);

	if (rc || policies_find(cell->sched.algorithm) == to)
		return rc;
	migration->to = to;
	rc = sched_conf_need(rewrite, cell, supposition);
	/* the cell's present tree determines shares */
	rc = rc ? rc : rewrite_cell(rewrite, &cell, error);
	rc = rc ? rc : to->migration->files(&files);
	return rc ? rc : rewrite_set(rewrite, "sched_conf", "algorithm", supposition->name, supposition->option);
}

/* Reported events */

static void cpu_add(struct migration *migration, const char *user, const char *project,
		    const struct usage_values *usage)
{
	for (size_t i = 0; i < usage->n; i++) {
		struct migrated_usage *migrated_usage;

		if (strcmp(usage->items[i].name, "cpu") != 0 || usage->items[i].value <= 0.0)
			continue;
		migrated_usage = array_add(&migration->usage, &migration->n, sizeof(*migrated_usage));
		migration->no_memory |= !migrated_usage;
		if (migrated_usage)
			*migrated_usage = (struct migrated_usage){ user, project, usage->items[i].value };
	}
}

void migration_edit(struct migration *migration, struct event *event)
{
	if (event->type == EVENT_USER_USAGE) {
		cpu_add(migration, event->object.name, "", &event->object.usage);
		for (size_t i = 0; i < event->object.nprojects; i++)
			cpu_add(migration, event->object.name, event->object.projects[i].project,
				  &event->object.projects[i].usage);
	} else if (migration->to->migration->edit) {
		migration->to->migration->edit(event);
	}
}

int migration_finish(const struct migration *migration, struct sched *sched, struct error *error)
{
	if (!migration->to)
		return 0;
	if (migration->no_memory)
		return error_set(error, -ENOMEM, "out of memory");
	return migration->to->migration->finish && migration->n > 0
		       ? migration->to->migration->finish(sched_mirror(sched), sched_cell(sched), migration->usage,
							  migration->n, error)
		       : 0;
}

void migration_free(struct migration *migration)
{
	free(migration->usage);
	*migration = (struct migration){ 0 };
}
