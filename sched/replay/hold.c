/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queues that are suspended by a subordinate_list of another queue on their host, or by their
 * calendar. Their tasks are suspended, too. Calendar states are not sent to the scheduler, which
 * computes them itself.
 */
#include <stdlib.h>

#include "conf/calendar.h"
#include "sched/qmaster/local/subordination.h"
#include "sched/replay/inside.h"

/* Calendars */

static int calendars_look(struct replay *replay, bool *changed)
{
	struct replay_machine *machine = &replay->machine;

	if (!machine->calendars || (machine->next_change != FOREVER && replay->now < machine->next_change))
		return 0;
	machine->next_change = FOREVER;
	for (size_t i = 0; i < machine->n; i++) {
		struct calendar_change now = { CALENDAR_UNSAID, CALENDAR_FOREVER };
		bool closed;

		if (machine->instances[i].calendar)
			calendar_changes(machine->instances[i].calendar, replay->now, &now, 1);
		closed = now.state == CALENDAR_SUSPENDED;
		*changed |= closed != machine->instances[i].closed;
		machine->instances[i].closed = closed;
		machine->next_change = now.until < machine->next_change ? now.until : machine->next_change;
	}
	machine->calendars = machine->next_change != FOREVER;
	return machine->calendars && agenda_put(&replay->agenda, machine->next_change, AGENDA_WAKE, NULL)
		       ? error_set(replay->error, -ENOMEM, "out of memory")
		       : 0;
}

/* Subordinate queues of a host */

struct subordinated {			/* input of sched/qmaster/local/subordination.h */
	struct subordination_queue *queues;	/* indexed by instance of the host */
	struct subordination_entry *entries;
	struct subordination_task *tasks;
	struct replay_record **of;	/* records of these tasks */
	uint32_t *granted;		/* for `queues` of all tasks */
	size_t nentries, ntasks;
};

static void subordinated_free(struct subordinated *subordinated)
{
	free(subordinated->queues);
	free(subordinated->entries);
	free(subordinated->tasks);
	free(subordinated->of);
	free(subordinated->granted);
}

static uint32_t queue_on(const struct replay_machine *machine, const struct machine_host *host, const char *queue)
{
	size_t length = strlen(queue);

	for (uint32_t i = 0; i < host->n; i++) {
		const char *name = machine->instances[host->first + i].name;

		if (strncmp(name, queue, length) == 0 && name[length] == '@')
			return i;
	}
	return UINT32_MAX;
}

static void entries_make(const struct replay_machine *machine, const struct machine_host *host,
			 struct subordinated *subordinated)
{
	for (uint32_t i = 0; i < host->n; i++) {
		const struct subordinates *list = &machine->instances[host->first + i].list;

		subordinated->queues[i] =
			(struct subordination_queue){ .slots = machine->instances[host->first + i].slots,
						      .used = machine->instances[host->first + i].used,
						      .tasks = list->tasks };
		for (size_t k = 0; k < list->n; k++) {
			const struct subordinate *from = &list->items[k];
			uint32_t below = queue_on(machine, host, from->queue);

			if (below != UINT32_MAX)
				subordinated->entries[subordinated->nentries++] = (struct subordination_entry){
					i, below, from->slots, from->seq_no, from->longest, list->tasks > 0
				};
		}
	}
}

/* Add a task; return the number of its instances on the host. */
static size_t task_put(const struct machine_host *host, struct subordinated *subordinated, struct replay_record *record,
		       uint32_t *granted)
{
	struct subordination_task *task = &subordinated->tasks[subordinated->ntasks];

	*task = (struct subordination_task){ .queues = granted,
					     .start_time = record->task.start,
					     .spared = record->vacating != VACATED_UNSAID };
	for (size_t k = 0; k < record->task.granted.n; k++)
		if (record->instances[k] != INDEX_NONE && record->instances[k] - host->first < host->n)
			granted[task->nqueues++] = record->instances[k] - host->first;
	if (task->nqueues > 0)
		subordinated->of[subordinated->ntasks++] = record;
	return task->nqueues;
}

static int subordinated_make(const struct replay *replay, const struct machine_host *host,
			     struct subordinated *subordinated)
{
	const struct replay_machine *machine = &replay->machine;
	size_t entries = 0, granted = 0, at = 0;

