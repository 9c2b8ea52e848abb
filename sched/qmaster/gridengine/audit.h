/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comparison of a run of the built-in scheduler with a run of ours on the same state. Compared are
 * the starts in their order, and the numbers that qstat -ext -urg -pri prints, digit by digit.
 * There is no I/O and no clock here. shadow.c fills in the audit, and audit_line.c writes the
 * result.
 */
#ifndef SCHED_QMASTER_GRIDENGINE_AUDIT_H
#define SCHED_QMASTER_GRIDENGINE_AUDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers in the order of qstat's columns. */
enum audit_number {
	AUDIT_PRIO,
	AUDIT_NTCKTS,
	AUDIT_NURG,
	AUDIT_NPPRIOR,
	AUDIT_URG,
	AUDIT_RRCONTR,
	AUDIT_WTCONTR,
	AUDIT_DLCONTR,
	AUDIT_TCKTS,
	AUDIT_OTCKT,
	AUDIT_FTCKT,
	AUDIT_STCKT,
	AUDIT_SHARE,
	AUDIT_NUMBERS
};

/* Start of a task, by the built-in scheduler (theirs) or by ours. */
struct audit_start {
	uint32_t job_number, task;
	char *text;			/* "17.1 all.q@a=2 all.q@b=1 pe=mpi"; owned */
	/* theirs: number of its first event */
	uint32_t event;
	int64_t start_time;		/* theirs: epoch seconds */
	/* theirs: another event or a later start time separates it from the previous start */
	bool apart;
};

struct audit_starts {			/* in the order of the orders */
	struct audit_start *items;
	size_t n;
};

struct audit_row {			/* a running task or a pending job */
	uint32_t job_number, task;	/* task 0: pending */
	double values[AUDIT_NUMBERS];
};

/* A number that is printed differently. */
struct audit_difference {
	uint32_t job_number, task;
	enum audit_number number;
	double theirs, ours;
	const char *defect;		/* name of a known defect of 8.1.9; NULL: none */
};

struct audit {				/* zero-initialise */
	int64_t now;			/* time of their run, epoch seconds */
	struct audit_starts theirs, ours;
	size_t agreeing;		/* number of equal starts at the beginning */
	/* The starts at `agreeing` differ; one of them may be missing. */
	bool starts_differ;
	/* Pending reason in our run of the first different start; "" */
	char why[200];
	const char *skipped;		/* reason why the run is not comparable; NULL: it is */
	/*
	 * Numbers compared, numbers that differ, and those of them that are explained by known
	 * defects.
	 */
	uint64_t numbers, differing, defects;
	/*
	 * The largest difference without a known defect, or else the largest of all. Valid if any
	 * number differs.
	 */
	struct audit_difference worst;
};

/* Add a start with a copy of its text. -ENOMEM. */
int audit_start_add(struct audit_starts *starts, const struct audit_start *start, const char *text);
const struct audit_start *audit_start_find(const struct audit_starts *starts, uint32_t job_number);

/*
 * Return how many of their starts belong to their first run. Starts of several runs may have been
 * read together. The first run contains the starts that agree with ours. It ends at the nearest
 * start with `apart`. `certain` is set if no other event came among the starts that agree.
 */
size_t audit_run_end(const struct audit *audit, bool *certain);
/* Forget the starts from number `n` on. */
void audit_starts_cut(struct audit_starts *starts, size_t n);

/* Set agreeing and starts_differ. */
void audit_starts_compare(struct audit *audit);

/*
 * Compare one row. A number differs if it is printed differently. `tickets`: compare the tickets,
 * too. `held_up`: the row is an array with running tasks. 8.1.9 clears the numbers of an array that
 * -tc holds up; this is the known defect cleared-by-tc.
 */
void audit_row_compare(struct audit *audit, const struct audit_row *theirs, const struct audit_row *ours, bool tickets,
		       bool held_up);

/*
 * Return the column name of a number, or print the number like qstat. `text` has room for 32 bytes.
 */
const char *audit_number_name(enum audit_number number);
void audit_number_print(enum audit_number number, double value, char text[32]);

bool audit_is_equal(const struct audit *audit);	/* except for known defects */
void audit_clear(struct audit *audit);

#endif
