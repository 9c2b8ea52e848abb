/* SPDX-License-Identifier: Apache-2.0 */
/* The set of records, and the choice of those that the command line names. */
#include "sched/cli/userprio/show.h"

#include <stdlib.h>
#include <string.h>

#include "conf/base/columns.h"

struct userprio_record *userprio_add(struct userprio_records *records)
{
	if (array_reserve(&records->capacity, records->n + 1, COLUMN(records->items)))
		return NULL;
	records->items[records->n] = (struct userprio_record){ .ceiling = -1 };
	return &records->items[records->n++];
}

static void record_free(struct userprio_record *record)
{
	free(record->name);
	free(record->group);
	free(record->surplus);
	classad_free(record->ad);
}

void userprio_records_free(struct userprio_records *records)
{
	for (size_t i = 0; i < records->n; i++)
		record_free(&records->items[i]);
	free(records->items);
	*records = (struct userprio_records){ 0 };
}

/*
 * Return whether one of the words is the part of the name before @. Words are separated by commas
 * or blanks.
 */
static bool short_name_matches(const char *words, const char *name)
{
	size_t user = strcspn(name, "@");

	for (size_t n; *words; words += n + (words[n] != '\0')) {
		n = strcspn(words, ", ");
		if (n == user && strncmp(words, name, n) == 0)
			return true;
	}
	return false;
}

static bool name_matches(const char *asked, const char *name)
{
	if (strchr(asked, '@') || userprio_is_root(asked))
		return strcmp(asked, name) == 0;
	return short_name_matches(asked, name);
}

static bool is_asked_for(struct userprio_query *query, const struct userprio_record *record)
{
	bool matches = false;

	for (size_t i = 0; i < query->nnames; i++) {
		if (!name_matches(query->names[i].text, record->name))
			continue;
		query->names[i].is_found = true;
		matches = true;
	}
	return matches;
}

void userprio_records_choose(struct userprio_records *records, struct userprio_query *query)
{
	bool by_name = records->view && query->nnames > 0;
	size_t kept = 0;

	for (size_t i = 0; i < query->nnames; i++)
		query->names[i].is_found = !by_name;
	for (size_t i = 0; i < records->n; i++) {
		if (!*records->items[i].name || (by_name && !is_asked_for(query, &records->items[i]))) {
			record_free(&records->items[i]);
			continue;
		}
		records->items[kept] = records->items[i];
		records->items[kept].place = kept;
		kept++;
	}
	records->n = kept;
}
