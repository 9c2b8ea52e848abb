/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "conf/lists.h"
#include "conf/utf8.h"
#include "sched/qmaster/objects/complexes.h"
#include "sched/qmaster/objects/inside.h"
#include "sched/qmaster/objects/text.h"

#define LOADS "load_values           "

/* Kinds of objects */

/*
 * What a host reports comes to the mirror by itself, and changes all the time: here it is none, and
 * who writes the text as a file puts it in.
 */
static void loads_cut(struct page *p)
{
	char *from = p->bytes ? strstr(p->bytes, "\n" LOADS) : NULL, *to = from ? strstr(from, "\nprocessors ") : NULL;

	if (!to || (size_t)(to - from) < sizeof(LOADS "NONE"))
		return;
	memcpy(from + sizeof(LOADS), "NONE", 4);
	memmove(from + sizeof(LOADS) + 4, to, strlen(to) + 1);
	p->n = strlen(p->bytes);
}

static void host_text(struct page *p, const struct gdi_element *e)
{
	text_host(p, e, true);
	if (p->odd) {
		page_free(p);
		text_host(p, e, false);
	}
	loads_cut(p);
}

/* It ends with an empty line. */
static void configuration_text(struct page *p, const struct gdi_element *e)
{
	text_configuration(p, e);
	page_put(p, "\n");
}

static const struct object_kind {
	enum gdi_event list;		/* ADD, DEL and MOD follow; of those that there is one of: it alone */
	const char *folder;		/* of its file; or its name */
	uint32_t name;			/* 0: there is one */
	void (*write)(struct page *p, const struct gdi_element *e);
} kinds[] = {
	{ GDI_EV_CALENDAR_LIST, "calendar/", CAL_name, text_calendar }, { GDI_EV_CKPT_LIST, "ckpt/", CK_name, text_checkpoint },
	{ GDI_EV_CENTRY_LIST, COMPLEXES "/", CE_name, NULL }, { GDI_EV_CONFIG_LIST, "", CONF_name, configuration_text },
	{ GDI_EV_EXECHOST_LIST, "hosts/", EH_name, host_text }, { GDI_EV_PE_LIST, "pe/", PE_name, text_pe },
	{ GDI_EV_PROJECT_LIST, "projects/", PR_name, text_project }, { GDI_EV_CQUEUE_LIST, "queue/", CQ_name, text_queue },
	{ GDI_EV_USER_LIST, "users/", UU_name, text_user }, { GDI_EV_USERSET_LIST, "usersets/", US_name, text_userset },
	{ GDI_EV_HGROUP_LIST, "hgrp/", HGRP_name, text_hostgroup }, { GDI_EV_RQS_LIST, QUOTAS "/", RQS_name, text_quota },
	{ GDI_EV_SCHED_CONF, "sched_conf", 0, text_sched_conf }, { GDI_EV_NEW_SHARETREE, "share_tree", 0, text_tree },
};

/* NULL: the event is about none. */
static const struct object_kind *kind_of(enum gdi_event type)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (type >= kinds[i].list && type <= kinds[i].list + (kinds[i].name ? 3u : 0u))
			return &kinds[i];
	return NULL;
}

enum { NAME_BYTES = 280 };

/* A name becomes a file's: none leads anywhere else. Of configurations the global one counts. */
static int object_name(const struct object_kind *kind, const char *name, char full[NAME_BYTES], struct error *error)
{
	const char *bare = kind->list == GDI_EV_HGROUP_LIST && *name == '@' ? name + 1 : name;
	struct error why;

	if (kind->list == GDI_EV_CONFIG_LIST) {
		strcpy(full, strcmp(name, "global") == 0 ? "global_conf" : "");
		return 0;
	}
	if (kind->name && (name_check(bare, &why) || *bare == '.' || strlen(bare) > 200))
		return error_set(error, -EINVAL, "%s\"%.60s\" is no name that an object may have", kind->folder, bare);
	strcpy(full, kind->folder);
	if (kind->name)
		strcat(full, name);
	return 0;
}

static struct object_texts *texts_of(struct cell_objects *o)
{
	return o->updating ? &o->next : &o->texts;
}

/* One object */

static uint64_t summed(uint64_t sum, const void *bytes, size_t n)
{
	for (const unsigned char *byte = bytes; n-- > 0; byte++)
		sum = (sum ^ *byte) * 1099511628211u;
	return sum;
}

