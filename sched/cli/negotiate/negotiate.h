/* SPDX-License-Identifier: Apache-2.0 */
/* fairlead negotiate: the last negotiation cycle, phase by phase. */
#ifndef CLI_NEGOTIATE_NEGOTIATE_H
#define CLI_NEGOTIATE_NEGOTIATE_H

#include "conf/base/error.h"
#include "sched/cli/options.h"

struct negotiation_query {
	struct format format;
	bool dry;
	const char *cell;
	/* Results. */
	bool no_userprio;		/* the cell uses another algorithm */
	struct error error;		/* error of --dry, "" */
};

section_print negotiate_print;	/* negotiate/print.c */
section_print negotiate_json;	/* negotiate/json.c */

/*
 * Long-term shares that result from the priority factors if submitters always have jobs. The share
 * of a submitter in its group is proportional to 1/sqrt(factor), since a user's real priority
 * follows its usage.
 */
struct long_run {
	double *sums;			/* indexed by group */
	size_t n;
};
/* Compute the sums. Return 0, or -ENOMEM with a message in query->error. */
int long_run_begin(struct long_run *run, const struct fl_view *view, struct negotiation_query *query);
double long_run_part(const struct long_run *run, const struct fl_submitter *submitter);	/* 0..1 */
void long_run_end(struct long_run *run);

/* negotiate/dry.c: print the next cycle, if no event happens before it. */
section_print negotiate_dry;

#endif
