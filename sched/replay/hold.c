/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queues that stand still: by a subordinate_list of another queue on their host, by their calendar.
 * The tasks in them stand still, too. What a scheduler works out itself (calendars) it is not told.
 */
#include <stdlib.h>

#include "conf/calendar.h"
#include "sched/qmaster/local/subordination.h"
#include "sched/replay/inside.h"

/* Calendars */

static int calendars_look(struct replay *r, bool *changed)
{
	struct replay_machine *m = &r->machine;

	if (!m->calendars || (m->next_change != FOREVER && r->now < m->next_change))
		return 0;
	m->next_change = FOREVER;
	for (size_t i = 0; i < m->n; i++) {
		struct calendar_change now = { CALENDAR_UNSAID, CALENDAR_FOREVER };
		bool closed;

		if (m->instances[i].calendar)
			calendar_changes(m->instances[i].calendar, r->now, &now, 1);
		closed = now.state == CALENDAR_SUSPENDED;
		*changed |= closed != m->instances[i].closed;
		m->instances[i].closed = closed;
		m->next_change = now.until < m->next_change ? now.until : m->next_change;
	}
	m->calendars = m->next_change != FOREVER;
	return m->calendars && agenda_put(&r->agenda, m->next_change, AGENDA_WAKE, NULL) ? error_set(r->error, -ENOMEM, "out of memory") : 0;
}

/* Subordinate queues of a host */

struct subordinated {			/* what sched/qmaster/local/subordination.h works on */
	struct subordination_queue *queues;	/* by instance of the host */
	struct subordination_entry *entries;
	struct subordination_task *tasks;
	struct replay_record **of;	/* that these are about */
	uint32_t *granted;		/* for `queues` of all tasks */
	size_t nentries, ntasks;
};

static void subordinated_free(struct subordinated *w)
{
	free(w->queues);
	free(w->entries);
	free(w->tasks);
	free(w->of);
	free(w->granted);
}

static uint32_t queue_on(const struct replay_machine *m, const struct machine_host *host, const char *queue)
{
	size_t length = strlen(queue);

	for (uint32_t i = 0; i < host->n; i++) {
		const char *name = m->instances[host->first + i].name;

		if (strncmp(name, queue, length) == 0 && name[length] == '@')
			return i;
	}
	return UINT32_MAX;
}

static void entries_make(const struct replay_machine *m, const struct machine_host *host, struct subordinated *w)
{
	for (uint32_t i = 0; i < host->n; i++) {
		const struct subordinates *list = &m->instances[host->first + i].list;

		w->queues[i] = (struct subordination_queue){ .slots = m->instances[host->first + i].slots, .used = m->instances[host->first + i].used,
							     .tasks = list->tasks };
		for (size_t k = 0; k < list->n; k++) {
			const struct subordinate *from = &list->items[k];
			uint32_t below = queue_on(m, host, from->queue);

			if (below != UINT32_MAX)
				w->entries[w->nentries++] = (struct subordination_entry){ i, below, from->slots, from->seq_no, from->longest, list->tasks > 0 };
		}
	}
}

/* Its instances on the host. */
static size_t task_put(const struct machine_host *host, struct subordinated *w, struct replay_record *record, uint32_t *granted)
{
	struct subordination_task *t = &w->tasks[w->ntasks];

	*t = (struct subordination_task){ .queues = granted, .start_time = record->task.start, .spared = record->vacating != VACATED_UNSAID };
	for (size_t k = 0; k < record->task.granted.n; k++)
		if (record->instances[k] != INDEX_NONE && record->instances[k] - host->first < host->n)
			granted[t->nqueues++] = record->instances[k] - host->first;
	if (t->nqueues > 0)
		w->of[w->ntasks++] = record;
	return t->nqueues;
}

static int subordinated_make(const struct replay *r, const struct machine_host *host, struct subordinated *w)
{
	const struct replay_machine *m = &r->machine;
	size_t entries = 0, granted = 0, at = 0;

	for (uint32_t i = 0; i < host->n; i++)
		entries += m->instances[host->first + i].list.n;
	for (size_t i = 0; i < r->records.nrunning; i++)
		granted += r->records.items[r->records.running[i]]->task.granted.n;
	w->queues = calloc(host->n + 1, sizeof(*w->queues));
	w->entries = calloc(entries + 1, sizeof(*w->entries));
	w->tasks = calloc(r->records.nrunning + 1, sizeof(*w->tasks));
	w->of = calloc(r->records.nrunning + 1, sizeof(struct replay_record *));
	w->granted = calloc(granted + 1, sizeof(*w->granted));
	if (!w->queues || !w->entries || !w->tasks || !w->of || !w->granted)
		return -ENOMEM;
	entries_make(m, host, w);
	for (size_t i = 0; i < r->records.nrunning; i++)
		at += task_put(host, w, r->records.items[r->records.running[i]], w->granted + at);
	return 0;
}

