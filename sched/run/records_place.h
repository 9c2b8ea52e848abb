/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State of the connection to the qmaster. A cell whose qmaster assigns the scheduler role has one
 * active scheduler, and the qmaster can assign the role to another one. Further records say where
 * events come from and what became of them. The process reports these facts with sched_process();
 * readers see them with each run.
 */
#ifndef SCHED_RUN_RECORDS_PLACE_H
#define SCHED_RUN_RECORDS_PLACE_H

#include <stdint.h>

enum place_state {
	PLACE_NONE,		/* the qmaster has no scheduler role that could be lost */
	PLACE_WATCHING,		/* another scheduler has the role, or none */
	PLACE_TAKING,
	PLACE_OURS,
	/* the qmaster does not answer; nothing is ordered until the state is clear */
	PLACE_DOUBTFUL,
	/* no more job starts; the role is released when everything is settled */
	PLACE_HANDING_BACK,
};

struct place_record {
	int64_t since;			/* start of this state, epoch seconds */
	uint32_t state;			/* enum place_state */
	/* 1: this process orders nothing until it is requested to attach */
	uint32_t shadow;
	/* requests to attach and to hand back: how many were made, how many of them are done */
	uint32_t asked, done;
	/* active scheduler, if known: 0 or 1; host "": none, or it is not known */
	uint32_t known, living, builtin, us;
	char host[256], name[64];
	char reason[256];		/* reason for this state; "": none */
};

enum source_state {
	/* the process makes its events itself, or the scheduler role implies their source */
	SOURCE_NONE,
	SOURCE_THERE,		/* a sender is connected, or a stream is open */
	SOURCE_AWAITED,		/* no sender is connected */
	SOURCE_ENDED,		/* a stream has ended; no events will come */
};

struct source_record {
	uint64_t refused;		/* refused events, since the process began */
	uint64_t unknown;		/* refused events that named an unknown object */
	uint32_t state;			/* enum source_state */
	uint32_t pad;
};

#endif
