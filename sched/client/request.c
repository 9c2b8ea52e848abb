/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/client/request.h"

#include <errno.h>
#include <string.h>

#include "sched/client/job.h"
#include "sched/client/line.h"
#include "sched/client/parse.h"

/* Members of a request. */
enum {
	HAS_JOB = 1, HAS_JOBS = 2, HAS_QUEUES = 4, HAS_RESERVATIONS = 8, HAS_NUMBER = 16, HAS_HOLDS = 32, HAS_FORCE = 64
};

static const struct {
	const char *name;
	unsigned members;
	const char *shown_by;		/* command that shows the effect; NULL: stat */
} kinds[] = {
	[REQUEST_SUBMIT] = { "submit", HAS_JOB, NULL },
	[REQUEST_RESUBMIT] = { "resubmit", HAS_NUMBER, NULL },
	[REQUEST_ALTER] = { "alter", HAS_JOBS | HAS_JOB, NULL },
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

/* Write a member with a text. NULL: it has none. */
static void text_write(struct out *out, const char *key, const char *text)
{
	if (text)
		json_write_plain(out, key, text);
}

/* Operands */

/* Write an operand. `name`: the member with its name. */
static void operand_write(struct out *out, const struct operand *operand, const char *name)
{
	const char *before = "";

	json_write_literal(out, "{");
	if (operand->user) {
		json_write_plain(out, "\"user\":", operand->user);
		before = ",";
	}
	if (operand->name) {
		json_write_literal(out, before);
		json_write_plain(out, name, operand->name);
		before = ",";
	}
	if (operand->tasks) {
		json_write_literal(out, before);
		json_write_plain(out, "\"tasks\":", operand->tasks);
	}
	json_write_literal(out, "}");
}

static void operands_write(struct out *out, const struct operand_list *operands, unsigned members)
{
	const char *name = members & HAS_JOBS ? "\"job\":" : "\"reservation\":";

	json_write_literal(out, members & HAS_JOBS     ? ",\"jobs\":["
				: members & HAS_QUEUES ? ",\"queues\":["
						       : ",\"reservations\":[");
	for (size_t i = 0; i < operands->n; i++) {
		json_write_literal(out, i > 0 ? "," : "");
		if (members & HAS_QUEUES)
			json_plain_text(out, operands->items[i].name);
		else
			operand_write(out, &operands->items[i], name);
	}
	json_write_literal(out, "]");
}

/* Requests of one kind */

static void job_write(struct out *out, const struct scheduler_request *request)
{
	const struct job *job = request->job;

	json_write_literal(out, ",\"job\":{");
	job_request_write(out, &job->request);
	json_write_literal(out, "}");
	if (request->kind == REQUEST_SUBMIT || job_has_execution(job)) {
		json_write_literal(out, ",\"execution\":{");
		execution_write(out, &job->execution, NULL);
		json_write_literal(out, "}");
	}
	text_write(out, ",\"check\":", request->check);
	if (request->verify)
		json_write_bool(out, ",\"verify\":", true);
	if (request->follow)
		json_write_bool(out, ",\"follow\":", true);
}

static void edit_write(struct out *out, const struct priority_edit *edit)
{
	text_write(out, ",\"edit\":", edit->name);
	text_write(out, ",\"customer\":", edit->customer);
	if (edit->has_value)
		json_write_exact(out, ",\"value\":", edit->value);
	if (edit->duration_s)
		json_write_number(out, ",\"duration\":", edit->duration_s);
}

static void own_write(struct out *out, const struct scheduler_request *request)
{
	switch (request->kind) {
	case REQUEST_DELETE:
		json_write_bool(out, ",\"force\":", request->force);
		break;
	case REQUEST_JOBPRIO:
		json_write_number(out, request->is_relative ? ",\"by\":" : ",\"to\":", request->priority);
		break;
	case REQUEST_SESSION:
		text_write(out, ",\"session\":", request->session);
		break;
	case REQUEST_RESERVE:
		json_write_literal(out, ",\"reservation\":{");
		job_request_write(out, &request->job->request);
		json_write_bool(out, "},\"verify\":", request->verify);
		break;
	case REQUEST_USERPRIO:
		edit_write(out, request->edit);
		break;
	default:
		break;
	}
}

/* Write a request without the newline. */
static void request_write(struct out *out, const struct scheduler_request *request)
{
	unsigned members = kinds[request->kind].members;

	json_write_plain(out, "{\"request\":", kinds[request->kind].name);
	if (members & (HAS_JOBS | HAS_QUEUES | HAS_RESERVATIONS))
		operands_write(out, request->operands, members);
	if (members & HAS_JOB)
		job_write(out, request);
	if (members & HAS_NUMBER)
		json_write_number(out, ",\"job_number\":", request->number);
	if (members & HAS_HOLDS)
		text_write(out, ",\"kind\":", request->holds);
	if (members & HAS_FORCE && request->force)
		json_write_bool(out, ",\"force\":", true);
	own_write(out, request);
	json_write_literal(out, "}");
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
	struct out out;
	int rc = line_begin(&out);

	if (rc == 0) {
		request_write(&out, request);
		rc = line_send(connection, &out);
	}
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
