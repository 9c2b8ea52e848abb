/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/gridengine/place.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/process/clock.h"
#include "sched/process/log.h"
#include "sched/qmaster/gridengine/place_inside.h"
#include "sched/qmaster/gridengine/settlement.h"
#include "sched/sched.h"

#define REGISTER_NS (30 * SECOND_NS)
#define PROOF_NS (SECOND_NS / 20)		/* time for which an answer holds */
#define INTERVAL_AT_FIRST_S 15			/* before the configuration is known */
#define D_TIME_MOST 595

/* What there is */

int place_begin(struct sge *g, struct error *error)
{
	struct place *p = calloc(1, sizeof(*p));

	if (!p)
		return error_set(error, -ENOMEM, "no memory");
	p->state = PLACE_WATCHING;
	p->shadow = g->options->shadow;
	p->standby = g->options->standby;
	p->goal = p->shadow ? GOAL_WATCH : GOAL_HAVE;
	p->force = g->options->again;
	p->since = clock_date();
	p->due_ns = NEVER_NS;
	p->subscription = (struct post_subscription){ .d_time = INTERVAL_AT_FIRST_S, .flush_submit = UINT32_MAX, .flush_finish = UINT32_MAX };
	snprintf(p->reason, sizeof(p->reason), "not connected yet");
	g->place = p;
	return 0;
}

void place_end(struct sge *g)
{
	free(g->place);
	g->place = NULL;
}

enum place_state place_state(const struct sge *g)
{
	return g->place->state;
}

bool place_is_clear(const struct sge *g)
{
	const struct place *p = g->place;

	return p->state == PLACE_OURS || (p->state == PLACE_WATCHING && p->goal == GOAL_WATCH && p->role == POST_OBSERVER);
}

bool place_is_shadow(const struct sge *g)
{
	return g->place->shadow;
}

bool place_is_proven(struct sge *g)
{
	struct place *p = g->place;
	struct error error = { "" };

	if (p->proof == PROOF_GIVEN && clock_monotonic_ns() - p->proof_ns < PROOF_NS)
		return true;
	if (p->proof == PROOF_ASKED || p->proof == PROOF_DENIED || !p->connected)
		return false;
	p->proof_request = holder_ask(g, &error);
	p->proof = p->proof_request ? PROOF_ASKED : PROOF_DENIED;
	if (!p->proof_request)
		log_line(LOG_FAILURE, "cannot ask the qmaster for its active scheduler: %s; usage is sent after the next run", error.text);
	return false;
}

uint64_t place_due_ns(const struct sge *g)
{
	return g->place->due_ns;
}

/* Changes of it */

static const char *state_name(enum place_state state)
{
	static const char *const names[] = {
		[PLACE_NONE] = "has no place", [PLACE_WATCHING] = "watches", [PLACE_TAKING] = "takes the place of the scheduler",
		[PLACE_OURS] = "is the scheduler", [PLACE_DOUBTFUL] = "may have lost the place of the scheduler, and orders nothing",
		[PLACE_HANDING_BACK] = "hands the place back, and starts nothing any more",
	};

	return names[state];
}

/* Nobody but who has the place decides what starts; a shadow only for itself. */
static void dispatch_switch_by_place(struct sge *g)
{
	sched_dispatch(g->sched, !g->options->no_dispatch && (g->place->shadow || g->place->state == PLACE_OURS));
}

void place_hurry(struct sge *g)
{
	if (g->intake->hurry)
		g->intake->hurry(g->intake->context);
}

void place_become(struct sge *g, enum place_state state, const char *format, ...)
{
	struct place *p = g->place;
	bool new = state != p->state;
	char reason[sizeof(p->reason)];
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	if (!new && strcmp(reason, p->reason) == 0)
		return;
	memcpy(p->reason, reason, sizeof(p->reason));
	p->state = state;
	if (new)
		p->since = clock_date();
	if (state == PLACE_DOUBTFUL || state == PLACE_WATCHING)
		settlement_stop(g);
	dispatch_switch_by_place(g);
	log_line(state == PLACE_DOUBTFUL ? LOG_ODD : LOG_NOTE, "%s%s%s", state_name(state), *reason ? ": " : "", reason);
	place_hurry(g);
}

