/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Users, projects and departments. Their tickets and shares come from the cell, their usage from
 * the qmaster. Usage of a name that is no longer an object is kept, and counts again if the object
 * is created again.
 */
#ifndef SCHED_MIRROR_OBJECTS_H
#define SCHED_MIRROR_OBJECTS_H

#include "conf/cell.h"
#include "conf/base/index.h"
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
	bool exists;			/* in the cell, or created automatically */
	bool is_automatic;
	bool replaced;			/* reported since it was last stored (ledger.h) */
	int64_t time_stamp;		/* time up to which usage is decayed; 0 = never */
	uint64_t reported;			/* see mirror.report_count */
	struct usage usage, long_term;
	struct usage_in_project *projects;	/* users only */
	size_t nprojects;
};

struct objects {			/* objects of one kind */
	struct object *items;
	struct sharer *sharers;		/* data for the policies, by the same number */
	uint32_t *names;		/* string ids, for the index */
	uint32_t *sorted;		/* numbers by name */
	size_t n, capacity;
	struct index by_name;
};

struct usage_names {			/* names of usage values: small numbers, never reused */
	uint32_t *strings;
	size_t n, capacity;
	struct index by_string;
};

void objects_destroy(struct objects *objects, struct strings *strings);

/* Reserve memory so that objects_add() of a held name cannot fail. -ENOMEM. */
int objects_reserve(struct objects *objects);
/*
 * Return the number of the object of a name. A new object is created, which does not exist in the
 * cell. UINT32_MAX: no memory.
 */
uint32_t objects_add(struct objects *objects, struct strings *strings, const char *name);
/* Remove the object that was added last. */
void objects_drop_last(struct objects *objects, struct strings *strings);
/* Return the number of an object. UINT32_MAX: not found. */
uint32_t objects_find(const struct objects *objects, uint32_t name);

/* Return a user's usage in a project (string id), created if new. NULL: no memory. */
struct usage_in_project *object_in_project(struct object *object, struct strings *strings, uint32_t project);
const struct usage_in_project *object_find_project(const struct object *object, uint32_t project);

/*
 * Convert reported usage of an object for object_swap_usage(). -ENOMEM; call object_free() in any
 * case.
 */
int object_make_usage(struct object *new, struct strings *strings, struct usage_names *names,
		      const struct object_usage *from, uint64_t reported);
/* Free the object's usage. */
void object_free(struct object *object, struct strings *strings);

/* Exchange everything that object_make_usage() sets. */
void object_swap_usage(struct object *a, struct object *b);

/* Return the number of a usage name. UINT32_MAX: no memory. */
uint32_t usage_name(struct usage_names *names, struct strings *strings, const char *text);
/* Convert reported values. -ENOMEM changes nothing. */
int usage_from(struct usage *to, struct usage_names *names, struct strings *strings, const struct usage_values *from);
/* Remove the names that were added last: all except the first n. */
void usage_names_cut(struct usage_names *names, struct strings *strings, size_t n);
void usage_names_free(struct usage_names *names, struct strings *strings);

#endif
