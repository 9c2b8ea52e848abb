/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/cell.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/condor/macros.h"
#include "conf/gridengine/readers.h"
#include "conf/lists.h"
#include "conf/slurm/files.h"

static const struct kind *const kinds[] = {
	&kind_users, &kind_projects, &kind_usersets, &kind_pes, &kind_hosts, &kind_hostgroups, &kind_checkpoints,
	&kind_calendars, &kind_queues,
};
enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

/*
 * README.md is for people, what slurm.conf and condor_config include is their own affair, and spool
 * is where a local cell keeps its state by default.
 */
static bool entry_is_known(const char *name)
{
	static const char *const others[] = { "sched_conf", "share_tree", "complex", "global_conf", "rqs", "associations", "sshare", "qos",
		"condor_config", "config.d", "userprio", "spool", "README.md" };
	const char *end = strrchr(name, '.');
	size_t i;

	if ((end && !strcmp(end, ".conf")) || !strncmp(name, "condor_config.", 14))
		return true;
	for (i = 0; i < KINDS; i++)
		if (!strcmp(kinds[i]->folder, name))
			return true;
	for (i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!strcmp(others[i], name))
			return true;
	return *name == '.';
}

static int name_compare(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int folder_error(int rc)
{
	return rc == -ENOENT || rc == -ENOTDIR || rc == -EACCES || rc == -ENOMEM ? rc : -EIO;
}

/* A mistyped file name would otherwise mean that the object silently does not exist. */
static int entries_check(struct reader *r)
{
	struct dirent **entries;
	int n = scandir(r->dir, &entries, NULL, name_compare), i;
	char *path;

	if (n < 0)
		return folder_error(-errno);
	for (i = 0; i < n; i++) {
		path = entry_is_known(entries[i]->d_name) ? NULL : path_join(r->dir, NULL, entries[i]->d_name);
		if (path)
			report_add(r->report, WARNING, path, 0, "no part of a cell: it is ignored");
		free(path);
		free(entries[i]);
	}
	free(entries);
	return 0;
}

/* What refers to others comes behind them. */
static int cell_read(struct reader *r)
{
	int rc = complex_read(r);
	size_t i;

	for (i = 0; i < KINDS && !rc; i++)
		rc = objects_read(r, kinds[i]);
	if (!rc)
		rc = members_index(r);
	if (!rc)
		rc = host_members_index(r);
	if (!rc)
		rc = hostgroups_check(r);
	if (!rc)
		rc = rqs_read(r);
	if (!rc)
		rc = share_tree_read(r);
	if (!rc)
		rc = global_conf_read(r);
	if (!rc)
		rc = slurm_read(r);
	if (!rc)
		rc = condor_read(r);
	if (!rc)
		rc = sched_conf_read(r);
	if (!rc)
		rc = subordinates_check(r);
	return rc ? rc : references_check(r);
}

/* What is said about texts is kept with them. */
static int about_note(struct cell_source *source)
{
	const struct cell_files *given = source->given;
	const struct cell_file *about = given ? array_find(given->items, given->n, sizeof(*given->items), CELL_ABOUT) : NULL;

	return about ? cell_source_note(source, CELL_ABOUT, about->text, strlen(about->text), about) : 0;
}

static int cell_load_from(struct cell *cell, const char *dir, const struct cell_files *given, struct report *report)
{
	struct reader r = { .cell = cell, .report = report, .dir = dir };
	struct cell_source source = { .dir = dir, .given = given, .read = &cell->files };
	int rc;

	*cell = (struct cell){ .dir = strdup(dir) };
	if (!cell->dir)
		return -ENOMEM;
	report->source = &source;
	rc = given ? 0 : entries_check(&r);
	if (!rc)
		rc = cell_read(&r);
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
