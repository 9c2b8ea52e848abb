/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Load values of this host under Grid Engine's names: sge's load_parameters, as far as the kernel
 * knows them.
 */
#ifndef HOSTD_LOAD_H
#define HOSTD_LOAD_H

#include <stddef.h>

#include "sched/wire/content.h"

#define LOAD_VALUES 18

/* How many; what can't be read is left out. */
size_t load_read(struct wire_load values[LOAD_VALUES]);

#endif
