/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects that cannot be used, and their replacements. A queue, PE or host is kept, but no user has
 * access to it. A quota set allows no job starts. For complexes and for kinds with only one object,
 * the last usable text is kept. All other objects are left out. An object that refers to one left
 * out, and would allow more job starts without it, is closed in the same way.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/utf8.h"
#include "sched/qmaster/objects/complexes.h"
#include "sched/qmaster/objects/inside.h"
#include "sched/qmaster/objects/page.h"

/* Name of an access list that matches no user. The name of a user set cannot contain a colon. */
#define NOBODY "fairlead:nobody"

bool object_is_in(const char *name, const char *folder)
{
	size_t n = strlen(folder);

	return strncmp(name, folder, n) == 0 && name[n] == '/';
}

/*
 * Return the replacement of an object; "": left out. NULL with *as_it_was: use the last usable
 * text. NULL otherwise: no memory.
 */
static char *stand_in(const char *name, const struct text_item *item, bool *as_it_was)
{
	static const struct { const char *folder, *format;
	} closed[] = {
		{ "hosts", "hostname %s\nload_scaling NONE\ncomplex_values NONE\nuser_lists " NOBODY
			   "\nxuser_lists NONE\nprojects NONE\nxprojects NONE\nusage_scaling NONE\n" },
		{ "queue", "qname %s\nhostlist NONE\nseq_no 0\nslots 0\nuser_lists " NOBODY "\n" },
		{ "pe", "pe_name %s\nslots 0\nuser_lists " NOBODY
			"\nxuser_lists NONE\nallocation_rule $pe_slots\ncontrol_slaves FALSE\n"
			"job_is_first_task TRUE\nurgency_slots min\n" },
		{ QUOTAS, "{\n   name         %s\n   enabled      TRUE\n   limit        to slots=0\n}\n" },
	};
	const char *slash = strchr(name, '/');
	char *text;

	*as_it_was = !slash || object_is_in(name, COMPLEXES);
	if (*as_it_was)
		return NULL;
	if (object_is_in(name, QUOTAS) && item->text && strstr(item->text, "\n   enabled      FALSE\n"))
		return strdup("");
	for (size_t i = 0; i < sizeof(closed) / sizeof(*closed); i++)
		if (object_is_in(name, closed[i].folder))
			return asprintf(&text, closed[i].format, slash + 1) < 0 ? NULL : text;
	return strdup("");
}

int object_refuse(struct text_item *item, const char *name, const char *why, bool own)
{
	bool as_it_was;
	char *copy = strdup(why), *instead = stand_in(name, item, &as_it_was);

	if (!copy || (!instead && !as_it_was)) {
		free(copy);
		free(instead);
		return -ENOMEM;
	}
	utf8_clean(copy);
	text_item_refuse(item, copy, instead);
	item->own = own;
	return 0;
}

void cell_objects_try_again(struct cell_objects *objects)
{
	for (size_t i = 0; i < objects->texts.names.n; i++)
		if (objects->texts.items[i].why && !objects->texts.items[i].own)
			text_item_allow(&objects->texts.items[i]);
}

/* Return the object at this line of a file that contains several objects. NULL: not known. */
static struct text_item *quota_of_line(const struct object_texts *texts, int line)
{
	size_t n;
	struct text_item **sets = quotas_in_order(texts, &n), *found = NULL;
	int first = 1;

	for (size_t i = 0; sets && i < n && !found; i++) {
		for (const char *c = text_item_used(sets[i]); *c; c++)
			first += *c == '\n';
		if (line > 0 && line < first)
			found = sets[i];
	}
	free(sets);
	return found;
}

static struct text_item *complex_of_line(const struct object_texts *texts, int line)
{
	enum { HEAD = 2 };		/* number of header lines */
	size_t n;
	struct text_item **all = complexes_in_order(texts, COMPLEXES, &n), *found = NULL;

	if (all && line > HEAD && (size_t)(line - HEAD) <= n)
		found = all[line - HEAD - 1];
	free(all);
	return found;
}

static const char *name_of(const struct object_texts *texts, const struct text_item *item)
{
	return texts->names.texts[item - texts->items];
}

/*
 * Take out all objects of a folder that are new or changed, because no line identifies the one with
 * the fault.
 */
static int group_take_out(struct object_texts *texts, const char *folder, const char *why)
{
	int rc = -ENOENT;

	for (size_t i = 0; i < texts->names.n; i++) {
		struct text_item *item = &texts->items[i];

		if (!object_is_in(texts->names.texts[i], folder) || !item->text || item->why ||
		    item->good == item->text)
			continue;
		rc = object_refuse(item, texts->names.texts[i], why, false);
		if (rc)
			return rc;
	}
	return rc;
}

