/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Display of user priorities, byte for byte like condor_userprio(1). Records of submitters and
 * groups are read from a running scheduler, or from a file with the output of `userprio -long`.
 *
 *     userprio/words.c    options, abbreviated as condor_userprio allows
 *     userprio/file.c     records of a file
 *     userprio/live.c     records of the published run
 *     userprio/records.c  the set of records; selection of submitters from the command line
 *     userprio/groups.c   numbers and order of groups; sums of their subtrees
 *     userprio/rows.c     structure of the table: columns, nesting, rows and their order
 *     userprio/table.c    text of the table
 *     userprio/ads.c      -long, -autoformat, -constraint: records as ClassAds
 *     userprio/json.c     JSON
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

/* users below their groups */
enum userprio_nesting { NESTING_DEFAULT, NESTING_ON, NESTING_OFF };

#define USERPRIO_EVER (-1)	/* lower bound of the last usage that every record satisfies */

struct userprio_name {			/* a submitter or group of the command line */
	const char *text;		/* borrowed from argv */
	bool is_found;			/* the last section read has a record of this name */
};

struct userprio_query {			/* the command line */
	unsigned columns;		/* enum userprio_column; 0: -most */
	/* quota columns were named, and not only as part of -most or -all */
	bool asks_quotas;
	enum userprio_nesting nesting;
	bool groups_first, group_rollup;
	bool is_long, is_legacy, is_modular, is_json, is_help;
	/* epoch seconds; a record without usage since active_from is inactive */
	int64_t now, active_from;
	const char *input, *resources_of, *constraint;	/* NULL: not used */
	struct userprio_name *names;	/* owned */
	size_t nnames;
	unsigned labels;		/* labels of -autoformat */
	char **attributes;		/* borrowed from argv */
	size_t nattributes;
	struct classad_expression *condition;	/* owned, parsed from `constraint` */
	const char *failed;		/* message of a printer, NULL: none */
};

struct userprio_record {		/* a submitter or group, with HTCondor's attributes */
	char *name, *group;		/* owned; the `group` of a group is its parent */
	char *surplus;			/* owned: "no", "regroup" or "byquota"; "" for submitters */
	struct classad *ad;		/* owned; NULL: made from the members when needed */
	bool is_group;
	/* enum userprio_column: columns for which the record has a value */
	unsigned columns;
	/*
	 * `priority` is the effective priority. `factor` of a group may be 0, which means not
	 * reported.
	 */
	double priority, factor;
	double used, weight_used, tree_used, accumulated, weight_accumulated;
	double config_quota, effective_quota, subtree_quota, requested, sort_key, share, limit;
	int64_t begin, last, ceiling, floor;
	/* leases of factor, ceiling and floor */
	struct { int64_t until; double before; } leases[3];
	/* Set by userprio/groups.c. */
	/* number of its group, or its own: the root has 0, others count from 1; negative: none */
	int64_t number;
	double order;			/* position of its group among groups */
	size_t place;			/* position among the records as they were read */
};

struct userprio_records {
	struct userprio_record *items;
	size_t n, capacity;
	int64_t last_update;		/* last update of user priorities, epoch seconds */
	const struct fl_view *view;	/* view of a running scheduler, NULL */
};

/* userprio/records.c */
/* Add a record that is 0 except for the ceiling, which is unlimited. NULL: memory is exhausted. */
struct userprio_record *userprio_add(struct userprio_records *records);
void userprio_records_free(struct userprio_records *records);
/*
 * Drop records without a name. If the command line names submitters of a running scheduler, drop
 * all others, too.
 */
void userprio_records_choose(struct userprio_records *records, struct userprio_query *query);
static inline bool userprio_is_root(const char *group)
{
	return strcmp(group, "<none>") == 0 || strcmp(group, ".") == 0;
}

/* userprio/groups.c */
/*
 * Number the groups by name. Store the number and the order of its group in each record, for a
 * table of these columns. Groups have no numbers (false in `numbered`) unless a submitter is in
 * one. Return 0 or -ENOMEM.
 */
int userprio_groups_number(struct userprio_records *records, unsigned columns, bool *numbered);
/* Store in each group the sums of its subtree, and priority 0. Return 0 or -ENOMEM. */
int userprio_groups_rollup(struct userprio_records *records);

/*
 * Read the options. Return EXIT_OK, or 1 after a message. The caller sets `now` of `query` and
 * clears the rest.
 */
int userprio_words(struct userprio_query *query, int argc, char **argv);
void userprio_words_free(struct userprio_query *query);
void userprio_usage(FILE *to);

/* Read a file. Return EXIT_OK, or an exit code after a message. */
int userprio_file_read(struct userprio_records *records, const char *path);
/*
 * Read the published run. Groups have factors if `group_factors`. Return 0, -ENOMEM, or -ENOENT if
 * the cell uses another algorithm.
 */
int userprio_live_read(struct userprio_records *records, const struct fl_view *view, bool group_factors);

struct userprio_shape {			/* structure of a table, without its text */
	unsigned columns;
	bool is_nested, shows_users, shows_groups;
	const struct userprio_record **rows;	/* owned: the lines in their order */
	size_t nrows, nusers;		/* nusers: active submitters, shown or not */
	double weight_used, weight_accumulated;	/* sums over the active submitters */
	const char *policy;		/* surplus policy for the last line, "" */
	size_t name_width;
};

/* userprio/rows.c: compute the structure of the table. Return 0 or -ENOMEM. */
int userprio_shape_make(struct userprio_shape *shape, struct userprio_records *records,
			const struct userprio_query *query);
void userprio_shape_free(struct userprio_shape *shape);

/* Print the records. Return 0 or -ENOMEM. */
int userprio_table(struct userprio_records *records, const struct userprio_query *query, struct out *out);
int userprio_long(const struct userprio_records *records, const struct userprio_query *query, struct out *out);
int userprio_autoformat(const struct userprio_records *records, const struct userprio_query *query, struct out *out);
int userprio_json(const struct userprio_records *records, const struct userprio_query *query, struct out *out);
/* Print -getreslist, which needs a running scheduler. */
int userprio_resources(const struct fl_view *view, const struct userprio_query *query, struct out *out);

/*
 * Print a section. Function of the type section_print with a struct userprio_query as context, in
 * which it sets `failed` and is_found.
 */
int userprio_print(const struct fl_view *view, struct out *out, void *query);

/* Write local time in HTCondor's format, with a fixed length: "11/15/2023 22:14", "11/16 00:14". */
#define USERPRIO_DATE_BYTES 16
#define USERPRIO_DAY_BYTES 11
void userprio_date(char text[USERPRIO_DATE_BYTES + 1], int64_t time);

#endif
