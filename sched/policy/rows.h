/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Durable state of a policy: rows of tables that the policy describes, and named numbers. The store
 * (sched/store/) knows no more of them than this interface. Rows written in a transaction count
 * when it is committed; until then the policy saves them again.
 *
 * Nothing of the policy changes between save and saved.
 *
 *     load, number ... loaded     once, before the first run
 *     save                        after each run, what has changed; saved when it is committed
 *     oldest                      once a day
 */
#ifndef SCHED_POLICY_ROWS_H
#define SCHED_POLICY_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum row_type { ROW_TEXT, ROW_INTEGER, ROW_REAL };

struct row_column {
	const char *name;
	enum row_type type;
	/* limits of integers and reals; a value outside them is damaged */
	double least, most;
	/* part of the primary key, by which rows are ordered when read */
	bool is_key;
};

/* Limits: columns of a table; numbers of one policy; tables of all policies. */
#define ROW_COLUMNS_MOST 24
#define ROW_NUMBERS_MOST 8
#define ROW_TABLES_MOST 8
#define ROW_AGELESS SIZE_MAX

struct row_table {
	const char *name;
	const struct row_column *columns;
	size_t ncolumns;
	/* Integer column with the age of a row; ROW_AGELESS: rows do not age. */
	size_t age;
};

struct row_value {			/* the member of the column's type is used */
	const char *text;		/* never NULL */
	int64_t integer;
	double real;
};

/*
 * Receiver of saved rows. Tables are numbered as in policy_rows. Functions return 0 or -errno,
 * which ends the saving.
 */
struct row_sink {
	void *context;
	/* Insert a row, or replace the row with the same keys. */
	int (*put)(void *context, size_t table, const struct row_value *values);
	/* Delete the rows whose age column is at most `until`. */
	int (*remove)(void *context, size_t table, int64_t until);
	/* Delete the row with these keys, if it exists. Only key columns are read. */
	int (*erase)(void *context, size_t table, const struct row_value *values);
	int (*number)(void *context, const char *name, int64_t value);
};

struct policy;
struct run;

struct policy_rows {
	const struct row_table *tables;
	size_t ntables;
	const char *const *numbers;	/* names; values are 0 to 2^53 */
	size_t nnumbers;
	/* Start loading: forget everything. */
	void (*begin)(struct policy *policy, struct run *run);
	/*
	 * Load one row. -ENOMEM. -EUCLEAN: the row is damaged, and `column` is the column at fault.
	 * Texts are borrowed.
	 */
	int (*load)(struct policy *policy, struct run *run, size_t table, const struct row_value *values,
		    size_t *column);
	/* Take the values of all numbers after all rows are read; 0: none was stored. */
	void (*loaded)(struct policy *policy, struct run *run, const int64_t *numbers);
	/* Save the changes since the last store. Return 0 or the result of the sink. */
	int (*save)(struct policy *policy, struct run *run, const struct row_sink *sink);
	/* Note that the last save is committed. */
	void (*saved)(struct policy *policy, struct run *run);
	/*
	 * Return whether rows of a table whose age column is less than *limit may be deleted. May
	 * lower *limit. False: no row may be deleted. NULL: rows are never deleted.
	 */
	bool (*oldest)(const struct policy *policy, size_t table, int64_t *limit);
};

struct row_keeper {
	struct policy *policy;
	const struct policy_rows *rows;
};

/* durable state of a scheduler; borrowed */
struct durable {
	struct run *run;		/* the run whose mirror has objects and ledger */
	const struct row_keeper *keepers;	/* policies, active or not */
	size_t n;
};

#endif
