/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The accountant's own log (Accountantnew.log): one record a line, its fields with a blank between.
 *
 *     101 KEY TYPE TYPE           a new record        105     a transaction begins
 *     102 KEY                     it is deleted       106     it ends
 *     103 KEY NAME VALUE          an attribute is set 107 N CreationTimestamp T    first line
 *     104 KEY NAME                it is deleted
 *
 * KEY is "Accountant.", "Customer.NAME" or "Resource.SLOT". A transaction counts when its end is
 * there. One that is not finished at the end of the file, and a last line that is cut, HTCondor
 * drops, too, and here it is said; behind a bad record it drops all the rest, and here that is a
 * fault.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/condor/macros.h"
#include "conf/lists.h"

enum log_operation { RECORD_NEW = 101, RECORD_DELETE, ATTRIBUTE_SET, ATTRIBUTE_DELETE, TRANSACTION_BEGIN, TRANSACTION_END, SEQUENCE };

struct log_record {
	enum log_operation operation;
	char *key, *name, *value;	/* in the line */
	int number;			/* of the line */
	size_t offset;
};

struct journal {
	struct userprio *state;
	struct log_record *held;	/* of the open transaction; the first is its begin */
	size_t nheld;
};

bool log_is_one(const char *line)
{
	return line[0] == '1' && line[1] == '0' && line[2] >= '1' && line[2] <= '7' && (!line[3] || line[3] == ' ');
}

/* Cuts the next field off; "" if there is none. */
static char *field_take(char **rest)
{
	char *field = *rest, *end = field + strcspn(field, " ");

	*rest = *end ? end + 1 : end;
	*end = '\0';
	return field;
}

static void __attribute__((format(printf, 4, 5))) record_report(const struct journal *j, enum severity severity, const struct log_record *r,
								 const char *format, ...)
{
	va_list arguments;
	char before[64];

	j->state->text.number = r->number;
	snprintf(before, sizeof(before), "record %d, byte %zu: ", r->number, r->offset);
	va_start(arguments, format);
	report_add_arguments(j->state->text.report, severity, j->state->text.path, r->number, before, format, arguments);
	va_end(arguments);
}

/* -EINVAL: it is no record. */
static int record_cut(struct log_record *r, char *line)
{
	char *rest = line;

	if (!log_is_one(field_take(&rest)))
		return -EINVAL;
	r->operation = (enum log_operation)atoi(line);
	if (r->operation == TRANSACTION_BEGIN || r->operation == TRANSACTION_END)
		return *rest ? -EINVAL : 0;
	r->key = field_take(&rest);
	r->name = field_take(&rest);
	r->value = rest;
	if (!*r->key || (r->operation == RECORD_DELETE && *r->name))
		return -EINVAL;
	if ((r->operation == ATTRIBUTE_SET || r->operation == ATTRIBUTE_DELETE) && !*r->name)
		return -EINVAL;
	return (r->operation == ATTRIBUTE_SET) == (*r->value != '\0') || r->operation == RECORD_NEW || r->operation == SEQUENCE ? 0 : -EINVAL;
}

static void customer_clear(struct condor_customer *c)
{
	free(c->name);
	*c = (struct condor_customer){ 0 };
}

static void resource_clear(struct condor_resource *r)
{
	free(r->slot);
	free(r->customer);
	*r = (struct condor_resource){ 0 };
}

/* An attribute of a record that nobody has made is tolerated, as it is by HTCondor. */
static int attribute_apply(const struct journal *j, const struct log_record *r, const struct userprio_attribute *a, void *object)
{
	struct error e = { "" };
	int rc;

	if (!a)
		return 0;
	if (r->operation == ATTRIBUTE_DELETE) {
		attribute_unset(a, object);
		return 0;
	}
	rc = attribute_set(a, object, r->value, &e);
	if (rc == -EINVAL)
		record_report(j, FAULT, r, "error parsing value \"%.60s\" of %s of %.60s: %s", r->value, a->name, r->key, e.text);
	return rc == -ENOMEM ? rc : 0;
}

static int customer_apply(const struct journal *j, const struct log_record *r, const char *name)
{
	struct condor_customer *c;
	int rc = userprio_customer(j->state, name, &c);

	if (rc)
		return rc == -EINVAL ? 0 : rc;
	if (r->operation == RECORD_DELETE)
		customer_clear(c);
	return r->operation == RECORD_NEW || r->operation == RECORD_DELETE ? 0 : attribute_apply(j, r, customer_attribute(r->name), c);
}

