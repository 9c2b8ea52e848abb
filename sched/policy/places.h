/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a policy that negotiates may ask of dispatch, which is a room above: where a job could start
 * as far as Grid Engine's own requests go, and that it does. sched/dispatch/places.c has it.
 *
 * Instances go by the mirror's numbers (state->instances). All on the thread that makes the run,
 * but for `admits`.
 */
#ifndef SCHED_POLICY_PLACES_H
#define SCHED_POLICY_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "conf/error.h"
#include "sched/qmaster/order.h"

struct policy_given;

struct place_fact {			/* of a complex */
	const char *name;
	const char *text;		/* NULL: it is a number */
	double total, left;		/* `left` is less only of consumables */
	bool consumable;
};

struct vacation {			/* a task is to give back its slot */
	uint32_t task;			/* of state->tasks; NONE: a claim that was told */
	uint32_t instance;
	enum vacate_reason reason;
	const char *winner;		/* the submitter for whom; NULL: nobody */
	const char *signal;		/* KillSig: "SIGTERM"; NULL: at once and hard */
	uint32_t retirement_s;		/* it may go on so long; UINT32_MAX: for ever */
	uint32_t vacate_s;		/* from the signal to SIGKILL */
};

struct places {
	void *self;
	/* nothing starts: dispatch is switched off */
	bool off;
	/* all instances are told slots that no queue of the cell has: `admits` is true of all */
	bool told_alone;
	/* Does dispatch know more of an instance than that it was told? */
	bool (*known)(void *self, uint32_t instance);
	/*
	 * Which instances can be had at all, with how many slots. False: it is out (closed,
	 * overloaded, its host is down).
	 */
	bool (*open)(void *self, uint32_t instance, uint32_t *slots);
	/*
	 * What Grid Engine knows of it: each complex of which the instance, its host or the cluster
	 * has something. -ENOMEM, or what `each` returns other than 0. Texts hold during the call.
	 */
	int (*facts)(void *self, uint32_t instance, int (*each)(void *context, const struct place_fact *fact),
		     void *context);
	/* A job (place in run->waiting) is to be asked about. -ENOMEM. */
	int (*ready)(void *self, uint32_t place);
	/* May it start there if it were empty? By several threads. */
	bool (*admits)(void *self, uint32_t place, uint32_t instance);
	/*
	 * One task of run->pending starts there now, with so many slots; those of a job in their
	 * order. *id: which one it is. -EAGAIN: there is no room for it at the moment, or no more
	 * can be ordered; -ENOMEM.
	 */
	int (*start)(void *self, uint32_t task, uint32_t instance, uint32_t slots, double key, uint32_t *id);
	/*
	 * The same for a job with a parallel environment, on any of these instances by its
	 * allocation rule; what it was granted comes back through `each`. -EAGAIN: it has no place.
	 */
	int (*start_parallel)(void *self, uint32_t task, const uint32_t *instances, uint32_t n, double key,
			      uint32_t *id, void (*each)(void *context, uint32_t instance, uint32_t slots),
			      void *context);
	/* Its texts are borrowed as long as the run. -ENOMEM. */
	int (*vacate)(void *self, const struct vacation *vacation);
};

#endif
