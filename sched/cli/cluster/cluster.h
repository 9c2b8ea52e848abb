/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What hosts and queues have in common: the cell's files where they are needed, attributes of hosts
 * and queue instances, jobs by queue instance.
 */
#ifndef CLI_CLUSTER_CLUSTER_H
#define CLI_CLUSTER_CLUSTER_H

#include "conf/cell.h"
#include "sched/cli/cli.h"
#include "sched/cli/names.h"

/*
 * The cell as the run had it, out of the published run. 0; -ENODATA, -EPROTO, -ENOMEM; -EACCES: the
 * cell has files that not all may read who may read the run. cluster_cell_free() in any case.
 */
struct cluster_cell {			/* zero-initialise */
	struct cell cell;
	struct cell_files files;
	bool loaded;
};
int cluster_cell_load(struct cluster_cell *cell, const struct fl_view *view);
void cluster_cell_free(struct cluster_cell *cell);

/*
 * Whether a parallel job's own process has no slot of its own: job_is_first_task of the parallel environment is FALSE. An environment that
 * is not known counts it as the first task.
 */
bool cluster_extra_slave(const struct cluster_cell *cell, const char *granted_pe);

/* After a section: what went wrong with it, and with what else was read. An exit code. */
int cluster_failed(const char *cell, int error);
/* Why there are neither hosts nor queues in the run. */
int cluster_nothing(const char *cell);

/* "names": list of what there is, for messages, cut where it gets long. */
struct cluster_known {
	char text[400];
	size_t n;
};
void cluster_know(struct cluster_known *known, const char *name);

/*
 * Does a list of -q mean this queue instance? queue, queue@host, @host and patterns of them;
 * @@group.
 */
bool cluster_queue_is(const struct names *patterns, const struct fl_instance *instance, const struct cell *cell);
/* Is one of them about a host group? Then the cell is needed. */
bool cluster_queue_groups(const struct names *patterns);

/* Attributes */

struct found_value {			/* as qhost -F and qstat -F show it */
	const char *name;
	enum complex_type type;
	enum fl_level level;
	enum fl_origin source;
	double value;			/* of a number */
	const char *text;		/* of a text; NULL: it is a number */
};

struct found_values {			/* zero-initialise; used again and again */
	struct found_value *items;
	size_t n, capacity;
	char *held;			/* texts that are neither the cell's nor the run's */
	bool totals;			/* of consumables all that there is, not what is left */
};

/*
 * What there is of a host, or (`instance` not NULL, by its number) of a queue instance on it, in
 * Grid Engine's order. -ENOMEM.
 */
int attributes_of(struct found_values *values, const struct fl_view *view, const struct cell *cell, size_t host,
		  const size_t *instance);
const struct found_value *attribute_find(const struct found_values *values, const struct cell *cell, const char *name);
void attributes_free(struct found_values *values);
/* "hl:np_load_avg=1.020000"; whole numbers without decimals if `integers`, as qstat has them. */
void attribute_put(struct out *out, const struct found_value *value, bool integers);
/* Return "hl": at which level, and where the value is from. */
const char *attribute_origin(const struct found_value *value);
/* Write the value alone, for XML. */
void attribute_xml(struct out *out, const struct found_value *value, bool integers);
/* A number as its type is written. */
void attribute_value(char text[64], enum complex_type type, double value, bool integers);

struct requests_wanted {		/* -l name=value,...; zero-initialise */
	struct wanted {
		char *name, *text;
		double value;
	} *items;
	size_t n;
};
/* Cuts the word, in place. An exit code, after a message. */
int wanted_add(struct requests_wanted *requests, const char *verb, char *word);
/* That the cell has such complexes, and the values are theirs. EXIT_OK, or after a message. */
int wanted_check(struct requests_wanted *requests, const char *verb, const struct cell *cell);
bool wanted_fits(const struct requests_wanted *requests, const struct found_values *values, const struct cell *cell);

/* Jobs by queue instance */

struct placed {				/* slots of a started task in a queue instance */
	uint32_t instance, row;		/* of fl_instances(); of FL_STARTED */
	uint32_t slots;
	bool master;
};

struct placed_jobs {			/* zero-initialise */
	struct placed *items;		/* by instance, in the order of rows */
	size_t n;
};
int placed_find(struct placed_jobs *jobs, const struct fl_view *view, const struct names *users);	/* -ENOMEM */
/* Those of an instance. */
const struct placed *placed_of(const struct placed_jobs *jobs, size_t instance, size_t *n);
void placed_free(struct placed_jobs *jobs);

#endif
