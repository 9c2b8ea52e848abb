/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/jobs/follow.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "sched/cli/cli.h"
#include "sched/process/ranges.h"

#define EXIT_NOT_RUN 1		/* exit status of qsub */

struct following {
	const struct follow *asked;
	struct server *server;
	long long number;
	/*
	 * Ended task ids, 1 for a job that is not an array. After a restart, the scheduler may
	 * report a task again.
	 */
	struct ranges ended;
	bool started, failed, over;
	bool alone;		/* the scheduler is gone, and this was reported */
	char error[600];	/* last reported reason for the error state */
	int code;		/* first exit status of a task that is not 0 */
};

/* Events from the scheduler */

static void started(struct following *following)
{
	if (following->asked->now && !following->started)
		fprintf(stderr, "Your immediate job %lld has been successfully scheduled.\n", following->number);
	following->started = true;
	following->over = !following->asked->sync;
}

static void ended(struct following *following, const json_t *news)
{
	json_int_t task = json_integer_value(json_object_get(news, "task")),
		   failed = json_integer_value(json_object_get(news, "failed"));
	int signal = (int)json_integer_value(json_object_get(news, "signal")),
	    code = (int)json_integer_value(json_object_get(news, "exit_status"));
	uint32_t id = task ? (uint32_t)task : 1;
	char name[64];

	started(following);
	if (following->over || task < 0 || task > UINT32_MAX || ranges_contain(&following->ended, id) ||
	    ranges_add(&following->ended, id))
		return;
	snprintf(name, sizeof(name), task ? "%lld.%lld" : "%lld", following->number, (long long)task);
	if (failed == 19)
		fprintf(stderr, "Job %s was lost: its shepherd or the machine went down\n", name);
	else if (signal)
		fprintf(stderr, "Job %s exited because of signal SIG%s\n", name,
			sigabbrev_np(signal) ? sigabbrev_np(signal) : "UNKNOWN");
	else
		fprintf(stderr, "Job %s exited with exit code %d.\n", name, code);
	following->failed = following->failed || failed == 19 || signal;
	following->code = following->code ? following->code : code;
}

/*
 * Report the error state. Like qsub, the command continues to wait, as the job can run after the
 * error is cleared. After a restart, the scheduler may report the error again.
 */
static void in_error(struct following *following, const json_t *news)
{
	const char *text = json_string_value(json_object_get(news, "text"));
	json_int_t task = json_integer_value(json_object_get(news, "task"));
	char name[64];

	if (!text || strncmp(text, following->error, sizeof(following->error) - 1) == 0)
		return;
	snprintf(following->error, sizeof(following->error), "%s", text);
	snprintf(name, sizeof(name), task > 0 ? "%lld.%lld" : "%lld", following->number, (long long)task);
	fprintf(stderr,
		"Job %s is in the error state: %s\n"
		"The command waits for it: repair the cause and clear the state with \"fairlead mod -cj %s\", or "
		"delete the job with \"fairlead del %lld\".\n",
		name, text, name, following->number);
}

static void gone(struct following *following)
{
	uint64_t n = ranges_count(&following->ended);

	following->over = true;
	if (following->asked->now && !following->started)
		fprintf(stderr, "Your request could not be scheduled; try again later.\n");
	else if (following->asked->tasks == 1 && n == 0)
		fprintf(stderr, "Unable to run job %lld.\n", following->number);
	else if (n < following->asked->tasks)
		fprintf(stderr, "Unable to run %llu of the tasks of job %lld.\n",
			(unsigned long long)(following->asked->tasks - n), following->number);
	following->failed = following->failed || n < following->asked->tasks;
}

/* Handle the answer to the request to follow the job again. */
static void answered(struct following *following, const json_t *line)
{
	const json_t *result = json_array_get(json_object_get(line, "results"), 0);
	const char *text = json_string_value(json_object_get(result, "text"));
	json_int_t code = json_integer_value(json_object_get(result, "code"));

	if (result && code == 0)
		return;
	following->failed = following->over = true;
	cli_fail(EXIT_NOT_RUN, "cannot wait for job %lld any longer: %s", following->number,
		 text ? text : "the answer is not known to this program");
}

