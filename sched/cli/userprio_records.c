/* SPDX-License-Identifier: Apache-2.0 */
/* The set of records, and the choice of those that the command line names. */
#include "sched/cli/userprio_show.h"

#include <stdlib.h>
#include <string.h>

#include "conf/array.h"

struct userprio_record *userprio_add(struct userprio_records *r)
{
	size_t capacity = r->capacity ? 2 * r->capacity : 64;

	if (r->n == r->capacity) {
		if (array_grow(&r->items, capacity, sizeof(*r->items)))
			return NULL;
		r->capacity = capacity;
	}
	r->items[r->n] = (struct userprio_record){ .ceiling = -1 };
	return &r->items[r->n++];
}

static void record_free(struct userprio_record *record)
{
	free(record->name);
	free(record->group);
	free(record->surplus);
	classad_free(record->ad);
}

void userprio_records_free(struct userprio_records *r)
{
	for (size_t i = 0; i < r->n; i++)
		record_free(&r->items[i]);
	free(r->items);
	*r = (struct userprio_records){ 0 };
}

/* True if one of the words, separated by commas or blanks, is the part of the name before @. */
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

static bool is_asked_for(struct userprio_query *q, const struct userprio_record *record)
{
	bool matches = false;

	for (size_t i = 0; i < q->nnames; i++) {
		if (!name_matches(q->names[i].text, record->name))
			continue;
		q->names[i].is_found = true;
		matches = true;
	}
	return matches;
}

void userprio_records_choose(struct userprio_records *r, struct userprio_query *q)
{
	bool by_name = r->view && q->nnames > 0;
	size_t kept = 0;

	for (size_t i = 0; i < q->nnames; i++)
		q->names[i].is_found = !by_name;
	for (size_t i = 0; i < r->n; i++) {
		if (!*r->items[i].name || (by_name && !is_asked_for(q, &r->items[i]))) {
			record_free(&r->items[i]);
			continue;
		}
		r->items[kept] = r->items[i];
		r->items[kept].place = kept;
		kept++;
	}
	r->n = kept;
}
