/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a run has booked, when and where: the lines of Grid Engine's file `schedule` (MONITOR=1 in
 * params of sched_conf(5)). Only text in memory is made here; the process writes it out. NULL
 * instead of lines: nobody wants to know, and it costs a comparison.
 *
 *     struct schedule_lines lines = { 0 };
 *     schedule_begin(&lines);                                    ::::::::
 *     schedule_add(&lines, &task, SCHEDULE_PE, "fu", "slots", 3)     13:1:RUNNING:1795272078:671:P:fu:slots:3.000000
 *     schedule_add(&lines, &task, SCHEDULE_QUEUE, "bulk.q@ada", "slots", 1)
 *     fwrite(lines.text, 1, lines.length, file)
 *
 * The order, as it has been recorded:
 *
 *   tasks       first those that run (RUNNING), in the order of the job list, then those suspended
 *               (SUSPENDED); both before anything is decided. Then the decisions as they are made,
 *               from the job at the head on: STARTING and RESERVING. A task that waits without a
 *               reservation has no line. With max_reservation 0 there is nothing after the colons
 *               but what is about objects of which an advance reservation keeps something free.
 *   of a task   P, once: the PE's slots, all that were granted.
 *               G, once: for each consumable among complex_values of "global", times all slots.
 *               Then for each entry of the granted list in its order, master queue first:
 *                   H, the consumables of the entry's host, then Q, those of the queue instance,
 *                      each times the entry's slots;
 *                   L, of each enabled quota set the limits of the rule that matches, as written.
 *                      Sets are in the order of the file, but those in which running tasks count
 *                      stand behind the others, by the last of their starts.
 *   resources   in the order of complex_values; of a queue instance there is always "slots". A
 *               consumable counted by job (JOB) stands at the first entry only, once. What the task
 *               needs none of has no line.
 *   L lines     have the name of the quota set as object and as resource the key of the count,
 *               "user/project/pe/queue/host/".
 *
 * The duration is in seconds, DURATION_OFFSET included; what is for ever is shown to end at
 * 4294967295. A task that should have ended is taken to end one schedule_interval from now.
 */
#ifndef SCHED_DISPATCH_SCHEDULE_H
#define SCHED_DISPATCH_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCHEDULE_BYTES_MAX (64u << 20)	/* of a run's lines; the rest of them are left out */

enum schedule_state { SCHEDULE_RUNNING, SCHEDULE_SUSPENDED, SCHEDULE_STARTING, SCHEDULE_RESERVING };
enum schedule_level {
	SCHEDULE_PE = 'P',
	SCHEDULE_GLOBAL = 'G',
	SCHEDULE_HOST = 'H',
	SCHEDULE_QUEUE = 'Q',
	SCHEDULE_QUOTA = 'L'
};

struct schedule_task {
	uint32_t job_number, task;	/* task of a job that is no array: 1 */
	enum schedule_state state;
	int64_t start;			/* epoch seconds */
	uint32_t duration;		/* seconds; UINT32_MAX: for ever */
};

struct schedule_lines {			/* zero-initialise */
	char *text;			/* whole lines */
	size_t length, capacity;
	/* no memory for all of them, or more than SCHEDULE_BYTES_MAX */
	bool incomplete;
};

void schedule_free(struct schedule_lines *lines);

/* A run begins: a line of colons, and nothing of the run before. */
void schedule_begin(struct schedule_lines *lines);

/* Never fails: `incomplete` says that lines are missing. */
void schedule_append(struct schedule_lines *lines, const struct schedule_task *task, enum schedule_level level,
		     const char *object, const char *resource, double amount);

static inline void schedule_add(struct schedule_lines *lines, const struct schedule_task *task,
				enum schedule_level level, const char *object, const char *resource, double amount)
{
	if (lines)
		schedule_append(lines, task, level, object, resource, amount);
}

#endif
