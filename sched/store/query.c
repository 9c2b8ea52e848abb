/* SPDX-License-Identifier: Apache-2.0 */
/* Statements: prepared once, filled in, run; what SQLite says of them as -errno. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "conf/utf8.h"
#include "sched/store/base.h"

/* Errors */

/* ENOENT and EINVAL mean something else here: that nothing has happened. */
static int io_errno(const struct store *s, int sqlite)
{
	int rc = sqlite3_system_errno(s->db);

	if (sqlite == SQLITE_IOERR_NOMEM)
		return -ENOMEM;
	if (sqlite == SQLITE_IOERR_DATA || sqlite == SQLITE_IOERR_CORRUPTFS)
		return -EUCLEAN;
	return rc <= 0 || rc == ENOENT || rc == EINVAL ? -EIO : -rc;
}

static int errno_of(const struct store *s, int sqlite)
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
		return io_errno(s, sqlite);
	case SQLITE_CORRUPT: case SQLITE_NOTADB: case SQLITE_SCHEMA: case SQLITE_ERROR: case SQLITE_MISMATCH: case SQLITE_FORMAT:
		/* our statements are right: it is the tables that are not */
		return -EUCLEAN;
	case SQLITE_TOOBIG:
		return -EINVAL;
	case SQLITE_CONSTRAINT:
		return sqlite == SQLITE_CONSTRAINT_FOREIGNKEY ? -ENOENT : -EINVAL;
	default:
		return -EIO;
	}
}

int store_explain(const struct store *s, int sqlite, struct error *error)
{
	int rc = errno_of(s, sqlite);

	switch (-rc) {
	case ENOSPC:
		return error_set(error, rc, "the store %.80s can't be written: the disk is full", s->path);
	case EBUSY:
		return error_set(error, rc, "the store %.80s can't be written: another program is writing to it", s->path);
	case EROFS:
		return error_set(error, rc, "the store %.80s can't be written: it or its directory is read-only", s->path);
	case EUCLEAN:
		if (sqlite == SQLITE_IOERR_DATA)
			return error_set(error, rc, "the store %.80s is damaged: page %u; see fairlead-store(5), DAMAGE", s->path, disk_damaged_page(s->db));
		return error_set(error, rc, "the store %.80s is damaged: %.50s", s->path, sqlite3_errmsg(s->db));
	case EINVAL:
		return error_set(error, rc, "the store refuses a value: %.80s", sqlite3_errmsg(s->db));
	default:
		return error_set(error, rc, "the store %.80s: %s", s->path, strerror(-rc));
	}
}

static bool leaves_transaction(int rc)
{
	return rc == -EINVAL || rc == -ENOENT;
}

/* Statements */

static struct query query_make(struct store *s, enum statement which, const char *sql, struct error *error)
{
	struct query q = { .store = s, .error = error ? error : &s->unwanted };

	if (!s->statements[which]) {
		int sqlite = sqlite3_prepare_v3(s->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &s->statements[which], NULL);

		if (sqlite != SQLITE_OK)
			q.rc = store_explain(s, sqlite, q.error);
	}
	q.statement = s->statements[which];
	return q;
}

struct query query_read(struct store *s, enum statement which, const char *sql, struct error *error)
{
	return query_make(s, which, sql, error);
}

static int transaction_begin(struct store *s, struct error *error)
{
	struct query q;

	if (s->unsure)
		return error_set(error, -ENOTRECOVERABLE, "the contents of the store %.80s are unknown since a commit failed", s->path);
	if (s->failed)
		return error_set(error, s->failed, "%s", s->why.text);
	if (s->open)
		return 0;
	s->changes = sqlite3_total_changes(s->db);
	q = query_make(s, STATEMENT_BEGIN, "BEGIN IMMEDIATE", error);
	if (q.rc == 0)
		q.rc = query_run(&q);
	if (q.rc == 0)
		s->open = true;
	else
		store_fail(s, q.rc, q.error);
	return q.rc;
}

struct query query_change(struct store *s, enum statement which, const char *sql, struct error *error)
{
	struct query q = { .store = s, .error = error ? error : &s->unwanted };

