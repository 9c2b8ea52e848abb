/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "conf/lists.h"
#include "conf/base/utf8.h"
#include "sched/qmaster/objects/complexes.h"
#include "sched/qmaster/objects/inside.h"
#include "sched/qmaster/objects/text.h"

#define LOADS "load_values           "

/* Kinds of objects */

/*
 * Remove the load values of a host. The mirror gets load reports separately, and they change all
 * the time. Writers of files insert them again.
 */
static void loads_cut(struct page *page)
{
	char *from = page->bytes ? strstr(page->bytes, "\n" LOADS) : NULL,
	     *to = from ? strstr(from, "\nprocessors ") : NULL;

	if (!to || (size_t)(to - from) < sizeof(LOADS "NONE"))
		return;
	memcpy(from + sizeof(LOADS), "NONE", 4);
	memmove(from + sizeof(LOADS) + 4, to, strlen(to) + 1);
	page->n = strlen(page->bytes);
}

static void host_text(struct page *page, const struct gdi_element *element)
{
	text_host(page, element, true);
	if (page->odd) {
		page_free(page);
		text_host(page, element, false);
	}
	loads_cut(page);
}

/* Write a configuration, which ends with an empty line. */
static void configuration_text(struct page *page, const struct gdi_element *element)
{
	text_configuration(page, element);
	page_put(page, "\n");
}

static const struct object_kind {
	/*
	 * ADD, DEL and MOD follow. If there is only one object of this kind, no further event
	 * follows.
	 */
	enum gdi_event list;
	const char *folder;		/* folder of the files; or name of the only file */
	uint32_t name;			/* field with the name; 0: only one object of this kind */
	void (*write)(struct page *page, const struct gdi_element *element);
} kinds[] = {
	{ GDI_EV_CALENDAR_LIST, "calendar/", CAL_name, text_calendar },
	{ GDI_EV_CKPT_LIST, "ckpt/", CK_name, text_checkpoint },
	{ GDI_EV_CENTRY_LIST, COMPLEXES "/", CE_name, NULL }, { GDI_EV_CONFIG_LIST, "", CONF_name, configuration_text },
	{ GDI_EV_EXECHOST_LIST, "hosts/", EH_name, host_text }, { GDI_EV_PE_LIST, "pe/", PE_name, text_pe },
	{ GDI_EV_PROJECT_LIST, "projects/", PR_name, text_project },
	{ GDI_EV_CQUEUE_LIST, "queue/", CQ_name, text_queue },
	{ GDI_EV_USER_LIST, "users/", UU_name, text_user }, { GDI_EV_USERSET_LIST, "usersets/", US_name, text_userset },
	{ GDI_EV_HGROUP_LIST, "hgrp/", HGRP_name, text_hostgroup },
	{ GDI_EV_RQS_LIST, QUOTAS "/", RQS_name, text_quota },
	{ GDI_EV_SCHED_CONF, "sched_conf", 0, text_sched_conf }, { GDI_EV_NEW_SHARETREE, "share_tree", 0, text_tree },
};

/* Return the kind of an event. NULL: the event is not about an object. */
static const struct object_kind *kind_of(enum gdi_event type)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (type >= kinds[i].list && type <= kinds[i].list + (kinds[i].name ? 3u : 0u))
			return &kinds[i];
	return NULL;
}

enum { NAME_BYTES = 280 };

/*
 * Form the path of an object's file, which must be inside the directory of the files. Only the
 * global configuration is used; the path of any other one is "".
 */
static int object_name(const struct object_kind *kind, const char *name, char full[NAME_BYTES], struct error *error)
{
	const char *bare = kind->list == GDI_EV_HGROUP_LIST && *name == '@' ? name + 1 : name;
	struct error why;

	if (kind->list == GDI_EV_CONFIG_LIST) {
		strcpy(full, strcmp(name, "global") == 0 ? "global_conf" : "");
		return 0;
	}
	if (kind->name && (name_check(bare, &why) || *bare == '.' || strlen(bare) > 200))
		return error_set(error, -EINVAL, "%s\"%.60s\" is not a valid name of an object", kind->folder, bare);
	strcpy(full, kind->folder);
	if (kind->name)
		strcat(full, name);
	return 0;
}

static struct object_texts *texts_of(struct cell_objects *objects)
{
	return objects->updating ? &objects->next : &objects->texts;
}

/* One object */

static uint64_t summed(uint64_t sum, const void *bytes, size_t n)
{
	for (const unsigned char *byte = bytes; n-- > 0; byte++)
		sum = (sum ^ *byte) * 1099511628211u;
	return sum;
}

