/* SPDX-License-Identifier: Apache-2.0 */
/* Opening of the file for one writer, and transactions. */
#include "sched/store/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/store/base.h"
#include "sched/process/trust.h"

#define BUSY_MS 200			/* maximum time to wait for another writer */
/* maximum: the changes of a transaction should not be written before its end */
#define CACHE_KIB 65536
/* larger files are not checked for contradictions when they are opened */
#define CHECK_BYTES (256ll << 20)

/* Opening */

static int execute(struct store *store, const char *sql, struct error *error)
{
	int rc = sqlite3_exec(store->db, sql, NULL, NULL, NULL);

	return rc == SQLITE_OK ? 0 : store_explain(store, sqlite3_extended_errcode(store->db), error);
}

static void note_damage(void *first, uint32_t page)
{
	if (*(uint32_t *)first == 0)
		*(uint32_t *)first = page;
}

static int page_damaged(struct store *store, uint32_t page, struct error *error)
{
	char name[40];

	disk_tolerate(store->db);
	page_name(store->db, page, name, sizeof(name));
	return error_set(error, -EUCLEAN, "the store %.60s is damaged: page %u%s%s; see fairlead-store(5), DAMAGE",
			 store->path, page, *name ? " of " : "", name);
}

/*
 * Check each page, regardless of the file's size. Damage must be found here, before anything
 * depends on the file.
 */
static int pages_check(struct store *store, const struct log_view *log, struct error *error)
{
	uint32_t page = 0;
	struct sums_look look = { .fd = store->lock_fd, .stamps = true, .damaged = note_damage, .context = &page };
	int rc = sums_look(&look, log);

	if (rc != 0)
		return error_set(error, rc, "the store %.80s: %s", store->path, strerror(-rc));
	if (page)
		return page_damaged(store, page, error);
	if (look.missing)
		return error_set(
			error, -EUCLEAN,
			"the store %.60s is damaged: %u of its %u pages are missing; see fairlead-store(5), DAMAGE",
			store->path, look.missing, look.pages);
	return 0;
}

/*
 * Check whether the pages contradict each other. Since they match their checksums, this would be an
 * error of a program.
 */
static int tables_check(struct store *store, struct error *error)
{
	sqlite3_stmt *check = NULL;
	struct stat st;
	int sqlite, rc = 0;

	if (fstat(store->lock_fd, &st) || st.st_size > CHECK_BYTES)
		return 0;
	sqlite = sqlite3_prepare_v2(store->db, "PRAGMA quick_check(1)", -1, &check, NULL);
	if (sqlite == SQLITE_OK)
		sqlite = sqlite3_step(check);
	if (sqlite != SQLITE_ROW)
		rc = store_explain(store, sqlite, error);
	else if (strcmp((const char *)sqlite3_column_text(check, 0), "ok") != 0)
		rc = error_set(error, -EUCLEAN, "the store %.60s is damaged: %.80s", store->path,
			       sqlite3_column_text(check, 0));
	sqlite3_finalize(check);
	return rc;
}

static int is_wal(void *found, int columns, char **values, char **names)
{
	(void)names;
	*(bool *)found |= columns == 1 && values[0] && strcmp(values[0], "wal") == 0;
	return 0;
}

static int journal_configure(struct store *store, struct error *error)
{
	bool wal = false;
	int rc = sqlite3_exec(store->db, "PRAGMA journal_mode = WAL", is_wal, &wal, NULL);

	if (rc != SQLITE_OK)
		return store_explain(store, sqlite3_extended_errcode(store->db), error);
	if (!wal)
		return error_set(error, -ENOTSUP, "the store %.60s: its file system does not allow a write-ahead log",
				 store->path);
	return execute(store, "PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864", error);
}

/*
 * Check the store. Nothing is changed until the store is known to be complete: a damaged store
 * stays unchanged for investigation.
 */
static int store_check(struct store *store, const struct log_view *log, struct error *error)
{
	int rc = schema_check(store, error);

	if (rc == 0)
		rc = pages_check(store, log, error);
	if (rc == 0)
		rc = tables_check(store, error);
	if (rc == 0)
		rc = store->version ? receipt_check(store, error) : receipt_new_check(store, false, error);
	return rc;
}

static int store_configure(struct store *s, const char *log_path, const struct log_view *log, struct error *error)
{
	int rc, reserve = PAGE_RESERVE;

	sqlite3_busy_timeout(s->db, BUSY_MS);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	rc = execute(
		s,
		"PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; "
		"PRAGMA temp_store = MEMORY;"
		"PRAGMA foreign_keys = ON; PRAGMA page_size = " TEXT(PAGE_SIZE) "; PRAGMA cache_size = -" TEXT(
			CACHE_KIB),
		error);
	/*
	 * takes effect with the first page, or with VACUUM; after page_size, which would reset it
	 */
	if (!disk_has_sums(s->db))
		sqlite3_file_control(s->db, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserve);
	if (rc == 0)
		rc = store_check(s, log, error);
	if (rc == 0)
		rc = log_renew(log, log_path, error);
	if (rc == 0)
		rc = journal_configure(s, error);
	if (rc == 0)
		rc = schema_make(s, error);
	if (rc == 0)
		rc = receipt_settle(s, error);
	if (rc == 0)
		sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
	return rc;
}

static int store_connect(struct store *store, const char *log_path, const struct log_view *log, struct error *error)
{
	const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
	int rc = disk_register();

	if (rc == SQLITE_OK)
		rc = sqlite3_open_v2(store->path, &store->db, flags, DISK_VFS);
	if (!store->db)
		return error_set(error, -ENOMEM, "out of memory");
	return rc == SQLITE_OK ? store_configure(store, log_path, log, error) : store_explain(store, rc, error);
}

