/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What fairlead queues is asked for, and what it finds: queues/queues.c options, queues/select.c which
 * instances, queues/list.c -f and the jobs below, queues/sum.c -g c and the picture for people, queues/xml.c, queues/json.c.
 */
#ifndef CLI_QUEUES_QUEUES_H
#define CLI_QUEUES_QUEUES_H

#include "sched/cli/cluster/cluster.h"
#include "sched/cli/cluster/instance_jobs.h"
#include "sched/cli/options.h"
#include "sched/cli/stat/lines.h"

struct queue_row {			/* an instance that is meant */
	uint32_t number;		/* of fl_instances() */
	struct fl_instance instance;
};

struct queues {
	bool full, summary;		/* -f, -g c */
	bool attributes;		/* -F */
	struct names resources;		/* of it; none: all */
	bool nonempty;			/* -ne */
	struct names patterns;		/* of -q */
	char *queue_list, *resource_list;	/* of -q and -l, as they were written; NULL */
	/* jobs of the users of -u, if there are any: -s, -r, -ext, -pri, -urg, -g d, -g t, -xml */
	struct stat jobs;
	struct requests_wanted wanted;	/* of -l */
	const char *states, *explain;	/* letters of -qs, -explain; NULL */

	/* in a section */
	struct cluster_cell cell;
	struct found_values found;
	struct placed_jobs placed;
	struct queue_row *rows;		/* by seq_no, queue, host */
	size_t nrows;
	int error;
	bool nothing;			/* the run shows none */
	const char *unknown;		/* a name that is none, and of what: */
	const char *unknown_kind;
	struct cluster_known known;
};

/* Finds the rows. An exit code, after a message. *any: there is something to print. */
int queues_begin(struct queues *queues, const struct fl_view *view, bool *any);
void queues_end(struct queues *queues);

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
struct queue_sum *queues_sum(const struct queues *queues, size_t *n);

/* queues/list.c: the jobs of an instance, and after all of them the pending and finished ones. */
void queues_jobs(struct queues *queues, struct out *out, const struct fl_view *view, uint32_t instance,
		 spread_print *print, void *context);
void queues_jobs_after(struct queues *queues, struct out *out, const struct fl_view *view, row_print *print,
		       void *context);
/* "alarm hl:np_load_avg=1.5 load-threshold=1": why an instance is in that state, as qstat -explain has it. */
void queues_alarm_text(struct out *o, const struct fl_alarm *alarm, void (*text)(struct out *o, const char *text));
#define QUEUES_AMBIGUOUS "configuration ambiguous: several host groups say something else for this host"
#define QUEUES_IN_ERROR "queue in error state: the qmaster's log has the job that failed here"
/* Whether -F asks for this attribute. */
bool queues_shows(const struct queues *queues, const struct found_value *attribute);

section_print queues_list, queues_names, queues_table, queues_picture, queues_xml, queues_json;

#endif
