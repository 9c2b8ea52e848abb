/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events that say where a scheduler goes on that another one has left off: what a qmaster does not
 * know, since the scheduler has made it itself. fairlead-dump(1) tells them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/mirror/tables.h"

static int find_task(struct mirror *m, const struct task_event *event, struct task **task, struct error *error)
{
	struct state *s = mirror_target(m);
	uint32_t row = jobs_find(&s->jobs, event->job_number), t = row == INDEX_NONE ? NONE : tasks_find(s, row, event->task);

	if (t == NONE)
		return error_set(error, -ENOENT, "task %u of job %u is not started", event->task, event->job_number);
	*task = &s->tasks.items[t];
	return 0;
}

/* In place of what it requests itself, which is as in its request otherwise. */
int mirror_job_allocated(struct mirror *m, const struct job_spec *spec, struct error *error)
{
	const struct request_allocated *a = &spec->slurm.allocated;
	const struct job_spec changes = { .complete = true, .slurm = { .given = SLURM_PARTITION | SLURM_TRES | SLURM_CPUS,
								       .partition = a->partition, .tres = a->tres, .cpus = a->cpus } };
	struct state *s = mirror_target(m);
	uint32_t row = jobs_find(&s->jobs, spec->job_number), id;
	int rc = 0;

	if (jobs_reserve_row(&s->jobs, row) || !jobs_extra(&s->jobs, row))
		return error_set(error, -ENOMEM, "out of memory");
	if (a->none)
		id = NONE;
	else
		rc = request_changed(m, &changes, job_fact(&s->jobs, row, class_id), job_fact(&s->jobs, row, category), &id, error);
	if (rc)
		return rc;
	id = slurm_set_allocation(&s->jobs, row, id);
	if (id != NONE)
		requests_drop(&m->requests, id);
	return 0;
}

int mirror_task_limited(struct mirror *m, const struct task_event *event, struct error *error)
{
	struct task *t;
	int rc = find_task(m, event, &t, error);

	if (rc == 0)
		t->wallclock_limit = event->wallclock_limit;
	return rc;
}

int mirror_task_charged(struct mirror *m, const struct task_event *event, struct error *error)
{
	struct task *t;
	int rc = find_task(m, event, &t, error);

	if (rc)
		return rc;
	t->charged = (struct charged){ event->charged_from, event->charged_until };
	t->asked = t->settled = event->booked;
	return 0;
}

int mirror_task_values(struct mirror *m, const struct task_event *event, struct error *error)
{
	const struct task_values *v = event->values;
	struct task *t;
	int rc = find_task(m, event, &t, error);

	if (rc)
		return rc;
	t->kept = v->kept;
	t->otickets = v->otickets;
	t->ftickets = v->ftickets;
	t->stickets = v->stickets;
	return 0;
}

int mirror_automatic_user(struct mirror *m, const struct object_usage *user, struct error *error)
{
	uint32_t id = objects_add(&m->objects[SHARER_USER], m->strings, user->name);

	if (id == UINT32_MAX)
		return error_set(error, -ENOMEM, "out of memory");
	if (!m->objects[SHARER_USER].items[id].exists)	/* else the cell has it */
		classes_make_user(&m->classes, id, user->oticket, user->fshare);
	return 0;
}

void mirror_instance_place(struct mirror *m, const struct instance_event *event)
{
	struct state *s = mirror_target(m);
	uint32_t i = index_find(&s->instance_index, s->instance_names, strings_find(m->strings, event->queue));

	if (event->place != UINT64_MAX)
		s->instances[i].place = event->place;
	if (event->place != UINT64_MAX && event->place > s->places)
		s->places = event->place;
	if (event->suspend_checked)
		s->instances[i].suspend_checked = event->suspend_checked;
}

int mirror_pe_place(struct mirror *m, const struct pe_event *event, struct error *error)
{
	return used_pe_set(mirror_target(m), m->strings, event->pe, event->place) ? error_set(error, -ENOMEM, "out of memory") : 0;
}

void mirror_association_values(struct mirror *m, const struct association_event *event)
{
	struct state *s = mirror_target(m);
	struct told_usage *told = &s->told_usage[s->ntold_usage - 1];

	told->has_values = true;
	told->values = *event->values;
}

static int check_debited(const struct debited_event *event, struct error *error)
{
	int rc = mirror_check_usage(&event->usage, error);

	for (size_t i = 0; rc == 0 && i < event->ntasks; i++)
		rc = mirror_check_usage(&event->tasks[i].usage, error);
	return rc;
}

static int debited_fill(struct mirror *m, struct debited *d, const struct debited_event *event)
{
	if (usage_from(&d->usage, &m->usage_names, m->strings, &event->usage))
		return -ENOMEM;
	for (size_t i = 0; i < event->ntasks; i++) {
		struct debited_task *t = debited_get_task(d, event->tasks[i].task, event->tasks[i].start_time);

		if (!t || usage_from(&t->usage, &m->usage_names, m->strings, &event->tasks[i].usage))
			return -ENOMEM;
	}
	return 0;
}

int mirror_debited_usage(struct mirror *m, const struct debited_event *event, struct error *error)
{
	struct debited new = { .told = m->tellings, .known = true, .submission_time = event->submission_time };
	int rc = check_debited(event, error);
	struct debited *d;

	if (rc)
		return rc;
	d = debited_fill(m, &new, event) ? NULL : debited_add(mirror_target(m), event->job_number);
	if (!d) {
		debited_free(&new);
		return error_set(error, -ENOMEM, "out of memory");
	}
	debited_free(d);
	*d = new;
	m->accounts++;
	return 0;
}

int mirror_scheduler_state(struct mirror *m, const struct scheduler_event *event, struct error *error)
{
	uint32_t *removed = malloc((event->nremoved + 1) * sizeof(*removed));

	if (!removed)
		return error_set(error, -ENOMEM, "out of memory");
	if (event->nremoved > 0)
		memcpy(removed, event->removed, event->nremoved * sizeof(*removed));
	mirror_resumed(m);
	m->resume = (struct resume){ .given = true, .from = *event };
	m->resume.from.removed = m->resume.removed = removed;
	return 0;
}

void mirror_resumed(struct mirror *m)
{
	told_accounts_free(m);
	free(m->resume.removed);
	m->resume = (struct resume){ 0 };
}
