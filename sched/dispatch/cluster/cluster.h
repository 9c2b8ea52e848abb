/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cluster as a run sees it: queue instances and their hosts, and what each offers of which
 * complex. What the files say is worked out once, when files or instances change; loads, bookings
 * and states are put in at the beginning of each run, and the run books its own starts here.
 *
 * Instances that are configured alike share a profile. Complexes are columns: one offer per object,
 * at three levels.
 */
#ifndef SCHED_DISPATCH_CLUSTER_CLUSTER_H
#define SCHED_DISPATCH_CLUSTER_CLUSTER_H

#include "conf/calendar.h"
#include "conf/cell.h"
#include "sched/dispatch/timeline/timeline.h"

/* what INFINITY of a consumable is taken for: sums of it stay numbers */
#define LARGEST_NEED 0x1p50

enum level { LEVEL_GLOBAL, LEVEL_HOST, LEVEL_QUEUE, LEVELS };

struct offer {				/* what an object has of a complex */
	const char *fixed_text;		/* configured; NULL: it is not */
	const char *load_text;		/* reported; NULL: it is not */
	/* the number; a consumable's capacity, less what others than jobs use of it */
	double fixed;
	double configured;		/* the capacity as configured */
	double load;			/* the number, scaled */
	/* booked; of an exclusive one: by jobs that request it for themselves */
	double used;
	double shared;			/* of an exclusive one: slots of the other jobs */
	uint32_t used_line, shared_line;	/* the same in time; TIMELINE_EMPTY */
	uint64_t listed;		/* bookings.c: the last run that has told of it */
};

struct column {
	const struct complex *complex;
	uint32_t consumable;		/* its number in cluster.consumables; NONE */
	double slot_load;		/* of job_load_adjustments for a slot; 0 */
	/* the same, but 0 if it is forgotten at once: load_adjustment_decay_time */
	double adjustment;
	/* np_: the adjustment is shared among the host's processors */
	bool per_processor;
	bool is_slots, is_text;
	struct offer global;
	struct offer *hosts, *instances;	/* `instances` NULL: no queue has it */
	bool hosts_configured;		/* some host's complex_values have it */
	bool hosts_offer;		/* the same, or some host reports it */
};

/* an entry of subordinate_list: queue_conf(5) */
struct subordinate_queue {
	uint32_t queue;			/* of cell->queues */
	uint32_t slots;			/* used ones that suspend it; 0: all that there are */
};

struct queue_profile {			/* a queue as it is configured on some of its hosts */
	const char **values;		/* of the attributes that make the difference: the key */
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
	uint32_t first_instance;	/* the others by `next_on_host`; NONE */
	uint32_t processors;		/* load value num_proc; at least 1 */
	/* load correction factor in percent: sched_conf(5), load_adjustment_decay_time */
	uint32_t correction;
	double value;			/* of load_formula, now */
	double ranked;			/* as the last renumbering saw it */
	uint32_t stamp;			/* of the last walk that came here */
	uint32_t reviewed;		/* the last start that looked at it */
};

enum instance_state {
	INSTANCE_OPEN,			/* in the queue list */
	/* full, subordinated in this run, or closed by calendar: for reservations only */
	INSTANCE_ASIDE,
	INSTANCE_OUT
};

