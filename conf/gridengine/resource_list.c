/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/gridengine/resource_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/entries.h"

static size_t items_most(const char *text)
{
	size_t n = 1;

	for (; *text; text++)
		n += *text == ',';
	return n;
}

static void items_cut(struct resource_list *list, const struct cell *cell)
{
	char *next = list->text, *value;

	while (next) {
		const struct complex *complex;
		size_t n = entry_length(next, ",");
		char *name = next;

		next = name[n] ? name + n + 1 : NULL;
		entry_read(name, n, ",");
		if (*name == '\0')
			continue;
		value = strchr(name, '=');
		if (value)
			*value++ = '\0';
		complex = cell_complex(cell, name);
		list->items[list->n++] = (struct resource){ complex, complex ? complex->name : name, value };
	}
}

/* Keep only the last item of each complex. */
static int items_settle(struct resource_list *list, const struct cell *cell)
{
	size_t *last = calloc(cell->ncomplexes + 1, sizeof(*last)), kept = 0;

	if (!last)
		return -ENOMEM;
	for (size_t i = 0; i < list->n; i++)
		if (list->items[i].complex)
			last[list->items[i].complex - cell->complexes] = i;
	for (size_t i = 0; i < list->n; i++)
		if (!list->items[i].complex || last[list->items[i].complex - cell->complexes] == i)
			list->items[kept++] = list->items[i];
	list->n = kept;
	free(last);
	return 0;
}

int resource_list_read(struct resource_list *list, const struct cell *cell, const char *text)
{
	*list = (struct resource_list){ 0 };
	if (!text || !*text)
		return 0;
	list->text = strdup(text);
	list->items = list->text ? calloc(items_most(text), sizeof(*list->items)) : NULL;
	if (list->items) {
		items_cut(list, cell);
		if (list->n < 2 || items_settle(list, cell) == 0)
			return 0;
	}
	resource_list_free(list);
	return -ENOMEM;
}

void resource_list_free(struct resource_list *list)
{
	free(list->items);
	free(list->text);
	*list = (struct resource_list){ 0 };
}

char *resource_write(char *to, const struct resource *resource)
{
	to = entry_write(to, resource->name, ",");
	if (!resource->value)
		return to;
	*to++ = '=';
	return entry_write(to, resource->value, ",");
}

size_t resource_most(const struct resource *resource)
{
	return entry_most(strlen(resource->name) + (resource->value ? strlen(resource->value) : 0)) + 1;
}
