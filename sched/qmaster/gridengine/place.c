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

/* Creation and state */

int place_begin(struct sge *sge, struct error *error)
{
	struct place *place = calloc(1, sizeof(*place));

	if (!place)
		return error_set(error, -ENOMEM, "out of memory");
	place->state = PLACE_WATCHING;
	place->shadow = sge->options->shadow;
	place->standby = sge->options->standby;
	place->goal = place->shadow ? GOAL_WATCH : GOAL_HAVE;
	place->force = sge->options->again;
	place->since = clock_date();
	place->due_ns = NEVER_NS;
	place->subscription = (struct post_subscription){ .d_time = INTERVAL_AT_FIRST_S,
							  .flush_submit = UINT32_MAX,
							  .flush_finish = UINT32_MAX };
	snprintf(place->reason, sizeof(place->reason), "not connected yet");
	sge->place = place;
	return 0;
}

void place_end(struct sge *sge)
{
	free(sge->place);
	sge->place = NULL;
}

enum place_state place_state(const struct sge *sge)
{
	return sge->place->state;
}

bool place_is_clear(const struct sge *sge)
{
	const struct place *place = sge->place;

	return place->state == PLACE_OURS ||
	       (place->state == PLACE_WATCHING && place->goal == GOAL_WATCH && place->role == POST_OBSERVER);
}

bool place_is_shadow(const struct sge *sge)
{
	return sge->place->shadow;
}

bool place_is_proven(struct sge *sge)
{
	struct place *place = sge->place;
	struct error error = { "" };

	if (place->proof == PROOF_GIVEN && clock_monotonic_ns() - place->proof_ns < PROOF_NS)
		return true;
	if (place->proof == PROOF_ASKED || place->proof == PROOF_DENIED || !place->connected)
		return false;
	place->proof_request = holder_ask(sge, &error);
	place->proof = place->proof_request ? PROOF_ASKED : PROOF_DENIED;
	if (!place->proof_request)
		log_line(LOG_FAILURE,
			 "cannot ask the qmaster for its active scheduler: %s; usage is sent after the next run",
			 error.text);
	return false;
}

uint64_t place_due_ns(const struct sge *sge)
{
	return sge->place->due_ns;
}

/* Changes of the state */

static const char *state_name(enum place_state state)
{
	static const char *const names[] = {
		[PLACE_NONE] = "has no role",
		[PLACE_WATCHING] = "watches",
		[PLACE_TAKING] = "takes the scheduler role",
		[PLACE_OURS] = "is the scheduler",
		[PLACE_DOUBTFUL] = "may have lost the scheduler role, and orders nothing",
		[PLACE_HANDING_BACK] = "hands the scheduler role back, and starts no more jobs",
	};

	return names[state];
}

/* Only the active scheduler decides starts. A shadow decides them without sending orders. */
static void dispatch_switch_by_place(struct sge *sge)
{
	sched_dispatch(sge->sched,
		       !sge->options->no_dispatch && (sge->place->shadow || sge->place->state == PLACE_OURS));
}

void place_hurry(struct sge *sge)
{
	if (sge->intake->hurry)
		sge->intake->hurry(sge->intake->context);
}

void place_become(struct sge *sge, enum place_state state, const char *format, ...)
{
	struct place *place = sge->place;
	bool new = state != place->state;
	char reason[sizeof(place->reason)];
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	if (!new && strcmp(reason, place->reason) == 0)
		return;
	memcpy(place->reason, reason, sizeof(place->reason));
	place->state = state;
	if (new)
		place->since = clock_date();
	if (state == PLACE_DOUBTFUL || state == PLACE_WATCHING)
		settlement_stop(sge);
	dispatch_switch_by_place(sge);
	log_line(state == PLACE_DOUBTFUL ? LOG_ODD : LOG_NOTE, "%s%s%s", state_name(state), *reason ? ": " : "",
		 reason);
	place_hurry(sge);
}

