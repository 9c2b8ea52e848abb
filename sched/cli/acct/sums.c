/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of usage of all selected tasks, or for each owner, queue, project and so on. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/columns.h"
#include "conf/base/text_set.h"
#include "sched/cli/acct/acct.h"
#include "sched/cli/text.h"
#include "sched/process/json.h"

#define SUM_COLUMNS 112u	/* width of the sums */
#define NUMBER_COLUMNS 5u	/* minimum width of slots and advance reservations */
#define KEY_COLUMNS 20		/* digits of a number in a key, so that keys sort by number */
#define SEPARATOR '\x1f'	/* separator of the values of a group; no byte of accounting */

struct acct_sum {
	double wallclock, utime, stime, cpu, mem, io, iow;
	uint64_t records;
};

struct acct_sums {
	struct text_set groups;		/* texts of the groups, indexed by number */
	struct acct_sum *sums;
	size_t capacity;
	bool by_account;
};

int acct_sums_create(struct acct_sums **sums)
{
	*sums = calloc(1, sizeof(**sums));
	return *sums ? 0 : -ENOMEM;
}

void acct_sums_destroy(struct acct_sums *sums)
{
	if (!sums)
		return;
	text_set_free(&sums->groups);
	free(sums->sums);
	free(sums);
}

/* Collection */

/* Write the value of a column: the requested value, otherwise that of the record. */
static void key_value(FILE *key, const struct acct *a, enum acct_column column, const struct accounting_record *record)
{
	enum accounting_field field = acct_keys[column].field;
	const char *value = a->columns[column].value;

	if (!accounting_field_is_text(field))
		fprintf(key, "%*.0f", KEY_COLUMNS, record->numbers[field]);
	else
		fputs(value && column != ACCT_QUEUE ? value : accounting_text(record, field), key);
	fputc(SEPARATOR, key);
}

static int group_find(struct acct_sums *sums, const char *key, uint32_t *number)
{
	*number = text_set_find(&sums->groups, key);
	if (*number != INDEX_NONE)
		return 0;
	if (array_reserve(&sums->capacity, sums->groups.n + 1, COLUMN(sums->sums)))
		return -ENOMEM;
	if (text_set_add(&sums->groups, key, number))
		return -ENOMEM;
	sums->sums[*number] = (struct acct_sum){ 0 };
	return 0;
}

