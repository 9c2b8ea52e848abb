/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prediction of the next cycle, if no event happens before it. It is computed in a separate
 * scheduler with a copy of the run's state, in memory that no other process reads. Its decisions
 * are not sent.
 */
#include <errno.h>
#include <string.h>

#include "sched/cli/negotiate/negotiate.h"
#include "sched/detach.h"
#include "sched/reader/handle.h"

static int print_copy(struct sched *sched, struct out *out, struct negotiation_query *query)
{
	struct fl_cell *copy;
	int rc = fl_attach_descriptor(&copy, sched_descriptor(sched)), code;

	if (rc) {
		error_set(&query->error, rc, "the copy: %s", strerror(-rc));
		return EXIT_NO_DATA;
	}
	code = query->format.print(fl_begin(copy), out, query);
	fl_end(copy);
	fl_detach(copy);
	return code;
}

int negotiate_dry(const struct fl_view *view, struct out *out, void *query)
{
	static const struct detach_options options;
	struct negotiation_query *negotiation_query = query;
	struct fl_negotiation negotiation;
	struct fl_run run;
	struct sched *sched;
	int code = EXIT_NO_DATA;

	negotiation_query->error.text[0] = '\0';
	negotiation_query->no_userprio = fl_negotiation(view, &negotiation) != 0;
	if (negotiation_query->no_userprio)
		return EXIT_OK;
	fl_run(view, &run);
	if (sched_detach(&sched, &view->view, &options, &negotiation_query->error))
		return EXIT_NO_DATA;
	if (sched_run(sched, negotiation.next > run.now ? negotiation.next : run.now, run.event,
		      &negotiation_query->error) == 0)
		code = print_copy(sched, out, negotiation_query);
	sched_destroy(sched);
	return code;
}
