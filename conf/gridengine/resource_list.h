/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resources that a job requests: the text of hard_resource_list or soft_resource_list, "a=1,b", as
 * Grid Engine 8.1.9 interprets it. All code that needs the requests of a job reads them here.
 *
 *   - A name is that of a complex or its shortcut. Names are unique over both columns of complex(5),
 *     so the order of the search does not matter.
 *   - Of several requests for one complex, by name or by shortcut, the last one counts, at its
 *     position in the list. qmaster does the same after qsub(1) and qalter(1). Measured:
 *     -l h_rt=100,arch=* -l h_rt=50 is kept as arch=*,h_rt=50, and -l mem_free=1G,arch=*,mf=2G as
 *     arch=*,mem_free=2G. The position has two effects: the last bits of the urgency after a
 *     qalter(1) of -p or -js, which leaves the list unsorted, and the choice among several reasons.
 *   - A name without a value means TRUE.
 *   - A comma in a value is written as \, (see entries.h).
 *   - Unknown names are kept, also several times. No resource satisfies them.
 */
#ifndef CONF_GRIDENGINE_RESOURCE_LIST_H
#define CONF_GRIDENGINE_RESOURCE_LIST_H

#include "conf/cell.h"

struct resource {
	const struct complex *complex;	/* NULL: no complex has this name */
	const char *name;		/* full name */
	const char *value;		/* NULL: the request has no value */
};

struct resource_list {			/* zero-initialize */
	struct resource *items;
	size_t n;
	char *text;			/* memory of names and values */
};

/* Read a list. `text` may be NULL. Returns 0, or -ENOMEM with an empty list. */
int resource_list_read(struct resource_list *list, const struct cell *cell, const char *text);
void resource_list_free(struct resource_list *list);

/*
 * Write an item in the notation of the list at `to`, at most resource_most() bytes, without a NUL.
 * Returns the end.
 */
char *resource_write(char *to, const struct resource *resource);
size_t resource_most(const struct resource *resource);

static inline const char *resource_value(const struct resource *resource)
{
	return resource->value ? resource->value : "TRUE";
}

#endif
