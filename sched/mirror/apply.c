/* SPDX-License-Identifier: Apache-2.0 */
/* Dispatch of events to the functions of the mirror. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/mirror/mirror.h"

void event_init(struct event *event, enum event_type type)
{
	memset(event, 0, sizeof(*event));
	event->type = type;
	switch (type) {
	case EVENT_JOB_DELETE:
	case EVENT_TASK_START:
	case EVENT_TASK_STATE:
	case EVENT_TASK_FINISH:
	case EVENT_TASK_REQUEUE:
	case EVENT_USAGE:
		event->task.task = 1;
		break;
	case EVENT_QUEUE_INSTANCE:
		event->instance.slots = UINT32_MAX;
		event->instance.state = "";
		event->instance.place = UINT64_MAX;
		break;
	case EVENT_ADVANCE_RESERVATION:
		event->advance.state = "w";
		break;
	case EVENT_VACATED:
		event->vacated.task = 1;
		break;
	case EVENT_SLOT:
		event->slot.place = UINT64_MAX;
		break;
	case EVENT_CLAIM:
		event->claim.weight = -1.0;
		break;
	case EVENT_CUSTOMER:
		event->customer.values.rup = RUP_LEAST;
		event->customer.values.ceiling = CEILING_NONE;
		break;
	case EVENT_ORDER_REFUSED:
		event->order.task = 1;
		event->order.text = "";
		break;
	default:
		break;
	}
}

static int job_add(struct mirror *mirror, const struct job_spec *job, struct error *error)
{
	int rc;

	if (job->pe && *job->pe && !(job->pe_range && *job->pe_range))
		return error_set(error, -EINVAL, "pe_range: missing; it is required with pe");
	rc = mirror_job_add(mirror, job, error);
	return rc == 0 && job->slurm.given & SLURM_ALLOCATED ? mirror_job_allocated(mirror, job, error) : rc;
}

/* Modify a job. The owner is ignored, since events of this type have no such member. */
static int job_modify(struct mirror *mirror, const struct job_spec *job, struct error *error)
{
	struct job_spec without = *job;
	int rc;

	without.given &= ~(uint32_t)JOB_OWNER;
	without.owner = NULL;
	rc = mirror_job_modify(mirror, &without, error);
	return rc == 0 && job->slurm.given & SLURM_ALLOCATED ? mirror_job_allocated(mirror, job, error) : rc;
}

/*
 * Start a task. An unconfirmed start is reported to a scheduler that begins, but not in a snapshot,
 * which has no orders.
 */
static int task_start(struct mirror *mirror, const struct task_event *task, struct error *error)
{
	int rc;

	if (task->order && mirror_in_snapshot(mirror))
		return error_set(error, -EINVAL, "order: a snapshot must not contain unconfirmed starts");
	if (task->order)
		rc = mirror_order_start(mirror, task->job_number, task->task, task->start_time, task->granted.items,
					task->granted.n, task->granted_pe, task->order, error);
	else
		rc = mirror_task_start(mirror, task->job_number, task->task, task->start_time, task->granted.items,
				       task->granted.n, task->granted_pe, &task->allocated, error);
	if (rc == 0 && task->wallclock_limit)
		rc = mirror_task_limited(mirror, task, error);
	if (rc == 0 && (task->charged_until || task->booked))
		rc = mirror_task_charged(mirror, task, error);
	return rc;
}

static int task_finish(struct mirror *mirror, const struct task_event *task, struct error *error)
{
	int rc = task->kept ? mirror_job_keep(mirror, task->job_number, error) : 0;

	if (rc == 0 && task->start_time)
		rc = mirror_task_unseen(mirror, task->job_number, task->task, task->start_time, error);
	return rc ? rc
		  : mirror_task_finish(mirror, task->job_number, task->task, task->end_time,
				       task->has_usage ? &task->usage : NULL, error);
}

static int task_state(struct mirror *mirror, const struct task_event *task, struct error *error)
{
	int rc = mirror_task_state(mirror, task->job_number, task->task, task->state, error);

	return rc == 0 && task->values ? mirror_task_values(mirror, task, error) : rc;
}

static int user_usage(struct mirror *mirror, const struct object_usage *user, struct error *error)
{
	int rc = mirror_user_usage(mirror, user, error);

	return rc == 0 && user->automatic ? mirror_automatic_user(mirror, user, error) : rc;
}

static int association_usage(struct mirror *mirror, const struct association_event *of, struct error *error)
{
	int rc = mirror_association_usage(mirror, of->account, of->user, of->partition, of->usage_raw, of->time_stamp,
					  error);

	if (rc == 0 && of->values)
		mirror_association_values(mirror, of);
	return rc;
}

