/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a job did not start: what the last run found, by category of jobs. A reason is one check that
 * failed, with the number of objects (queue instances, hosts, PEs) on which it failed, and of the
 * one that lacks least its name and the amount: the first of those. schedd_job_info of
 * sched_conf(5), always on.
 *
 * A list takes WHY_REASONS different reasons; what comes on top is counted in one of WHY_OTHERS.
 * All lists together take WHY_TOTAL.
 */
#ifndef SCHED_DISPATCH_WHY_H
#define SCHED_DISPATCH_WHY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/text_set.h"

/*
 * `subject` and `object` of each in the comment. Numbers are part of the segment's layout: new ones
 * go to the end.
 */
enum why_kind {
	/* of queue instances, whatever the job: list 0 */
	WHY_DISABLED,		/* letters of its state; queue instance */
	/*
	 * the threshold "np_load_avg=1.75"; queue instance. wanted: the threshold, had: the value
	 */
	WHY_OVERLOADED,
	WHY_SUSPENDED_BY_LOAD,	/* the same */
	WHY_FULL,		/* -; queue instance */
	WHY_HOST_UNKNOWN,	/* -; queue instance: its host does not exist or is not available */
	/* of a category, per queue instance or host or cluster */
	/* "user_lists" or "xuser_lists"; queue instance, host, PE, "global" */
	WHY_USER_LISTS,
	WHY_PROJECTS,		/* "projects" or "xprojects"; the same */
	WHY_QUEUE_REQUEST,	/* the -q list; queue instance */
	WHY_QTYPE,		/* "BATCH" or "INTERACTIVE"; queue instance */
	WHY_PE_LIST,		/* PE; queue instance */
	WHY_CKPT_LIST,		/* checkpointing environment; queue instance */
	WHY_FORCED,		/* complex not requested; object */
	WHY_NO_ATTRIBUTE,	/* complex; queue instance: no level offers it */
	/*
	 * request "arch=lx-amd64"; object. What it has instead is part of the subject if it is no
	 * number
	 */
	WHY_ATTRIBUTE,
	WHY_CONSUMABLE,		/* complex; object. wanted per slot or job, had: what is left */
	WHY_EXCLUSIVE,		/* complex; object */
	/* PE; host: not enough slots for the allocation rule $pe_slots. wanted, had: the most that a host has */
	WHY_SLOTS,
	WHY_QUOTA,		/* "set/rule: limit"; queue instance. wanted, had: what is left */
	WHY_MASTER_QUEUE,	/* the -masterq list; - */
	/* of a category as a whole */
	WHY_NO_PE,		/* the PE request; -: none matches, or none may be used */
	WHY_PE_SLOTS,		/* PE; -. wanted, had */
	/*
	 * PE; -: the allocation rule can't make any of the numbers asked for. wanted, had: all are
	 * beyond the slots of the PE
	 */
	WHY_PE_RANGE,
	WHY_PE_HOSTS,		/* PE; -. wanted, had: slots found */
	WHY_NO_CKPT,		/* checkpointing environment that does not exist; - */
	/* of single jobs */
	WHY_MAXUJOBS,		/* -; -. had: the limit */
	WHY_RESERVED,		/* -; -. had: the moment for which it has a reservation */
	WHY_NOT_REACHED,	/* -; -: jobs ahead of it took all free slots */
	WHY_WITHHELD,		/* the invariant that its start would have broken; queue instance */
	/* -; -: checks that failed for which there was no room. count 0: nobody knows how many */
	WHY_OTHERS,
	/* what the job's flags say, in no list */
	WHY_IN_ERROR,		/* -; why, where somebody said so */
	WHY_ON_HOLD,		/* letters of holds, u o s a; - */
	/* -; -. had: the job before it, 0: not known, or the count of further ones */
	WHY_PREDECESSOR,
	WHY_EXECUTION_TIME,	/* -; -. had: the moment */
	WHY_TASK_LIMIT,		/* -; -: max_aj_instances, -tc */
	/* of a category as a whole, too */
	WHY_ORDER_LENGTH,	/* -; -. had: queue instances, more than one order can name */
	/* number of the advance reservation; - */
	WHY_NO_ADVANCE,		/* there is none */
	WHY_ADVANCE_WAITS,	/* it has not begun. had: the moment */
	WHY_ADVANCE_ERROR,	/* it is in error */
	WHY_ADVANCE_ACCESS,	/* of a single job: its owner may not use it */
	WHY_ADVANCE_QUEUE,	/* the same; queue instance that is not in it */
	WHY_RESCHEDULED,	/* of a single task: -; queue instance on a host that it avoids */
	/* of a submitter's jobs in the last negotiation cycle; sched/reader/why_negotiation.c */
	WHY_SLICE,		/* submitter; -. wanted: the slice, had: in use */
	WHY_CEILING,		/* the same: its ceiling */
	WHY_GROUP_LIMIT,	/* group; -. wanted: its limit, had: in use by it and what is below */
	WHY_GROUP_CAP,		/* group; the group above it at whose quota it is */
	WHY_CONCURRENCY_LIMIT,	/* limit; -. wanted: units, had: those left */
	/* -; -: PREEMPTION_REQUIREMENTS is not true of those that match. count: in use */
	WHY_PREEMPTION,
	WHY_RANK,		/* -; -: slots prefer whom they have */
	WHY_NO_MATCH,		/* -; -. count: slots */
	WHY_JOB_REQUIREMENTS,	/* -; -. count: slots that the job refuses */
	WHY_SLOT_REQUIREMENTS,	/* -; -. count: slots that refuse the job */
	WHY_PLACE,		/* -; -. count: queue instances that can't be used by it */
	WHY_CLAIMED,		/* -; -. count: slots in use */
	WHY_HELD_BY,		/* customer; -. count: slots that it has */
	/* -; -. count: slots that it has won, and that others have not left yet */
	WHY_VACATING,
	WHY_TIME_UP,		/* -; -: the time of the cycle, or of the submitter, was over */
	WHY_NEXT_CYCLE,		/* -; -. had: the moment when the next cycle is due */
	WHY_NO_SUBMITTER,	/* -; -: its names make no submitter */
	/*
	 * of a category: "slots: job 4, 1700000120, 14400", the complex that is free now, for whom it
	 * is kept, from when on, and how long the job takes it, 0 without end; object. wanted per slot
	 * or job, had: what is left over that time
	 */
	WHY_KEPT,
	WHY_KINDS
};