	q.rc = transaction_begin(s, q.error);
	if (q.rc == 0)
		q = query_make(s, which, sql, error);
	q.changes = true;
	return q;
}

/* Parameters */

static void query_bound(struct query *q, int sqlite)
{
	if (sqlite != SQLITE_OK && q->rc == 0)
		q->rc = store_explain(q->store, sqlite, q->error);
}

void query_integer(struct query *q, int64_t value)
{
	if (q->rc == 0)
		query_bound(q, sqlite3_bind_int64(q->statement, ++q->bound, value));
}

void query_real(struct query *q, double value)
{
	if (q->rc == 0)
		query_bound(q, sqlite3_bind_double(q->statement, ++q->bound, value));
}

/* Control characters pass: who gives texts to be shown has refused them before. */
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

void query_text(struct query *q, const char *text)
{
	if (q->rc != 0)
		return;
	if (text && !is_utf8(text))
		q->rc = error_set(q->error, -EINVAL, "the store refuses a text that is no UTF-8: \"%.60s\"", text);
	else if (!text)
		query_bound(q, sqlite3_bind_null(q->statement, ++q->bound));
	else
		query_bound(q, sqlite3_bind_text64(q->statement, ++q->bound, text, strlen(text), SQLITE_TRANSIENT, SQLITE_UTF8));
}

/* Running */

bool query_row(struct query *q)
{
	int sqlite;

	if (q->rc != 0)
		return false;
	sqlite = sqlite3_step(q->statement);
	if (sqlite != SQLITE_ROW && sqlite != SQLITE_DONE)
		q->rc = store_explain(q->store, sqlite3_extended_errcode(q->store->db), q->error);
	return sqlite == SQLITE_ROW;
}

int query_end(struct query *q)
{
	struct store *s = q->store;

	if (q->statement) {
		sqlite3_reset(q->statement);
		sqlite3_clear_bindings(q->statement);
	}
	/* SQLite may have undone the transaction by itself, even if this only read */
	if (q->rc != 0 && s->open && ((q->changes && !leaves_transaction(q->rc)) || sqlite3_get_autocommit(s->db)))
		store_fail(s, q->rc, q->error);
	return q->rc;
}

int query_run(struct query *q)
{
	while (query_row(q))
		;
	return query_end(q);
}

int query_run_one(struct query *q, const char *format, ...)
{
	va_list arguments;
	char text[sizeof(q->error->text)];

	if (query_run(q) != 0 || sqlite3_changes(q->store->db) > 0)
		return q->rc;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	return error_set(q->error, -ENOENT, "%s", text);
}

/* Columns */

void query_damaged(struct query *q, int column)
{
	if (q->rc == 0)
		q->rc = error_set(q->error, -EUCLEAN, "the store %.80s is damaged: %.30s is no possible value", q->store->path,
				    sqlite3_column_name(q->statement, column));
}

int64_t query_get_integer(struct query *q, int column, int64_t min, int64_t max)
{
	int64_t value = sqlite3_column_int64(q->statement, column);

	if (sqlite3_column_type(q->statement, column) == SQLITE_INTEGER && value >= min && value <= max)
		return value;
	query_damaged(q, column);
	return min;
}

double query_get_real(struct query *q, int column, double min, double max)
{
	double value = sqlite3_column_double(q->statement, column);

	if (sqlite3_column_type(q->statement, column) == SQLITE_FLOAT && value >= min && value <= max)
		return value;
	query_damaged(q, column);
	return min;
}

bool query_is_null(const struct query *q, int column)
{
	return sqlite3_column_type(q->statement, column) == SQLITE_NULL;
}

const char *query_get_text(struct query *q, int column)
{
	const char *text = (const char *)sqlite3_column_text(q->statement, column);

	if (query_is_null(q, column))
		return "";
	if (text && strlen(text) == (size_t)sqlite3_column_bytes(q->statement, column) && is_utf8(text))
		return text;
	if (!text && q->rc == 0)
		q->rc = error_set(q->error, -ENOMEM, "out of memory");
	query_damaged(q, column);
	return "";
}
