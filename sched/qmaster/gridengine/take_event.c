/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/gridengine/take_event.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

/* LIST, ADD, DEL and MOD of one kind of object. */
#define KIND(kind, about)								\
	[GDI_EV_##kind##_LIST] = { #kind "_LIST", TOLD_LIST | (about) },		\
	[GDI_EV_##kind##_ADD] = { #kind "_ADD", (about) },				\
	[GDI_EV_##kind##_DEL] = { #kind "_DEL", (about) },				\
	[GDI_EV_##kind##_MOD] = { #kind "_MOD", (about) }
#define ONE(event, about) [GDI_EV_##event] = { #event, (about) }

static const struct {
	const char *name;
	unsigned about;
} types[GDI_EVENTS] = {
	KIND(ADMINHOST, 0), KIND(CALENDAR, TOLD_CONFIGURATION), KIND(CKPT, TOLD_CONFIGURATION),
	KIND(CENTRY, TOLD_CONFIGURATION),
	KIND(CONFIG, TOLD_CONFIGURATION), KIND(EXECHOST, TOLD_CONFIGURATION | TOLD_CLUSTER),
	ONE(GLOBAL_CONFIG, TOLD_PROCESS),
	ONE(JATASK_ADD, TOLD_JOB), ONE(JATASK_DEL, TOLD_JOB), ONE(JATASK_MOD, TOLD_JOB), ONE(PETASK_ADD, TOLD_JOB),
	ONE(PETASK_DEL, TOLD_JOB),
	KIND(JOB, TOLD_JOB), ONE(JOB_MOD_SCHED_PRIORITY, TOLD_JOB), ONE(JOB_USAGE, TOLD_JOB),
	ONE(JOB_FINAL_USAGE, TOLD_JOB), ONE(JOB_FINISH, 0),
	KIND(JOB_SCHEDD_INFO, 0), KIND(MANAGER, 0), KIND(OPERATOR, 0),
	ONE(NEW_SHARETREE, TOLD_CONFIGURATION | TOLD_SHARER),
	KIND(PE, TOLD_CONFIGURATION | TOLD_CLUSTER), KIND(PROJECT, TOLD_CONFIGURATION | TOLD_SHARER),
	ONE(QMASTER_GOES_DOWN, TOLD_PROCESS),
	KIND(CQUEUE, TOLD_CONFIGURATION | TOLD_CLUSTER), ONE(QINSTANCE_ADD, TOLD_CLUSTER),
	ONE(QINSTANCE_DEL, TOLD_CLUSTER),
	ONE(QINSTANCE_MOD, TOLD_CLUSTER), ONE(QINSTANCE_SOS, TOLD_CLUSTER), ONE(QINSTANCE_USOS, TOLD_CLUSTER),
	ONE(SCHED_CONF, TOLD_CONFIGURATION | TOLD_PROCESS), ONE(SCHEDDMONITOR, TOLD_PROCESS),
	ONE(SHUTDOWN, TOLD_PROCESS), KIND(SUBMITHOST, 0),
	KIND(USER, TOLD_CONFIGURATION | TOLD_SHARER), KIND(USERSET, TOLD_CONFIGURATION),
	KIND(HGROUP, TOLD_CONFIGURATION),
	KIND(RQS, TOLD_CONFIGURATION), KIND(AR, TOLD_CLUSTER), ONE(ACK_TIMEOUT, TOLD_PROCESS),
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

bool told_event_next(struct gdi_list *events, struct told_event *event)
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

bool told_event_is(const struct told_event *event, enum told_about about)
{
	return types[event->type].about & about;
}

const char *told_event_name(enum gdi_event type)
{
	return types[type].name ? types[type].name : "of an unknown type";
}

unsigned told_event_place(enum gdi_event type)
{
	for (unsigned i = 0; i < LENGTH(update_order); i++)
		if (update_order[i] == type)
			return i + 1;
	return 0;
}
