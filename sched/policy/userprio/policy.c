/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of struct policy_kind, for the active configuration. */
#include <errno.h>
#include <stdlib.h>

#include "sched/policy/userprio/inside.h"
#include "urgency/normalize.h"

static struct userprio_policy *own(struct policy *policy)
{
	return (struct userprio_policy *)policy;
}

static struct policy *create(void)
{
	struct userprio_policy *policy = calloc(1, sizeof(*policy));

	if (!policy)
		return NULL;
	accountant_create(&policy->accountant);
	pool_create(&policy->winners.keys, sizeof(struct claim_key));
	return &policy->policy;
}

static void destroy(struct policy *policy, struct run *run)
{
	struct userprio_policy *p = own(policy);

	userprio_prepare(policy, run, NULL);
	userprio_free(p->in_force, run->strings);
	winners_free(p, run->strings);
	userprio_edits_settle(p, run->strings);
	accountant_free(&p->accountant, run->strings);
	free(p);
}

/* Allow as many tasks of an array to start as there are slots, since some may be vacated. */
static void allow_tasks(struct run *run)
{
	const struct state *state = run->mirror->state;
	uint64_t slots = 1;

	for (uint32_t i = 0; i < state->ninstances; i++)
		slots += state->instances[i].slots;
	run->tasks_per_job = run->tasks_per_job > slots ? run->tasks_per_job : slots;
}

/* Take over earlier state once, and make the edits since the last run permanent. */
static int take_over(struct userprio_policy *policy, struct run *run)
{
	int rc = policy->begun ? 0 : userprio_take_over(policy, run);

	userprio_edits_settle(policy, run->strings);
	policy->begun = rc == 0;
	return rc;
}

static int collect(struct policy *policy, struct run *run)
{
	struct userprio_policy *p = own(policy);

	before_begin(&p->in_force->before, run->strings);
	allow_tasks(run);
	if (take_over(p, run) || run_collect_listed(run) || submitters_of_classes(p, run) || submitters_collect(p, run))
		return -ENOMEM;
	if (submitters_want_more(&p->in_force->submitters))
		p->in_force->wanted = true;
	return 0;
}

static void charge(struct policy *policy, struct run *run, struct ended_task *tasks, size_t n)
{
	claims_note_ends(own(policy), run, tasks, n);
	own(policy)->in_force->wanted = true;
}

/* Account for usage. In a cycle, priorities are updated before the current claims are read. */
static int account(struct policy *policy, struct run *run)
{
	struct userprio_policy *p = own(policy);
	struct customers *customers = &p->accountant.customers;
	int64_t last = customers->last_update;

	p->in_force->before.wanted = p->in_force->wanted;
	p->in_force->due = cycle_is_due(p, run);
	if (p->in_force->due) {
		if (customers_end_leases(customers, run->now) > 0)
			accountant_choose_factors(&p->accountant, run->strings, p->conf);
		customers_update(customers, run->now);
		userprio_purge(p, run, last);
	}
	return claims_take(p, run) || submitters_add_users(p, run) ? -ENOMEM : 0;
}

static int tickets(struct policy *policy, struct run *run)
{
	(void)run;
	sequence_submitters(own(policy));
	return 0;
}

/*
 * Compute sort keys. Readers do not see them: a better submitter has a lower user priority, and
 * that is shown instead.
 */
static void block_prices(const struct block *block)
{
	const struct userprio_policy *policy = block->context;
	const struct submitters *submitters = &policy->in_force->submitters;
	const struct jobs *jobs = &block->run->mirror->state->jobs;
	struct waiting_columns *columns = &block->run->waiting;

	for (size_t k = block->begin; k < block->end; k++) {
		uint32_t customer = submitters->classes[job_fact(jobs, columns->rows[k], class_id)].customer;

		columns->prio[k] = columns->first[k] == NONE
					   ? 0.0
					   : 1.0 / customer_eup(&policy->accountant.customers.items[customer]);
	}
}

/* Compute the order of jobs. All customers of the run are known here. */
static int prices(struct policy *policy, struct run *run)
{
	struct userprio_policy *p = own(policy);

	run->record.report_pending = 1;
	run_show_columns(&run->record, COLUMNS_USERPRIO, sizeof(struct userprio_results));
	run_blocks(run, block_prices, p);
	return shown_customers(p, run) ? -ENOMEM : sequence_jobs(p, run);
}

/* Clear the tickets of a running task: HTCondor has none. */
static void task_settle(void *context, struct run *run, struct task *task)
{
	const struct jobs *jobs = &run->mirror->state->jobs;

	(void)context;
	task->otickets = task->ftickets = task->stickets = 0.0;
	task->kept = (struct kept_record){ .npprior = normalize_posix(job_fact(jobs, task->row, priority)),
					   .ntckts = normalize(0.0, 0.0, 0.0) };
}

static void settle(struct policy *policy, struct run *run)
{
	starts_settle(own(policy), run);
	run_each_begun(run, task_settle, NULL);
	for (size_t i = 0; i < run->running.n; i++)
		task_settle(NULL, run, &run->mirror->state->tasks.items[run->running.index[i]]);
}

const struct policy_kind userprio_policy = {
	.name = "userprio", .eager = true, .requests = REQUESTS_CONDOR, .shares = SHARES_NOWHERE,
	.file = &userprio_file, .migration = &userprio_migration,
	.create = create, .destroy = destroy, .prepare = userprio_prepare, .replace = userprio_replace,
	.collect = collect, .charge = charge, .account = account, .tickets = tickets, .normalize = prices,
	.negotiate = userprio_negotiate, .settle = settle, .block = userprio_block, .publish = userprio_publish,
	.remember = userprio_remember, .remain = userprio_remain, .places = userprio_places,
	.resume = userprio_resume, .edit = userprio_edit, .unedit = userprio_unedit, .rows = &userprio_rows,
};
