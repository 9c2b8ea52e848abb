/* SPDX-License-Identifier: Apache-2.0 */
/* Which call of the mirror an event is. */
#include <errno.h>
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
		break;
	case EVENT_ORDER_REFUSED:
		event->order.task = 1;
		event->order.text = "";
		break;
	default:
		break;
	}
}

static int job_add(struct mirror *m, const struct job_spec *job, struct error *error)
{
	if (job->pe && *job->pe && !(job->pe_range && *job->pe_range))
		return error_set(error, -EINVAL, "pe_range: missing; it is required with pe");
	return mirror_job_add(m, job, error);
}

/* The owner counts as a member that the event does not have. */
static int job_modify(struct mirror *m, const struct job_spec *job, struct error *error)
{
	struct job_spec without;

	if (!(job->given & JOB_OWNER))
		return mirror_job_modify(m, job, error);
	without = *job;
	without.given &= ~(uint32_t)JOB_OWNER;
	without.owner = NULL;
	return mirror_job_modify(m, &without, error);
}

int mirror_apply(struct mirror *m, const struct event *event, struct error *error)
{
	const struct task_event *task = &event->task;
	const struct association_event *of = &event->association;
	const struct instance_event *instance = &event->instance;
	const struct host_event *host = &event->host;

	switch (event->type) {
	case EVENT_SNAPSHOT_BEGIN:
		return mirror_snapshot_begin(m, error);
	case EVENT_SNAPSHOT_END:
		return mirror_snapshot_end(m, error);
	case EVENT_JOB_ADD:
		return job_add(m, &event->job, error);
	case EVENT_JOB_MODIFY:
		return job_modify(m, &event->job, error);
	case EVENT_JOB_DELETE:
		return mirror_job_delete(m, task->job_number, error);
	case EVENT_TASK_START:
		return mirror_task_start(m, task->job_number, task->task, task->start_time, task->granted.items, task->granted.n,
					 task->granted_pe, &task->allocated, error);
	case EVENT_TASK_STATE:
		return mirror_task_state(m, task->job_number, task->task, task->state, error);
	case EVENT_TASK_FINISH:
		return mirror_task_finish(m, task->job_number, task->task, task->end_time, task->has_usage ? &task->usage : NULL, error);
	case EVENT_TASK_REQUEUE:
		return mirror_task_requeue(m, task->job_number, task->task, error);
	case EVENT_USAGE:
		return mirror_usage(m, task->job_number, task->task, &task->usage, error);
	case EVENT_USER_USAGE:
		return mirror_user_usage(m, &event->object, error);
	case EVENT_PROJECT_USAGE:
		return mirror_project_usage(m, &event->object, error);
	case EVENT_ASSOCIATION_USAGE:
		return mirror_association_usage(m, of->account, of->user, of->partition, of->usage_raw, of->time_stamp, error);
	case EVENT_QUEUE_INSTANCE:
		return mirror_queue_instance(m, instance->queue, instance->slots, instance->state, error);
	case EVENT_QUEUE_INSTANCE_DELETE:
		return mirror_queue_instance_delete(m, instance->queue, error);
	case EVENT_HOST_STATE:
		return mirror_host_state(m, host->host, host->available, error);
	case EVENT_HOST_LOAD:
		return mirror_host_load(m, host->host, host->load.items, host->load.n, error);
	case EVENT_ORDERS_TAKEN:
	case EVENT_ORDER_REFUSED:
	case EVENT_CONFIG_CHANGED:
		break;
	}
	return 0;
}
