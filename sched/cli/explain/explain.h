/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairlead explain: why jobs stand where they stand, every number down to its inputs. What comes
 * from sched/explain/ is printed for people (explain/text.c) or programs (explain/json.c).
 */
#ifndef CLI_EXPLAIN_EXPLAIN_H
#define CLI_EXPLAIN_EXPLAIN_H

#include "conf/base/error.h"
#include "sched/cli/options.h"
#include "sched/explain/explanation.h"

struct job_operand {			/* JOB, JOB.TASK, or a name or pattern of names */
	const char *name;		/* NULL: it is a number: */
	uint32_t job, task;		/* task 0: none was named */
};

struct wanted_explanation {
	uint32_t job, task;		/* task 0: none was named */
	/* found */
	int rc;
	struct error error;
};

struct explain_query {
	bool json, exact;
	bool no_place, no_start, advice, no_advice, when, no_when;
	uint32_t run_s;			/* of tasks without a limit; 0: for ever */
	const char *cell;
	struct job_operand *operands;
	size_t noperands;
	/* found */
	struct wanted_explanation *jobs;
	size_t njobs;
	const char *nobody;		/* a name that no job has */
	int rc;				/* of the run as a whole */
	struct error error;
};

/* Read an operand. The word is borrowed. An exit code, after a message beginning with the verb. */
int explain_operand(const char *verb, const char *word, struct job_operand *operand);

/* One explanation. `is_first`: none was printed before. In JSON its object is left open. */
void explain_text(struct out *out, const struct explanation *explanation, bool exact, bool is_first);
void explain_json(struct out *out, const struct explanation *explanation, bool is_first);

#endif
