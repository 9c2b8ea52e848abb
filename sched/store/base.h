/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Internal interface of the store: the connection, its statements, and functions to fill in and
 * read them. For sched/store/ and its tests only.
 */
#ifndef SCHED_STORE_BASE_H
#define SCHED_STORE_BASE_H

#include <sqlite3.h>
#include <sys/types.h>

#include "sched/store/disk.h"
#include "sched/store/log.h"
#include "sched/store/usage.h"

#define TEXT_OF(NUMBER) #NUMBER
#define TEXT(NUMBER) TEXT_OF(NUMBER)	/* for SQL */

enum statement { /* statements, each prepared when it is first used */
		 STATEMENT_BEGIN,
		 STATEMENT_COMMIT,
		 STATEMENT_ROLLBACK,
		 STATEMENT_META_GET,
		 STATEMENT_META_PUT,
		 STATEMENT_JOB_PUT,
		 STATEMENT_JOB_REMOVE,
		 STATEMENT_JOB_FIND,
		 STATEMENT_JOB_EXISTS,
		 STATEMENT_JOBS_EACH,
		 STATEMENT_JOBS_COUNT,
		 STATEMENT_TASK_PUT,
		 STATEMENT_TASK_REMOVE,
		 STATEMENT_TASK_FIND,
		 STATEMENT_TASKS_EACH,
		 STATEMENT_ADVANCE_PUT,
		 STATEMENT_ADVANCE_REMOVE,
		 STATEMENT_ADVANCE_EXISTS,
		 STATEMENT_ADVANCES_EACH,
		 STATEMENT_USAGE_PUT,
		 STATEMENT_USAGE_REMOVE,
		 STATEMENT_USAGE_EACH,
		 STATEMENT_DEBITED_PUT,
		 STATEMENT_DEBITED_REMOVE,
		 STATEMENT_DEBITED_FIND,
		 STATEMENT_DEBITED_OLD,
		 STATEMENT_DEBITED_KEEP,
		 STATEMENT_DEBITED_TASK_PUT,
		 STATEMENT_DEBITED_TASK_REMOVE,
		 STATEMENT_DEBITED_TASKS_EACH,
		 STATEMENT_ENDED_PUT,
		 STATEMENT_ENDED_FIND,
		 STATEMENT_ENDED_PRUNE,
		 STATEMENT_HISTORY_ADD,
		 STATEMENT_HISTORY_PRUNE,
		 STATEMENT_ROWS, /* ROWS_STATEMENTS for each table of rows.c */
		 STATEMENTS = STATEMENT_ROWS + ROW_TABLES_MOST * 5
};

enum rows_statement { ROWS_PUT, ROWS_EACH, ROWS_REMOVE, ROWS_ERASE, ROWS_PRUNE, ROWS_STATEMENTS };
_Static_assert(ROWS_STATEMENTS == 5, "enum statement has room for five statements of each table");

#define IDENTITY_CHARS 32

struct receipt {			/* see receipt.c */
	/* name of the store; "": there is no receipt, or it is empty */
	char identity[IDENTITY_CHARS + 1];
	uint64_t commits;		/* minimum number of acknowledged commits */
};

/* memory for the texts of a row that the store has returned */
struct row_texts {
	char *bytes;
	size_t capacity;
};

struct store {
	sqlite3 *db;
	char *path;
	/* flock(2) on the file, which gives the right to write; -1: none */
	int lock_fd;
	int receipt_fd;			/* -1: not open */
	struct receipt receipt;		/* receipt as it was found; later only its name is valid */
	struct {			/* valid while the store is opened */
		int directory;
		/* path as passed by the caller; its last part, in that directory */
		const char *path, *name;
		const char *sign;	/* evidence that the store is not new; NULL: none */
	} opening;
	uint64_t commits;		/* acknowledged commits */
	/* number of rows changed by this connection before the open transaction */
	int changes;
	int64_t version;		/* version of the tables, as found */
	/* the result of a commit is unknown; all further operations fail */
	bool unsure;
	bool open;			/* a transaction is open */
	/* -errno of the change that has undone the transaction; 0: none has */
	int failed;
	struct error why, unwanted;	/* `unwanted` is for callers that pass no `error` */
	sqlite3_stmt *statements[STATEMENTS];
	struct row_texts job, task, values;
	const struct durable *durable;	/* scheduler whose ledger this store takes; NULL: none */
	struct store_usage_options options;
	struct error unanswered;	/* why the ledger's last question had no answer */
	/* whether the open transaction includes the ledger; the rows of policies */
	bool takes_ledger, takes_rows;
	/* half-life of usage: in the open transaction, in the store */
	uint32_t halftime, halftime_kept;
	/* mirror.report_count: in the open transaction, in the store */
	uint64_t report_count, tellings_kept;
	int64_t pruned_day;		/* days since 1970 */
};

/* query.c */
/* use of a statement; the first error stays in `rc` */
struct query {
	struct store *store;
	sqlite3_stmt *statement;
	struct error *error;
	int rc;
	int bound;			/* number of parameters so far */
	bool changes;
};

/* Prepare a statement that reads. `sql` must always be the same for a statement. */
struct query query_read(struct store *store, enum statement which, const char *sql, struct error *error);
/* Prepare a statement that changes data. Begins a transaction if none is open. */
struct query query_change(struct store *store, enum statement which, const char *sql, struct error *error);

/* Set the next parameter. Texts are copied; NULL binds NULL. -EINVAL if a text is not UTF-8. */
void query_integer(struct query *query, int64_t value);
void query_real(struct query *query, double value);
void query_text(struct query *query, const char *text);

