/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/gridengine/take_usage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/columns.h"
#include "sched/qmaster/gridengine/known.h"
#include "sched/qmaster/gridengine/take.h"

#define VALUES_MOST 64		/* names of a list that are used: 8.1.9 has 27 */
#define PE_TASKS_MOST 10000	/* limit for a task; usage of further ones is ignored */

struct pe_value {
	char *name;			/* owned */
	double value;
};

struct known_pe_task {			/* the first one, "", is the task itself */
	struct known_pe_task *next;
	char *name;			/* owned */
	struct pe_value *values;
	size_t n;
};

static void values_free(struct known_pe_task *task)
{
	for (size_t i = 0; i < task->n; i++)
		free(task->values[i].name);
	free(task->values);
	task->values = NULL;
	task->n = 0;
}

static void pe_task_free(struct known_pe_task *task)
{
	values_free(task);
	free(task->name);
	free(task);
}

void pe_tasks_free(struct known_pe_task *first)
{
	while (first) {
		struct known_pe_task *next = first->next;

		pe_task_free(first);
		first = next;
	}
}

/* Values */

/*
 * Return whether a name is a usage value that is booked. The final usage of a job also contains
 * values such as its submission and start times.
 */
static bool is_usage(const char *name)
{
	switch (*name) {
	case 'a':
		return strncmp(name, "acct_", 5) == 0;
	case 'c':
		return strcmp(name, "cpu") == 0;
	case 'i':
		return strcmp(name, "io") == 0 || strcmp(name, "iow") == 0;
	case 'm':
		return strcmp(name, "mem") == 0;
	case 'r':
		return strncmp(name, "ru_", 3) == 0;
	case 'v':
		return strcmp(name, "vmem") == 0;
	default:
		return false;
	}
}

static bool value_next(struct gdi_list *list, struct usage_value *to)
{
	struct gdi_element one;

	while (gdi_next(list, &one)) {
		to->name = gdi_text(&one, UA_name);
		to->value = gdi_double(&one, UA_value);
		if (is_usage(to->name) && to->value >= 0 && to->value <= TAKE_USAGE_MOST && said_is_name(to->name))
			return true;
	}
	return false;
}

/* Read values into scratch memory. */
static int values_read(struct take *take, struct gdi_list *list, struct usage_values *values, struct error *error)
{
	struct usage_value *items = take_space(take, (VALUES_MOST + 1) * sizeof(*items), error);

	*values = (struct usage_values){ items, 0 };
	if (!items)
		return -ENOMEM;
	while (values->n < VALUES_MOST && value_next(list, &items[values->n]))
		values->n++;
	return 0;
}

/* PE tasks */

static struct known_pe_task **pe_task_at(struct known_pe_task **first, const char *name, size_t *n)
{
	for (*n = 0; *first && strcmp((*first)->name, name) != 0; ++*n)
		first = &(*first)->next;
	return first;
}

/* Find a PE task, or create it without values. -EINVAL: there are too many. -ENOMEM. */
static int pe_task_get(struct known_task *task, const char *name, struct known_pe_task **found, struct error *error)
{
	size_t n;
	struct known_pe_task **at = pe_task_at(&task->pe_tasks, name, &n), *new = NULL;

	if (*at) {
		*found = *at;
		return 0;
	}
	if (n >= PE_TASKS_MOST)
		return error_set(error, -EINVAL, "task %u of job %u has more than %u PE tasks", task->id,
				 task->job_number, PE_TASKS_MOST);
	new = calloc(1, sizeof(*new));
	if (!new || !(new->name = strdup(name))) {
		free(new);
		return error_set(error, -ENOMEM, "out of memory");
	}
	*found = *at = new;
	return 0;
}

/* Replace the stored values. */
static int pe_task_keep(struct known_pe_task *task, const struct usage_values *values, struct error *error)
{
	struct known_pe_task new = { .values = calloc(values->n + 1, sizeof(*new.values)) };

	for (; new.values && new.n < values->n; new.n++) {
		new.values[new.n] = (struct pe_value){ strdup(values->items[new.n].name), values->items[new.n].value };
		if (!new.values[new.n].name)
			break;
	}
	if (!new.values || new.n < values->n) {
		values_free(&new);
		return error_set(error, -ENOMEM, "out of memory");
	}
	values_free(task);
	task->values = new.values;
	task->n = new.n;
	return 0;
}

static int keep(struct sge *sge, struct known_task *task, const char *name, const struct usage_values *values,
		struct error *error)
{
	struct take *take = sge->take;
	struct known_pe_task *known_pe_task = NULL;
	int rc = pe_task_get(task, name, &known_pe_task, error);

	if (rc)
		return rc;
	if (task->dirty)
		return pe_task_keep(known_pe_task, values, error);
	if (array_reserve(&take->dirty_capacity, take->ndirty + 1, COLUMN(take->dirty)))
		return error_set(error, -ENOMEM, "out of memory");
	take->dirty[take->ndirty++] = (struct task_name){ task->job_number, task->id };
	task->dirty = true;
	return pe_task_keep(known_pe_task, values, error);
}

/* Sums */

static void sum_add(struct usage_value *items, size_t *n, const char *name, double value)
{
	size_t i = 0;

	while (i < *n && strcmp(items[i].name, name) != 0)
		i++;
	if (i == VALUES_MOST)
		return;
	if (i == *n)
		items[(*n)++] = (struct usage_value){ name, 0.0 };
	items[i].value += value;
	if (items[i].value > TAKE_USAGE_MOST)
		items[i].value = TAKE_USAGE_MOST;
}

