/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Common parts of the verbs about hosts and queues: the cell's files, attributes of hosts and queue
 * instances, and jobs by queue instance.
 */
#ifndef CLI_CLUSTER_CLUSTER_H
#define CLI_CLUSTER_CLUSTER_H

#include "conf/cell.h"
#include "sched/cli/cli.h"
#include "sched/process/names.h"

/*
 * Load the configuration of the run from the published run. Return 0, -ENODATA, -EPROTO, -ENOMEM,
 * or -EACCES if some files of the cell are not readable for all users who may read the run. Call
 * cluster_cell_free() in any case.
 */
struct cluster_cell {			/* zero-initialised by the caller */
	struct cell cell;
	struct cell_files files;
	bool loaded;
};
int cluster_cell_load(struct cluster_cell *cell, const struct fl_view *view);
void cluster_cell_free(struct cluster_cell *cell);

/*
 * Return whether a parallel job's own process has no slot of its own, because job_is_first_task of
 * the parallel environment is FALSE. An unknown environment counts it as the first task.
 */
bool cluster_extra_slave(const struct cluster_cell *cell, const char *granted_pe);

/*
 * Add a message about a failure in a section or in further reading. Return an exit code.
 */
int cluster_failed(struct messages *messages, const char *cell, int error);
/* Add a message why the run has neither hosts nor queues. Return an exit code. */
int cluster_nothing(struct messages *messages, const char *cell);

/* List of existing names for messages, cut when it gets long. */
struct cluster_known {
	char text[400];
	size_t n;
};
void cluster_know(struct cluster_known *known, const char *name);

/*
 * Return whether a list of -q includes this queue instance: queue, queue@host, @host, patterns of
 * them, or @@group.
 */
bool cluster_queue_is(const struct names *patterns, const struct fl_instance *instance, const struct cell *cell);
/* Return whether a pattern names a host group. The cell is needed then. */
bool cluster_queue_groups(const struct names *patterns);

/* Attributes */

struct found_value {			/* value as shown by qhost -F and qstat -F */
	const char *name;
	enum complex_type type;
	enum fl_level level;
	enum fl_origin source;
	double value;			/* value of a number */
	const char *text;		/* value of a text, NULL: it is a number */
};

struct found_values {			/* zero-initialised by the caller; reused */
	struct found_value *items;
	size_t n, capacity;
	char *held;			/* texts owned neither by the cell nor by the run */
	bool totals;			/* total amounts of consumables, not what is left */
};

/*
 * Collect the attributes of a host, or with `instance` (its number) those of a queue instance on
 * it, in Grid Engine's order. Return 0 or -ENOMEM.
 */
int attributes_of(struct found_values *values, const struct fl_view *view, const struct cell *cell, size_t host,
		  const size_t *instance);
void attributes_free(struct found_values *values);
/* Print "hl:np_load_avg=1.020000". `integers`: whole numbers have no decimals, like in qstat. */
void attribute_put(struct out *out, const struct found_value *value, bool integers);
/* Return the level of an attribute and the source of its value, such as "hl". */
const char *attribute_origin(const struct found_value *value);
/* Write the value without its name, for XML. */
void attribute_xml(struct out *out, const struct found_value *value, bool integers);
/* Write a number in the format of its type. */
void attribute_value(char text[64], enum complex_type type, double value, bool integers);

struct requests_wanted {		/* -l name=value,...; zero-initialised by the caller */
	struct wanted {
		char *name, *text;
		double value;
	} *items;
	size_t n;
};
/* Cut the word in place and add the requests. Return an exit code, with a message. */
int wanted_add(struct messages *messages, struct requests_wanted *requests, const char *verb, char *word);
/*
 * Check that the cell has such complexes and that the values have their types. Return EXIT_OK, or
 * an exit code with a message.
 */
int wanted_check(struct messages *messages, struct requests_wanted *requests, const char *verb,
		 const struct cell *cell);
bool wanted_fits(const struct requests_wanted *requests, const struct found_values *values, const struct cell *cell);

/* Jobs by queue instance */

struct placed {				/* slots of a started task in a queue instance */
	uint32_t instance, row;		/* indices of fl_instances() and of FL_STARTED */
	uint32_t slots;
	bool master;
};

struct placed_jobs {			/* zero-initialised by the caller */
	struct placed *items;		/* sorted by instance, then in the order of rows */
	size_t n;
};
/* 0 or -ENOMEM */
int placed_find(struct placed_jobs *jobs, const struct fl_view *view, const struct names *users);
/* Return the slots in an instance. */
const struct placed *placed_of(const struct placed_jobs *jobs, size_t instance, size_t *n);
void placed_free(struct placed_jobs *jobs);

#endif
