/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/local/category.h"

#include <stdlib.h>
#include <string.h>

#include "conf/gridengine/resource_list.h"
#include "conf/lists.h"
#include "conf/base/number.h"

struct category_text {
	FILE *line;
	const struct cell *cell;
	const struct local_job *job;
	bool begun;			/* something was written */
};

static void text_write(struct category_text *category_text, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		fputc((unsigned char)text[i] < ' ' ? '_' : text[i], category_text->line);
}

static void option_write(struct category_text *text, const char *option)
{
	fprintf(text->line, "%s%s ", text->begun ? " " : "", option);
	text->begun = true;
}

/* Access lists and projects. Only those that the cell uses somewhere are part of a category. */

static bool list_names(const char *list, const char *name)
{
	size_t length = strlen(name), n;

	for (; *(list += strspn(list, LIST_SEPARATORS)); list += n) {
		n = strcspn(list, LIST_SEPARATORS);
		if (n == length && strncmp(list, name, n) == 0)
			return true;
	}
	return false;
}

static bool value_names(const struct queue_value *value, const char *name)
{
	bool names = value->value && list_names(value->value, name);

	for (size_t i = 0; i < value->noverrides; i++)
		names = names || list_names(value->overrides[i].value, name);
	return names;
}

static bool queues_name(const struct cell *cell, const char *attribute, const char *name)
{
	for (size_t i = 0; i < cell->nqueues; i++)
		for (size_t k = 0; k < cell->queues[i].nvalues; k++) {
			const struct queue_value *value = &cell->queues[i].values[k];

			if (strstr(value->name, attribute) && value_names(value, name))
				return true;
		}
	return false;
}

static bool strings_name(const struct strlist *list, const char *name)
{
	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->items[i], name) == 0)
			return true;
	return false;
}

static bool userset_is_used(const struct cell *cell, const char *name)
{
	bool used = queues_name(cell, "user_lists", name);

	for (size_t i = 0; i < cell->npes; i++)
		used = used || strings_name(&cell->pes[i].user_lists, name) ||
		       strings_name(&cell->pes[i].xuser_lists, name);
	for (size_t i = 0; i < cell->nhosts; i++)
		used = used || strings_name(&cell->hosts[i].user_lists, name) ||
		       strings_name(&cell->hosts[i].xuser_lists, name);
	for (size_t i = 0; i < cell->nprojects; i++)
		used = used || strings_name(&cell->projects[i].acl, name) ||
		       strings_name(&cell->projects[i].xacl, name);
	return used;
}

static bool project_is_used(const struct cell *cell, const char *name)
{
	bool used = queues_name(cell, "projects", name);

	for (size_t i = 0; i < cell->nhosts; i++)
		used = used || strings_name(&cell->hosts[i].projects, name) ||
		       strings_name(&cell->hosts[i].xprojects, name);
	return used;
}

static bool userset_has(const struct category_text *text, const struct userset *set)
{
	bool has = cell_userset_lists(text->cell, set, text->job->owner);

	for (size_t i = 0; i < set->entries.n; i++)
		has = has ||
		      (*set->entries.items[i] == '@' && strcmp(set->entries.items[i] + 1, text->job->group) == 0);
	return has;
}

static void usersets_write(struct category_text *text)
{
	bool any = false;

	for (size_t i = 0; i < text->cell->nusersets; i++) {
		const struct userset *set = &text->cell->usersets[i];

		if (!set->is_acl || !userset_has(text, set) || !userset_is_used(text->cell, set->name))
			continue;
		if (any)
			fputc(',', text->line);
		else
			option_write(text, "-U");
		text_write(text, set->name, strlen(set->name));
		any = true;
	}
}

/* Requests. Lists are sorted, so that equal requests have equal categories. */

static int string_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void queues_write(struct category_text *text, const char *option, const char *asked)
{
	char *copy = strdup(job_text(asked, "")), *next = copy, *entry, **entries;
	size_t n = 0;

	entries = copy ? calloc(strlen(copy) / 2 + 1, sizeof(*entries)) : NULL;
	while (entries && (entry = strsep(&next, ",")) != NULL)
		if (*entry)
			entries[n++] = entry;
	if (n > 0) {
		qsort(entries, n, sizeof(*entries), string_compare);
		option_write(text, option);
	}
	for (size_t i = 0; i < n; i++) {
		text_write(text, ",", i > 0);
		text_write(text, entries[i], strlen(entries[i]));
	}
	free(entries);
	free(copy);
}

static int resource_compare(const void *a, const void *b)
{
	return strcmp(((const struct resource *)a)->name, ((const struct resource *)b)->name);
}

/* Write a request. Times are written in seconds, other values as requested. */
static void resource_put(struct category_text *category_text, struct resource resource)
{
	char *text, seconds_text[16];
	uint32_t seconds;

	if (!resource.value)
		resource.value = "TRUE";
	if (resource.complex && resource.complex->type == TYPE_TIME && number_time(resource.value, &seconds) == 0 &&
	    seconds != UINT32_MAX) {
		snprintf(seconds_text, sizeof(seconds_text), "%u", seconds);
		resource.value = seconds_text;
	}
	text = malloc(resource_most(&resource) + 1);
	if (text)
		text_write(category_text, text, (size_t)(resource_write(text, &resource) - text));
	free(text);
}

static void resources_write(struct category_text *text, const char *option, const char *asked)
{
	struct resource_list list;

	if (resource_list_read(&list, text->cell, job_text(asked, "")) || list.n == 0) {
		resource_list_free(&list);
		return;
	}
	qsort(list.items, list.n, sizeof(*list.items), resource_compare);
	option_write(text, option);
	for (size_t i = 0; i < list.n; i++) {
		text_write(text, ",", i > 0);
		resource_put(text, list.items[i]);
	}
	resource_list_free(&list);
}

static void word_write(struct category_text *text, const char *option, const char *asked)
{
	if (!asked || !*asked)
		return;
	option_write(text, option);
	text_write(text, asked, strlen(asked));
}

void category_write(FILE *line, const struct cell *cell, const struct local_job *job)
{
	struct category_text text = { .line = line, .cell = cell, .job = job };
	const struct job_spec *spec = &job->request.spec;

	usersets_write(&text);
	queues_write(&text, "-q", spec->hard_queues);
	queues_write(&text, "-masterq", spec->master_queues);
	resources_write(&text, "-l", spec->hard);
	resources_write(&text, "-soft -l", spec->soft);
	word_write(&text, "-pe", spec->pe);
	if (*job_text(spec->pe, ""))
		fprintf(line, " %s", job_text(spec->pe_range, "1"));
	word_write(&text, "-ckpt", spec->ckpt);
	if (project_is_used(cell, job_text(spec->project, "")))
		word_write(&text, "-P", spec->project);
	if (!text.begun)
		fputs("NONE", line);
}
