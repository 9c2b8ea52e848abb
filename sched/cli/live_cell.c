/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/live_cell.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "conf/base/utf8.h"
#include "sched/qmaster/objects/text.h"

typedef void text_writer(struct page *page, const struct gdi_element *element);

static void host_write(struct page *page, const struct gdi_element *host)
{
	text_host(page, host, false);
}

/* Kinds of objects and their files in a cell's directory. */
static const struct live_kind {
	enum gdi_target target;
	const char *folder;		/* directory with a file per object, or the only file */
	/* field of an object's name; 0: all objects are in one file */
	uint32_t name;
	text_writer *write;		/* NULL: the kind is complexes, all in one file */
} kinds[] = {
	{ GDI_COMPLEXES, "complex", 0, NULL },
	{ GDI_EXEC_HOSTS, "hosts", EH_name, host_write },
	{ GDI_HOST_GROUPS, "hgrp", HGRP_name, text_hostgroup },
	{ GDI_CLUSTER_QUEUES, "queue", CQ_name, text_queue },
	{ GDI_PES, "pe", PE_name, text_pe },
	{ GDI_CHECKPOINTS, "ckpt", CK_name, text_checkpoint },
	{ GDI_CALENDARS, "calendar", CAL_name, text_calendar },
	{ GDI_USERS, "users", UU_name, text_user },
	{ GDI_PROJECTS, "projects", PR_name, text_project },
	{ GDI_USERSETS, "usersets", US_name, text_userset },
	{ GDI_QUOTAS, "rqs", 0, text_quota },
	{ GDI_SHARE_TREE, "share_tree", 0, text_tree },
	{ GDI_SCHED_CONF, "sched_conf", 0, text_sched_conf },
	{ GDI_CONFIGURATIONS, "global_conf", 0, text_configuration },
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

struct live_reading {
	struct cell_files *files;
	size_t capacity, left_out;
	struct error *error;
};

/* Add a file. The function takes ownership of the page. */
static int file_add(struct live_reading *reading, const char *folder, const char *name, struct page *page)
{
	char path[400];
	int rc = page->rc;

	snprintf(path, sizeof(path), "%s%s%.300s", folder, name ? "/" : "", name ? name : "");
	utf8_clean(path);
	if (page->odd || (name && (!*name || strchr(name, '/')))) {
		reading->left_out++;
		error_set(reading->error, 0, "%s: %s has a value that no file can hold", path,
			  page->odd ? page->odd : "the name");
	} else if (rc == 0 && page->bytes) {
		if (reading->files->n == reading->capacity) {
			reading->capacity = reading->capacity ? 2 * reading->capacity : 64;
			rc = array_grow(&reading->files->items, reading->capacity, sizeof(*reading->files->items));
		}
		if (rc == 0) {
			struct cell_file *file = &reading->files->items[reading->files->n];

			*file = (struct cell_file){ .name = strdup(path), .text = strdup(page->bytes) };
			reading->files->n++;
			rc = file->name && file->text ? 0 : -ENOMEM;
		}
	}
	page_free(page);
	return rc;
}

/* Write all objects of a kind to one file. */
static int file_of_all(struct live_reading *reading, const struct live_kind *kind, struct gdi_list *list)
{
	struct page page = { .rc = 0 };
	struct gdi_element one;

	if (!kind->write)
		text_complexes(&page, list);
	while (kind->write && gdi_next(list, &one))
		if (kind->target != GDI_CONFIGURATIONS || strcmp(gdi_text(&one, CONF_name), "global") == 0)
			kind->write(&page, &one);
	return file_add(reading, kind->folder, NULL, &page);
}

static int files_of_each(struct live_reading *reading, const struct live_kind *kind, struct gdi_list *list)
{
	struct gdi_element one;
	int rc = 0;

	while (rc == 0 && gdi_next(list, &one)) {
		const char *name = gdi_text(&one, kind->name);
		struct page page = { .rc = 0 };

		if (strcmp(name, "template") == 0)
			continue;
		kind->write(&page, &one);
		rc = file_add(reading, kind->folder, name, &page);
	}
	return rc;
}

static int answers_take(struct live_reading *reading, struct gdi_buffer *buffer)
{
	struct gdi_answer answer;
	int rc = 0;

	for (size_t k = 0; rc == 0 && k < KINDS; k++) {
		rc = gdi_take_answer(buffer, &answer, reading->error);
		if (rc == 0 && answer.more != (k + 1 < KINDS))
			rc = error_set(reading->error, -EPROTO, "the qmaster answers another question than was asked");
		if (rc == 0 && answer.status != GDI_OK && answer.quality <= GDI_ERROR)
			rc = error_set(reading->error, -EACCES, "the qmaster does not tell its configuration: %s",
				       answer.text);
		if (rc == 0)
			rc = kinds[k].name ? files_of_each(reading, &kinds[k], &answer.data)
					   : file_of_all(reading, &kinds[k], &answer.data);
	}
	return rc;
}

int live_cell_read(struct gdi_client *client, const struct gdi_cell *cell, struct cell_files *files, size_t *left_out,
		   struct error *error)
{
	struct live_reading reading = { .files = files, .error = error };
	struct gdi_writer writer = { .packet = 1 };
	struct gdi_buffer buffer;
	char *credential;
	int rc = gdi_credential(cell, &credential, error);

	*files = (struct cell_files){ .n = 0 };
	*left_out = 0;
	if (rc)
		return rc;
	gdi_write_header(&writer);
	for (size_t k = 0; k < KINDS; k++) {
		gdi_task_begin(&writer, GDI_GET, kinds[k].target);
		gdi_write_null(&writer);
		gdi_task_where(&writer);
		gdi_write_everywhere(&writer);
		gdi_write_wanted(&writer, NULL, 0);
		gdi_task_end(&writer, credential, (uint32_t)k + 1, k + 1 < KINDS);
	}
	free(credential);
	rc = gdi_client_call(client, &writer, &buffer, error);
	gdi_writer_free(&writer);
	if (rc == 0)
		rc = answers_take(&reading, &buffer);
	if (rc == 0)
		cell_files_sort(files);
	*left_out = reading.left_out;
	return rc;
}
