/* SPDX-License-Identifier: Apache-2.0 */
/* What was used in sum: of all that is meant, or of each owner, queue, project ... by itself. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "conf/text_set.h"
#include "sched/cli/acct.h"
#include "sched/cli/text.h"
#include "sched/process/json.h"

#define SUM_COLUMNS 112u	/* the width of the sums themselves */
#define NUMBER_COLUMNS 5u	/* of slots and advance reservations, at least */
#define KEY_COLUMNS 20		/* of a number in a key, so that keys sort by numbers */
#define SEPARATOR '\x1f'	/* between the values of a group: accounting has no such byte */

struct acct_sum {
	double wallclock, utime, stime, cpu, mem, io, iow;
	uint64_t records;
};

struct acct_sums {
	struct text_set groups;		/* by number: what its records have in common */
	struct acct_sum *sums;
	size_t capacity;
	bool by_account;
};

int acct_sums_create(struct acct_sums **s)
{
	*s = calloc(1, sizeof(**s));
	return *s ? 0 : -ENOMEM;
}

void acct_sums_destroy(struct acct_sums *s)
{
	if (!s)
		return;
	text_set_free(&s->groups);
	free(s->sums);
	free(s);
}

/* Adding */

/* The value in a column: as it was asked for, else as the record has it. */
static void key_value(FILE *key, const struct acct *a, enum acct_column column, const struct accounting_record *r)
{
	enum accounting_field field = acct_keys[column].field;
	const char *value = a->columns[column].value;

	if (!accounting_field_is_text(field))
		fprintf(key, "%*.0f", KEY_COLUMNS, r->numbers[field]);
	else
		fputs(value && column != ACCT_QUEUE ? value : accounting_text(r, field), key);
	fputc(SEPARATOR, key);
}

static int group_find(struct acct_sums *s, const char *key, uint32_t *number)
{
	size_t capacity = s->capacity ? 2 * s->capacity : 64;

	*number = text_set_find(&s->groups, key);
	if (*number != INDEX_NONE)
		return 0;
	if (s->groups.n == s->capacity) {
		if (array_grow(&s->sums, capacity, sizeof(*s->sums)))
			return -ENOMEM;
		s->capacity = capacity;
	}
	if (text_set_add(&s->groups, key, number))
		return -ENOMEM;
	s->sums[*number] = (struct acct_sum){ 0 };
	return 0;
}

int acct_sums_add(struct acct_sums *s, const struct acct *a, const struct accounting_record *r)
{
	const double *n = r->numbers;
	char *text = NULL;
	size_t length;
	uint32_t number;
	FILE *key = open_memstream(&text, &length);
	int rc;

	if (!key)
		return -ENOMEM;
	for (enum acct_column k = 0; k < ACCT_COLUMNS; k++)
		if (a->columns[k].shown)
			key_value(key, a, k, r);
	s->by_account = a->columns[ACCT_ACCOUNT].shown;
	rc = fclose(key) ? -ENOMEM : group_find(s, text, &number);
	free(text);
	if (rc)
		return rc;
	struct acct_sum *sum = &s->sums[number];

	sum->wallclock += n[RU_WALLCLOCK];
	sum->utime += n[RU_UTIME];
	sum->stime += n[RU_STIME];
	sum->cpu += n[CPU];
	sum->mem += n[MEM];
	sum->io += n[IO];
	sum->iow += n[IOW];
	sum->records++;
	return 0;
}

/* The table */

/*
 * What rows are sorted by: all values but the account, the last one, whose rows qacct puts before
 * each other as they come.
 */
static size_t sorted_bytes(const struct acct_sums *s, const char *group)
{
	size_t n = strlen(group);

	if (!s->by_account)
		return n;
	while (--n > 0 && group[n - 1] != SEPARATOR)
		;
	return n;
}

/* By value after value, which the separator, smaller than any byte, makes one comparison. */
static int group_compare(const void *a, const void *b, void *sums)
{
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct acct_sums *s = sums;
	const char *x = s->groups.texts[i], *y = s->groups.texts[j];
	size_t n = sorted_bytes(s, x), m = sorted_bytes(s, y);
	int order = memcmp(x, y, n < m ? n : m);

	return order ? order : n != m ? (n > m) - (n < m) : (i < j) - (i > j);
}

static uint32_t *groups_sort(struct acct_sums *s)
{
	uint32_t *order = calloc(s->groups.n + 1, sizeof(*order));

	for (uint32_t i = 0; order && i < s->groups.n; i++)
		order[i] = i;
	if (order && s->groups.n > 1)
		qsort_r(order, s->groups.n, sizeof(*order), group_compare, s);
	return order;
}

/* Is there a row for each value, or one alone, of those that were asked for? */
static bool is_list(const struct acct *a)
{
	for (int k = 0; k < ACCT_COLUMNS; k++)
		if (a->columns[k].shown && (k == ACCT_QUEUE || !a->columns[k].value))
			return true;
	return false;
}

/* The next value of a group; its length. A number has the blanks before it that the table has. */
static const char *value_next(const char **group, enum acct_column column, size_t *n)
{
	const char *value = *group;

	*n = strcspn(value, "\x1f");
	*group += *n + 1;
	if (!accounting_field_is_text(acct_keys[column].field))
		for (; *n > NUMBER_COLUMNS && *value == ' '; --*n)
			value++;
	return value;
}

