/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that one run starts and the other does not. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/whatif/moves_inside.h"

struct begun_task { uint32_t number, task, slots; const char *queue; };

/* Return the tasks that the run has started, by job number and task. NULL: memory is exhausted. */
static struct begun_task *started_of(const struct view *view, uint64_t *n)
{
	const struct state_head *head = view_state(view);
	uint64_t last = head ? LOAD_ONCE(head->last_order) : UINT64_MAX, all, states;
	struct begun_task *items;

	view_table(view, TABLE_TASKS, sizeof(struct task_record), &all);
	view_state_part(view, STATE_TASKS, sizeof(struct task_state), &states);
	all = all < states ? all : states;
	items = malloc((all + 1) * sizeof(*items));
	*n = 0;
	for (uint64_t i = 0; items && i < all; i++) {
		const struct task_state *part = view_state_part(view, STATE_TASKS, sizeof(*part), &states);
		struct task_record record;

		if (i >= states || LOAD_ONCE(part[i].order) <= last ||
		    !record_copy(view, TABLE_TASKS, i, &record, sizeof(record)))
			continue;
		items[(*n)++] = (struct begun_task){ record.number, record.task, record.slots,
						     record.queue == NONE ? "" : view_string(view, record.queue) };
	}
	return items;
}

static int started_order(const struct begun_task *a, const struct begun_task *b)
{
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return a->task < b->task ? -1 : a->task > b->task;
}

/* Return the sum of the class that the job has in the first run. */
static struct moved_sum *sum_of_job(const struct moves_walk *walk, uint32_t number)
{
	uint32_t row = row_find(walk->first, number), class = row == NONE ? NONE : moves_class_of(&walk->before, row);

	return class < walk->sums.n ? &walk->sums.items[class] : NULL;
}

/* Add a start. -ENOMEM. */
static int start_take(struct moves_walk *walk, enum moved_how how, const struct begun_task *before,
		      const struct begun_task *after)
{
	const struct begun_task *which = after ? after : before;
	struct moved_sum *sum = sum_of_job(walk, which->number);
	struct moves *moves = walk->moves;
	struct moved_start *start = &moves->starts[moves->nstarts++];

	*start = (struct moved_start){ how,
				       which->number,
				       which->task,
				       strdup(before ? before->queue : ""),
				       strdup(after ? after->queue : ""),
				       which->slots };
	moves->starting += how == MOVED_STARTS;
	moves->waiting += how == MOVED_WAITS;
	moves->elsewhere += how == MOVED_ELSEWHERE;
	if (sum && how == MOVED_STARTS)
		sum->starts++;
	if (sum && how == MOVED_WAITS)
		sum->waits++;
	return start->before && start->after ? 0 : -ENOMEM;
}

static int by_how(const void *a, const void *b)
{
	const struct moved_start *x = a, *y = b;

	if (x->how != y->how)
		return x->how < y->how ? -1 : 1;
	if (x->job_number != y->job_number)
		return x->job_number < y->job_number ? -1 : 1;
	return x->task < y->task ? -1 : x->task > y->task;
}

static bool is_elsewhere(const struct begun_task *a, const struct begun_task *b)
{
	return strcmp(a->queue, b->queue) != 0 || a->slots != b->slots;
}

static int starts_merge(struct moves_walk *walk, const struct begun_task *a, uint64_t na, const struct begun_task *b,
			uint64_t nb)
{
	int rc = 0;

	for (uint64_t i = 0, k = 0; rc == 0 && (i < na || k < nb);) {
		int order = i == na ? 1 : k == nb ? -1 : started_order(&a[i], &b[k]);

		if (order < 0)
			rc = start_take(walk, MOVED_WAITS, &a[i], NULL);
		else if (order > 0)
			rc = start_take(walk, MOVED_STARTS, NULL, &b[k]);
		else if (is_elsewhere(&a[i], &b[k]))
			rc = start_take(walk, MOVED_ELSEWHERE, &a[i], &b[k]);
		i += order <= 0;
		k += order >= 0;
	}
	qsort(walk->moves->starts, walk->moves->nstarts, sizeof(*walk->moves->starts), by_how);
	return rc;
}

int moves_starts(struct moves_walk *walk)
{
	uint64_t na, nb;
	struct begun_task *a = started_of(&walk->first->view, &na), *b = started_of(&walk->second->view, &nb);
	int rc = -ENOMEM;

	if (a && b && (walk->moves->starts = malloc((na + nb + 1) * sizeof(*walk->moves->starts))))
		rc = starts_merge(walk, a, na, b, nb);
	free(a);
	free(b);
	return rc;
}
