/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/client/commands.h"
#include "sched/client/submission.h"
#include "sched/process/ranges.h"

#define TASKS_BYTES 200

/* Return the task ids as the scheduler names them, like qsub: "1-3:1". NULL: it is no array. */
static const char *tasks_text(const struct submission *submission, char tasks[TASKS_BYTES])
{
	struct ranges ranges = { 0 };
	bool is_array = submission->tasks && ranges_parse(&ranges, submission->tasks) == 0;

	if (is_array && ranges.n == 1)
		snprintf(tasks, TASKS_BYTES, "%u-%u:%u", ranges.items[0].min, ranges.items[0].max,
			 ranges.items[0].step);
	else if (is_array)
		ranges_format(&ranges, tasks, TASKS_BYTES);
	ranges_free(&ranges);
	return is_array ? tasks : NULL;
}

/* Submit the job, print the reply, and wait for the job if that is requested. */
static int send(const struct caller *caller, const struct submission *submission)
{
	const struct scheduler_request request = submission_request(submission);
	char tasks[TASKS_BYTES];
	const struct reply_format format = { .json = submission->json,
					     .terse = submission->terse,
					     .waits = request.follow,
					     .tasks = tasks_text(submission, tasks) };
	struct messages *messages = caller->messages;
	struct follow follow = submission->follow;
	struct reply reply = { .n = 0 };
	struct connection connection;
	int code;

	messages_flush(messages);
	code = connection_open(&connection, submission->cell, messages);
	if (request.follow)
		follow_prepare(&follow);
	if (!code)
		code = caller_ask(caller, &connection, &request, &format, &reply);
	if (!code && request.follow)
		code = follow_job(&connection, &follow, reply_job(&reply), messages);
	connection_close(&connection);
	reply_free(&reply);
	return code;
}

/* --again: send one request per job. */
static int copies_send(const struct caller *caller, const struct submission *submission)
{
	const struct reply_format format = { .terse = submission->terse };
	struct messages *messages = caller->messages;
	char *copy = strdup(submission->copied), *rest = copy, *word;
	struct connection connection = { .fd = -1 };
	int code = copy ? connection_open(&connection, submission->cell, messages) : message_no_memory(messages);

	while (connection.fd >= 0 && (word = strsep(&rest, ",")) != NULL) {
		struct scheduler_request request = { .kind = REQUEST_RESUBMIT };
		struct reply reply = { .n = 0 };
		int one;

		request.number = operands_number(messages, "submit", "--again", word);
		one = request.number ? caller_ask(caller, &connection, &request, &format, &reply) : EXIT_USAGE;
		code = one > code ? one : code;
		reply_free(&reply);
		messages_flush(messages);
	}
	connection_close(&connection);
	free(copy);
	return code;
}

int submit_ask(const struct caller *caller, int argc, char **argv)
{
	struct messages *messages = caller->messages;
	struct submission submission = { .job = { .verb = "submit", .messages = messages }, .cell = caller->cell };
	int code;

	submission_reset(&submission);
	code = submission_gather(&submission, argc, argv);
	if (!code && submission.copied)
		code = *submission.command ? message_add(messages, EXIT_USAGE, "submit",
							 "--again cannot be combined with a command")
					   : copies_send(caller, &submission);
	else if (!code)
		code = submission_finish(&submission);
	if (!code && !submission.copied && submission.shows)
		caller->show(&submission);
	else if (!code && !submission.copied)
		code = send(caller, &submission);
	submission_close(&submission);
	return code;
}
