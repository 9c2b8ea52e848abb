/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Users, projects and departments: their tickets and shares from the cell, their usage from the
 * qmaster. Usage of a name that is no object (any more) is kept: it counts again when the object
 * comes back.
 */
#ifndef SCHED_MIRROR_OBJECTS_H
#define SCHED_MIRROR_OBJECTS_H

#include "conf/cell.h"
#include "conf/index.h"
#include "sched/mirror/mirror.h"
#include "shm/strings.h"
#include "tickets/tickets.h"
#include "tickets/usage.h"

struct usage_in_project {
	uint32_t project;		/* string id, held */
	struct usage usage, long_term;
};

struct object {
	uint32_t name;			/* string id, held */
	bool exists;			/* in the cell, or made automatically */
	bool is_automatic;
	bool replaced;			/* told since it was last kept: see ledger.h */
	int64_t time_stamp;		/* usage is decayed up to; 0 = never */
	uint64_t told;			/* see mirror.tellings */
	struct usage usage, long_term;
	struct usage_in_project *projects;	/* users only */
	size_t nprojects;
};

struct objects {			/* of one kind */
	struct object *items;
	struct sharer *sharers;		/* what the policies see, by the same number */
	uint32_t *names;		/* string ids, for the index */
	uint32_t *sorted;		/* numbers by name */
	size_t n, capacity;
	struct index by_name;
};

struct usage_names {			/* names of usage values: small numbers, never given back */
	uint32_t *strings;
	size_t n, capacity;
	struct index by_string;
};

void objects_destroy(struct objects *objects, struct strings *strings);

/* Room for one more, so that objects_add() of a name that is held cannot fail. -ENOMEM. */
int objects_reserve(struct objects *objects);
/*
 * The number of a name's object, which is made if new, without existing in the cell. UINT32_MAX: no
 * memory.
 */
uint32_t objects_add(struct objects *objects, struct strings *strings, const char *name);
/* Take the one back that was added last. */
void objects_drop_last(struct objects *objects, struct strings *strings);
/* UINT32_MAX when there is none. */
uint32_t objects_find(const struct objects *objects, uint32_t name);

/* A user's usage in a project (string id), made if new. NULL: no memory. */
struct usage_in_project *object_in_project(struct object *object, struct strings *strings, uint32_t project);
const struct usage_in_project *object_find_project(const struct object *object, uint32_t project);

/*
 * What the qmaster says of somebody's usage, for object_swap_usage(). -ENOMEM; object_free() in any
 * case.
 */
int object_make_usage(struct object *new, struct strings *strings, struct usage_names *names,
		      const struct object_usage *from, uint64_t told);
/* Let go of its usage. */
void object_free(struct object *object, struct strings *strings);

/* Exchange all that object_make_usage() sets. */
void object_swap_usage(struct object *a, struct object *b);

/* The number of a usage name. UINT32_MAX: no memory. */
uint32_t usage_name(struct usage_names *names, struct strings *strings, const char *text);
/* -ENOMEM changes nothing. */
int usage_from(struct usage *to, struct usage_names *names, struct strings *strings, const struct usage_values *from);
/* Take those back that were added last: all but the first n. */
void usage_names_cut(struct usage_names *names, struct strings *strings, size_t n);
void usage_names_free(struct usage_names *names, struct strings *strings);

#endif
