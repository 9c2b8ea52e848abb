/* SPDX-License-Identifier: Apache-2.0 */
/* Finished tasks, from their end until they are removed from the qmaster. */
#include <errno.h>

#include "conf/array.h"
#include "sched/process/log.h"
#include "sched/qmaster/gridengine/usage_inside.h"
#include "sched/run/booking.h"

uint32_t usage_end_find(const struct usage_book *b, uint32_t job_number, uint32_t task)
{
	return pool_find(&b->end_names, &(struct task_name){ job_number, task });
}

static uint32_t end_get(struct usage_book *b, uint32_t job_number, uint32_t task)
{
	const struct task_name name = { job_number, task };
	uint32_t job = usage_job_get(b, job_number), end = pool_find(&b->end_names, &name);

	if (end != NONE || job == NONE)
		return job == NONE ? NONE : end;
	if (pool_reserve(&b->end_names))
		return NONE;
	if (b->end_names.capacity > b->ends_capacity) {
		if (array_grow(&b->ends, b->end_names.capacity, sizeof(*b->ends)))
			return NONE;
		b->ends_capacity = b->end_names.capacity;
	}
	end = pool_hold(&b->end_names, &name, &(bool){ false });
	b->ends[end] = (struct usage_end){ .objects = { NONE, NONE }, .next = b->jobs[job].ends };
	b->jobs[job].ends = end;
	return end;
}

void usage_end_drop(struct usage_book *b, uint32_t end)
{
	const struct task_name *name = pool_key(&b->end_names, end);
	uint32_t *at = &b->jobs[usage_job_find(b, name->job_number)].ends;

	while (*at != end)
		at = &b->ends[*at].next;
	*at = b->ends[end].next;
	usage_free(&b->ends[end].usage);
	pool_drop(&b->end_names, end);
}

int usage_finished(struct sge *g, uint32_t job_number, uint32_t task, bool booking)
{
	struct usage_book *b = usage_book(g);
	uint32_t end = end_get(b, job_number, task);

	if (end == NONE)
		return -ENOMEM;
	b->ends[end].update = b->updates + mirror_in_snapshot(usage_mirror(g));
	if (!booking) {
		b->ends[end].booked = b->ends[end].safe = b->ends[end].reckoned = true;
		b->look = true;
	}
	return 0;
}

void usage_removed(struct sge *g, uint32_t job_number, uint32_t task)
{
	struct usage_book *b = usage_book(g);
	uint32_t job = usage_job_find(b, job_number), next;

	for (uint32_t e = job == NONE ? NONE : b->jobs[job].ends; e != NONE; e = next) {
		next = b->ends[e].next;
		if (task == 0 || ((const struct task_name *)pool_key(&b->end_names, e))->task == task)
			usage_end_drop(b, e);
	}
	b->look = true;
}

bool usage_booked(const struct sge *g, uint32_t job_number, uint32_t task)
{
	const struct usage_book *b = usage_book(g);
	uint32_t end = usage_end_find(b, job_number, task);

	return end != NONE && b->ends[end].booked;
}

/* Booked by a run */

static int booked_copy(const struct mirror *m, struct usage *to, const struct ended_task *t)
{
	bool has_finished = false;
	uint32_t finished_jobs = usage_name((struct usage_names *)&m->usage_names, m->strings, "finished_jobs");

	for (size_t i = 0; i < t->usage.n; i++) {
		uint32_t name = t->usage.items[i].name;

		has_finished |= name == finished_jobs;
		if (booking_names(strings_text(m->strings, m->usage_names.strings[name])) && usage_add(to, name, t->usage.items[i].value))
			return -ENOMEM;
	}
	return has_finished ? 0 : usage_add(to, finished_jobs, 1.0);
}

/* Without memory the list of what was booked lacks it, which matters only if we die now. */
static void end_booked(struct sge *g, const struct ended_task *t)
{
	struct usage_book *b = usage_book(g);
	const struct mirror *m = usage_mirror(g);
	uint32_t end = t->ending == TASK_FINISHED ? usage_end_find(b, t->number, t->id) : NONE;
	struct usage_end *e = end == NONE ? NULL : &b->ends[end];
	struct usage_job *j;

	if (!e || e->booked)
		return;
	e->booked = true;
	j = &b->jobs[usage_job_find(b, t->number)];
	for (uint32_t k = 0; k < USAGE_KINDS; k++) {
		uint32_t sharer = m->classes.items[t->class_id].sharer[k];

		e->objects[k] = sharer == TICKETS_NONE ? NONE : sharer;
	}
	pool_hold(&b->ended, &(struct usage_sharers){ e->objects[SHARER_USER], e->objects[SHARER_PROJECT] }, &(bool){ false });
	j->kind = e->objects[SHARER_USER] != NONE ? SHARER_USER : SHARER_PROJECT;
	j->object = e->objects[j->kind];
	j->project = j->kind == SHARER_USER ? e->objects[SHARER_PROJECT] : NONE;
	if (booked_copy(m, &e->usage, t))
		log_line(LOG_FAILURE, "no memory to keep what was booked of task %u of job %u", t->id, t->number);
}

static void watch_ends(void *context, const struct ended_task *tasks, size_t n)
{
	for (size_t i = 0; i < n; i++)
		end_booked(context, &tasks[i]);
}

/* The book */

int usage_open(struct sge *g, struct error *error)
{
	const struct ends_watch watch = { g, watch_ends };
	struct usage_book *b = usage_book(g);

	(void)error;
	pool_create(&b->job_numbers, sizeof(uint32_t));
	pool_create(&b->end_names, sizeof(struct task_name));
	pool_create(&b->ended, sizeof(struct usage_sharers));
	sched_watch_ends(g->sched, &watch);
	return 0;
}

void usage_close(struct sge *g)
{
	struct usage_book *b = usage_book(g);

	sched_watch_ends(g->sched, NULL);
	pool_each(i, &b->end_names)
		usage_free(&b->ends[i].usage);
	pool_destroy(&b->job_numbers);
	pool_destroy(&b->end_names);
	pool_destroy(&b->ended);
	free(b->jobs);
	free(b->ends);
	for (uint32_t k = 0; k < USAGE_KINDS; k++)
		free(b->given[k]);
	*b = (struct usage_book){ 0 };
}
