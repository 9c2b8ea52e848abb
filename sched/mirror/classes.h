/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ticket classes: jobs with the same owner, project, department, -js and -ot, and so with the same
 * objects. They also have the same submitter for HTCondor's accountant.
 */
#ifndef SCHED_MIRROR_CLASSES_H
#define SCHED_MIRROR_CLASSES_H

#include "sched/mirror/objects.h"
#include "sched/mirror/pool.h"

struct class_key {			/* string ids, held by the class; NONE: not set */
	uint32_t owner, project, department, account;
	/* HTCondor's; the group is that of nice users if the job set only nice_user */
	uint32_t accounting_group, accounting_group_user, uid_domain;
	uint32_t jobshare, override_tickets;
};

struct classes {
	struct strings *strings;
	struct pool pool;
	struct ticket_class *items;	/* by class */
	/* unique among all classes that had this number, by class */
	uint64_t *made, nmade;
	size_t capacity;
	struct objects *objects;	/* indexed by kind; borrowed */
	/* a user object was created automatically since this was last cleared */
	bool new_user;
};

void classes_create(struct classes *classes, struct strings *strings, struct objects *objects);
void classes_destroy(struct classes *classes);

struct class_texts {			/* the key as texts: NULL or "": not set */
	const char *owner, *project, *department, *account;
	const char *accounting_group, *accounting_group_user, *uid_domain;
	uint32_t jobshare, override_tickets;
};

/*
 * Hold a class and return its number. UINT32_MAX: no memory. The object it is held for may still be
 * refused. classes_admit() is called after acceptance; it creates a user for the owner if the cell
 * requires that, and cannot fail.
 */
uint32_t classes_hold(struct classes *classes, const struct class_texts *texts);
void classes_admit(struct classes *classes, const struct cell *cell, uint32_t id);
/*
 * Create a user for the owner (a string id) if none has this name and enforce_user is auto
 * (sge_conf(5)). After classes_hold(), or when the object exists, this needs no memory.
 */
void classes_enforce_user(struct classes *classes, const struct cell *cell, uint32_t owner);
/* Mark a user (number of the object) as existing and created automatically. */
void classes_make_user(struct classes *classes, uint32_t user, uint32_t oticket, uint32_t fshare);
void classes_hold_again(struct classes *classes, uint32_t id);
void classes_drop(struct classes *classes, uint32_t id);
const struct class_key *classes_key(const struct classes *classes, uint32_t id);

/* Adapt to a new configuration, in which objects may have been added or removed. */
void classes_reload(struct classes *classes, const struct cell *cell);

#endif
