/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sched/host/state.h"

static const char *const names[METERS] = { [METER_CGROUP] = "cgroup", [METER_TASKSTATS] = "taskstats", [METER_PROC] = "proc" };

const char *meter_name(enum meter meter)
{
	return names[meter];
}

__attribute__((format(printf, 3, 4))) static void say(struct host *h, enum meter meter, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(h->meter_reasons[meter], sizeof(h->meter_reasons[meter]), format, args);
	va_end(args);
}

static void second_choose(struct host *h, const struct host_options *options)
{
	struct error error = { "" };
	bool opened = false;

	if (!options->others)
		error_set(&error, 0, "not needed: all tasks are our own");
	else if (!h->proc.real)
		error_set(&error, 0, "the processes are not of this kernel");
	else
		opened = taskstats_open(&h->exits.socket, &error) == 0;
	h->second_meter = opened ? METER_TASKSTATS : METER_PROC;
	say(h, METER_TASKSTATS, "%s", opened ? "the kernel reports what each process has used when it ends" : error.text);
	say(h, METER_PROC, "%s", opened ? "for what taskstats has lost" :
	    "what short processes use whose parent ignores SIGCHLD, or has ended, is not found");
}

void meter_choose(struct host *h, const struct host_options *options)
{
	struct error error = { "" };
	bool counts = h->cgroup.weighs || cgroup_count(&h->cgroup, options->cgroup_root, &error) == 0;

	if (counts)
		say(h, METER_CGROUP, "each task that we start has a cgroup below %.120s", h->cgroup.root);
	else
		say(h, METER_CGROUP, "%s", error.text);
	second_choose(h, options);
	h->meter = counts ? METER_CGROUP : h->second_meter;
}

void meter_fail(struct host *h, int error)
{
	taskstats_close(&h->exits.socket);
	h->meter = h->meter == METER_TASKSTATS ? METER_PROC : h->meter;
	h->second_meter = METER_PROC;
	say(h, METER_TASKSTATS, "it failed: %s", strerror(-error));
}

enum meter host_meter(const struct host *h, const char **reason)
{
	if (reason)
		*reason = h->meter_reasons[h->meter];
	return h->meter;
}

enum meter host_second_meter(const struct host *h)
{
	return h->second_meter;
}

const char *host_meter_reason(const struct host *h, enum meter meter)
{
	return h->meter_reasons[meter];
}
