/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A damaged store. It begins with jobs, a task and usage, part of it in the file and part in the
 * log. Lines change bytes before it is opened: "db OFFSET HEX" and "log OFFSET HEX" write these
 * bytes, "db-size N" and "log-size N" truncate. "sql TEXT" changes the contents as an administrator
 * could with sqlite3(1). The store is then opened, read, given to a scheduler that makes a run, and
 * written.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sched/store/base.h"
#include "tests/fuzz/support.h"

#define STEPS 1000000			/* limit of steps of SQLite's machine for a statement */
#define DB "store/fairlead.db"
#define LOG "store/fairlead.db-wal"

struct bytes {
	char *data;
	size_t n;
};

static struct bytes db, wal;		/* initial contents */
static char path[256], cell[256];

/* Initial store */

static struct bytes bytes_read(const char *name)
{
	struct bytes bytes = { NULL, 0 };
	char from[256];
	FILE *file;

	scratch_path(from, name);
	file = fopen(from, "re");
	MUST(file != NULL && fseek(file, 0, SEEK_END) == 0);
	bytes.n = (size_t)ftell(file);
	rewind(file);
	bytes.data = malloc(bytes.n);
	MUST(bytes.data != NULL && fread(bytes.data, 1, bytes.n, file) == bytes.n);
	fclose(file);
	return bytes;
}

static void tell(struct fuzz_sched *sched, const char *text)
{
	const struct piece line = { text, strlen(text) };

	fuzz_sched_report(sched, &line);
	MUST(!sched->refused);
}

static void work(struct store *store)
{
	const struct stored_job job = { .job_number = 7,
					.owner = "ann",
					.uid = 1000,
					.gid = 100,
					.group = "users",
					.submission_time = FUZZ_NOW,
					.job = "{\"job_name\":\"a\"}",
					.execution = "{\"command\":[\"/bin/true\"]}",
					.waiting = "2-10",
					.is_array = true,
					.hold_user = "3",
					.hold_operator = "",
					.hold_system = "" };
	const struct stored_task task = { .job_number = 7,
					  .task_id = 1,
					  .state = STORED_RUNNING,
					  .attempt = 1,
					  .boot = "b",
					  .start_time = FUZZ_NOW,
					  .granted = "[{\"queue\":\"all.q@node1\",\"slots\":1}]",
					  .granted_pe = "",
					  .state_letters = "",
					  .directory = "7.1.1" };
	const struct store_usage_options options = { .reported_again = true };
	struct error error = { "" };
	struct fuzz_sched sched;

	MUST(fuzz_sched_open(&sched, cell) &&
	     store_usage_attach(store, sched_durable(sched.sched), &options, &error) == 0);
	tell(&sched,
	     "{\"event\":\"job_add\",\"job_number\":17,\"owner\":\"ann\",\"project\":\"atlas\",\"submission_time\":1,\"tasks\":\"1-2\"}");
	tell(&sched,
	     "{\"event\":\"task_start\",\"job_number\":17,\"start_time\":1699999000,\"granted\":[{\"queue\":\"all.q@node1\",\"slots\":1}]}");
	tell(&sched,
	     "{\"event\":\"task_start\",\"job_number\":17,\"task\":2,\"start_time\":1699999000,\"granted\":[{\"queue\":\"all.q@node1\",\"slots\":1}]}");
	tell(&sched, "{\"event\":\"task_finish\",\"job_number\":17,\"task\":2,\"scaled_usage\":{\"cpu\":9}}");
	fuzz_sched_run(&sched);
	tell(&sched, "{\"event\":\"usage\",\"job_number\":17,\"scaled_usage\":{\"cpu\":12.5,\"mem\":1}}");
	fuzz_sched_run(&sched);
	MUST(store_usage_save(store, sched.now, &error) == 0 && store_meta_put(store, "attempt", "1", &error) == 0);
	MUST(store_job_put(store, &job, &error) == 0 && store_task_put(store, &task, &error) == 0 &&
	     store_commit(store, &error) == 0);
	fuzz_sched_close(&sched);
}

static void store_make(void)
{
	struct error error = { "" };
	struct store *store;

	scratch_copy("conf/default", "cell");
	scratch_path(cell, "cell");
	scratch_path(path, DB);
	scratch_put("store/empty", "", 0);
	MUST(store_open(&store, path, &error) == 0);
	work(store);
	store_close(store);
	db = bytes_read(DB);
	MUST(store_open(&store, path, &error) == 0 && store_meta_put(store, "attempt", "2", &error) == 0 &&
	     store_commit(store, &error) == 0);
	wal = bytes_read(LOG);
	store_close(store);
}

/* Use of the store */

static void bytes_change(struct bytes *bytes, const char *text)
{
	char *end;
	unsigned long at = strtoul(text, &end, 0);

	for (; *end == ' '; end++)
		;
	for (unsigned byte; at < bytes->n && sscanf(end, "%2x", &byte) == 1 && end[0] && end[1]; end += 2)
		bytes->data[at++] = (char)byte;
}

static void bytes_cut(struct bytes *bytes, const char *text)
{
	size_t n = strtoul(text, NULL, 0);

	bytes->n = n < bytes->n ? n : bytes->n;
}

