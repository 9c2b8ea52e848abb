/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `condor_userprio -long -allusers` prints: lines "Attribute = value". Numbered attributes
 * (-legacy) belong to the record of their number, others (-modular) to the one that ends with a
 * blank line. Priority is the effective one there: the real one times the factor, of which groups
 * show none.
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
	struct condor_customer customer;	/* its name NULL: not said yet */
	int line;				/* the first one */
	bool has_priority;
};

struct long_text {
	struct userprio *state;
	struct text_set numbers;		/* as written; a number's number is its record's place */
	struct long_record *records;
	size_t n;
	uint32_t modular;			/* the record of the lines without numbers; INDEX_NONE: none yet */
};

static struct long_record *record_add(struct long_text *t)
{
	struct long_record *r = array_add(&t->records, &t->n, sizeof(*r));

	if (r)
		*r = (struct long_record){ .customer = { .weight_accumulated = -1, .ceiling = -1 }, .line = t->state->text.number };
	return r;
}

/* -E2BIG: there are too many. */
static int record_of_number(struct long_text *t, const char *digits, struct long_record **record)
{
	uint32_t number;
	int rc;

	if (t->n >= USERPRIO_MOST && text_set_find(&t->numbers, digits) == INDEX_NONE)
		return -E2BIG;
	rc = text_set_add(&t->numbers, digits, &number);
	if (!rc && number == t->n && !record_add(t))
		rc = -ENOMEM;
	*record = rc ? NULL : &t->records[number];
	return rc;
}

/* Records without numbers take the numbers of their lines, so that they stand in the same table. */
static int record_of_lines(struct long_text *t, struct long_record **record)
{
	char digits[24];
	int rc = 0;

	if (t->modular == INDEX_NONE) {
		snprintf(digits, sizeof(digits), "line %d", t->state->text.number);
		rc = record_of_number(t, digits, record);
		t->modular = rc ? INDEX_NONE : (uint32_t)(*record - t->records);
	}
	*record = rc ? NULL : &t->records[t->modular];
	return rc;
}

static int name_take(struct long_text *t, struct long_record *r, const char *value)
{
	int rc;
	char *name = attribute_text(value, &rc);

	if (rc == -EINVAL)
		userprio_report(t->state, FAULT, "error parsing value \"%.60s\" of Name: a text in \"quotes\" is allowed", value);
	if (!name)
		return rc == -EINVAL ? 0 : rc;
	free(r->customer.name);
	r->customer.name = name;
	return 0;
}

static int value_take(struct long_text *t, struct long_record *r, const char *name, const char *value)
{
	const struct userprio_attribute *a = customer_attribute(name);
	struct error e = { "" };
	int rc;

	if (strcasecmp(name, "Name") == 0)
		return name_take(t, r, value);
	if (!a || strcasecmp(value, "undefined") == 0)
		return 0;
	rc = attribute_set(a, &r->customer, value, &e);
	if (rc == -EINVAL)
		userprio_report(t->state, FAULT, "error parsing value \"%.60s\" of %s: %s", value, name, e.text);
	r->has_priority |= !rc && strcmp(a->name, "Priority") == 0;
	return rc == -ENOMEM ? rc : 0;
}

static int update_take(struct long_text *t, const char *value)
{
	struct error e = { "" };

	if (attribute_set(&last_update_attribute, t->state->conf, value, &e))
		userprio_report(t->state, FAULT, "error parsing value \"%.60s\" of LastUpdate: %s", value, e.text);
	return 0;
}

/* "Attribute12" into the name and the digits behind it. */
static size_t name_length(const char *name)
{
	size_t n = strlen(name);

	while (n > 0 && isdigit((unsigned char)name[n - 1]))
		n--;
	return n;
}

static int line_take(struct long_text *t, char *line)
{
	char *name = line + strspn(line, " \t"), *equals = strchr(name, '='), *value, digits[24] = "";
	struct long_record *r;
	size_t n;
	int rc;

	if (!equals || equals == name) {
		userprio_report(t->state, FAULT, "\"%.60s\" found: Attribute = value, as condor_userprio -long prints it, or a record of "
			      "the accountant's log (101 to 107) is allowed", line);
		return 0;
	}
	value = equals + 1 + strspn(equals + 1, " \t");
	for (*equals = '\0'; equals > name && strchr(" \t", equals[-1]); *--equals = '\0')
		;
	if (strcasecmp(name, "LastUpdate") == 0)
		return update_take(t, value);
	n = name_length(name);
	if (strlen(name) - n >= sizeof(digits))
		return 0;
	strcpy(digits, name + n);
	name[n] = '\0';
	if (strcasecmp(name, "Name") && !customer_attribute(name))	/* limits, quotas, shares: none of the accountant's state */
		return 0;
	rc = *digits ? record_of_number(t, digits, &r) : record_of_lines(t, &r);
	if (rc == -E2BIG)
		userprio_report(t->state, FAULT, "more than %d records found: that is the most", USERPRIO_MOST);
	return rc ? (rc == -E2BIG ? 0 : rc) : value_take(t, r, name, value);
}

/*
 * A record becomes a customer. Of groups the factor is the one that the configuration gives them.
 */
static int record_finish(struct long_text *t, struct long_record *r)
{
	struct userprio *u = t->state;
	struct condor_customer *c;
	double factor = r->customer.factor;
	char *name = r->customer.name;
	int rc;

	u->text.number = r->line;
	if (!name) {
		userprio_report(u, FAULT, "a record found that has no Name");
		return 0;
	}
	rc = userprio_customer(u, name, &c);
	if (rc)
		return rc == -EINVAL ? 0 : rc;
	if (factor < 1)
		factor = condor_factor(u->conf, name, condor_group_of(u->conf, name, NULL));
	r->customer.is_group |= c->is_group;
	r->customer.name = c->name;
	*c = r->customer;
	c->rup = r->has_priority ? fmax(c->rup / factor, 0.5) : 0;
	r->customer.name = name;
	return 0;
}

int long_read(struct userprio *u, char *line)
{
	struct long_text t = { .state = u, .modular = INDEX_NONE };
	int rc = 0, before = 0;

	for (; line && !rc; line = text_line(&u->text)) {
		if (u->text.number > before + 1)
			t.modular = INDEX_NONE;
		before = u->text.number;
		rc = line_take(&t, line);
	}
	for (size_t i = 0; i < t.n; i++) {
		if (!rc)
			rc = record_finish(&t, &t.records[i]);
		free(t.records[i].customer.name);
	}
	free(t.records);
	text_set_free(&t.numbers);
	return rc;
}
