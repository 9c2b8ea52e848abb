/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queue instances: slots, states, and state changes by calendars. Each start and end causes an
 * event. The mirror is only informed of changes.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/qmaster/gridengine/known.h"
#include "sched/qmaster/gridengine/take.h"

/* Bits of QU_state. Load alarms are not included, because the scheduler computes them. */
static const struct { uint32_t bit; char letter; } states[] = {
	{ 0x4, 'd' }, { 0x100, 's' }, { 0x400, 'u' }, { 0x4000, 'E' }, { 0x20000, 'D' }, { 0x40000, 'C' },
	{ 0x80000, 'c' }, { 0x100000, 'o' },
};
enum { CALENDAR_BIT_OFF = 0x20000, CALENDAR_BIT_SUSPENDED = 0x40000 };

#define CHANGES_MOST 1000

static void letters_of(uint32_t state, bool suspended, char letters[16])
{
	size_t n = 0;

	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++)
		if (state & states[i].bit)
			letters[n++] = states[i].letter;
	if (suspended)
		letters[n++] = 'S';
	letters[n] = '\0';
}

/*
 * Read the future states. `until` 0 means for ever, which ends the list. A list whose times do not
 * ascend is cut there, and later states are not known. From malloc(3); NULL: no memory.
 */
static struct calendar_change *changes_read(const struct gdi_element *element, size_t *n)
{
	struct gdi_list list = gdi_list(element, QU_state_changes);
	size_t most = list.left < CHANGES_MOST ? list.left : CHANGES_MOST;
	struct calendar_change *items = calloc(most + 1, sizeof(*items));
	struct gdi_element one;

	for (*n = 0; items && *n < most && gdi_next(&list, &one); ++*n) {
		uint32_t state = gdi_u32(&one, CQU_state), until = gdi_u32(&one, CQU_until);

		if (*n > 0 && (items[*n - 1].until == CALENDAR_FOREVER || (until && until <= items[*n - 1].until)))
			break;
		items[*n].state = state & CALENDAR_BIT_OFF	   ? CALENDAR_OFF
				  : state & CALENDAR_BIT_SUSPENDED ? CALENDAR_SUSPENDED
								   : CALENDAR_UNSAID;
		items[*n].until = until ? until : CALENDAR_FOREVER;
	}
	return items;
}

/* Form "q@host". */
static int instance_name(struct take *take, const char *queue, const char *host, const char **name, struct error *error)
{
	size_t n = strlen(queue) + strlen(host) + 2;
	char *text;

	if (!said_is_name(queue) || !said_is_name(host) || strchr(queue, '@') || n > TAKE_NAME_BYTES)
		return error_set(error, -EINVAL, "a queue instance has no valid name");
	text = take_space(take, n, error);
	if (!text)
		return -ENOMEM;
	snprintf(text, n, "%s@%s", queue, host);
	*name = text;
	return 0;
}

static int instance_report(struct sge *sge, const char *name, const struct known_instance *instance, struct error *error)
{
	struct event event;

	event_init(&event, EVENT_QUEUE_INSTANCE);
	event.instance.queue = name;
	event.instance.slots = instance->slots;
	event.instance.state = instance->state;
	event.instance.state_changes = (struct calendar_changes){ instance->changes, instance->nchanges };
	return take_to_mirror(sge, &event, error);
}

static bool is_reported(const struct known_instance *a, const struct known_instance *b)
{
	bool same = a->slots == b->slots && strcmp(a->state, b->state) == 0 && !a->changes == !b->changes &&
		    a->nchanges == b->nchanges;

	for (size_t i = 0; same && i < a->nchanges; i++)
		same = a->changes[i].state == b->changes[i].state && a->changes[i].until == b->changes[i].until;
	return same;
}

/*
 * Report an instance if it has changed, and store the reported values. `now` and its memory are
 * taken over.
 */
