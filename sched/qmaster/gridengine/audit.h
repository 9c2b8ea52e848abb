/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a run of the built-in scheduler decided, against what ours decides about the same state: the
 * starts in their order, and the numbers that qstat -ext -urg -pri prints, digit by digit. No I/O
 * and no clock: shadow.c fills it, audit_line.c writes what came out.
 */
#ifndef SCHED_QMASTER_GRIDENGINE_AUDIT_H
#define SCHED_QMASTER_GRIDENGINE_AUDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In the order of qstat's columns. */
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

struct audit_start {			/* of a task, by either of them */
	uint32_t job_number, task;
	char *text;			/* "17.1 all.q@a=2 all.q@b=1 pe=mpi"; owned */
	/*
	 * theirs: number of its first event, when; since the one before, something else has
	 * happened
	 */
	uint32_t event;
	int64_t start_time;		/* epoch seconds */
	bool apart;
};

struct audit_starts {			/* in the order of the orders */
	struct audit_start *items;
	size_t n;
};

struct audit_row {			/* a task that runs, or a job that waits */
	uint32_t job_number, task;	/* task 0: it waits */
	double values[AUDIT_NUMBERS];
};

/* One number that is printed otherwise. */
struct audit_difference {
	uint32_t job_number, task;
	enum audit_number number;
	double theirs, ours;
	const char *defect;		/* a known one of 8.1.9, by its name; NULL: none */
};

struct audit {				/* zero-initialise */
	int64_t now;			/* of their run, epoch seconds */
	struct audit_starts theirs, ours;
	size_t agreeing;		/* starts, from the first one on */
	bool starts_differ;		/* those at `agreeing`: one of the two may be missing */
	char why[200];			/* what ours says of the first that differs; "" */
	const char *skipped;		/* not comparable, for this reason; NULL: it is */
	/* numbers held against each other, those that differ, of these by a known defect */
	uint64_t numbers, differing, defects;
	/*
	 * the one that is farthest off, of those that no defect explains, else of all; valid if any
	 * differ
	 */
	struct audit_difference worst;
};

/* With a copy of its text. -ENOMEM. */
int audit_start_add(struct audit_starts *starts, const struct audit_start *start, const char *text);
const struct audit_start *audit_start_find(const struct audit_starts *starts, uint32_t job_number);

/*
 * Several runs of theirs may have been seen together. Which of their starts are of the first one,
 * as ours has it: those that agree with it, as far as ours goes, if what follows is apart from
 * them.
 * How many; `certain`: nothing else has happened among them.
 */
size_t audit_run_end(const struct audit *audit, bool *certain);
/* Forget those from this one on. */
void audit_starts_cut(struct audit_starts *starts, size_t n);

/* Fills agreeing and starts_differ. */
void audit_starts_compare(struct audit *audit);

/*
 * One row of both: a number counts as different if it is printed so. `tickets`: those are told,
 * too. `held_up`: it is an array of which tasks run; 8.1.9 clears the numbers of one that -tc holds
 * up, which is a known defect, cleared-by-tc.
 */
void audit_row_compare(struct audit *audit, const struct audit_row *theirs, const struct audit_row *ours, bool tickets,
		       bool held_up);

/* As qstat prints it, the name of its column. `text` has room for 32 bytes. */
const char *audit_number_name(enum audit_number number);
void audit_number_print(enum audit_number number, double value, char text[32]);

bool audit_is_equal(const struct audit *audit);	/* but for known defects */
void audit_clear(struct audit *audit);

#endif
