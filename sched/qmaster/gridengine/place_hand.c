/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handing the role back: no starts, all orders are completed, the registration is given up, the
 * built-in thread is started, and its first run has ended. Each step is confirmed at the qmaster
 * before the next one. If the thread registered before we have left, our leaving would remove its
 * registration.
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

static void trigger_write(struct gdi_writer *writer, const char *credential, enum trigger action, uint32_t id,
			  bool more)
{
	static const struct gdi_word words[] = { { ID_str, GDI_STRING },
						 { ID_ja_structure, GDI_LIST },
						 { ID_action, GDI_U32 },
						 { ID_force, GDI_U32 },
						 { ID_user_list, GDI_LIST } };
	size_t list;

	gdi_task_begin(writer, GDI_TRIGGER, GDI_DUMMY);
	list = gdi_list_begin(writer, "", words, sizeof(words) / sizeof(*words));
	gdi_element_begin(writer, list);
	gdi_write_text(writer, "scheduler");
	gdi_write_null(writer);
	gdi_write_u32(writer, action);
	gdi_write_u32(writer, 0);
	gdi_write_null(writer);
	gdi_list_end(writer, list);
	gdi_task_simple(writer, credential, id, more);
}

/*
 * Start or stop the built-in thread. A thread that was displaced still exists and is idle. It must
 * be stopped before another one is started.
 */
static void builtin_trigger(struct sge *sge, bool start, enum step step)
{
	struct error error = { "" };
	struct gdi_writer writer = { 0 };
	char *credential;

	if (post_credential(sge->post, &credential, &error))
		writer.rc = -1;
	gdi_write_header(&writer);
	trigger_write(&writer, credential, TRIGGER_STOP, 1, start);
	if (start)
		trigger_write(&writer, credential, TRIGGER_START, 2, false);
	if (!place_send(sge, &writer, step))
		log_line(LOG_FAILURE, "the built-in scheduler cannot be %s: %s", start ? "started" : "stopped",
			 credential ? "out of memory" : error.text);
	gdi_writer_free(&writer);
	free(credential);
}

void builtin_stop(struct sge *sge)
{
	place_become(sge, PLACE_TAKING, "the built-in scheduler is being stopped");
	builtin_trigger(sge, false, STEP_STOPPING);
}

void builtin_start(struct sge *sge)
{
	builtin_trigger(sge, true, STEP_STARTING);
}

/*
 * Handle the answer to the stop request. The thread has ended now or earlier. But the qmaster only
 * notices up to a second later that its event client is gone, and would then remove any client that
 * has registered in between.
 */
static void stop_answered(struct sge *sge, const char *why_not)
{
	struct place *place = sge->place;

	place->stopped = true;
	place->step = STEP_LOOKING;
	place->limit_ns = clock_monotonic_ns() + STOP_NS;
	snprintf(place->trouble, sizeof(place->trouble), "%s", why_not ? why_not : "it is still registered");
	place_look_later(place, SOON_NS);
}

/* Wait while the built-in thread still has the role. */
void builtin_wait(struct sge *sge)
{
	struct place *place = sge->place;
	char why[sizeof(place->reason)];

	if (clock_monotonic_ns() < place->limit_ns) {
		place_look_later(place, SOON_NS);
		return;
	}
	place->stopped = false;
	snprintf(why, sizeof(why), "the built-in scheduler cannot be stopped: %s", place->trouble);
	place_leave_it(sge, why);
}

/*
 * Handle the answer to the start request. If the start fails, keep the role, so that the cell has a
 * scheduler.
 */
static void start_answered(struct sge *sge, const char *why_not)
{
	struct place *place = sge->place;

	place->stopped = false;
	if (!why_not) {
		place->step = STEP_SEEING;
		place->limit_ns = clock_monotonic_ns() + SEE_NS;
		place_ask(sge);
	} else if (place->goal == GOAL_GIVE) {
		log_line(LOG_FAILURE,
			 "the built-in scheduler cannot be started, so the scheduler role is taken again: %s", why_not);
		place->goal = GOAL_HAVE;
		place_register(sge);
		place_become(sge, place->state, "the built-in scheduler cannot be started: %s", why_not);
		place_done(sge);
	} else {
		place_leave_it(sge, why_not);
	}
}

void hand_answered(struct sge *sge, const char *why_not)
{
	if (sge->place->step == STEP_STOPPING)
		stop_answered(sge, why_not);
	else
		start_answered(sge, why_not);
}

/* Handing back */

void hand_begin(struct sge *sge)
{
	struct place *place = sge->place;

	place->step = STEP_SETTLING;
	place->limit_ns = place->due_ns = clock_monotonic_ns() + SETTLE_NS;
	place_become(sge, PLACE_HANDING_BACK, "%s", "");
}

static void hand_leave(struct sge *sge)
{
	struct place *place = sge->place;

	place_role(sge, POST_NONE);
	place->step = STEP_LEAVING;
	place->limit_ns = clock_monotonic_ns() + SEE_NS;
	place_ask(sge);
}

/* Give up the role if all orders are completed. If they are not in time, keep the role. */
void hand_turn(struct sge *sge)
{
	struct place *place = sge->place;

	if (settlement_finish(sge)) {
		hand_leave(sge);
	} else if (clock_monotonic_ns() >= place->limit_ns) {
		place->goal = GOAL_HAVE;
		place->step = STEP_NONE;
		place->due_ns = NEVER_NS;
		settlement_resume(sge);
		place_become(sge, PLACE_OURS,
			     "not handed back: the qmaster has not shown the results of all orders within %d s",
			     (int)(SETTLE_NS / SECOND_NS));
		place_done(sge);
	}
}

static void hand_over(struct sge *sge, const char *why)
{
	struct place *place = sge->place;

	place->goal = GOAL_WATCH;
	place->stopped = false;
	place_leave_it(sge, why);
}

void hand_decide(struct sge *sge)
{
	struct place *place = sge->place;
	const struct holder *holder = &place->holder;
	bool late;

	/* The holder was not known. */
	if (place->step == STEP_LOOKING || place->step == STEP_NONE)
		place->limit_ns = clock_monotonic_ns() + SEE_NS;
	late = clock_monotonic_ns() >= place->limit_ns;
	if (holder->taken && holder->builtin && (holder->idle || place->step != STEP_SEEING)) {
		hand_over(sge, "the built-in scheduler has the scheduler role");
	} else if (holder->taken && !holder->us && !holder->builtin && holder->life != HOLDER_DEAD) {
		hand_over(sge, "another scheduler has taken the scheduler role");
	} else if (late) {
		hand_over(sge, "the built-in scheduler was started, but its first run was not observed");
	} else if ((place->step == STEP_LEAVING && holder->us) || place->step == STEP_SEEING) {
		place->due_ns = clock_monotonic_ns() + SOON_NS;
	} else {
		builtin_start(sge);
	}
}