/* Its letters are those that were told, with S or without. */
static int instance_tell(struct replay *r, struct machine_instance *i)
{
	struct mirror *m = sched_mirror(r->sched);
	uint32_t at = instance_find(m, m->state, i->name);
	char letters[INSTANCE_LETTERS + 2] = "";
	struct event event;
	size_t n = 0;

	if (at == INDEX_NONE)
		return 0;
	for (const char *c = m->state->instances[at].state; *c; c++)
		if (*c != 'S')
			letters[n++] = *c;
	if (i->suspended && n < INSTANCE_LETTERS)
		letters[n] = 'S';
	event_init(&event, EVENT_QUEUE_INSTANCE);
	event.instance.queue = i->name;
	event.instance.slots = m->state->instances[at].slots_of_queue ? UINT32_MAX : m->state->instances[at].slots;
	event.instance.state = letters;
	return replay_tell(r, &event);
}

static int queues_decide(struct replay *r, const struct machine_host *host, struct subordinated *w, bool *changed)
{
	int rc = 0;

	subordination_queuewise(w->queues, host->n, w->entries, w->nentries);
	for (uint32_t i = 0; i < host->n && rc == 0; i++) {
		struct machine_instance *instance = &r->machine.instances[host->first + i];

		if (instance->suspended == w->queues[i].suspended)
			continue;
		instance->suspended = w->queues[i].suspended;
		*changed = true;
		rc = instance_tell(r, instance);
	}
	return rc;
}

static bool stands(const struct replay *r, const struct replay_record *record)
{
	for (size_t k = 0; k < record->task.granted.n; k++) {
		const struct machine_instance *i = record->instances[k] == INDEX_NONE ? NULL : &r->machine.instances[record->instances[k]];

		if (i && (i->suspended || i->closed))
			return true;
	}
	return record->threshold || record->asked;
}

/* Of a task on several hosts the list that has stopped it lets it go on. */
static int tasks_decide(struct replay *r, uint32_t host, struct subordinated *w, bool *changed)
{
	int rc;

	for (size_t i = 0; i < w->ntasks; i++) {
		w->tasks[i].preempted = w->of[i]->preempted && w->of[i]->preempted_on == host;
		w->tasks[i].held = stands(r, w->of[i]) || (w->of[i]->preempted && w->of[i]->preempted_on != host);
	}
	rc = subordination_slotwise(w->queues, r->machine.hosts[host].n, w->entries, w->nentries, w->tasks, w->ntasks);
	for (size_t i = 0; i < w->ntasks && rc == 0; i++) {
		struct replay_record *record = w->of[i];

		if (w->tasks[i].preempted == (record->preempted && record->preempted_on == host))
			continue;
		record->preempted = w->tasks[i].preempted;
		record->preempted_on = host;
		*changed = true;
	}
	return rc;
}

static int host_look(struct replay *r, uint32_t host, bool *changed)
{
	struct subordinated w = { .entries = NULL };
	int rc = subordinated_make(r, &r->machine.hosts[host], &w);

	if (rc == 0)
		rc = queues_decide(r, &r->machine.hosts[host], &w, changed);
	if (rc == 0)
		rc = tasks_decide(r, host, &w, changed);
	subordinated_free(&w);
	return rc == -ENOMEM ? error_set(r->error, rc, "out of memory") : rc;
}

int hold_update(struct replay *r)
{
	bool changed = false;
	int rc = calendars_look(r, &changed);

	for (uint32_t h = 0; r->machine.subordinates && h < r->machine.nhosts && rc == 0; h++) {
		if (!r->machine.hosts[h].due)
			continue;
		r->machine.hosts[h].due = false;
		rc = host_look(r, h, &changed);
	}
	for (size_t i = 0; changed && i < r->records.nrunning && rc == 0; i++)
		rc = task_settle(r, r->records.items[r->records.running[i]]);
	return rc;
}
