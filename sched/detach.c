/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/detach.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/parts.h"
#include "sched/run/records_state.h"
#include "sched/run/resend.h"

#define DIRECTORY "(detached)"		/* name that findings show instead of a cell directory */
#define SEGMENT_BYTES ((uint64_t)16 << 30)

static int first_fault(const struct report *report, struct error *error)
{
	for (size_t i = 0; i < report->n; i++)
		if (report->findings[i].severity == FAULT)
			return error_set(error, -EINVAL, "%.200s:%d: %s", report->findings[i].file,
					 report->findings[i].line, report->findings[i].text);
	return error_set(error, -EINVAL, "the cell has faults");
}

/* Load a cell from `files`, or from the directory if `files` is NULL. */
static int cell_make(struct cell **result, const char *directory, const struct cell_files *files,
		     struct report *report, struct error *error)
{
	struct cell *cell = calloc(1, sizeof(*cell));
	size_t before = report->faults;
	int rc;

	if (!cell)
		return error_set(error, -ENOMEM, "the cell %.100s: %s", directory, strerror(ENOMEM));
	rc = files ? cell_load_files(cell, directory, files, report) : cell_load(cell, directory, report);
	if (rc)
		error_set(error, rc, "the cell %.100s: %s", directory, strerror(-rc));
	else if (report->faults > before)
		rc = first_fault(report, error);
	if (rc)
		goto undo;
	*result = cell;
	return 0;
undo:
	cell_free(cell);
	free(cell);
	return rc;
}

static int cell_of_files(struct cell **result, const struct cell_files *files, struct error *error)
{
	struct report report = { 0 };
	int rc = cell_make(result, DIRECTORY, files, &report, error);

	report_free(&report);
	return rc;
}

static int cell_of(struct cell **result, const struct view *view, const struct detach_options *options,
		   struct error *error)
{
	struct cell_files files;
	int rc;

	if (options->files)
		return cell_of_files(result, options->files, error);
	rc = resend_files(view, &files);
	if (rc)
		return error_set(error, rc, "cannot read the published configuration: %s", strerror(-rc));
	rc = cell_of_files(result, &files, error);
	cell_files_free(&files);
	return rc;
}

/* Create the scheduler and a private segment. sched_make() takes ownership of segment and cell. */
static int make(struct sched **sched, struct cell *cell, uint64_t bytes, struct error *error)
{
	struct segment segment;
	int rc = segment_create_private(&segment, bytes ? bytes : SEGMENT_BYTES, RECORDS_VERSION);

	if (rc) {
		cell_free(cell);
		free(cell);
		return error_set(error, rc, "cannot create private memory for the scheduler: %s", strerror(-rc));
	}
	rc = sched_make(sched, cell, &segment);
	return rc ? error_set(error, rc, "out of memory") : 0;
}

struct rebuild {
	struct mirror *mirror;
	const struct detach_options *options;
	struct error *error;
};

static int take(void *context, const struct event *event)
{
	const struct rebuild *rebuild = context;
	struct event edited;

	if (!rebuild->options->edit && event->type != EVENT_SCHEDULER_STATE)
		return mirror_apply(rebuild->mirror, event, rebuild->error);
	edited = *event;
	if (edited.type == EVENT_SCHEDULER_STATE)
		edited.scheduler.reconfigured = rebuild->options->files != NULL;
	if (rebuild->options->edit)
		rebuild->options->edit(rebuild->options->context, &edited);
	return mirror_apply(rebuild->mirror, &edited, rebuild->error);
}

static int take_like(void *context, const struct job_like *like)
{
	const struct rebuild *rebuild = context;

	return mirror_job_add_like(rebuild->mirror, like, rebuild->error);
}

static uint32_t row_of(void *context, uint32_t job_number)
{
	const struct rebuild *rebuild = context;

	return mirror_job_row(rebuild->mirror, job_number);
}

/*
 * Return whether the QOS of jobs may depend on their class. It does not if the run computed Slurm's
 * priorities, because then the QOS of each job is replayed.
 */
static bool depends_on_class(const struct sched *sched, const struct view *view)
{
	return sched->cell->slurm.qos_by_association && !LOAD_ONCE(records_run(view)->columns_at[COLUMNS_MULTIFACTOR]);
}

static int replay(struct sched *sched, const struct view *view, const struct detach_options *options,
		  struct error *error)
{
	struct rebuild rebuild = { &sched->mirror, options, error };
	const struct resend_calls calls = { &rebuild, take, depends_on_class(sched, view) ? NULL : take_like, row_of,
					    options->without_jobs };
	const struct state_head *head = view_state(view);
	int rc = resend_events(view, &calls);

	if (rc && !*error->text)
		error_set(error, rc, "%s", rc == -ENODATA ? "no state is published" : strerror(-rc));
	sched_dispatch(sched, head && LOAD_ONCE(head->dispatches) != RUN_ORDERS_NOTHING);
	sched_pause(sched, head && LOAD_ONCE(head->dispatches) == RUN_PAUSED);
	return rc;
}

int sched_detach(struct sched **sched, const struct view *view, const struct detach_options *options,
		 struct error *error)
{
	struct cell *cell;
	int rc;

	*sched = NULL;
	error->text[0] = '\0';
	rc = cell_of(&cell, view, options, error);
	if (rc == 0)
		rc = make(sched, cell, options->segment_bytes, error);
	if (rc == 0)
		rc = replay(*sched, view, options, error);
	if (rc) {
		sched_destroy(*sched);
		*sched = NULL;
	}
	return rc;
}

int sched_create_detached(struct sched **sched, const char *directory, const struct cell_files *texts,
			  uint64_t segment_bytes, struct report *report, struct error *error)
{
	struct cell *cell;
	int rc = cell_make(&cell, directory, texts, report, error);

	*sched = NULL;
	return rc ? rc : make(sched, cell, segment_bytes, error);
}

int sched_descriptor(const struct sched *sched)
{
	return sched->segment.fd;
}
