/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of a complex of type RSMAP (resource map), as Open Cluster Scheduler writes them in
 * complex_values: an amount, and the ids of the units in parentheses. An id that is listed n times
 * has n units, which can be granted to different jobs. A range of numbers lists each number. An
 * id can have properties in brackets.
 *
 *   gpu=4(GPU0 GPU1 GPU2 GPU3)    port=100(65000-65099)    gpu=2(gpu0[device=/dev/nvidia0] gpu1)
 */
#ifndef CONF_RESOURCE_MAP_H
#define CONF_RESOURCE_MAP_H

#include <stdint.h>

#include "conf/base/error.h"
#include "conf/base/text_set.h"

#define RESOURCE_MAP_UNITS_MOST 65536u	/* units of a value */

struct resource_map {			/* zero-initialize */
	struct text_set ids;		/* numbered in the order in which they are listed first */
	struct resource_units {
		uint32_t n;		/* number of times that the id is listed */
		char *properties;	/* between the brackets of its first entry; NULL: none */
	} *units;			/* by number of the id */
	uint32_t n;			/* sum of units[].n */
};

/*
 * Read a value into an empty map. Without a list the map has no ids, and only the amount counts, as
 * in the value of a queue. "NONE" is 0. The map is allocated; the caller frees it. Returns 0,
 * -EINVAL with the reason in `error` if the text has another form or the amount is not the number
 * of units in the list, or -ENOMEM. After an error the map is empty.
 */
int resource_map_parse(struct resource_map *map, const char *text, struct error *error);
void resource_map_free(struct resource_map *map);

/* Read only the amount before the list. Returns 0, or -EINVAL if there is no number. */
int resource_map_amount(const char *text, double *amount);

#endif
