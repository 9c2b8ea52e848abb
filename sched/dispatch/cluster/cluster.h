/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cluster in a run: queue instances and their hosts, and what each offers of each complex. The
 * configured part is computed when files or instances change. Loads, bookings and states are set at
 * the beginning of each run, and the run adds the bookings of its own job starts.
 *
 * Instances with the same configuration share a profile. Each complex is a column, with one offer
 * per object at three levels.
 */
#ifndef SCHED_DISPATCH_CLUSTER_CLUSTER_H
#define SCHED_DISPATCH_CLUSTER_CLUSTER_H

#include "conf/calendar.h"
#include "conf/cell.h"
#include "sched/dispatch/timeline/timeline.h"

/* Value used for INFINITY of a consumable, so that sums remain finite. */
#define LARGEST_NEED 0x1p50

enum level { LEVEL_GLOBAL, LEVEL_HOST, LEVEL_QUEUE, LEVELS };

struct offer {				/* values of a complex on one object */
	const char *fixed_text;		/* configured; NULL: not configured */
	const char *load_text;		/* reported; NULL: not reported */
	/* The number. For a consumable: the capacity, less what is used outside of jobs. */
	double fixed;
	double configured;		/* capacity as configured */
	double load;			/* reported number, scaled */
	/* Booked amount. For an exclusive complex: by jobs that request it. */
	double used;
	double shared;			/* for an exclusive complex: slots of the other jobs */
	uint32_t used_line, shared_line;	/* used and shared in time; TIMELINE_EMPTY */
	uint64_t listed;		/* bookings.c: last run that has listed it */
};

struct column {
	const struct complex *complex;
	uint32_t consumable;		/* index into cluster.consumables; NONE */
	double slot_load;		/* job_load_adjustments per slot; 0 */
	/* Like slot_load, but 0 if load_adjustment_decay_time is 0. */
	double adjustment;
	/* np_: the adjustment is divided by the host's processors */
	bool per_processor;
	bool is_slots, is_text;
	struct offer global;
	/* `instances` is NULL if no queue has the complex */
	struct offer *hosts, *instances;
	bool hosts_configured;		/* some host has it in complex_values */
	bool hosts_offer;		/* some host has it in complex_values or reports it */
};

/* Entry of subordinate_list: queue_conf(5). */
struct subordinate_queue {
	uint32_t queue;			/* index into cell->queues */
	/* used slots at which the queue is suspended; 0: all slots */
	uint32_t slots;
};

struct queue_profile {			/* configuration of a queue on some of its hosts */
	const char **values;		/* key: the values of the attributes in the profile */
	const struct queue *queue;
	double seq_no;
	bool batch, interactive;
	struct strlist pe_list, ckpt_list, user_lists, xuser_lists, projects, xprojects;
	struct pairs load_thresholds, suspend_thresholds, complex_values;
	uint32_t nsuspend, suspend_interval;
	struct subordinate_queue *subordinates;
	size_t nsubordinates;
};

struct exec_host {
	const char *name;
	const struct host_conf *conf;	/* NULL: the cell has no such host */
	bool available;
	uint32_t first_instance;	/* first of the list by `next_on_host`; NONE */
	uint32_t processors;		/* load value num_proc; at least 1 */
	/* Load correction factor in percent: sched_conf(5), load_adjustment_decay_time. */
	uint32_t correction;
};

enum instance_state {
	INSTANCE_OPEN,			/* in the queue list */
	/* Full, subordinated in this run, or closed by a calendar: only for reservations. */
	INSTANCE_ASIDE,
	INSTANCE_OUT
};

struct queue_instance {
	const char *name;		/* queue@host */
	uint32_t queue;			/* index into cell->queues */
	uint32_t host;
	uint32_t profile;
	const struct calendar *calendar;	/* NULL: none */
	uint32_t next_on_host;		/* or NONE */
	const char *letters;		/* letters of its state */
	enum instance_state state;
	bool was_overloaded;		/* overloaded after a job start of this run */
	/* suspended by another queue since a job start of this run */
	bool is_subordinated;
	uint32_t reported;		/* number in the mirror */
};

struct load_text {			/* a load value as reported */
	const char *name, *value;
};

struct host_loads {
	const struct load_text *values;
	size_t n;
};

#define GLOBAL_HOST UINT32_MAX

