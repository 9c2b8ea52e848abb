/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines of Grid Engine's file `schedule`, which list what a run has booked, when and where
 * (MONITOR=1 in params of sched_conf(5)). This code only makes text in memory; the process writes
 * it to the file. NULL instead of lines: no lines are made, at the cost of a comparison.
 *
 *     struct schedule_lines lines = { 0 };
 *     schedule_begin(&lines);
 *         ::::::::
 *     schedule_add(&lines, &task, SCHEDULE_PE, "fu", "slots", 3)
 *         13:1:RUNNING:1795272078:671:P:fu:slots:3.000000
 *     schedule_add(&lines, &task, SCHEDULE_QUEUE, "bulk.q@ada", "slots", 1)
 *     fwrite(lines.text, 1, lines.length, file)
 *
 * The order of the lines, as recorded from Grid Engine:
 *
 *   tasks       first the running tasks (RUNNING), in the order of the job list, then the
 *               suspended ones (SUSPENDED); both before any decision. Then the decisions in the
 *               order in which they are made, from the head of the pending list on: STARTING and
 *               RESERVING. A waiting task without a reservation has no line. With
 *               max_reservation 0 only objects that an advance reservation uses have lines.
 *   of a task   P, once: the PE's slots, all that were granted.
 *               G, once: each consumable in complex_values of "global", times all slots.
 *               Then for each entry of the granted list in its order, master queue first:
 *                   H, the consumables of the entry's host, then Q, those of the queue instance,
 *                      each times the entry's slots;
 *                   L, for each enabled quota set the limits of the matching rule, as written.
 *                      Sets are in the order of the file, but sets in which running tasks count
 *                      come after the others, by the last start of these tasks.
 *   resources   in the order of complex_values; a queue instance always has "slots". A
 *               consumable counted by job (JOB) appears once, at the first entry. A resource
 *               that the task does not need has no line.
 *   L lines     have the name of the quota set as object, and as resource the key of the count,
 *               "user/project/pe/queue/host/".
 *
 * Durations are in seconds, including DURATION_OFFSET. A task without end is shown to end at
 * 4294967295. A task that should have ended is assumed to end one schedule_interval from now.
 */
#ifndef SCHED_DISPATCH_SCHEDULE_H
#define SCHED_DISPATCH_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCHEDULE_BYTES_MAX (64u << 20)	/* limit of a run's lines; further lines are left out */

enum schedule_state { SCHEDULE_RUNNING, SCHEDULE_SUSPENDED, SCHEDULE_STARTING, SCHEDULE_RESERVING };
enum schedule_level {
	SCHEDULE_PE = 'P',
	SCHEDULE_GLOBAL = 'G',
	SCHEDULE_HOST = 'H',
	SCHEDULE_QUEUE = 'Q',
	SCHEDULE_QUOTA = 'L'
};

struct schedule_task {
	uint32_t job_number, task;	/* task of a job that is not an array: 1 */
	enum schedule_state state;
	int64_t start;			/* seconds since 1970 */
	uint32_t duration;		/* seconds; UINT32_MAX: without end */
};

struct schedule_lines {			/* zero-initialise */
	char *text;			/* complete lines */
	size_t length, capacity;
	/* Memory was exhausted, or the lines exceed SCHEDULE_BYTES_MAX. */
	bool incomplete;
};

void schedule_free(struct schedule_lines *lines);

/* Begin a run: discard the previous lines and write a line of colons. */
void schedule_begin(struct schedule_lines *lines);

/* Append a line. Never fails; sets `incomplete` if lines are missing. */
void schedule_append(struct schedule_lines *lines, const struct schedule_task *task, enum schedule_level level,
		     const char *object, const char *resource, double amount);

static inline void schedule_add(struct schedule_lines *lines, const struct schedule_task *task,
				enum schedule_level level, const char *object, const char *resource, double amount)
{
	if (lines)
		schedule_append(lines, task, level, object, resource, amount);
}

/*
 * schedule_grant.c: Write the lines of a grant, unless `lines` is NULL or bookings are not kept in
 * time. schedule_seconds() returns a duration as these lines show it.
 */
struct category;
struct grant;
struct supply;
void schedule_grant(struct schedule_lines *lines, const struct supply *supply, const struct category *category,
		    const struct grant *grant, const struct schedule_task *task);
uint32_t schedule_seconds(int64_t end, int64_t begin);

#endif
