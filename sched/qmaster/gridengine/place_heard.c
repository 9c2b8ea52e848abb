/* SPDX-License-Identifier: Apache-2.0 */
/* Records from the qmaster that concern the role, and the decisions that follow. */
#include <errno.h>
#include <stdio.h>

#include "sched/process/clock.h"
#include "sched/process/log.h"
#include "sched/qmaster/gdi/packet.h"
#include "sched/qmaster/gridengine/place_inside.h"

#define AGAIN_NS (60 * SECOND_NS)		/* --again: least time between two takeovers */
/* Time for which a built-in thread that was stopped (qconf -kt) may still seem to exist. */
#define LEAVES_NS (3 * SECOND_NS)
/* After the role was taken; the next wait is twice as long. */
#define CHECK_FIRST_S 1
#define CHECK_MOST_S 32

/* Decisions on what is known about the holder */

static void decide_taken(struct sge *sge)
{
	struct place *place = sge->place;
	char who[sizeof(place->reason) - 32], why[sizeof(place->reason)];

	holder_describe(&place->holder, who, sizeof(who));
	snprintf(why, sizeof(why), "%s has the scheduler role", who);
	if (place->asked == place->done && clock_monotonic_ns() < place->back_ns) {
		place_become(sge, PLACE_WATCHING, "%s, and it is taken back soon", why);
		place_observe(sge);
		place->due_ns = place->back_ns;
	} else if (place->holder.builtin && place->stopped) {
		builtin_wait(sge);
	} else if (place->holder.builtin && place->force) {
		builtin_stop(sge);
	} else if (place->holder.builtin && clock_monotonic_ns() < place->leaves_ns) {
		place_become(sge, PLACE_WATCHING, "%s", why);
		place_observe(sge);
		place_look_later(place, SECOND_NS / 2);
	} else if (place->holder.life == HOLDER_UNSURE) {
		place_become(sge, PLACE_WATCHING, "it is not known yet whether %s is alive", who);
		place_observe(sge);
		place_look_later(place, SECOND_NS);
	} else if (place->force && place->back_ns) {
		place_register(sge);
	} else {
		place_leave_it(sge, why);
	}
}

static void decide_have(struct sge *sge)
{
	struct place *place = sge->place;

	if (!place->holder.manager)
		place_leave_it(
			sge,
			"the user of this process is not a manager of the cell, which orders require: qconf -am USER");
	else if (holder_is_gone(&place->holder))
		place_register(sge);
	else
		decide_taken(sge);
}

static void decide_watch(struct sge *sge)
{
	struct place *place = sge->place;
	char who[sizeof(place->reason) - 32];

	holder_describe(&place->holder, who, sizeof(who));
	place_become(sge, PLACE_WATCHING, "%s has the scheduler role", place->holder.us ? "no scheduler" : who);
	place_done(sge);
	place_observe(sge);
}

/*
 * Return whether an operator has requested the role, and no run has had it since. The built-in
 * thread of a qmaster that is starting can register just after this process: it is stopped then.
 */
static bool is_attaching(const struct place *place)
{
	return place->force && place->goal == GOAL_HAVE && place->asked != place->done;
}

/*
 * Handle a displacement: another scheduler has the role now. Nothing more is sent about the old
 * registration. The qmaster would apply it by the client number alone, and remove the new
 * scheduler.
 */
static void displaced(struct sge *sge)
{
	struct place *place = sge->place;
	uint64_t now = clock_monotonic_ns();
	char who[sizeof(place->reason) - 32];

	post_disown(sge->post);
	place->role = POST_NONE;
	if (sge->options->again)
		place->back_ns = now + (now - place->ours_ns < AGAIN_NS ? AGAIN_NS : 0);
	holder_describe(&place->holder, who, sizeof(who));
	place_become(sge, PLACE_DOUBTFUL, "%s has the scheduler role", who);
	if (!is_attaching(place))
		place_done(sge);
	place->goal = GOAL_HAVE;
}

/*
 * Schedule the next check that the role is still ours. A qmaster that has just started starts its
 * own scheduler some time after it accepts connections. The registration is therefore checked for a
 * while, and after that only when deliveries stop.
 */
