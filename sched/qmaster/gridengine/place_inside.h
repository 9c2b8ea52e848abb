/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations shared by place.c, place_heard.c and place_hand.c. */
#ifndef SCHED_QMASTER_GRIDENGINE_PLACE_INSIDE_H
#define SCHED_QMASTER_GRIDENGINE_PLACE_INSIDE_H

#include "sched/qmaster/gridengine/holder.h"
#include "sched/qmaster/gridengine/place.h"

#define NEVER_NS UINT64_MAX
#define SECOND_NS 1000000000ull
#define SOON_NS (SECOND_NS / 10)
/* A request without an answer is reported after this time. */
#define PLACE_ANSWER_NS (10 * SECOND_NS)

enum goal { GOAL_WATCH, GOAL_HAVE, GOAL_GIVE };

/* State of the request of place_is_proven(). */
enum place_proof {
	PROOF_NONE,
	PROOF_ASKED,
	PROOF_GIVEN,
	PROOF_DENIED,			/* no further request before the next run */
};

enum step {
	STEP_NONE,
	STEP_LOOKING,			/* asking for the holder of the role */
	STEP_STOPPING,			/* stopping the built-in thread */
	STEP_REGISTERING,
	STEP_SETTLING,			/* completing orders before the role is given up */
	STEP_LEAVING,			/* given up, but perhaps not yet noticed by the qmaster */
	STEP_STARTING,			/* starting the built-in thread */
	STEP_SEEING,			/* waiting for its first run */
};

struct place {
	enum place_state state;
	enum goal goal;
	enum step step;
	enum post_role role;		/* role last requested from the post */
	bool shadow, standby;		/* initially the options; changed by requests */
	bool force;			/* the built-in thread may be stopped */
	/* The thread was stopped, and no other scheduler has had the role since. */
	bool stopped;
	bool connected;
	bool silent;			/* the post sends nothing for us until it registers again */
	int64_t since;			/* start of this state, epoch seconds */
	uint32_t check_s;		/* time until the next check that the role is still ours */
	uint64_t ours_ns;		/* time when the role became ours */
	/* Until this time the built-in thread may still be ending. */
	uint64_t leaves_ns;
	/* --again: earliest time to take the role back; 0: it was never lost. */
	uint64_t back_ns;
	/* Numbers of attach and hand-back requests, and of those completed. */
	uint32_t asked, done;
	uint64_t request;		/* request whose answer is awaited; 0: none */
	enum place_proof proof;
	uint64_t proof_request;		/* number of the request; 0: none */
	uint64_t proof_ns;		/* time when the answer arrived */
	uint64_t due_ns;		/* next check, or time when an answer is overdue */
	uint64_t limit_ns;		/* time limit of a step of handing back */
	struct holder holder;
	struct post_subscription subscription;
	char reason[256];
	char trouble[200];		/* error reported when the built-in thread was stopped */
};

/* Set the state and its reason. A new state or reason is logged. */
void place_become(struct sge *sge, enum place_state state, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Note that the request of an operator is completed or refused. */
void place_done(struct sge *sge);
void place_hurry(struct sge *sge);		/* make a run, so that readers see the change */
/* Set the step and the time after which it is checked; NEVER_NS: not checked. */
void place_step(struct place *place, enum step step, uint64_t wait_ns);
void place_look_later(struct place *place, uint64_t wait_ns);
/* Ask for the holder of the role now. */
void place_ask(struct sge *sge);
/*
 * Send a packet to the qmaster; its answer completes `step`. False: not possible, and a check
 * follows later.
 */
bool place_send(struct sge *sge, struct gdi_writer *packet, enum step step);
void place_role(struct sge *sge, enum post_role role);
/* Do not take the role. Continue to watch. */
void place_leave_it(struct sge *sge, const char *why);
void place_register(struct sge *sge);
/* Register as an ordinary event client. Ask again one interval later. */
void place_observe(struct sge *sge);

/* place_hand.c: the built-in thread, and giving the role back to it */
void builtin_stop(struct sge *sge);
void builtin_wait(struct sge *sge);		/* wait: stopped, but still registered */
void builtin_start(struct sge *sge);
void hand_begin(struct sge *sge);
void hand_turn(struct sge *sge);			/* check whether all orders are completed */
void hand_decide(struct sge *sge);		/* the holder of the role was reported */
/* Handle the answer to builtin_stop() or builtin_start(). NULL: success; otherwise the reason. */
void hand_answered(struct sge *sge, const char *why_not);

#endif