	for (uint32_t i = 0; i < host->n; i++)
		entries += machine->instances[host->first + i].list.n;
	for (size_t i = 0; i < replay->records.nrunning; i++)
		granted += replay->records.items[replay->records.running[i]]->task.granted.n;
	subordinated->queues = calloc(host->n + 1, sizeof(*subordinated->queues));
	subordinated->entries = calloc(entries + 1, sizeof(*subordinated->entries));
	subordinated->tasks = calloc(replay->records.nrunning + 1, sizeof(*subordinated->tasks));
	subordinated->of = calloc(replay->records.nrunning + 1, sizeof(struct replay_record *));
	subordinated->granted = calloc(granted + 1, sizeof(*subordinated->granted));
	if (!subordinated->queues || !subordinated->entries || !subordinated->tasks || !subordinated->of ||
	    !subordinated->granted)
		return -ENOMEM;
	entries_make(machine, host, subordinated);
	for (size_t i = 0; i < replay->records.nrunning; i++)
		at += task_put(host, subordinated, replay->records.items[replay->records.running[i]],
			       subordinated->granted + at);
	return 0;
}

/* Report an instance with the letters it was reported with, plus or minus S. */
static int instance_report(struct replay *replay, struct machine_instance *instance)
{
	const struct instance *reported = mirror_find_instance(sched_mirror(replay->sched), instance->name);
	char letters[INSTANCE_LETTERS + 2] = "";
	struct event event;
	size_t n = 0;

	if (!reported)
		return 0;
	for (const char *c = reported->state; *c; c++)
		if (*c != 'S')
			letters[n++] = *c;
	if (instance->suspended && n < INSTANCE_LETTERS)
		letters[n] = 'S';
	event_init(&event, EVENT_QUEUE_INSTANCE);
	event.instance.queue = instance->name;
	event.instance.slots = reported->slots_of_queue ? UINT32_MAX : reported->slots;
	event.instance.state = letters;
	return replay_send(replay, &event);
}

static int queues_decide(struct replay *replay, const struct machine_host *host, struct subordinated *subordinated,
			 bool *changed)
{
	int rc = 0;

	subordination_queuewise(subordinated->queues, host->n, subordinated->entries, subordinated->nentries);
	for (uint32_t i = 0; i < host->n && rc == 0; i++) {
		struct machine_instance *instance = &replay->machine.instances[host->first + i];

		if (instance->suspended == subordinated->queues[i].suspended)
			continue;
		instance->suspended = subordinated->queues[i].suspended;
		*changed = true;
		rc = instance_report(replay, instance);
	}
	return rc;
}

static bool stands(const struct replay *replay, const struct replay_record *record)
{
	for (size_t k = 0; k < record->task.granted.n; k++) {
		const struct machine_instance *instance =
			record->instances[k] == INDEX_NONE ? NULL : &replay->machine.instances[record->instances[k]];

		if (instance && (instance->suspended || instance->closed))
			return true;
	}
	return record->threshold || record->asked;
}

/* Apply slot-wise lists. A task on several hosts is resumed by the list that has suspended it. */
static int tasks_decide(struct replay *replay, uint32_t host, struct subordinated *subordinated, bool *changed)
{
	int rc;

	for (size_t i = 0; i < subordinated->ntasks; i++) {
		subordinated->tasks[i].preempted =
			subordinated->of[i]->preempted && subordinated->of[i]->preempted_on == host;
		subordinated->tasks[i].held =
			stands(replay, subordinated->of[i]) ||
			(subordinated->of[i]->preempted && subordinated->of[i]->preempted_on != host);
	}
	rc = subordination_slotwise(subordinated->queues, replay->machine.hosts[host].n, subordinated->entries,
				    subordinated->nentries, subordinated->tasks, subordinated->ntasks);
	for (size_t i = 0; i < subordinated->ntasks && rc == 0; i++) {
		struct replay_record *record = subordinated->of[i];

		if (subordinated->tasks[i].preempted == (record->preempted && record->preempted_on == host))
			continue;
		record->preempted = subordinated->tasks[i].preempted;
		record->preempted_on = host;
		*changed = true;
	}
	return rc;
}

static int host_look(struct replay *replay, uint32_t host, bool *changed)
{
	struct subordinated subordinated = { .entries = NULL };
	int rc = subordinated_make(replay, &replay->machine.hosts[host], &subordinated);

	if (rc == 0)
		rc = queues_decide(replay, &replay->machine.hosts[host], &subordinated, changed);
	if (rc == 0)
		rc = tasks_decide(replay, host, &subordinated, changed);
	subordinated_free(&subordinated);
	return rc == -ENOMEM ? error_set(replay->error, rc, "out of memory") : rc;
}

int hold_update(struct replay *replay)
{
	bool changed = false;
	int rc = calendars_look(replay, &changed);

	for (uint32_t h = 0; replay->machine.subordinates && h < replay->machine.nhosts && rc == 0; h++) {
		if (!replay->machine.hosts[h].due)
			continue;
		replay->machine.hosts[h].due = false;
		rc = host_look(replay, h, &changed);
	}
	for (size_t i = 0; changed && i < replay->records.nrunning && rc == 0; i++)
		rc = task_settle(replay, replay->records.items[replay->records.running[i]]);
	return rc;
}