/*
 * Return a checksum of the attributes that load reports do not change. If the checksum has not
 * changed, the text has not changed either. 0: no checksum.
 */
static uint64_t summary_of(const struct object_kind *kind, const struct gdi_element *element)
{
	static const uint32_t fields[] = {
		EH_scaling_list, EH_consumable_config_list, EH_usage_scaling_list, EH_acl, EH_xacl, EH_prj, EH_xprj,
		EH_processors
	};
	/* EH_report_variables may be the last field, whose end is not known. */
	struct gdi_list variables = gdi_list(element, EH_report_variables);
	struct gdi_element one;
	uint64_t sum = 14695981039346656037u;

	if (kind->list != GDI_EV_EXECHOST_LIST)
		return 0;
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		size_t column = fields[i] - element->descriptor->first;
		size_t at = column < sizeof(element->descriptor->columns) ? element->descriptor->columns[column] : 0;

		if (at > 0 && at == element->descriptor->n)
			return 0;
		sum = summed(sum, &i, sizeof(i));
		if (at > 0)
			sum = summed(sum, element->values[at - 1],
				     (size_t)(element->values[at] - element->values[at - 1]));
	}
	while (gdi_next(&variables, &one))
		sum = summed(sum, gdi_text(&one, ST_name), strlen(gdi_text(&one, ST_name)) + 1);
	return sum;
}

static int item_write(struct cell_objects *objects, const struct object_kind *kind, struct text_item *item,
		      const struct gdi_element *element, struct error *error)
{
	struct object_texts *texts = texts_of(objects);
	struct page page = { 0 };
	char why[120];
	bool changed;

	kind->write(&page, element);
	if (page.rc || !page.bytes) {
		page_free(&page);
		return error_set(error, -ENOMEM, "out of memory");
	}
	snprintf(why, sizeof(why), "%s has a value that cannot be written on a line", page.odd ? page.odd : "");
	changed = text_item_set(texts, item, page.bytes);
	objects->changed |= changed && !objects->updating;
	return page.odd && object_refuse(item, texts->names.texts[item - texts->items], why, true)
		       ? error_set(error, -ENOMEM, "out of memory")
		       : 0;
}

/*
 * Return whether an event moves the object to the end. The qmaster does so with a modified quota
 * set.
 */
static bool is_moved(const struct object_kind *kind, enum gdi_event type)
{
	return kind->list == GDI_EV_RQS_LIST && type == GDI_EV_RQS_MOD;
}

static int object_put(struct cell_objects *objects, const struct object_kind *kind, enum gdi_event type,
		      const struct gdi_element *element, struct error *error)
{
	char name[NAME_BYTES];
	struct text_item *item;
	uint64_t summary = summary_of(kind, element);
	bool changed = false;
	int rc = object_name(kind, kind->name ? gdi_text(element, kind->name) : "", name, error);

	if (rc || *name == '\0' || strcmp(name, "hosts/template") == 0)
		return rc;
	item = texts_get(texts_of(objects), name);
	if (!item)
		return error_set(error, -ENOMEM, "out of memory");
	if (kind->list == GDI_EV_CENTRY_LIST)
		rc = complex_keep(texts_of(objects), item, element, &changed, error);
	else if (summary == 0 || summary != item->summary || !item->text)
		rc = item_write(objects, kind, item, element, error);
	item->summary = summary;
	if (is_moved(kind, type)) {
		item->place = texts_of(objects)->places++;
		changed = true;
	}
	objects->changed |= changed && !objects->updating;
	return rc;
}

static int object_drop(struct cell_objects *objects, const struct object_kind *kind, const char *key,
		       struct error *error)
{
	char name[NAME_BYTES];
	struct text_item *item;
	int rc = object_name(kind, key, name, error);

	item = rc == 0 ? texts_find(texts_of(objects), name) : NULL;
	if (item)
		objects->changed |= text_item_set(texts_of(objects), item, NULL) && !objects->updating;
	return rc;
}

int cell_objects_event(struct cell_objects *objects, enum gdi_event type, const struct gdi_element *event,
		       struct error *error)
{
	const struct object_kind *kind = kind_of(type);
	struct gdi_list list = gdi_list(event, ET_new_version);
	struct gdi_element element;
	int rc = 0, first = 0;

	if (!kind)
		return 0;
	if (kind->name && type == kind->list + 2)
		return object_drop(objects, kind, gdi_text(event, ET_strkey), error);
	if (list.left == 0 && !kind->name)
		return object_drop(objects, kind, "", error);
	while (rc != -ENOMEM && gdi_next(&list, &element)) {
		rc = object_put(objects, kind, type, &element, error);
		first = first ? first : rc;
	}
	return rc == -ENOMEM ? rc : first;
}

