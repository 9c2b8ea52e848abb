/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/client/request.h"

#include <errno.h>
#include <string.h>

#include "sched/client/job_inside.h"
#include "sched/client/line.h"
#include "sched/client/parse.h"

/* Members of a request. */
enum {
	HAS_JOB = 1, HAS_EXECUTION = 2, HAS_CHECK = 4, HAS_JOBS = 8, HAS_QUEUES = 16, HAS_RESERVATIONS = 32,
	HAS_NUMBER = 64, HAS_HOLDS = 128, HAS_FORCE = 256
};

static const struct {
	const char *name;
	unsigned members;
	const char *shown_by;		/* command that shows the effect; NULL: stat */
} kinds[] = {
	[REQUEST_SUBMIT] = { "submit", HAS_JOB | HAS_EXECUTION | HAS_CHECK, NULL },
	[REQUEST_RESUBMIT] = { "resubmit", HAS_NUMBER, NULL },
	[REQUEST_ALTER] = { "alter", HAS_JOBS | HAS_JOB | HAS_EXECUTION | HAS_CHECK, NULL },
	[REQUEST_DELETE] = { "delete", HAS_JOBS, NULL },
	[REQUEST_HOLD] = { "hold", HAS_JOBS | HAS_HOLDS, NULL },
	[REQUEST_RELEASE] = { "release", HAS_JOBS | HAS_HOLDS, NULL },
	[REQUEST_CLEAR] = { "clear", HAS_JOBS, NULL },
	[REQUEST_SUSPEND] = { "suspend", HAS_JOBS, NULL },
	[REQUEST_UNSUSPEND] = { "unsuspend", HAS_JOBS, NULL },
	[REQUEST_RESCHEDULE] = { "reschedule", HAS_JOBS | HAS_FORCE, NULL },
	[REQUEST_DISABLE] = { "disable", HAS_QUEUES, "queues" },
	[REQUEST_ENABLE] = { "enable", HAS_QUEUES, "queues" },
	[REQUEST_SUSPEND_QUEUE] = { "suspend_queue", HAS_QUEUES, "queues" },
	[REQUEST_UNSUSPEND_QUEUE] = { "unsuspend_queue", HAS_QUEUES, "queues" },
	[REQUEST_CLEAR_QUEUE] = { "clear_queue", HAS_QUEUES, "queues" },
	[REQUEST_RESCHEDULE_QUEUE] = { "reschedule_queue", HAS_QUEUES | HAS_FORCE, "queues" },
	[REQUEST_JOBPRIO] = { "jobprio", HAS_JOBS, NULL },
	[REQUEST_FOLLOW] = { "follow", HAS_NUMBER, NULL },
	[REQUEST_SESSION] = { "session", 0, NULL },
	[REQUEST_RESERVE] = { "reserve", 0, NULL },
	[REQUEST_UNRESERVE] = { "unreserve", HAS_RESERVATIONS, NULL },
	[REQUEST_USERPRIO] = { "userprio", 0, "userprio" },
};

/* Set a member. `failed` collects failures. The function takes the value. */
static void set(json_t *object, const char *member, json_t *value, int *failed)
{
	*failed |= json_object_set_new(object, member, value);
}

static void set_text(json_t *object, const char *member, const char *text, int *failed)
{
	if (text)
		set(object, member, json_string(text), failed);
}

/* Operands */

static json_t *operand_json(const struct operand *operand, const char *name, int *failed)
{
	json_t *entry = json_object();

	set_text(entry, "user", operand->user, failed);
	set_text(entry, name, operand->name, failed);
	set_text(entry, "tasks", operand->tasks, failed);
	return entry;
}

static void operands_set(json_t *object, const struct scheduler_request *request, unsigned members, int *failed)
{
	const char *member = members & HAS_JOBS ? "jobs" : members & HAS_QUEUES ? "queues" : "reservations",
		   *name = members & HAS_JOBS ? "job" : "reservation";
	json_t *list = json_array();

	for (size_t i = 0; i < request->operands->n; i++) {
		const struct operand *operand = &request->operands->items[i];

		*failed |= json_array_append_new(list, members & HAS_QUEUES ? json_string(operand->name)
									   : operand_json(operand, name, failed));
	}
	set(object, member, list, failed);
}

/* Requests of one kind */

