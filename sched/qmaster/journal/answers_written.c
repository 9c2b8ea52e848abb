/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/journal/answers_written.h"

#include <errno.h>
#include <stdlib.h>

#include "sched/mirror/usage.h"
#include "sched/process/json.h"
#include "sched/qmaster/json/event_write.h"

/* Write the answer as an event with the booked usage. -ENOMEM is an error of the line. */
static void write_debited(const struct answers_written *answers, struct out *out, uint32_t job_number,
			  int64_t submission_time, const struct debited *debited)
{
	size_t n = debited->usage.n, used = debited->usage.n;
	struct debited_task_usage *tasks = calloc(debited->ntasks + 1, sizeof(*tasks));
	struct usage_value *values;
	struct event event;

	for (size_t i = 0; i < debited->ntasks; i++)
		n += debited->tasks[i].usage.n;
	values = calloc(n + 1, sizeof(*values));
	if (tasks && values) {
		event_init(&event, EVENT_DEBITED_USAGE);
		event.debited = (struct debited_event){ .job_number = job_number,
							.submission_time = submission_time,
							.usage = mirror_usage_values(answers->mirror, &debited->usage,
										     values),
							.tasks = tasks,
							.ntasks = debited->ntasks };
		for (size_t i = 0; i < debited->ntasks; i++) {
			tasks[i] = (struct debited_task_usage){ debited->tasks[i].id, debited->tasks[i].start_time,
								mirror_usage_values(answers->mirror,
										    &debited->tasks[i].usage,
										    values + used) };
			used += debited->tasks[i].usage.n;
		}
		event_write(out, 0, &event);
	} else {
		out->error = out->error ? out->error : -ENOMEM;
	}
	free(tasks);
	free(values);
}

static int debited(void *context, uint32_t job_number, int64_t submission_time, struct debited *d)
{
	struct answers_written *answers = context;
	int rc = answers->inner.debited(answers->inner.context, job_number, submission_time, d);
	struct out *out = answers->to(answers->context);

	if (!out)
		return rc;
	json_write_number(out, "{\"answer\":\"debited\",\"job_number\":", job_number);
	json_write_number(out, ",\"submission_time\":", submission_time);
	json_write_number(out, ",\"is\":", rc);
	json_write_number(out, ",\"told\":", rc == 1 ? (int64_t)d->reported : 0);
	json_write_literal(out, "}\n");
	if (rc == 1)
		write_debited(answers, out, job_number, submission_time, d);
	return rc;
}

static int ended(void *context, const struct ledger_task *end)
{
	struct answers_written *answers = context;
	int rc = answers->inner.ended(answers->inner.context, end);
	/* 0 is the default answer. */
	struct out *out = rc ? answers->to(answers->context) : NULL;

	if (!out)
		return rc;
	json_write_number(out, "{\"answer\":\"ended\",\"job_number\":", end->job_number);
	json_write_number(out, ",\"submission_time\":", end->submission_time);
	json_write_number(out, ",\"task\":", end->task);
	json_write_number(out, ",\"start_time\":", end->start_time);
	json_write_number(out, ",\"is\":", rc);
	json_write_literal(out, "}\n");
	return rc;
}

void answers_watch(struct answers_written *answers, struct ledger *ledger, const struct mirror *mirror,
		   struct out *(*to)(void *context), void *context)
{
	if (!ledger)
		return;
	*answers = (struct answers_written){ ledger, ledger->calls, mirror, to, context };
	ledger->calls = (struct ledger_calls){ answers, debited, answers->inner.ended ? ended : NULL };
}

void answers_unwatch(struct answers_written *answers)
{
	if (answers->ledger)
		answers->ledger->calls = answers->inner;
	answers->ledger = NULL;
}
