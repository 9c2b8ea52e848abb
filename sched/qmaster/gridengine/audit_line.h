/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The journal of a shadow: a line of text for each run of the built-in scheduler, of fields with a
 * TAB between them,
 *
 *     now=1795428000	theirs=3	ours=3	agreeing=2	numbers=312	differing=1	known=0
 *     their=17.1 all.q@ada=1	our=18.1 all.q@ada=1	why=...	worst=20 nurg 0.50000 0.49999
 *
 * where the second half, here on a line of its own, has only what there is to tell: skipped (why
 * the run can't be compared), differ (the starts do), their, our (of the first that differs), why,
 * worst (of the numbers: a job, or a task that runs; the column; as it is printed by both), defect
 * (of 8.1.9, by its name). Fields that a reader does not know it passes over.
 *
 * A journal that has grown to AUDIT_JOURNAL_BYTES becomes PATH.1 in place of the one before, so
 * that no more than twice as much is kept.
 */
#ifndef SCHED_QMASTER_GRIDENGINE_AUDIT_LINE_H
#define SCHED_QMASTER_GRIDENGINE_AUDIT_LINE_H

#include "conf/error.h"
#include "sched/qmaster/gridengine/audit.h"

#define AUDIT_JOURNAL "fairlead-audit"	/* its name in the cell's directory */
#define AUDIT_JOURNAL_BYTES (8 << 20)

/* What came out is written behind the others. 0, -ENOMEM, or as append_text(). */
int audit_line_append(const char *path, const struct audit *audit);

struct audited {			/* a line as it is read; texts are "" where there is nothing */
	int64_t now;			/* epoch seconds */
	uint64_t theirs, ours, agreeing;	/* starts */
	bool starts_differ;
	uint64_t numbers, differing, defects;
	const char *skipped, *their, *our, *why, *defect;
	struct {
		char of[24];		/* "17", "17.1"; "": no number differs */
		char column[12], theirs[32], ours[32];
	} worst;
};

/* Parses the line, which is cut into pieces. false: it is none. */
bool audited_parse(char *line, struct audited *run);
bool audited_differs(const struct audited *run);	/* by a known defect or not */
bool audited_is_known(const struct audited *run);	/* it differs by known defects alone */

/*
 * Calls `take` with each line of PATH.1 and PATH, in order; what it gets is valid during the call.
 * A last line that is not whole is left out, lines that are none are counted. 0, -ENOENT: there is
 * no journal; or -errno, or what `take` has returned other than 0.
 */
typedef int audited_take(void *context, const struct audited *run);
int audit_journal_read(const char *path, audited_take *take, void *context, uint64_t *odd, struct error *error);

#endif
