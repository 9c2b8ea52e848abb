/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Second part of fairlead explain: the job's position among the pending jobs, and why it does not
 * start. Results of sched/explain/ are printed for people (explain/place.c) or programs
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

struct outlook {			/* results; zero-initialised by the caller */
	const struct fl_view *view;
	struct fl_job job;
	bool wants_place, wants_start;
	struct standing_place standing;
	bool has_advices;
	struct advices advices;
	bool has_starting;
	struct starting_wishes wishes;
	struct starting starting;
	struct error unreported;		/* reason why no search was made, "": it was made */
};

/* explain/place.c: return the missing amount if the reason has one, otherwise 0. */
double why_missing(const struct fl_why *why);

/* explain/advice.c: print the changes that would bring the job forward, as text and as JSON. */
void advices_text(struct out *out, const struct outlook *outlook);
void advices_json(struct out *out, const struct advices *advices);

/* explain/when.c: print when the job will start or end. */
void when_text(struct out *out, const struct outlook *outlook);
void when_json(struct out *out, const struct outlook *outlook);

void outlook_text(struct out *out, const struct outlook *outlook);
/* Write members that follow others, each after a comma. */
void outlook_json(struct out *out, const struct outlook *outlook);

#endif
