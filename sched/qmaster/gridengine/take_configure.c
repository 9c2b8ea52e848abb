/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The configuration that the qmaster has told, put in force. An object that can't be used takes
 * itself out, and the rest is tried again.
 */
#include <errno.h>
#include <string.h>

#include "conf/report.h"
#include "sched/process/log.h"
#include "sched/qmaster/gridengine/inside.h"
#include "sched/sched.h"

/* The file's name within the cell: as the objects have it. */
static const char *file_of(const struct sge *g, const struct finding *f)
{
	const char *dir = sched_cell(g->sched)->dir;
	size_t n = strlen(dir);

	return strncmp(f->file, dir, n) == 0 && f->file[n] == '/' ? f->file + n + 1 : f->file;
}

/* Was any object taken out that was not before? */
static bool faults_take_out(struct sge *g, const struct report *report)
{
	bool any = false;

	for (size_t i = 0; i < report->n; i++) {
		const struct finding *f = &report->findings[i];

		any |= f->severity == FAULT && cell_objects_take_out(g->objects, file_of(g, f), f->line, f->text) == 0;
	}
	return any;
}

static void taken_out_log(struct sge *g)
{
	const char *name, *why;

	while ((name = cell_objects_tell(g->objects, &why)))
		log_line(LOG_FAILURE, "configuration of the qmaster: %s is taken out: %s", name, why);
}

int take_configure(struct sge *g, struct error *error)
{
	bool again = cell_objects_changed(g->objects);
	int rc = 0;

	if (!again)
		return 0;
	cell_objects_try_again(g->objects);
	while (again) {
		const struct cell_files *files = cell_objects_files(g->objects);
		struct report report = { 0 };

		rc = files ? sched_reload_texts(g->sched, files, &report, error) : error_set(error, -ENOMEM, "out of memory");
		again = rc == -EINVAL && faults_take_out(g, &report);
		report_free(&report);
	}
	if (rc == 0)
		cell_objects_accept(g->objects);
	taken_out_log(g);
	if (rc != -EINVAL)
		return rc;
	log_line(LOG_FAILURE, "configuration of the qmaster: %s; the one before it stays in force", error->text);
	return 0;
}
