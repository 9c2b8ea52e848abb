/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handing the place back: no starts, all that was ordered is settled, the registration is given up,
 * the built-in thread is started, and its first run is over. One after the other, each seen at the
 * qmaster: a thread that registered before we have left would be thrown out by our leaving.
 */
#include <stdio.h>
#include <stdlib.h>

#include "sched/process/clock.h"
#include "sched/process/log.h"
#include "sched/qmaster/gdi/packet.h"
#include "sched/qmaster/gridengine/place_inside.h"
#include "sched/qmaster/gridengine/settlement.h"

#define SETTLE_NS (60 * SECOND_NS)
#define SEE_NS (60 * SECOND_NS)
#define STOP_NS (10 * SECOND_NS)

enum trigger { TRIGGER_START = 1, TRIGGER_STOP = 2 };

/* The built-in thread */

static void trigger_write(struct gdi_writer *w, const char *credential, enum trigger action, uint32_t id, bool more)
{
	static const struct gdi_word words[] = { { ID_str, GDI_STRING }, { ID_ja_structure, GDI_LIST }, { ID_action, GDI_U32 },
						 { ID_force, GDI_U32 }, { ID_user_list, GDI_LIST } };
	size_t list;

	gdi_task_begin(w, GDI_TRIGGER, GDI_DUMMY);
	list = gdi_list_begin(w, "", words, sizeof(words) / sizeof(*words));
	gdi_element_begin(w, list);
	gdi_write_text(w, "scheduler");
	gdi_write_null(w);
	gdi_write_u32(w, action);
	gdi_write_u32(w, 0);
	gdi_write_null(w);
	gdi_list_end(w, list);
	gdi_task_simple(w, credential, id, more);
}

/* A thread that was displaced sits there idle, and must be stopped before another one starts. */
static void builtin_trigger(struct sge *g, bool start, enum step step)
{
	struct error error = { "" };
	char *credential = post_credential(g->post, &error);
	struct gdi_writer w = { 0 };

	if (!credential)
		w.rc = -1;
	gdi_write_header(&w);
	trigger_write(&w, credential, TRIGGER_STOP, 1, start);
	if (start)
		trigger_write(&w, credential, TRIGGER_START, 2, false);
	if (!place_send(g, &w, step))
		log_line(LOG_FAILURE, "the built-in scheduler can't be %s: %s", start ? "started" : "stopped", credential ? "no memory" : error.text);
	gdi_writer_free(&w);
	free(credential);
}

void builtin_stop(struct sge *g)
{
	place_become(g, PLACE_TAKING, "the built-in scheduler is being stopped");
	builtin_trigger(g, false, STEP_STOPPING);
}

void builtin_start(struct sge *g)
{
	builtin_trigger(g, true, STEP_STARTING);
}

/*
 * It has ended then, or had ended before, but the qmaster notices up to a second later that its
 * event client is gone, and would throw out whoever has registered in between.
 */
static void stop_answered(struct sge *g, const char *why_not)
{
	struct place *p = g->place;

	p->stopped = true;
	p->step = STEP_LOOKING;
	p->limit_ns = clock_monotonic_ns() + STOP_NS;
	snprintf(p->trouble, sizeof(p->trouble), "%s", why_not ? why_not : "it is still registered");
	place_look_later(p, SOON_NS);
}

/* It still has the place. */
void builtin_wait(struct sge *g)
{
	struct place *p = g->place;
	char why[sizeof(p->reason)];

	if (clock_monotonic_ns() < p->limit_ns) {
		place_look_later(p, SOON_NS);
		return;
	}
	p->stopped = false;
	snprintf(why, sizeof(why), "the built-in scheduler can't be stopped: %s", p->trouble);
	place_leave_it(g, why);
}

/* Better a scheduler that was to go than none. */
static void start_answered(struct sge *g, const char *why_not)
{
	struct place *p = g->place;

	p->stopped = false;
	if (!why_not) {
		p->step = STEP_SEEING;
		p->limit_ns = clock_monotonic_ns() + SEE_NS;
		place_ask(g);
	} else if (p->goal == GOAL_GIVE) {
		log_line(LOG_FAILURE, "the built-in scheduler can't be started, so the place is taken again: %s", why_not);
		p->goal = GOAL_HAVE;
		place_register(g);
		place_become(g, p->state, "the built-in scheduler can't be started: %s", why_not);
		place_done(g);
	} else {
		place_leave_it(g, why_not);
	}
}

void hand_answered(struct sge *g, const char *why_not)
{
	if (g->place->step == STEP_STOPPING)
		stop_answered(g, why_not);
	else
		start_answered(g, why_not);
}

/* Handing back */

void hand_begin(struct sge *g)
{
	struct place *p = g->place;

	p->step = STEP_SETTLING;
	p->limit_ns = p->due_ns = clock_monotonic_ns() + SETTLE_NS;
	place_become(g, PLACE_HANDING_BACK, "%s", "");
}

static void hand_leave(struct sge *g)
{
	struct place *p = g->place;

	place_role(g, POST_NONE);
	p->step = STEP_LEAVING;
	p->limit_ns = clock_monotonic_ns() + SEE_NS;
	place_ask(g);
}

/* What is not settled in time stays ours to settle. */
void hand_turn(struct sge *g)
{
	struct place *p = g->place;

	if (settlement_finish(g)) {
		hand_leave(g);
	} else if (clock_monotonic_ns() >= p->limit_ns) {
		p->goal = GOAL_HAVE;
		p->step = STEP_NONE;
		p->due_ns = NEVER_NS;
		settlement_resume(g);
		place_become(g, PLACE_OURS, "not handed back: the qmaster has not shown within %d s what became of all orders", (int)(SETTLE_NS / SECOND_NS));
		place_done(g);
	}
}

static void hand_over(struct sge *g, const char *why)
{
	struct place *p = g->place;

	p->goal = GOAL_WATCH;
	p->stopped = false;
	place_leave_it(g, why);
}

void hand_decide(struct sge *g)
{
	struct place *p = g->place;
	const struct holder *h = &p->holder;
	bool late;

	if (p->step == STEP_LOOKING || p->step == STEP_NONE)	/* it was not clear who has it */
		p->limit_ns = clock_monotonic_ns() + SEE_NS;
	late = clock_monotonic_ns() >= p->limit_ns;
	if (h->taken && h->builtin && (h->idle || p->step != STEP_SEEING)) {
		hand_over(g, "the built-in scheduler has the place");
	} else if (h->taken && !h->us && !h->builtin && h->life != HOLDER_DEAD) {
		hand_over(g, "another scheduler has taken the place meanwhile");
	} else if (late) {
		hand_over(g, "the built-in scheduler was started, but its first run is not seen");
	} else if ((p->step == STEP_LEAVING && h->us) || p->step == STEP_SEEING) {
		p->due_ns = clock_monotonic_ns() + SOON_NS;
	} else {
		builtin_start(g);
	}
}
