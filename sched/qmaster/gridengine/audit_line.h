/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The journal of a shadow. Each run of the built-in scheduler is one line of text, with fields
 * separated by TABs:
 *
 *     now=1795428000	theirs=3	ours=3	agreeing=2	numbers=312	differing=1	known=0
 *     their=17.1 all.q@ada=1	our=18.1 all.q@ada=1	why=...	worst=20 nurg 0.50000 0.49999
 *
 * The second half, here on a line of its own, has only the fields that apply:
 *     skipped       reason why the run cannot be compared
 *     differ        the starts differ
 *     their, our    the first different start
 *     why           the pending reason of that start in our run
 *     worst         a number: the job or running task, the column, the text printed by both
 *     defect        the name of a known defect of 8.1.9
 * A reader ignores fields that it does not know.
 *
 * When a journal has grown to AUDIT_JOURNAL_BYTES, it is renamed to PATH.1 and replaces the
 * previous one. So at most twice as much is kept.
 */
#ifndef SCHED_QMASTER_GRIDENGINE_AUDIT_LINE_H
#define SCHED_QMASTER_GRIDENGINE_AUDIT_LINE_H

#include "conf/base/error.h"
#include "sched/qmaster/gridengine/audit.h"

#define AUDIT_JOURNAL "fairlead-audit"	/* name in the cell's directory */
#define AUDIT_JOURNAL_BYTES (8 << 20)

/* Append the line of an audit. Returns 0, -ENOMEM, or an error of append_text(). */
int audit_line_append(const char *path, const struct audit *audit);

struct audited {			/* a line that was read; missing texts are "" */
	int64_t now;			/* epoch seconds */
	uint64_t theirs, ours, agreeing;	/* numbers of starts */
	bool starts_differ;
	uint64_t numbers, differing, defects;
	const char *skipped, *their, *our, *why, *defect;
	struct {
		char of[24];		/* "17", "17.1"; "": no number differs */
		char column[12], theirs[32], ours[32];
	} worst;
};

bool audited_differs(const struct audited *run);	/* with or without a known defect */
bool audited_is_known(const struct audited *run);	/* only known defects explain the differences */

/*
 * Call `take` with each line of PATH.1 and PATH, in order; its argument is valid during the call.
 * An incomplete last line is ignored, and invalid lines are counted in `odd`. Returns 0, -ENOENT if
 * there is no journal, -errno, or the first value other than 0 that `take` has returned.
 */
typedef int audited_take(void *context, const struct audited *run);
int audit_journal_read(const char *path, audited_take *take, void *context, uint64_t *odd, struct error *error);

#endif