static struct bytes bytes_copy(const struct bytes *bytes)
{
	struct bytes copy = { malloc(bytes->n), bytes->n };

	MUST(copy.data != NULL);
	memcpy(copy.data, bytes->data, bytes->n);
	return copy;
}

static void store_spoil(struct piece rest)
{
	struct bytes here = bytes_copy(&db), log = bytes_copy(&wal);
	struct piece line;

	for (; piece_line(&rest, &line); piece_free(&line)) {
		if (piece_is(&line, "db"))
			bytes_change(&here, line.text + 2);
		else if (piece_is(&line, "log"))
			bytes_change(&log, line.text + 3);
		else if (piece_is(&line, "db-size"))
			bytes_cut(&here, line.text + 7);
		else if (piece_is(&line, "log-size"))
			bytes_cut(&log, line.text + 8);
	}
	scratch_put(DB, here.data, here.n);
	scratch_put(LOG, log.data, log.n);
	free(here.data);
	free(log.data);
}

static int statement_may(void *context, int action, const char *a, const char *b, const char *c, const char *d)
{
	(void)context, (void)a, (void)b, (void)c, (void)d;
	return action == SQLITE_ATTACH || action == SQLITE_DETACH || action == SQLITE_PRAGMA ? SQLITE_DENY : SQLITE_OK;
}

static int statement_stop(void *context)
{
	(void)context;
	return 1;
}

static void store_rewrite(struct store *s, struct piece rest)
{
	struct piece line;

	sqlite3_set_authorizer(s->db, statement_may, NULL);
	sqlite3_limit(s->db, SQLITE_LIMIT_LENGTH, 1 << 20);
	sqlite3_progress_handler(s->db, STEPS, statement_stop, NULL);
	for (; piece_line(&rest, &line); piece_free(&line))
		if (piece_is(&line, "sql"))
			fuzz_taken(sqlite3_exec(s->db, line.text + 3, NULL, NULL, NULL) == SQLITE_OK);
	sqlite3_progress_handler(s->db, 0, NULL, NULL);
	sqlite3_set_authorizer(s->db, NULL, NULL);
}

static int job_look(void *context, const struct stored_job *job)
{
	*(size_t *)context += strlen(job->owner) + strlen(job->job) + strlen(job->execution) + strlen(job->waiting) +
			      strlen(job->hold_user);
	MUST(job->job_number >= 1 && job->job_number <= STORE_JOB_NUMBER_MAX);
	return 0;
}

static int task_look(void *context, const struct stored_task *task)
{
	*(size_t *)context +=
		strlen(task->boot) + strlen(task->granted) + strlen(task->directory) + strlen(task->state_letters);
	MUST(task->state <= STORED_ENDED);
	return 0;
}

/* Return whether the store could be read and written. */
static bool store_use(struct store *store)
{
	const struct store_usage_options options = { .reported_again = true };
	struct error error = { "" };
	struct fuzz_sched sched;
	bool good = false;
	uint32_t number;
	size_t sum = 0;

	store_jobs_each(store, job_look, &sum, &error);
	store_tasks_each(store, task_look, &sum, &error);
	MUST(fuzz_sched_open(&sched, cell));
	if (store_usage_attach(store, sched_durable(sched.sched), &options, &error) == 0) {
		tell(&sched,
		     "{\"event\":\"job_add\",\"job_number\":17,\"owner\":\"ann\",\"project\":\"atlas\",\"submission_time\":1,\"tasks\":\"1-2\"}");
		tell(&sched,
		     "{\"event\":\"task_start\",\"job_number\":17,\"start_time\":1699999000,\"granted\":[{\"queue\":\"all.q@node1\",\"slots\":1}]}");
		tell(&sched, "{\"event\":\"usage\",\"job_number\":17,\"scaled_usage\":{\"cpu\":20}}");
		fuzz_sched_run(&sched);
		fuzz_print(cell);
		store_next_job_number(store, &number, &error);
		good = store_usage_save_all(store, sched.now, &error) == 0 && store_commit(store, &error) == 0;
	}
	fuzz_sched_close(&sched);
	return good;
}

#ifdef BROKEN			/* the end of what is stored is lost */
void __real_query_text(struct query *query, const char *text);
void __wrap_query_text(struct query *query, const char *text);

void __wrap_query_text(struct query *query, const char *text)
{
	char *most = text ? strndup(text, strlen(text) - (strlen(text) > 20)) : NULL;

	__real_query_text(query, most);
	free(most);
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct piece input = { (const char *)data, size };
	struct error error = { "" };
	struct store *store;
	bool good = false;
	int rc;

	if (!db.data)
		store_make();
	scratch_remove("store");
	store_spoil(input);
	rc = store_open(&store, path, &error);
	if (rc == 0) {
		store_rewrite(store, input);
		store_close(store);
		rc = store_open(&store, path, &error);
	}
	MUST(rc == 0 || error.text[0]);
	if (rc == 0) {
		good = store_use(store);
		store_close(store);
	}
	if (size == 0) {		/* data written without damage can be read */
		MUST(good && store_open(&store, path, &error) == 0 && store_use(store));
		store_close(store);
	}
	fuzz_taken(good);
	return 0;
}