static int resource_apply(const struct journal *j, const struct log_record *r, const char *name)
{
	struct condor_resource *slot;
	int rc = userprio_resource(j->state, name, &slot);

	if (rc)
		return rc == -EINVAL ? 0 : rc;
	if (r->operation == RECORD_DELETE)
		resource_clear(slot);
	return r->operation == RECORD_NEW || r->operation == RECORD_DELETE ? 0 : attribute_apply(j, r, resource_attribute(r->name), slot);
}

static int record_apply(const struct journal *j, const struct log_record *r)
{
	j->state->text.number = r->number;
	if (r->operation == SEQUENCE)
		return 0;
	if (strncmp(r->key, "Customer.", 9) == 0)
		return customer_apply(j, r, r->key + 9);
	if (strncmp(r->key, "Resource.", 9) == 0)
		return resource_apply(j, r, r->key + 9);
	if (strncmp(r->key, "Accountant.", 11) == 0) {
		bool counts = (r->operation == ATTRIBUTE_SET || r->operation == ATTRIBUTE_DELETE) && strcmp(r->name, last_update_attribute.name) == 0;

		return attribute_apply(j, r, counts ? &last_update_attribute : NULL, j->state->conf);
	}
	record_report(j, WARNING, r, "key \"%.60s\" found: Accountant., Customer.NAME and Resource.SLOT are known: it is ignored", r->key);
	return 0;
}

static int record_hold(struct journal *j, const struct log_record *r)
{
	struct log_record *held = array_add(&j->held, &j->nheld, sizeof(*held));

	if (!held)
		return -ENOMEM;
	*held = *r;
	return 0;
}

static int transaction_apply(struct journal *j)
{
	int rc = 0;

	for (size_t i = 1; i < j->nheld && !rc; i++)
		rc = record_apply(j, &j->held[i]);
	free(j->held);
	j->held = NULL;
	j->nheld = 0;
	return rc;
}

static int record_take(struct journal *j, const struct log_record *r)
{
	int rc;

	if (r->operation == TRANSACTION_BEGIN && j->nheld > 0) {
		record_report(j, FAULT, r, "a transaction begins in the one of record %d, byte %zu", j->held->number, j->held->offset);
		rc = transaction_apply(j);
		return rc ? rc : record_hold(j, r);
	}
	if (r->operation == TRANSACTION_END && j->nheld == 0) {
		record_report(j, FAULT, r, "a transaction ends, and none has begun");
		return 0;
	}
	if (r->operation == TRANSACTION_END)
		return transaction_apply(j);
	if (r->operation == TRANSACTION_BEGIN || j->nheld > 0)
		return record_hold(j, r);
	return record_apply(j, r);
}

static int lines_read(struct journal *j, char *line, bool is_cut)
{
	struct text *text = &j->state->text;
	int rc = 0;

	for (; line && !rc; line = text_line(text)) {
		struct log_record r = { .number = text->number, .offset = (size_t)(line - text->bytes) };
		bool is_last = text->next >= text->end;
		char shown[64];

		snprintf(shown, sizeof(shown), "%.60s", line);
		if (is_last && is_cut)
			record_report(j, WARNING, &r, "\"%s\" found, without the end of its line: it is not taken", shown);
		else if (record_cut(&r, line))
			record_report(j, FAULT, &r, "\"%s\" found: a record of 101 to 107 with its fields is allowed. HTCondor drops all "
				      "that is behind it; take the record out if it may be lost", shown);
		else if (r.operation == SEQUENCE && r.number > 1)
			record_report(j, FAULT, &r, "107 found: it is allowed in the first line");
		else
			rc = record_take(j, &r);
	}
	return rc;
}

int log_read(struct userprio *u, char *line, bool is_cut)
{
	struct journal j = { .state = u };
	int rc = lines_read(&j, line, is_cut);

	if (j.nheld > 0 && !rc)
		record_report(&j, WARNING, &j.held[0], "a transaction begins, and its end is not there: its %zu records are not "
			      "taken", j.nheld - 1);
	free(j.held);
	return rc;
}
