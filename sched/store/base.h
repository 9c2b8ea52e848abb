/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of the store: the connection, its statements, and how they are filled in and read.
 * For sched/store/ and its tests only.
 */
#ifndef SCHED_STORE_BASE_H
#define SCHED_STORE_BASE_H

#include <sqlite3.h>
#include <sys/types.h>

#include "sched/store/disk.h"
#include "sched/store/log.h"
#include "sched/store/usage.h"

#define TEXT_OF(NUMBER) #NUMBER
#define TEXT(NUMBER) TEXT_OF(NUMBER)	/* in SQL */

enum statement { /* each is prepared when it is first used */
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
_Static_assert(ROWS_STATEMENTS == 5, "there is room for all of them among the statements");

#define IDENTITY_CHARS 32

struct receipt {			/* see receipt.c */
	/* the name of the store; "": there is no receipt, or it is empty */
	char identity[IDENTITY_CHARS + 1];
	uint64_t commits;		/* acknowledged at least */
};

struct row_texts {			/* of a row that the store gave away */
	char *bytes;
	size_t capacity;
};

struct store {
	sqlite3 *db;
	char *path;
	int lock_fd;			/* flock(2) on the file: the right to write; -1: none */
	int receipt_fd;			/* -1: not open */
	struct receipt receipt;		/* as it was found; later its name alone holds */
	struct {			/* valid while it is opened */
		int directory;
		/* as the caller has it; its end, in that directory */
		const char *path, *name;
		const char *sign;	/* that it is not new; NULL: none */
	} opening;
	uint64_t commits;		/* those that were acknowledged */
	/* of rows, by this connection, before the transaction that is open */
	int changes;
	int64_t version;		/* of the tables, as they were found */
	bool unsure;			/* what became of a commit; nothing is possible any more */
	bool open;			/* a transaction is */
	int failed;			/* -errno of the change that has undone it; 0: none has */
	struct error why, unwanted;	/* the latter for callers that pass no `error` */
	sqlite3_stmt *statements[STATEMENTS];
	struct row_texts job, task, values;
	const struct durable *durable;	/* whose ledger this store takes; NULL: nobody's */
	struct store_usage_options options;
	struct error unanswered;	/* why the ledger's last question had no answer */
	bool takes_ledger, takes_rows;	/* the open transaction has it, has those of policies */
	/* by which usage decays: as the open transaction has it, as the store has it */
	uint32_t halftime, halftime_kept;
	uint64_t tellings, tellings_kept;	/* the same of mirror.tellings */
	int64_t pruned_day;		/* days since 1970 */
};

/* query.c */
/* one use of a statement; the first thing that goes wrong stays in `rc` */
struct query {
	struct store *store;
	sqlite3_stmt *statement;
	struct error *error;
	int rc;
	int bound;			/* parameters so far */
	bool changes;
};

/* A statement that reads. `sql` must always be the same for a statement. */
struct query query_read(struct store *store, enum statement which, const char *sql, struct error *error);
/* One that changes something, which begins a transaction if none is open. */
struct query query_change(struct store *store, enum statement which, const char *sql, struct error *error);

/* The next parameter. Texts are copied; NULL binds NULL. -EINVAL for what is no UTF-8. */
void query_integer(struct query *query, int64_t value);
void query_real(struct query *query, double value);
void query_text(struct query *query, const char *text);

/* To its end. 0 or -errno. */
int query_run(struct query *query);
/* The same; -ENOENT with these words if no row was changed. */
int query_run_one(struct query *query, const char *format, ...) __attribute__((format(printf, 2, 3)));
/*
 * One row: true; false at the end, and when something went wrong: q->rc says so. query_end() must
 * follow in each case.
 */
bool query_row(struct query *query);
int query_end(struct query *query);

/* Columns of the row, from 0. What is out of range sets q->rc to -EUCLEAN. */
int64_t query_get_integer(struct query *query, int column, int64_t min, int64_t max);
double query_get_real(struct query *query, int column, double min, double max);
/* Until the next row. "" when the column is NULL. */
const char *query_get_text(struct query *query, int column);
bool query_is_null(const struct query *query, int column);
void query_damaged(struct query *query, int column);	/* what is there can't be */

/* What SQLite said, as -errno with words: `sqlite` is its result code. */
int store_explain(const struct store *store, int sqlite, struct error *error);
/* A change failed: the transaction is undone. */
void store_fail(struct store *store, int rc, const struct error *error);

/* location.c */
/* The caller frees. NULL: no memory. */
char *path_beside(const char *path, const char *suffix);
/* Of the store that is opened: the file with its name and the suffix, as trust_openat(). */
int store_open_beside(const struct store *store, const char *suffix, int flags, mode_t mode, struct error *error);
/*
 * Open the file, or make it where there was none, for us alone. -EBUSY, -EPERM, -EUCLEAN (see
 * receipt_new_check()), -ENOTSUP, ...
 */
int store_lock(struct store *store, struct error *error);

/* Receipt.c */
/* That of the store at this path. -EUCLEAN, -EIO. */
int receipt_read(int fd, const char *path, struct receipt *receipt, struct error *error);
/*
 * The one that is opened has no tables, or there is `nothing` at all: -EUCLEAN if something says
 * that there was a store.
 */
int receipt_new_check(const struct store *store, bool nothing, struct error *error);
/* Into s->receipt. -EUCLEAN, -EPERM, ... */
int receipt_load(struct store *store, struct error *error);
/* Is this the store of s->receipt, with all of its commits? Reads how many those are. -EUCLEAN. */
int receipt_check(struct store *store, struct error *error);
/* Make it anew and wait for the disk; before that, a name for the store whose receipt has none. */
int receipt_settle(struct store *store, struct error *error);
/* After a commit. If that fails it says less than it could. */
void receipt_write(struct store *store);

/* Sums.c */
struct sums_look {
	int fd;				/* of the file */
	bool stamps;			/* pages without a checksum get theirs */
	/* called for each that does not fit, or is blank and should not be */
	void (*damaged)(void *context, uint32_t page);
	void *context;
	/* found: those that there are, had no checksum, are behind the file's end */
	uint32_t pages, unstamped, missing;
};

/*
 * 0 without a look if the file has no checksums: no file, or one of an older version. -EIO,
 * -ENOMEM.
 */
int sums_look(struct sums_look *look, const struct log_view *log);
void page_name(sqlite3 *db, uint32_t number, char *name, size_t size);

/* Schema.c */
/* the version from which on commits are counted, and pages have checksums */
#define STORE_SCHEMA_COMMITS 4
/* Is this an empty file that may be one, or one with tables that we know? -EUCLEAN, -EPROTO. */
int schema_check(struct store *store, struct error *error);
/* Does the header of a file say that it is a store whose pages have checksums? */
bool schema_has_sums(const unsigned char *header);
/* Make the tables in an empty file. */
int schema_make(struct store *store, struct error *error);

/* Usage_load.c */
#define TIME_MAX (1ll << 53)
extern const char *const usage_kinds[];	/* by enum sharer_kind */

/* Rows.c */
/* how long rows are kept that nobody needs */
#define ROWS_DAYS 400
/* All that policies have kept, back to them. -EUCLEAN. */
int rows_load(struct store *store, const struct durable *durable, struct error *error);
int rows_save(struct store *store, struct error *error);
/* *all stays true if there are no more. */
int rows_prune(struct store *store, int64_t now, bool *all, struct error *error);
void rows_committed(struct store *store);

/* Usage_save.c */
#define DAY_S 86400
/* rows of a kind in one save: pruning goes on with the next */
#define PRUNED_AT_ONCE 1000
/* The transaction is on the disk, and with it what it took from the ledger. */
void usage_committed(struct store *store);

/* Meta.c */
/* -ENOENT: there is none; -EUCLEAN: it is no number from min to max. */
int meta_get_number(struct store *store, const char *key, int64_t min, int64_t max, int64_t *number,
		    struct error *error);
int meta_put_number(struct store *store, const char *key, int64_t number, struct error *error);

/* Jobs.c */
/* Room for so many bytes. -ENOMEM. */
int texts_reserve(struct row_texts *memory, size_t bytes);
/* Copy n texts into the store's memory and let them point there; NULL stays NULL. -ENOMEM. */
int texts_keep(struct row_texts *memory, const char **const texts[], size_t n, struct error *error);

#endif
