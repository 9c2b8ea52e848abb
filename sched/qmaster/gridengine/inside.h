/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations shared by the files of this directory. */
#ifndef SCHED_QMASTER_GRIDENGINE_INSIDE_H
#define SCHED_QMASTER_GRIDENGINE_INSIDE_H

#include "sched/qmaster/gridengine/gridengine.h"
#include "sched/qmaster/gridengine/known.h"
#include "sched/qmaster/gridengine/post.h"
#include "sched/qmaster/objects/objects.h"

struct settlement;
struct place;
struct shadow;
struct take;

struct sge {
	struct qmaster base;
	struct sched *sched;		/* borrowed, like the next two */
	struct intake *intake;
	const struct gridengine_options *options;
	char *accounting;		/* path; NULL: not known */
	struct post *post;
	struct cell_objects *objects;	/* configuration */
	/* Versions and enrolled tasks, which the mirror does not need. */
	struct known *known;
	struct settlement *settlement;	/* orders that are not completed */
	struct place *place;
	struct take *take;		/* conversion of events for the mirror */
	/* Decisions of the built-in scheduler, to compare with ours. */
	struct shadow *shadow;
	/* A total update of this registration is in force; set by take.c. */
	bool updated;
	uint64_t reported;			/* deliveries that the current state contains */
	uint64_t refused;		/* events that could not be used */
};

/*
 * gridengine.c: take the events of a delivery with numbers below `below` into the mirror. shadow.c
 * may have kept the delivery for a while.
 */
void sge_deliver(struct sge *sge, const struct post_record *record, uint32_t below);

/* take.c. Also creates sge->known. */
int take_open(struct sge *sge, struct error *error);
void take_close(struct sge *sge);
/* Prepare for a new registration: a total update follows, and an open one is dropped. */
void take_registered(struct sge *sge);
/*
 * Take one delivery, a list of ET from a REP element, in order. Events that were taken before are
 * skipped. Events that cannot be understood are counted in sge->refused. -EPROTO: only a new
 * registration helps. -ENOMEM.
 */
int take_delivery(struct sge *sge, struct gdi_list *events, struct error *error);
/* Activate the configuration of the last event. Called before a run. -ENOMEM. */
int take_configure(struct sge *sge, struct error *error);

#endif
