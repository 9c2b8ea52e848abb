/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that have a file each, in the folder of their kind. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "conf/gridengine/readers.h"

static int name_add(struct strlist *names, const char *name)
{
	char **item = array_add(&names->items, &names->n, sizeof(*item));

	return item && (*item = strdup(name)) ? 0 : -ENOMEM;
}

/* Collect the names of the files in the folder, from texts in memory. */
static int given_list(const struct cell_files *given, const char *folder, struct strlist *names)
{
	size_t length = strlen(folder);
	int rc = 0;

	for (size_t i = 0; i < given->n && !rc; i++)
		if (strncmp(given->items[i].name, folder, length) == 0 && given->items[i].name[length] == '/')
			rc = name_add(names, given->items[i].name + length + 1);
	return rc;
}

/*
 * Collect the names of the entries, sorted, so that findings have the same order on every file
 * system.
 */
static int folder_list(const char *path, struct strlist *names)
{
	struct dirent *entry;
	DIR *dir = opendir(path);
	int rc;

	if (!dir)
		return -errno;
	while ((errno = 0, entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		if (name_add(names, entry->d_name)) {
			closedir(dir);
			return -ENOMEM;
		}
	}
	rc = -errno;
	closedir(dir);
	array_sort(names->items, names->n, sizeof(*names->items));
	return rc;
}

/*
 * Warn if the name in the file differs from the name of the file. The name in the file is used. A
 * difference usually means that a copy was not edited.
 */
static void object_check_name(struct reader *reader, const char *path, const char *file, const char *name)
{
	if (strcmp(file, name))
		report_add(reader->report, WARNING, path, 0,
			   "the file describes \"%s\": its own name should be the same", name);
}

static int item_read(struct reader *reader, const struct kind *kind, const char *path, void *item)
{
	struct fields fields;
	int rc;

	if (!kind->table)
		return kind->read(reader, path, item);
	rc = fields_read(&fields, kind->table, kind->nfields, path, item, reader->report);
	if (kind->check)
		kind->check(reader, &fields, path, item);
	fields_close(&fields);
	return rc;
}

static void item_clear(const struct kind *kind, void *item)
{
	fields_clear(kind->table, kind->nfields, item);
	if (kind->clear)
		kind->clear(item);
}

static int object_read(struct reader *reader, const struct kind *kind, const char *path, const char *file)
{
	char *cell = (char *)reader->cell, *item;
	size_t *n = (size_t *)(void *)(cell + kind->n);
	int rc;

	item = array_add(cell + kind->items, n, kind->size);
	if (!item)
		return -ENOMEM;
	rc = item_read(reader, kind, path, item);
	if (*(char **)(void *)item) {
		object_check_name(reader, path, file, *(char **)(void *)item);
	} else {
		item_clear(kind, item);
		--*n;
	}
	return rc == -ENOMEM ? rc : 0;
}

static void objects_check_unique(struct reader *reader, const struct kind *kind, const char *folder, const char *items,
				 size_t n)
{
	const char *name, *previous = NULL;
	size_t i;

	for (i = 0; i < n; i++, previous = name) {
		name = *(char *const *)(const void *)(items + i * kind->size);
		if (previous && !strcmp(previous, name))
			report_add(reader->report, FAULT, folder, 0, "\"%s\" is described by more than one file", name);
	}
}

static int objects_read_all(struct reader *reader, const struct kind *kind, const char *folder)
{
	struct strlist files = { 0 };
	const struct cell_files *given = reader->report->source ? reader->report->source->given : NULL;
	int rc = given ? given_list(given, kind->folder, &files) : folder_list(folder, &files);
	char *path;
	size_t i;

	if (rc && rc != -ENOMEM && rc != -ENOENT) {
		report_add(reader->report, FAULT, folder, 0, "cannot be read: %s", strerror(-rc));
		rc = 0;
	}
	for (i = 0; i < files.n && !rc; i++) {
		if (files.items[i][strlen(files.items[i]) - 1] == '~') {
			report_add(reader->report, WARNING, folder, 0, "\"%s\" looks like a backup: it is ignored",
				   files.items[i]);
			continue;
		}
		path = path_join(folder, NULL, files.items[i]);
		rc = path ? object_read(reader, kind, path, files.items[i]) : -ENOMEM;
		free(path);
	}
	strlist_free(&files);
	return rc == -ENOENT ? 0 : rc;
}

int objects_read(struct reader *reader, const struct kind *kind)
{
	char *cell = (char *)reader->cell, *folder = path_join(reader->dir, NULL, kind->folder), *items;
	int rc;
	size_t n;

	if (!folder)
		return -ENOMEM;
	rc = objects_read_all(reader, kind, folder);
	memcpy(&items, cell + kind->items, sizeof(items));
	memcpy(&n, cell + kind->n, sizeof(n));
	array_sort(items, n, kind->size);
	objects_check_unique(reader, kind, folder, items, n);
	free(folder);
	return rc;
}

void objects_free(struct cell *cell, const struct kind *kind)
{
	char *items;
	size_t n, i;

	memcpy(&items, (char *)cell + kind->items, sizeof(items));
	memcpy(&n, (char *)cell + kind->n, sizeof(n));
	for (i = 0; i < n; i++)
		item_clear(kind, items + i * kind->size);
	free(items);
}
