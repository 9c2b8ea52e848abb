/* SPDX-License-Identifier: Apache-2.0 */
/* Events about started tasks and their usage. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/mirror/inside.h"

static int find_job(const struct state *state, uint32_t number, uint32_t *row, struct error *error)
{
	*row = jobs_find(&state->jobs, number);
	return *row == INDEX_NONE ? error_set(error, -ENOENT, "there is no job %u", number) : 0;
}

static int find_task(const struct state *state, uint32_t number, uint32_t id, uint32_t *task, struct error *error)
{
	uint32_t row;
	int rc = find_job(state, number, &row, error);

	if (rc != 0)
		return rc;
	*task = tasks_find(state, row, id);
	return *task == NONE ? error_set(error, -ENOENT, "task %u of job %u is not started", id, number) : 0;
}

/* task_start, and ordered starts */

static bool is_waiting(const struct jobs *jobs, uint32_t row, uint32_t id)
{
	const struct job_extra *extra = jobs_find_extra(jobs, row);

	if (extra && extra->is_array)
		return ranges_contain(&extra->waiting, id);
	return id == 1 && jobs->kind[row] & JOB_PENDING;
}

/*
 * Copy the sets of enrolled and failed task ids, with `id` added or removed. The caller swaps them
 * in when nothing can fail any more.
 */
static int enrolled_copy(const struct job_extra *extra, uint32_t id, bool with, struct ranges copies[2])
{
	int rc = ranges_copy(&copies[0], &extra->sets[TASK_ENROLLED]);

	if (rc == 0)
		rc = ranges_copy(&copies[1], &extra->sets[TASK_ERROR]);
	if (rc == 0)
		rc = with ? ranges_add(&copies[0], id) : ranges_remove(&copies[0], id);
	if (rc == 0 && !with && ranges_contain(&copies[1], id))
		rc = ranges_remove(&copies[1], id);
	return rc;
}

/* Activate the copies if rc is 0, and free the sets that are not active. */
static int enrolled_change(struct job_extra *extra, struct ranges copies[2], int rc)
{
	struct ranges old[2] = { extra->sets[TASK_ENROLLED], extra->sets[TASK_ERROR] };

	if (rc == 0) {
		extra->sets[TASK_ENROLLED] = copies[0];
		extra->sets[TASK_ERROR] = copies[1];
	}
	ranges_free(rc == 0 ? &old[0] : &copies[0]);
	ranges_free(rc == 0 ? &old[1] : &copies[1]);
	return rc;
}

/*
 * Remove an id from the pending ids and return in `enrolled` whether it was enrolled. -ENOMEM
 * changes nothing.
 */
static int stop_waiting(struct jobs *jobs, uint32_t row, uint32_t id, bool *enrolled)
{
	struct job_extra *extra = jobs_find_extra(jobs, row);
	struct ranges copies[2] = { 0 };
	int rc = 0;

	*enrolled = extra && ranges_contain(&extra->sets[TASK_ENROLLED], id);
	if (*enrolled)
		rc = enrolled_copy(extra, id, false, copies);
	if (rc == 0 && extra && extra->is_array)
		rc = ranges_remove(&extra->waiting, id);
	if (*enrolled)
		rc = enrolled_change(extra, copies, rc);
	if (rc == 0 && !(extra && extra->is_array && extra->waiting.n > 0))
		jobs->kind[row] &= (uint16_t)~JOB_PENDING;
	return rc;
}

static int wait_again(struct jobs *jobs, uint32_t row, uint32_t id, bool enrolled)
{
	struct job_extra *extra = jobs_find_extra(jobs, row);
	struct ranges copies[2] = { 0 };
	int rc = 0;

	enrolled = enrolled && extra && extra->is_array;
	if (enrolled)
		rc = enrolled_copy(extra, id, true, copies);
	if (rc == 0 && extra && extra->is_array)
		rc = ranges_add(&extra->waiting, id);
	if (enrolled)
		rc = enrolled_change(extra, copies, rc);
	if (rc == 0)
		jobs->kind[row] |= JOB_PENDING;
	return rc;
}

