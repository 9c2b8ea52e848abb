/* SPDX-License-Identifier: Apache-2.0 */
/* Advance reservations of the local cell. */
#include <errno.h>

#include "sched/store/base.h"

#define COLUMNS "number, owner, uid, submission_time, start_time, end_time, deleted, reservation"

static struct stored_advance advance_of_row(struct query *query)
{
	return (struct stored_advance){
		.number = (uint32_t)query_get_integer(query, 0, 1, STORE_JOB_NUMBER_MAX),
		.owner = query_get_text(query, 1),
		.uid = (uint32_t)query_get_integer(query, 2, 0, UINT32_MAX),
		.submission_time = query_get_integer(query, 3, INT64_MIN, INT64_MAX),
		.start_time = query_get_integer(query, 4, 0, TIME_MAX),
		.end_time = query_get_integer(query, 5, 0, TIME_MAX),
		.deleted = query_get_integer(query, 6, 0, 1),
		.reservation = query_get_text(query, 7),
	};
}

int store_advance_put(struct store *store, const struct stored_advance *advance, struct error *error)
{
	struct query query;

	if (advance->number < 1 || advance->number > STORE_JOB_NUMBER_MAX)
		return error_set(error, -EINVAL, "the number of an advance reservation is %u: allowed are 1 to %d",
				 advance->number, STORE_JOB_NUMBER_MAX);
	query = query_change(store, STATEMENT_ADVANCE_PUT,
			     "INSERT OR REPLACE INTO advance_reservation (" COLUMNS ") VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
			     error);
	query_integer(&query, advance->number);
	query_text(&query, advance->owner ? advance->owner : "");
	query_integer(&query, advance->uid);
	query_integer(&query, advance->submission_time);
	query_integer(&query, advance->start_time);
	query_integer(&query, advance->end_time);
	query_integer(&query, advance->deleted);
	query_text(&query, advance->reservation ? advance->reservation : "");
	return query_run(&query);
}

int store_advance_remove(struct store *store, uint32_t number, struct error *error)
{
	struct query query = query_change(store, STATEMENT_ADVANCE_REMOVE,
					  "DELETE FROM advance_reservation WHERE number = ?", error);

	query_integer(&query, number);
	return query_run_one(&query, "the store has no advance reservation %u", number);
}

int store_advances_each(struct store *store, int (*each)(void *context, const struct stored_advance *advance),
			void *context, struct error *error)
{
	struct query query = query_read(store, STATEMENT_ADVANCES_EACH,
					"SELECT " COLUMNS " FROM advance_reservation ORDER BY number", error);
	int rc = 0;

	while (rc == 0 && query_row(&query)) {
		struct stored_advance advance = advance_of_row(&query);

		if (query.rc == 0)
			rc = each(context, &advance);
	}
	return query_end(&query) ? query.rc : rc;
}