struct queue_instance {
	const char *name;		/* queue@host */
	uint32_t queue;			/* of cell->queues */
	uint32_t host;
	uint32_t profile;
	const struct calendar *calendar;	/* NULL: it has none */
	uint32_t next_on_host;		/* NONE */
	const char *letters;		/* of its state */
	enum instance_state state;
	bool was_overloaded;		/* once in this run, after a start */
	bool is_subordinated;		/* suspended by another queue, since a start of this run */
	/* ranking.c: of its host, when it was set aside; 1 + d->renumberings when it came back, 0 */
	uint32_t number, came_back;
	unsigned char tag;		/* of a search: search/tag.h */
	uint32_t tag_search;		/* its number; of an earlier one, or 0: not tagged */
	uint32_t told;			/* its number with the mirror */
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
	uint32_t *list;			/* instances in Grid Engine's list order, of this run */
	size_t nlist;
	const char **queue_names, **host_names;	/* by their numbers */
	uint32_t *by_name;		/* hosts in the order of their names */
	uint32_t *by_told;		/* instances by their numbers with the mirror; NONE */
	size_t ntold, given;
	struct queue_profile *profiles;
	size_t nprofiles;
	struct column *columns;
	size_t ncolumns;
	uint32_t *column_of;		/* by complex; NONE: nothing needs it */
	/* columns that are consumable and configured anywhere: each job may use them by default */
	uint32_t *consumables;
	size_t nconsumables;
	/* columns of FORCED complexes that are configured anywhere */
	uint32_t *forced;
	size_t nforced;
	uint32_t slots;			/* the column of `slots` */
	uint32_t correction;		/* of the global host */
	struct host_loads *loads, global_loads;	/* of this run, by host */
	struct host_loads *file_loads, global_file_loads;
	const struct host_conf *global_host;	/* conf; NULL */
	/*
	 * values are as reported and configured: what was started lately, and what others than jobs
	 * seem to use of consumables, does not count. For who shows them
	 */
	bool as_reported;
	struct timelines timelines;	/* of offers */
	/* of PEs and quotas: no moments to begin a reservation at */
	struct timelines limits;
};

struct told_instance {			/* what the mirror knows, in list order */
	const char *name, *letters;
	uint32_t slots, told;		/* `told`: its number there */
	bool available;			/* its host is */
};

/*
 * From the cell and the names of the instances; slots, states and loads come with each run.
 * Instances of queues that the cell does not have are left out. -ENOMEM. cluster_destroy() in any
 * case.
 */
int cluster_create(struct cluster *cluster, const struct cell *cell, const struct told_instance *instances, size_t n);
void cluster_destroy(struct cluster *cluster);

/*
 * A run begins: nothing is booked, states and slots are as given, loads as in the hosts' files
 * until cluster_load() replaces those of a host. `instances` are those of the creation, now in list
 * order. Texts are borrowed until the next run. cluster_ready() ends the preparation: from then on
 * offers have their loads. -ENOMEM.
 */
bool cluster_is_of(const struct cluster *cluster, const struct cell *cell, const struct told_instance *instances,
		   size_t n);
/* `keeps`: what is booked in time stays. */
int cluster_begin(struct cluster *cluster, const struct told_instance *instances, size_t n, bool keeps);
/* GLOBAL_HOST: of the cluster */
void cluster_load(struct cluster *cluster, uint32_t host, const struct load_text *values, size_t n);
int cluster_ready(struct cluster *cluster);

/* What a calendar makes of an instance now, if that is not what its letters say anyway. */
void instance_close(struct queue_instance *instance, enum calendar_state state);

/*
 * The column of a complex, made if there is none yet, with the loads of this run. NONE: no memory.
 */
uint32_t cluster_column(struct cluster *cluster, const struct complex *complex);

/* That the complex of this name has a column; NULL or unknown: nothing to do. -ENOMEM. */
int cluster_name(struct cluster *cluster, const char *name);

/* The number of an instance's cluster queue in the cell; cell->nqueues: there is none. */
uint32_t cluster_queue_number(const struct cell *cell, const char *instance);
uint32_t cluster_host(const struct cluster *cluster, const char *name);	/* NONE */
/* by its number with the mirror; NONE */
uint32_t cluster_instance(const struct cluster *cluster, uint32_t told);

/* Values */
/* NULL: no object of this level offers it. */
static inline struct offer *column_offer(struct column *column, enum level level, uint32_t object)
{
	if (level == LEVEL_GLOBAL)
		return &column->global;
	if (level == LEVEL_HOST)
		return column->hosts_offer ? &column->hosts[object] : NULL;
	return column->instances ? &column->instances[object] : NULL;
}

/* Which of two values of a complex counts on one object. */
double cluster_stricter(enum complex_relop relop, double fixed, double load);

/*
 * A number: what an object offers of a complex, load adjusted. False: nothing. Consumables: what is
 * left.
 */
bool cluster_value(const struct cluster *cluster, const struct column *column, enum level level, uint32_t object,
		   double *value);

/* The load part of it with its adjustment. */
double cluster_load_value(const struct cluster *cluster, const struct column *column, const struct offer *offer,
			  enum level level, uint32_t host);

/* The sort value of a host: sched_conf(5), load_formula. */
double cluster_host_value(const struct cluster *cluster, uint32_t host);

#endif