static void check(struct sge *sge)
{
	struct place *place = sge->place;

	if (place->check_s > CHECK_MOST_S) {
		place_step(place, STEP_NONE, NEVER_NS);
		return;
	}
	place_step(place, STEP_NONE, place->check_s * SECOND_NS);
	place->check_s *= 2;
}

/*
 * Return whether the qmaster was only slow to answer. We are registered and deliveries have not
 * stopped, so the post would not register again.
 */
static bool doubt_is_over(const struct place *place)
{
	return place->state == PLACE_DOUBTFUL && place->role == POST_SCHEDULER && place->holder.us && !place->silent;
}

static void place_decide(struct sge *sge)
{
	struct place *place = sge->place;

	if (place->role == POST_SCHEDULER && place->step != STEP_REGISTERING && place->step != STEP_LEAVING &&
	    !place->holder.us && place->holder.taken)
		displaced(sge);
	if (doubt_is_over(place)) {
		place_become(sge, PLACE_OURS, "%s", "");
		if (place->goal == GOAL_GIVE) {
			hand_begin(sge);
			return;
		}
	}
	if (place->state == PLACE_OURS && place->goal == GOAL_HAVE)
		check(sge);
	else if (place->goal == GOAL_GIVE)
		hand_decide(sge);
	else if (place->goal == GOAL_HAVE)
		decide_have(sge);
	else
		decide_watch(sge);
}

/* Incoming records */

static void connected(struct sge *sge, const char *host)
{
	struct place *place = sge->place;

	log_line(LOG_NOTE, "connected to the qmaster on %s", host);
	place->connected = true;
	place->silent = false;
	place->role = POST_NONE;
	place->leaves_ns = clock_monotonic_ns() + LEAVES_NS;
	place_step(place, STEP_LOOKING, PLACE_ANSWER_NS);
	place_ask(sge);
}

/* Handle a lost connection. Handing back is cancelled, unless the role was given up before. */
static void lost(struct sge *sge, const char *why)
{
	struct place *place = sge->place;
	bool had = place->state != PLACE_WATCHING;

	place->connected = false;
	place->request = place->proof_request = 0;
	place->proof = PROOF_NONE;
	place->holder = (struct holder){ 0 };
	place->role = POST_NONE;
	if (place->goal == GOAL_GIVE && place->step == STEP_SETTLING) {
		place->goal = GOAL_HAVE;
		place_done(sge);
	}
	place->force = place->force || sge->options->again;
	place_step(place, STEP_NONE, NEVER_NS);
	place_become(sge, had ? PLACE_DOUBTFUL : PLACE_WATCHING, "no connection to the qmaster: %s", why);
}

static void registered(struct sge *sge, uint64_t number)
{
	struct place *place = sge->place;

	if (number != 1)
		return;
	place->holder =
		(struct holder){ .known = true, .manager = true, .taken = true, .us = true, .life = HOLDER_LIVES };
	snprintf(place->holder.host, sizeof(place->holder.host), "%s", post_cell(sge->post)->host);
	place->shadow = place->stopped = place->silent = false;
	place->proof = PROOF_NONE;
	place->proof_request = 0;
	place->force = sge->options->again || is_attaching(place);
	place->check_s = CHECK_FIRST_S;
	place->ours_ns = clock_monotonic_ns();
	if (place->goal == GOAL_WATCH)
		place->goal = GOAL_HAVE;
	place_become(sge, PLACE_OURS, "%s", "");
	if (place->goal == GOAL_GIVE)
		hand_begin(sge);
	else
		check(sge);
}

/*
 * Handle a refused registration. If the cell had a scheduler before, it must not be left without
 * one.
 */
static void refused(struct sge *sge, const char *why)
{
	struct place *place = sge->place;

	if (place->step != STEP_REGISTERING) {
		place_become(sge, PLACE_WATCHING, "the qmaster refuses this process as an event client: %s", why);
		place->role = POST_NONE;
		place_step(place, STEP_LOOKING, place->subscription.d_time * SECOND_NS);
		return;
	}
	place->role = POST_NONE;
	if (place->stopped)
		builtin_start(sge);
	else
		place_leave_it(sge, why);
}

