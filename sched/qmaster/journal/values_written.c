/* SPDX-License-Identifier: Apache-2.0 */
#define XXH_INLINE_ALL
#include "sched/qmaster/journal/values_written.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "conf/base/array.h"
#include "sched/qmaster/journal/columns.h"

#define TABLES_MOST 40u

struct hashes {				/* hash by record or row; 0: not written yet */
	uint64_t *items;
	size_t n, capacity;
};

struct values_written {
	struct hashes jobs, head, tables[TABLES_MOST];
};

int values_written_make(struct values_written **values)
{
	*values = calloc(1, sizeof(**values));
	return *values ? 0 : -ENOMEM;
}

void values_written_free(struct values_written *values)
{
	if (!values)
		return;
	free(values->jobs.items);
	free(values->head.items);
	for (unsigned i = 0; i < TABLES_MOST; i++)
		free(values->tables[i].items);
	free(values);
}

void values_written_forget(struct values_written *values)
{
	values->jobs.n = values->head.n = 0;
	for (unsigned i = 0; i < TABLES_MOST; i++)
		values->tables[i].n = 0;
}

/* Return whether the hash differs from the recorded one, and record it. */
static bool is_new(struct hashes *hashes, uint64_t at, uint64_t hash)
{
	if (at >= hashes->capacity) {
		size_t capacity = (size_t)at + (size_t)at / 2 + 64;

		if (array_grow(&hashes->items, capacity, sizeof(*hashes->items)))
			return false;
		hashes->capacity = capacity;
	}
	while (hashes->n <= at)
		hashes->items[hashes->n++] = 0;
	if (hashes->items[at] == (hash | 1))
		return false;
	hashes->items[at] = hash | 1;
	return true;
}

static void begin(struct out *out, const char *table, uint64_t at)
{
	json_write_string(out, "{\"values\":", table);
	json_write_number(out, ",\"at\":", (int64_t)at);
	json_write_literal(out, ",\"of\":[");
}

static void put_record(struct hashes *hashes, struct out *out, const struct view *view,
		       const struct result_table *table, uint64_t at, const void *record)
{
	uint64_t values[RESULT_COLUMNS_MOST];
	char text[RESULT_TEXT_BYTES];

	for (size_t k = 0; k < table->n; k++)
		values[k] = result_value(view, &table->columns[k], record);
	if (!is_new(hashes, at, XXH3_64bits(values, table->n * sizeof(*values))))
		return;
	begin(out, table->name, at);
	for (size_t k = 0; k < table->n; k++)
		json_write_string(out, k ? "," : "", result_text(view, &table->columns[k], record, text));
	json_write_literal(out, "]}\n");
}

static void put_job(struct hashes *hashes, struct out *out, const struct view *view, uint32_t row)
{
	char texts[16 * RESULT_TEXT_BYTES];
	size_t used = 0;
	unsigned n = 0;

	while (n < 16 && job_column_text(view, row, n, texts + used)) {
		used += strlen(texts + used) + 1;
		n++;
	}
	if (n == 0 || !is_new(hashes, row, XXH3_64bits(texts, used)))
		return;
	begin(out, "jobs", strtoul(texts, NULL, 10));
	used = 0;
	for (unsigned k = 0; k < n; k++) {
		json_write_string(out, k ? "," : "", texts + used);
		used += strlen(texts + used) + 1;
	}
	json_write_literal(out, "]}\n");
}

#define BATCH_BYTES (256u << 10)

struct putting {
	struct out *o;
	const struct view *view;
	int (*flush)(void *context);
	void *context;
};

static int look(const struct putting *putting)
{
	return putting->o->used > BATCH_BYTES ? putting->flush(putting->context) : 0;
}

static int put_table(struct hashes *hashes, const struct putting *putting, const struct result_table *table)
{
	uint64_t n;
	const char *records = view_table(putting->view, table->id, table->bytes, &n);
	int rc = 0;

	for (uint64_t i = 0; rc == 0 && i < n; i++) {
		put_record(hashes, putting->o, putting->view, table, i, records + i * table->bytes);
		rc = look(putting);
	}
	return rc;
}

int values_written_put(struct values_written *values, struct out *out, const struct view *view,
		       int (*flush)(void *context), void *context)
{
	const struct result_table head = { .name = "run", .columns = head_columns, .n = nhead_columns };
	const struct putting putting = { out, view, flush, context };
	uint64_t n;
	const uint32_t *order = view_table(view, TABLE_ORDER, sizeof(*order), &n);
	int rc = 0;

	put_record(&values->head, out, view, &head, 0, records_run(view));
	for (uint64_t i = 0; rc == 0 && i < n; i++) {
		put_job(&values->jobs, out, view, LOAD_ONCE(order[i]));
		rc = look(&putting);
	}
	for (size_t t = 0; rc == 0 && t < nresult_tables && t < TABLES_MOST; t++)
		rc = put_table(&values->tables[t], &putting, &result_tables[t]);
	return rc ? rc : flush(context);
}
