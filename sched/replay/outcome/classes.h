/* SPDX-License-Identifier: Apache-2.0 */
/* Classes of jobs with similar numbers of slots or similar run times. */
#ifndef SCHED_REPLAY_OUTCOME_CLASSES_H
#define SCHED_REPLAY_OUTCOME_CLASSES_H

#include <stdint.h>

#define SIZE_CLASSES 8
#define TIME_CLASSES 8		/* the last one: unknown run time */

unsigned size_class(uint32_t slots);
unsigned time_class(int64_t run_s);		/* < 0: unknown */

/* "2-4 slots", "1-6 h" */
const char *size_class_name(unsigned class);
const char *time_class_name(unsigned class);

#endif
