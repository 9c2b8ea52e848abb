/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/client/follow.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "sched/client/request.h"
#include "sched/process/ranges.h"

#define EXIT_NOT_RUN 1		/* exit status of qsub */
#define FAILED_LOST 19		/* accounting(5): the shepherd or the machine went down */

struct following {
	const struct follow *asked;
	struct connection *connection;
	struct messages *messages;
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

/* Messages */

/* Add a line of qsub, which is printed without the name of a program. */
#define PROGRESS(following, ...)                                                    \
	(message_add((following)->messages, EXIT_OK, NULL, __VA_ARGS__),            \
	 message_reason((following)->messages, REASON_PROGRESS, ""))

static const char *name_of(const struct following *following, int64_t task, char name[64])
{
	snprintf(name, 64, task > 0 ? "%lld.%lld" : "%lld", following->number, (long long)task);
	return name;
}

/* News of the job */

static void started(struct following *following)
{
	if (following->asked->now && !following->started)
		PROGRESS(following, "Your immediate job %lld has been successfully scheduled.", following->number);
	following->started = true;
	following->over = !following->asked->sync;
}

static void ended(struct following *following, const struct news *news)
{
	uint32_t id = news->task ? (uint32_t)news->task : 1;
	char name[64];

	started(following);
	if (following->over || news->task < 0 || news->task > UINT32_MAX || ranges_contain(&following->ended, id) ||
	    ranges_add(&following->ended, id))
		return;
	name_of(following, news->task, name);
	if (news->failed == FAILED_LOST)
		PROGRESS(following, "Job %s was lost: its shepherd or the machine went down", name);
	else if (news->signal)
		PROGRESS(following, "Job %s exited because of signal SIG%s", name,
			 sigabbrev_np(news->signal) ? sigabbrev_np(news->signal) : "UNKNOWN");
	else
		PROGRESS(following, "Job %s exited with exit code %d.", name, news->exit_status);
	following->failed = following->failed || news->failed == FAILED_LOST || news->signal;
	following->code = following->code ? following->code : news->exit_status;
}

/*
 * Report the error state. Like qsub, the command continues to wait, as the job can run after the
 * error is cleared. After a restart, the scheduler may report the error again.
 */
static void in_error(struct following *following, const struct news *news)
{
	char name[64];

	if (!news->text || strncmp(news->text, following->error, sizeof(following->error) - 1) == 0)
		return;
	snprintf(following->error, sizeof(following->error), "%s", news->text);
	name_of(following, news->task, name);
	PROGRESS(following, "Job %s is in the error state: %s", name, news->text);
	PROGRESS(following,
		 "The command waits for it: repair the cause and clear the state with \"fairlead mod -cj %s\", or "
		 "delete the job with \"fairlead del %lld\".",
		 name, following->number);
}

static void gone(struct following *following)
{
	uint64_t n = ranges_count(&following->ended);

	following->over = true;
	if (following->asked->now && !following->started)
		PROGRESS(following, "Your request could not be scheduled; try again later.");
	else if (following->asked->tasks == 1 && n == 0)
		PROGRESS(following, "Unable to run job %lld.", following->number);
	else if (n < following->asked->tasks)
		PROGRESS(following, "Unable to run %llu of the tasks of job %lld.",
			 (unsigned long long)(following->asked->tasks - n), following->number);
	following->failed = following->failed || n < following->asked->tasks;
}

/* Handle the reply to the request to follow the job again. */
static void answered(struct following *following, const struct reply *reply)
{
	if (reply->n > 0 && reply->items[0].code == EXIT_OK)
		return;
	following->failed = following->over = true;
	message_add(following->messages, EXIT_NOT_RUN, NULL, "cannot wait for job %lld any longer: %s",
		    following->number, reply->n > 0 ? reply->items[0].text : "the answer is not known to this program");
}

static void news_take(struct following *following, const struct news *news)
{
	following->alone = false;
	switch (news->kind) {
	case NEWS_REPLY: answered(following, &news->reply); break;
	case NEWS_STARTED: started(following); break;
	case NEWS_ENDED: ended(following, news); break;
	case NEWS_ERROR: in_error(following, news); break;
	case NEWS_GONE: gone(following); break;
	case NEWS_UNKNOWN: break;
	}
	messages_flush(following->messages);
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
	struct pollfd fd = { .fd = following->connection->fd, .events = POLLIN };

	return ppoll(&fd, 1, ms < 0 ? NULL : &time, &following->asked->mask) < 0 && errno == EINTR;
}

/* Connect to the scheduler again, and ask for the news of the job. */
static bool is_asked_again(struct following *following)
{
	const struct scheduler_request request = { .kind = REQUEST_FOLLOW, .number = (uint32_t)following->number };
	struct messages unsaid = { .items = NULL };
	bool is = connection_open_again(following->connection, following->messages) == 0 &&
		  request_send(following->connection, &request, &unsaid) == EXIT_OK;

	messages_free(&unsaid);
	return is;
}

/* Wait until a scheduler is active again. Return true if a signal arrived instead. */
static bool scheduler_await(struct following *following)
{
	bool interrupted = false;

	if (!following->alone)
		message_add(following->messages, EXIT_OK, NULL,
			    "the scheduler has ended; waiting for job %lld until a scheduler is active again",
			    following->number);
	following->alone = true;
	messages_flush(following->messages);
	while (!interrupted && !is_asked_again(following)) {
		messages_flush(following->messages);
		connection_close(following->connection);
		interrupted = wait_ms(following, 500);
	}
	return interrupted;
}

/* Receive the reply to the last request. News that arrive before it are skipped. */
static void reply_await(struct following *following, struct news *news)
{
	while (news_receive(following->connection, true, news) == 0 && news->kind != NEWS_REPLY)
		news_free(news);
}

/* Delete the job after a signal. */
static int interrupt(struct following *following)
{
	struct operand_list jobs = { .n = 0 };
	const struct scheduler_request request = { .kind = REQUEST_DELETE, .operands = &jobs };
	struct messages unsaid = { .items = NULL };
	struct news news = { .kind = NEWS_UNKNOWN };
	int rc = operands_add_job(&jobs, (uint32_t)following->number, 0);

	PROGRESS(following, "%s", "");
	PROGRESS(following, "Interrupted!");
	messages_flush(following->messages);
	if (rc || following->connection->fd < 0 || request_send(following->connection, &request, &unsaid)) {
		message_add(following->messages, EXIT_NOT_RUN, NULL,
			    "job %lld is not deleted, because no scheduler is active", following->number);
	} else {
		reply_await(following, &news);
		message_add(following->messages, EXIT_OK, NULL, "%s",
			    news.reply.n > 0 ? news.reply.items[0].text
					     : "the scheduler has not reported whether the job is deleted");
	}
	messages_flush(following->messages);
	messages_free(&unsaid);
	operands_clear(&jobs);
	news_free(&news);
	return EXIT_NOT_RUN;
}

int follow_job(struct connection *connection, const struct follow *follow, int64_t job_number,
	       struct messages *messages)
{
	struct following following = {
		.asked = follow, .connection = connection, .messages = messages, .number = job_number
	};
	bool interrupted = false;

	if (follow->now)
		PROGRESS(&following, "Waiting for immediate job to be scheduled.");
	messages_flush(messages);
	while (!following.over && !interrupted) {
		struct news news;
		int rc = news_receive(connection, false, &news);

		if (rc == 0)
			news_take(&following, &news);
		else
			interrupted = rc == -EAGAIN ? wait_ms(&following, -1) : scheduler_await(&following);
		news_free(&news);
	}
	ranges_free(&following.ended);
	return interrupted ? interrupt(&following) : following.failed ? EXIT_NOT_RUN : following.code;
}
