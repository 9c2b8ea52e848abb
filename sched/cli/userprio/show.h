/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows what condor_userprio(1) shows, to the byte: records of submitters and groups, read from a
 * running scheduler or from a file that `userprio -long` has written.
 *
 *     userprio/words.c    options, shortened as condor_userprio allows
 *     userprio/file.c     records of a file
 *     userprio/live.c     records of the published run
 *     userprio/records.c  the set of records; the submitters that the command line names
 *     userprio/groups.c   numbers and order of groups; sums of their subtrees
 *     userprio/rows.c     the table's shape: columns, nesting, rows and their order
 *     userprio/table.c    the table's text
 *     userprio/ads.c      -long, -autoformat, -constraint: records as ClassAds
 *     userprio/json.c     everything, for programs
 */
#ifndef CLI_USERPRIO_SHOW_H
#define CLI_USERPRIO_SHOW_H

#include <stdio.h>
#include <string.h>

#include "conf/classad/classad.h"
#include "sched/cli/cli.h"

enum userprio_column {		/* bits, in the order of the table */
	USERPRIO_GROUP_ID = 1 << 0, USERPRIO_GROUP_ORDER = 1 << 1, USERPRIO_SORT_KEY = 1 << 2, USERPRIO_EFFECTIVE_QUOTA = 1 << 3,
	USERPRIO_CONFIG_QUOTA = 1 << 4, USERPRIO_SURPLUS = 1 << 5, USERPRIO_SUBTREE_QUOTA = 1 << 6, USERPRIO_EFFECTIVE = 1 << 7,
	USERPRIO_REAL = 1 << 8, USERPRIO_FACTOR = 1 << 9, USERPRIO_IN_USE = 1 << 10, USERPRIO_TOTAL = 1 << 11, USERPRIO_START = 1 << 12,
	USERPRIO_LAST = 1 << 13, USERPRIO_SINCE = 1 << 14, USERPRIO_REQUESTED = 1 << 15, USERPRIO_FLOOR = 1 << 16,
	USERPRIO_CEILING = 1 << 17,
};

#define USERPRIO_QUOTAS \
	(USERPRIO_EFFECTIVE_QUOTA | USERPRIO_CONFIG_QUOTA | USERPRIO_SURPLUS | USERPRIO_SUBTREE_QUOTA | USERPRIO_REQUESTED)
#define USERPRIO_PRIORITY (USERPRIO_EFFECTIVE | USERPRIO_REAL | USERPRIO_FACTOR)
#define USERPRIO_USE (USERPRIO_IN_USE | USERPRIO_TOTAL)
#define USERPRIO_USAGE (USERPRIO_USE | USERPRIO_START | USERPRIO_LAST)
#define USERPRIO_MOST_COLUMNS \
	(USERPRIO_CONFIG_QUOTA | USERPRIO_SURPLUS | USERPRIO_EFFECTIVE | USERPRIO_FACTOR | USERPRIO_USE | USERPRIO_SINCE | \
	 USERPRIO_REQUESTED | USERPRIO_FLOOR | USERPRIO_CEILING)
#define USERPRIO_ALL \
	(USERPRIO_QUOTAS | USERPRIO_PRIORITY | USERPRIO_USAGE | USERPRIO_SINCE | USERPRIO_FLOOR | USERPRIO_CEILING)

enum userprio_label {		/* letters after -autoformat: */
	LABEL_NAMES = 1 << 0, LABEL_HEADINGS = 1 << 1, LABEL_QUOTED = 1 << 2, LABEL_RAW = 1 << 3, LABEL_COMMA = 1 << 4, LABEL_TAB = 1 << 5,
	LABEL_LINES = 1 << 6, LABEL_BETWEEN = 1 << 7,
};

enum userprio_nesting { NESTING_DEFAULT, NESTING_ON, NESTING_OFF };	/* users below their groups */

#define USERPRIO_EVER (-1)	/* a bound on the last usage that no record fails */

struct userprio_name {			/* a submitter or group of the command line */
	const char *text;		/* borrowed from argv */
	bool is_found;			/* a record of the last reading has this name */
};

struct userprio_query {			/* the command line */
	unsigned columns;		/* enum userprio_column; 0: -most */
	bool asks_quotas;		/* quota columns are named, and not a part of -most or -all alone */
	enum userprio_nesting nesting;
	bool groups_first, group_rollup;
	bool is_long, is_legacy, is_modular, is_json, is_help;
	int64_t now, active_from;	/* epoch seconds; a record without usage since then is inactive */
	const char *input, *resources_of, *constraint;	/* NULL: not given */
	struct userprio_name *names;	/* owned */
	size_t nnames;
	unsigned labels;		/* of -autoformat */
	char **attributes;		/* borrowed from argv */
	size_t nattributes;
	struct classad_expression *condition;	/* owned: of `constraint` */
	const char *failed;		/* a printer's message; NULL: none */
};

