/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What condor_userprio(1) shows, to the byte: records of submitters and groups, whether they are of
 * a running scheduler or of a file that `userprio -long` has written.
 *
 *     userprio_words.c    options, shortened as there
 *     userprio_file.c     records of a file
 *     userprio_live.c     records of the published run
 *     userprio_rows.c     which of them are shown, and in which order
 *     userprio_table.c    columns and lines
 *     userprio_ads.c      -long, -autoformat, -constraint: records as ClassAds
 *     userprio_json.c     everything, for programs
 */
#ifndef CLI_USERPRIO_SHOW_H
#define CLI_USERPRIO_SHOW_H

#include <stdio.h>

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
#define USERPRIO_USAGE (USERPRIO_IN_USE | USERPRIO_TOTAL | USERPRIO_START | USERPRIO_LAST)
#define USERPRIO_MOST_COLUMNS \
	(USERPRIO_CONFIG_QUOTA | USERPRIO_SURPLUS | USERPRIO_EFFECTIVE | USERPRIO_FACTOR | USERPRIO_IN_USE | USERPRIO_TOTAL | \
	 USERPRIO_SINCE | USERPRIO_REQUESTED | USERPRIO_FLOOR | USERPRIO_CEILING)
#define USERPRIO_ALL \
	(USERPRIO_QUOTAS | USERPRIO_PRIORITY | USERPRIO_USAGE | USERPRIO_SINCE | USERPRIO_FLOOR | USERPRIO_CEILING)

enum userprio_label {		/* letters behind -autoformat: */
	LABEL_NAMES = 1 << 0, LABEL_HEADINGS = 1 << 1, LABEL_QUOTED = 1 << 2, LABEL_RAW = 1 << 3, LABEL_COMMA = 1 << 4, LABEL_TAB = 1 << 5,
	LABEL_LINES = 1 << 6, LABEL_BETWEEN = 1 << 7,
};

struct userprio_query {			/* what was asked for */
	unsigned columns;		/* enum userprio_column; 0: -most */
	bool all_users, is_flat, is_hierarchical, group_order, group_rollup;
	bool is_long, is_legacy, is_modular, is_json, is_help;
	int64_t now, active_from;	/* epoch seconds: who has used nothing since then is not shown */
	const char *input, *submitter, *resources_of, *constraint;	/* NULL: not given */
	unsigned labels;		/* of -autoformat */
	char **attributes;		/* of argv */
	size_t nattributes;
	struct classad_expression *condition;	/* owned: of `constraint` */
	const char *failed;		/* a printer's message; NULL: none */
};

struct userprio_record {		/* a submitter or group; attributes as HTCondor has them */
	char *name, *group;		/* owned; of a group the one above it */
	char *surplus;			/* owned: "no" "regroup" "byquota"; "" of submitters */
	struct classad *ad;		/* owned; NULL: it can be made of the members */
	bool is_group;
	double priority, factor;	/* the effective priority; of groups the factor may be 0: not told */
	double used, weight_used, tree_used, accumulated, weight_accumulated;
	double config_quota, effective_quota, subtree_quota, requested, sort_key, share, limit;
	int64_t begin, last, ceiling, floor;
	struct { int64_t until; double before; } leases[3];	/* factor, ceiling, floor */
	/* userprio_rows.c: */
	uint32_t id;			/* of its group, the root 0, or of itself: its place among groups */
	uint32_t place;			/* among all records, as they came */
};

struct userprio_records {
	struct userprio_record *items;
	size_t n, capacity;
	int64_t last_update;		/* of user priorities, epoch seconds */
	const struct fl_view *view;	/* of a running scheduler; NULL */
	/* userprio_rows.c: those that are shown, in their order */
	uint32_t *shown;
	size_t nshown, nusers;		/* nusers: those that are no groups */
	bool is_nested, shows_users, shows_groups;
	size_t name_width;		/* most bytes of a name as it is shown */
};

/* A new one, all 0, without ceiling; NULL: no memory. */
struct userprio_record *userprio_add(struct userprio_records *r);
void userprio_records_free(struct userprio_records *r);

/* EXIT_OK, or 1 after a message and how it is used. `query` is zero but for `now`. */
int userprio_words(struct userprio_query *query, int argc, char **argv);
void userprio_usage(FILE *to);

/* EXIT_OK, or an exit code after a message. */
int userprio_file_read(struct userprio_records *r, const char *path);
/*
 * Those of groups have factors if these are wanted. 0, -ENOMEM, -ENOENT: the algorithm is another
 * one
 */
int userprio_live_read(struct userprio_records *r, const struct fl_view *view, bool group_factors);

/* Chooses and sorts. -ENOMEM. */
int userprio_choose(struct userprio_records *r, const struct userprio_query *q);
static inline const struct userprio_record *userprio_shown(const struct userprio_records *r, size_t i)
{
	return &r->items[r->shown[i]];
}

/* Printers of what is chosen; 0 or -ENOMEM. */
int userprio_table(const struct userprio_records *r, const struct userprio_query *q, struct out *o);
int userprio_long(const struct userprio_records *r, const struct userprio_query *q, struct out *o);
int userprio_autoformat(const struct userprio_records *r, const struct userprio_query *q, struct out *o);
int userprio_json(const struct userprio_records *r, const struct userprio_query *q, struct out *o);
/* Of a running scheduler alone: -getreslist. */
int userprio_resources(const struct fl_view *view, const struct userprio_query *q, struct out *o);

/*
 * A section_print function, whose context is the struct userprio_query: it leaves `failed` there.
 */
int userprio_print(const struct fl_view *view, struct out *o, void *query);

/* The record as a ClassAd, which the record owns. NULL: no memory. */
const struct classad *userprio_ad(const struct userprio_records *r, struct userprio_record *record);

/* Local time as there: "11/15/2023 22:14", and "11/16 00:14". Exactly so many bytes, and a NUL. */
#define USERPRIO_DATE_BYTES 16
#define USERPRIO_DAY_BYTES 11
void userprio_date(char text[USERPRIO_DATE_BYTES + 1], int64_t time);
void userprio_day(char text[USERPRIO_DAY_BYTES + 1], int64_t time);

#endif
