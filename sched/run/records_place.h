/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the process knows of its qmaster: who is the scheduler of a cell whose qmaster has a place
 * for one, and can give it to another; where events come from, and what became of them. Told by the
 * process (sched_process()), shown to readers with each run.
 */
#ifndef SCHED_RUN_RECORDS_PLACE_H
#define SCHED_RUN_RECORDS_PLACE_H

#include <stdint.h>

enum place_state {
	PLACE_NONE,		/* there is no place that could be lost */
	PLACE_WATCHING,		/* another one has it, or nobody */
	PLACE_TAKING,
	PLACE_OURS,
	PLACE_DOUBTFUL,		/* the qmaster is not heard: nothing is ordered until it is clear */
	PLACE_HANDING_BACK,	/* no starts any more; given up when all is settled */
};

struct place_record {
	int64_t since;			/* in this state, epoch seconds */
	uint32_t state;			/* enum place_state */
	uint32_t shadow;		/* 1: this process orders nothing unless it is told to attach */
	/* attach and hand-back: how often it was asked for, how many of these are dealt with */
	uint32_t asked, done;
	/* who has it, as far as is known: 0 or 1; host "": nobody, or it is not known */
	uint32_t known, living, builtin, us;
	char host[256], name[64];
	char reason[256];		/* why it is in this state; "" */
};

enum source_state {
	SOURCE_NONE,		/* this process makes its events itself, or the place says it */
	SOURCE_THERE,		/* somebody is connected, or a stream is open */
	SOURCE_AWAITED,		/* nobody is connected */
	SOURCE_ENDED,		/* a stream that has ended: no events will come */
};

struct source_record {
	uint64_t refused;		/* events, since the process began */
	uint64_t unknown;		/* that named what nobody knows */
	uint32_t state;			/* enum source_state */
	uint32_t pad;
};

#endif
