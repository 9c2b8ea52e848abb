/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a job did not start: what the last run found, by category of jobs. A reason is one check that failed, with the number of objects
 * (queue instances, hosts, PEs) on which it failed, one of them as an example, and the smallest amount by which it failed.
 * schedd_job_info of sched_conf(5), always on.
 */
#ifndef SCHED_DISPATCH_WHY_H
#define SCHED_DISPATCH_WHY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `subject` and `object` of each in the comment. Numbers are part of the segment's layout: new ones go to the end. */
enum why_kind {
	/* of queue instances, whatever the job: list 0 */
	WHY_DISABLED,		/* letters of its state; queue instance */
	WHY_OVERLOADED,		/* the threshold "np_load_avg=1.75"; queue instance. wanted: the threshold, had: the value */
	WHY_SUSPENDED_BY_LOAD,	/* the same */
	WHY_FULL,		/* -; queue instance */
	WHY_HOST_UNKNOWN,	/* -; queue instance: its host does not exist or is not available */
	/* of a category, per queue instance or host or cluster */
	WHY_USER_LISTS,		/* "user_lists" or "xuser_lists"; queue instance, host, PE, "global" */
	WHY_PROJECTS,		/* "projects" or "xprojects"; the same */
	WHY_QUEUE_REQUEST,	/* the -q list; queue instance */
	WHY_QTYPE,		/* "BATCH" or "INTERACTIVE"; queue instance */
	WHY_PE_LIST,		/* PE; queue instance */
	WHY_CKPT_LIST,		/* checkpointing environment; queue instance */
	WHY_FORCED,		/* complex not requested; object */
	WHY_NO_ATTRIBUTE,	/* complex; queue instance: no level offers it */
	WHY_ATTRIBUTE,		/* request "arch=lx-amd64"; object. had as text if it is no number */
	WHY_CONSUMABLE,		/* complex; object. wanted per slot or job, had: what is left */
	WHY_EXCLUSIVE,		/* complex; object */
	WHY_SLOTS,		/* -; queue instance: not enough slots for the allocation rule on the host */
	WHY_QUOTA,		/* "set/rule: limit"; queue instance. wanted, had: what is left */
	WHY_MASTER_QUEUE,	/* the -masterq list; - */
	/* of a category as a whole */
	WHY_NO_PE,		/* the PE request; -: none matches, or none may be used */
	WHY_PE_SLOTS,		/* PE; -. wanted, had */
	WHY_PE_RANGE,		/* PE; -: the allocation rule can't make any of the numbers asked for */
	WHY_PE_HOSTS,		/* PE; -. wanted, had: slots found */
	WHY_NO_CKPT,		/* checkpointing environment that does not exist; - */
	/* of single jobs */
	WHY_MAXUJOBS,		/* -; -. had: the limit */
	WHY_RESERVED,		/* -; -. had: the moment for which it has a reservation */
	WHY_NOT_REACHED,	/* -; -: nothing was left when its turn would have come */
	WHY_WITHHELD,		/* the promise that its start would have broken; queue instance */
	WHY_KINDS
};

struct why_reason {
	uint32_t kind;			/* enum why_kind */
	uint32_t count;			/* of objects */
	const char *subject, *object;	/* borrowed: names of the cell or of the run; NULL: none */
	double wanted, had;		/* of the object that lacks least */
};

struct why_list {
	struct why_reason *reasons;
	size_t n, capacity;
};

struct why {				/* of a run; zero-initialise */
	struct why_list *lists;		/* 0: whatever the job; then by category */
	size_t n, capacity;
	char **texts;			/* owned copies, of why_text() */
	size_t ntexts, texts_capacity;
	bool incomplete;		/* no memory for all of them */
};

void why_begin(struct why *w);		/* a run begins: nothing is known */
void why_free(struct why *w);

/* A list for one more category; its number, 0 when there is no memory (its reasons are then told of all). */
uint32_t why_list(struct why *w);

/* One check that failed on one object. Never fails: `incomplete` says so. Cheap: most are more of the same. */
void why_add(struct why *w, uint32_t list, enum why_kind kind, const char *subject, const char *object, double wanted, double had);

/* A copy of a text that lives as long as the run's reasons; "" without memory. */
const char *why_text(struct why *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The reason as a sentence for people, with the count. Length as of snprintf(). Shared by scheduler and readers: no struct why needed. */
int why_sentence(char *text, size_t size, enum why_kind kind, uint32_t count, const char *subject, const char *object, double wanted,
		 double had);

#endif
