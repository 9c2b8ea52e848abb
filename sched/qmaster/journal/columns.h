/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of a published run is a result, and so must come out again: tables and their columns, each
 * told in such a way that it is the same in any scheduler that has computed the same. Numbers that
 * are one process's alone, of strings, rows and categories, are replaced by what they stand for.
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
	uint16_t bytes;			/* of a record */
	/* of the last negotiation cycle, which may be older than the run */
	bool of_cycle;
	/*
	 * records of which this number, a double at that offset, is 0 are left out: they say what
	 * was there once. 0: none are
	 */
	uint16_t used_at;
	const struct result_column *columns;
	size_t n;
};

#define RESULT_COLUMNS_MOST 40

/* Does the record count? */
bool result_counts(const struct result_table *table, const void *record);

/* Those whose records stand in an order of their own; the jobs and the head are not among them. */
extern const struct result_table result_tables[];
extern const size_t nresult_tables;

/* What holds for all jobs alike: columns of struct run_record. */
extern const struct result_column head_columns[];
extern const size_t nhead_columns;

/*
 * The column of a record as a number: its bits, of a string a hash of its text, of a job its
 * number.
 */
uint64_t result_value(const struct view *view, const struct result_column *column, const void *record);

/* The same for a person: doubles with 17 digits. Valid until the next call with this buffer. */
#define RESULT_TEXT_BYTES 640
const char *result_text(const struct view *view, const struct result_column *column, const void *record,
			char text[RESULT_TEXT_BYTES]);

/*
 * The same of a job that waits, column by column: false from the first one on that there is not. A
 * column that its policy does not show is "".
 */
const char *job_column_name(unsigned k);
bool job_column_text(const struct view *view, uint32_t row, unsigned k, char text[RESULT_TEXT_BYTES]);

#endif
