/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/cli/jobs/ask.h"
#include "sched/cli/verbs.h"
#include "sched/client/submission.h"

/* Submit the job, print the reply, and wait for the job if that is requested. */
static int send(const struct submission *submission)
{
	const struct ask_format format = { .json = submission->json, .terse = submission->terse };
	const struct scheduler_request request = submission_request(submission);
	struct messages *messages = submission->job.messages;
	struct follow follow = submission->follow;
	struct reply reply = { .n = 0 };
	struct connection connection;
	int code;

	messages_flush(messages);
	code = connection_open(&connection, submission->cell, messages);
	if (request.follow)
		follow_prepare(&follow);
	if (!code)
		code = ask_print(&connection, &request, &format, &reply, messages);
	fflush(stdout);
	if (!code && request.follow)
		code = follow_job(&connection, &follow, reply_job(&reply), messages);
	connection_close(&connection);
	reply_free(&reply);
	return code;
}

/* --again: send one request per job. */
static int copies_send(const struct submission *submission)
{
	const struct ask_format format = { .terse = submission->terse };
	struct messages *messages = submission->job.messages;
	char *copy = strdup(submission->copied), *rest = copy, *word;
	struct connection connection = { .fd = -1 };
	int code = copy ? connection_open(&connection, submission->cell, messages) : message_no_memory(messages);

	while (connection.fd >= 0 && (word = strsep(&rest, ",")) != NULL) {
		struct scheduler_request request = { .kind = REQUEST_RESUBMIT };
		struct reply reply = { .n = 0 };
		int one;

		request.number = operands_number(messages, "submit", "--again", word);
		one = request.number ? ask_print(&connection, &request, &format, &reply, messages) : EXIT_USAGE;
		code = one > code ? one : code;
		reply_free(&reply);
		messages_flush(messages);
	}
	connection_close(&connection);
	free(copy);
	return code;
}

static int show(struct messages *messages, const char *cell, int argc, char **argv)
{
	struct submission submission = { .job = { .verb = "submit", .messages = messages }, .cell = cell };
	int code = submission_reset(&submission);

	if (!code)
		code = submission_gather(&submission, argc, argv);
	if (!code && submission.copied)
		code = *submission.command ? message_add(messages, EXIT_USAGE, "submit",
							 "--again cannot be combined with a command")
					   : copies_send(&submission);
	else if (!code && (code = submission_finish(&submission)) == EXIT_OK)
		code = submission.shows ? submission_show(&submission) : send(&submission);
	submission_close(&submission);
	return code;
}

int submit_run(const char *cell, int argc, char **argv)
{
	return verb_print(show, cell, argc, argv);
}
