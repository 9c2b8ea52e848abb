/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/process/which_cell.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *says = "";

const char *which_cell(const char *said)
{
	const char *named = getenv("FAIRLEAD_CELL");
	struct stat st;

	says = "";
	if (said)
		return said;
	if (named && *named) {
		says = " (named by FAIRLEAD_CELL)";
		return named;
	}
	if (lstat(CELL_BY_DEFAULT, &st) && (errno == ENOENT || errno == ENOTDIR))
		return NULL;
	says = " (the default cell; -c CELL or FAIRLEAD_CELL selects another)";
	return CELL_BY_DEFAULT;
}

const char *which_qmaster_cell(void)
{
	const char *root = getenv("SGE_ROOT"), *cell = getenv("SGE_CELL");
	static char directory[PATH_MAX];
	char file[PATH_MAX + 20];
	size_t n;

	if (!root || !*root)
		return NULL;
	n = (size_t)snprintf(directory, sizeof(directory), "%s/%s", root, cell && *cell ? cell : "default");
	snprintf(file, sizeof(file), "%s/common/bootstrap", directory);
	if (n >= sizeof(directory) || access(file, F_OK))
		return NULL;
	says = " (named by SGE_ROOT and SGE_CELL; -c CELL or FAIRLEAD_CELL selects another)";
	return directory;
}

const char *which_cell_says(void)
{
	return says;
}
