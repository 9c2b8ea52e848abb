/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairlead share: associations with their shares, usage and fair-share factors, byte for byte like
 * sshare(1) of Slurm 22.05.
 *
 *     slurm/sshare.c         options, selection of associations
 *     slurm/sshare_fields.c  columns
 *     slurm/sshare_print.c   lines
 *     slurm/sshare_json.c    everything, for programs
 */
#ifndef CLI_SLURM_SSHARE_H
#define CLI_SLURM_SSHARE_H

#include "sched/cli/cli.h"
#include "sched/process/names.h"
#include "sched/cli/options.h"

#define SSHARE_COLUMNS 64u	/* maximum */
#define SSHARE_WIDTH 1000	/* maximum width of a column, bytes */

enum sshare_type {		/* type of the member of struct fl_association */
	SHARE_TEXT,		/* const char *, "" = none */
	SHARE_ACCOUNT,		/* const char *, indented below the parent account */
	SHARE_NUMBER,		/* uint32_t */
	/* uint32_t; the root has none, others may use those of their parent */
	SHARE_SHARES,
	SHARE_REAL,		/* double */
	SHARE_USAGE,		/* double, shown in whole numbers */
	SHARE_NORM_USAGE,	/* double, none for the root */
	SHARE_FAIRSHARE,	/* double, with the fair tree only for users */
	SHARE_LEVEL_FS,		/* double, may be infinite */
	SHARE_RANK,		/* uint32_t, of users with the fair tree */
	SHARE_LIMITS,		/* const char *, "cpu=1000,..." */
	/* Types that need more than one member. */
	SHARE_CLUSTER,		/* name of the cell */
	SHARE_INDEX, SHARE_PARENT,	/* indices of the association and of its parent */
	SHARE_LEVEL_INFINITE,
	SHARE_RUN_MINUTES,	/* run minutes of each kind of TRES */
};

enum sshare_when {		/* options with which a column is a default, bits */
	SHARE_ALWAYS = 1 << 0,
	SHARE_LONG = 1 << 1,	/* -l */
	SHARE_FAIR_TREE = 1 << 2,	/* -l, if there is a fair tree */
	SHARE_PARTITIONS = 1 << 3,	/* -m */
};

/* A value shown of an association, for columns and JSON. */
struct sshare_field {
	enum sshare_type type;
	uint16_t offset;	/* offset in struct fl_association */
	const char *title;	/* title of the column, "RawShares"; NULL: no column */
	int width;		/* like sshare_column.width */
	uint8_t at, when;	/* position in the lines, ascending; 0: only on request */
	const char *key;	/* ",\"member\":"; NULL: not in JSON */
};

extern const struct sshare_field sshare_fields[];
extern const size_t sshare_nfields;

/* Return a pointer to the value in the association. */
static inline const void *sshare_at(const struct fl_association *association, const struct sshare_field *field)
{
	return (const char *)association + field->offset;
}

struct sshare_column {
	const struct sshare_field *field;
	int width;		/* bytes; negative: blanks after the value, not before */
};

struct sshare_columns {
	struct sshare_column items[SSHARE_COLUMNS];
	size_t n;
};

enum sshare_style {
	STYLE_TABLE,		/* columns of fixed width, padded */
	STYLE_ENDING,		/* -p: a bar after each value */
	STYLE_BARS,		/* -P: a bar between values */
};

/* Query. The printers set `no_multifactor` and `error`. */
struct sshare_query {
	const char *columns;	/* -o, NULL: Slurm's default */
	char *cluster;		/* name of the cell */
	enum sshare_style style;
	bool all, is_long, partitions, users_only, no_header;
	struct format format;
	struct names users, accounts;
	bool no_multifactor;	/* the cell uses another algorithm */
	int error;		/* -ENOMEM */
};

/*
 * Parse "Account,user%20,raws". Words are names or prefixes of names in any case. The first match
 * in alphabetical order is used. A width replaces the default. Return EXIT_OK, or EXIT_USAGE after
 * a message.
 */
int sshare_columns_parse(struct sshare_columns *columns, const char *text);

/* Choose the columns that sshare shows without -o. */
void sshare_columns_choose(const struct sshare_query *query, bool has_fair_tree, struct sshare_columns *columns);

/*
 * Write a number in a column of fixed width: with six decimals, or with an exponent if that is too
 * wide. Infinite is "inf". Write at most 400 bytes plus the width. Return the end.
 */
char *sshare_number(char *p, double value, int width);

/* Return whether -u selects the user and -A the account. -U leaves out the accounts themselves. */
bool sshare_is_meant(const struct sshare_query *query, const struct fl_association *association);

/* Printers: section_print functions whose context is the struct sshare_query. */
int sshare_print(const struct fl_view *view, struct out *out, void *sshare);
int sshare_json(const struct fl_view *view, struct out *out, void *sshare);

#endif