/* What load reports leave alone: where it is the same, so is the text. 0: nobody looks. */
static uint64_t summary_of(const struct object_kind *kind, const struct gdi_element *e)
{
	static const uint32_t fields[] = { EH_scaling_list, EH_consumable_config_list, EH_usage_scaling_list, EH_acl, EH_xacl, EH_prj, EH_xprj,
					   EH_processors };
	struct gdi_list variables = gdi_list(e, EH_report_variables);	/* it may be the last one, whose end is not known */
	struct gdi_element one;
	uint64_t sum = 14695981039346656037u;

	if (kind->list != GDI_EV_EXECHOST_LIST)
		return 0;
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		size_t column = fields[i] - e->descriptor->first;
		size_t at = column < sizeof(e->descriptor->columns) ? e->descriptor->columns[column] : 0;

		if (at > 0 && at == e->descriptor->n)
			return 0;
		sum = summed(sum, &i, sizeof(i));
		if (at > 0)
			sum = summed(sum, e->values[at - 1], (size_t)(e->values[at] - e->values[at - 1]));
	}
	while (gdi_next(&variables, &one))
		sum = summed(sum, gdi_text(&one, ST_name), strlen(gdi_text(&one, ST_name)) + 1);
	return sum;
}

static int item_write(struct cell_objects *o, const struct object_kind *kind, struct text_item *item, const struct gdi_element *e, struct error *error)
{
	struct object_texts *t = texts_of(o);
	struct page p = { 0 };
	char why[120];
	bool changed;

	kind->write(&p, e);
	if (p.rc || !p.bytes) {
		page_free(&p);
		return error_set(error, -ENOMEM, "out of memory");
	}
	snprintf(why, sizeof(why), "%s has a value that no line can hold", p.odd ? p.odd : "");
	changed = text_item_set(t, item, p.bytes);
	o->changed |= changed && !o->updating;
	return p.odd && object_refuse(item, t->names.texts[item - t->items], why, true) ? error_set(error, -ENOMEM, "out of memory") : 0;
}

/* The qmaster puts a set that is modified behind all others. */
static bool is_moved(const struct object_kind *kind, enum gdi_event type)
{
	return kind->list == GDI_EV_RQS_LIST && type == GDI_EV_RQS_MOD;
}

static int object_put(struct cell_objects *o, const struct object_kind *kind, enum gdi_event type, const struct gdi_element *e, struct error *error)
{
	char name[NAME_BYTES];
	struct text_item *item;
	uint64_t summary = summary_of(kind, e);
	bool changed = false;
	int rc = object_name(kind, kind->name ? gdi_text(e, kind->name) : "", name, error);

	if (rc || *name == '\0' || strcmp(name, "hosts/template") == 0)
		return rc;
	item = texts_get(texts_of(o), name);
	if (!item)
		return error_set(error, -ENOMEM, "out of memory");
	if (kind->list == GDI_EV_CENTRY_LIST)
		rc = complex_keep(texts_of(o), item, e, &changed, error);
	else if (summary == 0 || summary != item->summary || !item->text)
		rc = item_write(o, kind, item, e, error);
	item->summary = summary;
	if (is_moved(kind, type)) {
		item->place = texts_of(o)->places++;
		changed = true;
	}
	o->changed |= changed && !o->updating;
	return rc;
}

static int object_drop(struct cell_objects *o, const struct object_kind *kind, const char *key, struct error *error)
{
	char name[NAME_BYTES];
	struct text_item *item;
	int rc = object_name(kind, key, name, error);

	item = rc == 0 ? texts_find(texts_of(o), name) : NULL;
	if (item)
		o->changed |= text_item_set(texts_of(o), item, NULL) && !o->updating;
	return rc;
}

int cell_objects_event(struct cell_objects *o, enum gdi_event type, const struct gdi_element *event, struct error *error)
{
	const struct object_kind *kind = kind_of(type);
	struct gdi_list list = gdi_list(event, ET_new_version);
	struct gdi_element e;
	int rc = 0, first = 0;

	if (!kind)
		return 0;
	if (kind->name && type == kind->list + 2)
		return object_drop(o, kind, gdi_text(event, ET_strkey), error);
	if (list.left == 0 && !kind->name)
		return object_drop(o, kind, "", error);
	while (rc != -ENOMEM && gdi_next(&list, &e)) {
		rc = object_put(o, kind, type, &e, error);
		first = first ? first : rc;
	}
	return rc == -ENOMEM ? rc : first;
}

