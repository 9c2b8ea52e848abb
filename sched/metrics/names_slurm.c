/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of Slurm's own endpoint and of exporters for Slurm, for the quantities that exist here.
 * Slots are CPUs, queues are partitions, and projects are accounts.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "sched/metrics/names.h"

/* Jobs */

struct counted_name {
	const char *suffix; /* end of the name */
	bool slots; /* slots are counted, else tasks */
	unsigned states; /* bits of enum tally_state */
};

#define STATE(NAME) (1u << TALLY_##NAME)
#define ALL_PENDING (STATE(PENDING) | STATE(HELD) | STATE(ERROR))
#define ALL_STARTED (STATE(RUNNING) | STATE(SUSPENDED) | STATE(TRANSFERRING) | STATE(DELETING))

/* Names that are served for the whole cluster, and for each user, account and partition. */
static const struct counted_name job_names[] = {
	{ "jobs", false, ALL_PENDING | ALL_STARTED },
	{ "jobs_pending", false, ALL_PENDING },
	{ "jobs_running", false, STATE(RUNNING) },
	{ "jobs_suspended", false, STATE(SUSPENDED) },
	{ "jobs_configuring", false, STATE(TRANSFERRING) },
	{ "jobs_completing", false, STATE(DELETING) },
	{ "jobs_hold", false, STATE(HELD) },
	{ "jobs_cpus_alloc", true, ALL_STARTED },
	{ "cpus_running", true, STATE(RUNNING) },
	{ "cpus_pending", true, ALL_PENDING },
};

static const struct counted_name total_names[] = {
	{ "jobs_cores_running", true, STATE(RUNNING) },
	{ "jobs_cores_pending", true, ALL_PENDING },
	{ "schedule_queue_len", false, ALL_PENDING },
};

static const struct counted_name partition_names[] = {
	{ "queue_running", false, STATE(RUNNING) },	     { "queue_suspended", false, STATE(SUSPENDED) },
	{ "queue_configuring", false, STATE(TRANSFERRING) }, { "queue_completing", false, STATE(DELETING) },
	{ "cores_running", true, STATE(RUNNING) },	     { "cores_pending", true, ALL_PENDING },
};

struct labelled { /* the counts of a user, an account or a partition */
	const char *name;
	struct tally_counts counts;
};

struct labelled_list {
	const char *prefix; /* start of the names: "", "user_", ... */
	const char *labels[2]; /* labels that have the name; NULL: none */
	const struct labelled *items;
	size_t n;
};

static double count_of(const struct tally_counts *counts, const struct counted_name *name)
{
	double sum = 0;

	for (unsigned state = 0; state < TALLY_STATES; state++)
		if (name->states >> state & 1)
			sum += (double)(name->slots ? counts->slots : counts->tasks)[state];
	return sum;
}

static void write_names(struct exposition *page, const struct counted_name *names, size_t nnames,
			const struct labelled_list *list)
{
	for (size_t k = 0; k < nnames; k++) {
		alias_begin(page, "slurm_", list->prefix, names[k].suffix, names[k].slots ? "CPUs of jobs." : "Jobs.");
		for (size_t i = 0; i < list->n; i++) {
			const struct label labels[] = { { list->labels[0] ? list->labels[0] : "", list->items[i].name },
							{ list->labels[1] ? list->labels[1] : "",
							  list->items[i].name } };

			exposition_value(page, labels, (size_t)(list->labels[0] != NULL) + (list->labels[1] != NULL),
					 count_of(&list->items[i].counts, &names[k]));
		}
	}
}

/* Add the counts of a cell to those of its project or queue. */
static void cells_add(const struct tally *tally, struct labelled *items, bool by_queue)
{
	for (size_t k = 0; k < tally->ncells; k++) {
		const struct tally_cell *cell = &tally->cells[k];

		tally_counts_add(&items[by_queue ? cell->queue : cell->project].counts, &cell->counts);
	}
}

