/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reader of the accountant's own log (Accountantnew.log): one record per line, fields separated by
 * one blank.
 *
 *     101 KEY TYPE TYPE           a new record        105     a transaction begins
 *     102 KEY                     it is deleted       106     it ends
 *     103 KEY NAME VALUE          an attribute is set 107 N CreationTimestamp T    first line
 *     104 KEY NAME                it is deleted
 *
 * KEY is "Accountant.", "Customer.NAME" or "Resource.SLOT". A transaction is valid only if its end
 * exists. HTCondor drops a transaction that is not finished at the end of the file and a last line
 * that is truncated. Fairlead drops them too and reports it. After an invalid record HTCondor drops
 * all the rest, while Fairlead reports a fault.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/condor/macros.h"
#include "conf/lists.h"

enum log_operation {
	RECORD_NEW = 101,
	RECORD_DELETE,
	ATTRIBUTE_SET,
	ATTRIBUTE_DELETE,
	TRANSACTION_BEGIN,
	TRANSACTION_END,
	SEQUENCE
};

struct log_record {
	enum log_operation operation;
	char *key, *name, *value;	/* pointers into the line */
	int number;			/* line number */
	size_t offset;
};

struct journal {
	struct userprio *state;
	/* records of the open transaction; the first one is its beginning */
	struct log_record *held;
	size_t nheld;
};

bool log_is_one(const char *line)
{
	return line[0] == '1' && line[1] == '0' && line[2] >= '1' && line[2] <= '7' && (!line[3] || line[3] == ' ');
}

/* Cut off the next field, "" if there is none. */
static char *field_take(char **rest)
{
	char *field = *rest, *end = field + strcspn(field, " ");

	*rest = *end ? end + 1 : end;
	*end = '\0';
	return field;
}

static void __attribute__((format(printf, 4, 5)))
record_report(const struct journal *journal, enum severity severity, const struct log_record *record,
	      const char *format, ...)
{
	va_list arguments;
	char before[64];

	journal->state->text.number = record->number;
	snprintf(before, sizeof(before), "record %d, byte %zu: ", record->number, record->offset);
	va_start(arguments, format);
	report_add_arguments(journal->state->text.report, severity, journal->state->text.path, record->number, before,
			     format, arguments);
	va_end(arguments);
}

/* Split a line into a record. Returns -EINVAL if it is not a record. */
static int record_cut(struct log_record *record, char *line)
{
	char *rest = line;

	if (!log_is_one(field_take(&rest)))
		return -EINVAL;
	record->operation = (enum log_operation)atoi(line);
	if (record->operation == TRANSACTION_BEGIN || record->operation == TRANSACTION_END)
		return *rest ? -EINVAL : 0;
	record->key = field_take(&rest);
	record->name = field_take(&rest);
	record->value = rest;
	if (!*record->key || (record->operation == RECORD_DELETE && *record->name))
		return -EINVAL;
	if ((record->operation == ATTRIBUTE_SET || record->operation == ATTRIBUTE_DELETE) && !*record->name)
		return -EINVAL;
	return (record->operation == ATTRIBUTE_SET) == (*record->value != '\0') || record->operation == RECORD_NEW ||
			       record->operation == SEQUENCE
		       ? 0
		       : -EINVAL;
}

static void customer_clear(struct condor_customer *customer)
{
	free(customer->name);
	*customer = (struct condor_customer){ 0 };
}

static void resource_clear(struct condor_resource *resource)
{
	free(resource->slot);
	free(resource->customer);
	*resource = (struct condor_resource){ 0 };
}

/*
 * Apply an attribute. An attribute of a record that was never created is tolerated, as in HTCondor.
 */
static int attribute_apply(const struct journal *journal, const struct log_record *record,
			   const struct userprio_attribute *attribute, void *object)
{
	struct error error = { "" };
	int rc;

	if (!attribute)
		return 0;
	if (record->operation == ATTRIBUTE_DELETE) {
		attribute_unset(attribute, object);
		return 0;
	}
	rc = attribute_set(attribute, object, record->value, &error);
	if (rc == -EINVAL)
		record_report(journal, FAULT, record, "error parsing value \"%.60s\" of %s of %.60s: %s", record->value,
			      attribute->name, record->key, error.text);
	return rc == -ENOMEM ? rc : 0;
}

