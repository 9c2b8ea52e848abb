/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What messages between scheduler and hosts say, beside the members of session.h. Names are Grid
 * Engine's.
 *
 *     scheduler -> host
 *         tickets   all tasks that the host is to know of:
 *                   [{"job_number":17,"task":1,"start_time":1700000010,"tickets":3000.0}, ...], and
 *                   how their processes are found, unless the host knows itself: "session" (process
 *                   id of the leader), "group" (additional group id), "cgroup" (directory of cgroup
 *                   v2)
 *     host -> scheduler
 *         usage     cumulative, of tasks that run or have ended since:
 *                   [{"job_number":17,"task":1,"start_time":1700000010,"cpu":12.5,
 *                   "mem":0.25,"io":0.001,"vmem":1048576.0,"maxvmem":1048576.0}, ...]; s, GB s, GB,
 *                   bytes
 *         load      {"load_avg":"0.31", ...}
 *         lever, reason   by what the host steers, and why by that
 *
 * start_time distinguishes a task from the one that was rescheduled under the same number.
 */
#ifndef WIRE_CONTENT_H
#define WIRE_CONTENT_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "conf/error.h"

#define WIRE_BYTES (1u << 20)		/* longest message */
#define WIRE_TASKS 8192u		/* most tasks of a host, and of a report */
#define WIRE_REPORT 2048u		/* so many are sure to fit into one, with all loads */
#define WIRE_LOADS 256u
#define WIRE_TEXT 160			/* bytes of names and values, with their NUL */
#define WIRE_CGROUP 512

struct wire_task {
	uint32_t job_number, task;	/* >= 1 */
	int64_t start_time;		/* epoch seconds; 0: not known */
	double tickets;			/* 0 .. 1e30 */
	pid_t session;			/* 0: not found by it; else > 1 */
	/* 0: not found by it; else >= 100, as in gid_range of sge_conf(5) */
	gid_t group;
	char cgroup[WIRE_CGROUP];	/* "": not found by it */
};

struct wire_usage {
	uint32_t job_number, task;
	int64_t start_time;
	double cpu, mem, io, vmem, maxvmem;	/* 0 .. 1e30 */
};

struct wire_load {
	char name[WIRE_TEXT], value[WIRE_TEXT];
};

/* zero at first; the arrays are the reader's, wire_report_free() */
struct wire_report {
	struct wire_usage *usage;
	size_t nusage;
	struct wire_load *load;
	size_t nload;
	char lever[WIRE_TEXT], reason[WIRE_TEXT];	/* "": not reported */
};

/*
 * The array of `tickets` as text, without a detour through jansson: there may be thousands of
 * hosts, and all of them are sent theirs at once. Bytes, without a NUL. -EMSGSIZE: it takes more
 * room; -EINVAL: a cgroup's name is no UTF-8.
 */
ssize_t wire_tickets_write(char *to, size_t room, const struct wire_task *tasks, size_t n);
/* Adds its members to the message. -ENOMEM. */
int wire_report_pack(json_t *message, const struct wire_report *report);

/*
 * -EINVAL: a value is not what it should be, or out of range; -E2BIG: too many; -ENOMEM. Nothing is
 * there to be freed then.
 */
int wire_tickets_unpack(const json_t *array, struct wire_task **tasks, size_t *n, struct error *error);
int wire_report_unpack(const json_t *message, struct wire_report *report, struct error *error);
void wire_report_free(struct wire_report *report);

#endif