/* Total updates */

int cell_objects_update_begin(struct cell_objects *objects)
{
	texts_free(&objects->next);
	objects->updating = true;
	return 0;
}

int cell_objects_update_end(struct cell_objects *objects)
{
	bool differs;

	if (!objects->updating)
		return 0;
	differs = texts_inherit(&objects->next, &objects->texts);
	objects->changed |= differs;
	texts_free(&objects->texts);
	objects->texts = objects->next;
	objects->next = (struct object_texts){ .capacity = 0 };
	objects->updating = false;
	return 0;
}

void cell_objects_update_abandon(struct cell_objects *objects)
{
	texts_free(&objects->next);
	objects->updating = false;
}

/* The files */

bool cell_objects_changed(const struct cell_objects *objects)
{
	return objects->changed;
}

static int by_place(const void *a, const void *b)
{
	const struct text_item *x = *(struct text_item *const *)a, *y = *(struct text_item *const *)b;

	return x->place < y->place ? -1 : x->place > y->place;
}

struct text_item **quotas_in_order(const struct object_texts *texts, size_t *n)
{
	struct text_item **sets = calloc(texts->names.n + 1, sizeof(*sets));

	*n = 0;
	for (size_t i = 0; sets && i < texts->names.n; i++)
		if (object_is_in(texts->names.texts[i], QUOTAS) && text_item_used(&texts->items[i]))
			sets[(*n)++] = &texts->items[i];
	if (sets)
		qsort(sets, *n, sizeof(struct text_item *), by_place);
	return sets;
}

/*
 * Return the text of all quota sets in the order of arrival, "" if there are none. NULL: no memory.
 */
static char *quotas_join(const struct object_texts *texts)
{
	struct page page = { 0 };
	size_t n;
	struct text_item **sets = quotas_in_order(texts, &n);

	page_put(&page, "");
	for (size_t i = 0; i < n; i++)
		page_put(&page, text_item_used(sets[i]));
	free(sets);
	if (!sets || page.rc)
		page_free(&page);
	return page.bytes;
}

static bool files_add(struct cell_objects *objects, const char *name, const char *text)
{
	struct cell_file *file = array_add(&objects->files.items, &objects->files.n, sizeof(*file));

	if (file)
		*file = (struct cell_file){ .name = (char *)name, .text = (char *)text };
	return file != NULL;
}

static bool files_fill(struct cell_objects *objects)
{
	const struct object_texts *texts = &objects->texts;
	bool complete = true;

	for (size_t i = 0; complete && i < texts->names.n; i++) {
		const char *name = texts->names.texts[i], *text = text_item_used(&texts->items[i]);

		if (text && *text && !object_is_in(name, QUOTAS) && !object_is_in(name, COMPLEXES))
			complete = files_add(objects, name, text);
	}
	if (complete && objects->quotas && *objects->quotas)
		complete = files_add(objects, QUOTAS, objects->quotas);
	if (complete && objects->complexes && *objects->complexes)
		complete = files_add(objects, COMPLEXES, objects->complexes);
	if (complete && objects->about)
		complete = files_add(objects, CELL_ABOUT, objects->about);
	return complete && objects->quotas && objects->complexes && objects->about;
}

const struct cell_files *cell_objects_files(struct cell_objects *objects)
{
	free(objects->files.items);
	objects->files = (struct cell_files){ NULL, 0 };
	free(objects->quotas);
	free(objects->complexes);
	free(objects->about);
	objects->about = objects_refuse_referring(&objects->texts) ? NULL : objects_about(&objects->texts);
	objects->quotas = quotas_join(&objects->texts);
	objects->complexes = complexes_join(&objects->texts, COMPLEXES);
	if (!files_fill(objects))
		return NULL;
	cell_files_sort(&objects->files);
	objects->changed = false;
	return &objects->files;
}

void cell_objects_accept(struct cell_objects *objects)
{
	texts_accept(&objects->texts);
}

struct cell_objects *cell_objects_create(void)
{
	return calloc(1, sizeof(struct cell_objects));
}

void cell_objects_destroy(struct cell_objects *objects)
{
	if (!objects)
		return;
	texts_free(&objects->texts);
	texts_free(&objects->next);
	free(objects->files.items);
	free(objects->quotas);
	free(objects->complexes);
	free(objects->about);
	free(objects);
}