static int queue_instance(struct mirror *mirror, const struct instance_event *instance, struct error *error)
{
	const struct calendar_changes *reported = &instance->state_changes;
	struct calendar_change *changes = reported->items ? malloc((reported->n + 1) * sizeof(*changes)) : NULL;
	int rc;

	if (reported->items && !changes)
		return error_set(error, -ENOMEM, "out of memory");
	for (size_t i = 0; i < reported->n; i++)
		changes[i] = reported->items[i];
	rc = mirror_queue_instance(mirror, instance->queue, instance->slots, instance->state, error);
	if (rc == 0)
		mirror_instance_changes(mirror, instance->queue, changes, reported->n);
	else
		free(changes);
	if (rc == 0 && (instance->place != UINT64_MAX || instance->suspend_checked))
		mirror_instance_place(mirror, instance);
	return rc;
}

static int slot(struct mirror *mirror, const struct slot_event *slot, struct error *error)
{
	int rc = mirror_slot(mirror, slot, error);

	if (rc == 0 && slot->place != UINT64_MAX)
		mirror_instance_place(mirror, &(struct instance_event){ .queue = slot->slot, .place = slot->place });
	return rc;
}

int mirror_apply(struct mirror *mirror, const struct event *event, struct error *error)
{
	const struct task_event *task = &event->task;
	const struct instance_event *instance = &event->instance;
	const struct host_event *host = &event->host;

	switch (event->type) {
	case EVENT_SNAPSHOT_BEGIN:
		return mirror_snapshot_begin(mirror, error);
	case EVENT_SNAPSHOT_END:
		return mirror_snapshot_end(mirror, error);
	case EVENT_JOB_ADD:
		return job_add(mirror, &event->job, error);
	case EVENT_JOB_MODIFY:
		return job_modify(mirror, &event->job, error);
	case EVENT_JOB_DELETE:
		return mirror_job_delete(mirror, task->job_number, error);
	case EVENT_TASK_START:
		return task_start(mirror, task, error);
	case EVENT_TASK_STATE:
		return task_state(mirror, task, error);
	case EVENT_TASK_FINISH:
		return task_finish(mirror, task, error);
	case EVENT_TASK_REQUEUE:
		return mirror_task_requeue(mirror, task->job_number, task->task, error);
	case EVENT_TASKS_ENROLLED:
		return mirror_tasks_enrolled(mirror, &event->enrolled, error);
	case EVENT_USAGE:
		return mirror_usage(mirror, task->job_number, task->task, &task->usage, error);
	case EVENT_USER_USAGE:
		return user_usage(mirror, &event->object, error);
	case EVENT_PROJECT_USAGE:
		return mirror_project_usage(mirror, &event->object, error);
	case EVENT_ASSOCIATION_USAGE:
		return association_usage(mirror, &event->association, error);
	case EVENT_QUEUE_INSTANCE:
		return queue_instance(mirror, &event->instance, error);
	case EVENT_QUEUE_INSTANCE_DELETE:
		return mirror_queue_instance_delete(mirror, instance->queue, error);
	case EVENT_HOST_STATE:
		return mirror_host_state(mirror, host->host, host->available, error);
	case EVENT_RESCHEDULE_UNKNOWN:
		return mirror_reschedule_unknown(mirror, host->host, host->avoided_by.items, host->avoided_by.n, error);
	case EVENT_HOST_LOAD:
		return mirror_host_load(mirror, host->host, host->load.items, host->load.n, error);
	case EVENT_ADVANCE_RESERVATION:
		return mirror_advance(mirror, &event->advance, error);
	case EVENT_ADVANCE_RESERVATION_DELETE:
		return mirror_advance_delete(mirror, event->advance.number, error);
	case EVENT_DEBITED_USAGE:
		return mirror_debited_usage(mirror, &event->debited, error);
	case EVENT_PARALLEL_ENVIRONMENT:
		return mirror_pe_place(mirror, &event->pe, error);
	case EVENT_SCHEDULER_STATE:
		return mirror_scheduler_state(mirror, &event->scheduler, error);
	case EVENT_CUSTOMER:
		return mirror_customer(mirror, &event->customer, error);
	case EVENT_CHARGED_SLOT:
		return mirror_charged_slot(mirror, &event->charge, error);
	case EVENT_WINNER:
		return mirror_winner(mirror, &event->winner, error);
	case EVENT_SLOT:
		return slot(mirror, &event->slot, error);
	case EVENT_SLOT_REMOVE:
		return mirror_slot_remove(mirror, event->slot.slot, error);
	case EVENT_CLAIM:
		return mirror_claim(mirror, &event->claim, error);
	case EVENT_VACATED:
		return mirror_vacated(mirror, &event->vacated, error);
	case EVENT_ORDERS_TAKEN:
	case EVENT_ORDER_REFUSED:
	case EVENT_CONFIG_CHANGED:
	case EVENT_SUBMITTER_EDIT:
		break;
	}
	return 0;
}
