/* SPDX-License-Identifier: Apache-2.0 */
/* What the place hears of the qmaster, and what follows from it. */
#include <errno.h>
#include <stdio.h>

#include "sched/process/clock.h"
#include "sched/process/log.h"
#include "sched/qmaster/gdi/packet.h"
#include "sched/qmaster/gridengine/place_inside.h"

#define AGAIN_NS (60 * SECOND_NS)		/* --again: between two takings back */
/* A built-in thread that was stopped (qconf -kt) just before still seems to be there. */
#define LEAVES_NS (3 * SECOND_NS)
#define CHECK_FIRST_S 1			/* after it was taken; the next wait is twice as long */
#define CHECK_MOST_S 32

/* What to do, as far as it is known who has it */

static void decide_taken(struct sge *g)
{
	struct place *p = g->place;
	char who[sizeof(p->reason) - 32], why[sizeof(p->reason)];

	holder_describe(&p->holder, who, sizeof(who));
	snprintf(why, sizeof(why), "%s has the place", who);
	if (p->asked == p->done && clock_monotonic_ns() < p->back_ns) {
		place_become(g, PLACE_WATCHING, "%s, and it is taken back soon", why);
		place_observe(g);
		p->due_ns = p->back_ns;
	} else if (p->holder.builtin && p->stopped) {
		builtin_wait(g);
	} else if (p->holder.builtin && p->force) {
		builtin_stop(g);
	} else if (p->holder.builtin && clock_monotonic_ns() < p->leaves_ns) {
		place_become(g, PLACE_WATCHING, "%s", why);
		place_observe(g);
		place_look_later(p, SECOND_NS / 2);
	} else if (p->holder.life == HOLDER_UNSURE) {
		place_become(g, PLACE_WATCHING, "it is to be seen whether %s lives", who);
		place_observe(g);
		place_look_later(p, SECOND_NS);
	} else if (p->force && p->back_ns) {
		place_register(g);
	} else {
		place_leave_it(g, why);
	}
}

static void decide_have(struct sge *g)
{
	struct place *p = g->place;

	if (!p->holder.manager)
		place_leave_it(g, "the user that this process runs as is no manager of the cell, which orders need: qconf -am USER");
	else if (holder_is_gone(&p->holder))
		place_register(g);
	else
		decide_taken(g);
}

static void decide_watch(struct sge *g)
{
	struct place *p = g->place;
	char who[sizeof(p->reason) - 32];

	holder_describe(&p->holder, who, sizeof(who));
	place_become(g, PLACE_WATCHING, "%s has the place", p->holder.us ? "nobody" : who);
	place_done(g);
	place_observe(g);
}

/*
 * It was ours, and is another's. Nothing is said to the qmaster of a registration that is not ours
 * any more: it would believe us, by the number alone, and throw out who has it.
 */
static void displaced(struct sge *g)
{
	struct place *p = g->place;
	uint64_t now = clock_monotonic_ns();
	char who[sizeof(p->reason) - 32];

	post_disown(g->post);
	p->role = POST_NONE;
	if (g->options->again)
		p->back_ns = now + (now - p->ours_ns < AGAIN_NS ? AGAIN_NS : 0);
	holder_describe(&p->holder, who, sizeof(who));
	place_become(g, PLACE_DOUBTFUL, "%s has the place", who);
	place_done(g);
	p->goal = GOAL_HAVE;
}

/*
 * A qmaster that has just started starts its own scheduler some time after it takes connections: so
 * what was registered is looked after for a while, and after that only when deliveries stop.
 */
static void check(struct sge *g)
{
	struct place *p = g->place;

	if (p->check_s > CHECK_MOST_S) {
		place_step(p, STEP_NONE, NEVER_NS);
		return;
	}
	place_step(p, STEP_NONE, p->check_s * SECOND_NS);
	p->check_s *= 2;
}

/*
 * The qmaster was only slow to answer: we are registered and heard all the time, so that the post
 * would not register again.
 */
static bool doubt_is_over(const struct place *p)
{
	return p->state == PLACE_DOUBTFUL && p->role == POST_SCHEDULER && p->holder.us && !p->silent;
}

static void place_decide(struct sge *g)
{
	struct place *p = g->place;

	if (p->role == POST_SCHEDULER && p->step != STEP_REGISTERING && p->step != STEP_LEAVING && !p->holder.us && p->holder.taken)
		displaced(g);
	if (doubt_is_over(p)) {
		place_become(g, PLACE_OURS, "%s", "");
		if (p->goal == GOAL_GIVE) {
			hand_begin(g);
			return;
		}
	}
	if (p->state == PLACE_OURS && p->goal == GOAL_HAVE)
		check(g);
	else if (p->goal == GOAL_GIVE)
		hand_decide(g);
	else if (p->goal == GOAL_HAVE)
		decide_have(g);
	else
		decide_watch(g);
}

/* What comes */

static void connected(struct sge *g, const char *host)
{
	struct place *p = g->place;

	log_line(LOG_NOTE, "connected to the qmaster on %s", host);
	p->connected = true;
	p->silent = false;
	p->role = POST_NONE;
	p->leaves_ns = clock_monotonic_ns() + LEAVES_NS;
	place_step(p, STEP_LOOKING, PLACE_ANSWER_NS);
	place_ask(g);
}

/* What was being handed back is so no more, unless it was given up before. */
static void lost(struct sge *g, const char *why)
{
	struct place *p = g->place;
	bool had = p->state != PLACE_WATCHING;

	p->connected = false;
	p->request = p->proof_request = 0;
	p->proof = PROOF_NONE;
	p->holder = (struct holder){ 0 };
	p->role = POST_NONE;
	if (p->goal == GOAL_GIVE && p->step == STEP_SETTLING) {
		p->goal = GOAL_HAVE;
		place_done(g);
	}
	p->force = p->force || g->options->again;
	place_step(p, STEP_NONE, NEVER_NS);
	place_become(g, had ? PLACE_DOUBTFUL : PLACE_WATCHING, "no connection to the qmaster: %s", why);
}