/* With the blank behind it. Numbers that were asked for have none. */
static void widths_find(const struct acct_sums *s, const struct acct *a, size_t widths[ACCT_COLUMNS])
{
	bool list = is_list(a);

	for (int k = 0; k < ACCT_COLUMNS; k++) {
		bool number = !accounting_field_is_text(acct_keys[k].field);
		const char *value = a->columns[k].value;

		widths[k] = number ? NUMBER_COLUMNS : strlen(acct_keys[k].heading) + 1;
		if (!number && k != ACCT_QUEUE && value && strlen(value) + 1 > widths[k])
			widths[k] = strlen(value) + 1;
	}
	for (size_t i = 0; list && i < s->groups.n; i++) {
		const char *at = s->groups.texts[i];

		for (enum acct_column k = 0; k < ACCT_COLUMNS; k++) {
			size_t n = 0;

			if (a->columns[k].shown)
				value_next(&at, k, &n);
			widths[k] = n + 1 > widths[k] ? n + 1 : widths[k];
		}
	}
}

static void put_head(struct out *o, const struct acct *a, const size_t widths[ACCT_COLUMNS])
{
	size_t width = SUM_COLUMNS;

	for (int k = 0; k < ACCT_COLUMNS; k++)
		if (a->columns[k].shown) {
			out_put(o, "%-*s", (int)widths[k], acct_keys[k].heading);
			width += widths[k];
		}
	if (width == SUM_COLUMNS)
		out_text(o, "Total System Usage\n");
	out_put(o, "%13s%14s%14s%14s%19s%19s%19s\n", "WALLCLOCK", "UTIME", "STIME", "CPU", "MEMORY", "IO", "IOW");
	for (size_t i = 0; i < width; i++)
		out_bytes(o, "=", 1);
	out_text(o, "\n");
}

static void put_row(struct out *o, const struct acct *a, const char *group, const size_t widths[ACCT_COLUMNS], const struct acct_sum *s)
{
	for (enum acct_column k = 0; k < ACCT_COLUMNS; k++) {
		char text[OUT_PUT_BYTES];
		size_t n;

		if (!a->columns[k].shown)
			continue;
		const char *value = value_next(&group, k, &n);

		snprintf(text, sizeof(text), "%.*s", (int)(n < sizeof(text) ? n : sizeof(text) - 1), value);
		text_plain(o, text);
		out_put(o, "%*s", n < widths[k] ? (int)(widths[k] - n) : 0, "");
	}
	out_put(o, "%13.0f %13.3f %13.3f %13.3f %18.3f %18.3f %18.3f\n", s->wallclock, s->utime, s->stime, s->cpu, s->mem, s->io, s->iow);
}

void acct_sums_print(struct acct_sums *s, const struct acct *a, struct out *o)
{
	uint32_t *order = groups_sort(s);
	size_t widths[ACCT_COLUMNS];

	widths_find(s, a, widths);
	put_head(o, a, widths);
	for (size_t i = 0; order && i < s->groups.n; i++)
		put_row(o, a, s->groups.texts[order[i]], widths, &s->sums[order[i]]);
	if (!order && !o->error)
		o->error = -ENOMEM;
	free(order);
}

/* For programs */

static const char *const members[ACCT_COLUMNS] = {
	"hostname", "qname", "group", "owner", "project", "department", "granted_pe", "slots", "arid", "account",
};

static void put_values(struct out *o, const struct acct *a, char *group)
{
	for (int k = 0; k < ACCT_COLUMNS; k++) {
		const char *value = a->columns[k].shown ? strsep(&group, "\x1f") : NULL;

		if (!value)
			continue;
		out_put(o, "\"%s\":", members[k]);
		if (accounting_field_is_text(acct_keys[k].field))
			json_text_or_null(o, strcmp(value, "NONE") ? value : "");
		else
			json_write_exact(o, "", strtod(value, NULL));
		json_write_literal(o, ",");
	}
}

void acct_sums_json(struct acct_sums *s, const struct acct *a, struct out *o)
{
	uint32_t *order = groups_sort(s);

	json_write_literal(o, "{\"sums\":[");
	for (size_t i = 0; order && i < s->groups.n; i++) {
		const struct acct_sum *sum = &s->sums[order[i]];
		char *group = strdup(s->groups.texts[order[i]]);

		json_write_literal(o, i ? ",\n{" : "\n{");
		if (group)
			put_values(o, a, group);
		else
			o->error = -ENOMEM;
		free(group);
		json_write_number(o, "\"records\":", (int64_t)sum->records);
		json_write_exact(o, ",\"ru_wallclock\":", sum->wallclock);
		json_write_exact(o, ",\"ru_utime\":", sum->utime);
		json_write_exact(o, ",\"ru_stime\":", sum->stime);
		json_write_exact(o, ",\"cpu\":", sum->cpu);
		json_write_exact(o, ",\"mem\":", sum->mem);
		json_write_exact(o, ",\"io\":", sum->io);
		json_write_exact(o, ",\"iow\":", sum->iow);
		json_write_literal(o, "}");
	}
	if (!order && !o->error)
		o->error = -ENOMEM;
	json_write_literal(o, "\n]");
	free(order);
}