/* Write projects or queues; the one without a name is "none". */
static int write_cells(struct exposition *page, const struct tally *tally, bool by_queue)
{
	const struct text_set *names = by_queue ? &tally->queues : &tally->projects;
	struct labelled *items = calloc(names->n + 1, sizeof(*items));
	struct labelled_list list = {
		by_queue ? "partition_" : "account_", { by_queue ? "partition" : "account", NULL }, items, names->n
	};

	if (!items)
		return -ENOMEM;
	for (size_t k = 0; k < names->n; k++)
		items[k].name = *names->texts[k] ? names->texts[k] : "none";
	cells_add(tally, items, by_queue);
	write_names(page, job_names, COUNT_OF(job_names), &list);
	list.prefix = "";
	if (by_queue)
		write_names(page, partition_names, COUNT_OF(partition_names), &list);
	free(items);
	return 0;
}

static int write_users_names(struct exposition *page, const struct run_reading *reading)
{
	const struct tally *tally = reading->tally;
	struct labelled *items = calloc(reading->nusers + 1, sizeof(*items));
	struct labelled_list list = { "user_", { "user", "username" }, items, reading->nusers };

	if (!items)
		return -ENOMEM;
	for (size_t k = 0; k < tally->nby_user; k++) {
		bool is_other = k >= reading->nusers;
		struct labelled *item = &items[is_other ? reading->nusers : k];

		item->name = is_other ? OTHER_USERS : tally->users.texts[tally->by_user[k].number];
		tally_counts_add(&item->counts, &tally->by_user[k].counts);
		list.n = is_other ? reading->nusers + 1 : list.n;
	}
	write_names(page, job_names, COUNT_OF(job_names), &list);
	free(items);
	return 0;
}

static void write_totals(struct exposition *page, const struct tally *tally)
{
	struct labelled all = { .name = "" };
	const struct labelled_list list = { "", { NULL, NULL }, &all, 1 };

	for (size_t k = 0; k < tally->ncells; k++)
		tally_counts_add(&all.counts, &tally->cells[k].counts);
	write_names(page, job_names, COUNT_OF(job_names), &list);
	write_names(page, total_names, COUNT_OF(total_names), &list);
}

/* Write pending jobs by partition and reason. */
static int write_reasons(struct exposition *page, const struct tally *tally)
{
	uint64_t *jobs = calloc(tally->queues.n + 1, TALLY_REASONS * sizeof(*jobs));

	if (!jobs)
		return -ENOMEM;
	for (size_t k = 0; k < tally->ncells; k++)
		for (size_t reason = 0; reason < TALLY_REASONS; reason++)
			jobs[tally->cells[k].queue * TALLY_REASONS + reason] += tally->cells[k].reasons[reason];
	alias_begin(page, "slurm_queue_", "pending", "", "Pending jobs by the first reason why they do not start.");
	for (size_t k = 0; k < tally->queues.n * TALLY_REASONS; k++) {
		const char *queue = tally->queues.texts[k / TALLY_REASONS];
		const struct label labels[] = { { "partition", *queue ? queue : "none" },
						{ "reason", tally_reason_name((uint16_t)(k % TALLY_REASONS)) } };

		if (jobs[k] > 0)
			exposition_value(page, labels, 2, (double)jobs[k]);
	}
	free(jobs);
	return 0;
}

/* Fair share */

static const char *const share_names[] = { "fairshare", "fairshare_norm_shares", "fairshare_norm_usage",
					   "fairshare_raw_shares", "fairshare_raw_usage_cpu_seconds" };

static double share_value(const struct fairshare_row *row, size_t k)
{
	const double values[] = { row->fairshare, row->norm_shares, row->norm_usage, row->shares, row->raw_usage };

	return values[k];
}

