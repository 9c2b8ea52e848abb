/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Usage that the mirror keeps for users, projects and running jobs, for rooms that store or send
 * it. Objects are numbered by kind from 0 and are never removed. Pointers are valid until the next
 * event.
 */
#ifndef SCHED_MIRROR_USAGE_H
#define SCHED_MIRROR_USAGE_H

#include "sched/mirror/ledger.h"
#include "sched/mirror/objects.h"
#include "sched/mirror/state.h"

struct mirror;

/* Objects */
uint32_t mirror_object_count(const struct mirror *mirror, enum sharer_kind kind);
const struct object *mirror_object(const struct mirror *mirror, enum sharer_kind kind, uint32_t number);
/* Return the number of the object of a name. NONE: not found. */
uint32_t mirror_find_object(const struct mirror *mirror, enum sharer_kind kind, const char *name);
/*
 * Return the number of the object of a name, created if new. A new object does not exist in the
 * cell. NONE: no memory.
 */
uint32_t mirror_add_object(struct mirror *mirror, enum sharer_kind kind, const char *name);
/* Return a user's usage in the project of a name. NULL: none. */
const struct usage_in_project *mirror_find_project_usage(const struct mirror *mirror, const struct object *object,
							 const char *project);
/*
 * Return the object of a name, created if new, for the caller to set its usage. A user then exists
 * if enforce_user is auto (sge_conf(5)). NULL: no memory.
 */
struct object *mirror_load_object(struct mirror *mirror, enum sharer_kind kind, const char *name);
/* Return the object's usage in a project, created if new. NULL: no memory. */
struct usage_in_project *mirror_load_project_usage(struct mirror *mirror, struct object *object, const char *project);

/* Values */
const char *mirror_usage_text(const struct mirror *mirror, uint32_t name);
/* Return the number of a name, created if new. UINT32_MAX: no memory. */
uint32_t mirror_usage_name(struct mirror *mirror, const char *text);
/* Return a value by its name. 0: not in the list. */
double mirror_usage_value(const struct mirror *mirror, const struct usage *usage, const char *name);
/* Convert reported values. -ENOMEM changes nothing. */
int mirror_usage_from(struct mirror *mirror, struct usage *usage, const struct usage_values *from);
/*
 * Convert values to reported values, in `items`, which has room for usage->n values. Names are
 * borrowed.
 */
struct usage_values mirror_usage_values(const struct mirror *mirror, const struct usage *usage,
					struct usage_value *items);

/* Jobs */
struct booked_jobs {			/* usage booked for running jobs, by job number */
	const struct debited *items;
	const uint32_t *numbers;
	size_t n;
};
struct booked_jobs mirror_booked_jobs(const struct mirror *mirror);
/* Return the usage booked for a job. NULL: none. */
const struct debited *mirror_find_booked(const struct mirror *mirror, uint32_t job_number);
/*
 * Return the objects of a class or of a job, by kind; TICKETS_NONE: none. NULL: no such job.
 */
const uint32_t *mirror_class_sharers(const struct mirror *mirror, uint32_t class_id);
const uint32_t *mirror_job_sharers(const struct mirror *mirror, uint32_t job_number);
/*
 * Return the objects of a job in the state that events change: the snapshot being received,
 * otherwise the active state.
 */
const uint32_t *mirror_reported_sharers(const struct mirror *mirror, uint32_t job_number);

/* Permanent storage */
/* Return the ledger. NULL: bookings are not stored. */
struct ledger *mirror_ledger(const struct mirror *mirror);
/* Keep a ledger from now on. -ENOMEM. */
int mirror_keep_ledger(struct mirror *mirror, const struct ledger_calls *calls);
/* Clear the notes of the ledger after they have been stored. */
void mirror_stored(struct mirror *mirror);
/* Return the number of reports of an object's usage; each makes earlier bookings obsolete. */
uint64_t mirror_report_count(const struct mirror *mirror);
/* Continue to count from stored reports: no effect if `count` is smaller. */
void mirror_raise_report_count(struct mirror *mirror, uint64_t count);

#endif
