/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/journal/values_read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/mirror/pool.h"
#include "sched/qmaster/journal/columns.h"
#include "sched/qmaster/journal/line.h"

#define TABLE_NONE UINT32_MAX
#define JOBS_TABLE 1000u
#define HEAD_TABLE 1001u

struct record_key { uint32_t table, at; };

struct values_kept {
	struct pool keys;		/* struct record_key */
	/*
	 * Texts of the columns of each record, each text with its NUL, and their size in bytes. The
	 * index is the number in `keys`.
	 */
	char **texts;
	size_t *bytes, capacity;
};

int values_kept_make(struct values_kept **values)
{
	*values = calloc(1, sizeof(**values));
	if (!*values)
		return -ENOMEM;
	pool_create(&(*values)->keys, sizeof(struct record_key));
	return 0;
}

void values_kept_forget(struct values_kept *values)
{
	for (size_t i = 0; i < values->capacity; i++)
		free(values->texts[i]);
	free(values->texts);
	free(values->bytes);
	values->texts = NULL;
	values->bytes = NULL;
	values->capacity = 0;
	pool_destroy(&values->keys);
	pool_create(&values->keys, sizeof(struct record_key));
}

void values_kept_free(struct values_kept *values)
{
	if (!values)
		return;
	values_kept_forget(values);
	pool_destroy(&values->keys);
	free(values);
}

bool values_kept_are_there(const struct values_kept *values)
{
	return values->keys.used > 0;
}

static uint32_t table_of(const char *name)
{
	if (strcmp(name, "jobs") == 0)
		return JOBS_TABLE;
	if (strcmp(name, "run") == 0)
		return HEAD_TABLE;
	for (uint32_t i = 0; i < nresult_tables; i++)
		if (strcmp(name, result_tables[i].name) == 0)
			return i;
	return TABLE_NONE;
}

static int room_for(struct values_kept *values)
{
	size_t capacity = values->keys.capacity;
	char **texts;
	size_t *bytes;

	if (capacity <= values->capacity)
		return 0;
	texts = realloc(values->texts, capacity * sizeof(*texts));
	values->texts = texts ? texts : values->texts;
	bytes = texts ? realloc(values->bytes, capacity * sizeof(*bytes)) : NULL;
	if (!bytes)
		return -ENOMEM;
	values->bytes = bytes;
	memset(values->texts + values->capacity, 0, (capacity - values->capacity) * sizeof(*texts));
	values->capacity = capacity;
	return 0;
}

static char *texts_of(const struct value *of, size_t *bytes)
{
	char *texts, *p;

	*bytes = 0;
	value_each(one, of)
		*bytes += one->type == VALUE_STRING ? one->n + 1u : 1u;
	p = texts = malloc(*bytes + 1);
	if (!texts)
		return NULL;
	value_each(one, of) {
		if (one->type == VALUE_STRING)
			p = (char *)memcpy(p, one->text, one->n) + one->n;
		*p++ = '\0';
	}
	return texts;
}

int values_kept_take(struct values_kept *values, const struct value *object, struct error *error)
{
	const struct value *of = value_member(object, "of");
	const struct record_key key = { table_of(line_text(object, "values")),
					(uint32_t)line_whole(object, "at", 0, UINT32_MAX) };
	bool is_new;
	uint32_t id;
	char *texts;
	size_t bytes;

	if (key.table == TABLE_NONE || !of || of->type != VALUE_ARRAY)
		return error_set(error, -EINVAL, "values: a table and a list of values are expected");
	texts = texts_of(of, &bytes);
	id = texts && pool_reserve(&values->keys) == 0 ? pool_find(&values->keys, &key) : NONE;
	if (texts && id == NONE)
		id = pool_hold(&values->keys, &key, &is_new);
	if (!texts || id == NONE || room_for(values)) {
		free(texts);
		return error_set(error, -ENOMEM, "out of memory");
	}
	free(values->texts[id]);
	values->texts[id] = texts;
	values->bytes[id] = bytes;
	return 0;
}

/* Return the recorded text of column `n`. NULL: not recorded. */
static const char *kept_text(const struct values_kept *values, uint32_t table, uint32_t at, size_t n)
{
	uint32_t id = pool_find(&values->keys, &(struct record_key){ table, at });
	const char *p = id < values->capacity ? values->texts[id] : NULL, *end = p ? p + values->bytes[id] : NULL;

	for (; p && n > 0; n--) {
		p += strlen(p) + 1;
		if (p >= end)
			p = NULL;
	}
	return p;
}

static bool differs(struct rerun_difference *difference, const char *column, const char *live, const char *again)
{
	if (live && strcmp(live, again) == 0)
		return false;
	snprintf(difference->column, sizeof(difference->column), "%s", column);
	snprintf(difference->live, sizeof(difference->live), "%s", live ? live : "(missing)");
	snprintf(difference->again, sizeof(difference->again), "%s", again);
	return true;
}

static bool compare_jobs(const struct values_kept *values, const struct view *view, struct rerun_difference *difference)
{
	char text[RESULT_TEXT_BYTES];
	uint64_t n;
	const uint32_t *order = view_table(view, TABLE_ORDER, sizeof(*order), &n);

	for (uint64_t i = 0; i < n; i++) {
		uint32_t number = job_column_text(view, order[i], 0, text) ? (uint32_t)strtoul(text, NULL, 10) : 0;

		for (unsigned c = 0; job_column_text(view, order[i], c, text); c++)
			if (differs(difference, job_column_name(c), kept_text(values, JOBS_TABLE, number, c), text)) {
				snprintf(difference->of, sizeof(difference->of), "job %u", number);
				return true;
			}
	}
	return false;
}

static bool compare_record(const struct values_kept *values, const struct view *view, const struct result_table *table,
			   uint32_t id, uint64_t at, const void *record, struct rerun_difference *difference)
{
	char text[RESULT_TEXT_BYTES];

	for (size_t c = 0; c < table->n; c++) {
		result_text(view, &table->columns[c], record, text);
		if (!differs(difference, table->columns[c].name, kept_text(values, id, (uint32_t)at, c), text))
			continue;
		if (table->columns[0].type == COLUMN_STRING)
			snprintf(difference->of, sizeof(difference->of), "%s",
				 result_text(view, &table->columns[0], record, text));
		else if (table->id == TABLE_TASKS)
			snprintf(difference->of, sizeof(difference->of), "job %s",
				 result_text(view, &table->columns[0], record, text));
		else
			snprintf(difference->of, sizeof(difference->of), "record %llu", (unsigned long long)at + 1);
		return true;
	}
	return false;
}

bool values_kept_compare(const struct values_kept *values, const struct view *view, const char *name,
			 struct rerun_difference *difference)
{
	const struct result_table head = { .name = "run", .columns = head_columns, .n = nhead_columns };
	uint32_t id = table_of(name);
	const struct result_table *table = &result_tables[id < nresult_tables ? id : 0];
	uint64_t n;
	const char *records;

	if (id == JOBS_TABLE)
		return compare_jobs(values, view, difference);
	if (id == HEAD_TABLE)
		return compare_record(values, view, &head, id, 0, records_run(view), difference);
	if (id == TABLE_NONE)
		return false;
	records = view_table(view, table->id, table->bytes, &n);
	for (uint64_t i = 0; i < n; i++)
		if (result_counts(table, records + i * table->bytes) &&
		    compare_record(values, view, table, id, i, records + i * table->bytes, difference))
			return true;
	return false;
}
