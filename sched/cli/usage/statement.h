/* SPDX-License-Identifier: Apache-2.0 */
/* Values of the statement of one user. */
#ifndef CLI_USAGE_STATEMENT_H
#define CLI_USAGE_STATEMENT_H

#include "sched/cli/usage/recovery.h"
#include "sched/cli/usage/usage.h"
#include "sched/reader/fairlead.h"

enum statement_share {
	/* no usage affects priorities in this cell, or the cell does not know the user */
	SHARE_NONE,
	SHARE_TREE,			/* algorithm default: share tree */
	SHARE_ASSOCIATIONS,		/* algorithm multifactor */
	SHARE_PRIORITY,			/* algorithm userprio: real user priority */
};

struct statement_jobs {			/* running tasks, or pending tasks */
	uint64_t tasks, slots;
	/* Slot seconds that the tasks may still use up to h_rt or default_duration. */
	double committed_slot_s;
	uint64_t endless;		/* tasks without a limit, not in `committed_slot_s` */
};

struct user_statement {
	const struct usage_query *query;
	struct usage_sum used;		/* of the interval, from the accounting file */
	int64_t now;			/* clock of the run */
	struct statement_jobs running, pending;
	enum statement_share share;
	struct recovery recovery;	/* SHARE_TREE, SHARE_ASSOCIATIONS */
	double received;		/* part of all usage now */
	/* SHARE_PRIORITY: real and effective user priority, weight in use, half-life in seconds */
	double rup, eup, weight_used, half_life_s;
	/*
	 * Seconds until the share recovers: if the user uses nothing more, and at the present rate.
	 * 0: it has recovered. -1: not within RECOVERY_MOST_S.
	 */
	int64_t idle_s, present_s;
	bool has_recovery;		/* the decay is known */
	const char *no_recovery;	/* reason if has_recovery is false */
	/* First eligible pending job; 0: none. Ranks count from 1; 0: the job would start. */
	uint32_t job_number;
	uint64_t rank, rank_without, jobs;
	bool has_ranks;
	char why_no_ranks[256];
};

/* Read the values of a run. Return 0 or -ENOMEM. */
int statement_read(struct user_statement *statement, const struct fl_view *view);

/* Print the statement. */
void statement_text(struct out *out, const struct user_statement *statement);
void statement_json(struct out *out, const struct user_statement *statement);
void statement_html(struct out *out, const struct user_statement *statement);

#endif
