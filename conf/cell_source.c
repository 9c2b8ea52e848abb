/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/cell_source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"

const char *cell_source_name(const struct cell_source *source, const char *path)
{
	size_t n = strlen(source->dir);

	return strncmp(path, source->dir, n) == 0 && path[n] == '/' ? path + n + 1 : path;
}

const struct cell_file *cell_source_find(const struct cell_source *source, const char *path)
{
	return array_find(source->given->items, source->given->n, sizeof(*source->given->items),
			  cell_source_name(source, path));
}

int cell_source_note(struct cell_source *source, const char *path, const char *text, size_t bytes,
		     const struct cell_file *like)
{
	struct cell_file *file = array_add(&source->read->items, &source->read->n, sizeof(*file));

	if (!file)
		return -ENOMEM;
	file->name = strdup(cell_source_name(source, path));
	file->text = strndup(text, bytes);
	file->hidden = like->hidden;
	file->group = like->group;
	if (file->name && file->text)
		return 0;
	free(file->name);
	free(file->text);
	source->read->n--;
	return -ENOMEM;
}

void cell_files_sort(struct cell_files *files)
{
	size_t n = 0;

	array_sort(files->items, files->n, sizeof(*files->items));
	for (size_t i = 0; i < files->n; i++)
		if (n > 0 && strcmp(files->items[i].name, files->items[n - 1].name) == 0) {
			free(files->items[i].name);
			free(files->items[i].text);
		} else {
			files->items[n++] = files->items[i];
		}
	files->n = n;
}

void cell_files_free(struct cell_files *files)
{
	for (size_t i = 0; i < files->n; i++) {
		free(files->items[i].name);
		free(files->items[i].text);
	}
	free(files->items);
	*files = (struct cell_files){ 0 };
}
