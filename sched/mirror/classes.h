/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ticket classes: jobs alike in owner, project, department, -js and -ot, and the objects they refer
 * to; and alike in who HTCondor's accountant takes them to be from.
 */
#ifndef SCHED_MIRROR_CLASSES_H
#define SCHED_MIRROR_CLASSES_H

#include "sched/mirror/objects.h"
#include "sched/mirror/pool.h"

struct class_key {			/* string ids, held by the class; NONE = none */
	uint32_t owner, project, department, account;
	/* HTCondor's; the group is the one of nice users where the job said no more than that */
	uint32_t accounting_group, accounting_group_user, uid_domain;
	uint32_t jobshare, override_tickets;
};

struct classes {
	struct strings *strings;
	struct pool pool;
	struct ticket_class *items;	/* by class */
	/* by class: differs from that of every other class that had this number */
	uint64_t *made, nmade;
	size_t capacity;
	struct objects *objects;	/* by kind; borrowed */
	/* a user object was made automatically since this was last cleared */
	bool new_user;
};

void classes_create(struct classes *classes, struct strings *strings, struct objects *objects);
void classes_destroy(struct classes *classes);

struct class_texts {			/* the same in words: NULL or "" = none */
	const char *owner, *project, *department, *account;
	const char *accounting_group, *accounting_group_user, *uid_domain;
	uint32_t jobshare, override_tickets;
};

/*
 * The number of a class, held once more. UINT32_MAX: no memory. What it is held for may still be
 * refused: only classes_admit(), once it is not, makes its owner a user where the cell wants that.
 * It has room.
 */
uint32_t classes_hold(struct classes *classes, const struct class_texts *texts);
void classes_admit(struct classes *classes, const struct cell *cell, uint32_t id);
/*
 * Make the owner (a string) a user if there is none of this name, where the cell says enforce_user
 * auto, sge_conf(5). Call after classes_hold() or when the object is there: no memory is needed then.
 */
void classes_enforce_user(struct classes *classes, const struct cell *cell, uint32_t owner);
/* A user (number of the object) exists as one that was made automatically. */
void classes_make_user(struct classes *classes, uint32_t user, uint32_t oticket, uint32_t fshare);
void classes_hold_again(struct classes *classes, uint32_t id);
void classes_drop(struct classes *classes, uint32_t id);
const struct class_key *classes_key(const struct classes *classes, uint32_t id);

/* A new configuration: objects may have come and gone. */
void classes_reload(struct classes *classes, const struct cell *cell);

#endif
