/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this room share. */
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
	struct sched *sched;		/* borrowed, as the next two */
	struct intake *intake;
	const struct gridengine_options *options;
	char *accounting;		/* path; NULL: not known */
	struct post *post;
	struct cell_objects *objects;	/* configuration */
	struct known *known;		/* versions, enrolled tasks: what the mirror has no use for */
	struct settlement *settlement;	/* orders on their way */
	struct place *place;
	struct take *take;		/* of events into the mirror */
	struct shadow *shadow;		/* what the built-in scheduler decides, beside ours */
	bool updated;			/* a total update of this registration is in force; set by take.c */
	uint64_t told;			/* deliveries that the state in force contains */
	uint64_t refused;		/* events that could not be used */
};

/*
 * gridengine.c. A delivery, which shadow.c may have kept for a while: its events with lower numbers
 * into the mirror.
 */
void sge_deliver(struct sge *sge, const struct post_record *record, uint32_t below);

/* take.c. Makes g->known, too. */
int take_open(struct sge *sge, struct error *error);
void take_close(struct sge *sge);
/* Registered anew: a total update follows, and one that was open is dropped. */
void take_registered(struct sge *sge);
/*
 * One delivery (a REP element's list of ET), in order. Events that were taken before are passed
 * over, those that can't be understood counted in g->refused. -EPROTO: only a new registration
 * helps; -ENOMEM.
 */
int take_delivery(struct sge *sge, struct gdi_list *events, struct error *error);
/* The configuration as of the last event is in force: called before a run. -ENOMEM. */
int take_configure(struct sge *sge, struct error *error);

#endif
