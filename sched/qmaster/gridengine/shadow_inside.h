/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations shared by shadow.c and shadow_compare.c. */
#ifndef SCHED_QMASTER_GRIDENGINE_SHADOW_INSIDE_H
#define SCHED_QMASTER_GRIDENGINE_SHADOW_INSIDE_H

#include "sched/qmaster/gridengine/audit.h"
#include "sched/qmaster/gridengine/shadow.h"
#include "sched/reader/fairlead.h"

enum shadow_step { SHADOW_IDLE, SHADOW_SETTLING, SHADOW_ASKED };

struct shadow {
	enum shadow_step step;
	struct post_record **held;	/* deliveries, in order */
	size_t nheld;
	uint64_t due_ns;		/* time limit of the step */
	uint64_t request;		/* 0: no request without an answer */
	uint64_t asked_ns, ask_again_ns;
	/* Last event that affects decisions, and last event about usage only, epoch seconds. */
	int64_t changed, touched;
	/* First event of the first held start, and the time when it was seen. 0: none. */
	uint32_t from;
	uint64_t seen_ns;
	/* Time of the last run of the built-in scheduler that was noticed. */
	int64_t now;
	bool computing;			/* the current run is made for the audit */
	struct audit_row *theirs;	/* sorted by job and task */
	size_t ntheirs;
	struct audit audit;
	struct fl_cell *cell;		/* our own published runs; NULL: not attached */
	char *path;			/* path of the journal */
	bool failing;			/* the journal cannot be written, and this was logged */
	uint64_t runs;			/* runs audited */
};

/* shadow_compare.c */

struct shadow_scan {			/* scan of consecutive deliveries; zero-initialise */
	struct audit_starts *starts;	/* starts found */
	uint32_t from;			/* first event that counts */
	bool reported;			/* another event has come since the last start */
	struct audit_start enrolled;	/* last task enrolled since the last start */
};

/* Find the built-in scheduler's starts in a delivery. -ENOMEM. */
int shadow_starts(struct sge *sge, const struct post_record *record, struct shadow_scan *scan);
/* Update `changed` and `touched` from the events of a delivery below that number. */
void shadow_reports(struct shadow *shadow, const struct post_record *record, uint32_t below);
/* Write the request for the numbers of all jobs; read the answer into `theirs`. */
void shadow_question(struct gdi_writer *writer, const char *credential);
int shadow_numbers(struct shadow *shadow, const unsigned char *bytes, size_t n, int64_t *now,
		   double weight_waiting_time, struct error *error);
/* Compare our published run with theirs; with the numbers, if they belong to that run. */
void shadow_compare(struct sge *sge, bool numbers);

#endif
