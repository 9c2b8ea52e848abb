/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/gridengine/take_event.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

/* LIST, ADD, DEL and MOD of one kind of object. */
#define KIND(kind, about)								\
	[GDI_EV_##kind##_LIST] = { #kind "_LIST", REPORTED_LIST | (about) },		\
	[GDI_EV_##kind##_ADD] = { #kind "_ADD", (about) },				\
	[GDI_EV_##kind##_DEL] = { #kind "_DEL", (about) },				\
	[GDI_EV_##kind##_MOD] = { #kind "_MOD", (about) }
#define ONE(event, about) [GDI_EV_##event] = { #event, (about) }

static const struct {
	const char *name;
	unsigned about;
} types[GDI_EVENTS] = {
	KIND(ADMINHOST, 0), KIND(CALENDAR, REPORTED_CONFIGURATION), KIND(CKPT, REPORTED_CONFIGURATION),
	KIND(CENTRY, REPORTED_CONFIGURATION),
	KIND(CONFIG, REPORTED_CONFIGURATION), KIND(EXECHOST, REPORTED_CONFIGURATION | REPORTED_CLUSTER),
	ONE(GLOBAL_CONFIG, REPORTED_PROCESS),
	ONE(JATASK_ADD, REPORTED_JOB), ONE(JATASK_DEL, REPORTED_JOB), ONE(JATASK_MOD, REPORTED_JOB), ONE(PETASK_ADD, REPORTED_JOB),
	ONE(PETASK_DEL, REPORTED_JOB),
	KIND(JOB, REPORTED_JOB), ONE(JOB_MOD_SCHED_PRIORITY, REPORTED_JOB), ONE(JOB_USAGE, REPORTED_JOB),
	ONE(JOB_FINAL_USAGE, REPORTED_JOB), ONE(JOB_FINISH, 0),
	KIND(JOB_SCHEDD_INFO, 0), KIND(MANAGER, 0), KIND(OPERATOR, 0),
	ONE(NEW_SHARETREE, REPORTED_CONFIGURATION | REPORTED_SHARER),
	KIND(PE, REPORTED_CONFIGURATION | REPORTED_CLUSTER), KIND(PROJECT, REPORTED_CONFIGURATION | REPORTED_SHARER),
	ONE(QMASTER_GOES_DOWN, REPORTED_PROCESS),
	KIND(CQUEUE, REPORTED_CONFIGURATION | REPORTED_CLUSTER), ONE(QINSTANCE_ADD, REPORTED_CLUSTER),
	ONE(QINSTANCE_DEL, REPORTED_CLUSTER),
	ONE(QINSTANCE_MOD, REPORTED_CLUSTER), ONE(QINSTANCE_SOS, REPORTED_CLUSTER), ONE(QINSTANCE_USOS, REPORTED_CLUSTER),
	ONE(SCHED_CONF, REPORTED_CONFIGURATION | REPORTED_PROCESS), ONE(SCHEDDMONITOR, REPORTED_PROCESS),
	ONE(SHUTDOWN, REPORTED_PROCESS), KIND(SUBMITHOST, 0),
	KIND(USER, REPORTED_CONFIGURATION | REPORTED_SHARER), KIND(USERSET, REPORTED_CONFIGURATION),
	KIND(HGROUP, REPORTED_CONFIGURATION),
	KIND(RQS, REPORTED_CONFIGURATION), KIND(AR, REPORTED_CLUSTER), ONE(ACK_TIMEOUT, REPORTED_PROCESS),
};

static const enum gdi_event update_order[] = {
	GDI_EV_ADMINHOST_LIST, GDI_EV_CALENDAR_LIST, GDI_EV_CKPT_LIST, GDI_EV_CENTRY_LIST, GDI_EV_CONFIG_LIST,
	GDI_EV_EXECHOST_LIST, GDI_EV_JOB_LIST,
	GDI_EV_JOB_SCHEDD_INFO_LIST, GDI_EV_MANAGER_LIST, GDI_EV_OPERATOR_LIST, GDI_EV_PE_LIST, GDI_EV_CQUEUE_LIST,
	GDI_EV_SCHED_CONF,
	GDI_EV_SUBMITHOST_LIST, GDI_EV_USERSET_LIST, GDI_EV_NEW_SHARETREE, GDI_EV_PROJECT_LIST, GDI_EV_USER_LIST,
	GDI_EV_HGROUP_LIST,
	GDI_EV_RQS_LIST, GDI_EV_AR_LIST,
};

bool reported_event_next(struct gdi_list *events, struct reported_event *event)
{
	uint32_t type;

	if (!gdi_next(events, &event->element))
		return false;
	type = gdi_u32(&event->element, ET_type);
	event->type = type < GDI_EVENTS ? (enum gdi_event)type : 0;
	event->number = gdi_u32(&event->element, ET_number);
	event->intkey = gdi_u32(&event->element, ET_intkey);
	event->intkey2 = gdi_u32(&event->element, ET_intkey2);
	event->strkey = gdi_text(&event->element, ET_strkey);
	event->strkey2 = gdi_text(&event->element, ET_strkey2);
	event->elements = gdi_list(&event->element, ET_new_version);
	return true;
}

bool reported_event_is(const struct reported_event *event, enum reported_about about)
{
	return types[event->type].about & about;
}

const char *reported_event_name(enum gdi_event type)
{
	return types[type].name ? types[type].name : "of an unknown type";
}

unsigned reported_event_place(enum gdi_event type)
{
	for (unsigned i = 0; i < LENGTH(update_order); i++)
		if (update_order[i] == type)
			return i + 1;
	return 0;
}