/* of wanted and had; part of the layout, too */
enum why_unit { WHY_NUMBER, WHY_MEMORY, WHY_SECONDS, WHY_BOOL, WHY_WEIGHT };

#define WHY_REASONS 64u			/* of a list, the last one is WHY_OTHERS */
#define WHY_HINTS 256u			/* several to a reason, so that few meet */
#define WHY_TOTAL (1u << 18)		/* of a run */
#define WHY_TEXTS (1u << 16)		/* different ones of a run */
#define WHY_TEXT_BYTES 256u		/* longer ones are cut */
/* lists are numbered below this; it is WHY_UNKNOWN instead of a list's number */
#define WHY_LISTS UINT16_MAX

struct why_reason {
	uint16_t kind;			/* enum why_kind */
	/* enum why_unit; of a run's reasons it is set when they are published */
	uint16_t unit;
	uint32_t count;			/* of objects */
	const char *subject, *object;	/* borrowed: names of the cell or of the run; NULL: none */
	/* of the object that lacks least; equal: there is nothing to tell */
	double wanted, had;
};

struct why_list {
	struct why_reason *reasons;
	uint32_t n, capacity;
	/* list that holds, too; smaller than its own number, 0 at last */
	uint32_t next;
	/* where a reason was found before, by a hash of its kind and subject */
	uint8_t hints[WHY_HINTS];
};

struct why {				/* of a run; zero-initialise */
	struct why_list *lists;		/* 0: whatever the job; then by category, or job */
	uint32_t n, capacity;		/* of lists */
	uint32_t total;			/* reasons in all of them */
	struct text_set texts;		/* of why_text() */
	bool incomplete;		/* no room for all of them */
	bool untold;			/* nobody asks: none is kept */
};

void why_begin(struct why *why, bool untold);	/* a run begins: nothing is known */
void why_free(struct why *why);

/*
 * A list for one more category; its number, 0 when there is no room (its reasons are then told of
 * all).
 */
uint32_t why_list(struct why *why);

/*
 * The same for a single job, whose reasons come before those of `next`, its category's; `next` when
 * there is no room.
 */
uint32_t why_list_before(struct why *why, uint32_t next);

/*
 * One check that failed on one object. Never fails: `incomplete` says so. Cheap: most are more of
 * the same.
 */
void why_add(struct why *why, uint32_t list, enum why_kind kind, const char *subject, const char *object, double wanted,
	     double had);

/*
 * The same check is known to fail on so many objects, this one among them; those that the list has
 * counted one by one are some of these.
 */
void why_raise(struct why *why, uint32_t list, enum why_kind kind, const char *subject, const char *object,
	       double wanted, double had, uint32_t count);

/*
 * A copy of a text that lives as long as the run's reasons, the same for the same text; "" without
 * room.
 */
const char *why_text(struct why *why, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* For readers, who need no struct why: why_sentence.c */

/* One word for programs; "unknown" if it is no kind. */
const char *why_kind_name(unsigned kind);

/*
 * The reason as a sentence for people, with the count. Names go into it as they are. Length as of
 * snprintf().
 */
size_t why_sentence(char *text, size_t size, const struct why_reason *reason);
/* The same of a reason that was found in an empty cell: it holds whatever ends. */
size_t why_sentence_ever(char *text, size_t size, const struct why_reason *reason);

#endif
