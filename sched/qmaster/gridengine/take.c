/* SPDX-License-Identifier: Apache-2.0 */
/* Deliveries: which function takes which event, and what is done with those that can't be taken. */
#include "sched/qmaster/gridengine/take.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "conf/utf8.h"
#include "sched/process/log.h"
#include "sched/qmaster/gridengine/known.h"
#include "sched/qmaster/gridengine/place.h"
#include "sched/qmaster/gridengine/settlement.h"
#include "sched/qmaster/gridengine/take_event.h"
#include "sched/qmaster/gridengine/take_usage.h"
#include "sched/qmaster/gridengine/usage.h"

#define TOLD_MOST 200		/* events of which it is said that they can't be understood */

/* What can't be taken */

static void refused_say(struct take *t, const struct told_event *e, const struct error *error)
{
	char who[160], what[260];
	uint32_t number;
	size_t before = t->told.n;

	snprintf(who, sizeof(who), "%s %u %u%s%.40s%s%.40s", told_event_name(e->type), e->intkey, e->intkey2, *e->strkey ? " " : "", e->strkey,
		 *e->strkey2 ? " " : "", e->strkey2);
	utf8_clean(who);
	snprintf(what, sizeof(what), "%s", error->text);
	utf8_clean(what);
	if (before >= TOLD_MOST || text_set_add(&t->told, who, &number) || t->told.n == before)
		return;
	log_line(LOG_FAILURE, "event %u of the qmaster, %s, can't be used: %s%s", e->number, who, what,
		 t->told.n == TOLD_MOST ? ". More of the kind are only counted" : "");
}

/* An error of -ENOMEM or -EPROTO ends the delivery; any other is about this event alone. */
int take_refuse(struct sge *g, const struct told_event *e, int rc, struct error *error)
{
	if (rc == 0 || rc == -ENOMEM || rc == -EPROTO)
		return rc;
	g->refused++;
	refused_say(g->take, e, error);
	return 0;
}

int take_tell(struct sge *g, const struct event *event, struct error *error)
{
	return intake_event(g->intake, event, error);
}

/* Kinds of events */

/* The element of ADD and MOD: valid as long as the event. */
static int element_of(struct told_event *e, struct gdi_element *element, struct error *error)
{
	return gdi_next(&e->elements, element) ? 0 : error_set(error, -EINVAL, "there is no element in it");
}

static int take_of_job(struct sge *g, struct told_event *e, struct error *error)
{
	struct gdi_element element;
	int rc = 0;

	switch (e->type) {
	case GDI_EV_JOB_ADD:
	case GDI_EV_JOB_MOD:
	case GDI_EV_JOB_MOD_SCHED_PRIORITY:
		rc = element_of(e, &element, error);
		return rc ? rc : take_job(g, e->type, &element, error);
	case GDI_EV_JOB_DEL:
		return take_job_delete(g, e->intkey, error);
	case GDI_EV_JATASK_ADD:
	case GDI_EV_JATASK_MOD:
		rc = element_of(e, &element, error);
		rc = rc ? rc : take_task(g, e->intkey, &element, error);
		if (rc && rc != -ENOMEM)
			take_job_doubt(g, e->intkey);
		return rc;
	case GDI_EV_JATASK_DEL:
		return take_task_delete(g, e->intkey, e->intkey2, error);
	case GDI_EV_JOB_USAGE:
		return take_task_usage(g, e->intkey, e->intkey2, e->strkey, &e->elements, error);
	case GDI_EV_JOB_FINAL_USAGE:
		return *e->strkey ? take_task_usage(g, e->intkey, e->intkey2, e->strkey, &e->elements, error) :
				    take_task_end(g, e->intkey, e->intkey2, &e->elements, error);
	case GDI_EV_PETASK_ADD:
		rc = element_of(e, &element, error);
		return rc ? rc : take_pe_task(g, e->intkey, e->intkey2, &element, error);
	case GDI_EV_PETASK_DEL:
		return take_pe_task_delete(g, e->intkey, e->intkey2, e->strkey, error);
	default:
		return 0;
	}
}

