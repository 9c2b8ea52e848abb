/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/local/suspension.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "conf/base/number.h"
#include "sched/qmaster/local/calendars.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/subordination.h"
#include "sched/qmaster/local/report.h"

#define HOLDING "TsP"			/* letters of a task that suspend it */

void letters_set(char letters[LETTERS_BYTES], char letter, bool on)
{
	char *at = strchr(letters, letter);
	size_t n = strlen(letters);

	if (on && !at && n + 1 < LETTERS_BYTES)
		memcpy(letters + n, (char[]){ letter, '\0' }, 2);
	else if (!on && at)
		memmove(at, at + 1, strlen(at));
}

void instance_state(const struct local_instance *instance, char state[LETTERS_BYTES])
{
	strcpy(state, instance->letters);
	letters_set(state, 'C', false);
}

/* Instances */

void suspension_free(struct local_instances *instances)
{
	for (size_t i = 0; i < instances->n; i++) {
		free(instances->items[i].name);
		subordinates_free(&instances->items[i].list);
	}
	free(instances->items);
	*instances = (struct local_instances){ 0 };
}

static int instance_add(void *context, const char *name)
{
	struct local *local = context;
	struct local_instances *instances = &local->instances;
	struct local_instance *instance = array_add(&instances->items, &instances->n, sizeof(*instance));

	if (!instance || !(instance->name = strdup(name)))
		return -ENOMEM;
	instance->calendar =
		cell_calendar(sched_cell(local->sched), machine_queue_value(local, name, "calendar", "NONE"));
	if (number_u32(machine_queue_value(local, name, "slots", "0"), &instance->slots))
		instance->slots = 0;
	return subordinates_parse(&instance->list, machine_queue_value(local, name, "subordinate_list", "NONE"),
				  NULL) == -ENOMEM
		       ? -ENOMEM
		       : 0;
}

int suspension_look(struct local *local, struct error *error)
{
	suspension_free(&local->instances);
	local->instances.due = true;
	return machine_instances(&local->machine, sched_cell(local->sched), instance_add, local)
		       ? error_set(error, -ENOMEM, "out of memory")
		       : 0;
}

static uint32_t number_of(const struct local_instances *instances, const char *name, size_t length)
{
	for (size_t i = 0; i < instances->n; i++)
		if (strncmp(instances->items[i].name, name, length) == 0 &&
		    (instances->items[i].name[length] == '\0' || instances->items[i].name[length] == '@'))
			return (uint32_t)i;
	return UINT32_MAX;
}

/* Return the instance of this name, or NULL. */
static struct local_instance *suspension_instance(const struct local *local, const char *name)
{
	uint32_t i = number_of(&local->instances, name, strlen(name));

	return i == UINT32_MAX ? NULL : &local->instances.items[i];
}

/* Single task */

static bool queue_holds(const struct local *local, const struct local_task *task)
{
	for (size_t k = 0; k < task->granted.on.n; k++) {
		const struct local_instance *instance = suspension_instance(local, task->granted.on.items[k].queue);

		if (instance && strpbrk(instance->letters, "sSC"))
			return true;
	}
	return false;
}

bool suspension_holds(const struct local *local, const struct local_task *local_task)
{
	return strpbrk(local_task->letters, HOLDING) || queue_holds(local, local_task);
}

void suspension_shown(const struct local *local, const struct local_task *task, char shown[LETTERS_BYTES])
{
	*shown = '\0';
	letters_set(shown, 'h', strchr(task->letters, 'h') != NULL);
	letters_set(shown, 'S', strchr(task->letters, 'P') || queue_holds(local, task));
	letters_set(shown, 's', strchr(task->letters, 's') != NULL);
	letters_set(shown, 'T', strchr(task->letters, 'T') != NULL);
	letters_set(shown, 'r', !strpbrk(shown, "SsT"));
}

/* Subordinate queues */

struct subordination {			/* Input of the functions in subordination.h. */
	struct subordination_queue *queues;
	struct subordination_entry *entries;
	size_t nentries;
	struct subordination_task *tasks;
	struct local_task **of;		/* tasks that these describe */
	size_t ntasks;
	uint32_t *granted;		/* memory of `queues` of all tasks */
};

static void subordination_free(struct subordination *subordination)
{
	free(subordination->queues);
	free(subordination->entries);
	free(subordination->tasks);
	free(subordination->of);
	free(subordination->granted);
}

static int entries_make(const struct local_instances *instances, struct subordination *subordination)
{
	for (uint32_t i = 0; i < instances->n; i++)
		for (size_t k = 0; k < instances->items[i].list.n; k++) {
			const struct subordinate *from = &instances->items[i].list.items[k];
			uint32_t below = number_of(instances, from->queue, strlen(from->queue));
			struct subordination_entry *entry =
				below == UINT32_MAX
					? NULL
					: array_add(&subordination->entries, &subordination->nentries, sizeof(*entry));

			if (entry)
				*entry = (struct subordination_entry){ i,
								       below,
								       from->slots,
								       from->seq_no,
								       from->longest,
								       instances->items[i].list.tasks > 0 };
			else if (below != UINT32_MAX)
				return -ENOMEM;
		}
	return 0;
}

/* Add a task. Its slots count, and it may be a running one. */
static size_t task_put(const struct local_instances *instances, struct subordination *subordination,
		       struct local_task *task, uint32_t *granted)
{
	struct subordination_task *item = &subordination->tasks[subordination->ntasks];

