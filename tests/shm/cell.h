/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cell for a test: a directory for its name and one for its shared files. Both are removed with
 * it.
 */
#ifndef TESTS_SHM_CELL_H
#define TESTS_SHM_CELL_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct shm_cell {
	char shm[64], directory[80];
};

/* Write the files that make a directory a cell with all defaults. */
static inline int shm_cell_write(const char *directory)
{
	char path[200];
	FILE *out;

	snprintf(path, sizeof(path), "%s/sched_conf", directory);
	out = fopen(path, "w");
	return !out || fputs("# the defaults\n", out) < 0 || fclose(out);
}

static inline int shm_cell_make(struct shm_cell *cell)
{
	snprintf(cell->shm, sizeof(cell->shm), "%s", "/dev/shm/fairlead-test-XXXXXX");
	umask(022);		/* files of a cell that other users may not read are not published */
	if (!mkdtemp(cell->shm))
		return -1;
	snprintf(cell->directory, sizeof(cell->directory), "%s/cell", cell->shm);
	return mkdir(cell->directory, 0755) || shm_cell_write(cell->directory) || setenv("FAIRLEAD_SHM", cell->shm, 1);
}

static inline void shm_remove_below(const char *directory)
{
	char path[600];
	DIR *dir = opendir(directory);

	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name) >= (int)sizeof(path))
			continue;
		if (remove(path) && entry->d_type == DT_DIR) {
			shm_remove_below(path);
			rmdir(path);
		}
	}
	if (dir)
		closedir(dir);
}

static inline void shm_cell_clear(const struct shm_cell *cell)
{
	shm_remove_below(cell->shm);
	rmdir(cell->shm);
}

/* Setup for tests that need only this. */
static inline int shm_cell_setup(void **state)
{
	static struct shm_cell cell;

	*state = &cell;
	return shm_cell_make(&cell);
}

static inline int shm_cell_teardown(void **state)
{
	shm_cell_clear(*state);
	return 0;
}

#endif
