/* SPDX-License-Identifier: Apache-2.0 */
/* The last negotiation cycle, phase by phase: fairlead negotiate. */
#ifndef CLI_NEGOTIATE_NEGOTIATE_H
#define CLI_NEGOTIATE_NEGOTIATE_H

#include "conf/base/error.h"
#include "sched/cli/options.h"

struct negotiation_query {
	struct format format;
	bool dry;
	const char *cell;
	/* found */
	bool no_userprio;		/* the algorithm is another one */
	struct error error;		/* of --dry; "" */
};

section_print negotiate_print;	/* negotiate/print.c */
section_print negotiate_json;	/* negotiate/json.c */

/*
 * What the priority factors lead to where submitters always have work: parts of what their group
 * has, in proportion to 1/sqrt(factor), since a user's real priority follows its use.
 */
struct long_run {
	double *sums;			/* by group */
	size_t n;
};
/* -ENOMEM, which q->error says. */
int long_run_begin(struct long_run *run, const struct fl_view *view, struct negotiation_query *query);
double long_run_part(const struct long_run *run, const struct fl_submitter *submitter);	/* 0..1 */
void long_run_end(struct long_run *run);

/* negotiate/dry.c: prints the cycle that would come next if nothing happened until then. */
section_print negotiate_dry;

#endif