/* Run a statement to its end. 0 or -errno. */
int query_run(struct query *query);
/* Run a statement like query_run(). -ENOENT with this message if no row was changed. */
int query_run_one(struct query *query, const char *format, ...) __attribute__((format(printf, 2, 3)));
/*
 * Read one row. false at the end and after an error, which is in query->rc. query_end() must follow
 * in each case.
 */
bool query_row(struct query *query);
int query_end(struct query *query);

/* Return a column of the row, from 0. A value out of range sets query->rc to -EUCLEAN. */
int64_t query_get_integer(struct query *query, int column, int64_t min, int64_t max);
double query_get_real(struct query *query, int column, double min, double max);
/* Return a text, valid until the next row. "" if the column is NULL. */
const char *query_get_text(struct query *query, int column);
bool query_is_null(const struct query *query, int column);
void query_damaged(struct query *query, int column);	/* report an impossible value */

/* Convert an error of SQLite to -errno with a message. `sqlite` is its result code. */
int store_explain(const struct store *store, int sqlite, struct error *error);
/* Report that a change failed: the transaction is undone. */
void store_fail(struct store *store, int rc, const struct error *error);

/* location.c */
/* Return path and suffix in new memory. The caller frees. NULL: no memory. */
char *path_beside(const char *path, const char *suffix);
/*
 * Open a file with the name of the store and the suffix, like trust_openat(), while it is opened.
 */
int store_open_beside(const struct store *store, const char *suffix, int flags, mode_t mode, struct error *error);
/*
 * Open the file, or create it if it does not exist, for this process only. -EBUSY, -EPERM, -EUCLEAN
 * (see receipt_new_check()), -ENOTSUP, ...
 */
int store_lock(struct store *store, struct error *error);

/* receipt.c */
/* Read the receipt of the store at this path. -EUCLEAN, -EIO. */
int receipt_read(int fd, const char *path, struct receipt *receipt, struct error *error);
/*
 * Check that a store without tables is new. `nothing`: the file does not exist either. -EUCLEAN if
 * there is evidence of an earlier store.
 */
int receipt_new_check(const struct store *store, bool nothing, struct error *error);
/* Read the receipt into store->receipt. -EUCLEAN, -EPERM, ... */
int receipt_load(struct store *store, struct error *error);
/*
 * Check that this is the store of store->receipt with all its commits, and read their number.
 * -EUCLEAN.
 */
int receipt_check(struct store *store, struct error *error);
/*
 * Write the receipt again and wait for the disk. A store whose receipt has no name gets a name
 * before that.
 */
int receipt_settle(struct store *store, struct error *error);
/* Update the receipt after a commit. If this fails, the receipt has a smaller number of commits. */
void receipt_write(struct store *store);

/* sums.c */
struct sums_look {
	int fd;				/* descriptor of the file */
	bool stamps;			/* write checksums to pages that have none */
	/* called for each page that does not match its checksum, or is unexpectedly blank */
	void (*damaged)(void *context, uint32_t page);
	void *context;
	/* results: pages; pages without a checksum; pages beyond the end of the file */
	uint32_t pages, unstamped, missing;
};

/*
 * Check the checksums of all pages. 0 without a check if the file has none: it does not exist, or
 * has an older version. -EIO, -ENOMEM.
 */
int sums_look(struct sums_look *look, const struct log_view *log);
void page_name(sqlite3 *db, uint32_t number, char *name, size_t size);

/* schema.c */
/* first version with a number of commits and checksums of pages */
#define STORE_SCHEMA_COMMITS 4
/*
 * Check that the file is empty and can be made a store, or has tables of a known version. -EUCLEAN,
 * -EPROTO.
 */
int schema_check(struct store *store, struct error *error);
/* Return whether the header belongs to a store whose pages have checksums. */
bool schema_has_sums(const unsigned char *header);
/* Create the tables in an empty file, or update them. */
int schema_make(struct store *store, struct error *error);

/* usage_load.c */
#define TIME_MAX (1ll << 53)
extern const char *const usage_kinds[];	/* names by enum sharer_kind */

/* rows.c */
/* days for which rows are kept that are not needed */
#define ROWS_DAYS 400
/* Load the rows of all policies into the policies. -EUCLEAN. */
int rows_load(struct store *store, const struct durable *durable, struct error *error);
int rows_save(struct store *store, struct error *error);
/* Remove rows that are too old. *all stays true if there are no more. */
int rows_prune(struct store *store, int64_t now, bool *all, struct error *error);
void rows_committed(struct store *store);

/* usage_save.c */
#define DAY_S 86400
/* maximum number of rows of a kind in one save; pruning continues with the next one */
#define PRUNED_AT_ONCE 1000
/* Finish after a commit: the transaction, with data from the ledger, is on disk. */
void usage_committed(struct store *store);

/* meta.c */
/* Read a number. -ENOENT: not found; -EUCLEAN: it is no number from min to max. */
int meta_get_number(struct store *store, const char *key, int64_t min, int64_t max, int64_t *number,
		    struct error *error);
int meta_put_number(struct store *store, const char *key, int64_t number, struct error *error);

/* jobs.c */
/* Reserve memory for `bytes`. -ENOMEM. */
int texts_reserve(struct row_texts *memory, size_t bytes);
/*
 * Copy n texts to the store's memory and set the pointers to the copies. NULL stays NULL. -ENOMEM.
 */
int texts_keep(struct row_texts *memory, const char **const texts[], size_t n, struct error *error);

#endif
