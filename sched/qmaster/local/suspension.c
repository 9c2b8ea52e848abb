/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/local/suspension.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "conf/number.h"
#include "sched/qmaster/local/calendars.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/subordination.h"
#include "sched/qmaster/local/tell.h"

#define HOLDING "TsP"			/* letters of a task that keep it from running */

void letters_set(char letters[LETTERS_BYTES], char letter, bool on)
{
	char *at = strchr(letters, letter);
	size_t n = strlen(letters);

	if (on && !at && n + 1 < LETTERS_BYTES)
		memcpy(letters + n, (char[]){ letter, '\0' }, 2);
	else if (!on && at)
		memmove(at, at + 1, strlen(at));
}

void instance_state(const struct local_instance *i, char state[LETTERS_BYTES])
{
	strcpy(state, i->letters);
	letters_set(state, 'C', false);
}

/* The instances */

void suspension_free(struct local_instances *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->items[i].name);
		subordinates_free(&s->items[i].list);
	}
	free(s->items);
	*s = (struct local_instances){ 0 };
}

static int instance_add(void *context, const char *name)
{
	struct local *l = context;
	struct local_instances *s = &l->instances;
	struct local_instance *i = array_add(&s->items, &s->n, sizeof(*i));

	if (!i || !(i->name = strdup(name)))
		return -ENOMEM;
	i->calendar = cell_calendar(sched_cell(l->sched), machine_queue_value(l, name, "calendar", "NONE"));
	if (number_u32(machine_queue_value(l, name, "slots", "0"), &i->slots))
		i->slots = 0;
	return subordinates_parse(&i->list, machine_queue_value(l, name, "subordinate_list", "NONE"), NULL) == -ENOMEM ? -ENOMEM : 0;
}

int suspension_look(struct local *l, struct error *error)
{
	suspension_free(&l->instances);
	l->instances.due = true;
	return machine_instances(&l->machine, sched_cell(l->sched), instance_add, l) ? error_set(error, -ENOMEM, "out of memory") : 0;
}

static uint32_t number_of(const struct local_instances *s, const char *name, size_t length)
{
	for (size_t i = 0; i < s->n; i++)
		if (strncmp(s->items[i].name, name, length) == 0 && (s->items[i].name[length] == '\0' || s->items[i].name[length] == '@'))
			return (uint32_t)i;
	return UINT32_MAX;
}

struct local_instance *suspension_instance(const struct local *l, const char *name)
{
	uint32_t i = number_of(&l->instances, name, strlen(name));

	return i == UINT32_MAX ? NULL : &l->instances.items[i];
}

/* One task */

static bool queue_holds(const struct local *l, const struct local_task *t)
{
	for (size_t k = 0; k < t->granted.on.n; k++) {
		const struct local_instance *i = suspension_instance(l, t->granted.on.items[k].queue);

		if (i && strpbrk(i->letters, "sSC"))
			return true;
	}
	return false;
}

bool suspension_holds(const struct local *l, const struct local_task *t)
{
	return strpbrk(t->letters, HOLDING) || queue_holds(l, t);
}

void suspension_shown(const struct local *l, const struct local_task *t, char shown[LETTERS_BYTES])
{
	*shown = '\0';
	letters_set(shown, 'h', strchr(t->letters, 'h') != NULL);
	letters_set(shown, 'S', strchr(t->letters, 'P') || queue_holds(l, t));
	letters_set(shown, 's', strchr(t->letters, 's') != NULL);
	letters_set(shown, 'T', strchr(t->letters, 'T') != NULL);
	letters_set(shown, 'r', !strpbrk(shown, "SsT"));
}

/* Subordinate queues */

struct subordination {			/* what subordination.h works on */
	struct subordination_queue *queues;
	struct subordination_entry *entries;
	size_t nentries;
	struct subordination_task *tasks;
	struct local_task **of;		/* that these are about */
	size_t ntasks;
	uint32_t *granted;		/* for `queues` of all tasks */
};

static void subordination_free(struct subordination *w)
{
	free(w->queues);
	free(w->entries);
	free(w->tasks);
	free(w->of);
	free(w->granted);
}

static int entries_make(const struct local_instances *s, struct subordination *w)
{
	for (uint32_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < s->items[i].list.n; k++) {
			const struct subordinate *from = &s->items[i].list.items[k];
			uint32_t below = number_of(s, from->queue, strlen(from->queue));
			struct subordination_entry *e = below == UINT32_MAX ? NULL : array_add(&w->entries, &w->nentries, sizeof(*e));

			if (e)
				*e = (struct subordination_entry){ i, below, from->slots, from->seq_no, from->longest, s->items[i].list.tasks > 0 };
			else if (below != UINT32_MAX)
				return -ENOMEM;
		}
	return 0;
}

/* Its slots count, and it may be one of those that run. */
static size_t task_put(const struct local_instances *s, struct subordination *w, struct local_task *t, uint32_t *granted)
{
	struct subordination_task *item = &w->tasks[w->ntasks];

	*item = (struct subordination_task){ .queues = granted, .start_time = t->start_time, .spared = t->removal != REMOVAL_NONE };
	for (size_t k = 0; k < t->granted.on.n; k++) {
		const struct granted *on = &t->granted.on.items[k];
		uint32_t queue = number_of(s, on->queue, strlen(on->queue));

		if (queue == UINT32_MAX)
			continue;
		w->queues[queue].used += on->slots;
		granted[item->nqueues++] = queue;
	}
	w->of[w->ntasks++] = t;
	return item->nqueues;
}

