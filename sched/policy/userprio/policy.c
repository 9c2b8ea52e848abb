/* SPDX-License-Identifier: Apache-2.0 */
/* struct policy_kind's functions, for what is in force. */
#include <errno.h>
#include <stdlib.h>

#include "sched/policy/userprio/inside.h"
#include "urgency/normalize.h"

static struct userprio_policy *own(struct policy *p)
{
	return (struct userprio_policy *)p;
}

static struct policy *create(void)
{
	struct userprio_policy *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	accountant_create(&p->accountant);
	pool_create(&p->winners.keys, sizeof(struct claim_key));
	return &p->policy;
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

/* Of an array as many tasks as there are slots may start, whatever is free: some may be vacated. */
static void allow_tasks(struct run *run)
{
	const struct state *state = run->mirror->state;
	uint64_t slots = 1;

	for (uint32_t i = 0; i < state->ninstances; i++)
		slots += state->instances[i].slots;
	run->tasks_per_job = run->tasks_per_job > slots ? run->tasks_per_job : slots;
}

/* Once; and what operators have changed since the last run is for good. */
static int go_on(struct userprio_policy *p, struct run *run)
{
	int rc = p->begun ? 0 : userprio_go_on(p, run);

	userprio_edits_settle(p, run->strings);
	p->begun = rc == 0;
	return rc;
}

static int collect(struct policy *policy, struct run *run)
{
	struct userprio_policy *p = own(policy);

	before_begin(&p->in_force->before, run->strings);
	allow_tasks(run);
	if (go_on(p, run) || run_collect_listed(run) || submitters_of_classes(p, run) || submitters_collect(p, run))
		return -ENOMEM;
	if (submitters_want_more(&p->in_force->submitters))
		p->in_force->wanted = true;
	return 0;
}

static void charge(struct policy *p, struct run *run, struct ended_task *tasks, size_t n)
{
	claims_note_ends(own(p), run, tasks, n);
	own(p)->in_force->wanted = true;
}

/* In a cycle priorities are updated before it is seen who has what now. */
static int account(struct policy *policy, struct run *run)
{
	struct userprio_policy *p = own(policy);
	struct customers *c = &p->accountant.customers;
	int64_t last = c->last_update;

	p->in_force->before.wanted = p->in_force->wanted;
	p->in_force->due = cycle_is_due(p, run);
	if (p->in_force->due) {
		if (customers_end_leases(c, run->now) > 0)
			accountant_choose_factors(&p->accountant, run->strings, p->conf);
		customers_update(c, run->now);
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

/* Readers are shown no key: who is better has the lower priority, which is of submitters. */
static void block_prices(const struct block *b)
{
	const struct userprio_policy *p = b->context;
	const struct submitters *s = &p->in_force->submitters;
	const struct jobs *j = &b->run->mirror->state->jobs;
	struct waiting_columns *w = &b->run->waiting;

	for (size_t k = b->begin; k < b->end; k++) {
		uint32_t customer = s->classes[job_fact(j, w->rows[k], class_id)].customer;

		w->prio[k] = w->first[k] == NONE ? 0.0 : 1.0 / customer_eup(&p->accountant.customers.items[customer]);
	}
}

/* All customers of the run are known by now. */
static int prices(struct policy *policy, struct run *run)
{
	struct userprio_policy *p = own(policy);

	run->record.report_pending = 1;
	run_show_columns(&run->record, COLUMNS_USERPRIO, sizeof(struct userprio_results));
	if (run_blocks(run, block_prices, p))
		return -ENOMEM;
	return shown_customers(p, run) ? -ENOMEM : sequence_jobs(p, run);
}

/* Tasks that run show no tickets: nobody has any. */
static void task_settle(void *context, struct run *run, struct task *t)
{
	const struct jobs *j = &run->mirror->state->jobs;

	(void)context;
	t->otickets = t->ftickets = t->stickets = 0.0;
	t->kept = (struct kept_record){ .npprior = normalize_posix(job_fact(j, t->row, priority)), .ntckts = normalize(0.0, 0.0, 0.0) };
}

static void settle(struct policy *policy, struct run *run)
{
	starts_settle(own(policy), run);
	run_each_begun(run, task_settle, NULL);
	for (size_t i = 0; i < run->running.n; i++)
		task_settle(NULL, run, &run->mirror->state->tasks.items[run->running.index[i]]);
}

const struct policy_kind userprio_policy = {
	.name = "userprio", .eager = true,
	.create = create, .destroy = destroy, .prepare = userprio_prepare, .replace = userprio_replace,
	.collect = collect, .charge = charge, .account = account, .tickets = tickets, .normalize = prices,
	.negotiate = userprio_negotiate, .settle = settle, .block = userprio_block, .publish = userprio_publish,
	.remember = userprio_remember, .remain = userprio_remain, .places = userprio_places, .resume = userprio_resume, .edit = userprio_edit, .unedit = userprio_unedit, .rows = &userprio_rows,
};
