/* SPDX-License-Identifier: Apache-2.0 */
/* What shadow.c and shadow_compare.c share. */
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
	uint64_t due_ns;		/* of the step */
	uint64_t request;		/* 0: none is on its way */
	uint64_t asked_ns, ask_again_ns;
	/* when something last happened that decides, or about usage alone, epoch seconds */
	int64_t changed, touched;
	/* of the first start held: its first event; when it was seen. 0: there is none */
	uint32_t from;
	uint64_t seen_ns;
	int64_t now;			/* of the last run of the built-in that was seen */
	bool computing;			/* the run that is made is for the audit */
	struct audit_row *theirs;	/* by job and task */
	size_t ntheirs;
	struct audit audit;
	struct fl_cell *cell;		/* our own published runs; NULL: not attached */
	char *path;			/* of the journal */
	bool failing;			/* it can't be written; said */
	uint64_t runs;			/* audited */
};

/* shadow_compare.c */

struct shadow_scan {			/* of deliveries, one after the other; zero-initialise */
	struct audit_starts *starts;	/* that are found */
	uint32_t from;			/* first event that counts */
	bool told;			/* something else was told since the last start */
	struct audit_start enrolled;	/* the last task that was enrolled since the last start */
};

/* Their starts in a delivery. -ENOMEM. */
int shadow_starts(struct sge *sge, const struct post_record *record, struct shadow_scan *scan);
/* When its events below that number tell of something that decides: into changed and touched. */
void shadow_tells(struct shadow *shadow, const struct post_record *record, uint32_t below);
/* The numbers of all jobs: what is asked, and the answer into `theirs`. */
void shadow_question(struct gdi_writer *writer, const char *credential);
int shadow_numbers(struct shadow *shadow, const unsigned char *bytes, size_t n, int64_t *now,
		   double weight_waiting_time, struct error *error);
/* Ours, as published, against them; with the numbers, if these are of that run. */
void shadow_compare(struct sge *sge, bool numbers);

#endif