/* Hold the granted slots. -ENOMEM: only a part is held. Call task_drop_granted() in any case. */
static int granted_hold(struct mirror *mirror, struct task *task, const struct granted *granted, size_t n,
			const char *pe)
{
	uint64_t slots = 0;

	task->granted = calloc(n + 1, sizeof(*task->granted));
	for (; task->granted && task->ngranted < n; task->ngranted++) {
		struct granted_entry *entry = &task->granted[task->ngranted];

		entry->queue = strings_hold(mirror->strings, granted[task->ngranted].queue);
		entry->slots = granted[task->ngranted].slots;
		if (entry->queue == NONE)
			return -ENOMEM;
		slots += entry->slots;
	}
	task->slots = slots > UINT32_MAX ? UINT32_MAX : (uint32_t)slots;
	task->granted_pe = pe && *pe ? strings_hold(mirror->strings, pe) : NONE;
	return !task->granted || (pe && *pe && task->granted_pe == NONE) ? -ENOMEM : 0;
}

/* Hold the allocated resources, with the results of granted_hold(). */
static int allocated_hold(struct mirror *mirror, struct task *task, const struct allocated *allocated)
{
	if (allocated && allocated->partition && *allocated->partition) {
		task->partition = strings_hold(mirror->strings, allocated->partition);
		if (task->partition == NONE)
			return -ENOMEM;
	}
	if (allocated && allocated->tres && *allocated->tres) {
		task->tres = strings_hold(mirror->strings, allocated->tres);
		if (task->tres == NONE)
			return -ENOMEM;
	}
	return 0;
}

/* Move a task from the pending to the started tasks. -ENOMEM changes nothing. */
static int insert(struct mirror *mirror, struct state *state, uint32_t row, uint32_t id, uint32_t *task)
{
	*task = tasks_insert(state, row, id);
	if (*task == NONE)
		return -ENOMEM;
	if (stop_waiting(&state->jobs, row, id, &state->tasks.items[*task].enrolled)) {
		tasks_remove(state, *task, mirror->strings);
		return -ENOMEM;
	}
	return 0;
}

/*
 * Start a pending task (`task` NONE), or confirm one with an ordered start. Time, state, order and
 * granted slots are taken from `start`.
 */
static int begin(struct mirror *mirror, struct state *state, uint32_t row, uint32_t id, uint32_t task,
		 const struct task *start, const struct granted *granted, size_t ngranted, const char *granted_pe,
		 const struct allocated *allocated)
{
	struct task new = *start, *t;

	new.granted_pe = new.partition = new.tres = NONE;
	if (allocated_hold(mirror, &new, allocated) || granted_hold(mirror, &new, granted, ngranted, granted_pe) ||
	    (task == NONE && insert(mirror, state, row, id, &task))) {
		task_drop_granted(&new, mirror->strings);
		return -ENOMEM;
	}
	t = &state->tasks.items[task];
	task_drop_granted(t, mirror->strings);
	t->granted = new.granted;
	t->ngranted = new.ngranted;
	t->granted_pe = new.granted_pe;
	t->partition = new.partition;
	t->tres = new.tres;
	t->slots = new.slots;
	t->begun = ++mirror->begun;
	t->booked.accounts = 0;
	t->start_time = new.start_time;
	t->wallclock_limit = 0;
	t->order = new.order;
	t->suspended = false;
	memcpy(t->state, new.state, sizeof(t->state));
	task_touch_places(state, t, mirror->strings);
	return 0;
}

/* Check a start. `task` is NONE, or a task with an ordered start. */
static int check_start(const struct state *state, uint32_t row, uint32_t id, uint32_t task, size_t ngranted,
		       struct error *error)
{
	if (ngranted == 0)
		return error_set(error, -EINVAL, "\"granted\" is empty");
	if (task == NONE && !is_waiting(&state->jobs, row, id))
		return error_set(error, tasks_find(state, row, id) == NONE ? -ENOENT : -EEXIST,
				 "job %u has no task %u that could be started", job_fact(&state->jobs, row, number),
				 id);
	return 0;
}

static uint32_t find_ordered(const struct state *state, uint32_t row, uint32_t id)
{
	uint32_t task = tasks_find(state, row, id);

	return task != NONE && state->tasks.items[task].order ? task : NONE;
}