	*item = (struct subordination_task){ .queues = granted,
					     .start_time = task->start_time,
					     .spared = task->removal != REMOVAL_NONE };
	for (size_t k = 0; k < task->granted.on.n; k++) {
		const struct granted *on = &task->granted.on.items[k];
		uint32_t queue = number_of(instances, on->queue, strlen(on->queue));

		if (queue == UINT32_MAX)
			continue;
		subordination->queues[queue].used += on->slots;
		granted[item->nqueues++] = queue;
	}
	subordination->of[subordination->ntasks++] = task;
	return item->nqueues;
}

static int subordination_make(const struct local *local, struct subordination *subordination)
{
	const struct local_instances *instances = &local->instances;
	size_t all = 0, at = 0;

	for (size_t i = 0; i < local->tasks.n; i++)
		all += local->tasks.items[i]->granted.on.n;
	subordination->queues = calloc(instances->n + 1, sizeof(*subordination->queues));
	subordination->tasks = calloc(local->tasks.n + 1, sizeof(*subordination->tasks));
	subordination->of = calloc(local->tasks.n + 1, sizeof(struct local_task *));
	subordination->granted = calloc(all + 1, sizeof(*subordination->granted));
	if (!subordination->queues || !subordination->tasks || !subordination->of || !subordination->granted ||
	    entries_make(instances, subordination))
		return -ENOMEM;
	for (size_t i = 0; i < instances->n; i++)
		subordination->queues[i] = (struct subordination_queue){ .slots = instances->items[i].slots,
									 .tasks = instances->items[i].list.tasks };
	for (size_t i = 0; i < local->tasks.n; i++)
		if (!local_task_has_ended(local->tasks.items[i]))
			at += task_put(instances, subordination, local->tasks.items[i], &subordination->granted[at]);
	return 0;
}

static void queues_decide(struct local *local, struct subordination *subordination)
{
	struct local_instances *instances = &local->instances;

	subordination_queuewise(subordination->queues, instances->n, subordination->entries, subordination->nentries);
	for (size_t i = 0; i < instances->n; i++)
		letters_set(instances->items[i].letters, 'S', subordination->queues[i].suspended);
	calendars_decide(local);
}

int suspension_instances(struct local *local, struct error *error)
{
	struct subordination subordination = { 0 };
	int rc = subordination_make(local, &subordination);

	if (rc == 0)
		queues_decide(local, &subordination);
	subordination_free(&subordination);
	return rc ? error_set(error, rc, "out of memory") : 0;
}

/* Suspend and resume tasks, after the suspended queues are known. */
static int tasks_decide(struct local *local, struct subordination *subordination, struct error *error)
{
	int rc;

	for (size_t i = 0; i < subordination->ntasks; i++) {
		char others[LETTERS_BYTES];

		strcpy(others, subordination->of[i]->letters);
		letters_set(others, 'P', false);
		subordination->tasks[i].preempted = strchr(subordination->of[i]->letters, 'P') != NULL;
		subordination->tasks[i].held = strpbrk(others, HOLDING) || queue_holds(local, subordination->of[i]);
	}
	rc = subordination_slotwise(subordination->queues, local->instances.n, subordination->entries,
				    subordination->nentries, subordination->tasks, subordination->ntasks);
	if (rc)
		return error_set(error, rc, "out of memory");
	for (size_t i = 0; i < subordination->ntasks && rc == 0; i++) {
		struct local_task *local_task = subordination->of[i];

		if (subordination->tasks[i].preempted == (strchr(local_task->letters, 'P') != NULL))
			continue;
		letters_set(local_task->letters, 'P', subordination->tasks[i].preempted);
		local_changed(local);
		rc = local_task_save(local, local_task, error);
	}
	return rc;
}

/* Reports and signals */

static int instances_report(struct local *local, struct error *error)
{
	int rc = 0;

	for (size_t i = 0; i < local->instances.n && rc == 0; i++) {
		char state[LETTERS_BYTES];

		instance_state(&local->instances.items[i], state);
		if (strcmp(state, local->instances.items[i].reported) != 0)
			rc = report_instance(local, &local->instances.items[i], error);
	}
	return rc;
}

/*
 * Set the signal, which is sent with the commit, and report the state. A task that is to end is not
 * stopped any more.
 */
static int task_settle(struct local *local, struct local_task *task, struct error *error)
{
	bool holds = suspension_holds(local, task);
	char shown[LETTERS_BYTES];

	task->commit.signal = 0;
	if (holds != task->stopped && !local_task_is_leaving(task)) {
		task->commit.signal = holds ? SIGSTOP : SIGCONT;
		local_task_due(local, task);
		local_changed(local);
	}
	suspension_shown(local, task, shown);
	if (!local_task_is_reported(task) || strcmp(shown, task->reported) == 0)
		return 0;
	return report_known(report_state(local, task, shown, error), error, task->job_number);
}

static int update(struct local *local, struct error *error)
{
	struct subordination subordination = { 0 };
	int rc = subordination_make(local, &subordination);

	if (rc == 0) {
		queues_decide(local, &subordination);
		rc = tasks_decide(local, &subordination, error);
	} else {
		error_set(error, rc, "out of memory");
	}
	subordination_free(&subordination);
	if (rc == 0)
		rc = instances_report(local, error);
	for (size_t i = 0; i < local->tasks.n && rc == 0; i++)
		if (!local_task_has_ended(local->tasks.items[i]))
			rc = task_settle(local, local->tasks.items[i], error);
	return rc;
}

void suspension_update(struct local *local)
{
	struct error error = { "" };

	if (!local->instances.due && !calendars_are_due(local))
		return;
	if (update(local, &error))
		local_fail(local, &error);
	local->instances.due = false;
}
