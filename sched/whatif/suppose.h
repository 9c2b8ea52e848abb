/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is to be otherwise: a list of changes, which a run of our own is made with (whatif.h). They
 * are made in the order in which they were added, those of files before the jobs are told, events
 * behind it.
 *
 *     struct suppositions s = { 0 };
 *     struct event event;
 *
 *     event_init(&event, EVENT_JOB_MODIFY);
 *     event.job.job_number = 17;
 *     event.job.given = JOB_PRIORITY;
 *     event.job.priority = 100;
 *     rc = suppose_event(&s, "--job 17 -p 100", &event);
 *     ...
 *     suppose_nothing(&s);
 *
 * `option` is what a person has typed, and stands in front of what is wrong with it. It is copied,
 * as all texts are, but for those of an event. Functions return 0, -EINVAL with the reason in
 * `error`, or -ENOMEM.
 */
#ifndef SCHED_WHATIF_SUPPOSE_H
#define SCHED_WHATIF_SUPPOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/error.h"
#include "sched/mirror/event.h"

struct supposition;

struct suppositions {			/* zero-initialise */
	struct supposition *items;	/* private */
	size_t n, capacity;
};

void suppose_nothing(struct suppositions *suppositions);

/* Are files of the cell among it? */
bool suppose_files(const struct suppositions *suppositions);

/*
 * "NAME=VALUE": a line of sched_conf, of slurm.conf or of condor_config, whichever knows the name
 * with the algorithm that is in force then; "FILE:NAME=VALUE": of that file of the cell, as
 * "queue/all.q:slots=8". What the readers of these files say of the value comes from whatif_run().
 */
int suppose_set(struct suppositions *suppositions, const char *option, const char *text, struct error *error);

/* A file of the cell has this text; NULL: there is none. `name` is relative to the cell. */
int suppose_file(struct suppositions *suppositions, const char *option, const char *name, const char *text);

enum suppose_whose { SUPPOSE_USER, SUPPOSE_PROJECT, SUPPOSE_DEPARTMENT, SUPPOSE_ACCOUNT };
enum suppose_amount {
	/*
	 * his nodes of the share tree, else what SUPPOSE_FSHARE is; with algorithm multifactor his
	 * associations
	 */
	SUPPOSE_SHARES,
	SUPPOSE_FSHARE,			/* of functional tickets */
	SUPPOSE_OTICKET,		/* override tickets */
	SUPPOSE_FACTOR,			/* algorithm userprio: a submitter's priority factor */
};
int suppose_sharer(struct suppositions *suppositions, const char *option, enum suppose_whose whose, const char *name,
		   enum suppose_amount what, double value, struct error *error);

/* Each instance of the queue, or this one if the name is one of an instance, has so many slots. */
int suppose_slots(struct suppositions *suppositions, const char *option, const char *queue, uint32_t slots);

/*
 * What a qmaster would tell behind all that it has told. The event is copied, its strings and
 * arrays are borrowed until suppose_nothing().
 */
int suppose_event(struct suppositions *suppositions, const char *option, const struct event *event);

/*
 * Letters of u o s: holds of all tasks of a job that wait, which are placed, and released before.
 * Strings as in qalter -h; "": none.
 */
int suppose_hold(struct suppositions *suppositions, const char *option, uint32_t job_number, const char *place,
		 const char *release);

/*
 * A user's usage has decayed for so many seconds more, and nobody else's: with algorithm default
 * his own and that in projects, with multifactor that of his associations, with userprio the real
 * priorities of his submitters. With multifactor it counts at the next pass: whatif_reconfigured().
 */
int suppose_decay(struct suppositions *suppositions, const char *option, const char *user, int64_t seconds);

/* The run is made at that time, epoch seconds; or so long behind the one that is published. */
int suppose_at(struct suppositions *suppositions, const char *option, int64_t time);
int suppose_after(struct suppositions *suppositions, const char *option, int64_t seconds);

/*
 * "default", "multifactor", "userprio": the same jobs by another system's policy. Its files are
 * those of the cell, with what suppose_file() says; what it needs and has not is made of what there
 * is, shares all alike or, with `tree_shares`, those of the share tree: see fairlead-whatif(1).
 */
int suppose_algorithm(struct suppositions *suppositions, const char *option, const char *name, bool tree_shares,
		      struct error *error);

#endif
