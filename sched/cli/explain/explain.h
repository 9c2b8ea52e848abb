/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairlead explain: reasons of jobs' priorities and positions, every number down to its inputs.
 * Results of sched/explain/ are printed for people (explain/text.c) or programs (explain/json.c).
 */
#ifndef CLI_EXPLAIN_EXPLAIN_H
#define CLI_EXPLAIN_EXPLAIN_H

#include "conf/base/error.h"
#include "sched/cli/options.h"
#include "sched/explain/explanation.h"

struct job_operand {			/* JOB, JOB.TASK, or a name or pattern of names */
	const char *name;		/* NULL: a number was typed */
	uint32_t job, task;		/* task 0: not named */
};

struct wanted_explanation {
	uint32_t job, task;		/* task 0: not named */
	/* Results. */
	int rc;
	struct error error;
};

struct explain_query {
	bool json, exact;
	bool no_place, no_start, advice, no_advice, when, no_when;
	uint32_t run_s;			/* run time of tasks without a limit, 0: forever */
	const char *cell;
	struct job_operand *operands;
	size_t noperands;
	/* Results. */
	struct wanted_explanation *jobs;
	size_t njobs;
	const char *nobody;		/* name that matches no job */
	int rc;				/* result of the whole run */
	struct error error;
};

/*
 * Parse an operand. The word is borrowed. Return an exit code, after a message that begins with the
 * verb.
 */
int explain_operand(const char *verb, const char *word, struct job_operand *operand);

/* Print one explanation. `is_first`: none precedes. In JSON, its object stays open. */
void explain_text(struct out *out, const struct explanation *explanation, bool exact, bool is_first);
void explain_json(struct out *out, const struct explanation *explanation, bool is_first);

#endif