static int customer_apply(const struct journal *journal, const struct log_record *record, const char *name)
{
	struct condor_customer *customer;
	int rc = userprio_customer(journal->state, name, &customer);

	if (rc)
		return rc == -EINVAL ? 0 : rc;
	if (record->operation == RECORD_DELETE)
		customer_clear(customer);
	return record->operation == RECORD_NEW || record->operation == RECORD_DELETE
		       ? 0
		       : attribute_apply(journal, record, customer_attribute(record->name), customer);
}

static int resource_apply(const struct journal *journal, const struct log_record *record, const char *name)
{
	struct condor_resource *slot;
	int rc = userprio_resource(journal->state, name, &slot);

	if (rc)
		return rc == -EINVAL ? 0 : rc;
	if (record->operation == RECORD_DELETE)
		resource_clear(slot);
	return record->operation == RECORD_NEW || record->operation == RECORD_DELETE
		       ? 0
		       : attribute_apply(journal, record, resource_attribute(record->name), slot);
}

static int record_apply(const struct journal *journal, const struct log_record *record)
{
	journal->state->text.number = record->number;
	if (record->operation == SEQUENCE)
		return 0;
	if (strncmp(record->key, "Customer.", 9) == 0)
		return customer_apply(journal, record, record->key + 9);
	if (strncmp(record->key, "Resource.", 9) == 0)
		return resource_apply(journal, record, record->key + 9);
	if (strncmp(record->key, "Accountant.", 11) == 0) {
		bool counts = (record->operation == ATTRIBUTE_SET || record->operation == ATTRIBUTE_DELETE) &&
			      strcmp(record->name, last_update_attribute.name) == 0;

		return attribute_apply(journal, record, counts ? &last_update_attribute : NULL, journal->state->conf);
	}
	record_report(journal, WARNING, record,
		      "key \"%.60s\" found: Accountant., Customer.NAME and Resource.SLOT are known: it is ignored",
		      record->key);
	return 0;
}

static int record_hold(struct journal *journal, const struct log_record *record)
{
	struct log_record *held = array_add(&journal->held, &journal->nheld, sizeof(*held));

	if (!held)
		return -ENOMEM;
	*held = *record;
	return 0;
}

static int transaction_apply(struct journal *journal)
{
	int rc = 0;

	for (size_t i = 1; i < journal->nheld && !rc; i++)
		rc = record_apply(journal, &journal->held[i]);
	free(journal->held);
	journal->held = NULL;
	journal->nheld = 0;
	return rc;
}

static int record_take(struct journal *journal, const struct log_record *record)
{
	int rc;

	if (record->operation == TRANSACTION_BEGIN && journal->nheld > 0) {
		record_report(journal, FAULT, record, "a transaction begins within the one of record %d, byte %zu",
			      journal->held->number, journal->held->offset);
		rc = transaction_apply(journal);
		return rc ? rc : record_hold(journal, record);
	}
	if (record->operation == TRANSACTION_END && journal->nheld == 0) {
		record_report(journal, FAULT, record, "a transaction ends, and none has begun");
		return 0;
	}
	if (record->operation == TRANSACTION_END)
		return transaction_apply(journal);
	if (record->operation == TRANSACTION_BEGIN || journal->nheld > 0)
		return record_hold(journal, record);
	return record_apply(journal, record);
}

static int lines_read(struct journal *journal, char *line, bool is_cut)
{
	struct text *text = &journal->state->text;
	int rc = 0;

	for (; line && !rc; line = text_line(text)) {
		struct log_record record = { .number = text->number, .offset = (size_t)(line - text->bytes) };
		bool is_last = text->next >= text->end;
		char shown[64];

		snprintf(shown, sizeof(shown), "%.60s", line);
		if (is_last && is_cut)
			record_report(journal, WARNING, &record,
				      "\"%s\" found without an end of line: it is ignored", shown);
		else if (record_cut(&record, line))
			record_report(
				journal, FAULT, &record,
				"\"%s\" found: a record of 101 to 107 with its fields is allowed. HTCondor drops "
				"everything after it; remove the record if it may be lost",
				shown);
		else if (record.operation == SEQUENCE && record.number > 1)
			record_report(journal, FAULT, &record, "107 found: it is allowed in the first line");
		else
			rc = record_take(journal, &record);
	}
	return rc;
}

int log_read(struct userprio *userprio, char *line, bool is_cut)
{
	struct journal journal = { .state = userprio };
	int rc = lines_read(&journal, line, is_cut);

	if (journal.nheld > 0 && !rc)
		record_report(&journal, WARNING, &journal.held[0],
			      "a transaction begins and has no end: its %zu records are ignored",
			      journal.nheld - 1);
	free(journal.held);
	return rc;
}
