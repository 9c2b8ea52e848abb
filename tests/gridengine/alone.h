/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Taking events without the rest of the room. Calls to orders, the scheduler role and the
 * configuration are recorded as text.
 */
#ifndef TESTS_GRIDENGINE_ALONE_H
#define TESTS_GRIDENGINE_ALONE_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sched/qmaster/gridengine/inside.h"
#include "sched/qmaster/gridengine/place.h"
#include "sched/qmaster/gridengine/settlement.h"
#include "sched/qmaster/gridengine/usage.h"

static char heard[1 << 16];		/* "started 17 1\n" and so on */
static bool booked;		/* ended tasks have been booked */
static bool alone_is_silent;	/* calls are not recorded */

__attribute__((format(printf, 1, 2)))
static inline void hear(const char *format, ...)
{
	size_t n = alone_is_silent ? 0 : strlen(heard);
	va_list arguments;

	if (alone_is_silent)
		return;
	va_start(arguments, format);
	vsnprintf(heard + n, sizeof(heard) - n, format, arguments);
	va_end(arguments);
}

/* Replacements for the rest of the room */

void settlement_started(struct sge *sge, uint32_t job_number, uint32_t task)
{
	(void)sge;
	hear("started %u.%u\n", job_number, task);
}
void settlement_enrolled(struct sge *sge, uint32_t job_number, uint32_t task)
{
	(void)sge;
	hear("enrolled %u.%u\n", job_number, task);
}
void settlement_finished(struct sge *sge, uint32_t job_number, uint32_t task, bool booking)
{
	(void)sge;
	hear("finished %u.%u%s\n", job_number, task, booking ? "" : " unbooked");
}
void settlement_removed(struct sge *sge, uint32_t job_number, uint32_t task)
{
	(void)sge;
	hear("removed %u.%u\n", job_number, task);
}
void settlement_delivered(struct sge *sge) { (void)sge; hear("delivered\n"); }
void settlement_updated(struct sge *sge) { (void)sge; hear("updated\n"); }
void place_event(struct sge *sge, enum gdi_event type) { (void)sge; hear("event %d\n", type); }
void usage_gone(struct sge *sge, enum gdi_event type, const char *name) { (void)sge; hear("gone %d %s\n", type, name); }
bool usage_booked(const struct sge *sge, uint32_t job_number, uint32_t task)
{
	(void)sge;
	(void)job_number;
	(void)task;
	return booked;
}

int usage_reported(struct sge *sge, enum gdi_event type, const struct gdi_element *element, struct error *error)
{
	bool user = type == GDI_EV_USER_LIST || type == GDI_EV_USER_ADD || type == GDI_EV_USER_MOD;
	const char *name = gdi_text(element, user ? UU_name : PR_name);
	uint32_t version = UINT32_MAX;

	(void)error;
	if (user)
		known_user_version(sge->known, name, &version);
	else
		known_project_version(sge->known, name, &version);
	hear("%s %s version %u\n", user ? "user" : "project", name, version);
	return 0;
}

#ifndef ALONE_BUT_FOR_THE_CONFIGURATION
/* Values of the cell for the test */
static unsigned hosts_reported;		/* events EXECHOST_MOD for the configuration */

int cell_objects_update_begin(struct cell_objects *objects) { (void)objects; hear("configuration begins\n"); return 0; }
int cell_objects_update_end(struct cell_objects *objects) { (void)objects; hear("configuration ends\n"); return 0; }
void cell_objects_update_abandon(struct cell_objects *objects) { (void)objects; hear("configuration abandoned\n"); }
int take_configure(struct sge *sge, struct error *error) { (void)sge; (void)error; hear("configured\n"); return 0; }

int cell_objects_event(struct cell_objects *objects, enum gdi_event type, const struct gdi_element *event,
		       struct error *error)
{
	(void)objects;
	(void)event;
	(void)error;
	if (type == GDI_EV_SCHED_CONF)
		hear("sched_conf\n");
	hosts_reported += type == GDI_EV_EXECHOST_MOD;
	return 0;
}
#endif

#endif