void place_done(struct sge *sge)
{
	struct place *place = sge->place;

	if (place->done == place->asked)
		return;
	place->done = place->asked;
	place_hurry(sge);
}

/* Requests to the qmaster */

void place_step(struct place *place, enum step step, uint64_t wait_ns)
{
	place->step = step;
	place->due_ns = wait_ns == NEVER_NS ? NEVER_NS : clock_monotonic_ns() + wait_ns;
}

void place_look_later(struct place *place, uint64_t wait_ns)
{
	place->due_ns = clock_monotonic_ns() + wait_ns;
}

void place_ask(struct sge *sge)
{
	struct place *place = sge->place;
	struct error error = { "" };

	if (!place->connected)
		return;
	place->request = holder_ask(sge, &error);
	if (!place->request)
		log_line(LOG_FAILURE, "the qmaster cannot be asked for the active scheduler: %s", error.text);
	place_look_later(place, PLACE_ANSWER_NS);
}

bool place_send(struct sge *sge, struct gdi_writer *packet, enum step step)
{
	struct place *place = sge->place;

	place->request = packet->rc ? 0 : post_send(sge->post, packet);
	place_step(place, step, PLACE_ANSWER_NS);
	if (!place->request)
		log_line(LOG_FAILURE, "out of memory for a request to the qmaster");
	return place->request != 0;
}

void place_role(struct sge *sge, enum post_role role)
{
	struct place *place = sge->place;
	int rc = post_role(sge->post, role, &place->subscription);

	place->role = rc ? POST_NONE : role;
	if (rc)
		log_line(LOG_FAILURE, "out of memory: the registration with the qmaster is unchanged");
}

void place_register(struct sge *sge)
{
	struct place *place = sge->place;

	if (place->state != PLACE_DOUBTFUL)
		place_become(sge, PLACE_TAKING, "%s", "");
	place_role(sge, POST_SCHEDULER);
	place_step(place, STEP_REGISTERING, REGISTER_NS);
}

/* Watch, and ask again after one interval whether the role has changed hands. */
void place_observe(struct sge *sge)
{
	struct place *place = sge->place;
	uint64_t dead_ns = holder_dead_ns(&place->holder);

	if (place->role != POST_OBSERVER)
		place_role(sge, POST_OBSERVER);
	place_step(place, STEP_LOOKING, place->subscription.d_time * SECOND_NS);
	if (dead_ns < place->due_ns)
		place->due_ns = dead_ns;
}

void place_leave_it(struct sge *sge, const char *why)
{
	struct place *place = sge->place;

	place->goal = place->standby ? GOAL_HAVE : GOAL_WATCH;
	place->force = false;
	place_become(sge, PLACE_WATCHING, "%s", why);
	place_done(sge);
	place_observe(sge);
}

/* Runs */

static struct post_subscription subscription_wanted(const struct sge *sge)
{
	const struct sched_conf *conf = &sched_cell(sge->sched)->sched;
	uint32_t d_time = conf->schedule_interval < 1		  ? 1
			  : conf->schedule_interval > D_TIME_MOST ? D_TIME_MOST
								  : (uint32_t)conf->schedule_interval;

	return (struct post_subscription){
		.d_time = d_time,
		.flush_submit = conf->flush_submit_sec ? conf->flush_submit_sec - 1 : UINT32_MAX,
		.flush_finish = conf->flush_finish_sec ? conf->flush_finish_sec - 1 : UINT32_MAX,
	};
}

/* Change the subscription if the configured intervals have changed. */
void place_ran(struct sge *sge)
{
	struct place *place = sge->place;
	struct post_subscription wanted;

	if (place->proof == PROOF_DENIED)
		place->proof = PROOF_NONE;
	if (!sge->updated)
		return;
	if (place->state == PLACE_OURS) {
		place->done = place->asked;	/* the run has already shown it: place_report() */
		place->force = sge->options->again;
	}
	wanted = subscription_wanted(sge);
	if (wanted.d_time == place->subscription.d_time && wanted.flush_submit == place->subscription.flush_submit &&
	    wanted.flush_finish == place->subscription.flush_finish)
		return;
	place->subscription = wanted;
	if (place->role != POST_NONE && place->step != STEP_REGISTERING)
		place_role(sge, place->role);
}

