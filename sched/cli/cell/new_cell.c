/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/cell/new_cell.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/cell.h"
#include "conf/lists.h"
#include "sched/cli/cli.h"
#include "sched/cli/dump/files.h"

int new_cell_add(struct new_cell *new, const char *name, const char *text, size_t bytes)
{
	struct cell_file *file = array_add(&new->files.items, &new->files.n, sizeof(*file));

	if (!file)
		return -ENOMEM;
	file->name = strdup(name);
	file->text = strndup(text, bytes);
	return file->name && file->text ? 0 : -ENOMEM;
}

static int failed(const char *directory)
{
	return cli_fail(errno == EACCES || errno == EPERM || errno == EROFS ? EXIT_PERMISSION : EXIT_NO_DATA, "%s: %m",
			directory);
}

static int is_there(const char *directory)
{
	return cli_fail(EXIT_DIFFERENCE, "%s: it is not empty, and nothing is overwritten", directory);
}

int new_cell_check(const char *directory)
{
	DIR *dir = opendir(directory);
	unsigned entries = 0;

	if (!dir)
		return errno == ENOENT ? EXIT_OK : errno == ENOTDIR ? is_there(directory) : failed(directory);
	while (readdir(dir))
		entries++;
	closedir(dir);
	/* an empty directory has only . and .. */
	return entries <= 2 ? EXIT_OK : is_there(directory);
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st, (void)type, (void)where;
	return remove(path);
}

static int findings_report(struct new_cell *new, const char *directory)
{
	struct report report = { 0 };
	struct cell cell;
	int rc = cell_load_files(&cell, directory, &new->files, &report);

	report_print(&report, stderr);
	new->faults = report.faults;
	new->warnings = report.warnings;
	report_free(&report);
	cell_free(&cell);
	return rc == -ENOMEM ? cli_fail(EXIT_NO_DATA, "no memory") : EXIT_OK;
}

/* Rename the new cell. It replaces an empty directory, but not one with files. */
static int making_rename(const char *making, const char *directory)
{
	mode_t mask = umask(0);

	umask(mask);
	if (chmod(making, 0777 & ~mask))
		return failed(making);
	if (rename(making, directory) == 0)
		return EXIT_OK;
	return errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR ? is_there(directory) : failed(directory);
}

int new_cell_write(struct new_cell *new, const char *directory)
{
	char making[PATH_MAX];
	size_t length = strlen(directory);
	int code, fd;

	while (length > 1 && directory[length - 1] == '/')
		length--;
	array_sort(new->files.items, new->files.n, sizeof(*new->files.items));
	code = findings_report(new, directory);
	if (code)
		return code;
	if (snprintf(making, sizeof(making), "%.*s.new-XXXXXX", (int)length, directory) >= (int)sizeof(making))
		return cli_fail(EXIT_USAGE, "%.60s...: the name is too long", directory);
	if (!mkdtemp(making))
		return failed(directory);
	code = dump_directory_make(making, &fd);
	if (code == EXIT_OK) {
		code = dump_files(fd, making, &new->files);
		close(fd);
	}
	if (code == EXIT_OK)
		code = making_rename(making, directory);
	if (code)
		nftw(making, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	return code;
}