static void allocation_drop(struct mirror *mirror, uint32_t id)
{
	if (id != NONE)
		requests_drop(&mirror->requests, id);
}

int mirror_task_start(struct mirror *mirror, uint32_t job_number, uint32_t id, int64_t start_time,
		      const struct granted *granted, size_t ngranted, const char *granted_pe,
		      const struct allocated *allocated, struct error *error)
{
	const struct task start = { .state = "r", .start_time = start_time };
	struct state *state = mirror_target(mirror);
	uint32_t row, ordered, allocation;
	int rc = find_job(state, job_number, &row, error);

	if (rc != 0)
		return rc;
	ordered = find_ordered(state, row, id);
	rc = check_start(state, row, id, ordered, ngranted, error);
	if (rc == 0 && allocated)
		rc = slurm_check_tres(mirror, allocated->tres, error);
	if (rc == 0)
		rc = slurm_allocation(mirror, state, row, allocated, &allocation, error);
	if (rc != 0)
		return rc;
	if (jobs_reserve_move(&state->jobs) ||
	    begin(mirror, state, row, id, ordered, &start, granted, ngranted, granted_pe, allocated)) {
		allocation_drop(mirror, allocation);
		return error_set(error, -ENOMEM, "out of memory for task %u of job %u", id, job_number);
	}
	allocation_drop(mirror, slurm_set_allocation(&state->jobs, row, allocation));
	return jobs_move_to_end(&state->jobs, row);		/* memory is reserved */
}

int mirror_task_unseen(struct mirror *mirror, uint32_t job_number, uint32_t id, int64_t start_time, struct error *error)
{
	const struct task start = { .state = "r", .start_time = start_time };
	struct state *state = mirror_target(mirror);
	uint32_t row, task;
	int rc = find_job(state, job_number, &row, error);

	if (rc != 0)
		return rc;
	task = tasks_find(state, row, id);
	if (task != NONE && state->tasks.items[task].order == 0)
		return 0;
	rc = check_start(state, row, id, task, 1, error);
	if (rc == 0 && begin(mirror, state, row, id, task, &start, NULL, 0, NULL, NULL))
		rc = error_set(error, -ENOMEM, "out of memory for task %u of job %u", id, job_number);
	return rc;
}

int mirror_order_start(struct mirror *mirror, uint32_t job_number, uint32_t id, int64_t start_time,
		       const struct granted *granted, size_t ngranted, const char *granted_pe, uint64_t order,
		       struct error *error)
{
	const struct task start = { .state = "t", .start_time = start_time, .order = order };
	struct state *state = mirror->state;
	uint32_t row;
	int rc = find_job(state, job_number, &row, error);

	if (rc == 0 && order == 0)
		rc = error_set(error, -EINVAL, "the number of the order is 0");
	if (rc == 0)
		rc = check_start(state, row, id, NONE, ngranted, error);
	if (rc == 0 && begin(mirror, state, row, id, NONE, &start, granted, ngranted, granted_pe, NULL))
		rc = error_set(error, -ENOMEM, "out of memory for task %u of job %u", id, job_number);
	return rc;
}

int mirror_order_void(struct mirror *mirror, uint32_t job_number, uint32_t id, uint64_t order, struct error *error)
{
	struct state *state = mirror->state;
	uint32_t row = jobs_find(&state->jobs, job_number),
		 task = row == INDEX_NONE ? NONE : find_ordered(state, row, id);

	if (task == NONE || state->tasks.items[task].order != order)
		return error_set(error, -ENOENT, "task %u of job %u does not wait for order %llu", id, job_number,
				 (unsigned long long)order);
	if (wait_again(&state->jobs, row, id, state->tasks.items[task].enrolled))
		return error_set(error, -ENOMEM, "out of memory");
	tasks_remove(state, task, mirror->strings);
	return 0;
}

/* task_state */

