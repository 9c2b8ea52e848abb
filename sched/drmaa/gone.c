/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs of which neither shared memory nor the accounting file says anything: they were deleted
 * before they began, or the file can't be read. The scheduler is asked to let us follow the job; of
 * one that has gone it says so at once, and how its tasks have ended as far as it knows.
 */
#include <string.h>

#include "sched/cli/cli.h"
#include "sched/cli/server.h"
#include "sched/drmaa/inside.h"

static void ended_take(struct tracked *t, const json_t *news)
{
	size_t k = tracked_find(t, (uint32_t)json_integer_value(json_object_get(news, "job_number")),
				(uint32_t)json_integer_value(json_object_get(news, "task")));
	int signal = (int)json_integer_value(json_object_get(news, "signal"));
	long failed = (long)json_integer_value(json_object_get(news, "failed")), status = (long)json_integer_value(json_object_get(news, "exit_status"));

	if (k == SIZE_MAX || t->jobs[k].ended || json_is_true(json_object_get(news, "requeue")))
		return;
	t->jobs[k].stat = signal ? stat_signaled(signal) : stat_of(failed, status);
	t->jobs[k].ended = true;
}

static void all_gone(struct tracked *t, uint32_t number)
{
	for (size_t k = 0; k < t->n; k++)
		if (t->jobs[k].number == number && !t->jobs[k].ended) {
			t->jobs[k].stat = stat_aborted();
			t->jobs[k].ended = true;
		}
}

/*
 * What has come up to the answer to a second request, behind which nothing of the first can come.
 */
static void news_take(struct server *server, struct tracked *t, uint32_t number)
{
	bool answered = false;
	json_t *line;

	while (!answered && (line = server_line(server, 0)) != NULL) {
		const char *news = json_string_value(json_object_get(line, "news"));

		if (!news)
			answered = true;
		else if (!strcmp(news, "ended"))
			ended_take(t, line);
		else if (!strcmp(news, "gone"))
			all_gone(t, number);
		json_decref(line);
	}
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

void gone_ask(const char *cell, struct tracked *t, uint32_t number)
{
	static const struct cli_listener listener = { NULL, unheard, undone };
	struct server server;
	int code;

	cli_listen(&listener);
	code = server_open(&server, cell);
	cli_listen(NULL);
	if (code)
		return;		/* there is no scheduler now: later */
	if (server_send(&server, json_pack("{s:s,s:I}", "request", "follow", "job_number", (json_int_t)number)) == 0) {
		/* news of what has been may come before the answer */
		news_take(&server, t, number);
		if (server_send(&server, json_pack("{s:s,s:[]}", "request", "release", "jobs")) == 0)
			news_take(&server, t, number);
	}
	server_close(&server);
}