static void write_share(struct exposition *page, const struct fairshare_rows *rows, bool users, size_t k)
{
	alias_begin(page, "slurm_", users ? "user_" : "account_", share_names[k], "Fair share, as sshare shows it.");
	for (size_t i = 0; i < rows->n; i++) {
		const struct fairshare_row *row = &rows->items[i];
		const struct label labels[] = { { "account", row->account },
						{ "partition", row->partition },
						{ "user", row->user } };

		if (row->is_user == users)
			exposition_value(page, labels, 3, share_value(row, k));
	}
}

static int write_shares(struct exposition *page, const struct run_reading *reading)
{
	struct fairshare_rows rows;
	int rc = fairshare_rows_read(&rows, reading);

	for (size_t k = 0; k < COUNT_OF(share_names) && rc == 0; k++) {
		write_share(page, &rows, false, k);
		write_share(page, &rows, true, k);
	}
	fairshare_rows_free(&rows);
	return rc;
}

/* The scheduler, and consumables */

static void write_scheduler_names(struct exposition *page, const struct fl_view *view)
{
	struct fl_health health;
	struct fl_run run;

	fl_run(view, &run);
	alias_value(page, "slurm_scheduler_last_cycle", "Duration of the last run in microseconds.",
		    (double)run.run_ns / 1e3);
	alias_value(page, "slurm_schedule_cycle_last", "Duration of the last run in microseconds.",
		    (double)run.run_ns / 1e3);
	alias_value(page, "slurm_schedule_cycle_cnt", "Runs since the start of the scheduler.", (double)run.run);
	if (fl_health(view, &health))
		return;
	alias_value(page, "slurm_scheduler_queue_size", "Orders that the qmaster has not accepted yet.",
		    (double)health.orders_kept);
	alias_value(page, "slurm_scheduler_dbd_queue_size", "Jobs and tasks whose usage is not booked yet.",
		    (double)health.unbooked);
}

static void write_gpus(struct exposition *page, const struct inventory *inventory)
{
	double total = 0, used = 0;

	for (size_t k = 0; k < inventory->nresources; k++)
		if (strcmp(inventory->resources[k].name, "gpu") == 0 ||
		    strcmp(inventory->resources[k].name, "gres/gpu") == 0) {
			total += inventory->resources[k].total;
			used += inventory->resources[k].used;
		}
	if (!(total > 0))
		return;
	alias_value(page, "slurm_gpus_total", "GPUs.", total);
	alias_value(page, "slurm_gpus_alloc", "GPUs in use.", used);
	alias_value(page, "slurm_gpus_idle", "Free GPUs.", total - used);
	alias_value(page, "slurm_gpus_utilization", "Part of the GPUs that is in use, 0 to 1.", used / total);
}

/* Consumables of the whole cluster are licences. */
static void write_licences(struct exposition *page, const struct inventory *inventory)
{
	static const char *const names[] = { "total", "used", "free" };

	for (size_t k = 0; k < COUNT_OF(names); k++) {
		alias_begin(page, "slurm_license_", names[k], "", "Consumables of the whole cluster.");
		for (size_t i = 0; i < inventory->nresources; i++) {
			const struct inventory_resource *resource = &inventory->resources[i];
			const double values[] = { resource->total, resource->used, resource->total - resource->used };

			if (resource->level == FL_GLOBAL)
				exposition_value(page, &(struct label){ "license", resource->name }, 1, values[k]);
		}
	}
}

int write_slurm_names(struct exposition *page, const struct run_reading *reading)
{
	int rc = write_users_names(page, reading);

	write_totals(page, reading->tally);
	rc = rc ? rc : write_cells(page, reading->tally, false);
	rc = rc ? rc : write_cells(page, reading->tally, true);
	rc = rc ? rc : write_reasons(page, reading->tally);
	rc = rc ? rc : write_shares(page, reading);
	rc = rc ? rc : write_slurm_nodes(page, reading);
	write_scheduler_names(page, reading->view);
	write_gpus(page, reading->inventory);
	write_licences(page, reading->inventory);
	return rc;
}
