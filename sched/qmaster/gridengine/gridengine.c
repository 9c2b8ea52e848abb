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
#define SETTLE_MS 60000			/* with --once, for all that was ordered */

static struct sge *sge_of(struct qmaster *q)
{
	return (struct sge *)q;
}

static const struct sge *sge_of_const(const struct qmaster *q)
{
	return (const struct sge *)q;
}

/* What comes */

/* What can't be used as a whole leaves the mirror behind: all of it must come again. */
/* Numbers count on, so those below it are the first ones. */
static uint32_t events_below(struct gdi_list events, uint32_t below)
{
	struct gdi_element event;
	uint32_t n = 0;

	while (gdi_next(&events, &event) && gdi_u32(&event, ET_number) < below)
		n++;
	return n;
}

void sge_deliver(struct sge *g, const struct post_record *record, uint32_t below)
{
	struct gdi_list events = gdi_delivery_events(record->bytes);
	struct error error = { "" };

	if (below < UINT32_MAX)
		events.left = events_below(events, below);
	if (take_delivery(g, &events, &error)) {
		g->refused++;
		post_again(g->post, error.text);
		return;
	}
	if (g->intake->hurry)
		g->intake->hurry(g->intake->context);
}

static void answer_take(struct sge *g, const struct post_record *record)
{
	if (!shadow_answered(g, record) && !place_answered(g, record))
		settlement_answered(g, record->number, record->bytes, record->n);
}

/* false: it is kept by somebody. */
static bool record_take(struct sge *g, struct post_record *record)
{
	switch (record->kind) {
	case POST_DELIVERY:
		if (shadow_keeps(g, record))
			return false;
		sge_deliver(g, record, UINT32_MAX);
		return true;
	case POST_ANSWER:
		answer_take(g, record);
		return true;
	case POST_LOST:
	case POST_REGISTERED:
		shadow_drop(g);
		take_registered(g);
		break;
	default:
		break;
	}
	place_posted(g, record);
	return true;
}

/* What the process calls */

static void sge_close(struct qmaster *q)
{
	struct sge *g = sge_of(q);

	shadow_close(g);
	if (g->post)
		post_close(g->post, PATIENCE_MS);
	settlement_close(g);
	place_end(g);
	take_close(g);
	cell_objects_destroy(g->objects);
	free(g->accounting);
	free(g);
}

static void sge_watch(struct qmaster *q, struct pollfd fds[QMASTER_FDS])
{
	fds[0] = (struct pollfd){ .fd = post_fd(sge_of(q)->post), .events = POLLIN };
}

static uint64_t sge_due_ns(const struct qmaster *q)
{
	uint64_t place_ns = place_due_ns(sge_of_const(q)), shadow_ns = shadow_due_ns(sge_of_const(q));

	return place_ns < shadow_ns ? place_ns : shadow_ns;
}

static void sge_handle(struct qmaster *q, const struct pollfd fds[QMASTER_FDS])
{
	struct sge *g = sge_of(q);
	struct post_record *record;

	(void)fds;
	while ((record = post_take(g->post)) != NULL) {
		if (record_take(g, record))
			post_record_free(g->post, record);
	}
}

static void sge_settle(struct qmaster *q)
{
	struct sge *g = sge_of(q);

	if (place_is_ours(g) && g->updated)
		settlement_send(g);
	else
		settlement_watch(g);
	shadow_turn(g);
	place_turn(g);
}

static int sge_prepare(struct qmaster *q, struct error *error)
{
	return take_configure(sge_of(q), error);
}

/* For --once: the state is there, and whether we are to order is clear. */
static bool sge_ended(const struct qmaster *q)
{
	const struct sge *g = sge_of_const(q);

	return g->updated && place_is_clear(g);
}

static bool sge_ready(const struct qmaster *q)
{
	return sge_of_const(q)->updated;
}

static void sge_ran(struct qmaster *q, int64_t now, bool stored)
{
	struct sge *g = sge_of(q);

	if (place_is_shadow(g))
		shadow_ran(g);
	else if (place_is_ours(g) && g->updated)
		settlement_ran(g, now, stored);
	place_ran(g);
}

static void sge_attach(struct qmaster *q)
{
	place_attach(sge_of(q));
}

static void sge_hand_back(struct qmaster *q)
{
	place_hand_back(sge_of(q));
}

static void sge_place(const struct qmaster *q, struct place_record *record)
{
	place_tell(sge_of_const(q), record);
}

