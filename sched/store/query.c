/* SPDX-License-Identifier: Apache-2.0 */
/* Statements: preparation, parameters, execution, and conversion of SQLite's errors to -errno. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "conf/base/utf8.h"
#include "sched/store/base.h"

/* Errors */

/*
 * Return the errno of an I/O error. ENOENT and EINVAL are replaced, since they mean here that
 * nothing has happened.
 */
static int io_errno(const struct store *store, int sqlite)
{
	int rc = sqlite3_system_errno(store->db);

	if (sqlite == SQLITE_IOERR_NOMEM)
		return -ENOMEM;
	if (sqlite == SQLITE_IOERR_DATA || sqlite == SQLITE_IOERR_CORRUPTFS)
		return -EUCLEAN;
	return rc <= 0 || rc == ENOENT || rc == EINVAL ? -EIO : -rc;
}

static int errno_of(const struct store *store, int sqlite)
{
	switch (sqlite & 0xff) {
	case SQLITE_FULL:
		return -ENOSPC;
	case SQLITE_NOMEM:
		return -ENOMEM;
	case SQLITE_BUSY: case SQLITE_LOCKED:
		return -EBUSY;
	case SQLITE_READONLY:
		return -EROFS;
	case SQLITE_PERM: case SQLITE_AUTH:
		return -EACCES;
	case SQLITE_IOERR: case SQLITE_CANTOPEN:
		return io_errno(store, sqlite);
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
	case SQLITE_SCHEMA:
	case SQLITE_ERROR:
	case SQLITE_MISMATCH:
	case SQLITE_FORMAT:
		/* our statements are correct, so the tables are not */
		return -EUCLEAN;
	case SQLITE_TOOBIG:
		return -EINVAL;
	case SQLITE_CONSTRAINT:
		return sqlite == SQLITE_CONSTRAINT_FOREIGNKEY ? -ENOENT : -EINVAL;
	default:
		return -EIO;
	}
}

int store_explain(const struct store *store, int sqlite, struct error *error)
{
	int rc = errno_of(store, sqlite);

	switch (-rc) {
	case ENOSPC:
		return error_set(error, rc, "cannot write the store %.80s: the disk is full", store->path);
	case EBUSY:
		return error_set(error, rc, "cannot write the store %.80s: another program is writing to it",
				 store->path);
	case EROFS:
		return error_set(error, rc, "cannot write the store %.80s: it or its directory is read-only",
				 store->path);
	case EUCLEAN:
		if (sqlite == SQLITE_IOERR_DATA)
			return error_set(error, rc,
					 "the store %.80s is damaged: page %u; see fairlead-store(5), DAMAGE",
					 store->path, disk_damaged_page(store->db));
		return error_set(error, rc, "the store %.80s is damaged: %.50s", store->path,
				 sqlite3_errmsg(store->db));
	case EINVAL:
		return error_set(error, rc, "the store refuses a value: %.80s", sqlite3_errmsg(store->db));
	default:
		return error_set(error, rc, "the store %.80s: %s", store->path, strerror(-rc));
	}
}

static bool leaves_transaction(int rc)
{
	return rc == -EINVAL || rc == -ENOENT;
}

/* Statements */

static struct query query_make(struct store *store, enum statement which, const char *sql, struct error *error)
{
	struct query query = { .store = store, .error = error ? error : &store->unwanted };

	if (!store->statements[which]) {
		int sqlite = sqlite3_prepare_v3(store->db, sql, -1, SQLITE_PREPARE_PERSISTENT,
						&store->statements[which], NULL);

		if (sqlite != SQLITE_OK)
			query.rc = store_explain(store, sqlite, query.error);
	}
	query.statement = store->statements[which];
	return query;
}

struct query query_read(struct store *store, enum statement which, const char *sql, struct error *error)
{
	return query_make(store, which, sql, error);
}

static int transaction_begin(struct store *store, struct error *error)
{
	struct query query;

	if (store->unsure)
		return error_set(error, -ENOTRECOVERABLE,
				 "the contents of the store %.80s are unknown since a commit failed", store->path);
	if (store->failed)
		return error_set(error, store->failed, "%s", store->why.text);
	if (store->open)
		return 0;
	store->changes = sqlite3_total_changes(store->db);
	query = query_make(store, STATEMENT_BEGIN, "BEGIN IMMEDIATE", error);
	if (query.rc == 0)
		query.rc = query_run(&query);
	if (query.rc == 0)
		store->open = true;
	else
		store_fail(store, query.rc, query.error);
	return query.rc;
}

