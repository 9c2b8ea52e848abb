/* SPDX-License-Identifier: Apache-2.0 */
/* What place.c, place_heard.c and place_hand.c share. */
#ifndef SCHED_QMASTER_GRIDENGINE_PLACE_INSIDE_H
#define SCHED_QMASTER_GRIDENGINE_PLACE_INSIDE_H

#include "sched/qmaster/gridengine/holder.h"
#include "sched/qmaster/gridengine/place.h"

#define NEVER_NS UINT64_MAX
#define SECOND_NS 1000000000ull
#define SOON_NS (SECOND_NS / 10)
#define PLACE_ANSWER_NS (10 * SECOND_NS)	/* a question without an answer is told */

enum goal { GOAL_WATCH, GOAL_HAVE, GOAL_GIVE };

/* State of the question of place_is_proven() */
enum place_proof {
	PROOF_NONE,
	PROOF_ASKED,
	PROOF_GIVEN,
	PROOF_DENIED,			/* no further question before the next run */
};

enum step {
	STEP_NONE,
	STEP_LOOKING,			/* who has it */
	STEP_STOPPING,			/* the built-in thread */
	STEP_REGISTERING,
	STEP_SETTLING,			/* what was ordered, before it is given up */
	STEP_LEAVING,			/* given up, and the qmaster may not have noticed */
	STEP_STARTING,			/* the built-in thread */
	STEP_SEEING,			/* its first run */
};

struct place {
	enum place_state state;
	enum goal goal;
	enum step step;
	enum post_role role;		/* that the post was told to have */
	bool shadow, standby;		/* as in the options, until somebody says otherwise */
	bool force;			/* the built-in thread may be stopped */
	bool stopped;			/* it was, and nobody else has the place since */
	bool connected;
	bool silent;			/* the post says nothing for us until it registers anew */
	int64_t since;			/* in this state, epoch seconds */
	uint32_t check_s;		/* the next look whether it still is ours */
	uint64_t ours_ns;		/* since when it is ours, or was */
	uint64_t leaves_ns;		/* until then the built-in thread may be about to go */
	uint64_t back_ns;		/* --again: when it may be taken back; 0: it was never lost */
	uint32_t asked, done;		/* attach and hand-back */
	uint64_t request;		/* whose answer is waited for; 0: none */
	enum place_proof proof;
	uint64_t proof_request;		/* number of the question; 0: none */
	uint64_t proof_ns;		/* time when the answer arrived */
	uint64_t due_ns;		/* of the next look, or when an answer is overdue */
	uint64_t limit_ns;		/* of a hand-back's step */
	struct holder holder;
	struct post_subscription subscription;
	char reason[256];
	char trouble[200];		/* what was said when the built-in thread was stopped */
};

/* The state, and why: told where it is something new. */
void place_become(struct sge *sge, enum place_state state, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* What was asked for is dealt with, one way or the other. */
void place_done(struct sge *sge);
void place_hurry(struct sge *sge);		/* a run, so that readers see it */
/* What is waited for, and for how long until it is looked after; NEVER_NS. */
void place_step(struct place *place, enum step step, uint64_t wait_ns);
void place_look_later(struct place *place, uint64_t wait_ns);
/* Ask who has it, now. */
void place_ask(struct sge *sge);
/* To the qmaster; the answer is the step's. False: it can't be, and a look comes later. */
bool place_send(struct sge *sge, struct gdi_writer *packet, enum step step);
void place_role(struct sge *sge, enum post_role role);
/* It is not taken: what was watched is watched again. */
void place_leave_it(struct sge *sge, const char *why);
void place_register(struct sge *sge);
void place_observe(struct sge *sge);		/* as an ordinary event client; ask again an interval later */

/* place_hand.c: the built-in thread, and giving the place back to it */
void builtin_stop(struct sge *sge);
void builtin_wait(struct sge *sge);		/* stopped, and not gone yet */
void builtin_start(struct sge *sge);
void hand_begin(struct sge *sge);
void hand_turn(struct sge *sge);			/* settling: is it done? */
void hand_decide(struct sge *sge);		/* who has it is known anew */
/* The answer to builtin_stop() or builtin_start(): NULL, or why not. */
void hand_answered(struct sge *sge, const char *why_not);

#endif
