/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Advance reservations of the local cell: qrsub(1). They stand in the store; in memory is what a
 * turn needs of them, read from there with each snapshot. advances.c sees to it that they begin and
 * end, by the date; reserve.c takes the requests.
 *
 * One that is over, or was deleted, is in state d: its jobs are deleted, some in a turn, those that
 * run are told to end, and when the last of them is gone it goes, too.
 */
#ifndef SCHED_QMASTER_LOCAL_ADVANCES_H
#define SCHED_QMASTER_LOCAL_ADVANCES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "conf/error.h"

struct local;
struct client;

struct local_advance {
	uint32_t number;
	char *owner;
	uid_t uid;
	int64_t submission_time, start_time, end_time;	/* epoch seconds */
	bool begun;			/* the scheduler was told */
	bool deleted;
	json_t *reservation;		/* the other members of advance_reservation */
};

struct local_advances {
	struct local_advance *items;	/* by number */
	size_t n;
	uint64_t look_ns;		/* jobs of those that are deleted are looked for again */
};

void local_advances_free(struct local_advances *advances);
/* All of them, from the store, into memory, and to the scheduler: in a snapshot. */
int advances_tell(struct local *local, struct error *error);
/* What begins, what ends, and the jobs of what has ended. */
void advances_due(struct local *local);
uint64_t advances_due_ns(const struct local *local);

struct local_advance *local_advance_find(const struct local *local, uint32_t number);	/* NULL */
/* Takes `a` over. */
int local_advance_add(struct local *local, struct local_advance *advance, struct error *error);
/* It is deleted from now on. */
int local_advance_delete(struct local *local, struct local_advance *advance, struct error *error);
/* Has any job of it started? */
bool local_advance_runs(const struct local *local, const struct local_advance *advance);
/*
 * reserve.c: may this user's job ask for it, for as long as it wants to run? `request`: the members
 * of the job. -EINVAL, -EPERM.
 */
int local_advance_check_job(struct local *local, const struct client *client, json_t *request, struct error *error);

#endif
