/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sched/host/state.h"

static const char *const names[METERS] = {
	[METER_CGROUP] = "cgroup", [METER_TASKSTATS] = "taskstats", [METER_PROC] = "proc"
};

const char *meter_name(enum meter meter)
{
	return names[meter];
}

__attribute__((format(printf, 3, 4))) static void say(struct host *host, enum meter meter, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(host->meter_reasons[meter], sizeof(host->meter_reasons[meter]), format, args);
	va_end(args);
}

static void second_choose(struct host *host, const struct host_options *options)
{
	struct error error = { "" };
	bool opened = false;

	if (!options->others)
		error_set(&error, 0, "not needed: this process starts all tasks");
	else if (!host->proc.real)
		error_set(&error, 0, "the processes are not this kernel's");
	else
		opened = taskstats_open(&host->exits.socket, &error) == 0;
	host->second_meter = opened ? METER_TASKSTATS : METER_PROC;
	say(host, METER_TASKSTATS, "%s",
	    opened ? "the kernel reports what each process has used when it ends" : error.text);
	say(host, METER_PROC, "%s", opened ? "used for processes whose records taskstats has lost" :
	    "the usage of short processes is not found if their parent ignores SIGCHLD or has ended");
}

void meter_choose(struct host *host, const struct host_options *options)
{
	struct error error = { "" };
	bool counts = host->cgroup.weighs || cgroup_count(&host->cgroup, options->cgroup_root, &error) == 0;

	if (counts)
		say(host, METER_CGROUP, "each task that we start has a cgroup below %.120s", host->cgroup.root);
	else
		say(host, METER_CGROUP, "%s", error.text);
	second_choose(host, options);
	host->meter = counts ? METER_CGROUP : host->second_meter;
}

void meter_fail(struct host *host, int error)
{
	taskstats_close(&host->exits.socket);
	host->meter = host->meter == METER_TASKSTATS ? METER_PROC : host->meter;
	host->second_meter = METER_PROC;
	say(host, METER_TASKSTATS, "it failed: %s", strerror(-error));
}

enum meter host_meter(const struct host *host, const char **reason)
{
	if (reason)
		*reason = host->meter_reasons[host->meter];
	return host->meter;
}

enum meter host_second_meter(const struct host *host)
{
	return host->second_meter;
}

const char *host_meter_reason(const struct host *host, enum meter meter)
{
	return host->meter_reasons[meter];
}