struct userprio_record {		/* a submitter or group; attributes as HTCondor has them */
	char *name, *group;		/* owned; a group's `group` is the one above it */
	char *surplus;			/* owned: "no" "regroup" "byquota"; "" of submitters */
	struct classad *ad;		/* owned; NULL: made from the members when it is needed */
	bool is_group;
	unsigned columns;		/* enum userprio_column: columns for which the record has a value */
	double priority, factor;	/* the effective priority; a group's factor may be 0: not reported */
	double used, weight_used, tree_used, accumulated, weight_accumulated;
	double config_quota, effective_quota, subtree_quota, requested, sort_key, share, limit;
	int64_t begin, last, ceiling, floor;
	struct { int64_t until; double before; } leases[3];	/* factor, ceiling, floor */
	/* userprio/groups.c: */
	int64_t number;			/* of its group, or its own: the root 0, others from 1; negative: none */
	double order;			/* position of its group among groups */
	size_t place;			/* among the records as they were read */
};

struct userprio_records {
	struct userprio_record *items;
	size_t n, capacity;
	int64_t last_update;		/* of user priorities, epoch seconds */
	const struct fl_view *view;	/* of a running scheduler; NULL */
};

/* userprio/records.c */
/* Add a record, all 0, without ceiling. NULL: no memory. */
struct userprio_record *userprio_add(struct userprio_records *records);
void userprio_records_free(struct userprio_records *records);
/* Drop records without a name and, if submitters of a running scheduler are named, all others. */
void userprio_records_choose(struct userprio_records *records, struct userprio_query *query);
static inline bool userprio_is_root(const char *group)
{
	return strcmp(group, "<none>") == 0 || strcmp(group, ".") == 0;
}

/* userprio/groups.c */
/*
 * Number the groups by name, and give each record its group's number and order for a table of these
 * columns. Groups have no numbers (false in `numbered`) unless a submitter is in one. 0 or -ENOMEM.
 */
int userprio_groups_number(struct userprio_records *records, unsigned columns, bool *numbered);
/* Give each group the sums of its subtree, and priority 0. 0 or -ENOMEM. */
int userprio_groups_rollup(struct userprio_records *records);

/* Read the options: EXIT_OK, or 1 after a message. `query` is zero but for `now`. */
int userprio_words(struct userprio_query *query, int argc, char **argv);
void userprio_words_free(struct userprio_query *query);
void userprio_usage(FILE *to);

/* EXIT_OK, or an exit code after a message. */
int userprio_file_read(struct userprio_records *records, const char *path);
/*
 * Read the published run; groups have factors if `group_factors`. 0, -ENOMEM, -ENOENT: the algorithm
 * is another one.
 */
int userprio_live_read(struct userprio_records *records, const struct fl_view *view, bool group_factors);

struct userprio_shape {			/* a table without its text */
	unsigned columns;
	bool is_nested, shows_users, shows_groups;
	const struct userprio_record **rows;	/* owned: the lines, in their order */
	size_t nrows, nusers;		/* nusers: active submitters, shown or not */
	double weight_used, weight_accumulated;	/* their sums */
	const char *policy;		/* the surplus policy that the last line names; "" */
	size_t name_width;
};

/* userprio/rows.c: work out the table. 0 or -ENOMEM. */
int userprio_shape_make(struct userprio_shape *shape, struct userprio_records *records, const struct userprio_query *query);
void userprio_shape_free(struct userprio_shape *shape);

/* Print the records; 0 or -ENOMEM. */
int userprio_table(struct userprio_records *records, const struct userprio_query *query, struct out *out);
int userprio_long(const struct userprio_records *records, const struct userprio_query *query, struct out *out);
int userprio_autoformat(const struct userprio_records *records, const struct userprio_query *query, struct out *out);
int userprio_json(const struct userprio_records *records, const struct userprio_query *query, struct out *out);
/* Print -getreslist, of a running scheduler alone. */
int userprio_resources(const struct fl_view *view, const struct userprio_query *query, struct out *out);

/*
 * A section_print function, whose context is the struct userprio_query: it leaves `failed` and
 * is_found there.
 */
int userprio_print(const struct fl_view *view, struct out *out, void *query);

/* The record as a ClassAd, which the record owns. NULL: no memory. */
const struct classad *userprio_ad(const struct userprio_records *records, struct userprio_record *record);

/* Write local time as HTCondor does, exactly so many bytes: "11/15/2023 22:14", "11/16 00:14". */
#define USERPRIO_DATE_BYTES 16
#define USERPRIO_DAY_BYTES 11
void userprio_date(char text[USERPRIO_DATE_BYTES + 1], int64_t time);
void userprio_day(char text[USERPRIO_DAY_BYTES + 1], int64_t time);

#endif
