/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/fields.h"

#include <errno.h>
#include <string.h>

#include "conf/lists.h"

static size_t fields_index(const struct fields *f, const char *name)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		if (!strcmp(f->table[i].name, name))
			break;
	return i;
}

/* Whether it has a line. */
static bool fields_scan(struct fields *f)
{
	struct text *t = &f->text;
	char *line, *value;
	bool any = false;
	size_t i;

	while ((line = text_line(t))) {
		any = true;
		value = text_value(line);
		i = fields_index(f, line);
		if (i == f->n) {
			report_add(t->report, WARNING, t->path, t->number, "unknown attribute \"%.60s\": it is ignored", line);
		} else if (f->found[i].text) {
			report_add(t->report, FAULT, t->path, t->number,
				   "attribute \"%s\" appears more than once (first in line %d)", line, f->found[i].line);
		} else {
			f->found[i].text = value;
			f->found[i].line = t->number;
		}
	}
	return any;
}

/* A fault leaves the fallback in the object, so that the checks behind it can go on. */
static int field_fill(struct fields *f, size_t i, void *object, bool use_found)
{
	const struct field *field = &f->table[i];
	void *member = (char *)object + field->offset;
	struct error e = { "" };
	int rc;

	if (use_found && f->found[i].text) {
		rc = field->parse(field, member, f->found[i].text, &e);
		if (rc != -EINVAL)
			return rc;
		report_add(f->text.report, FAULT, f->text.path, f->found[i].line, "%s", e.text);
	}
	if (!field->fallback)
		return 0;
	rc = field->parse(field, member, field->fallback, NULL);
	return rc == -EINVAL ? 0 : rc;
}

static int fields_fill(struct fields *f, void *object, bool file)
{
	size_t i;
	int rc;

	for (i = 0; i < f->n; i++) {
		if (file && f->table[i].required && !f->found[i].text)
			report_add(f->text.report, FAULT, f->text.path, 0, "required attribute \"%s\" is missing",
				   f->table[i].name);
		rc = f->table[i].parse ? field_fill(f, i, object, file) : 0;
		if (rc)
			return rc;
	}
	return 0;
}

/* `blank`: what a file without a line is. */
static int fields_read_or(struct fields *f, const struct field *table, size_t n, const char *path, void *object, struct report *report, int blank)
{
	int rc, missing;

	*f = (struct fields){ .table = table, .n = n };
	missing = text_open(&f->text, path, report);
	if (missing == -ENOMEM)
		return missing;
	if (!missing && !fields_scan(f))
		missing = blank;
	rc = fields_fill(f, object, !missing);
	return rc ? rc : missing;
}

int fields_read(struct fields *f, const struct field *table, size_t n, const char *path, void *object, struct report *report)
{
	return fields_read_or(f, table, n, path, object, report, 0);
}

int fields_read_or_none(struct fields *f, const struct field *table, size_t n, const char *path, void *object, struct report *report)
{
	return fields_read_or(f, table, n, path, object, report, -ENOENT);
}

void fields_close(struct fields *f)
{
	text_close(&f->text);
}

int fields_line(const struct fields *f, const char *name)
{
	size_t i = fields_index(f, name);

	return i < f->n ? f->found[i].line : 0;
}

int fields_typed(const struct fields *f, struct pairs *typed)
{
	const char *text;
	size_t i;

	for (i = 0; i < f->n; i++) {
		text = f->found[i].text ? f->found[i].text : f->table[i].fallback;
		if (text && pairs_add(typed, f->table[i].name, text))
			return -ENOMEM;
	}
	return 0;
}
