/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Taking events without the rest of the room: what orders, the place and the configuration would
 * hear of them is noted as text.
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
static bool booked;		/* is what has ended booked? */
static bool alone_is_silent;	/* nothing is noted */

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

/* What the rest of the room would do */

void settlement_started(struct sge *g, uint32_t job_number, uint32_t task) { (void)g; hear("started %u.%u\n", job_number, task); }
void settlement_enrolled(struct sge *g, uint32_t job_number, uint32_t task) { (void)g; hear("enrolled %u.%u\n", job_number, task); }
void settlement_finished(struct sge *g, uint32_t job_number, uint32_t task, bool booking)
{
	(void)g;
	hear("finished %u.%u%s\n", job_number, task, booking ? "" : " unbooked");
}
void settlement_removed(struct sge *g, uint32_t job_number, uint32_t task) { (void)g; hear("removed %u.%u\n", job_number, task); }
void settlement_delivered(struct sge *g) { (void)g; hear("delivered\n"); }
void settlement_updated(struct sge *g) { (void)g; hear("updated\n"); }
void place_event(struct sge *g, enum gdi_event type) { (void)g; hear("event %d\n", type); }
void usage_gone(struct sge *g, enum gdi_event type, const char *name) { (void)g; hear("gone %d %s\n", type, name); }
bool usage_booked(const struct sge *g, uint32_t job_number, uint32_t task) { (void)g; (void)job_number; (void)task; return booked; }

int usage_told(struct sge *g, enum gdi_event type, const struct gdi_element *e, struct error *error)
{
	bool user = type == GDI_EV_USER_LIST || type == GDI_EV_USER_ADD || type == GDI_EV_USER_MOD;
	const char *name = gdi_text(e, user ? UU_name : PR_name);
	uint32_t version = UINT32_MAX;

	(void)error;
	if (user)
		known_user_version(g->known, name, &version);
	else
		known_project_version(g->known, name, &version);
	hear("%s %s version %u\n", user ? "user" : "project", name, version);
	return 0;
}

#ifndef ALONE_BUT_FOR_THE_CONFIGURATION
/* The cell is what the test says. */
static unsigned hosts_told;		/* to the configuration: events EXECHOST_MOD */

int cell_objects_update_begin(struct cell_objects *o) { (void)o; hear("configuration begins\n"); return 0; }
int cell_objects_update_end(struct cell_objects *o) { (void)o; hear("configuration ends\n"); return 0; }
void cell_objects_update_abandon(struct cell_objects *o) { (void)o; hear("configuration abandoned\n"); }
int take_configure(struct sge *g, struct error *error) { (void)g; (void)error; hear("configured\n"); return 0; }

int cell_objects_event(struct cell_objects *o, enum gdi_event type, const struct gdi_element *event, struct error *error)
{
	(void)o;
	(void)event;
	(void)error;
	if (type == GDI_EV_SCHED_CONF)
		hear("sched_conf\n");
	hosts_told += type == GDI_EV_EXECHOST_MOD;
	return 0;
}
#endif

#endif