/* Total updates */

int cell_objects_update_begin(struct cell_objects *o)
{
	texts_free(&o->next);
	o->updating = true;
	return 0;
}

int cell_objects_update_end(struct cell_objects *o)
{
	bool differs;

	if (!o->updating)
		return 0;
	differs = texts_inherit(&o->next, &o->texts);
	o->changed |= differs;
	texts_free(&o->texts);
	o->texts = o->next;
	o->next = (struct object_texts){ .capacity = 0 };
	o->updating = false;
	return 0;
}

void cell_objects_update_abandon(struct cell_objects *o)
{
	texts_free(&o->next);
	o->updating = false;
}

/* The files */

bool cell_objects_changed(const struct cell_objects *o)
{
	return o->changed;
}

static int by_place(const void *a, const void *b)
{
	const struct text_item *x = *(struct text_item *const *)a, *y = *(struct text_item *const *)b;

	return x->place < y->place ? -1 : x->place > y->place;
}

struct text_item **quotas_in_order(const struct object_texts *t, size_t *n)
{
	struct text_item **sets = calloc(t->names.n + 1, sizeof(*sets));

	*n = 0;
	for (size_t i = 0; sets && i < t->names.n; i++)
		if (object_is_in(t->names.texts[i], QUOTAS) && text_item_used(&t->items[i]))
			sets[(*n)++] = &t->items[i];
	if (sets)
		qsort(sets, *n, sizeof(struct text_item *), by_place);
	return sets;
}

/* Of all sets, in the order in which they came; NULL: no memory. "" where there is none. */
static char *quotas_join(const struct object_texts *t)
{
	struct page p = { 0 };
	size_t n;
	struct text_item **sets = quotas_in_order(t, &n);

	page_put(&p, "");
	for (size_t i = 0; i < n; i++)
		page_put(&p, text_item_used(sets[i]));
	free(sets);
	if (!sets || p.rc)
		page_free(&p);
	return p.bytes;
}

static bool files_add(struct cell_objects *o, const char *name, const char *text)
{
	struct cell_file *file = array_add(&o->files.items, &o->files.n, sizeof(*file));

	if (file)
		*file = (struct cell_file){ .name = (char *)name, .text = (char *)text };
	return file != NULL;
}

static bool files_fill(struct cell_objects *o)
{
	const struct object_texts *t = &o->texts;
	bool complete = true;

	for (size_t i = 0; complete && i < t->names.n; i++) {
		const char *name = t->names.texts[i], *text = text_item_used(&t->items[i]);

		if (text && *text && !object_is_in(name, QUOTAS) && !object_is_in(name, COMPLEXES))
			complete = files_add(o, name, text);
	}
	if (complete && o->quotas && *o->quotas)
		complete = files_add(o, QUOTAS, o->quotas);
	if (complete && o->complexes && *o->complexes)
		complete = files_add(o, COMPLEXES, o->complexes);
	if (complete && o->about)
		complete = files_add(o, CELL_ABOUT, o->about);
	return complete && o->quotas && o->complexes && o->about;
}

const struct cell_files *cell_objects_files(struct cell_objects *o)
{
	free(o->files.items);
	o->files = (struct cell_files){ NULL, 0 };
	free(o->quotas);
	free(o->complexes);
	free(o->about);
	o->about = objects_refuse_referring(&o->texts) ? NULL : objects_about(&o->texts);
	o->quotas = quotas_join(&o->texts);
	o->complexes = complexes_join(&o->texts, COMPLEXES);
	if (!files_fill(o))
		return NULL;
	cell_files_sort(&o->files);
	o->changed = false;
	return &o->files;
}

void cell_objects_accept(struct cell_objects *o)
{
	texts_accept(&o->texts);
}

struct cell_objects *cell_objects_create(void)
{
	return calloc(1, sizeof(struct cell_objects));
}

void cell_objects_destroy(struct cell_objects *o)
{
	if (!o)
		return;
	texts_free(&o->texts);
	texts_free(&o->next);
	free(o->files.items);
	free(o->quotas);
	free(o->complexes);
	free(o->about);
	free(o);
}
