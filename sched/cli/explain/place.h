/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The second half of fairlead explain: where the job stands among those that wait, and why it does
 * not start. sched/explain/ finds it; it is printed for people (explain/place.c) or programs
 * (explain/place_json.c).
 */
#ifndef CLI_EXPLAIN_PLACE_H
#define CLI_EXPLAIN_PLACE_H

#include "conf/base/error.h"
#include "sched/explain/advice.h"
#include "sched/explain/standing.h"
#include "sched/explain/starting.h"
#include "sched/process/output.h"
#include "sched/reader/fairlead.h"

struct outlook {			/* what there is to be said; zero-initialise */
	const struct fl_view *view;
	struct fl_job job;
	bool wants_place, wants_start;
	struct standing_place standing;
	bool has_advices;
	struct advices advices;
	bool has_starting;
	struct starting_wishes wishes;
	struct starting starting;
	struct error untold;		/* why nothing was looked for; "": it was */
};

/* explain/place.c: what is wanted and not had, where that can be said as an amount; else 0. */
double why_missing(const struct fl_why *why);

/* explain/advice.c: what would bring it forward, as text and as JSON. */
void advices_text(struct out *out, const struct outlook *outlook);
void advices_json(struct out *out, const struct advices *advices);

/* explain/when.c: when it will start, or end. */
void when_text(struct out *out, const struct outlook *outlook);
void when_json(struct out *out, const struct outlook *outlook);

void outlook_text(struct out *out, const struct outlook *outlook);
/* Members behind others, each with a comma before it. */
void outlook_json(struct out *out, const struct outlook *outlook);

#endif