/* Sum up the usage. `own` NULL: use the stored usage. The names belong to the summed values. */
static int sum_all(struct take *take, const struct known_task *task, const struct usage_values *own,
		   struct usage_values *all, struct error *error)
{
	struct usage_value *items = take_space(take, VALUES_MOST * sizeof(*items), error);

	*all = (struct usage_values){ items, 0 };
	if (!items)
		return -ENOMEM;
	for (size_t i = 0; own && i < own->n; i++)
		sum_add(items, &all->n, own->items[i].name, own->items[i].value);
	for (const struct known_pe_task *known_pe_task = task->pe_tasks; known_pe_task;
	     known_pe_task = known_pe_task->next)
		for (size_t i = 0; i < known_pe_task->n && !(own && *known_pe_task->name == '\0'); i++)
			sum_add(items, &all->n, known_pe_task->values[i].name, known_pe_task->values[i].value);
	return 0;
}

int take_usage_sum(struct sge *sge, struct known_task *task, struct gdi_list *values, struct usage_values *all,
		   struct error *error)
{
	struct usage_values own;
	int rc = values_read(sge->take, values, &own, error);

	if (rc || !task->pe_tasks) {
		*all = own;
		return rc;
	}
	return sum_all(sge->take, task, own.n > 0 ? &own : NULL, all, error);
}

static int usage_report(struct sge *sge, uint32_t job_number, uint32_t id, const struct usage_values *all,
		      struct error *error)
{
	struct event event;

	event_init(&event, EVENT_USAGE);
	event.task.job_number = job_number;
	event.task.task = id;
	event.task.usage = *all;
	return all->n > 0 ? take_to_mirror(sge, &event, error) : 0;
}

/* Events */

/*
 * Report that a task is running. No event reports that its host has started it, but its first usage
 * report shows it.
 */
static int running_report(struct sge *sge, struct known_task *task, struct error *error)
{
	struct event event;
	int rc;

	if (strcmp(task->letters, "t") != 0)
		return 0;
	event_init(&event, EVENT_TASK_STATE);
	event.task.job_number = task->job_number;
	event.task.task = task->id;
	event.task.state = "r";
	rc = take_to_mirror(sge, &event, error);
	if (rc == 0)
		strcpy(task->letters, "r");
	return rc;
}

/* Take usage of a task. Reports are ignored if the task has just ended or is not started. */
int take_task_usage(struct sge *sge, uint32_t job_number, uint32_t id, const char *pe_task, struct gdi_list *list,
		    struct error *error)
{
	struct known_task *task = known_task_find(sge->known, job_number, id);
	struct usage_values values;
	int rc;

	if (!task || !task->reported)
		return 0;
	rc = running_report(sge, task, error);
	rc = rc ? rc : values_read(sge->take, list, &values, error);
	if (rc)
		return rc;
	if (*pe_task == '\0' && !task->pe_tasks)
		return usage_report(sge, job_number, id, &values, error);
	return keep(sge, task, pe_task, &values, error);
}

/*
 * Take a PE task. A task's own usage is only stored in the mirror until the task has PE tasks. From
 * then on it is summed up here.
 */
int take_pe_task(struct sge *sge, uint32_t job_number, uint32_t id, const struct gdi_element *element,
		 struct error *error)
{
	struct known_task *task = known_task_find(sge->known, job_number, id);
	struct gdi_list list = gdi_list(element, PET_scaled_usage);
	struct usage_values values;
	int rc;

	if (!task)
		return 0;
	rc = values_read(sge->take, &list, &values, error);
	return rc ? rc : keep(sge, task, gdi_text(element, PET_id), &values, error);
}

int take_pe_task_delete(struct sge *sge, uint32_t job_number, uint32_t id, const char *pe_task, struct error *error)
{
	struct known_task *task = known_task_find(sge->known, job_number, id);
	size_t n;
	struct known_pe_task **at = task ? pe_task_at(&task->pe_tasks, pe_task, &n) : NULL, *gone = at ? *at : NULL;
	const struct usage_values none = { NULL, 0 };
	int rc;

	if (!gone || *pe_task == '\0')
		return 0;
	rc = keep(sge, task, pe_task, &none, error);
	if (rc)
		return rc;
	*at = gone->next;
	pe_task_free(gone);
	return 0;
}

int take_usage_of(struct sge *sge, struct known_task *task, const struct gdi_element *jat, struct usage_values *all,
		  struct error *error)
{
	struct gdi_list own = gdi_list(jat, JAT_scaled_usage_list), pe_tasks = gdi_list(jat, JAT_task_list);
	struct gdi_element one;
	int rc = 0;

	while (rc == 0 && gdi_next(&pe_tasks, &one))
		rc = take_pe_task(sge, task->job_number, task->id, &one, error);
	return rc ? rc : take_usage_sum(sge, task, &own, all, error);
}

int take_usage_settle(struct sge *sge, struct error *error)
{
	struct take *take = sge->take;
	int rc = 0;

	for (size_t i = 0; i < take->ndirty; i++) {
		struct known_task *task = known_task_find(sge->known, take->dirty[i].job_number, take->dirty[i].task);
		struct usage_values all;

		if (task)
			task->dirty = false;
		if (rc || !task || !task->reported || task->status == KNOWN_FINISHED)
			continue;
		rc = sum_all(take, task, NULL, &all, error);
		rc = rc ? rc : usage_report(sge, task->job_number, task->id, &all, error);
		take_clear(take);
	}
	take->ndirty = 0;
	return rc;
}
