/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The configuration of a qmaster, object by object, as the texts that `qconf -s...` prints of them:
 * what conf/ reads, so that checks and messages are those of files. Objects come one at a time, at
 * any moment, as elements of events; a total update replaces all of them at its end, or none.
 *
 *     cell_objects_event(o, GDI_EV_CQUEUE_MOD, &event, &error);
 *     if (cell_objects_changed(o))
 *             reload(cell_objects_files(o));
 *
 * Load reports, slot counts, usage and versions come in the same events and change no text.
 */
#ifndef SCHED_QMASTER_OBJECTS_OBJECTS_H
#define SCHED_QMASTER_OBJECTS_OBJECTS_H

#include <stdbool.h>

#include "conf/cell_source.h"
#include "conf/error.h"
#include "sched/qmaster/gdi/element.h"
#include "sched/qmaster/gdi/events.h"

struct cell_objects;

/* NULL: no memory. At first there is none, which is a cell with the installed defaults. */
struct cell_objects *cell_objects_create(void);
void cell_objects_destroy(struct cell_objects *objects);

/*
 * A total update begins; what comes now is held apart, until its end takes the place of all that
 * was known, or it is abandoned. begin while one is open drops the open one.
 */
int cell_objects_update_begin(struct cell_objects *objects);
int cell_objects_update_end(struct cell_objects *objects);
void cell_objects_update_abandon(struct cell_objects *objects);

/*
 * What an event (ET) tells of configuration; events that are about other things change nothing. 0;
 * -EINVAL: an element is left out, as it has no name that an object may have; -ENOMEM. Other elements of
 * the event are taken.
 */
int cell_objects_event(struct cell_objects *objects, enum gdi_event type, const struct gdi_element *event,
		       struct error *error);

/* Has a text changed since the last call of cell_objects_files()? */
bool cell_objects_changed(const struct cell_objects *objects);

/*
 * All texts by name ("queue/all.q", "sched_conf"), valid until the next call of any other function;
 * in place of those that were taken out what taken_out.c says. And CELL_ABOUT, with their names.
 * NULL: no memory.
 */
const struct cell_files *cell_objects_files(struct cell_objects *objects);

/*
 * The cell of these texts has a fault in this file and line (0: unknown), for this reason: the
 * object is taken out, towards fewer starts; taken_out.c has what stands in its place, and what
 * goes with it. -ENOENT: no such object; -EALREADY: it was taken out before; -ENOMEM.
 */
int cell_objects_take_out(struct cell_objects *objects, const char *file, int line, const char *why);
/* Something has changed: what was taken out may be of use again. */
void cell_objects_try_again(struct cell_objects *objects);
/* The cell of these texts is in force. */
void cell_objects_accept(struct cell_objects *objects);

/* The n-th object that is taken out, and why; NULL: there are not so many. */
const char *cell_objects_taken_out(const struct cell_objects *objects, size_t n, const char **why);
/* One that was taken out and that nobody was told of since its text is what it is; NULL: none. */
const char *cell_objects_tell(struct cell_objects *objects, const char **why);

#endif
