/* SPDX-License-Identifier: Apache-2.0 */
/* Deliveries: the function for each event, and the handling of events that cannot be taken. */
#include "sched/qmaster/gridengine/take.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "conf/base/utf8.h"
#include "sched/process/log.h"
#include "sched/qmaster/gridengine/known.h"
#include "sched/qmaster/gridengine/place.h"
#include "sched/qmaster/gridengine/settlement.h"
#include "sched/qmaster/gridengine/take_event.h"
#include "sched/qmaster/gridengine/take_usage.h"
#include "sched/qmaster/gridengine/usage.h"

#define REPORTED_MOST 200		/* limit of different events that are logged */

/* Errors */

static void refused_say(struct take *t, const struct reported_event *event, const struct error *error)
{
	char who[160], what[260];
	uint32_t number;
	size_t before = t->reported.n;

	snprintf(who, sizeof(who), "%s %u %u%s%.40s%s%.40s", reported_event_name(event->type), event->intkey,
		 event->intkey2, *event->strkey ? " " : "", event->strkey, *event->strkey2 ? " " : "", event->strkey2);
	utf8_clean(who);
	snprintf(what, sizeof(what), "%s", error->text);
	utf8_clean(what);
	if (before >= REPORTED_MOST || text_set_add(&t->reported, who, &number) || t->reported.n == before)
		return;
	log_line(LOG_FAILURE, "event %u of the qmaster, %s, cannot be used: %s%s", event->number, who, what,
		 t->reported.n == REPORTED_MOST ? ". Further ones are only counted" : "");
}

/* Handle an error. -ENOMEM and -EPROTO end the delivery. Other errors concern only this event. */
int take_refuse(struct sge *sge, const struct reported_event *event, int rc, struct error *error)
{
	if (rc == 0 || rc == -ENOMEM || rc == -EPROTO)
		return rc;
	sge->refused++;
	refused_say(sge->take, event, error);
	return 0;
}

int take_to_mirror(struct sge *sge, const struct event *event, struct error *error)
{
	return intake_event(sge->intake, event, error);
}

/* Kinds of events */

/* Return the element of ADD and MOD, valid as long as the event. */
static int element_of(struct reported_event *event, struct gdi_element *element, struct error *error)
{
	return gdi_next(&event->elements, element) ? 0 : error_set(error, -EINVAL, "it has no element");
}

static int take_of_job(struct sge *sge, struct reported_event *event, struct error *error)
{
	struct gdi_element element;
	int rc = 0;

	switch (event->type) {
	case GDI_EV_JOB_ADD:
	case GDI_EV_JOB_MOD:
	case GDI_EV_JOB_MOD_SCHED_PRIORITY:
		rc = element_of(event, &element, error);
		return rc ? rc : take_job(sge, event->type, &element, error);
	case GDI_EV_JOB_DEL:
		return take_job_delete(sge, event->intkey, error);
	case GDI_EV_JATASK_ADD:
	case GDI_EV_JATASK_MOD:
		rc = element_of(event, &element, error);
		rc = rc ? rc : take_task(sge, event->intkey, &element, error);
		if (rc && rc != -ENOMEM)
			take_job_doubt(sge, event->intkey);
		return rc;
	case GDI_EV_JATASK_DEL:
		return take_task_delete(sge, event->intkey, event->intkey2, error);
	case GDI_EV_JOB_USAGE:
		return take_task_usage(sge, event->intkey, event->intkey2, event->strkey, &event->elements, error);
	case GDI_EV_JOB_FINAL_USAGE:
		return *event->strkey ? take_task_usage(sge, event->intkey, event->intkey2, event->strkey,
							&event->elements, error)
				      : take_task_end(sge, event->intkey, event->intkey2, &event->elements, error);
	case GDI_EV_PETASK_ADD:
		rc = element_of(event, &element, error);
		return rc ? rc : take_pe_task(sge, event->intkey, event->intkey2, &element, error);
	case GDI_EV_PETASK_DEL:
		return take_pe_task_delete(sge, event->intkey, event->intkey2, event->strkey, error);
	default:
		return 0;
	}
}

