/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/json/json.h"

#include <errno.h>
#include <stdlib.h>

#include "sched/qmaster/json/events.h"
#include "sched/qmaster/json/feed.h"
#include "sched/qmaster/json/order.h"
#include "sched/qmaster/json/source.h"
#include "sched/run/records_place.h"

#define PATIENCE_MS 1000		/* for the last answers when the process ends */

_Static_assert((int)SOURCE_FDS <= (int)QMASTER_FDS, "all that is waited for");

struct json {
	struct qmaster qmaster;
	struct source source;
	struct events events;
	struct feed feed;
};

static struct json *json_of(struct qmaster *q)
{
	return (struct json *)q;
}

static const struct json *json_of_const(const struct qmaster *q)
{
	return (const struct json *)q;
}

static void take_line(void *context, const char *line, size_t length)
{
	events_line(&((struct json *)context)->events, line, length);
}

static void take_long_line(void *context, const char *beginning, size_t length)
{
	events_long_line(&((struct json *)context)->events, beginning, length);
}

static void take_break(void *context)
{
	struct json *j = context;

	events_break(&j->events);
	if (!source_ended(&j->source))
		feed_restart(&j->feed);
}

static void give_answer(void *context, const char *line, size_t length)
{
	source_answer(&((struct json *)context)->source, line, length);
}

static void json_close(struct qmaster *q)
{
	struct json *j = json_of(q);

	feed_close(&j->feed);
	source_close(&j->source);
	events_destroy(&j->events);
	free(j);
}

static int json_begin(struct qmaster *q, bool once, struct error *error)
{
	(void)error;
	json_of(q)->source.patient = once;
	return 0;
}

static void json_watch(struct qmaster *q, struct pollfd fds[QMASTER_FDS])
{
	struct json *j = json_of(q);

	if (!j->source.patient)
		feed_send(&j->feed);
	source_watch(&j->source, fds);
}

static void json_tick(struct qmaster *q)
{
	struct json *j = json_of(q);

	source_tick(&j->source);
	if (!source_ended(&j->source))	/* else nobody can acknowledge any more */
		feed_tick(&j->feed);
}

static void json_handle(struct qmaster *q, const struct pollfd fds[QMASTER_FDS])
{
	source_handle(&json_of(q)->source, fds);
}

static void json_settle(struct qmaster *q)
{
	struct events *e = &json_of(q)->events;

	if (e->acknowledge)
		events_acknowledge(e);
}

static void json_ran(struct qmaster *q, int64_t now, bool stored)
{
	struct events *e = &json_of(q)->events;

	(void)now;
	if (stored)
		events_keep(e);
	events_acknowledge(e);
}

static void json_complain(struct qmaster *q, const char *text)
{
	events_complain(&json_of(q)->events, text);
}

static void json_reloaded(struct qmaster *q)
{
	unknowns_forget(&json_of(q)->events.unknowns);
}

static bool json_ended(const struct qmaster *q)
{
	return source_ended(&json_of_const(q)->source);
}

static uint64_t json_settled(const struct qmaster *q)
{
	return events_settled(&json_of_const(q)->events);
}

static uint64_t json_refused(const struct qmaster *q)
{
	return json_of_const(q)->events.refused;
}

static void json_source(const struct qmaster *q, struct source_record *source)
{
	const struct json *j = json_of_const(q);

	*source = (struct source_record){ .refused = j->events.refused, .unknown = j->events.unknowns.count,
					  .state = source_ended(&j->source) ? SOURCE_ENDED : source_is_there(&j->source) ? SOURCE_THERE : SOURCE_AWAITED };
}

static int json_finish(struct qmaster *q, bool all, struct error *error)
{
	struct json *j = json_of(q);
	int rc = all ? feed_finish(&j->feed) : 0;

	source_drain(&j->source, all ? -1 : PATIENCE_MS);
	return rc ? error_set(error, rc, "no memory for orders") : 0;
}

static const struct qmaster_methods methods = {
	.limits = &order_line_limits, .close = json_close, .begin = json_begin, .watch = json_watch, .tick = json_tick,
	.handle = json_handle, .settle = json_settle, .ran = json_ran, .reloaded = json_reloaded, .complain = json_complain, .ended = json_ended,
	.settled = json_settled, .refused = json_refused, .source = json_source, .finish = json_finish,
};

int json_open(struct qmaster **q, const struct qmaster_setup *setup, struct error *error)
{
	const struct json_options *options = setup->options;
	struct intake *intake = setup->intake;
	struct json *j = calloc(1, sizeof(*j));
	const struct source_calls calls = { { j, take_line, take_long_line }, take_break };
	int rc;

	if (!j)
		return error_set(error, -ENOMEM, "no memory");
	j->qmaster.methods = &methods;
	j->events = (struct events){ .intake = intake, .context = j, .answer = give_answer,
				     .unknowns.strict = options && options->strict };
	j->feed = (struct feed){ .source = &j->source, .orders = intake->orders, .mirror = intake->mirror };
	rc = source_open(&j->source, setup->where, &calls, error);
	if (rc)
		json_close(&j->qmaster);
	else
		*q = &j->qmaster;
	return rc;
}

const char *json_endless(const char *where)
{
	return source_is_socket(where) ? "a listening socket has no end; name another source" : NULL;
}
