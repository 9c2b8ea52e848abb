/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface of a policy: which jobs come first, and why.
 *
 * Grid Engine's priorities, Slurm's multifactor priority and HTCondor's user priorities differ in
 * what they compute, but every scheduling run has the same phases. A policy implements its part of
 * each phase. No code outside a policy's directory knows which policy is active.
 *
 * sched/pass.c calls the members in this order, on the thread that makes the run:
 *
 *     collect                        select the tasks that are eligible
 *     take_reports, charge, account  update the usage that this policy keeps
 *     urgency, tickets, normalize    compute the sort key of each job in run->waiting.prio
 *     negotiate                      replace the common order and dispatch phases (optional)
 *     given, next                    answer questions about a task while it is dispatched
 *     hosts                          order changes for running tasks
 *     settle, block, publish         write results to running tasks and to readers
 *     remember, remain, resume       save and restore the state that another process needs
 *     rows                           describe what is stored between runs
 *
 * Units: sort keys and usage are finite doubles; times are seconds since 1970. The run is borrowed
 * for the duration of a call. Every call gets the same run, and run->cell is the active
 * configuration. Functions that return int return 0 or -ENOMEM. After -ENOMEM the run is abandoned,
 * and the next one starts from the beginning. Members are called once per phase or once per block
 * of some thousand jobs (run_blocks()), never once per waiting job.
 *
 * Each known policy has one object for the lifetime of the scheduler. It keeps what must survive a
 * change of configuration, such as stored usage. The parameter `algorithm` in sched_conf(5) selects
 * the active policy. Each policy has result columns and tables of its own in a generation
 * (sched/run/publication.h), so that readers can show two policies on one queue.
 *
 * Names of policies are compared only in sched/policy/ and conf/. Other rooms find a policy with
 * policies_of() and ask the members of its struct policy_kind (tests/house.py checks this).
 *
 * To add a policy: create sched/policy/NAME/ with a struct policy_kind, add it to policies.c, and
 * add its name to the values of `algorithm` in conf/gridengine/sched_conf_types.c. If the policy
 * shows results of its own, add columns and tables to sched/run/records.h with a new
 * RECORDS_VERSION, and the code that reads them to sched/reader/.
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
struct policy_migration;

struct policy {				/* first member of each policy's own struct */
	const struct policy_kind *kind;
};

/* Tickets of a task that starts. They are part of its order and are then kept in the task. */
struct policy_given {
	struct tickets tickets;
	double ntckts;			/* sum of its tickets, normalized */
};

/* Configuration file that only this policy reads, besides sched_conf. */
struct policy_file {
	const char *name;
	const char *parameters;		/* phrase for its parameters in messages */
	/* Return whether the cell has the file. */
	bool (*exists)(const struct cell *cell);
	/* Return whether the file may set this parameter. */
	bool (*defines)(const char *name);
};

/* Names and values in requests of jobs, besides those of sge_types(1). */
enum policy_requests {
	REQUESTS_GRIDENGINE,		/* no other names: they are checked against the cell */
	REQUESTS_SLURM,			/* accounts, and the members of struct slurm_spec */
	/* processors of one slot, RequestCpus, instead of slots in a parallel environment */
	REQUESTS_CONDOR,
};

enum policy_shares {			/* file that determines the shares of users and projects */
	SHARES_IN_TREE,			/* share_tree; without one, functional shares of the objects */
	SHARES_IN_ASSOCIATIONS,		/* associations */
	SHARES_NOWHERE,			/* the policy has no shares */
};

/* Members may be NULL when the policy has no such step, unless their comment says "required". */
struct policy_kind {
	/* Value of `algorithm` that selects this policy. */
	const char *name;
	/*
	 * Start a run as soon as a job is submitted, a task ends or gives back its slots, or a slot
	 * or claim is reported. flush_submit_sec and flush_finish_sec have no influence then.
	 */
	bool eager;
	/* Facts for rooms that write requests or configuration */
	enum policy_requests requests;
	enum policy_shares shares;
	const struct policy_file *file;
	/* Migration of a cell to this policy: migration.h. Required. */
	const struct policy_migration *migration;

	/* Creation and configuration */
	/* Create the policy's object. Required. Returns NULL if memory is exhausted. */
	struct policy *(*create)(void);
	/* Free the object and release its names in run->strings. Required. */
	void (*destroy)(struct policy *policy, struct run *run);
	/*
	 * Prepare a new configuration without changing the active one, and reserve the memory that
	 * replace() needs. `cell` is NULL if the new configuration selects another policy. On
	 * -ENOMEM nothing has changed. A configuration that was prepared and not activated is freed
	 * by the next call.
	 */
	int (*prepare)(struct policy *policy, struct run *run, const struct cell *cell);
	/*
	 * Activate the prepared configuration, and move usage and clock to it. `cell` is run->cell,
	 * or NULL if another policy becomes active. Cannot fail.
	 */
	void (*replace)(struct policy *policy, struct run *run, const struct cell *cell);

