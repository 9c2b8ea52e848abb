/* SPDX-License-Identifier: Apache-2.0 */
/* Publication of started tasks and of the usage of users, projects and departments. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/run/account.h"
#include "sched/run/publication.h"

/* usage names that readers see; INDEX_NONE: no usage of this name */
struct shown_usage {
	uint32_t cpu, mem, io;
};

/* Started tasks */

static uint32_t usage_id(const struct run *run, const char *name)
{
	uint32_t string = strings_find(run->strings, name);

	return string == NONE
		       ? INDEX_NONE
		       : index_find(&run->mirror->usage_names.by_string, run->mirror->usage_names.strings, string);
}

static double usage_of(const struct usage *usage, uint32_t id)
{
	return id == INDEX_NONE ? 0.0 : usage_get(usage, id);
}

/* Return whether a started task would be held if it became pending. */
static bool is_held(const struct run *run, const struct task *task, struct job_extra *extra)
{
	for (int kind = 0; kind < HOLD_KINDS; kind++)
		if (ranges_contain(&extra->sets[kind], task->id))
			return true;
	return job_has_predecessor(&run->mirror->state->jobs, extra) ||
	       job_task_waits(run->mirror->state, extra, task->id);
}

/* Add a letter at the index `at` if there is room. */
static void letter_insert(char letters[8], size_t at, char letter)
{
	if (letters[6])
		return;
	memmove(letters + at + 1, letters + at, 7 - at);
	letters[at] = letter;
}

/*
 * Write the letters of a task: those that were reported, h for a held task and R for a restarted
 * one. R follows h, as in qstat. Return whether h was added.
 */
static bool letters_write(char letters[8], const struct run *run, const struct task *task)
{
	struct job_extra *extra = jobs_find_extra(&run->mirror->state->jobs, task->row);
	bool held;

	memcpy(letters, task->state, sizeof(task->state));
	if (!extra)
		return false;
	held = *letters != 'h' && is_held(run, task, extra);
	if (held)
		letter_insert(letters, 0, 'h');
	if (ranges_contain(&extra->sets[TASK_RESTARTED], task->id))
		letter_insert(letters, *letters == 'h', 'R');
	return held && *letters == 'h';
}

static struct task_record task_record_of(const struct run *run, const struct shown_usage *shown,
					 const struct task *task)
{
	struct task_record record = {
		.job_row = task->row,
		.number = job_fact(&run->mirror->state->jobs, task->row, number),
		.task = task->id,
		.slots = task->slots,
		.start_time = task->start_time,
		.queue = task->ngranted > 0 ? task->granted[0].queue : NONE,
		.granted_pe = task->granted_pe,
		.kept = NONE,
		.has_usage = task->has_usage,
		.cpu = usage_of(&task->usage, shown->cpu),
		.mem = usage_of(&task->usage, shown->mem),
		.io = usage_of(&task->usage, shown->io),
		.otickets = task->otickets,
		.ftickets = task->ftickets,
		.stickets = task->stickets,
	};

	record.added_hold = letters_write(record.state, run, task);
	return record;
}

static int by_number(const void *a, const void *b, void *context)
{
	const struct jobs *jobs = context;
	uint32_t x = job_fact(jobs, *(const uint32_t *)a, number), y = job_fact(jobs, *(const uint32_t *)b, number);

	return x < y ? -1 : x > y;
}

static int publish_tasks(struct generation_writer *writer, struct run *run, const struct shown_usage *shown)
{
	struct state *state = run->mirror->state;
	struct row_list *rows = &run->started;
	struct task_record *records = records_table(writer, TABLE_TASKS, state->tasks.pool.used);
	struct kept_record *kept;
	size_t n = 0, nkept = 0;

	pool_each(i, &state->tasks.pool)
		nkept += state->tasks.items[i].suspended;
	kept = records_table(writer, TABLE_KEPT, nkept);
	if (!records || !kept)
		return -ENOMEM;
	if (rows->n > 1)
		qsort_r(rows->rows, rows->n, sizeof(*rows->rows), by_number, &state->jobs);
	nkept = 0;
	for (size_t i = 0; i < rows->n; i++)
		for (uint32_t t = state->jobs.first_task[rows->rows[i]]; t != NONE; t = state->tasks.items[t].next) {
			records[n] = task_record_of(run, shown, &state->tasks.items[t]);
			if (state->tasks.items[t].suspended) {
				kept[nkept] = state->tasks.items[t].kept;
				records[n].kept = (uint32_t)nkept++;
			}
			n++;
		}
	return 0;
}

