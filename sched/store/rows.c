/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of policies (sched/policy/rows.h): tables of the store that are filled and read according to
 * that description. Only the policy knows their meaning.
 */
#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "sched/store/base.h"
#include "sched/store/usage.h"

enum part { ALL, KEYS, UPDATES };

struct sql {				/* a statement that is being written */
	char text[2048];
	size_t n;
};

static void __attribute__((format(printf, 2, 3))) sql_add(struct sql *sql, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	sql->n += (size_t)vsnprintf(sql->text + sql->n, sizeof(sql->text) - sql->n, format, arguments);
	va_end(arguments);
	assert(sql->n < sizeof(sql->text));
}

/* Write the columns of a table, or a part of them, separated by ", ". */
static void columns_put(struct sql *sql, const struct row_table *table, enum part part)
{
	const char *between = "";

	for (size_t i = 0; i < table->ncolumns; i++) {
		const struct row_column *column = &table->columns[i];

		if (part != ALL && column->is_key != (part == KEYS))
			continue;
		if (part == UPDATES)
			sql_add(sql, "%s%s = excluded.%s", between, column->name, column->name);
		else
			sql_add(sql, "%s%s", between, column->name);
		between = ", ";
	}
}

static void put_sql(struct sql *sql, const struct row_table *table)
{
	sql_add(sql, "INSERT INTO %s (", table->name);
	columns_put(sql, table, ALL);
	sql_add(sql, ") VALUES (?");
	for (size_t i = 1; i < table->ncolumns; i++)
		sql_add(sql, ", ?");
	sql_add(sql, ") ON CONFLICT DO UPDATE SET ");
	columns_put(sql, table, UPDATES);
}

static void each_sql(struct sql *sql, const struct row_table *table)
{
	sql_add(sql, "SELECT ");
	columns_put(sql, table, ALL);
	sql_add(sql, " FROM %s ORDER BY ", table->name);
	columns_put(sql, table, KEYS);
}

static void remove_sql(struct sql *sql, const struct row_table *table)
{
	sql_add(sql, "DELETE FROM %s WHERE %s <= ?", table->name, table->columns[table->age].name);
}

static void erase_sql(struct sql *sql, const struct row_table *table)
{
	sql_add(sql, "DELETE FROM %s WHERE (", table->name);
	columns_put(sql, table, KEYS);
	sql_add(sql, ") = (");
	for (size_t i = 0, keys = 0; i < table->ncolumns; i++)
		if (table->columns[i].is_key)
			sql_add(sql, keys++ ? ", ?" : "?");
	sql_add(sql, ")");
}

static void prune_sql(struct sql *sql, const struct row_table *table)
{
	sql_add(sql, "DELETE FROM %s WHERE (", table->name);
	columns_put(sql, table, KEYS);
	sql_add(sql, ") IN (SELECT ");
	columns_put(sql, table, KEYS);
	sql_add(sql, " FROM %s WHERE %s < ? LIMIT ?)", table->name, table->columns[table->age].name);
}

static const struct row_statement {
	void (*sql)(struct sql *sql, const struct row_table *table);
	bool changes;
} row_statements[] = {
	[ROWS_PUT] = { put_sql, true }, [ROWS_EACH] = { each_sql, false }, [ROWS_REMOVE] = { remove_sql, true },
	[ROWS_ERASE] = { erase_sql, true }, [ROWS_PRUNE] = { prune_sql, true },
};

/* a table: its keeper, its number in the keeper, and its number among all tables */
struct table_place {
	const struct durable *durable;
	const struct row_keeper *keeper;
	size_t table, number;
};

static struct table_place place_of(const struct durable *durable, size_t keeper, size_t table)
{
	struct table_place at = { durable, &durable->keepers[keeper], table, table };

	for (size_t i = 0; i < keeper; i++)
		at.number += durable->keepers[i].rows->ntables;
	return at;
}

static struct query query_rows(struct store *store, const struct table_place *at, enum rows_statement what,
			       struct error *error)
{
	enum statement which = (enum statement)(STATEMENT_ROWS + at->number * ROWS_STATEMENTS + what);
	bool changes = row_statements[what].changes;
	struct sql sql = { .n = 0 };

	assert(at->number < ROW_TABLES_MOST);
	if (!store->statements[which])
		row_statements[what].sql(&sql, &at->keeper->rows->tables[at->table]);
	return changes ? query_change(store, which, sql.text, error) : query_read(store, which, sql.text, error);
}

/* Loading */

static struct row_value value_of(struct query *query, const struct row_column *row_column, int column)
{
	struct row_value value = { .text = "" };

	if (row_column->type == ROW_TEXT)
		value.text = query_get_text(query, column);
	else if (row_column->type == ROW_INTEGER)
		value.integer = query_get_integer(query, column, (int64_t)row_column->least, (int64_t)row_column->most);
	else
		value.real = query_get_real(query, column, row_column->least, row_column->most);
	return value;
}

static void row_load(struct query *query, const struct table_place *at)
{
	const struct policy_rows *rows = at->keeper->rows;
	const struct row_table *table = &rows->tables[at->table];
	struct row_value values[ROW_COLUMNS_MOST];
	size_t damaged = 0;
	int rc;

	for (size_t i = 0; i < table->ncolumns; i++)
		values[i] = value_of(query, &table->columns[i], (int)i);
	if (query->rc)
		return;
	rc = rows->load(at->keeper->policy, at->durable->run, at->table, values, &damaged);
	if (rc == -EUCLEAN)
		query_damaged(query, (int)damaged);
	else if (rc)
		query->rc = error_set(query->error, rc, "out of memory");
}

