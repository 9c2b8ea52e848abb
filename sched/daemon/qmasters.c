/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/daemon/qmasters.h"

#include <stdio.h>
#include <string.h>

#include "sched/daemon/options.h"
#include "sched/qmaster/gridengine/gridengine.h"
#include "sched/qmaster/json/json.h"
#include "sched/qmaster/local/local.h"

static const void *json_options(const struct schedd_options *options)
{
	return &options->lines;
}

static const void *local_options(const struct schedd_options *options)
{
	return &options->with;
}

static const void *gridengine_options(const struct schedd_options *options)
{
	return &options->gridengine;
}

/* Kinds of qmasters. The first one is used if no other one's `where` fits. */
static const struct qmaster_kind qmasters[] = {
	{ .where = "", .endless = json_endless, .options = json_options, .open = json_open,
	  .help =
		"      --events SOURCE     read events from - (standard input), fd:N, unix:PATH or a file; default: - "
		"unless it is a terminal\n"
		"      --strict            with --events: reject events with unknown names instead of logging them\n" },
	{ .where = QMASTER_LOCAL, .option = "--local", .options = local_options, .open = local_open,
	  .help =
		"      --local             run without a qmaster: schedule this machine for the "
		"jobs of fairlead submit\n"
		"      --state DIR         with --local: keep jobs, usage and accounting in DIR; "
		"default: spool in the cell\n"
		"      --lever NAME        with --local: use this CPU control mechanism: auto, cgroup, autogroup, nice "
		"or none; default: auto\n"
		"      --user-bytes SIZE   with --local: limit the storage for unfinished jobs "
		"of a user; default: 64M\n" },
	{ .where = QMASTER_GRIDENGINE, .option = "--qmaster", .options = gridengine_options, .open = gridengine_open,
	  .help =
		"      --qmaster[=ROOT/CELL]  schedule for a Grid Engine 8.1.9, see fairlead-qmaster(7); default: "
		"$SGE_ROOT/$SGE_CELL\n"
		"      --shadow            with --qmaster: compute everything, send no orders; see fairlead-audit(1)\n"
		"      --audit FILE        with --shadow: write the comparison to FILE; default: "
		"fairlead-audit in the cell\n"
		"      --standby           with --qmaster: wait until no other scheduler is active\n"
		"      --again             with --qmaster: become the active scheduler at the start, and again when "
		"another one has replaced it\n" },
};

#define QMASTERS (sizeof(qmasters) / sizeof(*qmasters))

const struct qmaster_kind *qmasters_find(const char *where)
{
	for (size_t i = 1; i < QMASTERS; i++)
		if (strncmp(where, qmasters[i].where, strlen(qmasters[i].where)) == 0)
			return &qmasters[i];
	return qmasters;
}

int qmasters_open(struct qmaster **qmaster, const struct qmaster_setup *setup, struct error *error)
{
	return qmasters_find(setup->where)->open(qmaster, setup, error);
}

void qmasters_help(char *text, size_t bytes)
{
	for (size_t i = 0, n = 0; i < QMASTERS && n < bytes; i++)
		n += (size_t)snprintf(text + n, bytes - n, "%s", qmasters[i].help);
}