struct cluster {
	const struct cell *cell;	/* borrowed */
	struct exec_host *hosts;
	size_t nhosts;
	struct queue_instance *instances;
	size_t ninstances;
	uint32_t *list;			/* instances in Grid Engine's list order, in this run */
	size_t nlist;
	const char **queue_names, **host_names;	/* indexed by queue and host number */
	uint32_t *by_name;		/* hosts sorted by name */
	uint32_t *by_reported;		/* instances by number in the mirror; NONE */
	size_t nreported, given;
	struct queue_profile *profiles;
	size_t nprofiles;
	struct column *columns;
	size_t ncolumns;
	uint32_t *column_of;		/* column per complex; NONE: not needed */
	/* Consumable columns that are configured anywhere. Any job may use them by default. */
	uint32_t *consumables;
	size_t nconsumables;
	/* Columns of FORCED complexes that are configured anywhere. */
	uint32_t *forced;
	size_t nforced;
	uint32_t slots;			/* column of `slots` */
	uint32_t correction;		/* correction of the global host */
	struct host_loads *loads, global_loads;	/* load values of this run, per host */
	struct host_loads *file_loads, global_file_loads;
	const struct host_conf *global_host;	/* configuration; NULL */
	/*
	 * Show values as reported and configured, for display: without load adjustments for recent
	 * job starts, and without the correction for use of consumables outside of jobs.
	 */
	bool as_reported;
	struct timelines timelines;	/* bookings of offers */
	/* Bookings of PEs and quotas. Reservations are not tried at their changes. */
	struct timelines limits;
};

struct reported_instance {			/* an instance of the mirror, in list order */
	const char *name, *letters;
	uint32_t slots, reported;	/* `reported`: number in the mirror */
	bool available;			/* availability of its host */
};

/*
 * Create a cluster from the cell and the names of the instances. Slots, states and loads are set in
 * each run. Instances of queues that the cell does not have are left out. Return 0 or -ENOMEM; call
 * cluster_destroy() in both cases.
 */
int cluster_create(struct cluster *cluster, const struct cell *cell, const struct reported_instance *instances,
		   size_t n);
void cluster_destroy(struct cluster *cluster);

/* Check whether a cluster was created from this cell and these instances. */
bool cluster_is_of(const struct cluster *cluster, const struct cell *cell, const struct reported_instance *instances,
		   size_t n);
/*
 * Begin a run without bookings. States and slots are set from `instances`, which are those of the
 * creation, now in list order. Loads are those of the hosts' files until cluster_load() replaces
 * those of a host. Texts are borrowed until the next run. `keeps`: bookings in time stay.
 * cluster_ready() ends the preparation; after it offers have their loads. Return 0.
 */
int cluster_begin(struct cluster *cluster, const struct reported_instance *instances, size_t n, bool keeps);
/* Set the load values of a host. GLOBAL_HOST: of the cluster. */
void cluster_load(struct cluster *cluster, uint32_t host, const struct load_text *values, size_t n);
int cluster_ready(struct cluster *cluster);

/* Set the state of an instance that a calendar closes now, unless its letters show it already. */
void instance_close(struct queue_instance *instance, enum calendar_state state);

/*
 * Return the column of a complex. A new column is created with the loads of this run. NONE: memory
 * is exhausted.
 */
uint32_t cluster_column(struct cluster *cluster, const struct complex *complex);

/*
 * Make sure that the complex with this name has a column. NULL or unknown names are ignored. Return
 * 0 or -ENOMEM.
 */
int cluster_name(struct cluster *cluster, const char *name);

/*
 * Return the number of an instance's cluster queue in the cell, or cell->nqueues if there is none.
 */
uint32_t cluster_queue_number(const struct cell *cell, const char *instance);
/* Return the number of a host. NONE: not found. */
uint32_t cluster_host(const struct cluster *cluster, const char *name);
/* Return the instance with this number in the mirror, or NONE. */
uint32_t cluster_instance(const struct cluster *cluster, uint32_t reported);

/* Values */
/* Return the offer of an object. NULL: no object of this level offers the complex. */
static inline struct offer *column_offer(struct column *column, enum level level, uint32_t object)
{
	if (level == LEVEL_GLOBAL)
		return &column->global;
	if (level == LEVEL_HOST)
		return column->hosts_offer ? &column->hosts[object] : NULL;
	return column->instances ? &column->instances[object] : NULL;
}

/* Return which of two values of a complex counts on one object. */
double cluster_stricter(enum complex_relop relop, double fixed, double load);

/*
 * Get the number that an object offers of a complex, with adjusted load. False: nothing. For
 * consumables it is the amount left.
 */
bool cluster_value(const struct cluster *cluster, const struct column *column, enum level level, uint32_t object,
		   double *value);

/* Return the load value with its adjustment. */
double cluster_load_value(const struct cluster *cluster, const struct column *column, const struct offer *offer,
			  enum level level, uint32_t host);

/* Return the sort value of a host: sched_conf(5), load_formula. */
double cluster_host_value(const struct cluster *cluster, uint32_t host);

#endif
