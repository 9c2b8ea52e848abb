/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/gridengine/gridengine.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/process/clock.h"
#include "sched/process/log.h"
#include "sched/qmaster/gdi/packet.h"
#include "sched/qmaster/gdi/registration.h"
#include "sched/qmaster/gridengine/inside.h"
#include "sched/qmaster/gridengine/place.h"
#include "sched/qmaster/gridengine/settlement.h"
#include "sched/qmaster/gridengine/shadow.h"
#include "sched/sched.h"

#define PATIENCE_MS 1000		/* for the last packets when the process ends */
#define SETTLE_MS 60000			/* with --once, for all orders */

static struct sge *sge_of(struct qmaster *qmaster)
{
	return (struct sge *)qmaster;
}

static const struct sge *sge_of_const(const struct qmaster *qmaster)
{
	return (const struct sge *)qmaster;
}

/* Incoming records */

/* Return how many events have lower numbers. Numbers ascend, so these are the first events. */
static uint32_t events_below(struct gdi_list events, uint32_t below)
{
	struct gdi_element event;
	uint32_t n = 0;

	while (gdi_next(&events, &event) && gdi_u32(&event, ET_number) < below)
		n++;
	return n;
}

/*
 * A delivery that cannot be used as a whole leaves the mirror out of date. The qmaster must then
 * send everything again.
 */
void sge_deliver(struct sge *sge, const struct post_record *record, uint32_t below)
{
	struct gdi_list events = gdi_delivery_events(record->bytes);
	struct error error = { "" };

	if (below < UINT32_MAX)
		events.left = events_below(events, below);
	if (take_delivery(sge, &events, &error)) {
		sge->refused++;
		post_again(sge->post, error.text);
		return;
	}
	if (sge->intake->hurry)
		sge->intake->hurry(sge->intake->context);
}

static void answer_take(struct sge *sge, const struct post_record *record)
{
	if (!shadow_answered(sge, record) && !place_answered(sge, record))
		settlement_answered(sge, record->number, record->bytes, record->n);
}

/* Take a record. false: another part has kept it. */
static bool record_take(struct sge *sge, struct post_record *record)
{
	switch (record->kind) {
	case POST_DELIVERY:
		if (shadow_keeps(sge, record))
			return false;
		sge_deliver(sge, record, UINT32_MAX);
		return true;
	case POST_ANSWER:
		answer_take(sge, record);
		return true;
	case POST_LOST:
	case POST_REGISTERED:
		shadow_drop(sge);
		take_registered(sge);
		break;
	default:
		break;
	}
	place_posted(sge, record);
	return true;
}

/* Functions that the process calls */

static void sge_close(struct qmaster *qmaster)
{
	struct sge *sge = sge_of(qmaster);

	shadow_close(sge);
	if (sge->post)
		post_close(sge->post, PATIENCE_MS);
	settlement_close(sge);
	place_end(sge);
	take_close(sge);
	cell_objects_destroy(sge->objects);
	free(sge->accounting);
	free(sge);
}

static void sge_watch(struct qmaster *qmaster, struct pollfd fds[QMASTER_FDS])
{
	fds[0] = (struct pollfd){ .fd = post_fd(sge_of(qmaster)->post), .events = POLLIN };
}

static uint64_t sge_due_ns(const struct qmaster *qmaster)
{
	uint64_t place_ns = place_due_ns(sge_of_const(qmaster)), shadow_ns = shadow_due_ns(sge_of_const(qmaster));

	return place_ns < shadow_ns ? place_ns : shadow_ns;
}

static void sge_handle(struct qmaster *qmaster, const struct pollfd fds[QMASTER_FDS])
{
	struct sge *sge = sge_of(qmaster);
	struct post_record *record;

	(void)fds;
	while ((record = post_take(sge->post)) != NULL) {
		if (record_take(sge, record))
			post_record_free(sge->post, record);
	}
}

static void sge_settle(struct qmaster *qmaster)
{
	struct sge *sge = sge_of(qmaster);

	if (place_is_ours(sge) && sge->updated)
		settlement_send(sge);
	else
		settlement_watch(sge);
	shadow_turn(sge);
	place_turn(sge);
}

static int sge_prepare(struct qmaster *qmaster, struct error *error)
{
	return take_configure(sge_of(qmaster), error);
}

/* Return, for --once, whether the state is complete and it is decided whether we may order. */
static bool sge_ended(const struct qmaster *qmaster)
{
	const struct sge *sge = sge_of_const(qmaster);

	return sge->updated && place_is_clear(sge);
}

static bool sge_ready(const struct qmaster *qmaster)
{
	return sge_of_const(qmaster)->updated;
}

static void sge_ran(struct qmaster *qmaster, int64_t now, bool stored)
{
	struct sge *sge = sge_of(qmaster);

	if (place_is_shadow(sge))
		shadow_ran(sge);
	else if (place_is_ours(sge) && sge->updated)
		settlement_ran(sge, now, stored);
	place_ran(sge);
}

