/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Load values of this host under Grid Engine's names: the load parameters of sge for which the
 * kernel has values.
 */
#ifndef HOSTD_LOAD_H
#define HOSTD_LOAD_H

#include <stddef.h>

#include "sched/wire/content.h"

#define LOAD_VALUES 18

/* Read the load values and return their number. Values that cannot be read are omitted. */
size_t load_read(struct wire_load values[LOAD_VALUES]);

#endif
