/* SPDX-License-Identifier: Apache-2.0 */
/* Handles, sections, the run and its parameters. */
#include "sched/reader/handle.h"

#include <stdlib.h>

static int attach(struct fl_cell **cell, const char *directory, int fd)
{
	struct fl_cell *fl_cell = calloc(1, sizeof(*fl_cell));

	*cell = NULL;
	if (!fl_cell)
		return -ENOMEM;
	int err = directory ? attach_open(&fl_cell->attachment, directory, RECORDS_VERSION) :
			      attach_descriptor(&fl_cell->attachment, fd, RECORDS_VERSION);

	if (err) {
		free(fl_cell);
		return err;
	}
	fl_cell->view.cell = fl_cell;
	fl_cell->view.memo = &fl_cell->memo;
	*cell = fl_cell;
	return 0;
}

int fl_attach(struct fl_cell **cell, const char *directory)
{
	return attach(cell, directory, -1);
}

int fl_attach_descriptor(struct fl_cell **cell, int fd)
{
	return attach(cell, NULL, fd);
}

void fl_detach(struct fl_cell *cell)
{
	if (!cell)
		return;
	attach_close(&cell->attachment);
	free(cell);
}

const struct fl_view *fl_begin(struct fl_cell *cell)
{
	attach_begin(&cell->attachment, &cell->view.view);
	return &cell->view;
}

int fl_end(struct fl_cell *cell)
{
	return attach_end(&cell->attachment, &cell->view.view);
}

void fl_run(const struct fl_view *view, struct fl_run *run)
{
	struct run_record record;

	view_copy(&record, records_run(&view->view), sizeof(record));
	*run = (struct fl_run) {
		.generation = view->view.gen,
		.run = record.run,
		.now = record.now,
		.run_ns = record.run_ns,
		.pending = fl_count(view, FL_PENDING),
		.started = fl_count(view, FL_STARTED),
		.free_slots = record.free_slots,
		.event = record.event,
		.bytes = LOAD_ONCE(view->view.directory->bytes),
		.scheduler_pid = LOAD_ONCE(view->cell->attachment.header->writer_pid),
		.scheduler_alive = attach_writer_alive(&view->cell->attachment),
		.prio_is_whole = record.prio_is_whole != 0,
	};
}

struct params {			/* iteration over "name\0value\0..." */
	const char *text;
	uint64_t count, at;
};

static struct params params_of(const struct fl_view *view)
{
	struct params params = { .at = 0 };

	params.text = view_table(&view->view, TABLE_PARAMS, 1, &params.count);
	return params;
}

/* Return the current text if it ends within the table. */
static const char *params_text(struct params *params)
{
	const char *text = params->text + params->at,
		   *end = params->at < params->count ? memchr(text, 0, params->count - params->at) : NULL;

	params->at = end ? (uint64_t)(end - params->text) + 1 : params->count;
	return end ? text : NULL;
}

/* Read the next parameter. Stop at an empty name, because the data after it is not valid. */
static bool params_next(struct params *params, const char **name, const char **value)
{
	*name = params_text(params);
	*value = *name && **name ? params_text(params) : NULL;
	return *value != NULL;
}

int fl_param_at(const struct fl_view *view, size_t k, const char **name, const char **value)
{
	struct params params = params_of(view);

	while (params_next(&params, name, value))
		if (k-- == 0)
			return 0;
	return -ENOENT;
}

const char *fl_param(const struct fl_view *view, const char *wanted)
{
	struct params params = params_of(view);
	const char *name, *value;

	while (params_next(&params, &name, &value))
		if (strcmp(name, wanted) == 0)
			return value;
	return NULL;
}
