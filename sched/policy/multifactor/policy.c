/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of struct policy_kind, which call those of the active configuration. */
#include <errno.h>
#include <stdlib.h>

#include "sched/policy/multifactor/multifactor.h"

static struct multifactor *in_force(const struct policy *policy)
{
	return ((const struct multifactor_policy *)policy)->in_force;
}

static struct policy *create(void)
{
	struct multifactor_policy *policy = calloc(1, sizeof(*policy));

	return policy ? &policy->policy : NULL;
}

static void destroy(struct policy *p, struct run *run)
{
	struct multifactor_policy *policy = (struct multifactor_policy *)p;

	multifactor_free(policy->in_force, run->strings);
	multifactor_free(policy->prepared, run->strings);
	past_free(&policy->past, run->strings);
	free(policy);
}

static int collect(struct policy *policy, struct run *run)
{
	(void)policy;
	return jobs_reserve_slurm(&run->mirror->state->jobs) ? -ENOMEM : run_collect_listed(run);
}

static void take_reports(struct policy *policy, struct run *run)
{
	multifactor_take_reported(in_force(policy), run);
}

static void charge(struct policy *policy, struct run *run, struct ended_task *tasks, size_t n)
{
	multifactor_charge_ended(in_force(policy), run, tasks, n);
}

static int account(struct policy *policy, struct run *run)
{
	return multifactor_account(in_force(policy), run);
}

static size_t unbooked(const struct policy *policy, const struct run *run)
{
	(void)policy;
	return run->mirror->state->ntold_usage;
}

static int urgency(struct policy *policy, struct run *run)
{
	return multifactor_urgency(in_force(policy), run);
}

static int tickets(struct policy *policy, struct run *run)
{
	return multifactor_tickets(in_force(policy), run);
}

static int normalize(struct policy *policy, struct run *run)
{
	multifactor_normalize(in_force(policy), run);
	return 0;
}

/* Return the job's priority without its partition's tier. */
static double shown(double key)
{
	return (double)((uint64_t)key & UINT32_MAX);
}

static void settle(struct policy *policy, struct run *run)
{
	(void)policy;
	multifactor_settle(run);
}

static void block(struct policy *policy, const struct block *b, struct generation_writer *writer)
{
	multifactor_block(in_force(policy), b, writer);
}

static int publish(struct policy *policy, struct run *run, struct generation_writer *writer)
{
	return multifactor_publish(in_force(policy), run, writer);
}

static int remain(const struct policy *policy, struct state_publication *state)
{
	return multifactor_remain(in_force(policy), state);
}

static void resume(struct policy *policy, struct run *run, const struct scheduler_event *from)
{
	multifactor_resume(in_force(policy), run, from);
}

const struct policy_kind multifactor_policy = {
	.name = "multifactor", .requests = REQUESTS_SLURM, .shares = SHARES_IN_ASSOCIATIONS,
	.file = &multifactor_file, .migration = &multifactor_migration,
	.create = create, .destroy = destroy, .prepare = multifactor_prepare, .replace = multifactor_replace,
	.collect = collect,
	.take_reports = take_reports, .charge = charge, .account = account, .unbooked = unbooked,
	.urgency = urgency, .tickets = tickets, .normalize = normalize, .shown = shown,
	.settle = settle, .block = block, .publish = publish, .rows = &multifactor_rows,
	.remain = remain, .resume = resume,
};
