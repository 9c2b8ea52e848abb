/* SPDX-License-Identifier: Apache-2.0 */
/* Finished tasks, from their end until they are removed from the qmaster. */
#include <errno.h>

#include "conf/base/columns.h"
#include "sched/process/log.h"
#include "sched/qmaster/gridengine/usage_inside.h"
#include "sched/run/booking.h"

/* Return the number of a finished task, NONE if not found. */
static uint32_t usage_end_find(const struct usage_book *book, uint32_t job_number, uint32_t task)
{
	return pool_find(&book->end_names, &(struct task_name){ job_number, task });
}

static uint32_t end_get(struct usage_book *book, uint32_t job_number, uint32_t task)
{
	const struct task_name name = { job_number, task };
	uint32_t job = usage_job_get(book, job_number), end = pool_find(&book->end_names, &name);

	if (end != NONE || job == NONE)
		return job == NONE ? NONE : end;
	if (pool_reserve(&book->end_names))
		return NONE;
	if (array_reserve(&book->ends_capacity, book->end_names.capacity, COLUMN(book->ends)))
		return NONE;
	end = pool_hold(&book->end_names, &name, &(bool){ false });
	book->ends[end] = (struct usage_end){ .objects = { NONE, NONE }, .next = book->jobs[job].ends };
	book->jobs[job].ends = end;
	return end;
}

void usage_end_drop(struct usage_book *book, uint32_t end)
{
	const struct task_name *name = pool_key(&book->end_names, end);
	uint32_t *at = &book->jobs[usage_job_find(book, name->job_number)].ends;

	while (*at != end)
		at = &book->ends[*at].next;
	*at = book->ends[end].next;
	usage_free(&book->ends[end].usage);
	pool_drop(&book->end_names, end);
}

int usage_finished(struct sge *sge, uint32_t job_number, uint32_t task, bool booking)
{
	struct usage_book *book = usage_book(sge);
	uint32_t end = end_get(book, job_number, task);

	if (end == NONE)
		return -ENOMEM;
	book->ends[end].update = book->updates + mirror_in_snapshot(usage_mirror(sge));
	if (!booking) {
		book->ends[end].booked = book->ends[end].safe = book->ends[end].reckoned = true;
		book->look = true;
	}
	return 0;
}

void usage_removed(struct sge *sge, uint32_t job_number, uint32_t task)
{
	struct usage_book *book = usage_book(sge);
	uint32_t job = usage_job_find(book, job_number), next;

	for (uint32_t e = job == NONE ? NONE : book->jobs[job].ends; e != NONE; e = next) {
		next = book->ends[e].next;
		if (task == 0 || ((const struct task_name *)pool_key(&book->end_names, e))->task == task)
			usage_end_drop(book, e);
	}
	book->look = true;
}

bool usage_booked(const struct sge *sge, uint32_t job_number, uint32_t task)
{
	const struct usage_book *book = usage_book(sge);
	uint32_t end = usage_end_find(book, job_number, task);

	return end != NONE && book->ends[end].booked;
}

/* Bookings of a run */

static int booked_copy(struct mirror *mirror, struct usage *to, const struct ended_task *task)
{
	bool has_finished = false;
	uint32_t finished_jobs = mirror_usage_name(mirror, "finished_jobs");

	for (size_t i = 0; i < task->usage.n; i++) {
		uint32_t name = task->usage.items[i].name;

		has_finished |= name == finished_jobs;
		if (booking_names(mirror_usage_text(mirror, name)) && usage_add(to, name, task->usage.items[i].value))
			return -ENOMEM;
	}
	return has_finished ? 0 : usage_add(to, finished_jobs, 1.0);
}

/*
 * Note that a run has booked a task. Without memory the entry is incomplete, which only matters if
 * this process dies now.
 */
static void end_booked(struct sge *sge, const struct ended_task *task)
{
	struct usage_book *book = usage_book(sge);
	struct mirror *mirror = usage_mirror(sge);
	uint32_t end = task->ending == TASK_FINISHED ? usage_end_find(book, task->number, task->id) : NONE;
	struct usage_end *usage_end = end == NONE ? NULL : &book->ends[end];
	struct usage_job *job;

	if (!usage_end || usage_end->booked)
		return;
	usage_end->booked = true;
	job = &book->jobs[usage_job_find(book, task->number)];
	for (uint32_t k = 0; k < USAGE_KINDS; k++) {
		uint32_t sharer = mirror_class_sharers(mirror, task->class_id)[k];

		usage_end->objects[k] = sharer == TICKETS_NONE ? NONE : sharer;
	}
	pool_hold(&book->ended,
		  &(struct usage_sharers){ usage_end->objects[SHARER_USER], usage_end->objects[SHARER_PROJECT] },
		  &(bool){ false });
	job->kind = usage_end->objects[SHARER_USER] != NONE ? SHARER_USER : SHARER_PROJECT;
	job->object = usage_end->objects[job->kind];
	job->project = job->kind == SHARER_USER ? usage_end->objects[SHARER_PROJECT] : NONE;
	if (booked_copy(mirror, &usage_end->usage, task))
		log_line(LOG_FAILURE, "out of memory for the booked usage of task %u of job %u", task->id,
			 task->number);
}

static void watch_ends(void *context, const struct ended_task *tasks, size_t n)
{
	for (size_t i = 0; i < n; i++)
		end_booked(context, &tasks[i]);
}

/* The book */

int usage_open(struct sge *sge, struct error *error)
{
	const struct ends_watch watch = { sge, watch_ends };
	struct usage_book *book = usage_book(sge);

	(void)error;
	pool_create(&book->job_numbers, sizeof(uint32_t));
	pool_create(&book->end_names, sizeof(struct task_name));
	pool_create(&book->ended, sizeof(struct usage_sharers));
	sched_watch_ends(sge->sched, &watch);
	return 0;
}

void usage_close(struct sge *sge)
{
	struct usage_book *book = usage_book(sge);

	sched_watch_ends(sge->sched, NULL);
	pool_each(i, &book->end_names)
		usage_free(&book->ends[i].usage);
	pool_destroy(&book->job_numbers);
	pool_destroy(&book->end_names);
	pool_destroy(&book->ended);
	free(book->jobs);
	free(book->ends);
	for (uint32_t k = 0; k < USAGE_KINDS; k++)
		free(book->given[k]);
	*book = (struct usage_book){ 0 };
}
