/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cycle that would come next, if nothing happened until then, in a scheduler of our own: a copy
 * of the run's state, in memory that nobody else sees. What it orders goes nowhere.
 */
#include <errno.h>
#include <string.h>

#include "sched/cli/negotiate.h"
#include "sched/detach.h"
#include "sched/reader/handle.h"

static int print_copy(struct sched *s, struct out *o, struct negotiation_query *q)
{
	struct fl_cell *copy;
	int rc = fl_attach_descriptor(&copy, sched_descriptor(s)), code;

	if (rc) {
		error_set(&q->error, rc, "the copy: %s", strerror(-rc));
		return EXIT_NO_DATA;
	}
	code = q->format.print(fl_begin(copy), o, q);
	fl_end(copy);
	fl_detach(copy);
	return code;
}

int negotiate_dry(const struct fl_view *view, struct out *o, void *query)
{
	static const struct detach_options options;
	struct negotiation_query *q = query;
	struct fl_negotiation n;
	struct fl_run run;
	struct sched *s;
	int code = EXIT_NO_DATA;

	q->error.text[0] = '\0';
	q->no_userprio = fl_negotiation(view, &n) != 0;
	if (q->no_userprio)
		return EXIT_OK;
	fl_run(view, &run);
	if (sched_detach(&s, &view->view, &options, &q->error))
		return EXIT_NO_DATA;
	if (sched_run(s, n.next > run.now ? n.next : run.now, run.event, &q->error) == 0)
		code = print_copy(s, o, q);
	sched_destroy(s);
	return code;
}
