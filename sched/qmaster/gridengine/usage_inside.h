/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations shared by the files about usage. */
#ifndef SCHED_QMASTER_GRIDENGINE_USAGE_INSIDE_H
#define SCHED_QMASTER_GRIDENGINE_USAGE_INSIDE_H

#include "sched/mirror/queries.h"
#include "sched/mirror/usage.h"
#include "sched/qmaster/gridengine/usage.h"
#include "sched/policy/rows.h"
#include "sched/run/run.h"
#include "sched/sched.h"

#define USAGE_KINDS 2u			/* SHARER_USER, SHARER_PROJECT */
#define USAGE_PACKED UINT64_MAX		/* a request without a number yet */
#define USAGE_ENDS_MOST 500u		/* removals in a packet */

/* Usage orders of a user or project, by its number in the mirror. */
struct usage_given {
	/*
	 * Counts of orders: the last one packed, the last one that is known to have taken effect.
	 */
	uint64_t sent, confirmed;
	uint64_t request;		/* packet of the order; 0: no order without a result */
	uint64_t answered;		/* deliveries when it was answered, + 1; 0: not answered */
	uint32_t version;		/* version that it named */
	/*
	 * Time stamp of its own usage or of that reported by the qmaster, whichever came last,
	 * epoch seconds. 0: none.
	 */
	int64_t stamp;
	bool changed;			/* to be sent */
	bool follows;			/* must be sent with the removal that is being packed */
	bool configured;		/* `configuration` is known */
	uint64_t configuration;		/* checksum of the configuration reported by the qmaster */
	uint32_t jobs, jobs_sent;	/* first changed job; first job in a sent order; NONE */
};

struct usage_job {			/* usage booked for a job, by its number */
	uint32_t kind, object;		/* object whose list contains it */
	uint32_t project;		/* number of the project that was also charged; NONE */
	/* Checksums of values, 0 for no usage: at the qmaster, in a sent order, and current. */
	uint64_t there, sent, now;
	uint64_t update;		/* total update to which `there` belongs */
	uint32_t next, next_sent;	/* next jobs of the object's lists; NONE */
	/* In the object's list of changed jobs; in its list of sent jobs. */
	bool listed, leaving;
	uint32_t ends;			/* first of its finished tasks; NONE */
};

struct usage_end {			/* a finished task, until it is removed from the qmaster */
	struct usage usage;		/* booked usage */
	uint32_t next;			/* next task of the same job; NONE */
	uint32_t objects[USAGE_KINDS];	/* objects that were charged; NONE */
	uint64_t needs[USAGE_KINDS];	/* order that contains it, in the count of `sent` */
	bool booked, safe, reckoned;	/* booked by a run; stored permanently; `needs` is set */
	bool leaving;			/* removal was sent */
	uint64_t request, answered;	/* same as in usage_given */
	/* Last total update that contained it or preceded its end. */
	uint64_t update;
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
	/* Struct usage_sharers of tasks that have ended since the last share tree order. */
	struct pool ended;
	uint64_t updates, deliveries;	/* counts so far */
	size_t on_their_way;		/* users and projects with a request */
	uint32_t halftime;		/* half-life used by the last run */
	bool look;			/* an order may be due */
};

struct usage_book *usage_book(const struct sge *sge);	/* settlement.c */
static inline struct mirror *usage_mirror(const struct sge *sge)
{
	return sge->intake->mirror;
}

/* Return the record of an object. NULL: no memory. Valid until the next call. */
struct usage_given *usage_given_of(struct sge *sge, uint32_t kind, uint32_t object);
/* Return the number of a job. NONE: no memory, or not found. */
uint32_t usage_job_get(struct usage_book *book, uint32_t number);
uint32_t usage_job_find(const struct usage_book *book, uint32_t number);
/*
 * Sum up the booked usage of a job, except for tasks whose removal was sent. -ENOMEM. Call
 * usage_free() in each case.
 */
int usage_job_sum(struct sge *sge, uint32_t job, struct usage *sum);
void usage_job_list(struct sge *sge, uint32_t job);	/* the job has changed */
uint64_t usage_hash(const struct usage *usage);		/* 0: only zeros */

void usage_end_drop(struct usage_book *book, uint32_t end);

/* Note that no order of the object is without a result. */
void usage_given_settle(struct usage_book *book, struct usage_given *given);
/* Mark the usage to be sent again. */
void usage_given_failed(struct usage_book *book, struct usage_given *given);
void usage_given_confirm(struct usage_book *book, struct usage_given *given);

/* usage_compare.c: return whether the qmaster has more, or less, of some value than the mirror. */
bool usage_is_ahead(const struct mirror *mirror, const struct object_usage *reported, const struct object *object);
bool usage_is_behind(const struct mirror *mirror, const struct object_usage *reported, const struct object *object);
/* Return whether we have more of this value than the qmaster, or the qmaster more than we. */
bool usage_ours_is_ahead(const struct mirror *mirror, const struct usage *ours, const struct usage_values *reported,
			 const char *name);
bool usage_reported_is_ahead(const struct mirror *mirror, const struct usage_values *reported, const struct usage *ours,
			 const char *name);
double usage_reported_value(const struct usage_values *values, const char *name);	/* 0: not in the list */

struct merged_usage {			/* usage of an object, in arrays that it owns */
	struct object_usage usage;
	struct usage_value *values;
	struct project_usage *projects;
	struct debited_usage *debited;
};

/*
 * usage_merge.c: in each part of the usage, take the side that has booked more. Returns 0 or
 * -ENOMEM. Call usage_merge_free() in each case.
 */
int usage_merge(struct sge *sge, uint32_t kind, const struct object_usage *reported, uint32_t object,
		struct merged_usage *merged);
void usage_merge_free(struct merged_usage *merged);

#endif
