/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pending reasons: why jobs did not start in the last run, by category of jobs. A reason is one
 * check that failed, and the number of objects (queue instances, hosts, PEs) on which it failed. It
 * also has the name of the object that came closest, and the amounts there; among equals the first
 * object counts. It corresponds to schedd_job_info of sched_conf(5), always on.
 *
 * A list has room for WHY_REASONS different reasons; further failures are counted in WHY_OTHERS.
 * All lists together have room for WHY_TOTAL reasons.
 */
#ifndef SCHED_DISPATCH_WHY_H
#define SCHED_DISPATCH_WHY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/text_set.h"

/*
 * The comments give `subject` and `object` of each kind, separated by a semicolon; "-" means none.
 * Numbers are part of the layout of the shared memory segment: add new kinds at the end.
 */
enum why_kind {
	/* reasons of queue instances that apply to every job: list 0 */
	WHY_DISABLED,		/* letters of its state; queue instance */
	/* threshold "np_load_avg=1.75"; queue instance. wanted: the threshold, had: the value */
	WHY_OVERLOADED,
	WHY_SUSPENDED_BY_LOAD,	/* as above */
	WHY_FULL,		/* -; queue instance */
	WHY_HOST_UNKNOWN,	/* -; queue instance: its host does not exist or is not available */
	/* reasons of a category, per queue instance, host or cluster */
	/* "user_lists" or "xuser_lists"; queue instance, host, PE, "global" */
	WHY_USER_LISTS,
	WHY_PROJECTS,		/* "projects" or "xprojects"; as above */
	WHY_QUEUE_REQUEST,	/* the -q list; queue instance */
	WHY_QTYPE,		/* "BATCH" or "INTERACTIVE"; queue instance */
	WHY_PE_LIST,		/* PE; queue instance */
	WHY_CKPT_LIST,		/* checkpointing environment; queue instance */
	WHY_FORCED,		/* complex that was not requested; object */
	WHY_NO_ATTRIBUTE,	/* complex; queue instance: no level offers it */
	/*
	 * request "arch=lx-amd64"; object. The value that the object has instead is part of the
	 * subject if it is not a number
	 */
	WHY_ATTRIBUTE,
	WHY_CONSUMABLE,		/* complex; object. wanted: per slot or job, had: amount left */
	WHY_EXCLUSIVE,		/* complex; object */
	/*
	 * PE; host: not enough slots for the allocation rule $pe_slots. wanted, had: the most slots
	 * that a host has
	 */
	WHY_SLOTS,
	WHY_QUOTA,		/* "set/rule: limit"; queue instance. wanted, had: amount left */
	WHY_MASTER_QUEUE,	/* the -masterq list; - */
	/* reasons of a category as a whole */
	WHY_NO_PE,		/* the PE request; -: no PE matches, or none may be used */
	WHY_PE_SLOTS,		/* PE; -. wanted, had */
	/*
	 * PE; -: the allocation rule fits none of the requested numbers. wanted, had: all numbers
	 * exceed the slots of the PE
	 */
	WHY_PE_RANGE,
	WHY_PE_HOSTS,		/* PE; -. wanted, had: slots found */
	WHY_NO_CKPT,		/* checkpointing environment that does not exist; - */
	/* reasons of single jobs */
	WHY_MAXUJOBS,		/* -; -. had: the limit */
	WHY_RESERVED,		/* -; -. had: start time of its reservation */
	WHY_NOT_REACHED,	/* -; -: jobs with higher priority took all free slots */
	WHY_WITHHELD,		/* invariant that its start would have violated; queue instance */
	/* -; -: failed checks that did not fit in the list. count 0: the number is unknown */
	WHY_OTHERS,
	/* reasons from the job's flags, in no list */
	WHY_IN_ERROR,		/* -; the reason, if one was reported */
	WHY_ON_HOLD,		/* letters of holds, u o s a; - */
	/* -; -. had: the job before it, 0: not known, or the number of further jobs */
	WHY_PREDECESSOR,
	WHY_EXECUTION_TIME,	/* -; -. had: the time */
	WHY_TASK_LIMIT,		/* -; -: max_aj_instances, -tc */
	/* more reasons of a category as a whole */
	WHY_ORDER_LENGTH,	/* -; -. had: queue instances, more than one order can name */
	/* number of the advance reservation; - */
	WHY_NO_ADVANCE,		/* the reservation does not exist */
	WHY_ADVANCE_WAITS,	/* the reservation has not begun. had: the begin */
	WHY_ADVANCE_ERROR,	/* the reservation is in error */
	WHY_ADVANCE_ACCESS,	/* reason of a single job: its owner may not use the reservation */
	WHY_ADVANCE_QUEUE,	/* number; queue instance that is not in the reservation */
	/* reason of a single task: -; queue instance on a host that it avoids */
	WHY_RESCHEDULED,
	/*
	 * reasons of a submitter's jobs in the last negotiation cycle;
	 * sched/reader/why_negotiation.c
	 */
	WHY_SLICE,		/* submitter; -. wanted: the slice, had: in use */
	WHY_CEILING,		/* submitter; -. wanted: its ceiling, had: in use */
	/* group; -. wanted: its limit, had: in use by it and its subgroups */
	WHY_GROUP_LIMIT,
	WHY_GROUP_CAP,		/* group; the parent group whose quota is used up */
	WHY_CONCURRENCY_LIMIT,	/* limit; -. wanted: units, had: units left */
	/* -; -: PREEMPTION_REQUIREMENTS is false for the matching slots. count: slots in use */
	WHY_PREEMPTION,
	WHY_RANK,		/* -; -: slots prefer the jobs that they run */
	WHY_NO_MATCH,		/* -; -. count: slots */
	WHY_JOB_REQUIREMENTS,	/* -; -. count: slots that the job refuses */
	WHY_SLOT_REQUIREMENTS,	/* -; -. count: slots that refuse the job */
	WHY_PLACE,		/* -; -. count: queue instances that the job cannot use */
	WHY_CLAIMED,		/* -; -. count: slots in use */
	WHY_HELD_BY,		/* customer; -. count: slots that the customer has */
	/* -; -. count: slots won by the job that other jobs have not left yet */
	WHY_VACATING,
	WHY_TIME_UP,		/* -; -: the time of the cycle, or of the submitter, was used up */
	WHY_NEXT_CYCLE,		/* -; -. had: time of the next cycle */
	WHY_NO_SUBMITTER,	/* -; -: its names do not form a valid submitter */
	/*
	 * Reason of a category. The subject is like "slots: job 4, 1700000120, 14400". The parts
	 * are the complex that is free now, the job or reservation that it is kept for, the start
	 * time, and the duration (0: without end). object: as for a consumable. wanted: per slot or
	 * job, had: amount left over that time.
	 */
	WHY_KEPT,
	WHY_KINDS
};