static void registered(struct sge *g, uint64_t number)
{
	struct place *p = g->place;

	if (number != 1)
		return;
	p->holder = (struct holder){ .known = true, .manager = true, .taken = true, .us = true, .life = HOLDER_LIVES };
	snprintf(p->holder.host, sizeof(p->holder.host), "%s", post_cell(g->post)->host);
	p->shadow = p->stopped = p->silent = false;
	p->proof = PROOF_NONE;
	p->proof_request = 0;
	p->force = g->options->again;
	p->check_s = CHECK_FIRST_S;
	p->ours_ns = clock_monotonic_ns();
	if (p->goal == GOAL_WATCH)
		p->goal = GOAL_HAVE;
	place_become(g, PLACE_OURS, "%s", "");
	if (p->goal == GOAL_GIVE)
		hand_begin(g);
	else
		check(g);
}

/* The cell is not to be without a scheduler, if it had one. */
static void refused(struct sge *g, const char *why)
{
	struct place *p = g->place;

	if (p->step != STEP_REGISTERING) {
		place_become(g, PLACE_WATCHING, "the qmaster does not take us as an event client: %s", why);
		p->role = POST_NONE;
		place_step(p, STEP_LOOKING, p->subscription.d_time * SECOND_NS);
		return;
	}
	p->role = POST_NONE;
	if (p->stopped)
		builtin_start(g);
	else
		place_leave_it(g, why);
}

static void silent(struct sge *g)
{
	struct place *p = g->place;

	if (place_is_ours(g)) {
		place_become(g, PLACE_DOUBTFUL, "the qmaster has delivered nothing for too long");
		place_done(g);
		p->goal = GOAL_HAVE;
	}
	p->step = STEP_LOOKING;
	place_ask(g);
}

void place_posted(struct sge *g, const struct post_record *record)
{
	switch (record->kind) {
	case POST_CONNECTED:
		connected(g, record->text);
		break;
	case POST_LOST:
		lost(g, record->text);
		break;
	case POST_REGISTERED:
		registered(g, record->number);
		break;
	case POST_REFUSED:
		refused(g, record->text);
		break;
	case POST_SILENCE:
		g->place->silent = true;
		silent(g);
		break;
	default:
		break;
	}
}

static void holder_answered(struct sge *g, const struct post_record *record)
{
	struct place *p = g->place;
	struct error error = { "" };

	if (holder_take(g, &p->holder, record->bytes, record->n, &error)) {
		place_become(g, p->state, "%s", error.text);
		place_look_later(p, PLACE_ANSWER_NS);
	} else {
		place_decide(g);
	}
}

/* Why it was not done: the worst that was said; NULL: it was. */
static const char *answer_why_not(const struct post_record *record, struct error *error)
{
	struct gdi_buffer b = { record->bytes, record->bytes + record->n };
	struct gdi_answer answer = { .more = true };
	int rc = gdi_take_header(&b, error);

	while (rc == 0 && answer.more)
		rc = gdi_take_answer(&b, &answer, error);
	if (rc == 0 && answer.status != GDI_OK && answer.quality <= GDI_WARNING)
		rc = error_set(error, -EACCES, "%.200s", answer.text);
	return rc ? error->text : NULL;
}

/* Take the answer to place_is_proven(). If another scheduler is active, this one is displaced at once. */
static void proof_answered(struct sge *g, const struct post_record *record)
{
	struct place *p = g->place;
	struct error error = { "" };

	p->proof_request = 0;
	p->proof = PROOF_DENIED;
	p->proof_ns = record->arrived_ns;
	if (!record->bytes)
		return;
	if (holder_take(g, &p->holder, record->bytes, record->n, &error))
		log_line(LOG_FAILURE, "usage is sent after the next run: %s", error.text);
	else if (p->holder.us)
		p->proof = PROOF_GIVEN;
	else if (p->holder.taken && place_is_ours(g))
		place_decide(g);
}

bool place_answered(struct sge *g, const struct post_record *record)
{
	struct place *p = g->place;
	struct error error = { "" };

	if (p->proof_request && record->number == p->proof_request) {
		proof_answered(g, record);
		return true;
	}

	if (p->request == 0 || record->number != p->request)
		return false;
	p->request = 0;
	if (!record->bytes)		/* POST_LOST follows, or has come */
		return true;
	if (p->step == STEP_STOPPING || p->step == STEP_STARTING)
		hand_answered(g, answer_why_not(record, &error));
	else
		holder_answered(g, record);
	return true;
}

void place_event(struct sge *g, enum gdi_event type)
{
	struct place *p = g->place;

	if (type == GDI_EV_SCHEDDMONITOR) {
		log_line(LOG_NOTE, "a run at once, as the qmaster was told (qconf -tsm)");
		place_hurry(g);
	} else if (type == GDI_EV_SHUTDOWN) {
		log_line(LOG_NOTE, "ending: the qmaster was told to end its scheduler (qconf -ks or -ke)");
		if (g->intake->end)
			g->intake->end(g->intake->context);
	} else if (type == GDI_EV_QMASTER_GOES_DOWN) {
		log_line(LOG_NOTE, "the qmaster goes down");
	} else if (type == GDI_EV_ACK_TIMEOUT) {
		silent(g);
		place_become(g, p->state, "the qmaster has not heard from us for too long");
	}
}