static int table_load(struct store *store, struct table_place at, struct error *error)
{
	struct query query = query_rows(store, &at, ROWS_EACH, error);

	while (query_row(&query))
		row_load(&query, &at);
	return query_end(&query);
}

static int numbers_load(struct store *store, const struct policy_rows *rows, int64_t *numbers, struct error *error)
{
	for (size_t i = 0; i < rows->nnumbers; i++) {
		int rc = meta_get_number(store, rows->numbers[i], 0, TIME_MAX, &numbers[i], error);

		if (rc && rc != -ENOENT)
			return rc;
	}
	return 0;
}

static int keeper_load(struct store *store, const struct durable *durable, size_t keeper, struct error *error)
{
	const struct row_keeper *row_keeper = &durable->keepers[keeper];
	int64_t numbers[ROW_NUMBERS_MOST] = { 0 };
	int rc = 0;

	row_keeper->rows->begin(row_keeper->policy, durable->run);
	for (size_t t = 0; rc == 0 && t < row_keeper->rows->ntables; t++)
		rc = table_load(store, place_of(durable, keeper, t), error);
	if (rc == 0)
		rc = numbers_load(store, row_keeper->rows, numbers, error);
	if (rc == 0)
		row_keeper->rows->loaded(row_keeper->policy, durable->run, numbers);
	return rc;
}

int rows_load(struct store *store, const struct durable *durable, struct error *error)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < durable->n; i++)
		rc = keeper_load(store, durable, i, error);
	return rc;
}

/* Saving */

struct saving {				/* for the rows of one keeper */
	struct store *s;
	size_t keeper;
	struct error *error;
};

static void value_put(struct query *query, const struct row_column *column, const struct row_value *value)
{
	if (column->type == ROW_TEXT)
		query_text(query, value->text);
	else if (column->type == ROW_INTEGER)
		query_integer(query, value->integer);
	else
		query_real(query, value->real);
}

static int row_put(void *context, size_t table, const struct row_value *values)
{
	const struct saving *to = context;
	const struct table_place at = place_of(to->s->durable, to->keeper, table);
	const struct row_table *row_table = &at.keeper->rows->tables[table];
	struct query query = query_rows(to->s, &at, ROWS_PUT, to->error);

	for (size_t i = 0; i < row_table->ncolumns; i++)
		value_put(&query, &row_table->columns[i], &values[i]);
	return query_run(&query);
}

static int row_erase(void *context, size_t table, const struct row_value *values)
{
	const struct saving *to = context;
	const struct table_place at = place_of(to->s->durable, to->keeper, table);
	const struct row_table *row_table = &at.keeper->rows->tables[table];
	struct query query = query_rows(to->s, &at, ROWS_ERASE, to->error);

	for (size_t i = 0; i < row_table->ncolumns; i++)
		if (row_table->columns[i].is_key)
			value_put(&query, &row_table->columns[i], &values[i]);
	return query_run(&query);
}

static int rows_remove(void *context, size_t table, int64_t until)
{
	const struct saving *to = context;
	const struct table_place at = place_of(to->s->durable, to->keeper, table);
	struct query query = query_rows(to->s, &at, ROWS_REMOVE, to->error);

	query_integer(&query, until);
	return query_run(&query);
}

static int number_put(void *context, const char *name, int64_t value)
{
	const struct saving *to = context;

	return meta_put_number(to->s, name, value, to->error);
}

int rows_save(struct store *store, struct error *error)
{
	const struct durable *durable = store->durable;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < durable->n; i++) {
		struct saving to = { store, i, error };
		const struct row_sink sink = { &to, row_put, rows_remove, row_erase, number_put };

		rc = durable->keepers[i].rows->save(durable->keepers[i].policy, durable->run, &sink);
	}
	return rc;
}

int store_rows_save(struct store *store, struct error *error)
{
	int rc;

	error = error ? error : &store->unwanted;
	if (!store->durable)
		return error_set(error, -EINVAL, "no scheduler's rows are kept in this store");
	rc = rows_save(store, error);
	store->takes_rows |= rc == 0;
	if (rc != 0 && !store->failed)
		store_fail(store, rc, error);
	return rc;
}

void rows_committed(struct store *store)
{
	for (size_t i = 0; i < store->durable->n; i++)
		store->durable->keepers[i].rows->saved(store->durable->keepers[i].policy, store->durable->run);
}

static int table_prune(struct store *store, const struct table_place *at, int64_t now, bool *all, struct error *error)
{
	int64_t limit = now - (int64_t)ROWS_DAYS * DAY_S;
	struct query query;
	int rc;

	if (!at->keeper->rows->oldest || !at->keeper->rows->oldest(at->keeper->policy, at->table, &limit))
		return 0;
	query = query_rows(store, at, ROWS_PRUNE, error);
	query_integer(&query, limit);
	query_integer(&query, PRUNED_AT_ONCE);
	rc = query_run(&query);
	*all &= rc == 0 && sqlite3_changes(store->db) < PRUNED_AT_ONCE;
	return rc;
}

int rows_prune(struct store *store, int64_t now, bool *all, struct error *error)
{
	int rc = 0;

	for (size_t i = 0; i < store->durable->n; i++)
		for (size_t t = 0; rc == 0 && t < store->durable->keepers[i].rows->ntables; t++) {
			const struct table_place at = place_of(store->durable, i, t);

			rc = table_prune(store, &at, now, all, error);
		}
	return rc;
}
