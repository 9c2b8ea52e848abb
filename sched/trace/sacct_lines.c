/* SPDX-License-Identifier: Apache-2.0 */
/* Records of sacct -P that are longer than a line, since users have put ends of lines into a text. */
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

/* Return the number of '|' and one that a whole record has at least. */
static size_t fields_due(const struct sacct *s)
{
	return s->n + s->trailing;
}

/* The record that is open is not completed: report that under the line in which it begins. */
static int fault_at_begin(struct trace *t, struct error *e)
{
	uint64_t here = t->lines.number;
	int rc;

	t->lines.number = t->sacct.open_line;
	rc = trace_fault(t, e, "%zu fields, where the header has %zu", t->sacct.open_fields, t->sacct.n);
	t->lines.number = here;
	return rc;
}

static int open_append(struct trace *t, const char *line, size_t n, size_t fields, struct error *e)
{
	struct sacct *s = &t->sacct;
	size_t blank = s->open != NULL;
	char *more;

	if (s->open_bytes + blank + n >= LINE_MOST)
		return fault_at_begin(t, e);
	more = realloc(s->open, s->open_bytes + blank + n + 1);
	if (!more)
		return error_set(e, -ENOMEM, "out of memory");
	if (blank)
		more[s->open_bytes++] = ' ';
	else
		s->open_line = t->lines.number;
	memcpy(more + s->open_bytes, line, n);
	s->open = more;
	s->open_bytes += n;
	s->open_fields = blank ? s->open_fields + fields - 1 : fields;
	more[s->open_bytes] = '\0';
	return 0;
}

int sacct_join(struct trace *t, char **line, size_t *n, struct error *e)
{
	struct sacct *s = &t->sacct;
	size_t fields = fields_of(*line, *n);
	int rc;

	if (s->open_bytes == 0) {
		sacct_free(s);		/* the last one, which was whole */
		if (fields >= fields_due(s) || fields <= s->first_free)
			return 0;
	} else if (fields >= fields_due(s)) {
		return fault_at_begin(t, e);
	}
	rc = open_append(t, *line, *n, fields, e);
	if (rc || s->open_fields < fields_due(s))
		return rc ? rc : TAKE_NONE;
	*line = s->open;
	*n = s->open_bytes;
	s->open_bytes = 0;
	return 0;
}

int sacct_end(struct trace *t, struct error *e)
{
	return t->sacct.open_bytes ? fault_at_begin(t, e) : 0;
}

void sacct_free(struct sacct *s)
{
	free(s->open);
	s->open = NULL;
	s->open_bytes = 0;
}
