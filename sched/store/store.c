/* SPDX-License-Identifier: Apache-2.0 */
/* The file: opening it for one writer, transactions. */
#include "sched/store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "sched/store/base.h"
#include "sched/trust.h"

#define BUSY_MS 200			/* how long another writer may keep us waiting */
#define CACHE_KIB 65536			/* at most: what one transaction changes shall not be written before its end */
#define CHECK_BYTES (256ll << 20)	/* larger files are not read as a whole when they are opened */
#define SMB2_MAGIC 0xfe534d42u
#define CIFS_MAGIC 0xff534d42u

/* ---- opening -------------------------------------------------------------------------------------------------------------------- */

/* Readers and the writer share memory beside the file, which another machine can't. */
static int check_file_system(int fd, const char *path, struct error *error)
{
	struct statfs fs;

	if (fstatfs(fd, &fs))
		return error_set(error, -errno, "%.100s: %m", path);
	if (fs.f_type == NFS_SUPER_MAGIC || (uint32_t)fs.f_type == SMB2_MAGIC || (uint32_t)fs.f_type == CIFS_MAGIC)
		return error_set(error, -ENOTSUP, "the store %.60s lies on a network file system: it must be on a local disk", path);
	return 0;
}

/*
 * SQLite opens these by their names: whatever stands there must be ours before it looks. A log or a journal that somebody else has put
 * there would be taken for what the store holds.
 */
static int check_companions(int directory, const char *above, const char *name, struct error *error)
{
	static const char *const suffixes[] = { "-wal", "-shm", "-journal" };
	char companion[NAME_MAX + 16], path[PATH_MAX + 16];
	struct stat st;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		snprintf(companion, sizeof(companion), "%s%s", name, suffixes[i]);
		snprintf(path, sizeof(path), "%s%s", above, suffixes[i]);
		if (fstatat(directory, companion, &st, AT_SYMLINK_NOFOLLOW) == 0)
			rc = S_ISREG(st.st_mode) ? trust_check(&st, path, TRUST_WRITE, error) :
			     error_set(error, -EINVAL, "%.90s: it is no regular file", path);
	}
	return rc;
}

/* The lock goes with the process, however it ends. SQLite's own locks are of another kind. */
static int store_lock(struct store *s, int directory, const char *name, const char *path, struct error *error)
{
	char above[PATH_MAX];
	int code;

	snprintf(above, sizeof(above), "%.*s", name == path ? 1 : (int)(name - path) - (name > path + 1), name == path ? "." : path);
	s->lock_fd = code = trust_openat(directory, above, name, O_RDWR | O_CREAT, 0600, TRUST_WRITE, error);
	if (code < 0)
		return code;
	code = check_companions(directory, path, name, error);
	if (code)
		return code;
	if (flock(s->lock_fd, LOCK_EX | LOCK_NB))
		return errno == EWOULDBLOCK ? error_set(error, -EBUSY, "another process has the store %.80s open", path) :
					      error_set(error, -errno, "the store %.100s can't be locked: %m", path);
	return check_file_system(s->lock_fd, path, error);
}

static int execute(struct store *s, const char *sql, struct error *error)
{
	int rc = sqlite3_exec(s->db, sql, NULL, NULL, NULL);

	return rc == SQLITE_OK ? 0 : store_explain(s, sqlite3_extended_errcode(s->db), error);
}