static int subordination_make(const struct local *l, struct subordination *w)
{
	const struct local_instances *s = &l->instances;
	size_t all = 0, at = 0;

	for (size_t i = 0; i < l->tasks.n; i++)
		all += l->tasks.items[i]->granted.on.n;
	w->queues = calloc(s->n + 1, sizeof(*w->queues));
	w->tasks = calloc(l->tasks.n + 1, sizeof(*w->tasks));
	w->of = calloc(l->tasks.n + 1, sizeof(struct local_task *));
	w->granted = calloc(all + 1, sizeof(*w->granted));
	if (!w->queues || !w->tasks || !w->of || !w->granted || entries_make(s, w))
		return -ENOMEM;
	for (size_t i = 0; i < s->n; i++)
		w->queues[i] = (struct subordination_queue){ .slots = s->items[i].slots, .tasks = s->items[i].list.tasks };
	for (size_t i = 0; i < l->tasks.n; i++)
		if (!local_task_has_ended(l->tasks.items[i]))
			at += task_put(s, w, l->tasks.items[i], &w->granted[at]);
	return 0;
}

static void queues_decide(struct local *l, struct subordination *w)
{
	struct local_instances *s = &l->instances;

	subordination_queuewise(w->queues, s->n, w->entries, w->nentries);
	for (size_t i = 0; i < s->n; i++)
		letters_set(s->items[i].letters, 'S', w->queues[i].suspended);
	calendars_decide(l);
}

int suspension_instances(struct local *l, struct error *error)
{
	struct subordination w = { 0 };
	int rc = subordination_make(l, &w);

	if (rc == 0)
		queues_decide(l, &w);
	subordination_free(&w);
	return rc ? error_set(error, rc, "out of memory") : 0;
}

/* Once it is known which queues are suspended. */
static int tasks_decide(struct local *l, struct subordination *w, struct error *error)
{
	int rc;

	for (size_t i = 0; i < w->ntasks; i++) {
		char others[LETTERS_BYTES];

		strcpy(others, w->of[i]->letters);
		letters_set(others, 'P', false);
		w->tasks[i].preempted = strchr(w->of[i]->letters, 'P') != NULL;
		w->tasks[i].held = strpbrk(others, HOLDING) || queue_holds(l, w->of[i]);
	}
	rc = subordination_slotwise(w->queues, l->instances.n, w->entries, w->nentries, w->tasks, w->ntasks);
	if (rc)
		return error_set(error, rc, "out of memory");
	for (size_t i = 0; i < w->ntasks && rc == 0; i++) {
		struct local_task *t = w->of[i];

		if (w->tasks[i].preempted == (strchr(t->letters, 'P') != NULL))
			continue;
		letters_set(t->letters, 'P', w->tasks[i].preempted);
		local_changed(l);
		rc = local_task_save(l, t, error);
	}
	return rc;
}

/* What follows */

static int instances_tell(struct local *l, struct error *error)
{
	int rc = 0;

	for (size_t i = 0; i < l->instances.n && rc == 0; i++) {
		char state[LETTERS_BYTES];

		instance_state(&l->instances.items[i], state);
		if (strcmp(state, l->instances.items[i].told) != 0)
			rc = tell_instance(l, &l->instances.items[i], error);
	}
	return rc;
}

/* The signal goes out with the commit; who is to end is not stopped any more. */
static int task_settle(struct local *l, struct local_task *t, struct error *error)
{
	bool holds = suspension_holds(l, t);
	char shown[LETTERS_BYTES];

	t->commit.signal = 0;
	if (holds != t->stopped && !local_task_is_leaving(t)) {
		t->commit.signal = holds ? SIGSTOP : SIGCONT;
		local_task_due(l, t);
		local_changed(l);
	}
	suspension_shown(l, t, shown);
	if (!local_task_is_told(t) || strcmp(shown, t->told) == 0)
		return 0;
	return tell_known(tell_state(l, t, shown, error), error, t->job_number);
}

static int update(struct local *l, struct error *error)
{
	struct subordination w = { 0 };
	int rc = subordination_make(l, &w);

	if (rc == 0) {
		queues_decide(l, &w);
		rc = tasks_decide(l, &w, error);
	} else {
		error_set(error, rc, "out of memory");
	}
	subordination_free(&w);
	if (rc == 0)
		rc = instances_tell(l, error);
	for (size_t i = 0; i < l->tasks.n && rc == 0; i++)
		if (!local_task_has_ended(l->tasks.items[i]))
			rc = task_settle(l, l->tasks.items[i], error);
	return rc;
}

void suspension_update(struct local *l)
{
	struct error error = { "" };

	if (!l->instances.due && !calendars_are_due(l))
		return;
	if (update(l, &error))
		local_fail(l, &error);
	l->instances.due = false;
}
