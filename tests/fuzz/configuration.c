/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Configuration as a Grid Engine qmaster sends it: a byte, odd if the rest is one total update, and
 * the data of a report. It is activated as in the scheduler: unusable objects are left out, then a
 * run and all displays follow.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/cell_source.h"
#include "sched/qmaster/gridengine/inside.h"
#include "sched/qmaster/objects/texts.h"
#include "tests/fuzz/support.h"
#include "tests/objects/out.h"

#define FILES_MOST 100000

static char cell[256];

static void events_take(struct cell_objects *objects, struct gdi_list events)
{
	struct error error = { "" };
	struct gdi_element event;

	while (gdi_next(&events, &event)) {
		int rc = cell_objects_event(objects, gdi_u32(&event, ET_type), &event, &error);

		MUST(rc == 0 || error.text[0]);
		MUST(rc != -ENOMEM);
		fuzz_taken(rc == 0);
	}
}

/*
 * Check that names are those of files below the cell and that no text contains more than a value.
 */
static void files_look(const struct cell_files *files)
{
	MUST(files && files->n < FILES_MOST);
	for (size_t i = 0; i < files->n; i++) {
		const char *name = files->items[i].name;

		MUST(*name && *name != '/' && !strstr(name, "..") && !strchr(name, '\n'));
		for (const char *at = files->items[i].text; *at; at++)
			MUST((unsigned char)*at >= ' ' ? *at != 0x7f : *at == '\n');
	}
}

/* Check that each object that is left out has a reason. */
static void out_look(const struct cell_objects *objects)
{
	const char *why;

	for (size_t n = 0; n < FILES_MOST; n++) {
		const char *file = object_out(objects, n, &why);

		if (!file)
			return;
		MUST(*file && why && *why);
	}
	MUST(!"as many are out as there can be");
}

static void report_take(struct sge *sge, bool update, unsigned char *bytes, size_t n)
{
	struct gdi_buffer buffer = { bytes, bytes + n };
	struct error error = { "" };
	struct gdi_element report;
	struct gdi_list reports;

	if (gdi_take_header(&buffer, &error) != 0 || gdi_take_list(&buffer, &reports, &error) != 0 ||
	    !gdi_next(&reports, &report)) {
		fuzz_taken(false);
		return;
	}
	if (update)
		MUST(cell_objects_update_begin(sge->objects) == 0);
	events_take(sge->objects, gdi_list(&report, REP_list));
	if (update)
		MUST(cell_objects_update_end(sge->objects) == 0);
	MUST(take_configure(sge, &error) == 0);
	MUST(!cell_objects_changed(sge->objects));
	out_look(sge->objects);
	files_look(cell_objects_files(sge->objects));
}

#ifdef BROKEN			/* retries of unusable objects never end, so they are limited here */
int __wrap_text_item_refuse(struct text_item *item, const char *why);

int __wrap_text_item_refuse(struct text_item *item, const char *why)
{
	static unsigned tried;

	(void)item, (void)why;
	MUST(tried++ < 100);
	return 0;
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sge sge = { .updated = false };
	struct fuzz_sched sched;
	unsigned char *bytes;

	if (size == 0)
		return 0;
	if (!*cell) {
		scratch_copy("conf/default", "configuration");
		scratch_path(cell, "configuration");
	}
	bytes = malloc(size);		/* the check writes into it */
	MUST(bytes && fuzz_sched_open(&sched, cell));
	memcpy(bytes, data + 1, size - 1);
	sge.sched = sched.sched;
	sge.objects = cell_objects_create();
	MUST(sge.objects != NULL);
	report_take(&sge, data[0] & 1, bytes, size - 1);
	free(bytes);
	fuzz_sched_run(&sched);
	MUST(fuzz_print(cell) > 0);
	cell_objects_destroy(sge.objects);
	fuzz_sched_close(&sched);
	return 0;
}
