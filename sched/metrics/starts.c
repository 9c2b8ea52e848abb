/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/metrics/starts.h"

#include <errno.h>
#include <string.h>

#include "conf/base/array.h"

/* A task that appears later than this after its start has not just started. */
#define APPEAR_S 60

struct observing { /* a section */
	struct starts *starts;
	const struct fl_view *view;
	size_t at; /* position in `seen`; both lists are in ascending order */
	bool has_accounts;
	int rc;
};

static int room(void *array, size_t *capacity, size_t n, size_t bytes)
{
	size_t more = *capacity ? 2 * *capacity : 256;
	int rc = n < *capacity ? 0 : array_grow(array, more, bytes);

	if (rc == 0 && n >= *capacity)
		*capacity = more;
	return rc;
}

static int key_compare(const struct start_key *one, const struct start_key *other)
{
	if (one->job_number != other->job_number)
		return one->job_number < other->job_number ? -1 : 1;
	return one->task < other->task ? -1 : one->task > other->task;
}

static bool was_seen(struct observing *observing, const struct start_key *key)
{
	const struct starts *starts = observing->starts;

	while (observing->at < starts->nseen && key_compare(&starts->seen[observing->at], key) < 0)
		observing->at++;
	return observing->at < starts->nseen && key_compare(&starts->seen[observing->at], key) == 0;
}

/* Keep a new task with its names, which are in the segment only until the section ends. */
static int fresh_add(struct observing *observing, const struct fl_brief *brief)
{
	struct starts *starts = observing->starts;
	struct fl_job_group group = { "", "", "", "" };
	char queue[256];
	size_t bytes = strcspn(brief->queue, "@");
	struct task_start *start;

	if (room(&starts->fresh, &starts->fresh_capacity, starts->nfresh, sizeof(*starts->fresh)))
		return -ENOMEM;
	start = &starts->fresh[starts->nfresh];
	bytes = bytes < sizeof(queue) ? bytes : sizeof(queue) - 1;
	memcpy(queue, brief->queue, bytes);
	queue[bytes] = '\0';
	fl_job_group(observing->view, brief->group, &group);
	*start = (struct task_start){ .key = { brief->job_number, brief->task },
				      .wait = brief->start_time > brief->submission_time
						      ? (double)(brief->start_time - brief->submission_time)
						      : 0 };
	if (text_set_add(&starts->queues, queue, &start->queue) ||
	    text_set_add(&starts->projects, *group.project || !observing->has_accounts ? group.project : group.account,
			 &start->project))
		return -ENOMEM;
	starts->nfresh++;
	return 0;
}

/* A task is not counted before its host has confirmed the start. */
static void observe(void *context, const struct fl_brief *brief)
{
	struct observing *observing = context;
	struct starts *starts = observing->starts;
	const struct start_key key = { brief->job_number, brief->task };

	if (observing->rc || brief->start_time <= 0 || strchr(brief->state, 't'))
		return;
	observing->rc = room(&starts->next, &starts->next_capacity, starts->nnext, sizeof(*starts->next));
	if (observing->rc)
		return;
	starts->next[starts->nnext++] = key;
	if (!was_seen(observing, &key) && brief->start_time + APPEAR_S >= starts->now)
		observing->rc = fresh_add(observing, brief);
}

static struct starts_cell *cell_add(struct starts *starts, uint32_t key)
{
	size_t capacity = starts->capacity ? 2 * starts->capacity : 64;

	if (starts->ncells == starts->capacity) {
		if (array_grow(&starts->keys, capacity, sizeof(*starts->keys)) ||
		    array_grow(&starts->cells, capacity, sizeof(*starts->cells)))
			return NULL;
		starts->capacity = capacity;
	}
	if (index_reserve_rows(&starts->index, starts->keys, starts->ncells + 1))
		return NULL;
	starts->keys[starts->ncells] = key;
	index_insert(&starts->index, starts->keys, (uint32_t)starts->ncells);
	return &starts->cells[starts->ncells++];
}

