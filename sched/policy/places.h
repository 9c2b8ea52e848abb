/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Services of dispatch for a policy that negotiates: the instances on which a job may start
 * according to Grid Engine's own requests, and the start itself. Dispatch is a room above this one;
 * sched/dispatch/places.c implements them.
 *
 * Instances are numbered as in the mirror (state->instances). All functions are called on the
 * thread that makes the run, except `admits`.
 */
#ifndef SCHED_POLICY_PLACES_H
#define SCHED_POLICY_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "conf/base/error.h"
#include "sched/qmaster/order.h"

struct policy_given;

struct place_fact {			/* value of a complex */
	const char *name;
	const char *text;		/* NULL: the value is a number */
	double total, left;		/* `left` is less than `total` only for consumables */
	bool consumable;
};

struct vacation {			/* order to a task to give back its slots */
	/* index in state->tasks; NONE: the slot reported a claim of an unknown job */
	uint32_t task;
	uint32_t instance;
	enum vacate_reason reason;
	const char *winner;		/* submitter for which the slot is vacated; NULL: none */
	/* KillSig, such as "SIGTERM"; NULL: kill at once with SIGKILL */
	const char *signal;
	/* time that the task may still run; UINT32_MAX: unlimited */
	uint32_t retirement_s;
	uint32_t vacate_s;		/* time between the signal and SIGKILL */
};

struct places {
	void *self;
	/* Dispatch is switched off: no job starts. */
	bool off;
	/* No reported slot has a queue in the cell, so `admits` returns true for every instance. */
	bool reported_alone;
	/* Return whether the cell has a queue for an instance that was reported. */
	bool (*known)(void *self, uint32_t instance);
	/*
	 * Return whether an instance is available, and set *slots to its number of slots. False: it
	 * is closed or overloaded, or its host is down.
	 */
	bool (*open)(void *self, uint32_t instance, uint32_t *slots);
	/*
	 * Call `each` with the value of every complex that is defined for the instance, its host or
	 * the cluster. Return -ENOMEM, or the first result of `each` that is not 0. Texts are valid
	 * during the call.
	 */
	int (*facts)(void *self, uint32_t instance, int (*each)(void *context, const struct place_fact *fact),
		     void *context);
	/* Prepare questions about a job (index in run->waiting). Call before `admits`. -ENOMEM. */
	int (*ready)(void *self, uint32_t place);
	/*
	 * Return whether a job may start on an instance if the instance were empty. Several threads
	 * may call this.
	 */
	bool (*admits)(void *self, uint32_t place, uint32_t instance);
	/*
	 * Start one task of run->pending on an instance now, with this number of slots. Tasks of
	 * one job start in their order. *id is set to the id of the task that starts. -EAGAIN: the
	 * instance has no room at the moment, or no more orders are possible. -ENOMEM.
	 */
	int (*start)(void *self, uint32_t task, uint32_t instance, uint32_t slots, double key, uint32_t *id);
	/*
	 * Start a task of a job with a parallel environment on any of these instances, by its
	 * allocation rule. `each` is called with every grant. -EAGAIN: no instance has room.
	 */
	int (*start_parallel)(void *self, uint32_t task, const uint32_t *instances, uint32_t n, double key,
			      uint32_t *id, void (*each)(void *context, uint32_t instance, uint32_t slots),
			      void *context);
	/* Order a task to give back its slots. Texts are borrowed until the run ends. -ENOMEM. */
	int (*vacate)(void *self, const struct vacation *vacation);
};

#endif
