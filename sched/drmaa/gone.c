/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs that are neither in shared memory nor in the accounting file: they were deleted before they
 * started, or the file cannot be read. A request to follow the job is sent to the scheduler. It
 * reports at once that a job has ended, and the results of its tasks if it knows them.
 */
#include <stdlib.h>
#include <string.h>

#include "sched/cli/cli.h"
#include "sched/cli/server.h"
#include "sched/drmaa/inside.h"

static void ended_take(struct tracked *tracked, const json_t *news)
{
	size_t k = tracked_find(tracked, (uint32_t)json_integer_value(json_object_get(news, "job_number")),
				(uint32_t)json_integer_value(json_object_get(news, "task")));
	int signal = (int)json_integer_value(json_object_get(news, "signal"));
	long failed = (long)json_integer_value(json_object_get(news, "failed")),
	     status = (long)json_integer_value(json_object_get(news, "exit_status"));

	if (k == SIZE_MAX || tracked->jobs[k].ended || json_is_true(json_object_get(news, "requeue")))
		return;
	tracked->jobs[k].stat = stat_for(&tracked->jobs[k], signal ? stat_signaled(signal) : stat_of(failed, status));
	tracked->jobs[k].ended = true;
}

static void all_gone(struct tracked *tracked, uint32_t number)
{
	for (size_t k = 0; k < tracked->n; k++)
		if (tracked->jobs[k].number == number && !tracked->jobs[k].ended) {
			tracked->jobs[k].stat = stat_aborted();
			tracked->jobs[k].ended = true;
		}
}

/*
 * Return whether the number belongs to a job of another user. Then the store has been replaced, and
 * the job of this session does not exist any more.
 */
static bool is_foreign(const json_t *line)
{
	const json_t *result = json_array_get(json_object_get(line, "results"), 0);

	return json_integer_value(json_object_get(result, "code")) == EXIT_PERMISSION;
}

static void line_take(struct tracked *tracked, const json_t *line, uint32_t number)
{
	const char *news = json_string_value(json_object_get(line, "news"));

	if (!news ? is_foreign(line) : !strcmp(news, "gone"))
		all_gone(tracked, number);
	else if (news && !strcmp(news, "ended"))
		ended_take(tracked, line);
}

/* Read lines up to the answer to a request. At a failure of the connection NULL ends them. */
static bool lines_gather(struct server *server, json_t *lines)
{
	json_t *line;

	while ((line = server_line(server, 0)) != NULL) {
		bool answered = !json_object_get(line, "news");

		if (json_array_append_new(lines, line))
			return false;
		if (answered)
			return true;
	}
	return false;
}

/*
 * Read earlier events of the job, which may come before or after the answer. The answer to a second
 * request comes after all of them.
 */
static void news_gather(struct server *server, uint32_t number, json_t *lines)
{
	if (server_send(server, json_pack("{s:s,s:I}", "request", "follow", "job_number", (json_int_t)number)) == 0 &&
	    lines_gather(server, lines) &&
	    server_send(server, json_pack("{s:s,s:[]}", "request", "release", "jobs")) == 0)
		lines_gather(server, lines);
}

static void unheard(void *context, enum exit_code code, const char *text)
{
	(void)context;
	(void)code;
	(void)text;
}

static void undone(void *context, long long job_number, const char *text, bool terse)
{
	(void)context;
	(void)job_number;
	(void)text;
	(void)terse;
}

/*
 * Ask the scheduler about a job. Without a scheduler nothing is changed, and the caller asks again
 * later.
 */
bool gone_ask(uint32_t number, unsigned patience_s)
{
	static const struct cli_listener listener = { NULL, unheard, undone };
	json_t *lines = json_array(), *line;
	char *cell = strdup(session.cell);
	struct server server = { .fd = -1, .cell = cell, .patience_s = patience_s };
	bool active;
	size_t k;

	session_away();
	cli_listen(&listener);
	if (cell && lines && server_open_again(&server) == 0)
		news_gather(&server, number, lines);
	cli_listen(NULL);
	server_close(&server);
	active = session_back();
	json_array_foreach(lines, k, line)
		if (active)
			line_take(&session.tracked, line, number);
	json_decref(lines);
	free(cell);
	return active;
}
