/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs that are neither in shared memory nor in the accounting file: they were deleted before they
 * started, or the file cannot be read. A request to follow the job is sent to the scheduler. It
 * reports at once that a job has ended, and the results of its tasks if it knows them.
 */
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "sched/drmaa/inside.h"

static void ended_take(struct tracked *tracked, const struct news *news)
{
	size_t k = tracked_find(tracked, (uint32_t)news->job_number, (uint32_t)news->task);

	if (k == SIZE_MAX || tracked->jobs[k].ended || news->requeue)
		return;
	tracked->jobs[k].stat = stat_for(&tracked->jobs[k], news->signal ? stat_signaled(news->signal)
									 : stat_of(news->failed, news->exit_status));
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
static bool is_foreign(const struct reply *reply)
{
	return reply->n > 0 && reply->items[0].code == EXIT_PERMISSION;
}

static void news_take(struct tracked *tracked, const struct news *news, uint32_t number)
{
	if (news->kind == NEWS_GONE || (news->kind == NEWS_REPLY && is_foreign(&news->reply)))
		all_gone(tracked, number);
	else if (news->kind == NEWS_ENDED)
		ended_take(tracked, news);
}

struct gathered {			/* news up to the reply to a request */
	struct news *items;
	size_t n;
};

/* Read news up to the reply to a request. Return whether the reply has arrived. */
static bool replied(struct connection *connection, struct gathered *gathered)
{
	struct news news;

	while (news_receive(connection, true, &news) == 0) {
		bool is_reply = news.kind == NEWS_REPLY;

		if (array_grow(&gathered->items, gathered->n + 1, sizeof(*gathered->items))) {
			news_free(&news);
			return false;
		}
		gathered->items[gathered->n++] = news;
		if (is_reply)
			return true;
	}
	return false;
}

/*
 * Read earlier events of the job, which may come before or after the reply. The reply to a second
 * request comes after all of them.
 */
static void news_gather(struct connection *connection, uint32_t number, struct gathered *gathered)
{
	const struct operand_list none = { .n = 0 };
	const struct scheduler_request follow = { .kind = REQUEST_FOLLOW, .number = number },
				       release = { .kind = REQUEST_RELEASE, .operands = &none };
	struct messages unsaid = { .items = NULL };

	if (connection_open_again(connection, &unsaid) == 0 && request_send(connection, &follow, &unsaid) == EXIT_OK &&
	    replied(connection, gathered) && request_send(connection, &release, &unsaid) == EXIT_OK)
		replied(connection, gathered);
	messages_free(&unsaid);
}

/*
 * Ask the scheduler about a job. Without a scheduler nothing is changed, and the caller asks again
 * later.
 */
bool gone_ask(uint32_t number, unsigned patience_s)
{
	char *cell = strdup(session.cell);
	struct connection connection = { .fd = -1, .cell = cell, .patience_s = patience_s };
	struct gathered gathered = { .n = 0 };
	bool active;

	session_away();
	if (cell)
		news_gather(&connection, number, &gathered);
	connection_close(&connection);
	active = session_back();
	for (size_t k = 0; k < gathered.n; k++) {
		if (active)
			news_take(&session.tracked, &gathered.items[k], number);
		news_free(&gathered.items[k]);
	}
	free(gathered.items);
	free(cell);
	return active;
}