int acct_sums_add(struct acct_sums *sums, const struct acct *acct, const struct accounting_record *record)
{
	const double *n = record->numbers;
	char *text = NULL;
	size_t length;
	uint32_t number;
	FILE *key = open_memstream(&text, &length);
	int rc;

	if (!key)
		return -ENOMEM;
	for (enum acct_column k = 0; k < ACCT_COLUMNS; k++)
		if (acct->columns[k].shown)
			key_value(key, acct, k, record);
	sums->by_account = acct->columns[ACCT_ACCOUNT].shown;
	rc = fclose(key) ? -ENOMEM : group_find(sums, text, &number);
	free(text);
	if (rc)
		return rc;
	struct acct_sum *sum = &sums->sums[number];

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

/* Table */

/*
 * Return the bytes by which rows are sorted: all values except the account, the last one. Within
 * equal values, qacct puts later accounts first.
 */
static size_t sorted_bytes(const struct acct_sums *sums, const char *group)
{
	size_t n = strlen(group);

	if (!sums->by_account)
		return n;
	while (--n > 0 && group[n - 1] != SEPARATOR)
		;
	return n;
}

/*
 * Compare value by value. One comparison does this, as the separator is smaller than any other
 * byte.
 */
static int group_compare(const void *a, const void *b, void *sums)
{
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct acct_sums *acct_sums = sums;
	const char *x = acct_sums->groups.texts[i], *y = acct_sums->groups.texts[j];
	size_t n = sorted_bytes(acct_sums, x), m = sorted_bytes(acct_sums, y);
	int order = memcmp(x, y, n < m ? n : m);

	return order ? order : n != m ? (n > m) - (n < m) : (i < j) - (i > j);
}

static uint32_t *groups_sort(struct acct_sums *sums)
{
	uint32_t *order = calloc(sums->groups.n + 1, sizeof(*order));

	for (uint32_t i = 0; order && i < sums->groups.n; i++)
		order[i] = i;
	if (order && sums->groups.n > 1)
		qsort_r(order, sums->groups.n, sizeof(*order), group_compare, sums);
	return order;
}

/* Return whether the table has a row for each value, not just one for the selected values. */
static bool is_list(const struct acct *acct)
{
	for (int k = 0; k < ACCT_COLUMNS; k++)
		if (acct->columns[k].shown && (k == ACCT_QUEUE || !acct->columns[k].value))
			return true;
	return false;
}

/*
 * Return the next value of a group and its length. A number has the blanks of the table in front.
 */
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

/* Compute the widths, including the blank after each column. Selected numbers have no padding. */
static void widths_find(const struct acct_sums *sums, const struct acct *acct, size_t widths[ACCT_COLUMNS])
{
	bool list = is_list(acct);

	for (int k = 0; k < ACCT_COLUMNS; k++) {
		bool number = !accounting_field_is_text(acct_keys[k].field);
		const char *value = acct->columns[k].value;

		widths[k] = number ? NUMBER_COLUMNS : strlen(acct_keys[k].heading) + 1;
		if (!number && k != ACCT_QUEUE && value && strlen(value) + 1 > widths[k])
			widths[k] = strlen(value) + 1;
	}
	for (size_t i = 0; list && i < sums->groups.n; i++) {
		const char *at = sums->groups.texts[i];

		for (enum acct_column k = 0; k < ACCT_COLUMNS; k++) {
			size_t n = 0;

			if (acct->columns[k].shown)
				value_next(&at, k, &n);
			widths[k] = n + 1 > widths[k] ? n + 1 : widths[k];
		}
	}
}

static void put_head(struct out *out, const struct acct *acct, const size_t widths[ACCT_COLUMNS])
{
	size_t width = SUM_COLUMNS;

	for (int k = 0; k < ACCT_COLUMNS; k++)
		if (acct->columns[k].shown) {
			out_put(out, "%-*s", (int)widths[k], acct_keys[k].heading);
			width += widths[k];
		}
	if (width == SUM_COLUMNS)
		out_text(out, "Total System Usage\n");
	out_put(out, "%13s%14s%14s%14s%19s%19s%19s\n", "WALLCLOCK", "UTIME", "STIME", "CPU", "MEMORY", "IO", "IOW");
	for (size_t i = 0; i < width; i++)
		out_bytes(out, "=", 1);
	out_text(out, "\n");
}

static void put_row(struct out *out, const struct acct *a, const char *group, const size_t widths[ACCT_COLUMNS],
		    const struct acct_sum *sum)
{
	for (enum acct_column k = 0; k < ACCT_COLUMNS; k++) {
		char text[OUT_PUT_BYTES];
		size_t n;

		if (!a->columns[k].shown)
			continue;
		const char *value = value_next(&group, k, &n);

		snprintf(text, sizeof(text), "%.*s", (int)(n < sizeof(text) ? n : sizeof(text) - 1), value);
		text_plain(out, text);
		out_put(out, "%*s", n < widths[k] ? (int)(widths[k] - n) : 0, "");
	}
	out_put(out, "%13.0f %13.3f %13.3f %13.3f %18.3f %18.3f %18.3f\n", sum->wallclock, sum->utime, sum->stime,
		sum->cpu, sum->mem, sum->io, sum->iow);
}

void acct_sums_print(struct acct_sums *sums, const struct acct *acct, struct out *out)
{
	uint32_t *order = groups_sort(sums);
	size_t widths[ACCT_COLUMNS];

	widths_find(sums, acct, widths);
	put_head(out, acct, widths);
	for (size_t i = 0; order && i < sums->groups.n; i++)
		put_row(out, acct, sums->groups.texts[order[i]], widths, &sums->sums[order[i]]);
	if (!order && !out->error)
		out->error = -ENOMEM;
	free(order);
}

/* JSON */

static const char *const members[ACCT_COLUMNS] = {
	"hostname", "qname", "group", "owner", "project", "department", "granted_pe", "slots", "arid", "account",
};

static void put_values(struct out *out, const struct acct *acct, char *group)
{
	for (int k = 0; k < ACCT_COLUMNS; k++) {
		const char *value = acct->columns[k].shown ? strsep(&group, "\x1f") : NULL;

		if (!value)
			continue;
		out_put(out, "\"%s\":", members[k]);
		if (accounting_field_is_text(acct_keys[k].field))
			json_text_or_null(out, strcmp(value, "NONE") ? value : "");
		else
			json_write_exact(out, "", strtod(value, NULL));
		json_write_literal(out, ",");
	}
}

void acct_sums_json(struct acct_sums *sums, const struct acct *acct, struct out *out)
{
	uint32_t *order = groups_sort(sums);

	json_write_literal(out, "{\"sums\":[");
	for (size_t i = 0; order && i < sums->groups.n; i++) {
		const struct acct_sum *sum = &sums->sums[order[i]];
		char *group = strdup(sums->groups.texts[order[i]]);

		json_write_literal(out, i ? ",\n{" : "\n{");
		if (group)
			put_values(out, acct, group);
		else
			out->error = -ENOMEM;
		free(group);
		json_write_number(out, "\"records\":", (int64_t)sum->records);
		json_write_exact(out, ",\"ru_wallclock\":", sum->wallclock);
		json_write_exact(out, ",\"ru_utime\":", sum->utime);
		json_write_exact(out, ",\"ru_stime\":", sum->stime);
		json_write_exact(out, ",\"cpu\":", sum->cpu);
		json_write_exact(out, ",\"mem\":", sum->mem);
		json_write_exact(out, ",\"io\":", sum->io);
		json_write_exact(out, ",\"iow\":", sum->iow);
		json_write_literal(out, "}");
	}
	if (!order && !out->error)
		out->error = -ENOMEM;
	json_write_literal(out, "\n]");
	free(order);
}
