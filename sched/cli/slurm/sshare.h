/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairlead share: the associations with their shares, usage and fair-share factors as sshare(1) of
 * Slurm 22.05 shows them, to the byte.
 *
 *     slurm/sshare.c         options, which associations are meant
 *     slurm/sshare_fields.c  columns
 *     slurm/sshare_print.c   lines
 *     slurm/sshare_json.c    everything, for programs
 */
#ifndef CLI_SLURM_SSHARE_H
#define CLI_SLURM_SSHARE_H

#include "sched/cli/cli.h"
#include "sched/cli/names.h"
#include "sched/cli/options.h"

#define SSHARE_COLUMNS 64u	/* most */
#define SSHARE_WIDTH 1000	/* most of a column, bytes */

enum sshare_type {		/* of the member of struct fl_association */
	SHARE_TEXT,		/* const char *, "" = none */
	SHARE_ACCOUNT,		/* the same, set in below the account above it */
	SHARE_NUMBER,		/* uint32_t */
	SHARE_SHARES,		/* uint32_t; the root has none, others may have their parent's */
	SHARE_REAL,		/* double */
	SHARE_USAGE,		/* double, shown in whole numbers */
	SHARE_NORM_USAGE,	/* double, which the root has not */
	SHARE_FAIRSHARE,	/* double, with the fair tree of users only */
	SHARE_LEVEL_FS,		/* double, which may be infinite */
	SHARE_RANK,		/* uint32_t, with the fair tree, of users */
	SHARE_LIMITS,		/* const char *, "cpu=1000,..." */
	/* not of one member */
	SHARE_CLUSTER,		/* the cell's name */
	SHARE_INDEX, SHARE_PARENT,	/* of the association and of the one above it */
	SHARE_LEVEL_INFINITE,
	SHARE_RUN_MINUTES,	/* of each kind of TRES */
};

enum sshare_when {		/* which columns there are that nobody has asked for; bits */
	SHARE_ALWAYS = 1 << 0,
	SHARE_LONG = 1 << 1,	/* -l */
	SHARE_FAIR_TREE = 1 << 2,	/* -l, and there is a fair tree */
	SHARE_PARTITIONS = 1 << 3,	/* -m */
};

/* What is shown of an association: one row a value, for columns and JSON. */
struct sshare_field {
	enum sshare_type type;
	uint16_t offset;	/* in struct fl_association */
	const char *title;	/* of the column, "RawShares"; NULL: there is none */
	int width;		/* as below */
	uint8_t at, when;	/* place in the lines, ascending; 0: only when asked for */
	const char *key;	/* ",\"member\":"; NULL: not in JSON */
};

extern const struct sshare_field sshare_fields[];
extern const size_t sshare_nfields;

/* The value as it lies in the association. */
static inline const void *sshare_at(const struct fl_association *association, const struct sshare_field *field)
{
	return (const char *)association + field->offset;
}

struct sshare_column {
	const struct sshare_field *field;
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
struct sshare_query {
	const char *columns;	/* -o, NULL: as Slurm chooses */
	char *cluster;		/* the cell's name */
	enum sshare_style style;
	bool all, is_long, partitions, users_only, no_header;
	struct format format;
	struct names users, accounts;
	bool no_multifactor;	/* the cell's algorithm is another one */
	int error;		/* -ENOMEM */
};

/*
 * "Account,user%20,raws": names or beginnings of them in any case, the first that fits in the order
 * of the alphabet; with a width if the usual one is not wanted. EXIT_OK, or EXIT_USAGE after a
 * message.
 */
int sshare_columns_parse(struct sshare_columns *columns, const char *text);

/* Those that sshare has without -o. */
void sshare_columns_choose(const struct sshare_query *query, bool has_fair_tree, struct sshare_columns *columns);

/*
 * A number in a column of fixed width: six decimals, or in powers of ten when that is too wide.
 * "inf" when infinite. At most 400 bytes and the width; returns the end.
 */
char *sshare_number(char *p, double value, int width);

/* Users by -u, accounts by -A, accounts themselves not with -U. */
bool sshare_is_meant(const struct sshare_query *query, const struct fl_association *association);

/* The printers; section_print functions whose context is the struct sshare_query. */
int sshare_print(const struct fl_view *view, struct out *out, void *sshare);
int sshare_json(const struct fl_view *view, struct out *out, void *sshare);

#endif
