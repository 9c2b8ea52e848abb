/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/journal/answers_written.h"

#include <errno.h>
#include <stdlib.h>

#include "sched/mirror/tables.h"
#include "sched/process/json.h"
#include "sched/qmaster/json/event_write.h"

static struct usage_values values_of(const struct mirror *m, const struct usage *usage, struct usage_value *items)
{
	for (size_t i = 0; i < usage->n; i++)
		items[i] = (struct usage_value){ strings_text(m->strings, m->usage_names.strings[usage->items[i].name]), usage->items[i].value };
	return (struct usage_values){ items, usage->n };
}

/* As the event that would tell it. -ENOMEM is the line's. */
static void write_debited(const struct answers_written *a, struct out *o, uint32_t job_number, int64_t submission_time, const struct debited *d)
{
	size_t n = d->usage.n, used = d->usage.n;
	struct debited_task_usage *tasks = calloc(d->ntasks + 1, sizeof(*tasks));
	struct usage_value *values;
	struct event event;

	for (size_t i = 0; i < d->ntasks; i++)
		n += d->tasks[i].usage.n;
	values = calloc(n + 1, sizeof(*values));
	if (tasks && values) {
		event_init(&event, EVENT_DEBITED_USAGE);
		event.debited = (struct debited_event){ .job_number = job_number, .submission_time = submission_time,
							.usage = values_of(a->mirror, &d->usage, values), .tasks = tasks, .ntasks = d->ntasks };
		for (size_t i = 0; i < d->ntasks; i++) {
			tasks[i] = (struct debited_task_usage){ d->tasks[i].id, d->tasks[i].start_time,
								values_of(a->mirror, &d->tasks[i].usage, values + used) };
			used += d->tasks[i].usage.n;
		}
		event_write(o, 0, &event);
	} else {
		o->error = o->error ? o->error : -ENOMEM;
	}
	free(tasks);
	free(values);
}

static int debited(void *context, uint32_t job_number, int64_t submission_time, struct debited *d)
{
	struct answers_written *a = context;
	int rc = a->inner.debited(a->inner.context, job_number, submission_time, d);
	struct out *o = a->to(a->context);

	if (!o)
		return rc;
	json_write_number(o, "{\"answer\":\"debited\",\"job_number\":", job_number);
	json_write_number(o, ",\"submission_time\":", submission_time);
	json_write_number(o, ",\"is\":", rc);
	json_write_number(o, ",\"told\":", rc == 1 ? (int64_t)d->told : 0);
	json_write_literal(o, "}\n");
	if (rc == 1)
		write_debited(a, o, job_number, submission_time, d);
	return rc;
}

static int ended(void *context, const struct ledger_task *end)
{
	struct answers_written *a = context;
	int rc = a->inner.ended(a->inner.context, end);
	struct out *o = rc ? a->to(a->context) : NULL;	/* 0 is what one expects */

	if (!o)
		return rc;
	json_write_number(o, "{\"answer\":\"ended\",\"job_number\":", end->job_number);
	json_write_number(o, ",\"submission_time\":", end->submission_time);
	json_write_number(o, ",\"task\":", end->task);
	json_write_number(o, ",\"start_time\":", end->start_time);
	json_write_number(o, ",\"is\":", rc);
	json_write_literal(o, "}\n");
	return rc;
}

void answers_watch(struct answers_written *a, struct ledger *ledger, const struct mirror *mirror, struct out *(*to)(void *context), void *context)
{
	if (!ledger)
		return;
	*a = (struct answers_written){ ledger, ledger->calls, mirror, to, context };
	ledger->calls = (struct ledger_calls){ a, debited, a->inner.ended ? ended : NULL };
}

void answers_unwatch(struct answers_written *a)
{
	if (a->ledger)
		a->ledger->calls = a->inner;
	a->ledger = NULL;
}
