/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/detach.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/parts.h"
#include "sched/run/records_state.h"
#include "sched/run/retell.h"

#define DIRECTORY "(detached)"		/* what findings name in place of the cell's */
#define SEGMENT_BYTES ((uint64_t)16 << 30)

static int first_fault(const struct report *report, struct error *error)
{
	for (size_t i = 0; i < report->n; i++)
		if (report->findings[i].severity == FAULT)
			return error_set(error, -EINVAL, "%.200s:%d: %s", report->findings[i].file, report->findings[i].line, report->findings[i].text);
	return error_set(error, -EINVAL, "the cell has faults");
}

/* NULL with errno set. */
static struct cell *cell_make(const struct cell_files *files, struct error *error)
{
	struct cell *cell = calloc(1, sizeof(*cell));
	struct report report = { 0 };
	int rc = cell ? cell_load_files(cell, DIRECTORY, files, &report) : -ENOMEM;

	if (rc)
		error_set(error, rc, "the cell: %s", strerror(-rc));
	else if (report.faults)
		rc = first_fault(&report, error);
	report_free(&report);
	if (rc && cell)
		cell_free(cell);
	if (rc)
		free(cell);
	errno = -rc;
	return rc ? NULL : cell;
}

static struct cell *cell_of(const struct view *view, const struct detach_options *options, struct error *error)
{
	struct cell_files files;
	struct cell *cell;
	int rc, code;

	if (options->files)
		return cell_make(options->files, error);
	rc = retell_files(view, &files);
	if (rc) {
		error_set(error, rc, "the configuration that was in force: %s", strerror(-rc));
		errno = -rc;
		return NULL;
	}
	cell = cell_make(&files, error);
	code = errno;
	cell_files_free(&files);
	errno = code;
	return cell;
}

/* The parts, of which sched_make() takes over segment and cell. */
static int make(struct sched **s, struct cell *cell, uint64_t bytes, struct error *error)
{
	struct segment segment;
	int rc = segment_create_private(&segment, bytes ? bytes : SEGMENT_BYTES, RECORDS_VERSION);

	if (rc) {
		cell_free(cell);
		free(cell);
		return error_set(error, rc, "memory of its own: %s", strerror(-rc));
	}
	rc = sched_make(s, cell, &segment);
	return rc ? error_set(error, rc, "out of memory") : 0;
}

struct rebuild {
	struct mirror *mirror;
	struct error *error;
};

static int take(void *context, const struct event *event)
{
	const struct rebuild *t = context;

	return mirror_apply(t->mirror, event, t->error);
}

static int tell(struct sched *s, const struct view *view, struct error *error)
{
	struct rebuild t = { &s->mirror, error };
	const struct retell_calls calls = { &t, take };
	const struct state_head *head = view_state(view);
	int rc = retell_events(view, &calls);

	if (rc && !*error->text)
		error_set(error, rc, "%s", rc == -ENODATA ? "no state is published" : strerror(-rc));
	sched_dispatch(s, head && LOAD_ONCE(head->dispatches));
	return rc;
}

int sched_detach(struct sched **s, const struct view *view, const struct detach_options *options, struct error *error)
{
	struct cell *cell;
	int rc;

	*s = NULL;
	error->text[0] = '\0';
	cell = cell_of(view, options, error);
	if (!cell)
		return -errno;
	rc = make(s, cell, options->segment_bytes, error);
	if (rc == 0)
		rc = tell(*s, view, error);
	if (rc) {
		sched_destroy(*s);
		*s = NULL;
	}
	return rc;
}

int sched_descriptor(const struct sched *s)
{
	return s->segment.fd;
}
