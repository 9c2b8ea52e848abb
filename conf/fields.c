/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/fields.h"

#include <errno.h>
#include <string.h>

#include "conf/lists.h"

static size_t fields_index(const struct fields *fields, const char *name)
{
	size_t i;

	for (i = 0; i < fields->n; i++)
		if (!strcmp(fields->table[i].name, name))
			break;
	return i;
}

/* Read the lines and return true if there is at least one. */
static bool fields_scan(struct fields *fields)
{
	struct text *text = &fields->text;
	char *line, *value;
	bool any = false;
	size_t i;

	while ((line = text_line(text))) {
		any = true;
		value = text_value(line);
		i = fields_index(fields, line);
		if (i == fields->n) {
			report_add(text->report, WARNING, text->path, text->number,
				   "unknown attribute \"%.60s\": it is ignored", line);
		} else if (fields->found[i].text) {
			report_add(text->report, FAULT, text->path, text->number,
				   "attribute \"%s\" appears more than once (first in line %d)", line,
				   fields->found[i].line);
		} else {
			fields->found[i].text = value;
			fields->found[i].line = text->number;
		}
	}
	return any;
}

/*
 * Set a member of the object. After a fault the object has the fallback, so that later checks can
 * continue.
 */
static int field_fill(struct fields *fields, size_t i, void *object, bool use_found)
{
	const struct field *field = &fields->table[i];
	void *member = (char *)object + field->offset;
	struct error error = { "" };
	int rc;

	if (use_found && fields->found[i].text) {
		rc = field->parse(field, member, fields->found[i].text, &error);
		if (rc != -EINVAL)
			return rc;
		report_add(fields->text.report, FAULT, fields->text.path, fields->found[i].line, "%s", error.text);
	}
	if (!field->fallback)
		return 0;
	rc = field->parse(field, member, field->fallback, NULL);
	return rc == -EINVAL ? 0 : rc;
}

static int fields_fill(struct fields *fields, void *object, bool file)
{
	size_t i;
	int rc;

	for (i = 0; i < fields->n; i++) {
		if (file && fields->table[i].required && !fields->found[i].text)
			report_add(fields->text.report, FAULT, fields->text.path, 0,
				   "required attribute \"%s\" is missing", fields->table[i].name);
		rc = fields->table[i].parse ? field_fill(fields, i, object, file) : 0;
		if (rc)
			return rc;
	}
	return 0;
}

/* Read a file. `blank` is the result for a file without any line. */
static int fields_read_or(struct fields *fields, const struct field *table, size_t n, const char *path, void *object,
			  struct report *report, int blank)
{
	int rc, missing;

	*fields = (struct fields){ .table = table, .n = n };
	missing = text_open(&fields->text, path, report);
	if (missing == -ENOMEM)
		return missing;
	if (!missing && !fields_scan(fields))
		missing = blank;
	rc = fields_fill(fields, object, !missing);
	return rc ? rc : missing;
}

int fields_read(struct fields *fields, const struct field *table, size_t n, const char *path, void *object,
		struct report *report)
{
	return fields_read_or(fields, table, n, path, object, report, 0);
}

int fields_read_or_none(struct fields *fields, const struct field *table, size_t n, const char *path, void *object,
			struct report *report)
{
	return fields_read_or(fields, table, n, path, object, report, -ENOENT);
}

void fields_close(struct fields *fields)
{
	text_close(&fields->text);
}

int fields_line(const struct fields *fields, const char *name)
{
	size_t i = fields_index(fields, name);

	return i < fields->n ? fields->found[i].line : 0;
}

int fields_typed(const struct fields *fields, struct pairs *typed)
{
	const char *text;
	size_t i;

	for (i = 0; i < fields->n; i++) {
		text = fields->found[i].text ? fields->found[i].text : fields->table[i].fallback;
		if (text && pairs_add(typed, fields->table[i].name, text))
			return -ENOMEM;
	}
	return 0;
}
