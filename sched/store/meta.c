/* SPDX-License-Identifier: Apache-2.0 */
/* Values by name, including the number of the next job. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/store/base.h"

/* a number further ahead was assigned before numbering restarted at 1 */
#define NUMBERS_AHEAD 1000000

int store_meta_get(struct store *store, const char *key, char *value, size_t size, struct error *error)
{
	struct query query = query_read(store, STATEMENT_META_GET, "SELECT value FROM meta WHERE key = ?", error);

	query_text(&query, key);
	if (query_row(&query)) {
		const char *text = query_get_text(&query, 0);

		if (strlen(text) < size)
			strcpy(value, text);
		else if (query.rc == 0)
			query.rc = error_set(query.error, -EFBIG, "the store's %.40s has more than %zu bytes", key,
					     size - 1);
	} else if (query.rc == 0) {
		query.rc = error_set(query.error, -ENOENT, "the store has no %.40s", key);
	}
	return query_end(&query);
}

int store_meta_put(struct store *store, const char *key, const char *value, struct error *error)
{
	struct query query = query_change(store, STATEMENT_META_PUT,
					  "INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE "
					  "SET value = excluded.value",
					  error);

	query_text(&query, key);
	query_text(&query, value);
	return query_run(&query);
}

int meta_get_number(struct store *store, const char *key, int64_t min, int64_t max, int64_t *number,
		    struct error *error)
{
	char text[32], *end;
	int64_t found;
	int rc = store_meta_get(store, key, text, sizeof(text), error);

	if (rc == -EFBIG)
		rc = -EUCLEAN;
	if (rc != 0)
		return rc;
	errno = 0;
	found = strtoll(text, &end, 10);
	if (errno || *end || end == text || found < min || found > max)
		return error_set(error, -EUCLEAN, "the store %.60s is damaged: %.20s is \"%.30s\"", store->path, key,
				 text);
	*number = found;
	return 0;
}

int meta_put_number(struct store *store, const char *key, int64_t number, struct error *error)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", (long long)number);
	return store_meta_put(store, key, text, error);
}

/* Job numbers */

struct numbering {			/* numbers of jobs, or of advance reservations */
	const char *key;		/* key of the last number */
	enum statement statement;
	const char *sql;		/* query for an existing number */
	const char *what;
};

/* Return 1 if the number is in use, 0 if not. */
static int number_exists(struct store *store, const struct numbering *of, int64_t number, struct error *error)
{
	struct query query = query_read(store, of->statement, of->sql, error);
	bool exists;

	query_integer(&query, number);
	exists = query_row(&query);
	return query_end(&query) ? query.rc : exists;
}

static int next_number(struct store *store, const struct numbering *of, uint32_t *number, struct error *error)
{
	int64_t last = 0;
	int exists = 1, rc = meta_get_number(store, of->key, 0, STORE_JOB_NUMBER_MAX, &last, error);

	if (rc != 0 && rc != -ENOENT)
		return rc;
	for (int64_t tried = 0; exists == 1 && tried < STORE_JOB_NUMBER_MAX; tried++) {
		last = last % STORE_JOB_NUMBER_MAX + 1;
		exists = number_exists(store, of, last, error);
	}
	if (exists != 0)
		return exists < 0 ? exists
				  : error_set(error, -ENOSPC, "all %s numbers up to %d are in use", of->what,
					      STORE_JOB_NUMBER_MAX);
	rc = meta_put_number(store, of->key, last, error);
	*number = rc == 0 ? (uint32_t)last : 0;
	return rc;
}

int store_next_job_number(struct store *store, uint32_t *number, struct error *error)
{
	static const struct numbering jobs = { "job_number", STATEMENT_JOB_EXISTS,
					       "SELECT 1 FROM job WHERE job_number = ?", "job" };

	return next_number(store, &jobs, number, error);
}

int store_next_advance_number(struct store *store, uint32_t *number, struct error *error)
{
	static const struct numbering advances = { "advance_reservation", STATEMENT_ADVANCE_EXISTS,
						   "SELECT 1 FROM advance_reservation WHERE number = ?",
						   "advance reservation" };

	return next_number(store, &advances, number, error);
}

int store_job_number_taken(struct store *store, uint32_t number, struct error *error)
{
	int64_t last = 0, ahead;
	int rc = meta_get_number(store, "job_number", 0, STORE_JOB_NUMBER_MAX, &last, error);

	if ((rc != 0 && rc != -ENOENT) || number < 1 || number > STORE_JOB_NUMBER_MAX)
		return rc == -ENOENT ? 0 : rc;
	ahead = (number - last + STORE_JOB_NUMBER_MAX) % STORE_JOB_NUMBER_MAX;
	return ahead >= 1 && ahead <= NUMBERS_AHEAD ? meta_put_number(store, "job_number", number, error) : 0;
}
