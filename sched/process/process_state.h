/* SPDX-License-Identifier: Apache-2.0 */
/* State and age of a process. */
#ifndef SCHED_PROCESS_PROCESS_STATE_H
#define SCHED_PROCESS_PROCESS_STATE_H

#include <stdint.h>

/* Return the state letter of proc(5): "T" stopped, "t" traced. 0: unknown. */
char process_state(uint32_t pid);
/* Return the seconds since the process began, -1: unknown. */
int64_t process_age_s(uint32_t pid);

#endif
