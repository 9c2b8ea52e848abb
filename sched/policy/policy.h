/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A policy: which jobs come first, and why. What the phases of a run do differently for Grid
 * Engine's priorities, Slurm's or another system's is behind this interface; nobody outside a
 * policy's room asks which one it is. sched/pass.c calls it, in this order, on the thread that
 * makes the run:
 *
 *     collect                       who takes part, with how many tasks
 *     take_reports, charge, account what the tasks have used
 *     urgency, tickets, normalize   prices: the key of each job, in run->waiting.prio
 *     negotiate                     in place of the common order and dispatch; most have none
 *     given, next                   for each task that starts
 *     hosts                         orders about tasks that run
 *     settle, block, publish        results, to running tasks and to readers
 *     remember, remain, resume      what a run goes on from, where another scheduler has left off
 *     rows                          what is stored, between runs
 *
 * Units: prices and usage are finite doubles; times are epoch seconds. The run is borrowed in each
 * call, and the same all the time; run->cell is the one in force. int functions return 0 or
 * -ENOMEM: then the run is given up, and the next one begins anew. A call is for a phase or for a
 * block of thousands of jobs (run_blocks()), never for each waiting job.
 *
 * Each known policy has one object that lives as long as the scheduler, with what outlasts a
 * configuration, such as usage that is stored. One of them is in force: the one that `algorithm` of
 * sched_conf(5) names. Each has result columns and tables of its own in a generation
 * (sched/run/publication.h), so that two can be shown on one queue.
 *
 * To add one: a room beside gridengine/ and multifactor/ with its struct policy_kind; a line in
 * policies.c; its name in the table of the values of `algorithm` (conf/gridengine/
 * sched_conf_types.c). If it shows something of its own: columns and tables in sched/run/records.h,
 * with a new RECORDS_VERSION, and what readers make of them in sched/reader/.
 */
#ifndef SCHED_POLICY_POLICY_H
#define SCHED_POLICY_POLICY_H

#include "sched/policy/rows.h"
#include "sched/run/publication.h"
#include "sched/run/publish_state.h"

struct customer_edit;
struct error;
struct orders;
struct places;
struct policy_kind;

struct policy {				/* what a room's own struct begins with */
	const struct policy_kind *kind;
};

/* what a task that starts has been given: part of its order, and then of the task */
struct policy_given {
	struct tickets tickets;
	double ntckts;			/* their normalised sum */
};

/* What is NULL the policy has not; some of it must be there. */
struct policy_kind {
	/* The value of `algorithm`. */
	const char *name;
	/*
	 * A run is due at once when a job was submitted, a task has ended or given back its slots,
	 * a slot or a claim was told, whatever flush_submit_sec and flush_finish_sec say.
	 */
	bool eager;

	/* Life */
	/* Must be there. Returns NULL without memory. */
	struct policy *(*create)(void);
	/* Must be there. Gives back all that it has, its names in run->strings, too. */
	void (*destroy)(struct policy *policy, struct run *run);
	/*
	 * A cell is to be in force that names this policy; NULL: that names another one. Makes all
	 * that the cell needs, beside what is in force, and room for what replace() has to keep.
	 * -ENOMEM: nothing has changed. What was prepared and not put in force is dropped by the
	 * next call.
	 */
	int (*prepare)(struct policy *policy, struct run *run, const struct cell *cell);
	/*
	 * The cell, which is run->cell now, is in force: what was prepared takes the place of what
	 * was there, with its usage and its clock. NULL: another policy is in force. Can't fail.
	 */
	void (*replace)(struct policy *policy, struct run *run, const struct cell *cell);

	/* Who takes part */
	/*
	 * Must be there; between run_collect_begin() and run_collect_end(). Fills run->pending, and
	 * of run->waiting `first`, `why` (run->unreached), by_age, by_number and arrays, or has
	 * run_collect_listed() do it.
	 */
	int (*collect)(struct policy *policy, struct run *run);

