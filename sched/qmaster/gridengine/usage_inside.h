/* SPDX-License-Identifier: Apache-2.0 */
/* What the files about usage share. */
#ifndef SCHED_QMASTER_GRIDENGINE_USAGE_INSIDE_H
#define SCHED_QMASTER_GRIDENGINE_USAGE_INSIDE_H

#include "sched/mirror/tables.h"
#include "sched/qmaster/gridengine/usage.h"
#include "sched/policy/rows.h"
#include "sched/run/run.h"
#include "sched/sched.h"

#define USAGE_KINDS 2u			/* SHARER_USER, SHARER_PROJECT */
#define USAGE_PACKED UINT64_MAX		/* a request that has no number yet */
#define USAGE_ENDS_MOST 500u		/* removals in a packet */

struct usage_given {			/* to a user or project, by his number in the mirror */
	/* orders, by their count: the last one packed, the last one that is known to have had effect */
	uint64_t sent, confirmed;
	uint64_t request;		/* the packet it is in; 0: nothing is on its way */
	uint64_t answered;		/* deliveries so far when that was answered, + 1; 0: it was not */
	uint32_t version;		/* that it named */
	/*
	 * of the usage that it has, or that the qmaster has told, whatever came last, epoch seconds;
	 * 0: nothing did
	 */
	int64_t stamp;
	bool changed;			/* to be given */
	bool follows;			/* with the removal that is being packed */
	bool configured;		/* `configuration` is known */
	uint64_t configuration;		/* a sum over what the qmaster told of it */
	uint32_t jobs, jobs_sent;	/* first of those that have changed, that are on their way; NONE */
};

struct usage_job {			/* what was booked of a job, by its number */
	uint32_t kind, object;		/* whose list has it */
	uint32_t project;		/* number of the object, which was charged, too; NONE */
	/* sums over values, 0: nothing is booked: at the qmaster, on its way there, as it should be */
	uint64_t there, sent, now;
	uint64_t update;		/* the total update that `there` is of */
	uint32_t next, next_sent;	/* of the object's; NONE */
	bool listed, leaving;		/* among those of its object that have changed, that are on their way */
	uint32_t ends;			/* first of its finished tasks; NONE */
};

struct usage_end {			/* a finished task, until it is removed from the qmaster */
	struct usage usage;		/* booked of it */
	uint32_t next;			/* of the same job; NONE */
	uint32_t objects[USAGE_KINDS];	/* who was charged; NONE */
	uint64_t needs[USAGE_KINDS];	/* the order that gives it, as `sent` counts */
	bool booked, safe, reckoned;	/* by a run; not to be lost any more; `needs` is set */
	bool leaving;			/* its removal is on its way */
	uint64_t request, answered;	/* as usage_given's */
	uint64_t update;		/* the last total update that had it, or came before it ended */
};

struct usage_sharers {			/* numbers of objects; NONE */
	uint32_t user, project;
};

struct usage_book {
	struct usage_given *given[USAGE_KINDS];
	size_t ngiven[USAGE_KINDS];
	struct pool job_numbers;	/* uint32_t */
	struct usage_job *jobs;
	size_t jobs_capacity;
	struct pool end_names;		/* struct task_name */
	struct usage_end *ends;
	size_t ends_capacity;
	struct pool ended;		/* struct usage_sharers: of tasks that have ended since the tree was told */
	uint64_t updates, deliveries;	/* so far */
	size_t on_their_way;		/* users and projects with a request */
	uint32_t halftime;		/* that the last run decayed by */
	bool look;			/* something may be ready to be sent */
};

struct usage_book *usage_book(const struct sge *sge);	/* settlement.c */
static inline struct mirror *usage_mirror(const struct sge *sge)
{
	return sge->intake->mirror;
}

/* NULL: no memory. Valid until the next call. */
struct usage_given *usage_given_of(struct sge *sge, uint32_t kind, uint32_t object);
/* Its number; NONE: no memory, or there is none. */
uint32_t usage_job_get(struct usage_book *book, uint32_t number);
uint32_t usage_job_find(const struct usage_book *book, uint32_t number);
/*
 * What is booked of it, but for tasks whose removal is on its way. -ENOMEM; usage_free() in any
 * case.
 */
int usage_job_sum(struct sge *sge, uint32_t job, struct usage *sum);
void usage_job_list(struct sge *sge, uint32_t job);	/* it has changed */
uint64_t usage_hash(const struct usage *usage);		/* 0: nothing but zeros */

uint32_t usage_end_find(const struct usage_book *book, uint32_t job_number, uint32_t task);	/* NONE */
void usage_end_drop(struct usage_book *book, uint32_t end);
/*
 * Of all whom it was charged to the orders are known to have had effect, and nothing is on its way.
 */
bool usage_end_is_given(struct sge *sge, const struct usage_end *end);

/* Nothing of it is on its way any more. */
void usage_given_settle(struct usage_book *book, struct usage_given *given);
void usage_given_failed(struct usage_book *book, struct usage_given *given);	/* it is to be given again */
void usage_given_confirm(struct usage_book *book, struct usage_given *given);


/* usage_compare.c: has the qmaster more of something, has it less of something than the mirror? */
bool usage_is_ahead(const struct mirror *mirror, const struct object_usage *told, const struct object *object);
bool usage_is_behind(const struct mirror *mirror, const struct object_usage *told, const struct object *object);

#endif
