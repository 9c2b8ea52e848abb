/* SPDX-License-Identifier: Apache-2.0 */
/* Records of sacct -P with several lines, because users have put newlines into a text. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/trace/inside.h"

static size_t fields_of(const char *line, size_t bytes)
{
	size_t n = 1;

	for (size_t i = 0; i < bytes; i++)
		n += line[i] == '|';
	return n;
}

/* Return the smallest number of pieces of a complete record: its '|', and one. */
static size_t fields_due(const struct sacct *sacct)
{
	return sacct->n + sacct->trailing;
}

/* Report that the open record is not complete, with the line in which it begins. */
static int fault_at_begin(struct trace *trace, struct error *error)
{
	uint64_t here = trace->lines.number;
	int rc;

	trace->lines.number = trace->sacct.open_line;
	rc = trace_fault(trace, error, "%zu fields; the header has %zu", trace->sacct.open_fields,
			 trace->sacct.n);
	trace->lines.number = here;
	return rc;
}

static int open_append(struct trace *trace, const char *line, size_t n, size_t fields, struct error *error)
{
	struct sacct *sacct = &trace->sacct;
	size_t blank = sacct->open != NULL;
	char *more;

	if (sacct->open_bytes + blank + n >= LINE_MOST)
		return fault_at_begin(trace, error);
	more = realloc(sacct->open, sacct->open_bytes + blank + n + 1);
	if (!more)
		return error_set(error, -ENOMEM, "out of memory");
	if (blank)
		more[sacct->open_bytes++] = ' ';
	else
		sacct->open_line = trace->lines.number;
	memcpy(more + sacct->open_bytes, line, n);
	sacct->open = more;
	sacct->open_bytes += n;
	sacct->open_fields = blank ? sacct->open_fields + fields - 1 : fields;
	more[sacct->open_bytes] = '\0';
	return 0;
}

int sacct_join(struct trace *trace, char **line, size_t *n, struct error *error)
{
	struct sacct *sacct = &trace->sacct;
	size_t fields = fields_of(*line, *n);
	int rc;

	if (sacct->open_bytes == 0) {
		sacct_free(sacct);		/* the last record, which was complete */
		if (fields >= fields_due(sacct) || fields <= sacct->first_free)
			return 0;
	} else if (fields >= fields_due(sacct)) {
		return fault_at_begin(trace, error);
	}
	rc = open_append(trace, *line, *n, fields, error);
	if (rc || sacct->open_fields < fields_due(sacct))
		return rc ? rc : TAKE_NONE;
	*line = sacct->open;
	*n = sacct->open_bytes;
	sacct->open_bytes = 0;
	return 0;
}

int sacct_end(struct trace *trace, struct error *error)
{
	return trace->sacct.open_bytes ? fault_at_begin(trace, error) : 0;
}

void sacct_free(struct sacct *sacct)
{
	free(sacct->open);
	sacct->open = NULL;
	sacct->open_bytes = 0;
}
