/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of a shadow, run by run and in sum. */
#ifndef CLI_QMASTER_AUDIT_H
#define CLI_QMASTER_AUDIT_H

#include "sched/cli/cli.h"
#include "sched/qmaster/gridengine/audit_line.h"

#define AUDIT_DEFECTS 16		/* names that are counted */

struct audit_run_kept {			/* a run that the sum reports, with owned texts */
	struct audited run;
	char *text;			/* memory of its texts */
};

struct audit_sum {			/* zero-initialised by the caller */
	/* `known`: different runs that known defects explain completely */
	uint64_t runs, skipped, different, known;
	uint64_t theirs, ours, agreeing;		/* starts, in runs that can be compared */
	uint64_t numbers, differing, defects;
	uint64_t odd;					/* lines that could not be parsed */
	int64_t from, until;				/* epoch seconds */
	/* first run that differs; text NULL: none */
	struct audit_run_kept first;
	/* run with the largest difference of a number; one that no defect explains is preferred */
	struct audit_run_kept farthest;
	double distance;
	struct {
		char name[32];
		uint64_t runs;
	} named[AUDIT_DEFECTS];				/* valid up to the first without a name */
};

/* Add a run. Return 0 or -ENOMEM. */
int audit_sum_add(struct audit_sum *sum, const struct audited *run);
void audit_sum_free(struct audit_sum *sum);

/* Print the line of a run, and the sum. Times are local. */
void audit_print_run(struct out *out, const struct audited *run);
void audit_print_sum(struct out *out, const struct audit_sum *sum, const char *journal);

/* Write a run, and the sum, as JSON. */
void audit_json_run(struct out *out, const struct audited *run, bool follows);
void audit_json_sum(struct out *out, const struct audit_sum *sum, const char *journal);

#endif
