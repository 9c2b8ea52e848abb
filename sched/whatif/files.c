/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of a cell's files: of a parameter, or of a whole file. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "sched/policy/policies.h"
#include "sched/whatif/inside.h"

/* File of a parameter */

static const char *file_of(const struct cell *cell, const char *name)
{
	const struct policy_file *file = policies_of(cell)->file;

	if (pairs_find(&cell->sched.typed, name))
		return "sched_conf";
	return file && file->exists(cell) && file->defines(name) ? file->name : NULL;
}

static int not_known(const struct cell *cell, const struct supposition *supposition, struct error *error)
{
	const struct policy_kind *active = policies_of(cell), *policy;

	for (size_t i = 0; (policy = policies_kind(i)); i++)
		if (policy != active && policy->file && policy->file->defines(supposition->name))
			return suppose_error(supposition, -EINVAL, error,
					     "%s need algorithm %s; the cell has algorithm %s",
					     policy->file->parameters, policy->name, cell->sched.algorithm);
	return suppose_error(supposition, -EINVAL, error,
			     "\"%.40s\" is not a parameter of sched_conf%s%s; use FILE:NAME=VALUE for other files",
			     supposition->name, active->file ? " and " : "", active->file ? active->file->name : "");
}

/* Write the defaults of an installation to a missing file, so that other parameters keep them. */
static int write_defaults(struct rewrite *rewrite, const char *file, const struct pairs *typed, const char *option)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int rc = -ENOMEM;

	if (out) {
		for (size_t i = 0; i < typed->n; i++)
			fprintf(out, "%s %s\n", typed->items[i].name, typed->items[i].text);
		rc = fclose(out) ? -ENOMEM : rewrite_put(rewrite, file, text, option);
	}
	free(text);
	return rc;
}

static int file_need(struct rewrite *rewrite, const char *file, const struct supposition *supposition,
		     struct error *error)
{
	const struct cell *cell;
	int rc = rewrite_cell(rewrite, &cell, error);

	if (rc || rewrite_text(rewrite, file))
		return rc;
	if (strcmp(file, "sched_conf") == 0)
		return write_defaults(rewrite, file, &cell->sched.typed, supposition->option);
	if (strcmp(file, "global_conf") == 0)
		return write_defaults(rewrite, file, &cell->global.typed, supposition->option);
	return suppose_error(supposition, -EINVAL, error, "the cell has no file %.60s", file);
}

static int set(struct rewrite *rewrite, const struct supposition *supposition, struct error *error)
{
	const struct cell *cell;
	const char *file = supposition->file;
	int rc = rewrite_cell(rewrite, &cell, error);

	if (rc)
		return rc;
	if (!file && !(file = file_of(cell, supposition->name)))
		return not_known(cell, supposition, error);
	rc = file_need(rewrite, file, supposition, error);
	return rc ? rc : rewrite_set(rewrite, file, supposition->name, supposition->text, supposition->option);
}

/* Set the slots of all instances of a queue, and drop the values of hosts or host groups. */
static int slots(struct rewrite *rewrite, const struct supposition *supposition, struct error *error)
{
	const struct cell *cell;
	char file[300], number[20];
	int rc = rewrite_cell(rewrite, &cell, error);

	if (rc || strchr(supposition->name, '@'))
		return rc;
	if (!cell_queue(cell, supposition->name))
		return suppose_error(supposition, -EINVAL, error, "there is no queue \"%.60s\"", supposition->name);
	snprintf(file, sizeof(file), "queue/%s", supposition->name);
	snprintf(number, sizeof(number), "%u", supposition->number);
	return rewrite_set(rewrite, file, "slots", number, supposition->option);
}

int files_change(struct rewrite *rewrite, const struct supposition *supposition, struct error *error)
{
	switch (supposition->kind) {
	case SUPPOSED_SET:
		return set(rewrite, supposition, error);
	case SUPPOSED_FILE:
		return rewrite_put(rewrite, supposition->name, supposition->text, supposition->option);
	case SUPPOSED_SHARER:
		return supposition->amount == SUPPOSE_FACTOR ? 0 : sharer_change(rewrite, supposition, error);
	case SUPPOSED_SLOTS:
		return slots(rewrite, supposition, error);
	default:
		return 0;
	}
}