static void job_set(json_t *object, const struct scheduler_request *request, unsigned members, int *failed)
{
	bool always = request->kind == REQUEST_SUBMIT || json_object_size(request->job->execution) > 0;

	set(object, "job", json_incref(request->job->members), failed);
	if (members & HAS_EXECUTION && always)
		set(object, "execution", json_incref(request->job->execution), failed);
	set_text(object, "check", request->check, failed);
	if (request->verify)
		set(object, "verify", json_true(), failed);
	if (request->follow)
		set(object, "follow", json_true(), failed);
}

static void edit_set(json_t *object, const struct priority_edit *edit, int *failed)
{
	set_text(object, "edit", edit->name, failed);
	set_text(object, "customer", edit->customer, failed);
	if (edit->has_value)
		set(object, "value", json_real(edit->value), failed);
	if (edit->duration_s)
		set(object, "duration", json_integer(edit->duration_s), failed);
}

static void own_set(json_t *object, const struct scheduler_request *request, int *failed)
{
	switch (request->kind) {
	case REQUEST_DELETE:
		set(object, "force", json_boolean(request->force), failed);
		break;
	case REQUEST_JOBPRIO:
		set(object, request->is_relative ? "by" : "to", json_integer(request->priority), failed);
		break;
	case REQUEST_SESSION:
		set_text(object, "session", request->session, failed);
		break;
	case REQUEST_RESERVE:
		set(object, "reservation", json_incref(request->job->members), failed);
		set(object, "verify", json_boolean(request->verify), failed);
		break;
	case REQUEST_USERPRIO:
		edit_set(object, request->edit, failed);
		break;
	default:
		break;
	}
}

/* Return the line of a request. NULL: memory is exhausted. */
static json_t *request_line(const struct scheduler_request *request)
{
	unsigned members = kinds[request->kind].members;
	json_t *object = json_object();
	int failed = 0;

	set_text(object, "request", kinds[request->kind].name, &failed);
	if (members & (HAS_JOBS | HAS_QUEUES | HAS_RESERVATIONS))
		operands_set(object, request, members, &failed);
	if (members & HAS_JOB)
		job_set(object, request, members, &failed);
	if (members & HAS_NUMBER)
		set(object, "job_number", json_integer(request->number), &failed);
	if (members & HAS_HOLDS)
		set_text(object, "kind", request->holds, &failed);
	if (members & HAS_FORCE && request->force)
		set(object, "force", json_true(), &failed);
	own_set(object, request, &failed);
	if (!failed)
		return object;
	json_decref(object);
	return NULL;
}

/* Sending, and the reply */

/* Add that there is no reply. `rc` is that of line_receive(), or 1 for an unknown reason. */
static int not_answered(const struct connection *connection, const struct scheduler_request *request, int rc,
			struct messages *messages)
{
	const char *why = rc == -EAGAIN ? "it has been silent for a minute" : rc < 0 ? strerror(-rc) : "",
		   *shown_by = kinds[request->kind].shown_by;

	return message_add(messages, EXIT_NO_DATA, NULL,
			   "%s: the scheduler has not answered%s%s; fairlead %s shows whether the request was carried out",
			   connection->cell, *why ? ": " : "", why, shown_by ? shown_by : "stat");
}

int request_send(struct connection *connection, const struct scheduler_request *request, struct messages *messages)
{
	int rc = line_send(connection, request_line(request));

	if (rc == -EMSGSIZE)
		return message_add(
			messages, EXIT_USAGE, NULL,
			"the request is longer than %u bytes: a shorter script, less of the environment (-V), or "
			"fewer arguments",
			REQUEST_LINE_BYTES);
	if (rc == -ENOMEM)
		return message_no_memory(messages);
	return rc ? not_answered(connection, request, rc, messages) : EXIT_OK;
}

int request_ask(struct connection *connection, const struct scheduler_request *request, struct reply *reply,
		struct messages *messages)
{
	int code = request_send(connection, request, messages), rc;
	json_t *line;

	*reply = (struct reply){ .n = 0 };
	if (code)
		return code;
	connection_note_silence(connection, messages);
	rc = line_receive(connection, 0, &line);
	if (rc)
		return not_answered(connection, request, rc, messages);
	rc = reply_parse(line, reply);
	json_decref(line);
	if (rc == -ENOMEM)
		return message_no_memory(messages);
	return rc ? message_add(messages, EXIT_NO_DATA, NULL,
				"%s: this program does not understand the scheduler's answer", connection->cell)
		  : EXIT_OK;
}
