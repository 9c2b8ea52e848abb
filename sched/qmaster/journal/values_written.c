/* SPDX-License-Identifier: Apache-2.0 */
#define XXH_INLINE_ALL
#include "sched/qmaster/journal/values_written.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "conf/array.h"
#include "sched/qmaster/journal/columns.h"

#define TABLES_MOST 40u

struct hashes {				/* by record, or by row; 0: not written yet */
	uint64_t *items;
	size_t n, capacity;
};

struct values_written {
	struct hashes jobs, head, tables[TABLES_MOST];
};

int values_written_make(struct values_written **w)
{
	*w = calloc(1, sizeof(**w));
	return *w ? 0 : -ENOMEM;
}

void values_written_free(struct values_written *w)
{
	if (!w)
		return;
	free(w->jobs.items);
	free(w->head.items);
	for (unsigned i = 0; i < TABLES_MOST; i++)
		free(w->tables[i].items);
	free(w);
}

void values_written_forget(struct values_written *w)
{
	w->jobs.n = w->head.n = 0;
	for (unsigned i = 0; i < TABLES_MOST; i++)
		w->tables[i].n = 0;
}

/* Is it another one than before? */
static bool is_new(struct hashes *h, uint64_t at, uint64_t hash)
{
	if (at >= h->capacity) {
		size_t capacity = (size_t)at + (size_t)at / 2 + 64;

		if (array_grow(&h->items, capacity, sizeof(*h->items)))
			return false;
		h->capacity = capacity;
	}
	while (h->n <= at)
		h->items[h->n++] = 0;
	if (h->items[at] == (hash | 1))
		return false;
	h->items[at] = hash | 1;
	return true;
}

static void begin(struct out *o, const char *table, uint64_t at)
{
	json_write_string(o, "{\"values\":", table);
	json_write_number(o, ",\"at\":", (int64_t)at);
	json_write_literal(o, ",\"of\":[");
}

static void put_record(struct hashes *h, struct out *o, const struct view *view, const struct result_table *table, uint64_t at, const void *record)
{
	uint64_t values[RESULT_COLUMNS_MOST];
	char text[RESULT_TEXT_BYTES];

	for (size_t k = 0; k < table->n; k++)
		values[k] = result_value(view, &table->columns[k], record);
	if (!is_new(h, at, XXH3_64bits(values, table->n * sizeof(*values))))
		return;
	begin(o, table->name, at);
	for (size_t k = 0; k < table->n; k++)
		json_write_string(o, k ? "," : "", result_text(view, &table->columns[k], record, text));
	json_write_literal(o, "]}\n");
}

static void put_job(struct hashes *h, struct out *o, const struct view *view, uint32_t row)
{
	char texts[16 * RESULT_TEXT_BYTES];
	size_t used = 0;
	unsigned n = 0;

	while (n < 16 && job_column_text(view, row, n, texts + used)) {
		used += strlen(texts + used) + 1;
		n++;
	}
	if (n == 0 || !is_new(h, row, XXH3_64bits(texts, used)))
		return;
	begin(o, "jobs", strtoul(texts, NULL, 10));
	used = 0;
	for (unsigned k = 0; k < n; k++) {
		json_write_string(o, k ? "," : "", texts + used);
		used += strlen(texts + used) + 1;
	}
	json_write_literal(o, "]}\n");
}

#define BATCH_BYTES (256u << 10)

struct putting {
	struct out *o;
	const struct view *view;
	int (*flush)(void *context);
	void *context;
};

static int look(const struct putting *p)
{
	return p->o->used > BATCH_BYTES ? p->flush(p->context) : 0;
}

static int put_table(struct hashes *h, const struct putting *p, const struct result_table *table)
{
	uint64_t n;
	const char *records = view_table(p->view, table->id, table->bytes, &n);
	int rc = 0;

	for (uint64_t i = 0; rc == 0 && i < n; i++) {
		put_record(h, p->o, p->view, table, i, records + i * table->bytes);
		rc = look(p);
	}
	return rc;
}

int values_written_put(struct values_written *w, struct out *o, const struct view *view, int (*flush)(void *context), void *context)
{
	const struct result_table head = { .name = "run", .columns = head_columns, .n = nhead_columns };
	const struct putting p = { o, view, flush, context };
	uint64_t n;
	const uint32_t *order = view_table(view, TABLE_ORDER, sizeof(*order), &n);
	int rc = 0;

	put_record(&w->head, o, view, &head, 0, records_run(view));
	for (uint64_t i = 0; rc == 0 && i < n; i++) {
		put_job(&w->jobs, o, view, LOAD_ONCE(order[i]));
		rc = look(&p);
	}
	for (size_t t = 0; rc == 0 && t < nresult_tables && t < TABLES_MOST; t++)
		rc = put_table(&w->tables[t], &p, &result_tables[t]);
	return rc ? rc : flush(context);
}
