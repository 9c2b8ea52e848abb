/* SPDX-License-Identifier: Apache-2.0 */
/* The qmasters that there are. */
#ifndef SCHED_DAEMON_QMASTERS_H
#define SCHED_DAEMON_QMASTERS_H

#include "sched/qmaster/qmaster.h"

#define QMASTER_LOCAL "local:"		/* `where` of --local */

/* The one that setup->where names. */
qmaster_open qmasters_open;

#endif