static int take_of_cluster(struct sge *g, struct told_event *e, struct error *error)
{
	struct gdi_element element;
	int rc = 0;

	switch (e->type) {
	case GDI_EV_CQUEUE_DEL:
		return take_cluster_queue_delete(g, e->strkey, error);
	case GDI_EV_QINSTANCE_DEL:
		return take_queue_instance_delete(g, e->strkey, e->strkey2, error);
	case GDI_EV_QINSTANCE_SOS:
	case GDI_EV_QINSTANCE_USOS:
		return take_queue_instance_suspended(g, e->strkey, e->strkey2, e->type == GDI_EV_QINSTANCE_SOS, error);
	case GDI_EV_EXECHOST_DEL:
		return take_host_delete(g, e->strkey, error);
	case GDI_EV_AR_DEL:
		return take_advance_delete(g, e->intkey, error);
	case GDI_EV_PE_DEL:
		known_drop(g->known, KNOWN_PE, e->strkey);
		return 0;
	default:
		rc = element_of(e, &element, error);
		return rc ? rc : take_element(g, e->type, &element, error);
	}
}

static int take_sharer(struct sge *g, enum gdi_event type, const struct gdi_element *e, struct error *error)
{
	bool user = type == GDI_EV_USER_LIST || type == GDI_EV_USER_ADD || type == GDI_EV_USER_MOD;
	bool project = type == GDI_EV_PROJECT_LIST || type == GDI_EV_PROJECT_ADD || type == GDI_EV_PROJECT_MOD;
	const char *name;
	int rc;

	if (!user && !project)
		return 0;
	rc = said_key(e, user ? UU_name : PR_name, &name, error);
	if (rc == 0 && known_put(g->known, user ? KNOWN_USER : KNOWN_PROJECT, name, gdi_u32(e, user ? UU_version : PR_version)))
		rc = error_set(error, -ENOMEM, "out of memory");
	return rc ? rc : usage_told(g, type, e, error);
}

/* One of a list in a total update, or the one of ADD and MOD. */
int take_element(struct sge *g, enum gdi_event type, const struct gdi_element *e, struct error *error)
{
	switch (type) {
	case GDI_EV_CQUEUE_LIST:
	case GDI_EV_CQUEUE_ADD:
	case GDI_EV_CQUEUE_MOD:
		return take_cluster_queue(g, e, error);
	case GDI_EV_QINSTANCE_ADD:
	case GDI_EV_QINSTANCE_MOD:
		return take_queue_instance(g, e, error);
	case GDI_EV_EXECHOST_LIST:
	case GDI_EV_EXECHOST_ADD:
	case GDI_EV_EXECHOST_MOD:
		return take_host(g, e, error);
	case GDI_EV_AR_LIST:
	case GDI_EV_AR_ADD:
	case GDI_EV_AR_MOD:
		return take_advance(g, e, error);
	case GDI_EV_PE_LIST:
	case GDI_EV_PE_ADD:
	case GDI_EV_PE_MOD:
		return known_put(g->known, KNOWN_PE, gdi_text(e, PE_name), gdi_u32(e, PE_control_slaves)) ?
			       error_set(error, -ENOMEM, "out of memory") : 0;
	case GDI_EV_JOB_LIST:
		return take_job(g, type, e, error);
	case GDI_EV_NEW_SHARETREE:
		known_set_tree_version(g->known, gdi_u32(e, STN_version));
		return 0;
	default:
		return take_sharer(g, type, e, error);
	}
}

