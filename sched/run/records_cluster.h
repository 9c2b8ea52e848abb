/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cluster in a generation: tables of sched/run/records.h, as dispatch saw the cluster at the end of
 * the run. All of them are empty if the scheduler does not dispatch. Values that hosts have
 * reported are in STATE_LOADS of records_state.h.
 */
#ifndef SCHED_RUN_RECORDS_CLUSTER_H
#define SCHED_RUN_RECORDS_CLUSTER_H

#include <stdint.h>

#include "shm/layout.h"

struct record_slice {				/* adjacent records of another table */
	uint32_t first, count;
};

/* TABLE_EXEC_HOSTS: "global" first, then by name */
struct exec_host_record {
	double load_avg, np_load_avg;		/* scaled; < 0: not reported */
	uint32_t name;				/* string id */
	uint32_t reported;				/* index in STATE_HOSTS; NONE */
	uint32_t available;			/* 0 or 1 */
	/* 1: nothing was reported, and the host's file has load_values */
	uint32_t loads_of_file;
	struct record_slice resources;		/* TABLE_RESOURCES */
};

enum shown_instance_flags {			/* values of qtype that the queue has */
	SHOWN_BATCH = 1, SHOWN_INTERACTIVE = 2, SHOWN_PARALLEL = 4, SHOWN_CHECKPOINT = 8
};

struct shown_instance_record {			/* TABLE_INSTANCES: in Grid Engine's list order */
	double seq_no;
	uint32_t name, queue;			/* string ids: queue@host, queue */
	/* TABLE_EXEC_HOSTS; NONE: the cell has no such queue */
	uint32_t host;
	uint32_t flags;				/* enum shown_instance_flags */
	uint32_t slots, used, reserved;		/* reserved: by advance reservations, now */
	char state[16];				/* letters in qstat's order, NUL-terminated */
	struct record_slice resources;		/* TABLE_RESOURCES, without `slots` */
	struct record_slice alarms;		/* TABLE_ALARMS */
	uint32_t pad;
};

struct resource_record {			/* TABLE_RESOURCES: a consumable of an object */
	double total, used;
	uint32_t name;				/* string id: name of the complex */
	uint32_t pad;
};

enum alarm_kind { ALARM_LOAD, ALARM_SUSPEND };
enum alarm_origin { ORIGIN_NONE, ORIGIN_LOAD, ORIGIN_FIXED, ORIGIN_CONSUMABLE };

struct alarm_record {				/* TABLE_ALARMS: a threshold that is crossed */
	double value;				/* 0: none, or the value is a text */
	uint32_t name, limit;			/* string ids */
	uint32_t text;				/* string id: value as text; NONE: it is a number */
	uint16_t kind, origin;			/* enum alarm_kind, alarm_origin */
	uint32_t level;				/* enum level */
	uint32_t pad;
};

enum { QUOTA_PARTS = 5 };			/* users, projects, pes, queues, hosts */

/* TABLE_QUOTAS: a limit that is partly or fully in use */
struct quota_use_record {
	double limit, used;
	uint32_t set, rule;			/* string ids; name or number of the rule */
	uint32_t resource;			/* string id: name of the complex */
	uint32_t text;				/* string id: text instead of `limit`; NONE */
	/*
	 * string ids: object for which the limit is counted; otherwise the filter as written; NONE:
	 * no such filter
	 */
	uint32_t parts[QUOTA_PARTS];
	uint32_t counted;			/* bits: filters that are counted one by one */
	uint32_t number;			/* number of the limit, in the order of the file */
	uint32_t pad;
};

#endif
