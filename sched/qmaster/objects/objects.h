/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The configuration of a qmaster, object by object, as texts in the form of `qconf -s...`. The
 * readers in conf/ read these texts, so checks and messages are the same as for files. Objects come
 * one at a time, at any moment, as elements of events. A total update replaces all objects at its
 * end, or none.
 *
 *     cell_objects_event(objects, GDI_EV_CQUEUE_MOD, &event, &error);
 *     if (cell_objects_changed(objects))
 *             reload(cell_objects_files(objects));
 *
 * Load reports, slot counts, usage and versions come in the same events. They change no text.
 */
#ifndef SCHED_QMASTER_OBJECTS_OBJECTS_H
#define SCHED_QMASTER_OBJECTS_OBJECTS_H

#include <stdbool.h>

#include "conf/cell_source.h"
#include "conf/base/error.h"
#include "sched/qmaster/gdi/element.h"
#include "sched/qmaster/gdi/events.h"

struct cell_objects;

/* Create an empty configuration, which is a cell with the installed defaults. NULL: no memory. */
struct cell_objects *cell_objects_create(void);
void cell_objects_destroy(struct cell_objects *objects);

/*
 * Begin, end or abandon a total update. Objects that come during an update are kept separately. The
 * end replaces all earlier objects by them. A begin drops an update that is open.
 */
int cell_objects_update_begin(struct cell_objects *objects);
int cell_objects_update_end(struct cell_objects *objects);
void cell_objects_update_abandon(struct cell_objects *objects);

/*
 * Take the configuration in an event. Events about other subjects change nothing. Returns 0, or
 * -ENOMEM. -EINVAL: an element was left out because its name is not allowed for an object; other
 * elements of the event were taken.
 */
int cell_objects_event(struct cell_objects *objects, enum gdi_event type, const struct gdi_element *event,
		       struct error *error);

/* Return whether a text has changed since the last call of cell_objects_files(). */
bool cell_objects_changed(const struct cell_objects *objects);

/*
 * Return all texts by name ("queue/all.q", "sched_conf"), valid until the next call of any other
 * function. An object that was taken out has the replacement described in taken_out.c. CELL_ABOUT
 * lists these objects. NULL: no memory.
 */
const struct cell_files *cell_objects_files(struct cell_objects *objects);

/*
 * Take out an object, because the cell made from these texts has a fault in this file and line (0:
 * not known) for the reason `why`. Its replacement allows fewer job starts. taken_out.c describes
 * the replacements and which objects are taken out with it. -ENOENT: no such object. -EALREADY: it
 * was taken out before. -ENOMEM.
 */
int cell_objects_take_out(struct cell_objects *objects, const char *file, int line, const char *why);
/* Use objects that were taken out again, because a change may have repaired them. */
void cell_objects_try_again(struct cell_objects *objects);
/* Note that the cell made from these texts is active. */
void cell_objects_accept(struct cell_objects *objects);

/* Return an object that was taken out and not yet reported with its current text. NULL: none. */
const char *cell_objects_report(struct cell_objects *objects, const char **why);

#endif
