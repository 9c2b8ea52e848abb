/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of Slurm's associations, for Fairlead's names and for the names of Slurm's exporters. */
#ifndef SCHED_METRICS_FAIRSHARE_H
#define SCHED_METRICS_FAIRSHARE_H

#include "sched/metrics/reading.h"

#define ASSOCIATION_DEPTH_MOST 100u /* deeper associations are left out: paths stay short */

struct fairshare_row {
	char *path; /* owned */
	char depth[12];
	const char *account, *user, *partition; /* "" = none */
	bool is_user;
	double shares, norm_shares, raw_usage, norm_usage, effective_usage, fairshare, level_fs, running;
};

struct fairshare_rows {
	struct fairshare_row *items;
	size_t n;
};

/*
 * Read the accounts and the shown users. There are no rows if the algorithm is not multifactor.
 * Returns 0 or -ENOMEM. Call fairshare_rows_free() in any case.
 */
int fairshare_rows_read(struct fairshare_rows *rows, const struct run_reading *reading);
void fairshare_rows_free(struct fairshare_rows *rows);

#endif
