/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/local/diary.h"

#include <stdio.h>
#include <string.h>

#include "sched/mirror/queries.h"
#include "sched/process/clock.h"
#include "sched/process/log.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/request.h"

/*
 * Limits of logged requests, because any user may repeat a refused request, or a change of a job,
 * without end.
 */
#define REFUSALS_A_SECOND 20
#define CHANGES_A_SECOND 50

/* Requests */

/* Return whether a request only reads. Such requests are not logged, and may be frequent. */
static bool only_looks(const char *kind)
{
	return strcmp(kind, "follow") == 0 || strcmp(kind, "describe") == 0;
}

/* Return whether one more line may be logged in this second. */
static bool rate_allows(struct diary_rate *rate, unsigned most, const char *what)
{
	uint64_t now_ns = clock_monotonic_ns();

	if (now_ns - rate->second_ns >= SECOND_NS) {
		if (rate->left_out > 0)
			log_line(LOG_ODD, "%u more requests %s", rate->left_out, what);
		*rate = (struct diary_rate){ .second_ns = now_ns };
	}
	if (rate->lines == most) {
		rate->left_out++;
		return false;
	}
	rate->lines++;
	return true;
}

/*
 * Return whether a user can repeat this change without end. Submissions are limited by --user-bytes
 * and max_u_jobs, and deletions by submissions, so each of them is logged.
 */
static bool can_be_repeated(const struct client *client, const char *kind)
{
	return !client_is_operator(client) && strcmp(kind, "submit") != 0 && strcmp(kind, "delete") != 0;
}

static bool is_logged(struct diary *diary, const struct client *client, const struct log_event *event)
{
	if (event->refused)
		return rate_allows(&diary->refusals, REFUSALS_A_SECOND, "were refused");
	if (!client->request.changes)
		return false;
	return !can_be_repeated(client, event->name) || rate_allows(&diary->changes, CHANGES_A_SECOND, "changed jobs");
}

static void result_log(struct local *local, const struct client *client, const struct client_result *result)
{
	const struct person *person =
		/* client->owner may be overwritten by now */
		person_of(&local->people, client->uid);
	struct log_event event = { .name = client->request.kind ? client->request.kind : "request",
				   .user = person ? person->name : NULL,
				   .uid = client->uid,
				   .job_number = result->job_number,
				   .task = result->task,
				   .refused = result->code != RESULT_DONE };

	if (only_looks(event.name))
		return;
	if (is_logged(&local->diary, client, &event))
		log_event(LOG_NOTE, &event, "%s", result->text ? result->text : "");
}

void diary_results(struct local *local, struct client *client)
{
	for (; client->request.logged < client->request.results.n; client->request.logged++)
		result_log(local, client, &client->request.results.items[client->request.logged]);
}

/* Tasks */

static const char *owner_of(const struct local *local, uint32_t job_number)
{
	const char *owner = mirror_job_owner(local->intake->mirror, job_number);

	return owner ? owner : "?";
}

static struct log_event event_of(const struct local_task *task, const char *name, const char *owner)
{
	return (struct log_event){ .name = name,
				   .user = owner,
				   .uid = -1,
				   .job_number = task->job_number,
				   .task = task->is_array ? task->id : 0 };
}

static void name_of(const struct local_task *task, char name[60])
{
	snprintf(name, 60, task->is_array ? "task %u.%u" : "job %u", task->job_number, task->id);
}

void diary_start(const struct local *local, const struct local_task *task)
{
	struct log_event event = event_of(task, "start", owner_of(local, task->job_number));
	uint32_t slots = local_task_slots(task);
	const char *at = strchr(local_task_queue(task), '@');
	char name[60];

	event.host = at ? at + 1 : NULL;
	name_of(task, name);
	log_event(LOG_NOTE, &event, "%s of %s in %s, %u slot%s", name, event.user, local_task_queue(task), slots,
		  slots == 1 ? "" : "s");
}

void diary_end(const struct local_task *task)
{
	struct log_event event = event_of(task, "end", task->ending.owner);
	char name[60], signal[40] = "";

	name_of(task, name);
	if (task->ending.signal)
		snprintf(signal, sizeof(signal), " by signal %d", task->ending.signal);
	log_event(
		LOG_NOTE, &event,
		"%s of %s: failed %d, exit status %d%s, after %.2f s; CPU %.2f s, memory %.3f GBs, input and output "
		"%.3f GB%s",
		name, event.user, task->ending.failed, task->ending.exit_status, signal, task->ending.wallclock_s,
		task->usage.cpu_s, task->usage.mem_gbs, task->usage.io_gb,
		task->ending.requeue ? "; it is pending again" : "");
}

void diary_found(const struct local *local)
{
	size_t run = 0, ended = 0, sought = 0;

	for (size_t i = 0; i < local->tasks.n; i++) {
		const struct local_task *task = local->tasks.items[i];

		ended += local_task_has_ended(task);
		sought += task->life == TASK_SOUGHT;
		run += !local_task_has_ended(task) && task->life != TASK_SOUGHT;
	}
	if (local->tasks.n > 0)
		log_line(LOG_NOTE,
			 "found %zu running tasks, %zu ended tasks and %zu tasks of unknown state", run,
			 ended, sought);
}
