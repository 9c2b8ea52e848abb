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

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "conf/base/error.h"
#include "sched/mirror/event.h"
#include "sched/qmaster/members/job_request.h"
#include "sched/qmaster/members/values.h"

struct local;
struct client;

struct local_advance {
	uint32_t number;
	char *owner;
	uid_t uid;
	int64_t submission_time, start_time, end_time;	/* epoch seconds */
	bool begun;			/* the start was reported to the scheduler */
	bool deleted;
	/* requests and granted slots; the members above are not set in it */
	struct advance_event asked;
	struct member_list members;	/* order of the members of `asked` that are set */
	struct error fault;		/* first member that does not have its form; "": none */
	struct values memory;		/* texts; arrays and other texts are in `taking` */
	struct taking taking;
};

struct local_advances {
	struct local_advance *items;	/* by number */
	size_t n;
	/* time of the next search for jobs of deleted reservations */
	uint64_t look_ns;
};

void local_advances_free(struct local_advances *advances);
void local_advance_free(struct local_advance *advance);

/*
 * Set a member of `asked`. The value must live as long as the reservation; a text is copied.
 * Returns 0 or -ENOMEM.
 */
int local_advance_set(struct local_advance *advance, const struct value *value);
int local_advance_set_text(struct local_advance *advance, const char *name, const char *text);
/* Set what the scheduler has granted. Returns 0 or -ENOMEM. */
int local_advance_grant(struct local_advance *advance, const struct granted *items, size_t n, const char *pe);
/* Return the members as they are stored. The caller frees the text. NULL: memory is exhausted. */
char *local_advance_text(const struct local_advance *advance);

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
int local_advance_check_job(struct local *local, const struct client *client, const struct job_request *request,
			    struct error *error);

#endif