static uint64_t sge_settled(const struct qmaster *q)
{
	return sge_of_const(q)->told;
}

static uint64_t sge_refused(const struct qmaster *q)
{
	return sge_of_const(q)->refused;
}

/* The end */

static int wait_for_post(struct sge *g, uint64_t until_ns)
{
	struct pollfd fd = { .fd = post_fd(g->post), .events = POLLIN };
	uint64_t now = clock_monotonic_ns();

	return now >= until_ns ? 0 : poll(&fd, 1, (int)((until_ns - now) / 1000000) + 1);
}

/* Is it still ours to give up? */
static void last_question(struct sge *g)
{
	uint64_t until_ns = clock_monotonic_ns() + PATIENCE_MS * 1000000ull, number = place_last_question(g);
	bool answered = number == 0;

	while (!answered) {
		struct post_record *record = post_take(g->post);

		if (record) {
			answered = place_last_answer(g, number, record);
			post_record_free(g->post, record);
		} else if (wait_for_post(g, until_ns) <= 0) {
			return;
		}
	}
}

/* With --once: all that was ordered is settled. */
static int settle_all(struct sge *g, struct error *error)
{
	uint64_t until_ns = clock_monotonic_ns() + SETTLE_MS * 1000000ull;
	struct place_record place;

	place_tell(g, &place);
	if (place_is_shadow(g))
		return 0;
	if (!place_is_ours(g))
		return error_set(error, -EBUSY, "the place of the scheduler is not ours: %.180s", place.reason);
	do {
		sge_handle(&g->base, NULL);
		sge_settle(&g->base);
		if (place_is_ours(g) && settlement_finish(g))
			return 0;
	} while (wait_for_post(g, until_ns) > 0);
	return error_set(error, -ETIMEDOUT, "the qmaster has not shown what became of all orders");
}

static int sge_finish(struct qmaster *q, bool all, struct error *error)
{
	struct sge *g = sge_of(q);
	int rc = all ? settle_all(g, error) : 0;

	last_question(g);
	if (place_is_ours(g))
		log_line(LOG_NOTE, "gives up the place of the scheduler: nobody schedules until there is another one; the built-in is "
			 "started by: qconf -at scheduler");
	return rc;
}

static void sge_files(const struct qmaster *q, struct qmaster_files *files)
{
	files->accounting = sge_of_const(q)->accounting;
}

static const struct qmaster_methods methods = {
	.paces = true, .close = sge_close, .watch = sge_watch, .due_ns = sge_due_ns, .handle = sge_handle, .settle = sge_settle,
	.prepare = sge_prepare, .ready = sge_ready, .ran = sge_ran, .attach = sge_attach, .hand_back = sge_hand_back, .place = sge_place,
	.files = sge_files, .ended = sge_ended, .settled = sge_settled, .refused = sge_refused, .finish = sge_finish,
};

/* Its beginning */

/*
 * Where this machine shares the cell's directory with the qmaster's. NULL: it does not, or no
 * memory.
 */
static char *accounting_path(const struct sge *g)
{
	char common[4200], path[PATH_MAX], *accounting;

	snprintf(common, sizeof(common), "%s/common", post_directory(g->post));
	return realpath(common, path) && asprintf(&accounting, "%s/accounting", path) >= 0 ? accounting : NULL;
}

static int parts_open(struct sge *g, const char *directory, struct error *error)
{
	const struct post_options options = { .directory = directory };
	int rc;

	g->objects = cell_objects_create();
	if (!g->objects)
		return error_set(error, -ENOMEM, "no memory");
	rc = take_open(g, error);
	if (rc == 0)
		rc = settlement_open(g, error);
	if (rc == 0)
		rc = place_begin(g, error);
	if (rc == 0)
		rc = shadow_open(g, error);
	rc = rc ? rc : post_open(&g->post, &options, error);
	g->accounting = rc ? NULL : accounting_path(g);
	return rc;
}

int gridengine_open(struct qmaster **q, const struct qmaster_setup *setup, struct error *error)
{
	struct sge *g = calloc(1, sizeof(*g));
	int rc;

	if (!g)
		return error_set(error, -ENOMEM, "no memory");
	g->base.methods = &methods;
	g->sched = setup->sched;
	g->intake = setup->intake;
	g->options = setup->options;
	sched_dispatch(g->sched, false);
	rc = parts_open(g, setup->where + strlen(QMASTER_GRIDENGINE), error);
	if (rc)
		sge_close(&g->base);
	else
		*q = &g->base;
	return rc;
}