void place_report(const struct sge *sge, struct place_record *record)
{
	const struct place *place = sge->place;
	const struct holder *holder = &place->holder;

	*record = (struct place_record){ .since = place->since,
					 .state = place->state,
					 .shadow = place->shadow,
					 .asked = place->asked,
					 .done = place->done,
					 .known = holder->known,
					 .living = holder->life == HOLDER_LIVES,
					 .builtin = holder->builtin,
					 .us = holder->us };
	if (place->state == PLACE_OURS && sge->updated && place->goal == GOAL_HAVE)
		record->done = place->asked;
	snprintf(record->host, sizeof(record->host), "%s", holder->host);
	snprintf(record->name, sizeof(record->name), "%s", holder->name);
	snprintf(record->reason, sizeof(record->reason), "%s", place->reason);
}

/* Timeouts and requests of operators */

void place_turn(struct sge *sge)
{
	struct place *place = sge->place;

	if (place->step == STEP_SETTLING)
		hand_turn(sge);
	if (clock_monotonic_ns() < place->due_ns)
		return;
	if (place->request || place->step == STEP_REGISTERING)
		place_become(sge, place->state == PLACE_OURS ? PLACE_DOUBTFUL : place->state,
			     "the qmaster has not answered for too long");
	if (place->step != STEP_SETTLING && place->step != STEP_SEEING)
		place->step = place->goal == GOAL_GIVE ? STEP_LEAVING : STEP_LOOKING;
	if (place->connected && place->step != STEP_SETTLING)
		place_ask(sge);
	else
		place->due_ns = NEVER_NS;
}

uint64_t place_last_question(struct sge *sge)
{
	struct place *place = sge->place;
	struct error error;

	if (place->role == POST_SCHEDULER && place->state == PLACE_DOUBTFUL)
		post_disown(sge->post);
	return place->connected && place->role == POST_SCHEDULER && place->state != PLACE_DOUBTFUL
		       ? holder_ask(sge, &error)
		       : 0;
}

bool place_last_answer(struct sge *sge, uint64_t question, const struct post_record *record)
{
	struct place *place = sge->place;
	struct error error;

	if (record->kind != POST_ANSWER || record->number != question)
		return false;
	if (record->bytes && holder_take(sge, &place->holder, record->bytes, record->n, &error) == 0 &&
	    !place->holder.us)
		post_disown(sge->post);
	return true;
}

void place_attach(struct sge *sge)
{
	struct place *place = sge->place;

	place->asked++;
	if (place->state == PLACE_OURS && sge->updated) {
		place_done(sge);
	} else if (place->goal == GOAL_GIVE) {
		place_become(sge, place->state, "the role is being handed back and can be taken again after that");
		place_done(sge);
	} else {
		log_line(LOG_NOTE, "requested to take the scheduler role");
		place->goal = GOAL_HAVE;
		place->force = true;
		place_hurry(sge);
		if (place->step != STEP_REGISTERING && place->step != STEP_STOPPING)
			place_ask(sge);
	}
}

void place_hand_back(struct sge *sge)
{
	struct place *place = sge->place;

	place->asked++;
	place->standby = false;
	place->force = sge->options->again;
	log_line(LOG_NOTE, "requested to hand the scheduler role back");
	if (place->state == PLACE_OURS) {
		place->goal = GOAL_GIVE;
		hand_begin(sge);
	} else if (place->goal != GOAL_GIVE) {
		/* Once the holder is known; if there is none, the built-in scheduler is started. */
		place->goal = GOAL_GIVE;
		place_hurry(sge);
		if (place->step != STEP_REGISTERING && place->step != STEP_STOPPING)
			place_ask(sge);
	}
}
