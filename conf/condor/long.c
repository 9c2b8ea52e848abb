/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reader of the output of `condor_userprio -long -allusers`: lines "Attribute = value". Numbered
 * attributes (-legacy) belong to the record with their number, others (-modular) to the record that
 * ends with a blank line. Priority is the effective priority there: the real one times the factor.
 * Records of groups have no factor.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/condor/macros.h"
#include "conf/lists.h"

struct long_record {
	struct condor_customer customer;	/* the name is NULL until it is read */
	int line;				/* first line */
	bool has_priority;
};

struct long_text {
	struct userprio *state;
	/* numbers as written; the index of a number is the index of its record */
	struct text_set numbers;
	struct long_record *records;
	size_t n;
	/* record of the lines without numbers; INDEX_NONE: none yet */
	uint32_t modular;
};

static struct long_record *record_add(struct long_text *text)
{
	struct long_record *record = array_add(&text->records, &text->n, sizeof(*record));

	if (record)
		*record = (struct long_record){ .customer = { .weight_accumulated = -1, .ceiling = -1 },
						.line = text->state->text.number };
	return record;
}

/* Find or add the record with a number. Returns -E2BIG if there are too many records. */
static int record_of_number(struct long_text *text, const char *digits, struct long_record **record)
{
	uint32_t number;
	int rc;

	if (text->n >= USERPRIO_MOST && text_set_find(&text->numbers, digits) == INDEX_NONE)
		return -E2BIG;
	rc = text_set_add(&text->numbers, digits, &number);
	if (!rc && number == text->n && !record_add(text))
		rc = -ENOMEM;
	*record = rc ? NULL : &text->records[number];
	return rc;
}

/*
 * Find or add the current record without a number. It gets its line number as its number, so that
 * all records are in one table.
 */
static int record_of_lines(struct long_text *text, struct long_record **record)
{
	char digits[24];
	int rc = 0;

	if (text->modular == INDEX_NONE) {
		snprintf(digits, sizeof(digits), "line %d", text->state->text.number);
		rc = record_of_number(text, digits, record);
		text->modular = rc ? INDEX_NONE : (uint32_t)(*record - text->records);
	}
	*record = rc ? NULL : &text->records[text->modular];
	return rc;
}

static int name_take(struct long_text *text, struct long_record *record, const char *value)
{
	int rc;
	char *name = attribute_text(value, &rc);

	if (rc == -EINVAL)
		userprio_report(text->state, FAULT,
				"error parsing value \"%.60s\" of Name: a text in \"quotes\" is allowed", value);
	if (!name)
		return rc == -EINVAL ? 0 : rc;
	free(record->customer.name);
	record->customer.name = name;
	return 0;
}

static int value_take(struct long_text *text, struct long_record *record, const char *name, const char *value)
{
	const struct userprio_attribute *attribute = customer_attribute(name);
	struct error error = { "" };
	int rc;

	if (strcasecmp(name, "Name") == 0)
		return name_take(text, record, value);
	if (!attribute || strcasecmp(value, "undefined") == 0)
		return 0;
	rc = attribute_set(attribute, &record->customer, value, &error);
	if (rc == -EINVAL)
		userprio_report(text->state, FAULT, "error parsing value \"%.60s\" of %s: %s", value, name, error.text);
	record->has_priority |= !rc && strcmp(attribute->name, "Priority") == 0;
	return rc == -ENOMEM ? rc : 0;
}

static int update_take(struct long_text *text, const char *value)
{
	struct error error = { "" };

	if (attribute_set(&last_update_attribute, text->state->conf, value, &error))
		userprio_report(text->state, FAULT, "error parsing value \"%.60s\" of LastUpdate: %s", value,
				error.text);
	return 0;
}

/* Return the length of the name in "Attribute12", which is followed by the digits. */
static size_t name_length(const char *name)
{
	size_t n = strlen(name);

	while (n > 0 && isdigit((unsigned char)name[n - 1]))
		n--;
	return n;
}

static int line_take(struct long_text *text, char *line)
{
	char *name = line + strspn(line, " \t"), *equals = strchr(name, '='), *value, digits[24] = "";
	struct long_record *record;
	size_t n;
	int rc;

	if (!equals || equals == name) {
		userprio_report(
			text->state, FAULT,
			"\"%.60s\" found: Attribute = value, as condor_userprio -long prints it, or a record of "
			"the accountant's log (101 to 107) is allowed",
			line);
		return 0;
	}
	value = equals + 1 + strspn(equals + 1, " \t");
	for (*equals = '\0'; equals > name && strchr(" \t", equals[-1]); *--equals = '\0')
		;
	if (strcasecmp(name, "LastUpdate") == 0)
		return update_take(text, value);
	n = name_length(name);
	if (strlen(name) - n >= sizeof(digits))
		return 0;
	strcpy(digits, name + n);
	name[n] = '\0';
	if (strcasecmp(name, "Name") &&
	    /* limits, quotas, shares: not a part of the accountant's state */
	    !customer_attribute(name))
		return 0;
	rc = *digits ? record_of_number(text, digits, &record) : record_of_lines(text, &record);
	if (rc == -E2BIG)
		userprio_report(text->state, FAULT, "more than %d records found: this is more than the "
						    "maximum", USERPRIO_MOST);
	return rc ? (rc == -E2BIG ? 0 : rc) : value_take(text, record, name, value);
}

/* Make a customer of a record. The factor of a group comes from the configuration. */
static int record_finish(struct long_text *text, struct long_record *record)
{
	struct userprio *userprio = text->state;
	struct condor_customer *customer;
	double factor = record->customer.factor;
	char *name = record->customer.name;
	int rc;

	userprio->text.number = record->line;
	if (!name) {
		userprio_report(userprio, FAULT, "a record without a Name found");
		return 0;
	}
	rc = userprio_customer(userprio, name, &customer);
	if (rc)
		return rc == -EINVAL ? 0 : rc;
	if (factor < 1)
		factor = condor_factor(userprio->conf, name, condor_group_of(userprio->conf, name, NULL));
	record->customer.is_group |= customer->is_group;
	record->customer.name = customer->name;
	*customer = record->customer;
	customer->rup = record->has_priority ? fmax(customer->rup / factor, 0.5) : 0;
	record->customer.name = name;
	return 0;
}

int long_read(struct userprio *userprio, char *line)
{
	struct long_text text = { .state = userprio, .modular = INDEX_NONE };
	int rc = 0, before = 0;

	for (; line && !rc; line = text_line(&userprio->text)) {
		if (userprio->text.number > before + 1)
			text.modular = INDEX_NONE;
		before = userprio->text.number;
		rc = line_take(&text, line);
	}
	for (size_t i = 0; i < text.n; i++) {
		if (!rc)
			rc = record_finish(&text, &text.records[i]);
		free(text.records[i].customer.name);
	}
	free(text.records);
	text_set_free(&text.numbers);
	return rc;
}
