/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions about the jobs, tasks, instances and hosts of the active state, for rooms that are not
 * part of a run. Rows and pointers are valid until the next event. Questions about usage are in
 * usage.h.
 */
#ifndef SCHED_MIRROR_QUERIES_H
#define SCHED_MIRROR_QUERIES_H

#include "sched/mirror/requests.h"
#include "sched/mirror/state.h"

struct mirror;

const struct cell *mirror_cell(const struct mirror *mirror);
/* Return a string by its id; "" for NONE. */
const char *mirror_text(const struct mirror *mirror, uint32_t id);

/* Jobs */
/* Return the row of a job. INDEX_NONE: no such job. */
uint32_t mirror_active_row(const struct mirror *mirror, uint32_t job_number);
bool mirror_job_is_present(const struct mirror *mirror, uint32_t job_number);
size_t mirror_job_count(const struct mirror *mirror);
/* Return the owner of a job. NULL: no such job. */
const char *mirror_job_owner(const struct mirror *mirror, uint32_t job_number);
/*
 * Walk over all jobs in the order of the list. Set *place to 0 before the first call. Returns a
 * row; INDEX_NONE after the last one.
 */
uint32_t mirror_next_job(const struct mirror *mirror, size_t *place);
/* Return the cost of a walk: the number of jobs, and of gaps in the list. */
size_t mirror_walk_steps(const struct mirror *mirror);

/* Properties of a job by its row */
uint32_t mirror_row_number(const struct mirror *mirror, uint32_t row);
const char *mirror_row_name(const struct mirror *mirror, uint32_t row);
int64_t mirror_row_submission(const struct mirror *mirror, uint32_t row);
bool mirror_row_is_pending(const struct mirror *mirror, uint32_t row);
const struct request_key *mirror_row_request(const struct mirror *mirror, uint32_t row);
/* Return the extra record. NULL: the job has none. */
const struct job_extra *mirror_row_extra(const struct mirror *mirror, uint32_t row);
/*
 * Return the class of the job. Classes are numbers below mirror_classes_end(). The owner of a class
 * without jobs is NULL.
 */
uint32_t mirror_row_class(const struct mirror *mirror, uint32_t row);
uint32_t mirror_classes_end(const struct mirror *mirror);
const char *mirror_class_owner(const struct mirror *mirror, uint32_t class_id);

/* Started tasks */
/* Return a task. NULL: it is not started. */
const struct task *mirror_find_task(const struct mirror *mirror, uint32_t job_number, uint32_t id);
/* Return the first task of a job, or the one after `task`, by id. NULL: none. */
const struct task *mirror_first_task(const struct mirror *mirror, uint32_t row);
const struct task *mirror_next_task(const struct mirror *mirror, const struct task *task);
/* Return the number of a task, which is small and stays the same while it is started. */
uint32_t mirror_task_number(const struct mirror *mirror, const struct task *task);
/* Return the numbers of tasks, with keys of row and id. */
struct pool *mirror_task_pool(const struct mirror *mirror);

/* Queue instances and slots, in the order of the state */
size_t mirror_instance_count(const struct mirror *mirror);
const struct instance *mirror_instance(const struct mirror *mirror, size_t i);
const char *mirror_instance_name(const struct mirror *mirror, size_t i);
/* Return an instance. NULL: not found. */
const struct instance *mirror_find_instance(const struct mirror *mirror, const char *name);

/* Hosts and advance reservations */
bool mirror_reports_hosts(const struct mirror *mirror);
/* Return the reported values of a host. NULL: none. */
const struct reported_host *mirror_find_host(const struct mirror *mirror, const char *name);
/* Return an array of all reservations and set *n. */
const struct advance_reservation *mirror_advances(const struct mirror *mirror, size_t *n);

#endif
