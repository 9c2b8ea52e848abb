/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/local/diary.h"

#include <stdio.h>
#include <string.h>

#include "sched/mirror/tables.h"
#include "sched/process/clock.h"
#include "sched/process/log.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/request.h"

/* Any user may repeat a request that is refused, or one that changes his jobs, without an end. */
#define REFUSALS_A_SECOND 20
#define CHANGES_A_SECOND 50

/* Requests */

/* Who only looks is no news, whatever he is told, and may look often. */
static bool only_looks(const char *kind)
{
	return strcmp(kind, "follow") == 0 || strcmp(kind, "describe") == 0;
}

/* Is there room for one more line in this second? */
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

/* Submissions are limited by --user-bytes and max_u_jobs, and deletions by them: each is logged. */
static bool can_be_repeated(const struct client *c, const char *kind)
{
	return !client_is_operator(c) && strcmp(kind, "submit") != 0 && strcmp(kind, "delete") != 0;
}

static bool is_logged(struct diary *d, const struct client *c, const struct log_event *event)
{
	if (event->refused)
		return rate_allows(&d->refusals, REFUSALS_A_SECOND, "were refused");
	if (!c->request.changes)
		return false;
	return !can_be_repeated(c, event->name) || rate_allows(&d->changes, CHANGES_A_SECOND, "changed jobs");
}

static void result_tell(struct local *l, const struct client *c, json_t *result)
{
	const char *text = json_string_value(json_object_get(result, "text"));
	const struct person *person = person_of(&l->people, c->uid);	/* c->owner may be somebody else's by now */
	struct log_event event = { .name = c->request.kind ? c->request.kind : "request", .user = person ? person->name : NULL, .uid = c->uid,
				   .job_number = (uint32_t)json_integer_value(json_object_get(result, "job_number")),
				   .task = (uint32_t)json_integer_value(json_object_get(result, "task")),
				   .refused = json_integer_value(json_object_get(result, "code")) != RESULT_DONE };

	if (only_looks(event.name))
		return;
	if (is_logged(&l->diary, c, &event))
		log_event(LOG_NOTE, &event, "%s", text ? text : "");
}

void diary_results(struct local *l, struct client *c)
{
	size_t n = json_array_size(c->request.results);

	for (; c->request.told < n; c->request.told++)
		result_tell(l, c, json_array_get(c->request.results, c->request.told));
}

/* Tasks */

static const char *owner_of(const struct local *l, uint32_t job_number)
{
	const struct mirror *m = l->intake->mirror;
	uint32_t row = jobs_find(&m->state->jobs, job_number);

	return row == INDEX_NONE ? "?" : mirror_text(m, classes_key(&m->classes, job_fact(&m->state->jobs, row, class_id))->owner);
}

static struct log_event event_of(const struct local_task *t, const char *name, const char *owner)
{
	return (struct log_event){ .name = name, .user = owner, .uid = -1, .job_number = t->job_number, .task = t->is_array ? t->id : 0 };
}

static void name_of(const struct local_task *t, char name[60])
{
	snprintf(name, 60, t->is_array ? "task %u.%u" : "job %u", t->job_number, t->id);
}

void diary_start(const struct local *l, const struct local_task *t)
{
	struct log_event event = event_of(t, "start", owner_of(l, t->job_number));
	uint32_t slots = local_task_slots(t);
	char name[60];

	name_of(t, name);
	log_event(LOG_NOTE, &event, "%s of %s in %s, %u slot%s", name, event.user, local_task_queue(t), slots, slots == 1 ? "" : "s");
}

void diary_end(const struct local_task *t)
{
	struct log_event event = event_of(t, "end", t->ending.owner);
	char name[60], signal[40] = "";

	name_of(t, name);
	if (t->ending.signal)
		snprintf(signal, sizeof(signal), " by signal %d", t->ending.signal);
	log_event(LOG_NOTE, &event, "%s of %s: failed %d, exit status %d%s, after %.2f s; CPU %.2f s, memory %.3f GBs, input and output %.3f GB%s", name, event.user,
		  t->ending.failed, t->ending.exit_status, signal, t->ending.wallclock_s, t->usage.cpu_s, t->usage.mem_gbs, t->usage.io_gb,
		  t->ending.requeue ? "; it waits again" : "");
}

void diary_found(const struct local *l)
{
	size_t run = 0, ended = 0, sought = 0;

	for (size_t i = 0; i < l->tasks.n; i++) {
		const struct local_task *t = l->tasks.items[i];

		ended += local_task_has_ended(t);
		sought += t->life == TASK_SOUGHT;
		run += !local_task_has_ended(t) && t->life != TASK_SOUGHT;
	}
	if (l->tasks.n > 0)
		log_line(LOG_NOTE, "found again: %zu tasks that run, %zu that have ended meanwhile, %zu that are looked for", run, ended, sought);
}