/* Usage of users and projects */

static struct usage_record usage_record_of(const struct run *run, const struct shown_usage *shown,
					   const struct usage *usage, const struct usage *long_term, int64_t stamp)
{
	uint64_t clamped = 0;

	return (struct usage_record){
		.cpu = usage_of(usage, shown->cpu),
		.mem = usage_of(usage, shown->mem),
		.io = usage_of(usage, shown->io),
		.ltcpu = usage_of(long_term, shown->cpu),
		.ltmem = usage_of(long_term, shown->mem),
		.ltio = usage_of(long_term, shown->io),
		.combined = tickets_finite(usage_combine(usage, &run->account->weights), &clamped),
		.time_stamp = stamp,
	};
}

/*
 * Publish the objects of a kind by name. Names of removed objects that still have usage are not
 * published. Returns the number of records, or -ENOMEM.
 */
static int publish_sharers(struct generation_writer *writer, const struct run *run, const struct shown_usage *shown,
			   enum sharer_kind kind, enum table_id table)
{
	const struct objects *objects = &run->mirror->objects[kind];
	struct sharer_record *records;
	size_t n = 0;

	for (size_t i = 0; i < objects->n; i++)
		n += objects->items[i].exists;
	records = records_table(writer, table, n);
	if (!records)
		return -ENOMEM;
	n = 0;
	for (size_t i = 0; i < objects->n; i++) {
		const struct object *object = &objects->items[objects->sorted[i]];
		const struct sharer *sharer = &objects->sharers[objects->sorted[i]];

		if (object->exists)
			records[n++] = (struct sharer_record){ .name = object->name,
							       .oticket = sharer->oticket,
							       .fshare = sharer->fshare,
							       .running_tasks = sharer->running,
							       .usage = usage_record_of(run, shown, &object->usage,
											&object->long_term,
											object->time_stamp) };
	}
	return 0;
}

static int publish_project_usage(struct generation_writer *writer, const struct run *run,
				 const struct shown_usage *shown)
{
	const struct objects *objects = &run->mirror->objects[SHARER_USER];
	struct project_usage_record *records;
	size_t n = 0, user = 0;

	for (size_t i = 0; i < objects->n; i++)
		n += objects->items[i].exists ? objects->items[i].nprojects : 0;
	records = records_table(writer, TABLE_PROJECT_USAGE, n);
	if (!records)
		return -ENOMEM;
	n = 0;
	for (size_t i = 0; i < objects->n; i++) {
		const struct object *object = &objects->items[objects->sorted[i]];

		for (size_t p = 0; object->exists && p < object->nprojects; p++)
			records[n++] = (struct project_usage_record){
				.user = (uint32_t)user,
				.project = object->projects[p].project,
				.usage = usage_record_of(run, shown, &object->projects[p].usage,
							 &object->projects[p].long_term, object->time_stamp)
			};
		user += object->exists;
	}
	return 0;
}

int publish_usage(struct generation_writer *writer, struct run *run)
{
	const struct shown_usage shown = { usage_id(run, "cpu"), usage_id(run, "mem"), usage_id(run, "io") };

	if (publish_tasks(writer, run, &shown) || publish_sharers(writer, run, &shown, SHARER_USER, TABLE_USERS) ||
	    publish_sharers(writer, run, &shown, SHARER_PROJECT, TABLE_PROJECTS) ||
	    publish_sharers(writer, run, &shown, SHARER_DEPARTMENT, TABLE_DEPARTMENTS) ||
	    publish_project_usage(writer, run, &shown))
		return -ENOMEM;
	return 0;
}
