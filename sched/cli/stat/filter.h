/* SPDX-License-Identifier: Apache-2.0 */
/* Filter of the rows that fairlead stat shows. A row must match all of its conditions. */
#ifndef CLI_STAT_FILTER_H
#define CLI_STAT_FILTER_H

#include "conf/base/error.h"
#include "sched/process/names.h"
#include "sched/cli/options.h"
#include "sched/explain/choice.h"
#include "sched/reader/fairlead.h"

enum stat_state {			/* values of -s, bits */
	STATE_RUNNING = 1 << 0,		/* started, not suspended */
	STATE_SUSPENDED = 1 << 1,	/* started and suspended, for any reason */
	STATE_PENDING = 1 << 2,		/* has tasks that have not started */
	/*
	 * Jobs with a hold. hu, ho, hs and hd are in the order of enum fl_hold, then hj and ha
	 * follow, which select only pending jobs. h is all of them.
	 */
	STATE_HOLDS = 1 << 4,
	STATE_FINISHED = 1 << 16,	/* ended, read from the accounting file */
	STATE_PREDECESSOR = STATE_HOLDS << 4,
	STATE_START_TIME = STATE_HOLDS << 5,
	STATE_KINDS = STATE_HOLDS * 0x3f,
};

struct stat_filter {
	unsigned states;		/* enum stat_state bits */
	struct names owners, projects, names;	/* names or patterns */
	char *me;			/* user name of --me, owned */
	/* Conditions on queue instances: -q, -l, -pe, -U. */
	const char *queues, *resources;
	struct names pes, queue_users;
	/* -qs: letters of instance states, for started tasks; NULL: any */
	const char *instance_states;
	int64_t now;			/* time of the current run */
	/* queue instances of the current run that match; NULL: any instance */
	struct choice *choice;
	bool none;		/* no instance has the resources of -l */
	struct error none_left;	/* sentence that reports this */
	/* names of the instances that -qs selects in the current run, sorted by address */
	const char **instances;
	size_t ninstances;
};

/*
 * Prepare the filter for a section. Return 0, or an error of choice_open() with the sentence in
 * `error`.
 */
int stat_filter_begin(struct stat_filter *filter, const struct fl_view *view, struct error *error);
void stat_filter_end(struct stat_filter *filter);
void stat_filter_free(struct stat_filter *filter);

/*
 * Return whether owner, project and name match. Use this for a task that has ended, which is in no
 * queue any more.
 */
bool stat_filter_names(const struct stat_filter *filter, const struct fl_job *job);
bool stat_filter_has(struct stat_filter *filter, const struct fl_view *view, const struct fl_job *job);

/* Check that the value of -qs, for any verb, has only letters of states. Return an exit code. */
#define INSTANCE_STATES "aACDduESsco"
int instance_states_check(struct messages *messages, const char *verb, const char *option, const char *letters,
			  const char *allowed);

/* stat/states.c: parse -s into the states of a filter */
int states_take(void *states, struct words *words);
bool states_have(const struct stat_filter *filter, const struct fl_view *view, const struct fl_job *job);

#endif