static int instance_change(struct sge *sge, const char *name, const struct known_instance *now, struct error *error)
{
	const struct known_instance *before = known_instance(sge->known, name);
	int rc = before && is_reported(before, now) ? 0 : instance_report(sge, name, now, error);

	if (rc == 0 && known_put(sge->known, KNOWN_INSTANCE, name, now->version))
		rc = error_set(error, -ENOMEM, "out of memory");
	if (rc) {
		free(now->changes);
		return rc;
	}
	free(known_instance(sge->known, name)->changes);
	*known_instance(sge->known, name) = *now;
	return 0;
}

/*
 * Take a queue instance. Only a total update contains whether another queue suspends it. After
 * that, separate events do.
 */
int take_queue_instance(struct sge *sge, const struct gdi_element *element, struct error *error)
{
	struct known_instance now = { .version = gdi_u32(element, QU_version),
				      .slots = gdi_u32(element, QU_job_slots) },
			      *before;
	const char *name;
	int rc = instance_name(sge->take, gdi_text(element, QU_qname), gdi_text(element, QU_qhostname), &name, error);

	if (rc)
		return rc;
	before = known_instance(sge->known, name);
	now.suspended =
		before && !sge->take->before ? before->suspended : gdi_u32(element, QU_suspended_on_subordinate);
	if (now.slots == UINT32_MAX)
		now.slots--;
	letters_of(gdi_u32(element, QU_state), now.suspended, now.state);
	if (gdi_has(element, QU_state_changes) && !(now.changes = changes_read(element, &now.nchanges)))
		return error_set(error, -ENOMEM, "out of memory");
	return instance_change(sge, name, &now, error);
}

int take_queue_instance_suspended(struct sge *sge, const char *queue, const char *host, bool suspended,
				  struct error *error)
{
	struct known_instance *instance;
	const char *name;
	char *s;
	int rc = instance_name(sge->take, queue, host, &name, error);

	if (rc)
		return rc;
	instance = known_instance(sge->known, name);
	if (!instance)
		return error_set(error, -ENOENT, "there is no queue instance \"%.60s\"", name);
	s = strchr(instance->state, 'S');
	if (suspended && !s)
		strcat(instance->state, "S");
	else if (!suspended && s)
		*s = '\0';
	instance->suspended = suspended;
	return instance_report(sge, name, instance, error);
}

static int instance_drop(struct sge *sge, const char *name, struct error *error)
{
	struct event event;

	event_init(&event, EVENT_QUEUE_INSTANCE_DELETE);
	event.instance.queue = name;
	known_drop(sge->known, KNOWN_INSTANCE, name);
	return take_to_mirror(sge, &event, error);
}

int take_queue_instance_delete(struct sge *sge, const char *queue, const char *host, struct error *error)
{
	const char *name;
	int rc = instance_name(sge->take, queue, host, &name, error);

	return rc || !known_instance(sge->known, name) ? rc : instance_drop(sge, name, error);
}

/* Take a cluster queue with its instances. If it contains none, they come in separate events. */
int take_cluster_queue(struct sge *sge, const struct gdi_element *element, struct error *error)
{
	struct gdi_list list = gdi_list(element, CQ_qinstances);
	struct gdi_element one;
	int rc = 0, first = 0;

	while (rc != -ENOMEM && gdi_next(&list, &one)) {
		rc = take_queue_instance(sge, &one, error);
		first = first ? first : rc;
	}
	return rc == -ENOMEM ? rc : first;
}

int take_cluster_queue_delete(struct sge *sge, const char *queue, struct error *error)
{
	size_t length = strlen(queue);
	const char *name;
	bool there;
	int rc = 0;

	for (size_t i = 0; rc == 0 && (name = known_instance_at(sge->known, i, &there)); i++)
		if (there && strncmp(name, queue, length) == 0 && name[length] == '@')
			rc = instance_drop(sge, name, error);
	return rc;
}