/* Unit of wanted and had. Part of the segment's layout. */
enum why_unit { WHY_NUMBER, WHY_MEMORY, WHY_SECONDS, WHY_BOOL, WHY_WEIGHT };

#define WHY_REASONS 64u			/* per list; the last one is WHY_OTHERS */
#define WHY_HINTS 256u			/* several per reason, to keep collisions rare */
#define WHY_TOTAL (1u << 18)		/* per run */
#define WHY_TEXTS (1u << 16)		/* different texts per run */
#define WHY_TEXT_BYTES 256u		/* longer texts are cut */
/* Limit of list numbers. WHY_UNKNOWN is used instead of a list's number. */
#define WHY_LISTS UINT16_MAX

struct why_reason {
	uint16_t kind;			/* enum why_kind */
	/* enum why_unit; set when the reasons of a run are published */
	uint16_t unit;
	uint32_t count;			/* number of objects */
	const char *subject, *object;	/* borrowed: names of the cell or of the run; NULL: none */
	/* Amounts at the object that came closest. Equal: there are no amounts to report. */
	double wanted, had;
};

struct why_list {
	struct why_reason *reasons;
	uint32_t n, capacity;
	/*
	 * Number of another list that also applies; smaller than the list's own number. 0: list 0.
	 */
	uint32_t next;
	/* Where a reason was found before, by a hash of its kind and subject */
	uint8_t hints[WHY_HINTS];
};

struct why {				/* reasons of a run; zero-initialise */
	/* 0: reasons that apply to every job; then by category, or job */
	struct why_list *lists;
	uint32_t n, capacity;		/* of lists */
	uint32_t total;			/* number of reasons in all lists */
	struct text_set texts;		/* texts of why_text() */
	bool incomplete;		/* some reasons did not fit */
	bool is_off;			/* reasons are not collected */
};

void why_begin(struct why *why, bool is_off);	/* begin a run without reasons */
void why_free(struct why *why);

/*
 * Create a list for a category. Returns its number, or 0 if there is no room. In that case its
 * reasons are reported for every job.
 */
uint32_t why_list(struct why *why);

/*
 * Create a list for a single job whose reasons come before those of `next`, the list of its
 * category. Returns `next` if there is no room.
 */
uint32_t why_list_before(struct why *why, uint32_t next);

/*
 * Record that a check failed on one object. Never fails; sets `incomplete` if there is no room. It
 * is cheap, since most calls repeat a known reason.
 */
void why_add(struct why *why, uint32_t list, enum why_kind kind, const char *subject, const char *object, double wanted,
	     double had);

/*
 * Record that a check is known to fail on `count` objects, including this one. Failures that were
 * already counted one by one are included in `count`.
 */
void why_raise(struct why *why, uint32_t list, enum why_kind kind, const char *subject, const char *object,
	       double wanted, double had, uint32_t count);

/*
 * Return a copy of a text that lives as long as the reasons of the run. Equal texts share one copy.
 * Returns "" if there is no room.
 */
const char *why_text(struct why *why, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* For readers, which need no struct why: why_sentence.c */

/* Return the kind as one word for programs, or "unknown" if it is not valid. */
const char *why_kind_name(unsigned kind);

/*
 * Write the reason as a sentence for users, with the count. Names are inserted unchanged. Returns
 * the length as snprintf() does.
 */
size_t why_sentence(char *text, size_t size, const struct why_reason *reason);
/* Write a reason found in an empty cluster: it applies even when all running jobs have ended. */
size_t why_sentence_ever(char *text, size_t size, const struct why_reason *reason);

#endif
