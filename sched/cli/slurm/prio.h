/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairlead prio: the factors of pending jobs' priorities as sprio(1) of Slurm 22.05 shows them, to
 * the byte.
 *
 *     slurm/prio.c           options
 *     slurm/prio_fields.c    what is shown of a job, for all formats
 *     slurm/prio_format.c    columns: -o, and those that are shown without it
 *     slurm/prio_rows.c      which jobs are meant, in which order
 *     slurm/prio_table.c     lines
 *     slurm/prio_json.c      everything, for programs
 */
#ifndef CLI_SLURM_PRIO_H
#define CLI_SLURM_PRIO_H

#include "sched/cli/cli.h"
#include "sched/cli/memo.h"
#include "sched/cli/names.h"
#include "sched/cli/options.h"
#include "sched/cli/slurm/prio_fields.h"

#define PRIO_COLUMNS 128u	/* most */
#define PRIO_WIDTH 1000u	/* most of a column, bytes */
#define PRIO_FORMAT_BYTES 4096u	/* most of -o */
#define PRIO_LETTERS 128u	/* most, and a NUL */

struct prio_column {
	const struct prio_field *field;	/* which has a letter */
	bool right;		/* blanks before, not behind */
	uint16_t width;		/* bytes, cut and filled up to it; 0: as wide as the value */
	uint16_t suffix_bytes;
	const char *suffix;	/* text up to the next column, borrowed from the format */
};

struct prio_format {
	const char *prefix;	/* text before the first column */
	size_t prefix_bytes;
	struct prio_column columns[PRIO_COLUMNS];
	size_t n;
};

struct prio_row {		/* a job in one of its partitions */
	uint32_t job_number;
	uint32_t row;		/* of the list */
	uint32_t k;		/* which partition */
	/* enum fl_list, or ROW_LOOKED_UP: its place in the list is not known */
	uint8_t list;
};

#define ROW_LOOKED_UP UINT8_MAX

struct prio_rows {		/* zero-initialise */
	struct prio_row *items;
	size_t n, capacity;
};

/*
 * what was asked for; the printers may use `memo` and `rows` and set `no_multifactor` and `error`
 */
struct prio {
	const char *columns;	/* -o, NULL: as Slurm chooses */
	const char *sort;	/* -S, NULL: by job number */
	char *cluster;		/* %c: the cell's name */
	bool is_long, norm, weights, no_header;
	struct format format;
	struct names users, partitions;
	uint32_t *jobs;		/* ascending, each once */
	size_t njobs;		/* 0: all */
	struct memo memo;
	struct prio_rows rows;
	bool needs_ranks;	/* the format tells at which places of the list the rows stand */
	bool no_multifactor;	/* the cell's algorithm is another one */
	int error;		/* -ENOMEM */
};

/*
 * "text%[.][WIDTH]LETTERtext...": as sprio's -o takes it; a dot puts the blanks before the value.
 * EXIT_OK, or EXIT_USAGE after a message. The format borrows from the text.
 */
int prio_format_parse(struct prio_format *format, const char *text);

/*
 * The format that sprio has without -o: columns whose weight is 0 are left out of the short ones.
 * `text` has PRIO_FORMAT_BYTES.
 */
void prio_format_choose(const struct prio *prio, const struct fl_multifactor *multifactor, char *text);

/* The letters of all columns. */
void prio_letters(char letters[PRIO_LETTERS]);

/* By value, for qsort(3). */
int prio_number_order(const void *a, const void *b);

/* EXIT_OK, or EXIT_USAGE after a message. */
int prio_sort_check(const char *sort);

/*
 * What has been asked for, sorted, into p->rows; that is emptied first and kept for the next
 * section. 0 or -ENOMEM.
 */
int prio_rows_collect(struct prio *prio, const struct fl_view *view, const struct fl_multifactor *multifactor);
/* 0 or -ENOENT. */
int prio_row_factors(const struct fl_view *view, const struct prio_row *row, struct fl_factors *factors);

/*
 * What it comes to, uncapped and not cut to whole numbers: of its factors, or as an operator set
 * it.
 */
double prio_sum(const struct fl_factors *factors);

/*
 * "cpu=2,mem=40": each TRES that counts, weighted without decimals, or normalised with two; in the
 * order of the weights. At most `most` bytes, and what does not fit is left out. Returns its end.
 */
char *prio_tres_text(char *p, size_t most, const struct fl_view *view, const struct fl_factors *factors, bool weighted);

/*
 * Cuts or fills up what lies between start and end; width 0 leaves it. There is room for `width`
 * bytes. Returns the new end.
 */
char *prio_justify(char *start, char *end, size_t width, bool right);

/* The printers; section_print functions whose context is the struct prio. */
int prio_table(const struct fl_view *view, struct out *out, void *prio);
int prio_json(const struct fl_view *view, struct out *out, void *prio);

#endif