	/* Usage beyond that of users and projects, which is booked whatever the policy */
	/* What the qmaster reports to be used, before anything is booked. */
	void (*take_reports)(struct policy *policy, struct run *run);
	/* Tasks of a job that have ended and are booked now: see struct account_also. */
	void (*charge)(struct policy *policy, struct run *run, struct ended_task *tasks, size_t n);
	/* When all is booked. */
	int (*account)(struct policy *policy, struct run *run);
	/* Reports of usage that no run has taken over yet, for sched_unbooked(). */
	size_t (*unbooked)(const struct policy *policy, const struct run *run);

	/* Prices: three steps, timed one by one */
	int (*urgency)(struct policy *policy, struct run *run);	/* what requests are worth */
	int (*tickets)(struct policy *policy, struct run *run);	/* what their owners are worth */
	/*
	 * Must be there. Leaves each waiting job's key in run->waiting.prio, 0 for those that take
	 * no part; jobs are ordered by it, highest first. And what readers need to know of all jobs
	 * alike in run->record; run_show_columns() says which columns they find.
	 */
	int (*normalize)(struct policy *policy, struct run *run);

	/* While jobs start, once for each start */
	/* A key as people are shown it. NULL: as it is. */
	double (*shown)(double key);
	/* What a task of run->pending was given. NULL: no tickets. */
	void (*given)(const struct policy *policy, const struct run *run, uint32_t task, struct policy_given *given);
	/*
	 * The key of a job (place in run->waiting) when `task` of run->pending is its next one;
	 * `enrolled`: that has a record of its own, and is not ranked again. NULL: all tasks of an
	 * array have the same.
	 */
	double (*next)(const struct policy *policy, const struct run *run, uint32_t place, uint32_t task,
		       bool enrolled);
	/*
	 * In place of the phases order and dispatch. It has to leave behind run->order, all waiting
	 * jobs in the order in which readers are shown them, as run_order() does by their keys; and
	 * through `places` what starts, of which the next phase makes orders: nothing while
	 * dispatch is switched off. Why jobs did not start it shows itself, or in run->waiting.why.
	 */
	int (*negotiate)(struct policy *policy, struct run *run, const struct places *places);

	/*
	 * What it gives back to hosts: orders about running tasks. -ENOSPC: no more can be ordered.
	 */
	int (*hosts)(struct policy *policy, const struct run *run, struct orders *orders);

	/* Results */
	/* To the tasks of run->running: their tickets, and what is kept of them. */
	void (*settle)(struct policy *policy, struct run *run);
	/* struct publisher's */
	void (*block)(struct policy *policy, const struct block *block, struct generation_writer *writer);
	int (*publish)(struct policy *policy, struct run *run, struct generation_writer *writer);

	/* Where a run goes on, for one that computes it again elsewhere: sched/run/retell.h */
	/* Before a run: what it may change. */
	void (*remember)(const struct policy *policy, struct state_head *head);
	/* Behind it: the rest. -ENOMEM. */
	int (*remain)(const struct policy *policy, struct state_publication *state);
	/*
	 * The k-th pool in which numbers decide where nothing else does, and which resume() fills
	 * in the order in which remain() tells it: who goes on to the bit arranges it before. NULL:
	 * there is none. The method may be NULL, too
	 */
	struct pool *(*places)(struct policy *policy, size_t k);
	/* Go on there, before the first run. */
	void (*resume)(struct policy *policy, struct run *run, const struct scheduler_event *from);

	/*
	 * What operators change of a customer, between runs: sched_edit_customer(). -EINVAL,
	 * -ENOENT, -EALREADY with the sentence, -ENOMEM: nothing has changed. NULL: it has no
	 * customers.
	 */
	int (*edit)(struct policy *policy, struct run *run, const char *customer, const struct customer_edit *edit,
		    int64_t now, struct error *error);
	/*
	 * None of them was stored since rows were last saved, nor has a run gone by them: they are
	 * undone.
	 */
	void (*unedit)(struct policy *policy, struct run *run);

	/* What it keeps durable: rows.h */
	const struct policy_rows *rows;
};

#endif
