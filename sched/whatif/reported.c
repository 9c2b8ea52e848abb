/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of reported objects: jobs, holds, slots, factors. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/mirror/mirror.h"
#include "sched/mirror/queries.h"
#include "sched/whatif/inside.h"

static int apply(struct sched *sched, const struct supposition *supposition, const struct event *event,
		 struct error *error)
{
	struct error why = { "" };
	int rc = mirror_apply(sched_mirror(sched), event, &why);

	return rc == 0 || rc == -ENOMEM ? rc : suppose_error(supposition, -EINVAL, error, "%s", why.text);
}

/* Holds, of all pending tasks */

static bool has_letter(const char *letters, int kind)
{
	return strchr(letters, "uos"[kind]) != NULL;
}

static int hold(struct sched *sched, const struct supposition *supposition, struct error *error)
{
	const struct mirror *mirror = sched_mirror(sched);
	uint32_t row = mirror_active_row(mirror, supposition->number);
	const struct job_extra *extra = row == INDEX_NONE ? NULL : mirror_row_extra(mirror, row);
	const struct ranges waiting = job_waiting(extra);
	struct ranges copies[HOLD_KINDS] = { { 0 } };
	struct event event;
	int rc = 0;

	if (row == INDEX_NONE)
		return suppose_error(supposition, -EINVAL, error, "there is no job %u", supposition->number);
	event_init(&event, EVENT_JOB_MODIFY);
	event.job.job_number = supposition->number;
	event.job.given = JOB_HOLD;
	/* the job's sets are freed when the event is applied */
	for (int k = 0; rc == 0 && k < HOLD_KINDS; k++) {
		bool set = k <= HOLD_SYSTEM && has_letter(supposition->place, k),
		     gone = k <= HOLD_SYSTEM && has_letter(supposition->release, k);

		if (set || (extra && !gone))
			rc = ranges_copy(&copies[k], set ? &waiting : &extra->sets[k]);
		event.job.hold[k] = copies[k];
	}
	rc = rc ? rc : apply(sched, supposition, &event, error);
	for (int k = 0; k < HOLD_KINDS; k++)
		ranges_free(&copies[k]);
	return rc;
}

/* Slots */

static int instance_change(struct sched *sched, const struct supposition *supposition, size_t i, struct error *error)
{
	const struct mirror *mirror = sched_mirror(sched);
	char *name = strdup(mirror_instance_name(mirror, i));
	char letters[INSTANCE_LETTERS + 1];
	struct event event;
	int rc;

	if (!name)
		return -ENOMEM;
	strcpy(letters, mirror_instance(mirror, i)->state);
	event_init(&event, EVENT_QUEUE_INSTANCE);
	event.instance.queue = name;
	event.instance.slots = supposition->number;
	event.instance.state = letters;
	rc = apply(sched, supposition, &event, error);
	free(name);
	return rc;
}

static bool is_of_queue(const char *instance, const char *queue)
{
	size_t n = strlen(queue);

	return strncmp(instance, queue, n) == 0 && instance[n] == '@';
}

/* Set the slots of instances, except those that have the slots of their queue. */
static int slots(struct sched *sched, const struct supposition *supposition, struct error *error)
{
	const struct mirror *mirror = sched_mirror(sched);
	bool one = strchr(supposition->name, '@') != NULL;
	size_t found = 0;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < mirror_instance_count(mirror); i++) {
		const char *name = mirror_instance_name(mirror, i);
		const struct instance *instance = mirror_instance(mirror, i);

		if (instance->ad_id != NONE ||
		    !(one ? strcmp(name, supposition->name) == 0 : is_of_queue(name, supposition->name)))
			continue;
		found++;
		rc = one || !instance->slots_of_queue ? instance_change(sched, supposition, i, error) : 0;
	}
	if (rc == 0 && found == 0)
		rc = suppose_error(supposition, -EINVAL, error, "there is no queue instance %s\"%.60s\"",
				   one ? "" : "of ", supposition->name);
	return rc;
}

/* Priority factors */

/* Return whether a name means a customer: "ann" means "ann@pool", too. */
static bool customer_is(const char *customer, const char *name)
{
	size_t n = strlen(name);

	return strncmp(customer, name, n) == 0 && (customer[n] == '\0' || (customer[n] == '@' && !strchr(name, '@')));
}

void reported_factor(const struct suppositions *list, struct event *event, bool *seen)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct supposition *supposition = &list->items[i];

		if (supposition->kind != SUPPOSED_SHARER || supposition->amount != SUPPOSE_FACTOR ||
		    event->customer.values.is_group || !customer_is(event->customer.name, supposition->name))
			continue;
		event->customer.values.factor = supposition->value;
		seen[i] = true;
	}
}

int reported_change(struct sched *sched, const struct supposition *supposition, struct error *error)
{
	switch (supposition->kind) {
	case SUPPOSED_EVENT:
		return apply(sched, supposition, &supposition->event, error);
	case SUPPOSED_HOLD:
		return hold(sched, supposition, error);
	case SUPPOSED_SLOTS:
		return slots(sched, supposition, error);
	default:
		return 0;
	}
}
