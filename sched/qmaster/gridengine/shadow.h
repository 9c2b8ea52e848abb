/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Beside the built-in scheduler: what a run orders is not sent, and does not count for the next
 * run, which decides anew about what the qmaster has told until then.
 *
 * And each run of the built-in is audited. It is seen by the starts that the qmaster tells of, or
 * by new numbers of the jobs. From the first event of a start on, deliveries are held back: the
 * mirror stays as the built-in found it. Once no more starts come, the qmaster is asked for the
 * numbers of all jobs; from them follows the second of the last run. Runs of ours are made: of the
 * starts those that one of ours has, up to a border where something else happened between two of
 * them, are one run of the built-in; what it did is applied, and the next one begins there. The
 * numbers are of the last one. Each is compared (audit.h) and a line written (audit_line.h). Asking
 * takes a tenth of the time at most; in between starts are compared without numbers.
 *
 * What happened in the second of the run may or may not have been known to the built-in: a
 * difference is not told as one then, but counted as not comparable.
 */
#ifndef SCHED_QMASTER_GRIDENGINE_SHADOW_H
#define SCHED_QMASTER_GRIDENGINE_SHADOW_H

#include "sched/qmaster/gridengine/inside.h"

int shadow_open(struct sge *sge, struct error *error);	/* -ENOMEM */
void shadow_close(struct sge *sge);

/* A delivery. true: it is the shadow's for now, which gives it back by sge_deliver(). */
bool shadow_keeps(struct sge *sge, struct post_record *record);
/* An answer: false, it was not to a question of ours. */
bool shadow_answered(struct sge *sge, const struct post_record *record);
/* The connection was lost, or a total update comes: what is held back is of no use. */
void shadow_drop(struct sge *sge);

uint64_t shadow_due_ns(const struct sge *sge);
void shadow_turn(struct sge *sge);	/* the time may have come */

/* A run was published. */
void shadow_ran(struct sge *sge);

#endif
