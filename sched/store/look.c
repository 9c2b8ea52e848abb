/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/store/look.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/process/ranges.h"
#include "sched/store/base.h"

/* reads of a log that is being written: an incomplete frame is complete the next time */
#define LOOKS 3
#define CONTRADICTIONS 20

struct store_reading {
	struct store_look *look;
	struct store *store;
	struct log_view log;
	struct attempt {
		uint32_t job_number, task_id, attempt;
	} missing[CONTRADICTIONS];	/* attempts without a directory */
	size_t nmissing;
};

__attribute__((format(printf, 2, 3))) static void found(struct store_look *look, const char *format, ...)
{
	char text[400];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	look->damages++;
	look->found(look->context, text);
}

/* Pages and the log */

static int log_check(struct store_reading *reading, struct error *error)
{
	char *path = path_beside(reading->look->path, "-wal");
	struct error why = { "" };
	int rc = -EUCLEAN;

	for (int i = 0; path && rc == -EUCLEAN && i < LOOKS; i++) {
		log_view_free(&reading->log);
		rc = log_look(&reading->log, path, &why);
	}
	if (!path)
		rc = error_set(&why, -ENOMEM, "out of memory");
	free(path);
	reading->look->log_frames = reading->log.frames;
	reading->look->log_commits = reading->log.commits;
	if (rc == -EUCLEAN)
		found(reading->look, "%s", why.text);
	return rc == 0 || rc == -EUCLEAN ? 0 : error_set(error, rc, "%s", why.text);
}

static void page_found(void *context, uint32_t page)
{
	struct store_reading *reading = context;
	char name[80];

	page_name(reading->store->db, page, name, sizeof(name));
	found(reading->look, "page %u%s%s does not match its checksum", page, *name ? ", of " : "", name);
}

/*
 * Check all pages. The open snapshot prevents checkpoints from writing pages that are not in the
 * log.
 */
static int pages_check(struct store_reading *reading, struct error *error)
{
	struct sums_look sums = { .fd = reading->store->lock_fd, .damaged = page_found, .context = reading };
	int rc = log_check(reading, error);

	if (rc != 0)
		return rc;
	rc = sums_look(&sums, &reading->log);
	reading->look->pages = sums.pages;
	reading->look->unstamped = sums.unstamped;
	if (sums.missing)
		found(reading->look, "%u of %u pages are missing: the file was cut short", sums.missing, sums.pages);
	return rc ? error_set(error, rc, "%.100s: %s", reading->look->path, strerror(-rc)) : 0;
}

/* Tables */

/*
 * Report each row of an answer as damage. The first column has the text, after the prefix `format`.
 */
static void rows_check(struct store_reading *reading, const char *sql, const char *format)
{
	sqlite3_stmt *statement = NULL;
	int rc = sqlite3_prepare_v2(reading->store->db, sql, -1, &statement, NULL);

	for (int n = 0; rc == SQLITE_OK && n < CONTRADICTIONS && sqlite3_step(statement) == SQLITE_ROW; n++) {
		const char *text = (const char *)sqlite3_column_text(statement, 0);

		if (text && strcmp(text, "ok") != 0)
			found(reading->look, "%s%s", format, text);
	}
	rc = rc == SQLITE_OK ? sqlite3_finalize(statement) : rc;
	if (rc != SQLITE_OK)
		found(reading->look, "%scannot be checked: %s", format, sqlite3_errmsg(reading->store->db));
}

static bool are_ids(const char *text)
{
	struct ranges ids = { .n = 0 };
	int rc = ranges_parse(&ids, text);

	ranges_free(&ids);
	return rc == 0;
}

static int job_check(void *context, const struct stored_job *job)
{
	struct store_reading *reading = context;

	reading->look->jobs++;
	if (!are_ids(job->waiting) || !are_ids(job->hold_user) || !are_ids(job->hold_operator) ||
	    !are_ids(job->hold_system))
		found(reading->look, "job %u has invalid task ids", job->job_number);
	return 0;
}

