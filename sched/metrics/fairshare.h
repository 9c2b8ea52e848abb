/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of Slurm's associations, for our names and for those of Slurm's exporters. */
#ifndef SCHED_METRICS_FAIRSHARE_H
#define SCHED_METRICS_FAIRSHARE_H

#include "sched/metrics/reading.h"

#define ASSOCIATION_DEPTH_MOST 100u /* deeper ones are left out, so that paths stay short */

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
 * Read accounts and shown users; none if the algorithm is not multifactor. Returns 0 or -ENOMEM.
 * Call fairshare_rows_free() in any case.
 */
int fairshare_rows_read(struct fairshare_rows *rows, const struct run_reading *reading);
void fairshare_rows_free(struct fairshare_rows *rows);

#endif
