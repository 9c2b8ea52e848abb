/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows fairlead stat is asked for; all that is wished must be so. */
#ifndef CLI_STAT_FILTER_H
#define CLI_STAT_FILTER_H

#include "conf/base/error.h"
#include "sched/cli/names.h"
#include "sched/cli/options.h"
#include "sched/explain/choice.h"
#include "sched/reader/fairlead.h"

enum stat_state {			/* -s; bits */
	STATE_RUNNING = 1 << 0,		/* started, not suspended */
	STATE_SUSPENDED = 1 << 1,	/* started and suspended, for whatever reason */
	STATE_PENDING = 1 << 2,		/* all with tasks not started */
	/* of those the held ones alone: hu, ho, hs, hd in the order of enum fl_hold; hj, ha; all: h */
	STATE_HOLDS = 1 << 4,
	STATE_FINISHED = 1 << 16,	/* ended: of the accounting */
	STATE_PREDECESSOR = STATE_HOLDS << 4,
	STATE_START_TIME = STATE_HOLDS << 5,
	STATE_KINDS = STATE_HOLDS * 0x3f,
};

struct stat_filter {
	unsigned states;		/* enum stat_state bits */
	struct names owners, projects, names;	/* or patterns */
	char *me;			/* --me; freed with it */
	/* of queue instances: -q, -l, -pe, -U */
	const char *queues, *resources;
	struct names pes, queue_users;
	const char *instance_states;	/* -qs: started tasks in instances that are in one of these; NULL */
	int64_t now;			/* of the run at hand */
	struct choice *choice;	/* of it; NULL: any instance */
	bool none;		/* no instance has the resources of -l: */
	struct error none_left;	/* the sentence that says so */
	const char **instances;	/* of it: names of those that -qs means, by address */
	size_t ninstances;
};

/* A section begins. 0, or an error of choice_open() with the sentence. */
int stat_filter_begin(struct stat_filter *filter, const struct fl_view *view, struct error *error);
void stat_filter_end(struct stat_filter *filter);
void stat_filter_free(struct stat_filter *filter);

/* The owner, project and name alone: of a task that has ended, which is in no queue any more. */
bool stat_filter_names(const struct stat_filter *filter, const struct fl_job *job);
bool stat_filter_has(struct stat_filter *filter, const struct fl_view *view, const struct fl_job *job);

/* -qs of any verb: whether these are letters of states. An exit code. */
#define INSTANCE_STATES "aACDduESsco"
int instance_states_check(const char *verb, const char *option, const char *letters, const char *allowed);

/* stat/states.c: -s, of the filter's states */
int states_take(void *states, struct words *words);
bool states_have(const struct stat_filter *filter, const struct fl_view *view, const struct fl_job *job);

#endif
