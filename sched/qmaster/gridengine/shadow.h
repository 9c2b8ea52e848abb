/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Beside the built-in scheduler: what a run orders is not sent, and does not count for the next run,
 * which decides anew about what the qmaster has told until then.
 *
 * And each run of the built-in is audited. It is seen by the starts that the qmaster tells of, or by
 * new numbers of the jobs. Then deliveries are held back: the mirror stays as the built-in found it.
 * Once no more starts are to come, the qmaster is asked for the numbers of all jobs; from them follows
 * the `now` of that run, with which a run of ours is made. The two are compared (audit.h), a line is
 * written (audit_line.h), and the deliveries are taken after all. Asking takes a tenth of the time at
 * most; in between starts are compared without numbers.
 *
 * What changed within a second before may or may not have been known to the built-in: a difference is
 * not told as one then, but counted as not comparable.
 */
#ifndef SCHED_QMASTER_GRIDENGINE_SHADOW_H
#define SCHED_QMASTER_GRIDENGINE_SHADOW_H

#include "sched/qmaster/gridengine/inside.h"

int shadow_open(struct sge *g, struct error *error);	/* -ENOMEM */
void shadow_close(struct sge *g);

/* A delivery. true: it is the shadow's for now, which gives it back by sge_deliver(). */
bool shadow_keeps(struct sge *g, struct post_record *record);
/* An answer: false, it was not to a question of ours. */
bool shadow_answered(struct sge *g, const struct post_record *record);
/* The connection was lost, or a total update comes: what is held back is of no use. */
void shadow_drop(struct sge *g);

uint64_t shadow_due_ns(const struct sge *g);
void shadow_turn(struct sge *g);	/* the time may have come */

/* A run was published. */
void shadow_ran(struct sge *g);

#endif