/*
 * Check that the header of a file with checksums has the right number of reserved bytes. Otherwise
 * SQLite would read the pages in another way.
 */
static int header_check(const struct store *store, struct error *error)
{
	unsigned char header[DATABASE_HEADER_BYTES];
	ssize_t n = pread(store->lock_fd, header, sizeof(header), 0);

	if (n == (ssize_t)sizeof(header) && schema_has_sums(header) && !header_has_sums(header))
		return error_set(error, -EUCLEAN,
				 "the store %.60s is damaged: page 1, the file's header; see fairlead-store(5), DAMAGE",
				 store->path);
	return 0;
}

static int store_begin(struct store *store, struct error *error)
{
	struct log_view log = { .frames = 0 };
	char *log_path;
	int rc = header_check(store, error);

	if (rc != 0)
		return rc;
	log_path = path_beside(store->path, "-wal");
	if (!log_path)
		return error_set(error, -ENOMEM, "out of memory");
	rc = log_look(&log, log_path, error);
	if (rc == 0)
		rc = store_connect(store, log_path, &log, error);
	log_view_free(&log);
	free(log_path);
	return rc;
}

int store_open(struct store **result, const char *path, struct error *error)
{
	return store_open_known(result, path, NULL, error);
}

int store_open_known(struct store **result, const char *path, const char *sign, struct error *error)
{
	struct store *store = calloc(1, sizeof(*store));
	int rc, directory;

	*result = NULL;
	if (!store)
		return error_set(error, -ENOMEM, "out of memory");
	store->lock_fd = store->receipt_fd = -1;
	store->opening.path = path;
	store->opening.sign = sign;
	store->opening.directory = directory = rc = trust_open_above(path, &store->opening.name, TRUST_WRITE, error);
	if (directory >= 0)
		rc = store_lock(store, error);
	if (rc == 0)
		rc = receipt_load(store, error);
	if (rc == 0 && !(store->path = realpath(path, NULL)))
		rc = error_set(error, -errno, "the store %.100s: %m", path);
	if (rc == 0)
		rc = store_begin(store, error);
	if (rc == 0)
		*result = store;
	else
		store_close(store);
	if (directory >= 0)
		close(directory);
	return rc;
}

void store_close(struct store *store)
{
	if (!store)
		return;
	store_rollback(store);
	for (size_t i = 0; i < STATEMENTS; i++)
		sqlite3_finalize(store->statements[i]);
	sqlite3_close(store->db);
	if (store->receipt_fd >= 0)
		close(store->receipt_fd);
	if (store->lock_fd >= 0)
		/* last: closing a descriptor of the file drops the locks that SQLite has on it */
		close(store->lock_fd);
	free(store->job.bytes);
	free(store->task.bytes);
	free(store->values.bytes);
	free(store->path);
	free(store);
}

static void (*unsure)(const char *path);	/* called when a commit is unsure; NULL: no call */

/* Transactions */

static void transaction_undo(struct store *store)
{
	struct query query;

	if (store->db && !sqlite3_get_autocommit(store->db)) {
		query = query_read(store, STATEMENT_ROLLBACK, "ROLLBACK", NULL);
		while (query_row(&query))
			;
		if (query.statement)
			sqlite3_reset(query.statement);
	}
	store->open = store->takes_ledger = store->takes_rows = false;
}

void store_fail(struct store *store, int rc, const struct error *error)
{
	transaction_undo(store);
	store->failed = rc;
	store->why = *error;
}

void store_rollback(struct store *store)
{
	transaction_undo(store);
	store->failed = 0;
}

/* Count a commit. A transaction without changes is not counted and needs no wait for the disk. */
static int commit_count(struct store *store, struct error *error)
{
	if (sqlite3_total_changes(store->db) == store->changes)
		return 0;
	return meta_put_number(store, "commits", (int64_t)store->commits + 1, error);
}

/* Handle a failed commit, and find out whether it is really not on disk (disk.c). */
static int commit_failed(struct store *store, int rc, bool tried, struct error *error)
{
	enum disk_outcome outcome;

	store_rollback(store);
	outcome = disk_outcome(store->db);
	if (outcome != DISK_UNSURE && (outcome != DISK_STANDS || !tried))
		return rc;
	store->unsure = true;
	error_set(error, -ENOTRECOVERABLE, "it is unknown whether the last commit is in the store %.60s: %s",
		  store->path, strerror(-rc));
	if (unsure)
		unsure(store->path);
	return -ENOTRECOVERABLE;
}

int store_commit(struct store *store, struct error *error)
{
	int rc = 0;

	if (store->unsure)
		return error_set(error, -ENOTRECOVERABLE,
				 "the contents of the store %.80s are unknown since a commit failed", store->path);
	if (store->failed) {
		rc = error_set(error, store->failed, "%s", store->why.text);
		return commit_failed(store, rc, false, error);
	}
	if (store->open) {
		bool changes = sqlite3_total_changes(store->db) != store->changes;
		struct query commit;

		rc = commit_count(store, error);
		if (rc != 0)
			return commit_failed(store, rc, false, error);
		commit = query_read(store, STATEMENT_COMMIT, "COMMIT", error);
		rc = query_run(&commit);
		if (rc != 0)
			return commit_failed(store, rc, true, error);
		store->open = false;
		store->commits += changes;
		if (changes)
			receipt_write(store);
	}
	usage_committed(store);
	return 0;
}

void store_when_unsure(void (*end)(const char *path))
{
	unsure = end;
}

bool store_is_open_transaction(const struct store *store)
{
	return store->open;
}