static int take_of_sharers(struct sge *g, struct told_event *e, struct error *error)
{
	struct gdi_element element;
	int rc;

	if (e->type == GDI_EV_USER_DEL || e->type == GDI_EV_PROJECT_DEL) {
		known_drop(g->known, e->type == GDI_EV_USER_DEL ? KNOWN_USER : KNOWN_PROJECT, e->strkey);
		usage_gone(g, e->type, e->strkey);
		return 0;
	}
	if (e->type == GDI_EV_NEW_SHARETREE) {	/* none, where it was deleted */
		return gdi_next(&e->elements, &element) ? take_element(g, e->type, &element, error) : 0;
	}
	rc = element_of(e, &element, error);
	return rc ? rc : take_sharer(g, e->type, &element, error);
}

/* By far the most events of hosts are load reports, which the configuration need not look at. */
static int host_take(struct sge *g, struct told_event *e, struct error *error)
{
	struct gdi_element element;
	int rc = element_of(e, &element, error), changed;

	if (rc)
		return rc;
	changed = take_host_changed(g, &element, error);
	if (changed < 0)
		return changed;
	if (changed)
		rc = cell_objects_event(g->objects, e->type, &e->element, error);
	if (rc && rc != -ENOMEM)
		rc = take_refuse(g, e, -EINVAL, error);
	return rc ? rc : take_host(g, &element, error);
}

/* Configuration first, so that what is about objects finds them. */
static int event_take(struct sge *g, struct told_event *e, struct error *error)
{
	int rc = 0;

	if (e->type == GDI_EV_EXECHOST_MOD)
		return host_take(g, e, error);
	if (told_event_is(e, TOLD_CONFIGURATION))
		rc = cell_objects_event(g->objects, e->type, &e->element, error);
	if (rc && rc != -ENOMEM)
		rc = take_refuse(g, e, -EINVAL, error);
	if (rc == 0 && told_event_is(e, TOLD_JOB))
		rc = take_of_job(g, e, error);
	if (rc == 0 && told_event_is(e, TOLD_CLUSTER))
		rc = take_of_cluster(g, e, error);
	if (rc == 0 && told_event_is(e, TOLD_SHARER))
		rc = take_of_sharers(g, e, error);
	if (rc == 0 && told_event_is(e, TOLD_PROCESS))
		place_event(g, e->type);
	return rc;
}

/* Deliveries */

static int order_check(struct take *t, const struct told_event *e, struct error *error)
{
	if (t->next && e->number != t->next)
		return error_set(error, -EPROTO, "the qmaster's event %u comes where %llu is due", e->number, (unsigned long long)t->next);
	t->next = (uint64_t)e->number + 1;
	return 0;
}

static int delivery_take(struct sge *g, struct gdi_list *events, struct error *error)
{
	struct gdi_list before = *events;
	struct told_event e;
	int rc = 0;

	while (rc == 0 && told_event_next(events, &e)) {
		bool again = g->take->next && e.number < g->take->next;

		if (!again && told_event_is(&e, TOLD_LIST)) {
			*events = before;
			rc = take_update(g, events, error);
		} else if (!again) {
			rc = order_check(g->take, &e, error);
			rc = rc ? rc : take_refuse(g, &e, event_take(g, &e, error), error);
		}
		take_clear(g->take);
		before.at = events->at;
		before.left = events->left;
	}
	return rc;
}

int take_delivery(struct sge *g, struct gdi_list *events, struct error *error)
{
	int rc = delivery_take(g, events, error);

	rc = rc ? rc : take_usage_settle(g, error);
	take_clear(g->take);
	if (rc)
		return rc;
	g->told++;
	settlement_delivered(g);
	return 0;
}

/* Opening */

void take_registered(struct sge *g)
{
	take_update_drop(g);
	g->take->next = 1;
	g->updated = false;
}

int take_open(struct sge *g, struct error *error)
{
	g->take = calloc(1, sizeof(*g->take));
	g->known = known_create();
	return g->take && g->known ? 0 : error_set(error, -ENOMEM, "out of memory");
}

void take_close(struct sge *g)
{
	if (g->take) {
		take_update_drop(g);
		take_free(g->take);
		text_set_free(&g->take->told);
		free(g->take->dirty);
		free(g->take);
	}
	known_destroy(g->known);
	g->take = NULL;
	g->known = NULL;
}
