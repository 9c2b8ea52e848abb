/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Activating the configuration that the qmaster has sent. An object that cannot be used is taken
 * out, and the rest is tried again.
 */
#include <errno.h>
#include <string.h>

#include "conf/base/report.h"
#include "sched/process/log.h"
#include "sched/qmaster/gridengine/inside.h"
#include "sched/sched.h"

/* Return the name of the file within the cell, as used by the objects. */
static const char *file_of(const struct sge *sge, const struct finding *finding)
{
	const char *dir = sched_cell(sge->sched)->dir;
	size_t n = strlen(dir);

	return strncmp(finding->file, dir, n) == 0 && finding->file[n] == '/' ? finding->file + n + 1 : finding->file;
}

/* Take out objects with faults. Returns whether any was not taken out before. */
static bool faults_take_out(struct sge *sge, const struct report *report)
{
	bool any = false;

	for (size_t i = 0; i < report->n; i++) {
		const struct finding *finding = &report->findings[i];

		any |= finding->severity == FAULT &&
		       cell_objects_take_out(sge->objects, file_of(sge, finding), finding->line, finding->text) == 0;
	}
	return any;
}

static void taken_out_log(struct sge *sge)
{
	const char *name, *why;

	while ((name = cell_objects_report(sge->objects, &why)))
		log_line(LOG_FAILURE, "configuration of the qmaster: %s is taken out: %s", name, why);
}

int take_configure(struct sge *sge, struct error *error)
{
	bool again = cell_objects_changed(sge->objects);
	int rc = 0;

	if (!again)
		return 0;
	cell_objects_try_again(sge->objects);
	while (again) {
		const struct cell_files *files = cell_objects_files(sge->objects);
		struct report report = { 0 };

		rc = files ? sched_reload_texts(sge->sched, files, &report, error)
			   : error_set(error, -ENOMEM, "out of memory");
		again = rc == -EINVAL && faults_take_out(sge, &report);
		report_free(&report);
	}
	if (rc == 0)
		cell_objects_accept(sge->objects);
	taken_out_log(sge);
	if (rc != -EINVAL)
		return rc;
	log_line(LOG_FAILURE, "configuration of the qmaster: %s; the previous one stays active", error->text);
	return 0;
}
