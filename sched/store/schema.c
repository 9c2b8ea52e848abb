/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of fairlead-store-tables(5), and their versions. */
#include <errno.h>
#include <stdio.h>

#include "sched/store/base.h"

#define APPLICATION_ID 0x46724c64	/* "FrLd", for file(1) */

/* Additions of each version to the previous one. Older files are updated. */
static const char *const made_by[STORE_SCHEMA + 1] = {
	[1] =
	"CREATE TABLE meta (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;"
	"CREATE TABLE job ("
	"	job_number INTEGER PRIMARY KEY CHECK (job_number BETWEEN 1 AND " TEXT(STORE_JOB_NUMBER_MAX) "),"
	"	owner TEXT NOT NULL, uid INTEGER NOT NULL, gid INTEGER NOT NULL, unix_group TEXT NOT NULL,"
	"	submission_time INTEGER NOT NULL, job TEXT NOT NULL, execution TEXT NOT NULL, waiting TEXT NOT NULL,"
	"	is_array INTEGER NOT NULL, hold_user TEXT NOT NULL, hold_operator TEXT NOT NULL, "
	"hold_system TEXT NOT NULL,"
	"	error TEXT) STRICT;"
	"CREATE TABLE task ("
	"	job_number INTEGER NOT NULL REFERENCES job ON DELETE CASCADE, task_id INTEGER NOT NULL,"
	"	state TEXT NOT NULL CHECK (state IN ('starting', 'running', 'ended')),"
	"	attempt INTEGER NOT NULL, boot TEXT NOT NULL, start_time INTEGER NOT NULL, granted TEXT NOT NULL, "
	"granted_pe TEXT NOT NULL,"
	"	state_letters TEXT NOT NULL, directory TEXT NOT NULL, deleted INTEGER NOT NULL, usage TEXT, "
	"ending TEXT,"
	"	PRIMARY KEY (job_number, task_id)) STRICT, WITHOUT ROWID;"
	"CREATE TABLE usage ("
	"	kind TEXT NOT NULL CHECK (kind IN ('user', 'project', 'department')), name TEXT NOT NULL, "
	"project TEXT NOT NULL,"
	"	time_stamp INTEGER NOT NULL, told INTEGER NOT NULL, usage TEXT NOT NULL, long_term_usage TEXT NOT NULL,"
	"	PRIMARY KEY (kind, name, project)) STRICT, WITHOUT ROWID;"
	"CREATE TABLE debited ("
	"	job_number INTEGER PRIMARY KEY, submission_time INTEGER NOT NULL, told INTEGER NOT NULL, "
	"booked INTEGER NOT NULL,"
	"	usage TEXT NOT NULL) STRICT;"
	"CREATE TABLE ended ("
	"	job_number INTEGER NOT NULL, submission_time INTEGER NOT NULL, task_id INTEGER NOT NULL, "
	"start_time INTEGER NOT NULL,"
	"	booked INTEGER NOT NULL, PRIMARY KEY (job_number, submission_time, task_id, start_time)) STRICT, "
	"WITHOUT ROWID;"
	"CREATE INDEX ended_by_time ON ended (booked);"
	"CREATE TABLE history ("
	"	day TEXT NOT NULL, user TEXT NOT NULL, project TEXT NOT NULL, cpu REAL NOT NULL, mem REAL NOT NULL, "
	"io REAL NOT NULL,"
	"	wallclock REAL NOT NULL, tasks INTEGER NOT NULL, PRIMARY KEY (day, user, project)) STRICT, "
	"WITHOUT ROWID;",
	[2] =
	"CREATE TABLE association_usage ("
	"	account TEXT NOT NULL, user TEXT NOT NULL, partition TEXT NOT NULL, usage_exact TEXT NOT NULL,"
	"	usage_raw REAL AS (CAST (usage_exact AS REAL)), time_stamp INTEGER NOT NULL,"
	"	PRIMARY KEY (account, user, partition)) STRICT, WITHOUT ROWID;",
	[3] =
	"CREATE TABLE association_decay (until INTEGER PRIMARY KEY, since INTEGER NOT NULL, remains REAL NOT NULL) "
	"STRICT;",
	/*
	 * rows of this version exist already if they were recovered from a damaged file:
	 * fairlead-store(5), DAMAGE
	 */
	[4] =
	"INSERT OR IGNORE INTO meta VALUES ('commits', '0');"
	"CREATE TABLE IF NOT EXISTS debited_task ("
	"	job_number INTEGER NOT NULL REFERENCES debited ON DELETE CASCADE, task_id INTEGER NOT NULL, "
	"start_time INTEGER NOT NULL,"
	"	usage TEXT NOT NULL, PRIMARY KEY (job_number, task_id, start_time)) STRICT, WITHOUT ROWID;",
	[5] =
	"CREATE TABLE IF NOT EXISTS advance_reservation ("
	"	number INTEGER PRIMARY KEY CHECK (number BETWEEN 1 AND " TEXT(STORE_JOB_NUMBER_MAX) "),"
	"	owner TEXT NOT NULL, uid INTEGER NOT NULL, submission_time INTEGER NOT NULL, "
	"start_time INTEGER NOT NULL,"
	"	end_time INTEGER NOT NULL, deleted INTEGER NOT NULL, reservation TEXT NOT NULL) STRICT;",
	[6] =
	"CREATE TABLE IF NOT EXISTS customer ("
	"	name TEXT NOT NULL PRIMARY KEY, priority REAL NOT NULL, factor REAL NOT NULL, "
	"slots INTEGER NOT NULL, weight REAL NOT NULL,"
	"	tree_weight REAL NOT NULL, uncharged REAL NOT NULL, weight_uncharged REAL NOT NULL, "
	"accumulated REAL NOT NULL,"
	"	weight_accumulated REAL NOT NULL, begin_usage INTEGER NOT NULL, last_usage INTEGER NOT NULL, "
	"ceiling INTEGER NOT NULL,"
	"	floor INTEGER NOT NULL, factor_until INTEGER NOT NULL, factor_before REAL NOT NULL, "
	"ceiling_until INTEGER NOT NULL,"
	"	ceiling_before INTEGER NOT NULL, floor_until INTEGER NOT NULL, floor_before INTEGER NOT NULL) "
	"STRICT, WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS claim ("
	"	slot TEXT NOT NULL, job_number INTEGER NOT NULL, task_id INTEGER NOT NULL, customer TEXT NOT NULL, "
	"charged INTEGER NOT NULL,"
	"	weight REAL NOT NULL, since INTEGER NOT NULL, begun INTEGER NOT NULL, start_time INTEGER NOT NULL, "
	"ranked INTEGER NOT NULL,"
	"	current_rank REAL NOT NULL,"
	"	PRIMARY KEY (slot, job_number, task_id)) STRICT, WITHOUT ROWID;",
};

