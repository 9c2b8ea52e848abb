/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Suppositions: a list of changes for a private run (whatif.h). Changes are made in the order in
 * which they were added. Files are changed before the jobs are reported. Events are applied after
 * that.
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
 * `option` is the text that the user has typed. It precedes each error message about it. All texts
 * are copied, except for those of an event. Functions return 0, -EINVAL with the reason in `error`,
 * or -ENOMEM.
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

/* Return whether any supposition changes files of the cell. */
bool suppose_files(const struct suppositions *suppositions);

/*
 * Set a parameter. "NAME=VALUE": in sched_conf, slurm.conf or condor_config, whichever has this
 * parameter under the algorithm that is active then. "FILE:NAME=VALUE": in that file of the cell,
 * such as "queue/all.q:slots=8". whatif_run() returns the errors that readers of these files find.
 */
int suppose_set(struct suppositions *suppositions, const char *option, const char *text, struct error *error);

/* Set the text of a file of the cell; NULL: delete it. `name` is relative to the cell. */
int suppose_file(struct suppositions *suppositions, const char *option, const char *name, const char *text);

enum suppose_whose { SUPPOSE_USER, SUPPOSE_PROJECT, SUPPOSE_DEPARTMENT, SUPPOSE_ACCOUNT };
enum suppose_amount {
	/*
	 * The sharer's nodes in the share tree, or else the same as SUPPOSE_FSHARE; with algorithm
	 * multifactor its associations.
	 */
	SUPPOSE_SHARES,
	SUPPOSE_FSHARE,			/* functional tickets */
	SUPPOSE_OTICKET,		/* override tickets */
	SUPPOSE_FACTOR,			/* algorithm userprio: a submitter's priority factor */
};
int suppose_sharer(struct suppositions *suppositions, const char *option, enum suppose_whose whose, const char *name,
		   enum suppose_amount what, double value, struct error *error);

/* Set the slots of all instances of a queue, or of one instance if `queue` is its name. */
int suppose_slots(struct suppositions *suppositions, const char *option, const char *queue, uint32_t slots);

/*
 * Apply an event as if a qmaster sent it after all others. The event is copied; its strings and
 * arrays are borrowed until suppose_nothing().
 */
int suppose_event(struct suppositions *suppositions, const char *option, const struct event *event);

/*
 * Place and release holds of all pending tasks of a job; releases come first. Letters are u, o and
 * s as in qalter -h; "": none.
 */
int suppose_hold(struct suppositions *suppositions, const char *option, uint32_t job_number, const char *place,
		 const char *release);

/*
 * Decay the usage of one user for this many seconds more. With algorithm default this is the user's
 * usage, also in projects; with multifactor that of the user's associations; with userprio the real
 * priorities of the user's submitters. With multifactor it takes effect at the next pass:
 * whatif_reconfigured().
 */
int suppose_decay(struct suppositions *suppositions, const char *option, const char *user, int64_t seconds);

/* Make the run at this time, epoch seconds; or at this many seconds after the published run. */
int suppose_at(struct suppositions *suppositions, const char *option, int64_t time);
int suppose_after(struct suppositions *suppositions, const char *option, int64_t seconds);

/*
 * Use another system's policy for the same jobs: "default", "multifactor" or "userprio". The files
 * are those of the cell and of suppose_file(). Missing configuration is derived from the cell.
 * Shares are equal, or with `tree_shares` those of the share tree: see fairlead-whatif(1).
 */
int suppose_algorithm(struct suppositions *suppositions, const char *option, const char *name, bool tree_shares,
		      struct error *error);

#endif