static void sge_attach(struct qmaster *qmaster)
{
	place_attach(sge_of(qmaster));
}

static void sge_hand_back(struct qmaster *qmaster)
{
	place_hand_back(sge_of(qmaster));
}

static void sge_place(const struct qmaster *qmaster, struct place_record *record)
{
	place_report(sge_of_const(qmaster), record);
}

static uint64_t sge_settled(const struct qmaster *qmaster)
{
	return sge_of_const(qmaster)->reported;
}

static uint64_t sge_refused(const struct qmaster *qmaster)
{
	return sge_of_const(qmaster)->refused;
}

/* The end */

static int wait_for_post(struct sge *sge, uint64_t until_ns)
{
	struct pollfd fd = { .fd = post_fd(sge->post), .events = POLLIN };
	uint64_t now = clock_monotonic_ns();

	return now >= until_ns ? 0 : poll(&fd, 1, (int)((until_ns - now) / 1000000) + 1);
}

/* Ask whether the scheduler role is still ours to give up. */
static void last_question(struct sge *sge)
{
	uint64_t until_ns = clock_monotonic_ns() + PATIENCE_MS * 1000000ull, number = place_last_question(sge);
	bool answered = number == 0;

	while (!answered) {
		struct post_record *record = post_take(sge->post);

		if (record) {
			answered = place_last_answer(sge, number, record);
			post_record_free(sge->post, record);
		} else if (wait_for_post(sge, until_ns) <= 0) {
			return;
		}
	}
}

/* Complete all orders, with --once. */
static int settle_all(struct sge *sge, struct error *error)
{
	uint64_t until_ns = clock_monotonic_ns() + SETTLE_MS * 1000000ull;
	struct place_record place;

	place_report(sge, &place);
	if (place_is_shadow(sge))
		return 0;
	if (!place_is_ours(sge))
		return error_set(error, -EBUSY, "this process does not have the scheduler role: %.180s", place.reason);
	do {
		sge_handle(&sge->base, NULL);
		sge_settle(&sge->base);
		if (place_is_ours(sge) && settlement_finish(sge))
			return 0;
	} while (wait_for_post(sge, until_ns) > 0);
	return error_set(error, -ETIMEDOUT, "the qmaster has not shown the results of all orders");
}

static int sge_finish(struct qmaster *qmaster, bool all, struct error *error)
{
	struct sge *sge = sge_of(qmaster);
	int rc = all ? settle_all(sge, error) : 0;

	last_question(sge);
	if (place_is_ours(sge))
		log_line(LOG_NOTE, "gives up the scheduler role: no jobs are started until there is another scheduler; "
				   "start the built-in one with: qconf -at scheduler");
	return rc;
}

static void sge_files(const struct qmaster *qmaster, struct qmaster_files *files)
{
	files->accounting = sge_of_const(qmaster)->accounting;
}

static const struct qmaster_methods methods = {
	.paces = true, .close = sge_close, .watch = sge_watch, .due_ns = sge_due_ns, .handle = sge_handle,
	.settle = sge_settle,
	.prepare = sge_prepare, .ready = sge_ready, .ran = sge_ran, .attach = sge_attach, .hand_back = sge_hand_back,
	.place = sge_place,
	.files = sge_files, .ended = sge_ended, .settled = sge_settled, .refused = sge_refused, .finish = sge_finish,
};

/* Creation */

/*
 * Return the path of the accounting file, if this machine shares the cell's directory with the
 * qmaster's. NULL: not shared, or no memory.
 */
static char *accounting_path(const struct sge *sge)
{
	char common[4200], path[PATH_MAX], *accounting;

	snprintf(common, sizeof(common), "%s/common", post_directory(sge->post));
	return realpath(common, path) && asprintf(&accounting, "%s/accounting", path) >= 0 ? accounting : NULL;
}

static int parts_open(struct sge *sge, const char *directory, struct error *error)
{
	const struct post_options options = { .directory = directory };
	int rc;

	sge->objects = cell_objects_create();
	if (!sge->objects)
		return error_set(error, -ENOMEM, "out of memory");
	rc = take_open(sge, error);
	if (rc == 0)
		rc = settlement_open(sge, error);
	if (rc == 0)
		rc = place_begin(sge, error);
	if (rc == 0)
		rc = shadow_open(sge, error);
	rc = rc ? rc : post_open(&sge->post, &options, error);
	sge->accounting = rc ? NULL : accounting_path(sge);
	return rc;
}

int gridengine_open(struct qmaster **q, const struct qmaster_setup *setup, struct error *error)
{
	struct sge *sge = calloc(1, sizeof(*sge));
	int rc;

	if (!sge)
		return error_set(error, -ENOMEM, "out of memory");
	sge->base.methods = &methods;
	sge->sched = setup->sched;
	sge->intake = setup->intake;
	sge->options = setup->options;
	sched_dispatch(sge->sched, false);
	rc = parts_open(sge, setup->where + strlen(QMASTER_GRIDENGINE), error);
	if (rc)
		sge_close(&sge->base);
	else
		*q = &sge->base;
	return rc;
}
