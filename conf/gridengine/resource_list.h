/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which resources a job requests: the text of hard_resource_list or soft_resource_list, "a=1,b", as
 * Grid Engine 8.1.9 understands it. Whoever wants to know what a job requests reads it here.
 *
 *   - A name is that of a complex or its shortcut; both are unique over both columns of complex(5),
 *     so it does not matter which is looked up first.
 *   - Of several requests for one complex, whichever of the two names they have, the last one
 *     counts, in the place that it has in the list. So does qmaster after qsub(1) and qalter(1):
 *     measured, -l h_rt=100,arch=* -l h_rt=50 is kept as arch=*,h_rt=50, and
 *     -l mem_free=1G,arch=*,mf=2G as arch=*,mem_free=2G. The place shows in last bits of the
 *     urgency after a qalter(1) of -p or -js, which leaves the list unsorted, and in which of
 *     several reasons is told.
 *   - A name without a value means TRUE.
 *   - A comma in a value is written \, : entries.h.
 *   - Names that no complex has stay, each of them: nothing satisfies them.
 */
#ifndef CONF_GRIDENGINE_RESOURCE_LIST_H
#define CONF_GRIDENGINE_RESOURCE_LIST_H

#include "conf/cell.h"

struct resource {
	const struct complex *complex;	/* NULL: there is none of this name */
	const char *name;		/* in full */
	const char *value;		/* NULL: none was given */
};

struct resource_list {			/* zero-initialise */
	struct resource *items;
	size_t n;
	char *text;			/* what names and values point into */
};

/* `text` may be NULL. -ENOMEM: the list is empty. */
int resource_list_read(struct resource_list *list, const struct cell *cell, const char *text);
void resource_list_free(struct resource_list *list);

/*
 * An item as it stands in such a list, from where `to` is; at most resource_most() bytes, no NUL.
 */
char *resource_write(char *to, const struct resource *resource);
size_t resource_most(const struct resource *resource);

static inline const char *resource_value(const struct resource *resource)
{
	return resource->value ? resource->value : "TRUE";
}

#endif
