/* SPDX-License-Identifier: Apache-2.0 */
/* Slurm's associations: accounts, and the users that are shown one by one. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sched/metrics/fairshare.h"

#define OF(FIELD) .field = offsetof(struct fairshare_row, FIELD)

static const struct family_column columns[] = {
	{ { "fairlead_association_shares", FAMILY_GAUGE, NULL, "Raw shares of an association." }, OF(shares) },
	{ { "fairlead_association_shares_ratio", FAMILY_GAUGE, "ratio", "Normalised shares of an association." },
	  OF(norm_shares) },
	{ { "fairlead_association_usage_ratio", FAMILY_GAUGE, "ratio", "Normalised usage of an association." },
	  OF(norm_usage) },
	{ { "fairlead_association_effective_usage_ratio", FAMILY_GAUGE, "ratio", "Effective usage of an association." },
	  OF(effective_usage) },
	{ { "fairlead_association_usage_tres_seconds", FAMILY_GAUGE, "seconds",
	    "Raw usage of an association, decayed." },
	  OF(raw_usage) },
	{ { "fairlead_association_fairshare_ratio", FAMILY_GAUGE, "ratio",
	    "Fair-share factor of an association, 0 to 1." },
	  OF(fairshare) },
	{ { "fairlead_association_level_fairshare", FAMILY_GAUGE, NULL,
	    "Shares divided by usage among the siblings, with Fair Tree. Without usage it is infinite and left out." },
	  OF(level_fs) },
	{ { "fairlead_association_running_jobs", FAMILY_GAUGE, NULL, "Started tasks of an association." },
	  OF(running) },
};

static size_t association_labels(const void *row, struct label *labels)
{
	const struct fairshare_row *association = row;
	size_t n = label_put(labels, 0, "path", association->path);

	n = label_put(labels, n, "depth", association->depth);
	n = label_put(labels, n, "account", association->account);
	n = label_put(labels, n, "user", association->user);
	return label_put(labels, n, "partition", association->partition);
}

/* Make the path from the root: accounts, then the user, then the partition. NULL: no memory. */
static char *path_make(const char *above, const struct fl_association *association)
{
	const char *name = association->is_user ? association->user : association->account;
	bool has_partition = association->is_user && *association->partition;
	char *path = NULL;

	return asprintf(&path, "%s/%s%s%s", above, name, has_partition ? ":" : "",
			has_partition ? association->partition : "") < 0
		       ? NULL
		       : path;
}

static void row_fill(struct fairshare_row *row, const struct fl_association *from, bool fair_tree)
{
	*row = (struct fairshare_row){ .path = row->path,
				       .account = from->account,
				       .user = from->user,
				       .partition = from->partition,
				       .is_user = from->is_user,
				       .shares = from->has_parent_shares ? NAN : from->shares,
				       .norm_shares = from->norm_shares,
				       .raw_usage = from->raw_usage,
				       .norm_usage = from->norm_usage,
				       .effective_usage = from->effective_usage,
				       /* Fair Tree gives accounts no factor. */
				       .fairshare = fair_tree && !from->is_user ? NAN : from->fairshare,
				       .level_fs = fair_tree ? from->level_fs : NAN,
				       .running = from->running_tasks };
	snprintf(row->depth, sizeof(row->depth), "%u", from->depth);
}

/*
 * Accounts come before everything below them. Users that are not shown have no path and no row.
 * `places` has the row of each association, for the paths of its children.
 */
static int rows_read(struct fairshare_rows *rows, const struct run_reading *reading, bool fair_tree, size_t *places)
{
	size_t n = fl_associations(reading->view);
	struct fl_association association;

	for (size_t k = 0; k < n; k++) {
		struct fairshare_row *row = &rows->items[rows->n];
		const char *above = "";

		places[k] = SIZE_MAX;
		if (fl_association(reading->view, k, &association) || association.parent >= (int64_t)k ||
		    (association.is_user && !reading_shows(reading, association.user)))
			continue;
		if (association.parent >= 0 && places[association.parent] != SIZE_MAX)
			above = rows->items[places[association.parent]].path;
		if (association.depth > ASSOCIATION_DEPTH_MOST)
			continue;
		row->path = path_make(above, &association);
		if (!row->path)
			return -ENOMEM;
		row_fill(row, &association, fair_tree);
		places[k] = rows->n++;
	}
	return 0;
}

int fairshare_rows_read(struct fairshare_rows *rows, const struct run_reading *reading)
{
	size_t n = fl_associations(reading->view);
	struct fl_multifactor multifactor;
	size_t *places;
	int rc;

	*rows = (struct fairshare_rows){ .n = 0 };
	if (fl_multifactor(reading->view, &multifactor))
		return 0;
	rows->items = calloc(n + 1, sizeof(*rows->items));
	places = calloc(n + 1, sizeof(*places));
	rc = rows->items && places ? rows_read(rows, reading, multifactor.has_fair_tree, places) : -ENOMEM;
	free(places);
	return rc;
}

void fairshare_rows_free(struct fairshare_rows *rows)
{
	for (size_t k = 0; k < rows->n; k++)
		free(rows->items[k].path);
	free(rows->items);
}

int write_associations(struct exposition *page, const struct run_reading *reading)
{
	struct fairshare_rows rows;
	int rc = fairshare_rows_read(&rows, reading);

	if (rc == 0)
		exposition_columns(
			page, columns, COUNT_OF(columns),
			&(struct family_rows){ rows.items, rows.n, sizeof(*rows.items), association_labels });
	fairshare_rows_free(&rows);
	return rc;
}