void place_done(struct sge *g)
{
	struct place *p = g->place;

	if (p->done == p->asked)
		return;
	p->done = p->asked;
	place_hurry(g);
}

/* Talking to the qmaster */

void place_step(struct place *p, enum step step, uint64_t wait_ns)
{
	p->step = step;
	p->due_ns = wait_ns == NEVER_NS ? NEVER_NS : clock_monotonic_ns() + wait_ns;
}

void place_look_later(struct place *p, uint64_t wait_ns)
{
	p->due_ns = clock_monotonic_ns() + wait_ns;
}

void place_ask(struct sge *g)
{
	struct place *p = g->place;
	struct error error = { "" };

	if (!p->connected)
		return;
	p->request = holder_ask(g, &error);
	if (!p->request)
		log_line(LOG_FAILURE, "the qmaster can't be asked who has the place: %s", error.text);
	place_look_later(p, PLACE_ANSWER_NS);
}

bool place_send(struct sge *g, struct gdi_writer *packet, enum step step)
{
	struct place *p = g->place;

	p->request = packet->rc ? 0 : post_send(g->post, packet);
	place_step(p, step, PLACE_ANSWER_NS);
	if (!p->request)
		log_line(LOG_FAILURE, "no memory to speak to the qmaster");
	return p->request != 0;
}

void place_role(struct sge *g, enum post_role role)
{
	struct place *p = g->place;
	int rc = post_role(g->post, role, &p->subscription);

	p->role = rc ? POST_NONE : role;
	if (rc)
		log_line(LOG_FAILURE, "no memory to register with the qmaster");
}

void place_register(struct sge *g)
{
	struct place *p = g->place;

	if (p->state != PLACE_DOUBTFUL)
		place_become(g, PLACE_TAKING, "%s", "");
	place_role(g, POST_SCHEDULER);
	place_step(p, STEP_REGISTERING, REGISTER_NS);
}

/* An interval later somebody else may have it. */
void place_observe(struct sge *g)
{
	struct place *p = g->place;
	uint64_t dead_ns = holder_dead_ns(&p->holder);

	if (p->role != POST_OBSERVER)
		place_role(g, POST_OBSERVER);
	place_step(p, STEP_LOOKING, p->subscription.d_time * SECOND_NS);
	if (dead_ns < p->due_ns)
		p->due_ns = dead_ns;
}

void place_leave_it(struct sge *g, const char *why)
{
	struct place *p = g->place;

	p->goal = p->standby ? GOAL_HAVE : GOAL_WATCH;
	p->force = false;
	place_become(g, PLACE_WATCHING, "%s", why);
	place_done(g);
	place_observe(g);
}

/* Runs */

static struct post_subscription subscription_wanted(const struct sge *g)
{
	const struct sched_conf *conf = &sched_cell(g->sched)->sched;
	uint32_t d_time = conf->schedule_interval < 1 ? 1 : conf->schedule_interval > D_TIME_MOST ? D_TIME_MOST : (uint32_t)conf->schedule_interval;

	return (struct post_subscription){
		.d_time = d_time,
		.flush_submit = conf->flush_submit_sec ? conf->flush_submit_sec - 1 : UINT32_MAX,
		.flush_finish = conf->flush_finish_sec ? conf->flush_finish_sec - 1 : UINT32_MAX,
	};
}

