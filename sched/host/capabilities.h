/* SPDX-License-Identifier: Apache-2.0 */
/* Capabilities of this process; host_keep_capabilities() is the other half. */
#ifndef SCHED_HOST_CAPABILITIES_H
#define SCHED_HOST_CAPABILITIES_H

#include <stdbool.h>

/* Is it effective? `capability` as in capabilities(7). */
bool capability_have(int capability);

#endif
