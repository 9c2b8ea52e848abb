/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/process/log.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/tell.h"

void local_answer(struct local *l, const char *line, size_t length)
{
	json_t *answer = json_loadb(line, length, 0, NULL);
	const char *kind = json_string_value(json_object_get(answer, "answer")), *text = json_string_value(json_object_get(answer, "text"));

	if (kind && text && strcmp(kind, "error") == 0)
		error_set(&l->refusal, 0, "%s", text);
	json_decref(answer);
}

int tell_known(int rc, const struct error *error, uint32_t job_number)
{
	if (rc != -EINVAL)
		return rc;
	log_line(LOG_FAILURE, "the scheduler does not know of job %u what this cell does: %s", job_number, error->text);
	return 0;
}

/* The number stands first. */
static json_t *numbered(const struct local *l, json_t *event)
{
	json_t *line = json_pack("{sI}", "seq", (json_int_t)(l->events->last + 1));

	if (line && event && json_object_update(line, event) == 0)
		return line;
	json_decref(line);
	return NULL;
}

int tell(struct local *l, json_t *event, struct error *error)
{
	json_t *line = numbered(l, event);
	char *text = line ? json_dumps(line, JSON_COMPACT) : NULL;
	uint64_t refused = l->events->refused;
	int rc = 0;

	json_decref(line);
	json_decref(event);
	if (!text)
		return error_set(error, -ENOMEM, "out of memory");
	l->refusal.text[0] = '\0';
	if (strlen(text) > LINE_BYTES)
		rc = error_set(error, -EINVAL, "it is longer than %u bytes", LINE_BYTES);
	else
		events_line(l->events, text, strlen(text));
	if (rc == 0 && l->events->refused != refused)
		rc = error_set(error, -EINVAL, "%s", l->refusal.text);
	free(text);
	return rc;
}

/* A string. */
static json_t *ranges_text(const struct ranges *ranges)
{
	size_t length = ranges_format(ranges, NULL, 0);
	char *text = malloc(length + 1);
	json_t *string = NULL;

	if (text) {
		ranges_format(ranges, text, length + 1);
		string = json_string(text);
	}
	free(text);
	return string;
}

static json_t *holds(const struct local_job *job)
{
	static const char *const letters[HOLD_KINDS] = { "u", "o", "s" };
	json_t *object = json_object();

	for (int k = 0; k < HOLD_KINDS; k++)
		if (job->hold[k].n > 0)
			json_object_set_new(object, letters[k], ranges_text(&job->hold[k]));
	return object;
}

/* Whether it is in the error state, and why. */
static json_t *error_of(const struct local_job *job)
{
	return job->error ? json_string(job->error) : json_false();
}

static json_t *job_event(const struct local_job *job, const struct ranges *tasks)
{
	json_t *event = json_pack("{ss sI ss sI ss so so}", "event", "job_add", "job_number", (json_int_t)job->number, "owner", job->owner,
				  "submission_time", (json_int_t)job->submission_time, "group", job->group, "hold", holds(job),
				  "error", error_of(job));

	if (event && job->is_array)
		json_object_set_new(event, "tasks", ranges_text(tasks));
	if (event)
		json_object_update_missing(event, job->request);
	return event;
}

int tell_job(struct local *l, const struct local_job *job, const struct ranges *tasks, struct error *error)
{
	return tell(l, job_event(job, tasks), error);
}

int tell_fits(const struct local_job *job, struct error *error)
{
	return json_dumpb(job->request, NULL, 0, JSON_COMPACT) <= REQUEST_BYTES ? 0 :
	       error_set(error, -EINVAL, "job rejected: what it asks for takes more than %d bytes", REQUEST_BYTES);
}

int tell_holds(struct local *l, const struct local_job *job, struct error *error)
{
	json_t *event = json_pack("{ss sI so so}", "event", "job_modify", "job_number", (json_int_t)job->number, "hold", holds(job),
				  "error", error_of(job));

	if (event && job->is_array)
		json_object_set_new(event, "tasks", ranges_text(&job->waiting));
	return tell(l, event, error);
}

static json_t *granted(const struct local_task *t)
{
	json_t *list = json_array(), *entry;
	size_t i;

	json_array_foreach(t->granted, i, entry)
		json_array_append_new(list, json_pack("{sO sO}", "queue", json_object_get(entry, "queue"),
						      "slots", json_object_get(entry, "slots")));
	return list;
}

int tell_start(struct local *l, const struct local_task *t, struct error *error)
{
	json_t *event = json_pack("{ss sI sI sI so ss*}", "event", "task_start", "job_number", (json_int_t)t->job_number, "task", (json_int_t)t->id,
				  "start_time", (json_int_t)t->start_time, "granted", granted(t), "granted_pe", t->granted_pe);
	int rc = tell(l, event, error);

	if (rc == 0 && t->letters[0])
		rc = tell(l, json_pack("{ss sI sI ss}", "event", "task_state", "job_number", (json_int_t)t->job_number,
				       "task", (json_int_t)t->id, "state", t->letters), error);
	/* a scheduler before this one has told that */
	if (rc == 0 && t->usage.cpu_s + t->usage.mem_gbs + t->usage.io_gb > 0)
		rc = tell_usage(l, t, error);
	return rc;
}

static json_t *usage_of(const struct local_task *t)
{
	return json_pack("{sf sf sf}", "cpu", t->usage.cpu_s, "mem", t->usage.mem_gbs, "io", t->usage.io_gb);
}

int tell_usage(struct local *l, const struct local_task *t, struct error *error)
{
	return tell(l, json_pack("{ss sI sI so}", "event", "usage", "job_number", (json_int_t)t->job_number, "task", (json_int_t)t->id,
				 "scaled_usage", usage_of(t)), error);
}

int tell_end(struct local *l, const struct local_task *t, struct error *error)
{
	json_int_t number = (json_int_t)t->job_number, id = (json_int_t)t->id;
	int rc;

	if (!t->ending.requeue)
		return tell(l, json_pack("{ss sI sI so}", "event", "task_finish", "job_number", number, "task", id,
					 "scaled_usage", usage_of(t)), error);
	rc = tell_usage(l, t, error);
	return rc ? rc : tell(l, json_pack("{ss sI sI}", "event", "task_requeue", "job_number", number, "task", id), error);
}