/* What it was told of its rhythm is as it is configured. */
void place_ran(struct sge *g)
{
	struct place *p = g->place;
	struct post_subscription wanted;

	if (p->proof == PROOF_DENIED)
		p->proof = PROOF_NONE;
	if (!g->updated)
		return;
	if (p->state == PLACE_OURS)
		p->done = p->asked;	/* this run has shown it already: place_tell() */
	wanted = subscription_wanted(g);
	if (wanted.d_time == p->subscription.d_time && wanted.flush_submit == p->subscription.flush_submit &&
	    wanted.flush_finish == p->subscription.flush_finish)
		return;
	p->subscription = wanted;
	if (p->role != POST_NONE && p->step != STEP_REGISTERING)
		place_role(g, p->role);
}

void place_tell(const struct sge *g, struct place_record *record)
{
	const struct place *p = g->place;
	const struct holder *h = &p->holder;

	*record = (struct place_record){ .since = p->since, .state = p->state, .shadow = p->shadow, .asked = p->asked, .done = p->done,
					 .known = h->known, .living = h->life == HOLDER_LIVES, .builtin = h->builtin, .us = h->us };
	if (p->state == PLACE_OURS && g->updated && p->goal == GOAL_HAVE)
		record->done = p->asked;
	snprintf(record->host, sizeof(record->host), "%s", h->host);
	snprintf(record->name, sizeof(record->name), "%s", h->name);
	snprintf(record->reason, sizeof(record->reason), "%s", p->reason);
}

/* Time, and people */

void place_turn(struct sge *g)
{
	struct place *p = g->place;

	if (p->step == STEP_SETTLING)
		hand_turn(g);
	if (clock_monotonic_ns() < p->due_ns)
		return;
	if (p->request || p->step == STEP_REGISTERING)
		place_become(g, p->state == PLACE_OURS ? PLACE_DOUBTFUL : p->state, "the qmaster has not answered for too long");
	if (p->step != STEP_SETTLING && p->step != STEP_SEEING)
		p->step = p->goal == GOAL_GIVE ? STEP_LEAVING : STEP_LOOKING;
	if (p->connected && p->step != STEP_SETTLING)
		place_ask(g);
	else
		p->due_ns = NEVER_NS;
}

uint64_t place_last_question(struct sge *g)
{
	struct place *p = g->place;
	struct error error;

	if (p->role == POST_SCHEDULER && p->state == PLACE_DOUBTFUL)
		post_disown(g->post);
	return p->connected && p->role == POST_SCHEDULER && p->state != PLACE_DOUBTFUL ? holder_ask(g, &error) : 0;
}

bool place_last_answer(struct sge *g, uint64_t question, const struct post_record *record)
{
	struct place *p = g->place;
	struct error error;

	if (record->kind != POST_ANSWER || record->number != question)
		return false;
	if (record->bytes && holder_take(g, &p->holder, record->bytes, record->n, &error) == 0 && !p->holder.us)
		post_disown(g->post);
	return true;
}

void place_attach(struct sge *g)
{
	struct place *p = g->place;

	p->asked++;
	if (p->state == PLACE_OURS && g->updated) {
		place_done(g);
	} else if (p->goal == GOAL_GIVE) {
		place_become(g, p->state, "it is being handed back, and can be taken again after that");
		place_done(g);
	} else {
		log_line(LOG_NOTE, "told to take the place of the scheduler");
		p->goal = GOAL_HAVE;
		p->force = true;
		place_hurry(g);
		if (p->step != STEP_REGISTERING && p->step != STEP_STOPPING)
			place_ask(g);
	}
}

void place_hand_back(struct sge *g)
{
	struct place *p = g->place;

	p->asked++;
	p->standby = false;
	log_line(LOG_NOTE, "told to hand the place of the scheduler back");
	if (p->state == PLACE_OURS) {
		p->goal = GOAL_GIVE;
		hand_begin(g);
	} else if (p->goal != GOAL_GIVE) {
		p->goal = GOAL_GIVE;	/* when it is clear who has it; nobody: the built-in scheduler is to */
		place_hurry(g);
		if (p->step != STEP_REGISTERING && p->step != STEP_STOPPING)
			place_ask(g);
	}
}
