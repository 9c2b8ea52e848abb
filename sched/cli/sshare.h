/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairlead share: the associations with their shares, usage and fair-share factors as sshare(1) of
 * Slurm 22.05 shows them, to the byte.
 *
 *     sshare.c         options, which associations are meant
 *     sshare_fields.c  columns
 *     sshare_print.c   lines
 *     sshare_json.c    everything, for programs
 */
#ifndef CLI_SSHARE_H
#define CLI_SSHARE_H

#include "sched/cli/cli.h"
#include "sched/cli/names.h"
#include "sched/cli/options.h"

#define SSHARE_COLUMNS 64u	/* most */
#define SSHARE_WIDTH 1000	/* most of a column, bytes */

enum sshare_field { FIELD_ACCOUNT, FIELD_CLUSTER, FIELD_EFFECTV_USAGE, FIELD_FAIRSHARE, FIELD_GRP_TRES_MINS, FIELD_LEVEL_FS, FIELD_NORM_SHARES,
		    FIELD_NORM_USAGE, FIELD_PARTITION, FIELD_RAW_SHARES, FIELD_RAW_USAGE, FIELD_TRES_RUN_MINS, FIELD_USER, FIELDS };

struct sshare_column {
	enum sshare_field field;
	int width;		/* bytes; negative: blanks behind, not before */
};

struct sshare_columns {
	struct sshare_column items[SSHARE_COLUMNS];
	size_t n;
};

enum sshare_style {
	STYLE_TABLE,		/* columns of fixed width, filled up with blanks */
	STYLE_ENDING,		/* -p: a bar behind each value */
	STYLE_BARS,		/* -P: a bar between values */
};

/* what was asked for; the printers set `no_multifactor` and `error` */
struct sshare {
	const char *columns;	/* -o, NULL: as Slurm chooses */
	char *cluster;		/* the cell's name */
	enum sshare_style style;
	bool all, is_long, partitions, users_only, no_header;
	struct format format;
	struct names users, accounts;
	bool no_multifactor;	/* the cell's algorithm is another one */
	int error;		/* -ENOMEM */
};

/* "RawShares": as in headers. */
const char *sshare_title(enum sshare_field field);

/*
 * "Account,user%20,raws": names or beginnings of them in any case, the first that fits in the order
 * of enum sshare_field; with a width if the usual one is not wanted. EXIT_OK, or EXIT_USAGE after a
 * message.
 */
int sshare_columns_parse(struct sshare_columns *columns, const char *text);

/* Those that sshare has without -o. */
void sshare_columns_choose(const struct sshare *s, bool has_fair_tree, struct sshare_columns *columns);

/*
 * A number in a column of fixed width: six decimals, or in powers of ten when that is too wide.
 * "inf" when infinite. At most 400 bytes and the width; returns the end.
 */
char *sshare_number(char *p, double value, int width);

/* Users by -u, accounts by -A, accounts themselves not with -U. */
bool sshare_is_meant(const struct sshare *s, const struct fl_association *a);

/* The printers; section_print functions whose context is the struct sshare. */
int sshare_print(const struct fl_view *view, struct out *o, void *sshare);
int sshare_json(const struct fl_view *view, struct out *o, void *sshare);

#endif
