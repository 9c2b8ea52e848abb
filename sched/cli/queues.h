/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What fairlead queues is asked for, and what it finds: queues.c options, queues_select.c which
 * instances, queues_list.c -f, queues_sum.c -g c and the picture for people, queues_json.c.
 */
#ifndef CLI_QUEUES_H
#define CLI_QUEUES_H

#include "sched/cli/cluster.h"
#include "sched/cli/instance_jobs.h"
#include "sched/cli/options.h"

struct queue_row {			/* an instance that is meant */
	uint32_t number;		/* of fl_instances() */
	struct fl_instance instance;
};

struct queues {
	bool full, summary, extended;	/* -f, -g c, -ext */
	bool attributes;		/* -F */
	struct names resources;		/* of it; none: all */
	bool nonempty;			/* -ne */
	struct names patterns;		/* of -q */
	struct names pes, allowed;	/* of -pe, -U */
	struct names users;		/* of -u; none: no jobs */
	struct requests_wanted wanted;	/* of -l */
	const char *states, *explain;	/* letters of -qs, -explain; NULL */
	struct format format;

	/* in a section */
	struct cluster_cell cell;
	struct found_values found;
	struct placed_jobs placed;
	struct queue_row *rows;		/* by seq_no, queue, host */
	size_t nrows;
	struct job_lines lines;
	int error;
	bool nothing;			/* the run shows none */
	const char *unknown;		/* a name that is none, and of what: */
	const char *unknown_kind;
	struct cluster_known known;
};

/* Finds the rows. An exit code, after a message. *any: there is something to print. */
int queues_begin(struct queues *q, const struct fl_view *view, bool *any);
void queues_end(struct queues *q);

enum queue_condition { QUEUE_OPEN, QUEUE_BUSY, QUEUE_CLOSED };	/* aoACDS, cdsuE of qstat -g c */

struct queue_sum {			/* a cluster queue */
	const char *name;
	double load;			/* of all instances that report one */
	uint32_t loads, instances;
	/* slots; available: free in open ones, by condition: of the others */
	uint64_t used, reserved, available, total, busy, closed;
	uint64_t by_letter[11];		/* QUEUE_LETTERS */
};
#define QUEUE_LETTERS "sASCuadDcoE"

enum queue_condition queue_condition(const char *state);
/* By name; the caller frees. NULL: no memory. */
struct queue_sum *queues_sum(const struct queues *q, size_t *n);

section_print queues_list, queues_table, queues_picture, queues_json;

#endif