/* All that can go wrong in a damaged file shall be met here, while nothing depends on it. */
static int store_check(struct store *s, struct error *error)
{
	sqlite3_stmt *check = NULL;
	struct stat st;
	int rc, code = 0;

	if (fstat(s->lock_fd, &st) || st.st_size > CHECK_BYTES)
		return 0;
	rc = sqlite3_prepare_v2(s->db, "PRAGMA quick_check(1)", -1, &check, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(check);
	if (rc != SQLITE_ROW)
		code = store_explain(s, rc, error);
	else if (strcmp((const char *)sqlite3_column_text(check, 0), "ok") != 0)
		code = error_set(error, -EUCLEAN, "the store %.60s is damaged: %.80s", s->path, sqlite3_column_text(check, 0));
	sqlite3_finalize(check);
	return code;
}

static int is_wal(void *found, int columns, char **values, char **names)
{
	(void)names;
	*(bool *)found |= columns == 1 && values[0] && strcmp(values[0], "wal") == 0;
	return 0;
}

static int journal_configure(struct store *s, struct error *error)
{
	bool wal = false;
	int rc = sqlite3_exec(s->db, "PRAGMA journal_mode = WAL", is_wal, &wal, NULL);

	if (rc != SQLITE_OK)
		return store_explain(s, sqlite3_extended_errcode(s->db), error);
	if (!wal)
		return error_set(error, -ENOTSUP, "the store %.60s: its file system allows no write-ahead log", s->path);
	return execute(s, "PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864", error);
}

static int store_configure(struct store *s, struct error *error)
{
	int code;

	sqlite3_busy_timeout(s->db, BUSY_MS);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	code = execute(s, "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY;"
			  "PRAGMA foreign_keys = ON; PRAGMA cache_size = -" TEXT(CACHE_KIB), error);
	if (code == 0)
		code = store_check(s, error);
	if (code == 0)
		code = schema_check(s, error);
	if (code == 0)
		code = journal_configure(s, error);
	return code == 0 ? schema_make(s, error) : code;
}

static int store_connect(struct store *s, struct error *error)
{
	int rc = sqlite3_open_v2(s->path, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, NULL);

	if (!s->db)
		return error_set(error, -ENOMEM, "out of memory");
	return rc == SQLITE_OK ? store_configure(s, error) : store_explain(s, rc, error);
}

int store_open(struct store **result, const char *path, struct error *error)
{
	return store_open_known(result, path, NULL, error);
}

int store_open_known(struct store **result, const char *path, const char *sign, struct error *error)
{
	struct store *s = calloc(1, sizeof(*s));
	const char *name;
	int code, directory;

	*result = NULL;
	if (!s)
		return error_set(error, -ENOMEM, "out of memory");
	s->lock_fd = -1;
	s->sign = sign;
	directory = code = trust_open_above(path, &name, TRUST_WRITE, error);
	if (directory >= 0)
		code = identity_look(s, directory, name, path, error);
	if (code == 0)
		code = store_lock(s, directory, name, path, error);
	if (code == 0 && !(s->path = realpath(path, NULL)))
		code = error_set(error, -errno, "the store %.100s: %m", path);
	if (code == 0)
		code = store_connect(s, error);
	if (code == 0)
		code = fsync(directory) ? error_set(error, -errno, "the store %.100s: %m", path) :	/* a new file's name shall survive as well */
		       identity_settle(s, directory, name, error);
	if (code == 0) {
		s->sign = NULL;
		*result = s;
	} else {
		store_close(s);
	}
	if (directory >= 0)
		close(directory);
	return code;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	store_rollback(s);
	for (size_t i = 0; i < STATEMENTS; i++)
		sqlite3_finalize(s->statements[i]);
	sqlite3_close(s->db);
	if (s->lock_fd >= 0)
		close(s->lock_fd);	/* last: closing a descriptor of the file drops the locks that SQLite has on it */
	free(s->job.bytes);
	free(s->task.bytes);
	free(s->values.bytes);
	free(s->path);
	free(s);
}

/* ---- transactions ------------------------------------------------------------------------------------------------------------------ */

static void transaction_undo(struct store *s)
{
	struct query q;

	if (s->db && !sqlite3_get_autocommit(s->db)) {
		q = query_read(s, STATEMENT_ROLLBACK, "ROLLBACK", NULL);
		while (query_row(&q))
			;
		if (q.statement)
			sqlite3_reset(q.statement);
	}
	s->open = s->takes_ledger = false;
}

void store_fail(struct store *s, int code, const struct error *error)
{
	transaction_undo(s);
	s->failed = code;
	s->why = *error;
}

void store_rollback(struct store *s)
{
	transaction_undo(s);
	s->failed = 0;
}

int store_commit(struct store *s, struct error *error)
{
	struct query q;

	if (s->failed) {
		int code = error_set(error, s->failed, "%s", s->why.text);

		store_rollback(s);
		return code;
	}
	if (s->open) {
		q = query_read(s, STATEMENT_COMMIT, "COMMIT", error);
		if (query_run(&q) != 0) {
			store_rollback(s);
			return q.code;
		}
		s->open = false;
	}
	usage_committed(s);
	return 0;
}

bool store_is_open_transaction(const struct store *s)
{
	return s->open;
}
