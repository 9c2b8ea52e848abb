/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of what the qmaster has told: jobs, holds, slots, factors. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/mirror/mirror.h"
#include "sched/mirror/tables.h"
#include "sched/whatif/inside.h"

static int tell(struct sched *sched, const struct supposition *s, const struct event *event, struct error *error)
{
	struct error why = { "" };
	int rc = mirror_apply(sched_mirror(sched), event, &why);

	return rc == 0 || rc == -ENOMEM ? rc : suppose_error(s, -EINVAL, error, "%s", why.text);
}

/* Holds, of all tasks that wait */

static bool has_letter(const char *letters, int kind)
{
	return strchr(letters, "uos"[kind]) != NULL;
}

static int hold(struct sched *sched, const struct supposition *s, struct error *error)
{
	const struct jobs *j = &sched_mirror(sched)->state->jobs;
	uint32_t row = jobs_find(j, s->number);
	const struct job_extra *extra = row == INDEX_NONE ? NULL : jobs_find_extra(j, row);
	const struct ranges waiting = job_waiting(extra);
	struct ranges copies[HOLD_KINDS] = { { 0 } };
	struct event e;
	int rc = 0;

	if (row == INDEX_NONE)
		return suppose_error(s, -EINVAL, error, "there is no job %u", s->number);
	event_init(&e, EVENT_JOB_MODIFY);
	e.job.job_number = s->number;
	e.job.given = JOB_HOLD;
	/* what the job has is gone when the event is taken */
	for (int k = 0; rc == 0 && k < HOLD_KINDS; k++) {
		bool set = k <= HOLD_SYSTEM && has_letter(s->place, k), gone = k <= HOLD_SYSTEM && has_letter(s->release, k);

		if (set || (extra && !gone))
			rc = ranges_copy(&copies[k], set ? &waiting : &extra->sets[k]);
		e.job.hold[k] = copies[k];
	}
	rc = rc ? rc : tell(sched, s, &e, error);
	for (int k = 0; k < HOLD_KINDS; k++)
		ranges_free(&copies[k]);
	return rc;
}

/* Slots */

static int instance_change(struct sched *sched, const struct supposition *s, const struct state *state, uint32_t i, struct error *error)
{
	struct mirror *m = sched_mirror(sched);
	char *name = strdup(mirror_text(m, state->instance_names[i]));
	const struct instance *instance = &state->instances[i];
	char letters[INSTANCE_LETTERS + 1];
	struct event e;
	int rc;

	if (!name)
		return -ENOMEM;
	strcpy(letters, instance->state);
	event_init(&e, EVENT_QUEUE_INSTANCE);
	e.instance.queue = name;
	e.instance.slots = s->number;
	e.instance.state = letters;
	rc = tell(sched, s, &e, error);
	free(name);
	return rc;
}

static bool is_of_queue(const char *instance, const char *queue)
{
	size_t n = strlen(queue);

	return strncmp(instance, queue, n) == 0 && instance[n] == '@';
}

/* Those that have what their queue says have the new number already. */
static int slots(struct sched *sched, const struct supposition *s, struct error *error)
{
	const struct mirror *m = sched_mirror(sched);
	const struct state *state = m->state;
	bool one = strchr(s->name, '@') != NULL;
	size_t found = 0;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < state->ninstances; i++) {
		const char *name = mirror_text(m, state->instance_names[i]);

		if (state->instances[i].ad_id != NONE || !(one ? strcmp(name, s->name) == 0 : is_of_queue(name, s->name)))
			continue;
		found++;
		rc = one || !state->instances[i].slots_of_queue ? instance_change(sched, s, state, i, error) : 0;
	}
	if (rc == 0 && found == 0)
		rc = suppose_error(s, -EINVAL, error, "there is no queue instance %s\"%.60s\"", one ? "" : "of ", s->name);
	return rc;
}

/* Priority factors */

/* "ann@pool" is meant by "ann", too. */
static bool customer_is(const char *customer, const char *name)
{
	size_t n = strlen(name);

	return strncmp(customer, name, n) == 0 && (customer[n] == '\0' || (customer[n] == '@' && !strchr(name, '@')));
}

void told_factor(const struct suppositions *list, struct event *event, bool *seen)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct supposition *s = &list->items[i];

		if (s->kind != SUPPOSED_SHARER || s->amount != SUPPOSE_FACTOR || event->customer.values.is_group ||
		    !customer_is(event->customer.name, s->name))
			continue;
		event->customer.values.factor = s->value;
		seen[i] = true;
	}
}

int told_change(struct sched *sched, const struct supposition *s, struct error *error)
{
	switch (s->kind) {
	case SUPPOSED_EVENT:
		return tell(sched, s, &s->event, error);
	case SUPPOSED_HOLD:
		return hold(sched, s, error);
	case SUPPOSED_SLOTS:
		return slots(sched, s, error);
	default:
		return 0;
	}
}
