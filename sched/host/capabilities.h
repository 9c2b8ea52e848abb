/* SPDX-License-Identifier: Apache-2.0 */
/* Capabilities of this process. host_keep_capabilities() drops them. */
#ifndef SCHED_HOST_CAPABILITIES_H
#define SCHED_HOST_CAPABILITIES_H

#include <stdbool.h>

/* Return whether a capability of capabilities(7) is effective. */
bool capability_have(int capability);

#endif
