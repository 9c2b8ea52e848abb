/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Make the published run again with changes, in private memory. The scheduler is not involved; it
 * need not run.
 *
 *     struct whatif *w;
 *     struct fl_cell *result;
 *
 *     if (whatif_open(&w, view, &error) == 0 && whatif_run(w, &s, &result, &error) == 0) {
 *             const struct fl_view *then = fl_begin(result);
 *             ...
 *             fl_end(result);
 *             fl_detach(result);
 *     }
 *     whatif_close(w);
 *
 * Without changes the run has the published result, to the bit. Each run starts from the published
 * state, regardless of earlier runs.
 */
#ifndef SCHED_WHATIF_WHATIF_H
#define SCHED_WHATIF_WHATIF_H

#include "conf/base/error.h"
#include "sched/reader/fairlead.h"
#include "sched/whatif/suppose.h"

struct whatif;

/*
 * Open a view. The view's section must stay open until whatif_close(); results are valid only if it
 * ends without error. -ENODATA: no state is published; -EPROTO: it is damaged; -EACCES: the cell
 * has files that are not published; -ENOMEM. *whatif is NULL then.
 */
int whatif_open(struct whatif **whatif, const struct fl_view *view, struct error *error);

/* NULL is a no-op. Results stay valid. */
void whatif_close(struct whatif *whatif);

/* Make runs with n threads, at least one; the default is one. Results do not depend on it. */
void whatif_workers(struct whatif *whatif, unsigned n);

/*
 * Make a run with these changes (NULL: none). *result is for fl_begin(); the caller detaches it.
 * -EINVAL: a change is wrong, and `error` begins with its option; -ENOMEM, -EFBIG, -EMFILE, and the
 * errors of whatif_open(). *result is NULL then.
 */
int whatif_run(struct whatif *whatif, const struct suppositions *suppositions, struct fl_cell **result,
	       struct error *error);

/*
 * Return lines for people: how options of the last run were understood, and what was added that the
 * cell does not have. Borrowed until the next run.
 */
const char *whatif_notes(const struct whatif *whatif);

/*
 * Make all runs, and the result of whatif_before(), as runs after a change of configuration. With
 * algorithm multifactor, such a run computes fair-shares again from all known usage. A run with
 * changed files always does so. Call before the first run, so that runs differ only by their
 * changes.
 */
void whatif_reconfigured(struct whatif *whatif);

/*
 * Return the run with which runs with changes should be compared. Usually this is the published
 * run. With algorithm userprio between two negotiation cycles it is the same run with a cycle,
 * since runs with changes always negotiate. whatif_reconfigured() changes it, too. The view is
 * valid until whatif_close().
 */
int whatif_before(struct whatif *whatif, const struct fl_view **before, struct error *error);

#endif