int mirror_task_state(struct mirror *mirror, uint32_t job_number, uint32_t id, const char *state, struct error *error)
{
	struct state *s = mirror_target(mirror);
	uint32_t task;
	struct task *t;
	int rc = find_task(s, job_number, id, &task, error);

	if (rc != 0)
		return rc;
	if (*state == '\0' || strlen(state) >= sizeof(t->state) || state[strspn(state, "hrtsST")] != '\0')
		return error_set(error, -EINVAL, "\"state\" is \"%.20s\": allowed are the letters h r t s S T", state);
	t = &s->tasks.items[task];
	strcpy(t->state, state);
	t->suspended = strpbrk(state, "sST") != NULL;
	return 0;
}

/* Usage */

int task_keep_usage(struct task *task, const struct usage *before)
{
	for (size_t i = 0; i < before->n; i++)
		if (usage_raise(&task->usage, before->items[i].name, before->items[i].value) < 0)
			return -ENOMEM;
	return 0;
}

/*
 * Replace a task's usage in the reported order, keeping the greatest value reported for each name.
 */
static int task_usage(struct mirror *mirror, struct task *task, const struct usage_values *usage, struct error *error)
{
	struct task new = { 0 };
	int rc = mirror_check_usage(usage, error);

	if (rc == 0 && (usage_from(&new.usage, &mirror->usage_names, mirror->strings, usage) ||
			task_keep_usage(&new, &task->usage))) {
		usage_free(&new.usage);
		rc = error_set(error, -ENOMEM, "out of memory");
	}
	if (rc != 0)
		return rc;
	usage_free(&task->usage);
	task->usage = new.usage;
	task->booked.accounts = 0;
	task->has_usage = true;
	return 0;
}

int mirror_usage(struct mirror *mirror, uint32_t job_number, uint32_t id, const struct usage_values *usage,
		 struct error *error)
{
	struct state *state = mirror_target(mirror);
	uint32_t task;
	int rc = find_task(state, job_number, id, &task, error);

	return rc != 0 ? rc : task_usage(mirror, &state->tasks.items[task], usage, error);
}

/* task_finish, task_requeue */

/* Return whether a job without pending and started tasks stays known. */
static bool job_stay(struct jobs *jobs, uint32_t row)
{
	struct job_extra *extra = jobs_find_extra(jobs, row);

	if (!extra || !extra->stays)
		return false;
	extra->is_array = true;
	jobs->kind[row] |= JOB_ARRAY;
	return true;
}

int mirror_task_finish(struct mirror *mirror, uint32_t job_number, uint32_t id, int64_t end_time,
		       const struct usage_values *usage, struct error *error)
{
	struct state *state = mirror_target(mirror);
	struct ended_task *ended;
	uint32_t task, row;
	int rc = find_task(state, job_number, id, &task, error);

	if (rc == 0 && state_reserve_ended(state, 1))
		rc = error_set(error, -ENOMEM, "out of memory");
	if (rc == 0 && usage)
		rc = task_usage(mirror, &state->tasks.items[task], usage, error);
	if (rc != 0)
		return rc;
	row = state->tasks.items[task].row;
	ended = state_end_task(mirror, state, task, TASK_FINISHED);
	ended->end_time = end_time;
	if (state->jobs.first_task[row] != NONE || state->jobs.kind[row] & JOB_PENDING)
		return 0;
	ended->closes = !job_stay(&state->jobs, row);
	if (ended->closes)
		state_remove_job(mirror, state, row);
	return 0;
}

static int requeue(struct mirror *mirror, uint32_t job_number, uint32_t id, enum vacated_how how, struct error *error)
{
	struct state *state = mirror_target(mirror);
	uint32_t task;
	int rc = find_task(state, job_number, id, &task, error);

	if (rc != 0)
		return rc;
	if (state_reserve_ended(state, 1) || wait_again(&state->jobs, state->tasks.items[task].row, id, true))
		return error_set(error, -ENOMEM, "out of memory");
	state_end_task(mirror, state, task, TASK_REQUEUED)->vacated = how;
	return 0;
}

int mirror_task_requeue(struct mirror *mirror, uint32_t job_number, uint32_t id, struct error *error)
{
	return requeue(mirror, job_number, id, VACATED_UNSAID, error);
}

int mirror_vacated(struct mirror *mirror, const struct vacated_event *event, struct error *error)
{
	return requeue(mirror, event->job_number, event->task, event->how, error);
}