static int read_number(struct store *store, const char *sql, int64_t *number, struct error *error)
{
	sqlite3_stmt *statement = NULL;
	int rc = sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(statement);
	if (rc == SQLITE_ROW)
		*number = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return rc == SQLITE_ROW ? 0 : store_explain(store, rc, error);
}

int schema_check(struct store *store, struct error *error)
{
	int64_t tables_there, application, version;
	int rc = read_number(store, "SELECT count(*) FROM sqlite_schema", &tables_there, error);

	if (rc == 0)
		rc = read_number(store, "PRAGMA application_id", &application, error);
	if (rc == 0)
		rc = read_number(store, "PRAGMA user_version", &version, error);
	if (rc != 0)
		return rc;
	if (tables_there == 0 && application == 0 && version == 0)
		return 0;
	store->version = version;
	if (application != APPLICATION_ID || version < 1)
		return error_set(error, -EUCLEAN, "%.100s is not a store but a database of another program",
				 store->path);
	if (version > STORE_SCHEMA)
		return error_set(
			error, -EPROTO,
			"the store %.60s has version %lld, of a newer program; this one knows versions up to %d",
			store->path, (long long)version, STORE_SCHEMA);
	return 0;
}

bool schema_has_sums(const unsigned char *header)
{
	return header_is_database(header) && bytes_number(header + 68) == APPLICATION_ID &&
	       bytes_number(header + 60) >= STORE_SCHEMA_COMMITS;
}

static int execute(struct store *store, const char *sql)
{
	return sqlite3_exec(store->db, sql, NULL, NULL, NULL);
}

/*
 * Make space for checksums in the pages of an older version. All pages are rewritten, and copied
 * from the log to the file.
 */
static int pages_make(struct store *store)
{
	int rc = execute(store, "VACUUM; PRAGMA wal_checkpoint");

	/* a reader still uses the old pages */
	return rc == SQLITE_OK && !disk_has_sums(store->db) ? SQLITE_BUSY : rc;
}

static int tables_make(struct store *store, int64_t version)
{
	char sql[100];
	int rc = disk_has_sums(store->db) ? SQLITE_OK : pages_make(store);

	if (rc == SQLITE_OK)
		rc = execute(store, "BEGIN IMMEDIATE");
	while (rc == SQLITE_OK && version < STORE_SCHEMA)
		rc = execute(store, made_by[++version]);
	snprintf(sql, sizeof(sql), "PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT", APPLICATION_ID,
		 STORE_SCHEMA);
	return rc == SQLITE_OK ? execute(store, sql) : rc;
}

int schema_make(struct store *store, struct error *error)
{
	int64_t version;
	int rc = read_number(store, "PRAGMA user_version", &version, error), sqlite;

	if (rc != 0 || version == STORE_SCHEMA)
		return rc;
	sqlite = tables_make(store, version);
	if (sqlite == SQLITE_OK)
		return 0;
	rc = store_explain(store, sqlite == SQLITE_BUSY ? sqlite : sqlite3_extended_errcode(store->db), error);
	execute(store, "ROLLBACK");
	return rc;
}
