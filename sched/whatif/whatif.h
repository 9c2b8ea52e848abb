/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What would come if: the run that readers see, made once more with changes, in memory of our own.
 * The scheduler is not asked and not disturbed; it may be dead.
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
 * Without changes the run comes to what is published, to the bit. Each run begins with the
 * published one, whatever runs were made before.
 */
#ifndef SCHED_WHATIF_WHATIF_H
#define SCHED_WHATIF_WHATIF_H

#include "conf/base/error.h"
#include "sched/reader/fairlead.h"
#include "sched/whatif/suppose.h"

struct whatif;

/*
 * The section is open from here to whatif_close(), and what was found counts if it ends well.
 * -ENODATA: no state is published; -EPROTO: it is damaged; -EACCES: the cell has files that are not
 * published; -ENOMEM. *w is NULL then.
 */
int whatif_open(struct whatif **whatif, const struct fl_view *view, struct error *error);

/* NULL is none. Results stay. */
void whatif_close(struct whatif *whatif);

/* Make runs with so many threads, at least one; at first it is one. Results are the same. */
void whatif_workers(struct whatif *whatif, unsigned n);

/*
 * A run with these changes (NULL: none), for fl_begin(). The caller detaches. -EINVAL: a change is
 * wrong, and `error` begins with its option; -ENOMEM, -EFBIG, -EMFILE, and those of whatif_open().
 * *result is NULL then.
 */
int whatif_run(struct whatif *whatif, const struct suppositions *suppositions, struct fl_cell **result,
	       struct error *error);

/*
 * What some options of the last run were taken to mean, and what was made for it that the cell has
 * not: lines, for people. Borrowed until the next one.
 */
const char *whatif_notes(const struct whatif *whatif);

/*
 * With algorithm multifactor a scheduler that reads a changed configuration computes fair-shares
 * anew, from all usage that is known by then; so does each run whose files are changed. Called
 * before the first run, all runs do, and what whatif_before() gives: they differ by their changes
 * alone.
 */
void whatif_reconfigured(struct whatif *whatif);

/*
 * What runs with changes are to be compared with: the published run; or, with algorithm userprio
 * between two negotiation cycles, the same run as if its time had come for one, since runs with
 * changes negotiate always; or what whatif_reconfigured() says. The view is good until
 * whatif_close().
 */
int whatif_before(struct whatif *whatif, const struct fl_view **before, struct error *error);

#endif
