/* SPDX-License-Identifier: Apache-2.0 */
/* What a shadow has found, run by run, and in sum. */
#ifndef CLI_QMASTER_AUDIT_H
#define CLI_QMASTER_AUDIT_H

#include "sched/cli/cli.h"
#include "sched/qmaster/gridengine/audit_line.h"

#define AUDIT_DEFECTS 16		/* names that are counted */

struct audit_run_kept {			/* a run that is told of in the sum; texts are owned */
	struct audited run;
	char *text;			/* that its texts point into */
};

struct audit_sum {			/* zero-initialise */
	uint64_t runs, skipped, different, known;	/* of the different ones: by known defects alone */
	uint64_t theirs, ours, agreeing;		/* starts, of runs that can be compared */
	uint64_t numbers, differing, defects;
	uint64_t odd;					/* lines that are none */
	int64_t from, until;				/* epoch seconds */
	struct audit_run_kept first;			/* that differs; text NULL: none does */
	struct audit_run_kept farthest; /* with the number that is farthest off, not by a defect if there is one */
	double distance;
	struct {
		char name[32];
		uint64_t runs;
	} named[AUDIT_DEFECTS];				/* up to the first without a name */
};

/* A run more. -ENOMEM. */
int audit_sum_add(struct audit_sum *sum, const struct audited *run);
void audit_sum_free(struct audit_sum *sum);

/* Local times. A line of a run; all in sum. */
void audit_print_run(struct out *out, const struct audited *run);
void audit_print_sum(struct out *out, const struct audit_sum *sum, const char *journal);

/* The same in JSON. */
void audit_json_run(struct out *out, const struct audited *run, bool follows);
void audit_json_sum(struct out *out, const struct audit_sum *sum, const char *journal);

#endif
