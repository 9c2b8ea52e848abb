/* SPDX-License-Identifier: Apache-2.0 */
/* Users and projects: their jobs, and the usage that the policies of Grid Engine count. */
#include <errno.h>
#include <math.h>

#include "sched/metrics/reading.h"

static void write_user_counts(struct exposition *page, const struct run_reading *reading, const struct family *family,
			      size_t field)
{
	const struct tally *tally = reading->tally;
	struct tally_counts others = { { 0 }, { 0 } };

	for (size_t k = reading->nusers; k < tally->nby_user; k++)
		tally_counts_add(&others, &tally->by_user[k].counts);
	exposition_family(page, family);
	for (size_t k = 0; k <= reading->nusers; k++) {
		bool is_others = k == reading->nusers;
		const struct tally_counts *counts = is_others ? &others : &tally->by_user[k].counts;
		const uint64_t *values = (const uint64_t *)(const void *)((const char *)counts + field);

		for (size_t state = 0; state < TALLY_STATES; state++) {
			const struct label labels[] = {
				{ "user", is_others ? OTHER_USERS : tally->users.texts[tally->by_user[k].number] },
				{ "state", tally_state_names[state] }
			};

			if (values[state] > 0)
				exposition_value(page, labels, 2, (double)values[state]);
		}
	}
}

/* Sharers */

struct sharer_row {
	const char *name;
	double usage, cpu, fshare, oticket;
};

#define SHARER(FIELD) .field = offsetof(struct sharer_row, FIELD)

static const struct family_column user_columns[] = {
	{ { "fairlead_user_usage", FAMILY_GAUGE, NULL, "Decayed and weighted usage of a user outside projects." },
	  SHARER(usage) },
	{ { "fairlead_user_usage_cpu_seconds", FAMILY_GAUGE, "seconds",
	    "Decayed CPU time of a user outside projects." },
	  SHARER(cpu) },
};

static const struct family_column project_columns[] = {
	{ { "fairlead_project_usage", FAMILY_GAUGE, NULL, "Decayed and weighted usage of a project." }, SHARER(usage) },
	{ { "fairlead_project_usage_cpu_seconds", FAMILY_GAUGE, "seconds", "Decayed CPU time of a project." },
	  SHARER(cpu) },
	{ { "fairlead_project_functional_shares", FAMILY_GAUGE, NULL, "Functional shares of a project." },
	  SHARER(fshare) },
	{ { "fairlead_project_override_tickets", FAMILY_GAUGE, NULL, "Override tickets of a project." },
	  SHARER(oticket) },
};

static size_t user_labels(const void *row, struct label *labels)
{
	return label_put(labels, 0, "user", ((const struct sharer_row *)row)->name);
}

static size_t project_labels(const void *row, struct label *labels)
{
	return label_put(labels, 0, "project", ((const struct sharer_row *)row)->name);
}

/* Read the shown users and the sum of the others, or all projects. Returns their number. */
static size_t sharers_read(const struct run_reading *reading, enum fl_kind kind, struct sharer_row *rows, size_t most)
{
	struct sharer_row others = { OTHER_USERS, 0, 0, 0, 0 };
	bool has_others = false;
	size_t n = 0;

	for (size_t k = 0; k < most; k++) {
		struct fl_sharer sharer;

		if (fl_sharer(reading->view, kind, k, &sharer))
			continue;
		if (kind == FL_PROJECT || reading_shows(reading, sharer.name)) {
			rows[n++] = (struct sharer_row){ sharer.name, sharer.usage.combined, sharer.usage.cpu,
							 sharer.fshare, sharer.oticket };
			continue;
		}
		has_others = true;
		others.usage += sharer.usage.combined;
		others.cpu += sharer.usage.cpu;
	}
	if (has_others)
		rows[n++] = others;
	return n;
}

static int write_sharers(struct exposition *page, const struct run_reading *reading, enum fl_kind kind)
{
	size_t most = fl_sharers(reading->view, kind);
	struct sharer_row *items = calloc(most + 1, sizeof(*items));
	struct family_rows rows = { items, 0, sizeof(*items), kind == FL_USER ? user_labels : project_labels };

	if (!items)
		return -ENOMEM;
	rows.n = sharers_read(reading, kind, items, most);
	if (kind == FL_USER)
		exposition_columns(page, user_columns, COUNT_OF(user_columns), &rows);
	else
		exposition_columns(page, project_columns, COUNT_OF(project_columns), &rows);
	free(items);
	return 0;
}

int write_users(struct exposition *page, const struct run_reading *reading)
{
	static const struct family tasks = { "fairlead_user_jobs", FAMILY_GAUGE, NULL,
					     "Jobs of a user by state; each task of an array counts." };
	static const struct family slots = { "fairlead_user_slots", FAMILY_GAUGE, NULL,
					     "Slots of the jobs of a user by state: granted, or requested." };
	int rc;

	write_user_counts(page, reading, &tasks, offsetof(struct tally_counts, tasks));
	write_user_counts(page, reading, &slots, offsetof(struct tally_counts, slots));
	rc = write_sharers(page, reading, FL_USER);
	return rc ? rc : write_sharers(page, reading, FL_PROJECT);
}
