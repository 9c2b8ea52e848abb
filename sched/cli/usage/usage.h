/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairlead usage: resources used in a time interval, by user, project, month and other keys, and
 * the statement of one user.
 *
 *     usage/usage.c       options
 *     usage/tasks.c       selection of tasks, and the part of a task that is in a period
 *     usage/periods.c     days, weeks, months and years of local time
 *     usage/sums.c        sums by key
 *     usage/print.c       table, CSV and JSON
 *     usage/statement.c   --me: values of the statement
 *     usage/recovery.c    time at which a share recovers
 *     usage/letter.c      the statement as text and JSON; letter_page.c: as HTML
 *
 * Usage comes from the accounting file, which is read line by line and may be of any size. The
 * statement also reads the published run.
 */
#ifndef CLI_USAGE_USAGE_H
#define CLI_USAGE_USAGE_H

#include <stdint.h>

#include "conf/base/text_set.h"
#include "sched/cli/cli.h"
#include "sched/trace/accounting_record.h"

/* Keys of --by. Those from USAGE_YEAR on are periods of local time. */
enum usage_key {
	USAGE_USER,
	USAGE_GROUP,
	USAGE_PROJECT,
	USAGE_DEPARTMENT,
	USAGE_ACCOUNT,
	USAGE_QUEUE,
	USAGE_HOST,
	USAGE_PE,
	USAGE_YEAR,
	USAGE_MONTH,
	USAGE_WEEK,
	USAGE_DAY,
	USAGE_KEYS
};
extern const char *const usage_key_names[USAGE_KEYS];

#define USAGE_BY_MOST 6			/* keys of one table */
#define USAGE_TIME_MOST INT64_C(253402300799)	/* the end of the year 9999, epoch seconds */

enum usage_sort {
	USAGE_SORT_SLOTS,
	USAGE_SORT_CPU,
	USAGE_SORT_MEM,
	USAGE_SORT_JOBS,
	USAGE_SORT_WAIT,
	USAGE_SORT_NAME,
	USAGE_SORTS
};
extern const char *const usage_sort_names[USAGE_SORTS];

struct usage_query {			/* request of the user */
	const char **files;		/* -f; nfiles 0: the cell's accounting file */
	size_t nfiles;
	enum usage_key by[USAGE_BY_MOST];
	size_t nby;
	const char *user, *project;	/* NULL: all */
	/* Bounds in epoch seconds; `until` is not part of the interval. -1: no bound. */
	int64_t since, until;
	enum usage_sort sort;
	bool me, json, csv, bars;
	const char *html;		/* file of the page, "-": standard output; NULL: none */
	/* The caller may see only tasks of its own; `user` is the caller. */
	bool is_own;
};

/* Periods */

/*
 * Return the beginning of the period that contains `time`, in local time: midnight of the day, of
 * the Monday, or of the first day of the month or year. `key` is a period.
 */
int64_t usage_period_begin(enum usage_key key, int64_t time);
/* Return the beginning of the next period; always later than `time`. */
int64_t usage_period_next(enum usage_key key, int64_t time);
/* Write "2026", "2026-11", "2026-W48" (ISO 8601) or "2026-11-29". */
#define USAGE_PERIOD_BYTES 16
void usage_period_name(enum usage_key key, int64_t time, char name[USAGE_PERIOD_BYTES]);

/* Sums */

struct usage_sum {
	uint64_t jobs;			/* tasks that ended in the interval, slave tasks left out */
	uint64_t waits;			/* tasks of `jobs` that had started */
	double waiting_s, longest_wait_s;	/* from submission to start */
	double wallclock_s, slot_s;	/* slot_s: wall-clock time multiplied by slots */
	double cpu_s, mem_gbs, io_gb;
};

struct usage_sums {			/* zero-initialised */
	/* Values of the keys of each sum, each value followed by USAGE_SEPARATOR. */
	struct text_set keys;
	struct usage_sum *sums;		/* by number of the text */
	size_t capacity;
	struct usage_sum total;
};
#define USAGE_SEPARATOR '\x1f'	/* smaller than any byte of a value */

/* Add `part` to the sum of these keys. Return 0 or -ENOMEM. */
int usage_sums_add(struct usage_sums *sums, const char *keys, const struct usage_sum *part);
/*
 * Return the numbers of the sums in the order of the output: by period, then by the column of
 * `sort`, the largest first, then by name. The caller frees the array. NULL: memory is exhausted.
 */
uint32_t *usage_sums_order(struct usage_sums *sums, const struct usage_query *query);
void usage_sums_free(struct usage_sums *sums);

/* Tasks */

/*
 * Add a task of the accounting file to the sums if it is selected. A task that spans several
 * periods, or the bounds of the interval, is divided in proportion to time. Return 0, -ENOMEM, or
 * 1 if the record has no valid times.
 */
int usage_task_add(struct usage_sums *sums, const struct usage_query *query, const struct accounting_record *record);

/*
 * Read all files and add their tasks. `cell` may be NULL if files are named. *faults is the number
 * of lines left out. Return an exit code, after a message.
 */
int usage_read(const char *cell, const struct usage_query *query, struct usage_sums *sums, uint64_t *faults);

/* Output */

void usage_print_table(struct out *out, const struct usage_query *query, struct usage_sums *sums);
void usage_print_csv(struct out *out, const struct usage_query *query, struct usage_sums *sums);
void usage_print_json(struct out *out, const struct usage_query *query, struct usage_sums *sums, uint64_t faults);
/* Write "name":value for the columns of a sum, without braces. */
void usage_sum_json(struct out *out, const struct usage_sum *sum);

/* Print the statement of query->user. Return an exit code, after a message. */
int usage_statement(const char *cell, const struct usage_query *query);

#endif