static struct starts_cell *cell_of(struct starts *starts, uint32_t queue, uint32_t project, int64_t now)
{
	const struct starts_cell *cells = starts->cells;
	uint32_t key = project * 2654435761u ^ queue, row;
	struct starts_cell *cell;

	index_search(row, &starts->index, key, cells[row].queue == queue && cells[row].project == project);
	if (row != INDEX_NONE)
		return &starts->cells[row];
	cell = cell_add(starts, key);
	if (cell)
		*cell = (struct starts_cell){ .queue = queue, .project = project, .created = now };
	return cell;
}

/*
 * Count the new tasks. Those of the first observed run only make the histograms of their queues and
 * projects begin at 0, so that a rate includes the first start that follows.
 */
static int fresh_count(struct starts *starts, int64_t now)
{
	struct starts_cell *cell = NULL;

	for (size_t k = 0; k < starts->nfresh; k++) {
		const struct task_start *start = &starts->fresh[k];
		size_t bucket = buckets_find(starts->limits, start->wait);

		if (!cell || cell->queue != start->queue || cell->project != start->project)
			cell = cell_of(starts, start->queue, start->project, now);
		if (!cell)
			return -ENOMEM;
		if (!starts->has_baseline)
			continue;
		cell->counts[bucket]++;
		cell->sum += start->wait;
		cell->exemplars[bucket] = (struct exemplar){ start->key.job_number, start->wait, now };
	}
	return 0;
}

/* Make the started tasks of this run the ones that are known. */
static void commit(struct starts *starts, const struct fl_run *run)
{
	struct start_key *keys = starts->seen;
	size_t capacity = starts->seen_capacity;

	if (starts->has_baseline && starts->scheduler_pid == run->scheduler_pid && run->run > starts->run)
		starts->skipped += run->run - starts->run - 1;
	starts->seen = starts->next;
	starts->nseen = starts->nnext;
	starts->seen_capacity = starts->next_capacity;
	starts->next = keys;
	starts->next_capacity = capacity;
	starts->has_baseline = true;
	starts->generation = run->generation;
	starts->run = run->run;
	starts->now = run->now;
	starts->scheduler_pid = run->scheduler_pid;
}

int starts_observe(struct starts *starts, struct fl_cell *cell)
{
	struct observing observing = { .starts = starts, .view = fl_begin(cell) };
	struct fl_multifactor multifactor;
	struct fl_run run;
	int rc;

	fl_run(observing.view, &run);
	if (starts->has_baseline && run.generation == starts->generation) {
		fl_end(cell);
		return 0;
	}
	observing.has_accounts = fl_multifactor(observing.view, &multifactor) == 0;
	starts->nnext = starts->nfresh = 0;
	fl_each_started(observing.view, observe, &observing);
	rc = fl_end(cell);
	rc = rc ? rc : observing.rc;
	rc = rc ? rc : fresh_count(starts, run.now);
	if (rc == 0)
		commit(starts, &run);
	return rc;
}

void starts_write(const struct starts *starts, struct exposition *page)
{
	static const struct family family = {
		"fairlead_wait_seconds", FAMILY_HISTOGRAM, "seconds",
		"Time from submission to start of tasks that started since the exporter began."
	};

	exposition_family(page, &family);
	for (size_t k = 0; k < starts->ncells; k++) {
		const struct starts_cell *cell = &starts->cells[k];
		const struct label labels[] = { { "queue", starts->queues.texts[cell->queue] },
						{ "project", starts->projects.texts[cell->project] } };

		exposition_histogram(page, labels, 2,
				     &(struct histogram_sample){ .limits = starts->limits->seconds,
								 .counts = cell->counts,
								 .exemplars = cell->exemplars,
								 .nlimits = starts->limits->n,
								 .sum = cell->sum,
								 .created = (double)cell->created });
	}
}

void starts_free(struct starts *starts)
{
	text_set_free(&starts->queues);
	text_set_free(&starts->projects);
	index_free(&starts->index);
	free(starts->keys);
	free(starts->cells);
	free(starts->seen);
	free(starts->next);
	free(starts->fresh);
}