static int take_of_cluster(struct sge *sge, struct reported_event *event, struct error *error)
{
	struct gdi_element element;
	int rc = 0;

	switch (event->type) {
	case GDI_EV_CQUEUE_DEL:
		return take_cluster_queue_delete(sge, event->strkey, error);
	case GDI_EV_QINSTANCE_DEL:
		return take_queue_instance_delete(sge, event->strkey, event->strkey2, error);
	case GDI_EV_QINSTANCE_SOS:
	case GDI_EV_QINSTANCE_USOS:
		return take_queue_instance_suspended(sge, event->strkey, event->strkey2,
						     event->type == GDI_EV_QINSTANCE_SOS, error);
	case GDI_EV_EXECHOST_DEL:
		return take_host_delete(sge, event->strkey, error);
	case GDI_EV_AR_DEL:
		return take_advance_delete(sge, event->intkey, error);
	case GDI_EV_PE_DEL:
		known_drop(sge->known, KNOWN_PE, event->strkey);
		return 0;
	default:
		rc = element_of(event, &element, error);
		return rc ? rc : take_element(sge, event->type, &element, error);
	}
}

static int take_sharer(struct sge *sge, enum gdi_event type, const struct gdi_element *element, struct error *error)
{
	bool user = type == GDI_EV_USER_LIST || type == GDI_EV_USER_ADD || type == GDI_EV_USER_MOD;
	bool project = type == GDI_EV_PROJECT_LIST || type == GDI_EV_PROJECT_ADD || type == GDI_EV_PROJECT_MOD;
	const char *name;
	int rc;

	if (!user && !project)
		return 0;
	rc = said_key(element, user ? UU_name : PR_name, &name, error);
	if (rc == 0 && known_put(sge->known, user ? KNOWN_USER : KNOWN_PROJECT, name,
				 gdi_u32(element, user ? UU_version : PR_version)))
		rc = error_set(error, -ENOMEM, "out of memory");
	return rc ? rc : usage_reported(sge, type, element, error);
}

/* Take an element of a list in a total update, or the element of ADD and MOD. */
int take_element(struct sge *sge, enum gdi_event type, const struct gdi_element *element, struct error *error)
{
	switch (type) {
	case GDI_EV_CQUEUE_LIST:
	case GDI_EV_CQUEUE_ADD:
	case GDI_EV_CQUEUE_MOD:
		return take_cluster_queue(sge, element, error);
	case GDI_EV_QINSTANCE_ADD:
	case GDI_EV_QINSTANCE_MOD:
		return take_queue_instance(sge, element, error);
	case GDI_EV_EXECHOST_LIST:
	case GDI_EV_EXECHOST_ADD:
	case GDI_EV_EXECHOST_MOD:
		return take_host(sge, element, error);
	case GDI_EV_AR_LIST:
	case GDI_EV_AR_ADD:
	case GDI_EV_AR_MOD:
		return take_advance(sge, element, error);
	case GDI_EV_PE_LIST:
	case GDI_EV_PE_ADD:
	case GDI_EV_PE_MOD:
		return known_put(sge->known, KNOWN_PE, gdi_text(element, PE_name), gdi_u32(element, PE_control_slaves))
			       ? error_set(error, -ENOMEM, "out of memory")
			       : 0;
	case GDI_EV_JOB_LIST:
		return take_job(sge, type, element, error);
	case GDI_EV_NEW_SHARETREE:
		known_set_tree_version(sge->known, gdi_u32(element, STN_version));
		return 0;
	default:
		return take_sharer(sge, type, element, error);
	}
}

static int take_of_sharers(struct sge *sge, struct reported_event *event, struct error *error)
{
	struct gdi_element element;
	int rc;

	if (event->type == GDI_EV_USER_DEL || event->type == GDI_EV_PROJECT_DEL) {
		known_drop(sge->known, event->type == GDI_EV_USER_DEL ? KNOWN_USER : KNOWN_PROJECT, event->strkey);
		usage_gone(sge, event->type, event->strkey);
		return 0;
	}
	if (event->type == GDI_EV_NEW_SHARETREE) {	/* no element if the tree was deleted */
		return gdi_next(&event->elements, &element) ? take_element(sge, event->type, &element, error) : 0;
	}
	rc = element_of(event, &element, error);
	return rc ? rc : take_sharer(sge, event->type, &element, error);
}

