/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What -l asks for, as Grid Engine keeps it: under full names, and of what is asked for more than
 * once the last. So whoever reads a list later, the limits of a task above all, finds what counts.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/request.h"

struct entry {
	const struct complex *complex;
	const char *value;	/* NULL: none */
};

/* "a=1,b" cut in place; `entries` has room for all. All names are known. */
static size_t entries_cut(const struct cell *cell, char *list, struct entry *entries)
{
	size_t n = 0;
	char *name;

	while ((name = strsep(&list, ",")) != NULL) {
		char *value = strchr(name, '=');

		if (value)
			*value++ = '\0';
		if (*name)
			entries[n++] = (struct entry){ cell_complex(cell, name), value };
	}
	return n;
}

static char *entries_join(const struct cell *cell, const struct entry *entries, size_t n)
{
	size_t *last = calloc(cell->ncomplexes + 1, sizeof(*last)), size;
	char *text = NULL;
	FILE *out = last ? open_memstream(&text, &size) : NULL;
	bool whole = out != NULL;

	for (size_t i = 0; whole && i < n; i++)
		last[entries[i].complex - cell->complexes] = i;
	for (size_t i = 0; whole && i < n; i++) {
		const struct entry *e = &entries[i];

		if (last[e->complex - cell->complexes] == i)
			fprintf(out, "%s%s%s%s", ftell(out) > 0 ? "," : "", e->complex->name, e->value ? "=" : "", e->value ? e->value : "");
	}
	whole = whole && !ferror(out);
	if (out && fclose(out))
		whole = false;
	free(last);
	if (whole)
		return text;
	free(text);
	return NULL;
}

static int list_settle(const struct cell *cell, json_t *request, const char *member)
{
	const char *asked = json_string_value(json_object_get(request, member));
	struct entry *entries;
	char *list, *text = NULL;
	int rc = -ENOMEM;

	if (!asked)
		return 0;
	list = strdup(asked);
	entries = list ? calloc(strlen(list) + 1, sizeof(*entries)) : NULL;
	if (entries)
		text = entries_join(cell, entries, entries_cut(cell, list, entries));
	if (text)
		rc = json_object_set_new(request, member, json_string(text)) ? -ENOMEM : 0;
	free(text);
	free(entries);
	free(list);
	return rc;
}

int resources_settle(const struct cell *cell, json_t *request, struct error *error)
{
	int rc = list_settle(cell, request, "hard_resource_list");

	rc = rc ? rc : list_settle(cell, request, "soft_resource_list");
	return rc ? error_set(error, rc, "out of memory") : 0;
}
