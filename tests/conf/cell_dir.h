/* SPDX-License-Identifier: Apache-2.0 */
/* Cells in temporary directories, for the tests of conf/. Include after cmocka.h. */
#ifndef TESTS_CONF_CELL_DIR_H
#define TESTS_CONF_CELL_DIR_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/cell.h"

struct cell_dir {
	char path[64];
	struct cell cell;		/* cell of the last cell_dir_load() */
	struct report report;
};

static void shell(const char *format, const char *a, const char *b)
{
	char command[600];

	snprintf(command, sizeof(command), format, a, b);
	assert_int_equal(system(command), 0);
}

/*
 * Create a copy of `from`, or with NULL only the files that make a directory a cell, with all
 * defaults.
 */
static void cell_dir_create(struct cell_dir *dir, const char *from)
{
	*dir = (struct cell_dir){ .path = "/tmp/fairlead-conf-XXXXXX" };
	umask(022);	/* files that other users may not read are not published */
	assert_non_null(mkdtemp(dir->path));
	if (from)
		shell("cp -R '%1$s/.' '%2$s' && chmod -R a+rX '%2$s'", from, dir->path);
	else
		shell("echo '# the defaults' >'%s/sched_conf'%s", dir->path, "");
}

static void cell_dir_put(struct cell_dir *dir, const char *name, const void *bytes, size_t size)
{
	char path[400];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir->path, name);
	f = fopen(path, "wb");
	if (!f) {
		shell("mkdir -p \"$(dirname '%s/%s')\"", dir->path, name);
		f = fopen(path, "wb");
	}
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

static inline void cell_dir_write(struct cell_dir *dir, const char *name, const char *text)
{
	cell_dir_put(dir, name, text, strlen(text));
}

static void cell_dir_forget(struct cell_dir *dir)
{
	cell_free(&dir->cell);
	report_free(&dir->report);
}

static const struct cell *cell_dir_load(struct cell_dir *dir)
{
	cell_dir_forget(dir);
	assert_int_equal(cell_load(&dir->cell, dir->path, &dir->report), 0);
	return &dir->cell;
}

static void cell_dir_destroy(struct cell_dir *dir)
{
	cell_dir_forget(dir);
	shell("rm -rf '%s'%s", dir->path, "");
}

/*
 * Return whether such a finding exists in the file (the end of its path) at the line, with `text`
 * in its text.
 */
static inline bool cell_dir_found(const struct cell_dir *dir, enum severity severity, const char *file, int line,
				  const char *text)
{
	const struct finding *finding;
	size_t n, end = strlen(file);

	for (finding = dir->report.findings; finding < dir->report.findings + dir->report.n; finding++) {
		n = strlen(finding->file);
		if (finding->severity == severity && finding->line == line && n >= end &&
		    !strcmp(finding->file + n - end, file) && strstr(finding->text, text))
			return true;
	}
	return false;
}

/* Fail and print the findings if there is a fault or a warning. */
static inline void cell_dir_check_clean(const struct cell_dir *dir)
{
	report_print(&dir->report, stderr);
	assert_int_equal(dir->report.faults, 0);
	assert_int_equal(dir->report.warnings, 0);
}

#endif