/* Take an event of a host. Most are load reports, which do not change the configuration. */
static int host_take(struct sge *sge, struct reported_event *event, struct error *error)
{
	struct gdi_element element;
	int rc = element_of(event, &element, error), changed;

	if (rc)
		return rc;
	changed = take_host_changed(sge, &element, error);
	if (changed < 0)
		return changed;
	if (changed)
		rc = cell_objects_event(sge->objects, event->type, &event->element, error);
	if (rc && rc != -ENOMEM)
		rc = take_refuse(sge, event, -EINVAL, error);
	return rc ? rc : take_host(sge, &element, error);
}

/* Take an event. The configuration comes first, so that other parts find new objects. */
static int event_take(struct sge *sge, struct reported_event *event, struct error *error)
{
	int rc = 0;

	if (event->type == GDI_EV_EXECHOST_MOD)
		return host_take(sge, event, error);
	if (reported_event_is(event, REPORTED_CONFIGURATION))
		rc = cell_objects_event(sge->objects, event->type, &event->element, error);
	if (rc && rc != -ENOMEM)
		rc = take_refuse(sge, event, -EINVAL, error);
	if (rc == 0 && reported_event_is(event, REPORTED_JOB))
		rc = take_of_job(sge, event, error);
	if (rc == 0 && reported_event_is(event, REPORTED_CLUSTER))
		rc = take_of_cluster(sge, event, error);
	if (rc == 0 && reported_event_is(event, REPORTED_SHARER))
		rc = take_of_sharers(sge, event, error);
	if (rc == 0 && reported_event_is(event, REPORTED_PROCESS))
		place_event(sge, event->type);
	return rc;
}

/* Deliveries */

static int order_check(struct take *take, const struct reported_event *event, struct error *error)
{
	if (take->next && event->number != take->next)
		return error_set(error, -EPROTO, "the qmaster has sent event %u instead of event %llu", event->number,
				 (unsigned long long)take->next);
	take->next = (uint64_t)event->number + 1;
	return 0;
}

static int delivery_take(struct sge *sge, struct gdi_list *events, struct error *error)
{
	struct gdi_list before = *events;
	struct reported_event event;
	int rc = 0;

	while (rc == 0 && reported_event_next(events, &event)) {
		bool again = sge->take->next && event.number < sge->take->next;

		if (!again && reported_event_is(&event, REPORTED_LIST)) {
			*events = before;
			rc = take_update(sge, events, error);
		} else if (!again) {
			rc = order_check(sge->take, &event, error);
			rc = rc ? rc : take_refuse(sge, &event, event_take(sge, &event, error), error);
		}
		take_clear(sge->take);
		before.at = events->at;
		before.left = events->left;
	}
	return rc;
}

int take_delivery(struct sge *sge, struct gdi_list *events, struct error *error)
{
	int rc = delivery_take(sge, events, error);

	rc = rc ? rc : take_usage_settle(sge, error);
	take_clear(sge->take);
	if (rc)
		return rc;
	sge->reported++;
	settlement_delivered(sge);
	return 0;
}

/* Creation */

void take_registered(struct sge *sge)
{
	take_update_drop(sge);
	sge->take->next = 1;
	sge->updated = false;
}

int take_open(struct sge *sge, struct error *error)
{
	sge->take = calloc(1, sizeof(*sge->take));
	sge->known = known_create();
	return sge->take && sge->known ? 0 : error_set(error, -ENOMEM, "out of memory");
}

void take_close(struct sge *sge)
{
	if (sge->take) {
		take_update_drop(sge);
		take_free(sge->take);
		text_set_free(&sge->take->reported);
		free(sge->take->dirty);
		free(sge->take);
	}
	known_destroy(sge->known);
	sge->take = NULL;
	sge->known = NULL;
}