int cell_objects_take_out(struct cell_objects *objects, const char *file, int line, const char *why)
{
	struct object_texts *texts = &objects->texts;
	struct text_item *item = texts_find(texts, file);

	if (strcmp(file, QUOTAS) == 0)
		item = quota_of_line(texts, line);
	if (strcmp(file, COMPLEXES) == 0)
		item = complex_of_line(texts, line);
	if (!item && (strcmp(file, QUOTAS) == 0 || strcmp(file, COMPLEXES) == 0))
		return group_take_out(texts, file, why);
	if (!item || !item->text)
		return -ENOENT;
	if (item->why)
		return -EALREADY;
	/* the text was good together with objects that have changed since */
	if (item->good == item->text)
		item->good = NULL;
	return object_refuse(item, name_of(texts, item), why, false);
}

/* References to refused objects */

/* Attributes that name objects of a kind and may limit job starts. */
struct referring {
	const char *folder, *attributes;
};

static const struct referring referrings[] = {
	{ "usersets", " user_lists xuser_lists limit " },
	{ "projects", " projects xprojects limit " },
	{ COMPLEXES, " complex_values load_thresholds suspend_thresholds limit " },
	{ "hgrp", NULL },		/* in any line, because of overrides */
};

static bool is_end(char c)
{
	return strchr(" \t\n,=[]{}()!@", c) != NULL;	/* includes the NUL */
}

/* Return whether a text contains the word in one of these attributes. */
static bool text_names(const char *text, const char *word, const char *attributes)
{
	size_t n = strlen(word);
	char attribute[64];

	for (const char *at = text; (at = strstr(at, word)); at++) {
		const char *line = at;

		if (!is_end(at[n]) || (at > text && !is_end(at[-1])))
			continue;
		if (!attributes)
			return true;
		/* Find the start of the logical line: continued lines follow a backslash. */
		while (line > text && !(line[-1] == '\n' && (line - text < 2 || line[-2] != '\\')))
			line--;
		line += strspn(line, " \t");
		snprintf(attribute, sizeof(attribute), " %.*s ", (int)strcspn(line, " \t\n"), line);
		if (strstr(attributes, attribute))
			return true;
	}
	return false;
}

/*
 * Return whether the object may allow more job starts without the objects that it refers to. The
 * qmaster itself checks at submission whether a user may use a project.
 */
static bool refers(const char *name)
{
	return object_is_in(name, "queue") || object_is_in(name, "hosts") || object_is_in(name, "pe") ||
	       object_is_in(name, "hgrp") || object_is_in(name, QUOTAS);
}

static int refuse_referring_to(struct object_texts *texts, size_t refused, const struct referring *referring, bool *any)
{
	const char *name = texts->names.texts[refused], *word = strchr(name, '/') + 1;
	char why[400];
	int rc = 0;

	word += *word == '@';
	snprintf(why, sizeof(why), "it refers to %.280s, which cannot be used", name);
	for (size_t i = 0; rc == 0 && i < texts->names.n; i++) {
		struct text_item *item = &texts->items[i];

		if (i == refused || item->why || !item->text || !refers(texts->names.texts[i]) ||
		    !text_names(item->text, word, referring->attributes))
			continue;
		rc = object_refuse(item, texts->names.texts[i], why, false);
		*any = true;
	}
	return rc;
}

int objects_refuse_referring(struct object_texts *texts)
{
	bool any = true;
	int rc = 0;

	while (any && rc == 0) {
		any = false;
		for (size_t i = 0; rc == 0 && i < texts->names.n; i++)
			for (size_t k = 0; rc == 0 && texts->items[i].text && texts->items[i].why &&
					   k < sizeof(referrings) / sizeof(*referrings);
			     k++)
				if (object_is_in(texts->names.texts[i], referrings[k].folder))
					rc = refuse_referring_to(texts, i, &referrings[k], &any);
	}
	return rc;
}

/* Reports */

const char *cell_objects_report(struct cell_objects *objects, const char **why)
{
	for (size_t i = 0; i < objects->texts.names.n; i++) {
		struct text_item *item = &objects->texts.items[i];

		if (!item->text || !item->why || item->reported)
			continue;
		item->reported = true;
		*why = item->why;
		return objects->texts.names.texts[i];
	}
	return NULL;
}

char *objects_about(const struct object_texts *texts)
{
	struct page page = { 0 };

	page_put(&page, CELL_ABOUT_HEAD);
	for (size_t i = 0; i < texts->names.n; i++)
		if (texts->items[i].text && texts->items[i].why) {
			page_put(&page, texts->names.texts[i]);
			page_put(&page, ": ");
			page_put(&page, texts->items[i].why);
			page_put(&page, "\n");
		}
	if (page.rc)
		page_free(&page);
	return page.bytes;
}
