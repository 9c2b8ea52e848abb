/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairlead prio: factors of pending jobs' priorities, byte for byte like sprio(1) of Slurm 22.05.
 *
 *     slurm/prio.c           options
 *     slurm/prio_fields.c    table of the values of a job, for all formats
 *     slurm/prio_format.c    columns of -o and default columns
 *     slurm/prio_rows.c      selection and order of jobs
 *     slurm/prio_table.c     lines
 *     slurm/prio_json.c      everything, for programs
 */
#ifndef CLI_SLURM_PRIO_H
#define CLI_SLURM_PRIO_H

#include "sched/cli/cli.h"
#include "sched/cli/memo.h"
#include "sched/process/names.h"
#include "sched/cli/options.h"
#include "sched/cli/slurm/prio_fields.h"

#define PRIO_COLUMNS 128u	/* maximum */
#define PRIO_WIDTH 1000u	/* maximum width of a column, bytes */
#define PRIO_FORMAT_BYTES 4096u	/* maximum length of -o */
#define PRIO_LETTERS 128u	/* maximum, including a NUL */

struct prio_column {
	const struct prio_field *field;	/* a field with a letter */
	bool right;		/* blanks before the value, not after it */
	/* bytes, to which values are cut and padded; 0: as wide as the value */
	uint16_t width;
	uint16_t suffix_bytes;
	const char *suffix;	/* text up to the next column, part of the format */
};

struct prio_format {
	const char *prefix;	/* text before the first column */
	size_t prefix_bytes;
	struct prio_column columns[PRIO_COLUMNS];
	size_t n;
};

struct prio_row {		/* a job in one of its partitions */
	uint32_t job_number;
	uint32_t row;		/* index in the list */
	uint32_t k;		/* index of the partition */
	/* enum fl_list, or ROW_LOOKED_UP: the index in the list is not known */
	uint8_t list;
};

#define ROW_LOOKED_UP UINT8_MAX

struct prio_rows {		/* zero-initialised by the caller */
	struct prio_row *items;
	size_t n, capacity;
};

/* Query. The printers may use `memo` and `rows` and set `no_multifactor` and `error`. */
struct prio {
	const char *columns;	/* -o, NULL: Slurm's default */
	const char *sort;	/* -S, NULL: by job number */
	char *cluster;		/* %c: the cell's name */
	bool is_long, norm, weights, no_header;
	struct format format;
	struct names users, partitions;
	uint32_t *jobs;		/* ascending, without duplicates */
	size_t njobs;		/* 0: all */
	struct memo memo;
	struct prio_rows rows;
	bool needs_ranks;	/* the format contains the rank in the list */
	bool no_multifactor;	/* the cell uses another algorithm */
	int error;		/* -ENOMEM */
};

/*
 * Parse "text%[.][WIDTH]LETTERtext...", the format of sprio's -o. A dot puts the blanks before the
 * value. Return EXIT_OK, or EXIT_USAGE after a message. The format borrows from the text.
 */
int prio_format_parse(struct prio_format *format, const char *text);

/*
 * Write the format that sprio uses without -o. The short formats leave out columns with weight 0.
 * `text` has PRIO_FORMAT_BYTES.
 */
void prio_format_choose(const struct prio *prio, const struct fl_multifactor *multifactor, char *text);

/* Write the letters of all columns. */
void prio_letters(char letters[PRIO_LETTERS]);

/* Compare numbers, for qsort(3). */
int prio_number_order(const void *a, const void *b);

/* Check -S. Return EXIT_OK, or EXIT_USAGE after a message. */
int prio_sort_check(const char *sort);

/*
 * Collect the selected rows, sorted, in prio->rows. The array is emptied first and kept for the
 * next section. Return 0 or -ENOMEM.
 */
int prio_rows_collect(struct prio *prio, const struct fl_view *view, const struct fl_multifactor *multifactor);
/* Read the factors of a row. Return 0 or -ENOENT. */
int prio_row_factors(const struct fl_view *view, const struct prio_row *row, struct fl_factors *factors);

/*
 * Return the priority, not limited and not cut to whole numbers. It is the sum of the factors, or
 * the value set by an operator.
 */
double prio_sum(const struct fl_factors *factors);

/*
 * Cut or pad the text between start and end; width 0 leaves it unchanged. There is room for `width`
 * bytes. Return the new end.
 */
char *prio_justify(char *start, char *end, size_t width, bool right);

/* Printers: section_print functions whose context is the struct prio. */
int prio_table(const struct fl_view *view, struct out *out, void *prio);
int prio_json(const struct fl_view *view, struct out *out, void *prio);

#endif