static void silent(struct sge *sge)
{
	struct place *place = sge->place;

	if (place_is_ours(sge)) {
		place_become(sge, PLACE_DOUBTFUL, "the qmaster has delivered nothing for too long");
		place_done(sge);
		place->goal = GOAL_HAVE;
	}
	place->step = STEP_LOOKING;
	place_ask(sge);
}

void place_posted(struct sge *sge, const struct post_record *record)
{
	switch (record->kind) {
	case POST_CONNECTED:
		connected(sge, record->text);
		break;
	case POST_LOST:
		lost(sge, record->text);
		break;
	case POST_REGISTERED:
		registered(sge, record->number);
		break;
	case POST_REFUSED:
		refused(sge, record->text);
		break;
	case POST_SILENCE:
		sge->place->silent = true;
		silent(sge);
		break;
	default:
		break;
	}
}

static void holder_answered(struct sge *sge, const struct post_record *record)
{
	struct place *place = sge->place;
	struct error error = { "" };

	if (holder_take(sge, &place->holder, record->bytes, record->n, &error)) {
		place_become(sge, place->state, "%s", error.text);
		place_look_later(place, PLACE_ANSWER_NS);
	} else {
		place_decide(sge);
	}
}

/* Return why a request failed, from the worst answer. NULL: it succeeded. */
static const char *answer_why_not(const struct post_record *record, struct error *error)
{
	struct gdi_buffer buffer = { record->bytes, record->bytes + record->n };
	struct gdi_answer answer = { .more = true };
	int rc = gdi_take_header(&buffer, error);

	while (rc == 0 && answer.more)
		rc = gdi_take_answer(&buffer, &answer, error);
	if (rc == 0 && answer.status != GDI_OK && answer.quality <= GDI_WARNING)
		rc = error_set(error, -EACCES, "%.200s", answer.text);
	return rc ? error->text : NULL;
}

/*
 * Take the answer to place_is_proven(). If another scheduler is active, this one is displaced at
 * once.
 */
static void proof_answered(struct sge *sge, const struct post_record *record)
{
	struct place *place = sge->place;
	struct error error = { "" };

	place->proof_request = 0;
	place->proof = PROOF_DENIED;
	place->proof_ns = record->arrived_ns;
	if (!record->bytes)
		return;
	if (holder_take(sge, &place->holder, record->bytes, record->n, &error))
		log_line(LOG_FAILURE, "usage is sent after the next run: %s", error.text);
	else if (place->holder.us)
		place->proof = PROOF_GIVEN;
	else if (place->holder.taken && place_is_ours(sge))
		place_decide(sge);
}

bool place_answered(struct sge *sge, const struct post_record *record)
{
	struct place *place = sge->place;
	struct error error = { "" };

	if (place->proof_request && record->number == place->proof_request) {
		proof_answered(sge, record);
		return true;
	}

	if (place->request == 0 || record->number != place->request)
		return false;
	place->request = 0;
	if (!record->bytes)		/* POST_LOST follows, or has been handled */
		return true;
	if (place->step == STEP_STOPPING || place->step == STEP_STARTING)
		hand_answered(sge, answer_why_not(record, &error));
	else
		holder_answered(sge, record);
	return true;
}

void place_event(struct sge *sge, enum gdi_event type)
{
	struct place *place = sge->place;

	if (type == GDI_EV_SCHEDDMONITOR) {
		log_line(LOG_NOTE, "a run is made at once, as requested by qconf -tsm");
		place_hurry(sge);
	} else if (type == GDI_EV_SHUTDOWN) {
		log_line(LOG_NOTE, "ending, as requested by qconf -ks or -ke");
		if (sge->intake->end)
			sge->intake->end(sge->intake->context);
	} else if (type == GDI_EV_QMASTER_GOES_DOWN) {
		log_line(LOG_NOTE, "the qmaster is shutting down");
	} else if (type == GDI_EV_ACK_TIMEOUT) {
		silent(sge);
		place_become(sge, place->state, "the qmaster has not heard from this process for too long");
	}
}
