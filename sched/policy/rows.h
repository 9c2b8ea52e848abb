/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a policy keeps durable: rows of tables that it describes, and numbers that have names. Who
 * stores them (sched/store/) knows no more of them than stands here. Rows that a transaction has
 * taken count when it is committed; until then the policy hands them over again.
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
	double least, most;		/* of integers and reals: what is outside is damaged */
	bool is_key;			/* these tell rows apart, and order what is read */
};

/* of a table; of one policy; of all policies */
#define ROW_COLUMNS_MOST 24
#define ROW_NUMBERS_MOST 8
#define ROW_TABLES_MOST 8
#define ROW_AGELESS SIZE_MAX

struct row_table {
	const char *name;
	const struct row_column *columns;
	size_t ncolumns;
	/* the column by which old rows are known: an integer; ROW_AGELESS: nobody asks for it */
	size_t age;
};

struct row_value {			/* by the column's type */
	const char *text;		/* never NULL */
	int64_t integer;
	double real;
};

/* who takes them; tables by their number. 0 or -errno, which ends the saving */
struct row_sink {
	void *context;
	/* A row, in place of the one with its keys. */
	int (*put)(void *context, size_t table, const struct row_value *values);
	/* Rows whose age column is at most `until` go. */
	int (*remove)(void *context, size_t table, int64_t until);
	/* The row with these keys goes, if there is one; only keys are looked at. */
	int (*erase)(void *context, size_t table, const struct row_value *values);
	int (*number)(void *context, const char *name, int64_t value);
};

struct policy;
struct run;

struct policy_rows {
	const struct row_table *tables;
	size_t ntables;
	const char *const *numbers;	/* names; 0 to 2^53 */
	size_t nnumbers;
	/* Reading begins: nothing is known. */
	void (*begin)(struct policy *policy, struct run *run);
	/* One row. -ENOMEM; -EUCLEAN: it can't be so, `column` is where. Texts are borrowed. */
	int (*load)(struct policy *policy, struct run *run, size_t table, const struct row_value *values,
		    size_t *column);
	/* The values of all numbers; 0: none was stored. All rows are read. */
	void (*loaded)(struct policy *policy, struct run *run, const int64_t *numbers);
	/* What has changed since it was last stored. 0, or what the sink returned. */
	int (*save)(struct policy *policy, struct run *run, const struct row_sink *sink);
	/* What was saved last is stored. */
	void (*saved)(struct policy *policy, struct run *run);
	/*
	 * Rows of a table whose age column is less than *limit may go; it may lower this limit of
	 * the caller's. False: none may go. NULL: none ever.
	 */
	bool (*oldest)(const struct policy *policy, size_t table, int64_t *limit);
};

struct row_keeper {
	struct policy *policy;
	const struct policy_rows *rows;
};

/* all of a scheduler that is to survive it; borrowed */
struct durable {
	struct run *run;		/* whose mirror has objects and ledger */
	const struct row_keeper *keepers;	/* policies, in force or not */
	size_t n;
};

#endif
