/* SPDX-License-Identifier: Apache-2.0 */
/* Path of a cell's accounting file, and reading of its lines. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sched/client/trouble.h"
#include "sched/cli/acct/acct.h"
#include "sched/trace/lines.h"

#define FAULTS_REPORTED 10		/* faulty lines of a file that are reported one by one */
#define TRIES 100		/* attempts to read one run, like section_run() */

/* Copy the path. Return 0, -ESTALE, -ENOMEM, or -ENOENT if the run does not have it. */
static int path_copy(struct fl_cell *handle, char **path)
{
	const struct fl_view *view = fl_begin(handle);
	struct fl_files files;
	int rc = fl_files(view, &files);

	free(*path);
	*path = rc ? NULL : strdup(files.accounting);
	return fl_end(handle) ? -ESTALE : rc ? rc : !*path ? -ENOMEM : !**path ? -ENOENT : 0;
}

int acct_path(struct messages *messages, const char *cell, char **path)
{
	struct fl_cell *handle;
	int rc = fl_attach(&handle, cell);

	*path = NULL;
	if (rc)
		return cell_attach_failed(messages, cell, rc);
	rc = -ESTALE;
	for (int k = 0; k < TRIES && rc == -ESTALE; k++)
		rc = path_copy(handle, path);
	fl_detach(handle);
	if (rc == 0)
		return EXIT_OK;
	free(*path);
	*path = NULL;
	if (rc == -ENOENT)
		return message_add(messages, EXIT_NO_DATA, NULL,
				"%s: the accounting file of its qmaster is not known; name it with -f FILE", cell);
	return message_add(messages, EXIT_NO_DATA, NULL,
			rc == -ENOMEM ? "no memory" : "%s: no run stayed published long enough to be read", cell);
}

static void fault_report(struct messages *messages, const struct trace_lines *lines, const struct error *error,
			 uint64_t *faults)
{
	if (++*faults <= FAULTS_REPORTED)
		message_add(messages, EXIT_OK, NULL, "%s:%" PRIu64 ": %s; the line is left out", lines->path,
			    lines->number, error->text);
	else if (*faults == FAULTS_REPORTED + 1)
		message_add(messages, EXIT_OK, NULL, "%s: further faulty lines are only counted", lines->path);
}

/* Read a line. Return 1 at the end of the file. */
static int line_take(struct messages *messages, struct trace_lines *lines, acct_take *take, void *context,
		     uint64_t *faults)
{
	struct accounting_record record;
	struct error error;
	char *line;
	size_t n;
	int rc = trace_lines_next(lines, &line, &n, &error);

	if (rc == 1)
		return 1;
	if (rc) {
		message_add(messages, EXIT_NO_DATA, NULL, "%s", error.text);
		return -1;
	}
	if (accounting_is_blank(line))
		return 0;
	if (accounting_record(line, &record, &error)) {
		fault_report(messages, lines, &error, faults);
		return 0;
	}
	rc = take(context, &record);
	return rc < 0 ? rc : 0;
}

int acct_read(struct messages *messages, const char *path, acct_take *take, void *context, uint64_t *faults)
{
	struct trace_lines lines = { .path = NULL };
	struct error error;
	int rc = trace_lines_open(&lines, path, &error);

	*faults = 0;
	if (rc == 0)
		while ((rc = line_take(messages, &lines, take, context, faults)) == 0)
			;
	else
		rc = message_add(messages, EXIT_NO_DATA, NULL, "%s", error.text) ? -1 : 0;
	trace_lines_close(&lines);
	if (*faults > FAULTS_REPORTED)
		message_add(messages, EXIT_OK, NULL, "%s: %" PRIu64 " lines are left out", path, *faults);
	return rc == 1 ? 0 : rc;
}