	/* Eligible tasks */
	/*
	 * Select the eligible tasks. Required. Called between run_collect_begin() and
	 * run_collect_end(). Fills run->pending and the members first, why (with run->unreached),
	 * by_age, by_number and arrays of run->waiting. May leave this to run_collect_listed().
	 */
	int (*collect)(struct policy *policy, struct run *run);

	/* Usage of the policy's own. Usage of users and projects is booked under every policy. */
	/* Take over usage that the qmaster reports, before anything is booked. */
	void (*take_reports)(struct policy *policy, struct run *run);
	/* Charge tasks of a job that have ended and are booked now: see struct account_also. */
	void (*charge)(struct policy *policy, struct run *run, struct ended_task *tasks, size_t n);
	/* Update the policy's usage after everything is booked. */
	int (*account)(struct policy *policy, struct run *run);
	/* Return the number of usage reports not taken over yet, for sched_unbooked(). */
	size_t (*unbooked)(const struct policy *policy, const struct run *run);

	/* Sort keys: three steps, each of which is timed */
	int (*urgency)(struct policy *policy, struct run *run);	/* terms that depend on requests */
	/* terms that depend on the jobs' owners */
	int (*tickets)(struct policy *policy, struct run *run);
	/*
	 * Write the sort key of each waiting job to run->waiting.prio, or 0 if the job is not
	 * eligible. Required. Jobs are ordered by this key, highest first. Also write values that
	 * are common to all jobs to run->record, where run_show_columns() lists the columns for
	 * readers.
	 */
	int (*normalize)(struct policy *policy, struct run *run);

	/* Called once for each job start */
	/* Convert a sort key to the priority that users see. NULL: the key is shown unchanged. */
	double (*shown)(double key);
	/* Return the tickets of a task of run->pending. NULL: the policy has no tickets. */
	void (*given)(const struct policy *policy, const struct run *run, uint32_t task, struct policy_given *given);
	/*
	 * Return the key of a job (index in run->waiting) after `task` of run->pending has become
	 * its next task. `enrolled`: the task has a record of its own and is not ranked again.
	 * NULL: all tasks of an array have the same key.
	 */
	double (*next)(const struct policy *policy, const struct run *run, uint32_t place, uint32_t task,
		       bool enrolled);
	/*
	 * Replace the phases order and dispatch. Fills run->order with all waiting jobs in the
	 * order that readers see, as run_order() does by keys. Starts tasks through `places`, of
	 * which the next phase makes orders; nothing starts while dispatch is switched off. The
	 * member itself reports why jobs did not start, or sets run->waiting.why.
	 */
	int (*negotiate)(struct policy *policy, struct run *run, const struct places *places);

	/* Order changes for running tasks on their hosts. -ENOSPC: no more orders are possible. */
	int (*hosts)(struct policy *policy, const struct run *run, struct orders *orders);

	/* Results */
	/* Write tickets and kept values to the tasks of run->running. */
	void (*settle)(struct policy *policy, struct run *run);
	/* Functions of struct publisher */
	void (*block)(struct policy *policy, const struct block *block, struct generation_writer *writer);
	int (*publish)(struct policy *policy, struct run *run, struct generation_writer *writer);

	/* State that another process needs to continue this run: sched/run/resend.h */
	/* Save, before a run, the values that the run may change. */
	void (*remember)(const struct policy *policy, struct state_head *head);
	/* Save the rest after the run. -ENOMEM. */
	int (*remain)(const struct policy *policy, struct state_publication *state);
	/*
	 * Return the k-th pool whose item numbers break ties and which resume() fills in the order
	 * in which remain() has written it. A process that must get the same bits arranges this
	 * pool before it resumes. NULL: there is no k-th pool. The member itself may be NULL.
	 */
	struct pool *(*places)(struct policy *policy, size_t k);
	/* Restore the saved state before the first run. */
	void (*resume)(struct policy *policy, struct run *run, const struct scheduler_event *from);

	/*
	 * Change a customer between runs, for operators: sched_edit_customer(). On -EINVAL, -ENOENT
	 * and -EALREADY `error` has the sentence. On any error, including -ENOMEM, nothing has
	 * changed. NULL: the policy has no customers.
	 */
	int (*edit)(struct policy *policy, struct run *run, const char *customer, const struct customer_edit *edit,
		    int64_t now, struct error *error);
	/* Undo the edits since rows were last saved. No run has used them. */
	void (*unedit)(struct policy *policy, struct run *run);

	/* Rows and numbers that the policy stores: rows.h */
	const struct policy_rows *rows;
};

#endif
