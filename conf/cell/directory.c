/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Check the names in a cell's directory. Without this check a mistyped file name would silently
 * mean that the object does not exist, and a mistyped directory name that no object of its kind
 * exists.
 */
#include "conf/cell/directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "conf/base/nearest.h"

static const char *const makers[] = { "sched_conf", "slurm.conf", "condor_config" };
static const char *const parts[] = {
	"sched_conf", "slurm.conf", "condor_config", "share_tree", "complex", "global_conf", "rqs", "users",
	"projects", "usersets", "pe", "queue", "hosts", "hgrp", "ckpt", "calendar", "associations",
	"sshare", "qos", "userprio", "config.d",
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* names with a warning of their own; the other ones are counted */
enum { OTHERS_NAMED = 4 };

static int name_compare(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

int directory_is_cell(const char *dir)
{
	struct stat st;
	char *path;
	int rc = stat(dir, &st) ? -errno : S_ISDIR(st.st_mode) ? -EINVAL : -ENOTDIR;

	for (size_t k = 0; k < COUNT(makers) && rc == -EINVAL; k++) {
		path = path_join(dir, NULL, makers[k]);
		if (!path)
			return -ENOMEM;
		if (stat(path, &st) == 0)
			rc = 0;
		else if (errno != ENOENT)
			rc = -errno;
		free(path);
	}
	return rc;
}

/*
 * Return true if a name is expected in a cell's directory. Beside a cell's own files these are
 * README.md for people, sge_request for `fairlead submit`, and files that slurm.conf and
 * condor_config include. Schedulers store their state in spool by default, shadows their findings
 * in fairlead-audit, and `fairlead import` writes usage.jsonl and others for the option --events of
 * a scheduler.
 */
static bool name_is_known(const char *name, bool includes)
{
	const char *end = strrchr(name, '.');

	if (includes && end && !strcmp(end, ".conf"))
		return true;
	if (!strncmp(name, "condor_config.", 14) || !strncmp(name, "fairlead-audit", 14))
		return true;
	for (size_t k = 0; k < COUNT(parts); k++)
		if (!strcmp(parts[k], name))
			return true;
	if (!strcmp(name, "usage.jsonl") || !strcmp(name, "jobs.jsonl") || !strcmp(name, "slots.jsonl"))
		return true;
	return *name == '.' || !strcmp(name, "spool") || !strcmp(name, "README.md") || !strcmp(name, "sge_request");
}

static bool entries_have(struct dirent *const *entries, int n, const char *name)
{
	for (int k = 0; k < n; k++)
		if (!strcmp(entries[k]->d_name, name))
			return true;
	return false;
}

/* Report a name that is not a part of a cell. Returns 0 or -ENOMEM. */
static int name_report(struct reader *reader, enum severity severity, const char *name, const char *meant)
{
	char *path = path_join(reader->dir, NULL, name);

	if (path && meant)
		report_add(reader->report, severity, path, 0, "not a part of a cell: is %s meant?%s", meant,
			   severity == FAULT ? "" : " It is ignored because that file exists");
	else if (path)
		report_add(reader->report, severity, path, 0, "not a part of a cell: it is ignored");
	free(path);
	return path ? 0 : -ENOMEM;
}

static int names_check(struct reader *reader, struct dirent *const *entries, int n, bool is_cell)
{
	bool includes = entries_have(entries, n, "slurm.conf") || entries_have(entries, n, "condor_config");
	size_t others = 0;
	int rc = 0;

	for (int k = 0; k < n && !rc; k++) {
		const char *name = entries[k]->d_name, *meant;

		if (name_is_known(name, includes))
			continue;
		meant = nearest_of(name, parts, COUNT(parts));
		if (meant)
			rc = name_report(reader, entries_have(entries, n, meant) ? WARNING : FAULT, name, meant);
		else if (is_cell && ++others <= OTHERS_NAMED)
			rc = name_report(reader, WARNING, name, NULL);
	}
	if (others > OTHERS_NAMED)
		report_add(reader->report, WARNING, reader->dir, 0,
			   "%zu more that are not a part of a cell: they are ignored", others - OTHERS_NAMED);
	return rc;
}

int directory_check(struct reader *reader)
{
	struct dirent **entries;
	int n = scandir(reader->dir, &entries, NULL, name_compare), rc = n < 0 ? -errno : 0;
	bool is_cell = directory_is_cell(reader->dir) != -EINVAL;

	if (rc)
		return rc == -ENOENT || rc == -ENOTDIR || rc == -EACCES || rc == -ENOMEM ? rc : -EIO;
	if (!is_cell)
		report_add(reader->report, FAULT, reader->dir, 0,
			   "not a cell: there is no " CELL_MAKERS " (a sched_conf with only a comment makes it one, "
			   "with Grid Engine's defaults)");
	rc = names_check(reader, entries, n, is_cell);
	for (int k = 0; k < n; k++)
		free(entries[k]);
	free(entries);
	return rc;
}
