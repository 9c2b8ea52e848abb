/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/cell.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/condor/macros.h"
#include "conf/cell/directory.h"
#include "conf/gridengine/readers.h"
#include "conf/lists.h"
#include "conf/slurm/files.h"

static const struct kind *const kinds[] = {
	&kind_users, &kind_projects, &kind_usersets, &kind_pes, &kind_hosts, &kind_hostgroups, &kind_checkpoints,
	&kind_calendars, &kind_queues,
};
enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

/* Read all files. Objects are read after the objects that they refer to. */
static int cell_read(struct reader *reader)
{
	int rc = complex_read(reader);
	size_t i;

	for (i = 0; i < KINDS && !rc; i++)
		rc = objects_read(reader, kinds[i]);
	if (!rc)
		rc = members_index(reader);
	if (!rc)
		rc = host_members_index(reader);
	if (!rc)
		rc = hostgroups_check(reader);
	if (!rc)
		rc = rqs_read(reader);
	if (!rc)
		rc = share_tree_read(reader);
	if (!rc)
		rc = global_conf_read(reader);
	if (!rc)
		rc = slurm_read(reader);
	if (!rc)
		rc = condor_read(reader);
	if (!rc)
		rc = sched_conf_read(reader);
	if (!rc)
		rc = subordinates_check(reader);
	return rc ? rc : references_check(reader);
}

/* Keep the file about the texts with the texts. */
static int about_note(struct cell_source *source)
{
	const struct cell_files *given = source->given;
	const struct cell_file *about =
		given ? array_find(given->items, given->n, sizeof(*given->items), CELL_ABOUT) : NULL;

	return about ? cell_source_note(source, CELL_ABOUT, about->text, strlen(about->text), about) : 0;
}

static int cell_load_from(struct cell *cell, const char *dir, const struct cell_files *given, struct report *report)
{
	struct reader reader = { .cell = cell, .report = report, .dir = dir };
	struct cell_source source = { .dir = dir, .given = given, .read = &cell->files };
	int rc;

	*cell = (struct cell){ .dir = strdup(dir) };
	if (!cell->dir)
		return -ENOMEM;
	report->source = &source;
	rc = given ? 0 : directory_check(&reader);
	if (!rc)
		rc = cell_read(&reader);
	if (!rc)
		rc = about_note(&source);
	report->source = NULL;
	cell_files_sort(&cell->files);
	if (rc == -ENOMEM)
		report_add(report, FAULT, dir, 0, "out of memory");
	return rc;
}

int cell_load(struct cell *cell, const char *dir, struct report *report)
{
	return cell_load_from(cell, dir, NULL, report);
}

int cell_load_files(struct cell *cell, const char *dir, const struct cell_files *files, struct report *report)
{
	return cell_load_from(cell, dir, files, report);
}

void cell_free(struct cell *cell)
{
	size_t i;

	cell_files_free(&cell->files);

	for (i = 0; i < cell->ntree; i++)
		free(cell->tree[i].name);
	free(cell->tree);
	free(cell->tree_children);
	condor_free(&cell->condor);
	slurm_free(&cell->slurm);
	rqs_free(cell);
	sched_conf_free(&cell->sched);
	global_conf_free(&cell->global);
	for (i = KINDS; i > 0; i--)
		objects_free(cell, kinds[i - 1]);
	free(cell->members);
	free(cell->host_members);
	complex_free(cell);
	free(cell->dir);
	*cell = (struct cell){ 0 };
}
