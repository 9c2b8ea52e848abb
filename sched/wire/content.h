/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Content of the messages between the scheduler and hosts, in addition to the members of session.h.
 *
 * Names are Grid Engine's.
 *
 *     scheduler -> host
 *         tickets   all tasks of the host that are known to the scheduler:
 *                   [{"job_number":17,"task":1,"start_time":1700000010,"tickets":3000.0}, ...].
 *                   Unless the host knows how to find a task's processes, also
 *                   "session" (process id of the leader), "group" (additional group id) or
 *                   "cgroup" (directory of cgroup v2).
 *     host -> scheduler
 *         usage     cumulative usage of running tasks and of tasks that have ended since the last
 *                   message: [{"job_number":17,"task":1,"start_time":1700000010,"cpu":12.5,
 *                   "mem":0.25,"io":0.001,"vmem":1048576.0,"maxvmem":1048576.0}, ...].
 *                   Units: s, GB s, GB, bytes, bytes
 *         load      {"load_avg":"0.31", ...}
 *         lever, reason   the CPU control mechanism of the host, and why it was selected
 *
 * `start_time` distinguishes a task from an earlier one that was rescheduled under the same number.
 */
#ifndef WIRE_CONTENT_H
#define WIRE_CONTENT_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "conf/base/error.h"

#define WIRE_BYTES (1u << 20)		/* longest message */
#define WIRE_TASKS 8192u		/* most tasks of a host, and of a report */
#define WIRE_REPORT 2048u		/* tasks that always fit into one report, with all loads */
#define WIRE_LOADS 256u
#define WIRE_TEXT 160			/* bytes of names and values, including the NUL */
#define WIRE_CGROUP 512

struct wire_task {
	uint32_t job_number, task;	/* >= 1 */
	int64_t start_time;		/* epoch seconds; 0: not known */
	double tickets;			/* 0 .. 1e30 */
	pid_t session;			/* > 1; 0: processes are not found by session */
	/* >= 100, as in gid_range of sge_conf(5); 0: processes are not found by group */
	gid_t group;
	char cgroup[WIRE_CGROUP];	/* "": processes are not found by cgroup */
};

struct wire_usage {
	uint32_t job_number, task;
	int64_t start_time;
	double cpu, mem, io, vmem, maxvmem;	/* 0 .. 1e30 */
};

struct wire_load {
	char name[WIRE_TEXT], value[WIRE_TEXT];
};

/* Zero-initialized. The reader owns the arrays and frees them with wire_report_free(). */
struct wire_report {
	struct wire_usage *usage;
	size_t nusage;
	struct wire_load *load;
	size_t nload;
	char lever[WIRE_TEXT], reason[WIRE_TEXT];	/* "": not reported */
};

/*
 * Write the array of `tickets` as text, without jansson: thousands of hosts may be sent their
 * tickets at the same time.
 *
 * Returns the number of bytes without a NUL, -EMSGSIZE if `room` is too small, or -EINVAL if the
 * name of a cgroup is not UTF-8.
 */
ssize_t wire_tickets_write(char *to, size_t room, const struct wire_task *tasks, size_t n);
/* Add the members of a report to the message. Returns 0 or -ENOMEM. */
int wire_report_pack(json_t *message, const struct wire_report *report);

/*
 * Read the tasks or the report of a message.
 *
 * Returns -EINVAL if a value has the wrong type or is out of range, -E2BIG if there are too many
 * items, or -ENOMEM. After an error there is nothing to free.
 */
int wire_tickets_unpack(const json_t *array, struct wire_task **tasks, size_t *n, struct error *error);
int wire_report_unpack(const json_t *message, struct wire_report *report, struct error *error);
void wire_report_free(struct wire_report *report);

#endif
