/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a generation holds of the cluster: tables of sched/run/records.h, as dispatch saw it at the
 * end of the run. None of them has a record where the scheduler does not dispatch. What hosts have
 * reported is in STATE_LOADS of records_state.h.
 */
#ifndef SCHED_RUN_RECORDS_CLUSTER_H
#define SCHED_RUN_RECORDS_CLUSTER_H

#include <stdint.h>

#include "shm/layout.h"

struct record_slice {				/* of another table, next to each other */
	uint32_t first, count;
};

/* TABLE_EXEC_HOSTS: "global" first, then by name */
struct exec_host_record {
	double load_avg, np_load_avg;		/* scaled; < 0: not reported */
	uint32_t name;				/* string id */
	uint32_t told;				/* of STATE_HOSTS; NONE */
	uint32_t available;			/* 0 or 1 */
	/* 1: nothing was told, and its file has load_values */
	uint32_t loads_of_file;
	struct record_slice resources;		/* TABLE_RESOURCES */
};

enum shown_instance_flags {			/* of a queue: what of qtype it has */
	SHOWN_BATCH = 1, SHOWN_INTERACTIVE = 2, SHOWN_PARALLEL = 4, SHOWN_CHECKPOINT = 8
};

struct shown_instance_record {			/* TABLE_INSTANCES: in Grid Engine's list order */
	double seq_no;
	uint32_t name, queue;			/* string ids: queue@host, queue */
	uint32_t host;				/* TABLE_EXEC_HOSTS; NONE: the cell has no such queue */
	uint32_t flags;				/* enum shown_instance_flags */
	uint32_t slots, used, reserved;		/* reserved: by advance reservations, now */
	char state[16];				/* letters in qstat's order, NUL-terminated */
	struct record_slice resources;		/* TABLE_RESOURCES, without `slots` */
	struct record_slice alarms;		/* TABLE_ALARMS */
	uint32_t pad;
};

struct resource_record {			/* TABLE_RESOURCES: a consumable of an object */
	double total, used;
	uint32_t name;				/* string id: of the complex */
	uint32_t pad;
};

enum alarm_kind { ALARM_LOAD, ALARM_SUSPEND };
enum alarm_origin { ORIGIN_NONE, ORIGIN_LOAD, ORIGIN_FIXED, ORIGIN_CONSUMABLE };

struct alarm_record {				/* TABLE_ALARMS: a threshold that is crossed */
	double value;				/* 0: none, or it is a text */
	uint32_t name, limit;			/* string ids */
	uint32_t text;				/* string id: of the value; NONE: it is a number */
	uint16_t kind, origin;			/* enum alarm_kind, alarm_origin */
	uint32_t level;				/* enum level */
	uint32_t pad;
};

enum { QUOTA_PARTS = 5 };			/* users, projects, pes, queues, hosts */

struct quota_use_record {			/* TABLE_QUOTAS: a limit of which something is used */
	double limit, used;
	uint32_t set, rule;			/* string ids; the rule's name or number */
	uint32_t resource;			/* string id: of the complex */
	uint32_t text;				/* string id: instead of `limit`; NONE */
	/*
	 * string ids: the one that is counted; else what the filter says, as written, and NONE:
	 * there is no such filter
	 */
	uint32_t parts[QUOTA_PARTS];
	uint32_t counted;			/* bits: which of them are counted one by one */
	uint32_t number;			/* of the limit, in the order of the file */
	uint32_t pad;
};

#endif
