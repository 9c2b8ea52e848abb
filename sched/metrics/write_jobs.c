/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs by state, queue, project and user; ages of pending jobs; reasons why they do not start. */
#include "sched/metrics/reading.h"

static size_t cell_labels(const struct tally *tally, const struct tally_cell *cell, struct label *labels)
{
	size_t n = label_put(labels, 0, "queue", tally->queues.texts[cell->queue]);

	return label_put(labels, n, "project", tally->projects.texts[cell->project]);
}

/*
 * Write the tasks or slots of each state. A state in which there is none has one sample, 0, without
 * queue and project.
 */
static void write_counts(struct exposition *page, const struct tally *tally, const struct family *family, size_t field)
{
	exposition_family(page, family);
	for (size_t state = 0; state < TALLY_STATES; state++) {
		struct label labels[LABELS_MOST] = { { "state", tally_state_names[state] } };
		bool any = false;

		for (size_t k = 0; k < tally->ncells; k++) {
			const uint64_t *counts =
				(const uint64_t *)(const void *)((const char *)&tally->cells[k].counts + field);

			if (counts[state] == 0)
				continue;
			any = true;
			exposition_value(page, labels, 1 + cell_labels(tally, &tally->cells[k], &labels[1]),
					 (double)counts[state]);
		}
		if (!any)
			exposition_value(page, labels, 1, 0);
	}
}

static void write_ages(struct exposition *page, const struct tally *tally)
{
	static const struct family family = { "fairlead_pending_age_seconds", FAMILY_GAUGE_HISTOGRAM, "seconds",
					      "Time since the submission of pending tasks, without held tasks." };

	exposition_family(page, &family);
	for (size_t k = 0; k < tally->ncells; k++) {
		const struct tally_cell *cell = &tally->cells[k];
		struct label labels[LABELS_MOST];

		if (cell->counts.tasks[TALLY_PENDING] > 0)
			exposition_histogram(page, labels, cell_labels(tally, cell, labels),
					     &(struct histogram_sample){ .limits = tally->limits->seconds,
									 .counts = cell->ages,
									 .nlimits = tally->limits->n,
									 .sum = cell->age_sum });
	}
}

static void write_reasons(struct exposition *page, const struct tally *tally)
{
	static const struct family family = { "fairlead_pending_jobs", FAMILY_GAUGE, NULL,
					      "Jobs with pending tasks by the first reason why they do not start." };

	exposition_family(page, &family);
	for (uint16_t number = 0; number < TALLY_REASONS; number++) {
		const struct label label = { "reason", tally_reason_name(number) };
		uint64_t jobs = 0;

		for (size_t k = 0; k < tally->ncells; k++)
			jobs += tally->cells[k].reasons[number];
		if (jobs > 0 || number == TALLY_REASONS - 1)
			exposition_value(page, &label, 1, (double)jobs);
	}
}

int write_jobs(struct exposition *page, const struct run_reading *reading)
{
	static const struct family tasks = { "fairlead_jobs", FAMILY_GAUGE, NULL,
					     "Jobs by state; each task of an array counts." };
	static const struct family slots = {
		"fairlead_job_slots", FAMILY_GAUGE, NULL,
		"Slots of jobs by state: granted, or requested by tasks that are not started."
	};

	write_counts(page, reading->tally, &tasks, offsetof(struct tally_counts, tasks));
	write_counts(page, reading->tally, &slots, offsetof(struct tally_counts, slots));
	write_ages(page, reading->tally);
	write_reasons(page, reading->tally);
	return 0;
}
