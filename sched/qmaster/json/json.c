/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/json/json.h"

#include <errno.h>
#include <stdlib.h>

#include "sched/qmaster/json/events.h"
#include "sched/qmaster/json/feed.h"
#include "sched/qmaster/json/order.h"
#include "sched/qmaster/json/source.h"
#include "sched/run/records_place.h"

#define PATIENCE_MS 1000		/* time for the last answers when the process ends */

_Static_assert((int)SOURCE_FDS <= (int)QMASTER_FDS, "a source has too many descriptors");

struct json {
	struct qmaster qmaster;
	struct source source;
	struct events events;
	struct feed feed;
};

static struct json *json_of(struct qmaster *qmaster)
{
	return (struct json *)qmaster;
}

static const struct json *json_of_const(const struct qmaster *qmaster)
{
	return (const struct json *)qmaster;
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
	struct json *json = context;

	events_break(&json->events);
	if (!source_ended(&json->source))
		feed_restart(&json->feed);
}

static void give_answer(void *context, const char *line, size_t length)
{
	source_answer(&((struct json *)context)->source, line, length);
}

static void json_close(struct qmaster *qmaster)
{
	struct json *json = json_of(qmaster);

	feed_close(&json->feed);
	source_close(&json->source);
	events_destroy(&json->events);
	free(json);
}

static int json_begin(struct qmaster *qmaster, bool once, struct error *error)
{
	(void)error;
	json_of(qmaster)->source.patient = once;
	return 0;
}

static void json_watch(struct qmaster *qmaster, struct pollfd fds[QMASTER_FDS])
{
	struct json *json = json_of(qmaster);

	if (!json->source.patient)
		feed_send(&json->feed);
	source_watch(&json->source, fds);
}

static void json_tick(struct qmaster *qmaster)
{
	struct json *json = json_of(qmaster);

	source_tick(&json->source);
	if (!source_ended(&json->source))	/* otherwise no acknowledgement can come any more */
		feed_tick(&json->feed);
}

static void json_handle(struct qmaster *qmaster, const struct pollfd fds[QMASTER_FDS])
{
	source_handle(&json_of(qmaster)->source, fds);
}

static void json_settle(struct qmaster *qmaster)
{
	struct events *events = &json_of(qmaster)->events;

	if (events->acknowledge)
		events_acknowledge(events);
}

static void json_ran(struct qmaster *qmaster, int64_t now, bool stored)
{
	struct events *events = &json_of(qmaster)->events;

	(void)now;
	if (stored)
		events_keep(events);
	events_acknowledge(events);
}

static void json_complain(struct qmaster *qmaster, const char *text)
{
	events_complain(&json_of(qmaster)->events, text);
}

static void json_reloaded(struct qmaster *qmaster)
{
	unknowns_forget(&json_of(qmaster)->events.unknowns);
}

static bool json_ended(const struct qmaster *qmaster)
{
	return source_ended(&json_of_const(qmaster)->source);
}

static uint64_t json_settled(const struct qmaster *qmaster)
{
	return events_settled(&json_of_const(qmaster)->events);
}

static uint64_t json_refused(const struct qmaster *qmaster)
{
	return json_of_const(qmaster)->events.refused;
}

static void json_source(const struct qmaster *qmaster, struct source_record *source)
{
	const struct json *json = json_of_const(qmaster);

	*source = (struct source_record){ .refused = json->events.refused,
					  .unknown = json->events.unknowns.count,
					  .state = source_ended(&json->source)	    ? SOURCE_ENDED
						   : source_is_there(&json->source) ? SOURCE_THERE
										    : SOURCE_AWAITED };
}

static int json_finish(struct qmaster *qmaster, bool all, struct error *error)
{
	struct json *json = json_of(qmaster);
	int rc = all ? feed_finish(&json->feed) : 0;

	source_drain(&json->source, all ? -1 : PATIENCE_MS);
	return rc ? error_set(error, rc, "out of memory for orders") : 0;
}

static const struct qmaster_methods methods = {
	.limits = &order_line_limits, .close = json_close, .begin = json_begin, .watch = json_watch, .tick = json_tick,
	.handle = json_handle, .settle = json_settle, .ran = json_ran, .reloaded = json_reloaded,
	.complain = json_complain, .ended = json_ended,
	.settled = json_settled, .refused = json_refused, .source = json_source, .finish = json_finish,
};

int json_open(struct qmaster **qmaster, const struct qmaster_setup *setup, struct error *error)
{
	const struct json_options *options = setup->options;
	struct intake *intake = setup->intake;
	struct json *json = calloc(1, sizeof(*json));
	const struct source_calls calls = { { json, take_line, take_long_line }, take_break };
	int rc;

	if (!json)
		return error_set(error, -ENOMEM, "out of memory");
	json->qmaster.methods = &methods;
	json->events = (struct events){ .intake = intake, .context = json, .answer = give_answer,
				     .unknowns.strict = options && options->strict };
	json->feed = (struct feed){ .source = &json->source, .orders = intake->orders, .mirror = intake->mirror };
	rc = source_open(&json->source, setup->where, &calls, error);
	if (rc)
		json_close(&json->qmaster);
	else
		*qmaster = &json->qmaster;
	return rc;
}

const char *json_endless(const char *where)
{
	return source_is_socket(where) ? "a listening socket has no end; name another source" : NULL;
}
