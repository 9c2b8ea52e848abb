/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting times of tasks that have started since this process began. A run shows only tasks that
 * have not ended, so the exporter compares the started tasks of successive runs. A started task
 * that is not in the previous run has just started.
 *
 * Tasks that had started before the first observed run are not counted. Tasks that appear long
 * after their start are not counted either: a restarted scheduler receives such tasks. A task that
 * starts and ends between two observed runs is missed. `skipped` counts the runs that were not
 * observed. A task that is restarted counts again, with its waiting time since its submission.
 */
#ifndef SCHED_METRICS_STARTS_H
#define SCHED_METRICS_STARTS_H

#include <stdbool.h>

#include "conf/base/text_set.h"
#include "sched/metrics/buckets.h"
#include "sched/metrics/exposition.h"
#include "sched/reader/fairlead.h"

struct starts_cell { /* started tasks of a queue and a project */
	uint32_t queue, project; /* numbers in the sets of names */
	uint64_t counts[BUCKETS_MOST + 1]; /* counts by bucket, not cumulated */
	struct exemplar exemplars[BUCKETS_MOST + 1];
	double sum; /* seconds */
	int64_t created; /* epoch seconds: first start of this cell */
};

struct start_key {
	uint32_t job_number, task;
};

struct task_start { /* a started task that is not in the previous run */
	struct start_key key;
	uint32_t queue, project;
	double wait; /* seconds */
};

struct starts { /* zero-initialise, then set `limits` */
	const struct buckets *limits;
	struct text_set queues, projects;
	struct starts_cell *cells;
	size_t ncells, capacity;
	struct index index; /* cells by queue and project */
	uint32_t *keys;
	/* started tasks of the last observed run; of the current run */
	struct start_key *seen, *next;
	size_t nseen, nnext, seen_capacity, next_capacity;
	struct task_start *fresh;
	size_t nfresh, fresh_capacity;
	bool has_baseline;
	uint64_t generation, run; /* last observed */
	int64_t now; /* clock of that run, epoch seconds */
	uint32_t scheduler_pid;
	uint64_t skipped; /* runs that were not observed */
};

/*
 * Observe the newest run if it was not observed yet. Returns 0, -ESTALE if the section was evicted
 * (nothing is counted), or -ENOMEM.
 */
int starts_observe(struct starts *starts, struct fl_cell *cell);

void starts_write(const struct starts *starts, struct exposition *page);
void starts_free(struct starts *starts);

#endif
