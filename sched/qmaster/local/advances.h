/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Advance reservations of the local cell: qrsub(1).
 *
 * They are kept in the store. Memory has what a turn needs of them, read with each snapshot.
 * advances.c begins and ends reservations by the date. reserve.c handles the requests.
 *
 * A reservation that is over or was deleted is in state d. Its pending jobs are deleted, some in
 * each turn, and its running jobs are ended. When its last job is gone, the reservation is removed.
 */
#ifndef SCHED_QMASTER_LOCAL_ADVANCES_H
#define SCHED_QMASTER_LOCAL_ADVANCES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "conf/base/error.h"

struct local;
struct client;

struct local_advance {
	uint32_t number;
	char *owner;
	uid_t uid;
	int64_t submission_time, start_time, end_time;	/* epoch seconds */
	bool begun;			/* the start was reported to the scheduler */
	bool deleted;
	json_t *reservation;		/* remaining members of advance_reservation */
};

struct local_advances {
	struct local_advance *items;	/* by number */
	size_t n;
	/* time of the next search for jobs of deleted reservations */
	uint64_t look_ns;
};

void local_advances_free(struct local_advances *advances);
/*
 * Read all reservations from the store into memory and report them to the scheduler, as part of a
 * snapshot.
 */
int report_advances(struct local *local, struct error *error);
/* Begin and end reservations that are due, and end the jobs of those that are over. */
void advances_due(struct local *local);
uint64_t advances_due_ns(const struct local *local);

/* NULL: not found */
struct local_advance *local_advance_find(const struct local *local, uint32_t number);
/* Add a reservation and take ownership of its members. */
int local_advance_add(struct local *local, struct local_advance *advance, struct error *error);
/* Mark a reservation as deleted. */
int local_advance_delete(struct local *local, struct local_advance *advance, struct error *error);
/* Return whether a job of the reservation has started. */
bool local_advance_runs(const struct local *local, const struct local_advance *advance);
/*
 * Check whether this user's job may request its advance reservation, and whether its run time fits
 * (reserve.c). `request` has the members of the job. Returns 0, -EINVAL or -EPERM.
 */
int local_advance_check_job(struct local *local, const struct client *client, json_t *request, struct error *error);

#endif
