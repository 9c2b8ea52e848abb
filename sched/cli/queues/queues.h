/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Query and result of fairlead queues: queues/queues.c options, queues/select.c selection of
 * instances, queues/list.c -f and the jobs below, queues/sum.c -g c and the table with bars,
 * queues/xml.c, queues/json.c.
 */
#ifndef CLI_QUEUES_QUEUES_H
#define CLI_QUEUES_QUEUES_H

#include "sched/cli/cluster/cluster.h"
#include "sched/cli/cluster/instance_jobs.h"
#include "sched/cli/options.h"
#include "sched/cli/stat/lines.h"

struct queue_row {			/* a selected instance */
	uint32_t number;		/* index of fl_instances() */
	struct fl_instance instance;
};

struct queues {
	bool full, summary;		/* -f, -g c */
	bool attributes;		/* -F */
	struct names resources;		/* resources of -F, empty: all */
	bool nonempty;			/* -ne */
	struct names patterns;		/* patterns of -q */
	char *queue_list, *resource_list;	/* values of -q and -l as typed, NULL */
	/*
	 * Selection and format of the jobs of the users of -u, if any: -s, -r, -ext, -pri, -urg, -g
	 * d, -g t, -xml.
	 */
	struct job_listing jobs;
	struct requests_wanted wanted;	/* requests of -l */
	const char *states, *explain;	/* letters of -qs and -explain, NULL */

	/* Valid in a section. */
	struct cluster_cell cell;
	struct found_values found;
	struct placed_jobs placed;
	struct queue_row *rows;		/* sorted by seq_no, queue, host */
	size_t nrows;
	int error;
	bool nothing;			/* the run has no instance */
	const char *unknown;		/* name that does not exist, and the kind of its object */
	const char *unknown_kind;
	enum message_reason unknown_reason;
	struct cluster_known known;
};

/* Find the rows. Return an exit code, with a message. *any: there is something to print. */
int queues_begin(struct queues *queues, const struct fl_view *view, bool *any);
void queues_end(struct queues *queues);

struct queue_sum {			/* a cluster queue */
	const char *name;
	double load;			/* sum over all instances that report a load */
	uint32_t loads, instances;
	/*
	 * Slots. available: free slots of open instances. busy and closed: slots of instances in
	 * these conditions.
	 */
	uint64_t used, reserved, available, total, busy, closed;
	uint64_t by_letter[11];		/* QUEUE_LETTERS */
};
#define QUEUE_LETTERS "sASCuadDcoE"

/* Return the sums, sorted by name. The caller frees them. NULL: memory is exhausted. */
struct queue_sum *queues_sum(const struct queues *queues, size_t *n);
/*
 * Call queues_begin(), then queues_sum() if there are instances. *sums is NULL without instances or
 * memory.
 */
int queues_begin_sums(struct queues *queues, const struct fl_view *view, struct queue_sum **sums, size_t *n);

/*
 * queues/list.c: print the jobs of an instance, and after all instances the pending and finished
 * jobs.
 */
void queues_jobs(struct queues *queues, struct out *out, const struct fl_view *view, uint32_t instance,
		 spread_print *print, void *context);
void queues_jobs_after(struct queues *queues, struct out *out, const struct fl_view *view, row_print *print,
		       void *context);
/*
 * Print why an instance is in alarm, like qstat -explain: "alarm hl:np_load_avg=1.5
 * load-threshold=1".
 */
void queues_alarm_text(struct out *o, const struct fl_alarm *alarm, void (*text)(struct out *o, const char *text));
#define QUEUES_AMBIGUOUS "configuration ambiguous: several host groups say something else for this host"
#define QUEUES_IN_ERROR "queue in error state: the qmaster's log has the job that failed here"
/* Return whether -F selects this attribute. */
bool queues_shows(const struct queues *queues, const struct found_value *attribute);

section_print queues_list, queues_names, queues_table, queues_picture, queues_xml, queues_json;

#endif