static bool has_directory(const struct store_reading *reading, const struct attempt *attempt)
{
	char path[4300];

	snprintf(path, sizeof(path), "%s/%u.%u.%u", reading->look->active, attempt->job_number, attempt->task_id,
		 attempt->attempt);
	return access(path, F_OK) == 0 || errno != ENOENT;
}

static int task_check(void *context, const struct stored_task *task)
{
	struct store_reading *reading = context;
	const struct attempt attempt = { task->job_number, task->task_id, task->attempt };

	reading->look->tasks++;
	if (reading->look->active && reading->nmissing < CONTRADICTIONS && !has_directory(reading, &attempt))
		reading->missing[reading->nmissing++] = attempt;
	return 0;
}

/*
 * Check the directories of tasks. A directory is created before its row and removed after it. So in
 * a snapshot, a task that has ended meanwhile may have none.
 */
static void directories_check(struct store_reading *reading)
{
	struct stored_task task;
	struct error error;

	if (reading->nmissing)
		sqlite3_exec(reading->store->db, "COMMIT; BEGIN", NULL, NULL, NULL);
	for (size_t i = 0; i < reading->nmissing; i++) {
		const struct attempt *attempt = &reading->missing[i];

		if (store_task_find(reading->store, attempt->job_number, attempt->task_id, &task, &error) == 0 &&
		    task.attempt == attempt->attempt && !has_directory(reading, attempt))
			found(reading->look, "task %u of job %u has no directory %.200s/%u.%u.%u", attempt->task_id,
			      attempt->job_number, reading->look->active, attempt->job_number, attempt->task_id,
			      attempt->attempt);
	}
}

static void tables_check(struct store_reading *reading)
{
	static const char *const texts[][2] = {
		{ "JSON of the job ",
		  "SELECT job_number FROM job WHERE NOT (json_valid(job) AND json_valid(execution))" },
		{ "JSON of a task of the job ",
		  "SELECT job_number FROM task WHERE NOT (json_valid(granted) AND json_valid(coalesce(usage, '{}')) "
		  "AND json_valid(coalesce(ending, '{}')))" },
		{ "JSON of the usage of ",
		  "SELECT name FROM usage WHERE NOT (json_valid(usage) AND json_valid(long_term_usage))" },
		{ "JSON of the debited usage of job ", "SELECT job_number FROM debited WHERE NOT json_valid(usage)" },
	};
	struct error error = { "" };

	rows_check(reading, "PRAGMA integrity_check(" TEXT(CONTRADICTIONS) ")", "");
	rows_check(
		reading,
		"SELECT 'a row of ' || \"table\" || ' refers to a row of ' || parent || ' that does not exist' "
		"FROM pragma_foreign_key_check",
		"");
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		rows_check(reading, texts[i][1], texts[i][0]);
	if (store_jobs_each(reading->store, job_check, reading, &error) ||
	    store_tasks_each(reading->store, task_check, reading, &error))
		found(reading->look, "%s", error.text);
	directories_check(reading);
}

static void receipt_compare(struct store_reading *reading)
{
	struct error error = { "" };

	if (receipt_check(reading->store, &error))
		found(reading->look, "%s", error.text);
	reading->look->commits = reading->store->commits;
}

/* The store */

/*
 * Open the file by its name as a URI. Without a log no program has the file open. Then SQLite needs
 * no log either, and creates no files.
 */
static int connect_to(struct store_reading *reading)
{
	static const char digits[] = "0123456789abcdef";
	char *log = path_beside(reading->look->path, "-wal"), *uri = malloc(3 * strlen(reading->look->path) + 40),
	     *p = uri;
	int rc = log && uri ? disk_register() : SQLITE_NOMEM;

	if (rc == SQLITE_OK) {
		p = stpcpy(p, "file:");
		for (const unsigned char *c = (const unsigned char *)reading->look->path; *c; c++) {
			*p++ = '%';
			*p++ = digits[*c >> 4];
			*p++ = digits[*c & 15];
		}
		strcpy(p, access(log, F_OK) ? "?immutable=1" : "");
		rc = sqlite3_open_v2(
			uri, &reading->store->db,
			SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, DISK_VFS);
	}
	free(log);
	free(uri);
	return rc;
}

