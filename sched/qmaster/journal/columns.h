/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The results of a published run, which a rerun must reproduce: tables and their columns. Each
 * value is represented so that it is equal in all schedulers with the same result. Numbers of
 * strings, rows and categories are only valid in one process; they are replaced by the value to
 * which they refer.
 */
#ifndef SCHED_QMASTER_JOURNAL_COLUMNS_H
#define SCHED_QMASTER_JOURNAL_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/run/records.h"

enum column_type {
	COLUMN_U16,
	COLUMN_U32,
	COLUMN_I64,
	COLUMN_REAL,
	COLUMN_STRING,
	COLUMN_JOB,
	COLUMN_KEPT,
	COLUMN_LETTERS
};

struct result_column {
	const char *name;
	uint16_t offset;		/* in the record */
	uint8_t type;			/* enum column_type */
};

struct result_table {
	const char *name;
	enum table_id id;
	uint16_t bytes;			/* size of a record */
	/* The table is from the last negotiation cycle, which may be older than the run. */
	bool of_cycle;
	/*
	 * Offset of a double. Records in which it is 0 are obsolete and are left out. 0: use all
	 * records.
	 */
	uint16_t used_at;
	const struct result_column *columns;
	size_t n;
};

#define RESULT_COLUMNS_MOST 40

/* Return whether the record is a result. */
bool result_counts(const struct result_table *table, const void *record);

/* Tables with an order of records of their own. The jobs and the head are not among them. */
extern const struct result_table result_tables[];
extern const size_t nresult_tables;

/* Results that are common to all jobs: columns of struct run_record. */
extern const struct result_column head_columns[];
extern const size_t nhead_columns;

/*
 * Return the column of a record as a number: the bits of a number, a hash of a string, the number
 * of a job.
 */
uint64_t result_value(const struct view *view, const struct result_column *column, const void *record);

/*
 * Return the column as readable text; doubles have 17 digits. Valid until the next call with this
 * buffer.
 */
#define RESULT_TEXT_BYTES 640
const char *result_text(const struct view *view, const struct result_column *column, const void *record,
			char text[RESULT_TEXT_BYTES]);

/*
 * Return the name and the text of column `k` of a pending job. job_column_text() returns false for
 * the first number without a column. The text is "" if the policy does not show the column.
 */
const char *job_column_name(unsigned k);
bool job_column_text(const struct view *view, uint32_t row, unsigned k, char text[RESULT_TEXT_BYTES]);

#endif