static void line_take(struct following *following, const json_t *line)
{
	const char *news = json_string_value(json_object_get(line, "news"));

	following->alone = false;
	if (!news)
		answered(following, line);
	else if (strcmp(news, "started") == 0)
		started(following);
	else if (strcmp(news, "ended") == 0)
		ended(following, line);
	else if (strcmp(news, "error") == 0)
		in_error(following, line);
	else if (strcmp(news, "gone") == 0)
		gone(following);
}

/* Waiting */

static void on_signal(int signal)
{
	(void)signal;		/* the signal only ends ppoll() */
}

void follow_prepare(struct follow *follow)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	sigset_t blocked;

	sigemptyset(&blocked);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		struct sigaction action;

		if (sigaction(signals[i], NULL, &action) || action.sa_handler == SIG_IGN)
			continue;		/* ignored, as under nohup(1) */
		action = (struct sigaction){ .sa_handler = on_signal };
		sigaction(signals[i], &action, NULL);
		sigaddset(&blocked, signals[i]);
	}
	sigprocmask(SIG_BLOCK, &blocked, &follow->mask);
}

/* Wait for input. Return true if a signal arrived. */
static bool wait_ms(const struct following *following, int ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * 1000000l };
	struct pollfd fd = { .fd = following->server->fd, .events = POLLIN };

	return ppoll(&fd, 1, ms < 0 ? NULL : &time, &following->asked->mask) < 0 && errno == EINTR;
}

/* Wait until a scheduler is active again. Return true if a signal arrived instead. */
static bool scheduler_await(struct following *following)
{
	json_t *request = json_pack("{s:s,s:I}", "request", "follow", "job_number", (json_int_t)following->number);
	bool interrupted = false;

	if (!following->alone)
		cli_fail(EXIT_OK, "the scheduler has ended; waiting for job %lld until a scheduler is active again",
			 following->number);
	following->alone = true;
	while (!interrupted &&
	       (server_open_again(following->server) || server_send(following->server, json_incref(request)))) {
		server_close(following->server);
		interrupted = wait_ms(following, 500);
	}
	json_decref(request);
	return interrupted;
}

/* Delete the job after a signal. Events may arrive before the answer to this request. */
static int interrupt(struct following *following)
{
	json_t *request = json_pack("{s:s,s:[{s:o}]}", "request", "delete", "jobs", "job",
				    json_sprintf("%lld", following->number)),
	       *line = NULL;

	fprintf(stderr, "\nInterrupted!\n");
	if (following->server->fd < 0 || server_send(following->server, request))
		return cli_fail(EXIT_NOT_RUN, "job %lld is not deleted, because no scheduler is active",
				following->number);
	do {
		json_decref(line);
		line = server_line(following->server, 0);
	} while (line && json_object_get(line, "news"));
	const char *text =
		json_string_value(json_object_get(json_array_get(json_object_get(line, "results"), 0), "text"));

	cli_fail(EXIT_OK, "%s", text ? text : "the scheduler has not reported whether the job is deleted");
	json_decref(line);
	return EXIT_NOT_RUN;
}

int follow_job(struct server *server, const struct follow *follow)
{
	struct following following = { .asked = follow, .server = server, .number = server->job_number };
	bool interrupted = false;

	fflush(stdout);
	if (follow->now)
		fprintf(stderr, "Waiting for immediate job to be scheduled.\n");
	while (!following.over && !interrupted) {
		json_t *line = server_line(server, MSG_DONTWAIT);

		if (line)
			line_take(&following, line);
		else
			interrupted = errno == EAGAIN ? wait_ms(&following, -1) : scheduler_await(&following);
		json_decref(line);
	}
	ranges_free(&following.ended);
	return interrupted ? interrupt(&following) : following.failed ? EXIT_NOT_RUN : following.code;
}
