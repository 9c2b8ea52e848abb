/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A shadow of the built-in scheduler. Orders of a run are not sent and do not count for the next
 * run. It decides again on the state that the qmaster has reported by then.
 *
 * Each run of the built-in scheduler is audited. A run is noticed by the starts that the qmaster
 * reports, or by new numbers of jobs. From the first event of a start on, deliveries are held back,
 * so that the mirror keeps the state on which the built-in scheduler decided. Once no more starts
 * come, the qmaster is asked for the numbers of all jobs. They show the second of the last run.
 *
 * Then runs of ours are made. The starts of one built-in run are those that one of our runs also
 * has, up to a border: a place where other events came between two starts. The held events of this
 * run are applied, and the next run begins there. The numbers belong to the last run. Each run is
 * compared (audit.h), and a line is written (audit_line.h). Asking takes at most a tenth of the
 * time. In between, starts are compared without numbers.
 *
 * An event in the second of the run may or may not have been known to the built-in scheduler. In
 * this case a difference is counted as not comparable.
 */
#ifndef SCHED_QMASTER_GRIDENGINE_SHADOW_H
#define SCHED_QMASTER_GRIDENGINE_SHADOW_H

#include "sched/qmaster/gridengine/inside.h"

int shadow_open(struct sge *sge, struct error *error);	/* -ENOMEM */
void shadow_close(struct sge *sge);

/*
 * Offer a delivery to the shadow. true: the shadow keeps it for now and returns it by
 * sge_deliver().
 */
bool shadow_keeps(struct sge *sge, struct post_record *record);
/* Handle an answer. false: it does not belong to a request of the shadow. */
bool shadow_answered(struct sge *sge, const struct post_record *record);
/* Drop the held deliveries, because the connection was lost or a total update comes. */
void shadow_drop(struct sge *sge);

uint64_t shadow_due_ns(const struct sge *sge);
void shadow_turn(struct sge *sge);	/* handle timeouts */

/* Note that a run was published. */
void shadow_ran(struct sge *sge);

#endif
