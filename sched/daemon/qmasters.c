/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/daemon/qmasters.h"

#include <stdio.h>
#include <string.h>

#include "sched/daemon/options.h"
#include "sched/qmaster/gridengine/gridengine.h"
#include "sched/qmaster/json/json.h"
#include "sched/qmaster/local/local.h"

static const void *json_options(const struct schedd_options *o)
{
	return &o->lines;
}

static const void *local_options(const struct schedd_options *o)
{
	return &o->with;
}

static const void *gridengine_options(const struct schedd_options *o)
{
	return &o->gridengine;
}

/* The first one is meant where no other one's `where` fits. */
static const struct qmaster_kind qmasters[] = {
	{ .where = "", .endless = json_endless, .options = json_options, .open = json_open,
	  .help = "      --events SOURCE     - (standard input), fd:N, unix:PATH or a file; default: - if that is no terminal\n"
		  "      --strict            with --events: reject events with unknown names instead of logging them\n" },
	{ .where = QMASTER_LOCAL, .option = "--local", .options = local_options, .open = local_open,
	  .help = "      --local             no qmaster: this machine is the cluster, fairlead submit hands in jobs\n"
		  "      --state DIR         with --local: what survives; default: spool in the cell\n"
		  "      --lever NAME        with --local: cgroup, autogroup, nice or none; default: auto, the best one there is\n"
		  "      --user-bytes SIZE   with --local: what waiting and running jobs of a user may store; default: 64M\n" },
	{ .where = QMASTER_GRIDENGINE, .option = "--qmaster", .options = gridengine_options, .open = gridengine_open,
	  .help = "      --qmaster[=ROOT/CELL]  the scheduler of a Grid Engine 8.1.9: fairlead-qmaster(7); default: $SGE_ROOT/$SGE_CELL\n"
		  "      --shadow            with --qmaster: compute everything, order nothing; see fairlead-audit(1)\n"
		  "      --audit FILE        with --shadow: its journal; default: fairlead-audit in the cell\n"
		  "      --standby           with --qmaster: wait until the place of the scheduler is empty\n"
		  "      --again             with --qmaster: take the place back when it is lost to another\n" },
};

#define QMASTERS (sizeof(qmasters) / sizeof(*qmasters))

const struct qmaster_kind *qmasters_find(const char *where)
{
	for (size_t i = 1; i < QMASTERS; i++)
		if (strncmp(where, qmasters[i].where, strlen(qmasters[i].where)) == 0)
			return &qmasters[i];
	return qmasters;
}

int qmasters_open(struct qmaster **q, const struct qmaster_setup *setup, struct error *error)
{
	return qmasters_find(setup->where)->open(q, setup, error);
}

void qmasters_help(char *text, size_t bytes)
{
	for (size_t i = 0, n = 0; i < QMASTERS && n < bytes; i++)
		n += (size_t)snprintf(text + n, bytes - n, "%s", qmasters[i].help);
}