static int content_look(struct store_reading *reading, struct error *error)
{
	struct error why = { "" };
	int rc, sqlite = connect_to(reading);

	if (!reading->store->db)
		return error_set(error, -ENOMEM, "out of memory");
	if (sqlite == SQLITE_OK) {
		sqlite3_busy_timeout(reading->store->db, 1000);
		sqlite3_db_config(reading->store->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
		sqlite3_db_config(reading->store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
		disk_tolerate(reading->store->db);
		sqlite = sqlite3_exec(reading->store->db,
				      "PRAGMA trusted_schema = OFF; BEGIN; SELECT count(*) FROM sqlite_schema", NULL,
				      NULL, NULL);
	}
	rc = sqlite == SQLITE_OK ? schema_check(reading->store, &why) : store_explain(reading->store, sqlite, &why);
	if (rc != 0 && rc != -EUCLEAN && rc != -EPROTO)
		return error_set(error, rc, "%s", why.text);
	if (rc != 0)
		found(reading->look, "%s", why.text);
	reading->look->version = reading->store->version;
	rc = pages_check(reading, error);
	if (rc != 0 || *why.text)
		return rc;
	if (reading->look->version == 0) {
		found(reading->look, "the file has no tables: nothing was ever stored in it");
	} else {
		tables_check(reading);
		receipt_compare(reading);
	}
	return 0;
}

/* Read the receipt before the store, whose number of commits may increase. */
static int receipt_look(struct store_reading *reading, struct error *error)
{
	char *path = path_beside(reading->look->path, "-receipt");
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY) : -1, rc = 0;
	struct error why = { "" };

	if (!path)
		return error_set(error, -ENOMEM, "out of memory");
	if (fd >= 0)
		rc = receipt_read(fd, reading->look->path, &reading->store->receipt, &why);
	else if (errno != ENOENT)
		rc = error_set(&why, -errno, "%.120s: %m", path);
	if (fd >= 0)
		close(fd);
	free(path);
	if (rc == -EUCLEAN) {
		reading->store->receipt = (struct receipt){ .commits = 0 };
		found(reading->look, "%s", why.text);
	}
	reading->look->acknowledged = reading->store->receipt.commits;
	return rc == 0 || rc == -EUCLEAN ? 0 : error_set(error, rc, "%s", why.text);
}

static int file_look(struct store_reading *reading, struct error *error)
{
	unsigned char header[DATABASE_HEADER_BYTES];
	struct stat st;
	int rc;

	reading->store->lock_fd = open(reading->look->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (reading->store->lock_fd < 0 || fstat(reading->store->lock_fd, &st))
		return error_set(error, -errno, "%.120s: %m", reading->look->path);
	if (!S_ISREG(st.st_mode))
		return error_set(error, -EISDIR, "%.120s is not a regular file", reading->look->path);
	rc = receipt_look(reading, error);
	if (rc != 0)
		return rc;
	if (st.st_size == 0)
		found(reading->look, "the file is empty");
	else if (pread(reading->store->lock_fd, header, sizeof(header), 0) == (ssize_t)sizeof(header) &&
		 schema_has_sums(header) && !header_has_sums(header))
		found(reading->look, "page 1, the file's header, says that it has no checksums");
	return content_look(reading, error);
}

int store_look(struct store_look *look, struct error *error)
{
	struct store_reading reading = { .look = look, .store = calloc(1, sizeof(*reading.store)) };
	int rc;

	if (!reading.store)
		return error_set(error, -ENOMEM, "out of memory");
	reading.store->lock_fd = reading.store->receipt_fd = -1;
	reading.store->path = strdup(look->path);
	rc = reading.store->path ? file_look(&reading, error) : error_set(error, -ENOMEM, "out of memory");
	log_view_free(&reading.log);
	store_close(reading.store);
	return rc;
}
