/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/process/which_cell.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

static const char *says = "";

const char *which_cell(const char *said)
{
	const char *told = getenv("FAIRLEAD_CELL");
	struct stat st;

	says = "";
	if (said)
		return said;
	if (told && *told) {
		says = " (FAIRLEAD_CELL names it)";
		return told;
	}
	if (lstat(CELL_BY_DEFAULT, &st) && (errno == ENOENT || errno == ENOTDIR))
		return NULL;
	says = " (the cell by default; -c CELL or FAIRLEAD_CELL name another)";
	return CELL_BY_DEFAULT;
}

const char *which_cell_says(void)
{
	return says;
}