struct query query_change(struct store *store, enum statement which, const char *sql, struct error *error)
{
	struct query query = { .store = store, .error = error ? error : &store->unwanted };

	query.rc = transaction_begin(store, query.error);
	if (query.rc == 0)
		query = query_make(store, which, sql, error);
	query.changes = true;
	return query;
}

/* Parameters */

static void query_bound(struct query *query, int sqlite)
{
	if (sqlite != SQLITE_OK && query->rc == 0)
		query->rc = store_explain(query->store, sqlite, query->error);
}

void query_integer(struct query *query, int64_t value)
{
	if (query->rc == 0)
		query_bound(query, sqlite3_bind_int64(query->statement, ++query->bound, value));
}

void query_real(struct query *query, double value)
{
	if (query->rc == 0)
		query_bound(query, sqlite3_bind_double(query->statement, ++query->bound, value));
}

/* Check for UTF-8. Control characters are allowed: texts for display are checked before. */
static bool is_utf8(const char *text)
{
	while (*text) {
		const unsigned char *c = (const unsigned char *)text;
		size_t n = c[0] < 0x80 ? 1 : c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0 ? 2 : utf8_length(text);

		if (n == 0)
			return false;
		text += n;
	}
	return true;
}

void query_text(struct query *query, const char *text)
{
	if (query->rc != 0)
		return;
	if (text && !is_utf8(text))
		query->rc =
			error_set(query->error, -EINVAL, "the store refuses a text that is not valid UTF-8: \"%.60s\"",
				  text);
	else if (!text)
		query_bound(query, sqlite3_bind_null(query->statement, ++query->bound));
	else
		query_bound(query, sqlite3_bind_text64(query->statement, ++query->bound, text, strlen(text),
						       SQLITE_TRANSIENT, SQLITE_UTF8));
}

/* Running */

bool query_row(struct query *query)
{
	int sqlite;

	if (query->rc != 0)
		return false;
	sqlite = sqlite3_step(query->statement);
	if (sqlite != SQLITE_ROW && sqlite != SQLITE_DONE)
		query->rc = store_explain(query->store, sqlite3_extended_errcode(query->store->db), query->error);
	return sqlite == SQLITE_ROW;
}

int query_end(struct query *query)
{
	struct store *store = query->store;

	if (query->statement) {
		sqlite3_reset(query->statement);
		sqlite3_clear_bindings(query->statement);
	}
	/* SQLite may have undone the transaction by itself, even if this statement only read */
	if (query->rc != 0 && store->open &&
	    ((query->changes && !leaves_transaction(query->rc)) || sqlite3_get_autocommit(store->db)))
		store_fail(store, query->rc, query->error);
	return query->rc;
}

int query_run(struct query *query)
{
	while (query_row(query))
		;
	return query_end(query);
}

int query_run_one(struct query *query, const char *format, ...)
{
	va_list arguments;
	char text[sizeof(query->error->text)];

	if (query_run(query) != 0 || sqlite3_changes(query->store->db) > 0)
		return query->rc;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	return error_set(query->error, -ENOENT, "%s", text);
}

/* Columns */

void query_damaged(struct query *query, int column)
{
	if (query->rc == 0)
		query->rc = error_set(query->error, -EUCLEAN, "the store %.80s is damaged: %.30s has an invalid value",
				      query->store->path, sqlite3_column_name(query->statement, column));
}

int64_t query_get_integer(struct query *query, int column, int64_t min, int64_t max)
{
	int64_t value = sqlite3_column_int64(query->statement, column);

	if (sqlite3_column_type(query->statement, column) == SQLITE_INTEGER && value >= min && value <= max)
		return value;
	query_damaged(query, column);
	return min;
}

double query_get_real(struct query *query, int column, double min, double max)
{
	double value = sqlite3_column_double(query->statement, column);

	if (sqlite3_column_type(query->statement, column) == SQLITE_FLOAT && value >= min && value <= max)
		return value;
	query_damaged(query, column);
	return min;
}

bool query_is_null(const struct query *query, int column)
{
	return sqlite3_column_type(query->statement, column) == SQLITE_NULL;
}

const char *query_get_text(struct query *query, int column)
{
	const char *text = (const char *)sqlite3_column_text(query->statement, column);

	if (query_is_null(query, column))
		return "";
	if (text && strlen(text) == (size_t)sqlite3_column_bytes(query->statement, column) && is_utf8(text))
		return text;
	if (!text && query->rc == 0)
		query->rc = error_set(query->error, -ENOMEM, "out of memory");
	query_damaged(query, column);
	return "";
}
