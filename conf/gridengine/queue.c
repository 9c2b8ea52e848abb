/* SPDX-License-Identifier: Apache-2.0 */
/* queue_conf(5): each attribute has a default, and overrides for hosts and host groups */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "conf/gridengine/queue_forms.h"
#include "conf/gridengine/readers.h"
#include "conf/text.h"

#define SEPARATORS ", \t"

static void line_fault(const struct text *text, const char *attribute, const char *value, const char *why)
{
	report_add(text->report, FAULT, text->path, text->number, "error parsing value \"%.60s\" of %s: %s", value,
		   attribute, why);
}

static void value_clear(struct queue_value *value)
{
	size_t i;

	for (i = 0; i < value->noverrides; i++) {
		free(value->overrides[i].where);
		free(value->overrides[i].value);
	}
	free(value->overrides);
	free(value->name);
	free(value->value);
}

static int override_add(const struct text *t, struct queue_value *value, const char *where, const char *text)
{
	struct value_override *override = array_add(&value->overrides, &value->noverrides, sizeof(*override));
	struct error error;

	if (!override)
		return -ENOMEM;
	override->where = strdup(where);
	override->value = strdup(text);
	if (!override->where || !override->value)
		return -ENOMEM;
	if (name_check(where + (*where == '@'), &error) || queue_form_check(value->name, text, &error))
		line_fault(t, value->name, text, error.text);
	return 0;
}

/* Read the part after the default: [where=value] with separators between them. */
static int overrides_parse(const struct text *text, struct queue_value *value, char *rest)
{
	char *end, *equals;
	int rc = 0;

	while (!rc && *(rest += strspn(rest, SEPARATORS))) {
		end = strchr(rest, ']');
		equals = strchr(rest, '=');
		if (*rest != '[' || !end || !equals || equals > end) {
			line_fault(text, value->name, rest,
				   "[host=value] or [@hostgroup=value] is allowed after the default");
			return 0;
		}
		*end = *equals = '\0';
		rc = override_add(text, value, rest + 1, equals + 1);
		rest = end + 1;
	}
	return rc;
}

static int override_compare(const void *a, const void *b)
{
	const struct value_override *const *x = a, *const *y = b;

	return strcmp((*x)->where, (*y)->where);
}

/*
 * Warn about an override that is never used because another one precedes it. Such an override is a
 * mistake.
 */
static int overrides_check_unique(const struct text *text, const struct queue_value *value)
{
	const struct value_override **sorted;
	size_t i, n = value->noverrides;

	if (n < 2)
		return 0;
	sorted = reallocarray(NULL, n, sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		sorted[i] = &value->overrides[i];
	qsort(sorted, n, sizeof(*sorted), override_compare);
	for (i = 1; i < n; i++)
		if (!strcmp(sorted[i - 1]->where, sorted[i]->where))
			line_fault(text, value->name, sorted[i]->where, "it has more than one override");
	free(sorted);
	return 0;
}

/* Return the '[' that ends the default. It is at the beginning or directly after a separator. */
static char *default_end(char *text)
{
	char *at = text;

	while ((at = strchr(at, '[')) && at > text && !strchr(SEPARATORS, at[-1]))
		at++;
	return at ? at : text + strlen(text);
}

static int value_parse(const struct text *t, struct queue_value *value, char *text)
{
	char *rest = default_end(text), *end = rest;
	struct error error;
	int rc;

	while (end > text && strchr(SEPARATORS, end[-1]))
		end--;
	value->value = strndup(text, (size_t)(end - text));
	if (!value->value)
		return -ENOMEM;
	if (*rest && end == text)
		line_fault(t, value->name, rest, "a default is needed before the overrides");
	else if (queue_form_check(value->name, value->value, &error))
		line_fault(t, value->name, value->value, error.text);
	rc = overrides_parse(t, value, rest);
	return rc ? rc : overrides_check_unique(t, value);
}

static int attribute_read(const struct text *t, struct queue *queue, const char *name, char *text)
{
	struct queue_value *value;
	struct error error;

	if (!strcmp(name, "hostlist"))
		return strlist_parse(&queue->hostlist, text, &error);
	if (!strcmp(name, "qname")) {
		if (name_check(text, &error)) {
			line_fault(t, name, text, error.text);
			return 0;
		}
		queue->name = strdup(text);
		return queue->name ? 0 : -ENOMEM;
	}
	value = array_add(&queue->values, &queue->nvalues, sizeof(*value));
	if (!value || !(value->name = strdup(name)))
		return -ENOMEM;
	value->line = t->number;
	return value_parse(t, value, text);
}

/* Line of each attribute in a file, 0 if it has not been found yet. */
struct seen {
	int line[QUEUE_ATTRIBUTES];
};

static int line_read(const struct text *t, struct queue *queue, struct seen *seen, char *line)
{
	char *text = text_value(line);
	int at = queue_attribute(line);

	if (at < 0) {
		report_add(t->report, WARNING, t->path, t->number, "unknown attribute \"%.60s\": it is ignored", line);
		return 0;
	}
	if (seen->line[at] > 0) {
		report_add(t->report, FAULT, t->path, t->number,
			   "attribute \"%s\" appears more than once (first in line %d)", line, seen->line[at]);
		return 0;
	}
	seen->line[at] = t->number;
	return attribute_read(t, queue, line, text);
}

static int queue_read(struct reader *reader, const char *path, void *item)
{
	static const char *const required[] = { "qname", "hostlist", "seq_no", "slots" };
	struct seen seen = { { 0 } };
	struct text text;
	int rc = text_open(&text, path, reader->report);
	size_t i;
	char *line;

	if (rc)
		return rc;
	while (!rc && (line = text_line(&text)))
		rc = line_read(&text, item, &seen, line);
	for (i = 0; i < sizeof(required) / sizeof(*required); i++)
		if (!rc && seen.line[queue_attribute(required[i])] == 0)
			report_add(reader->report, FAULT, path, 0, "required attribute \"%s\" is missing", required[i]);
	text_close(&text);
	return rc;
}

static void queue_clear(void *item)
{
	struct queue *queue = item;
	size_t i;

	for (i = 0; i < queue->nvalues; i++)
		value_clear(&queue->values[i]);
	free(queue->values);
	free(queue->name);
	strlist_free(&queue->hostlist);
}

const struct kind kind_queues = { KIND("queue", queues, struct queue), .read = queue_read, .clear = queue_clear };
