/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sched/host/capabilities.h"
#include "sched/host/state.h"

static const char *const names[LEVERS] = {
	[LEVER_AUTO] = "auto", [LEVER_CGROUP] = "cgroup", [LEVER_AUTOGROUP] = "autogroup", [LEVER_NICE] = "nice",
	[LEVER_NONE] = "none",
};

const char *lever_name(enum lever lever)
{
	return names[lever];
}

const char *lever_trust(enum lever lever)
{
	static const char *const texts[LEVERS] = {
		[LEVER_AUTO] = "",
		[LEVER_CGROUP] = "jobs need no trust: weights belong to root, and users cannot leave the cgroup of "
				 "their job",
		[LEVER_AUTOGROUP] =
			("jobs need little trust: sessions share their job's weight, and levels that a job improves "
			 "are restored; but a session has level 0 until the next round finds it"),
		[LEVER_NICE] =
			"jobs need trust: users cannot improve a level (RLIMIT_NICE is 0 in a job), but a job with "
			"more processes gets more CPU time",
		[LEVER_NONE] = "only the kernel divides the CPU time among processes",
	};

	return texts[lever];
}

int lever_parse(enum lever *lever, const char *name)
{
	for (int k = 0; k < LEVERS; k++) {
		if (!strcmp(names[k], name)) {
			*lever = (enum lever)k;
			return 0;
		}
	}
	return -EINVAL;
}

static bool say(struct host *host, enum lever lever, bool permitted, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static bool say(struct host *host, enum lever lever, bool permitted, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(host->reasons[lever], sizeof(host->reasons[lever]), format, arguments);
	va_end(arguments);
	return permitted;
}

/* Inspection */

static int cgroup_look(struct host *host, const char *root, bool *permitted)
{
	struct error error = { "" };
	int rc = cgroup_open(&host->cgroup, root, &error);

	*permitted = !rc;
	if (rc)
		say(host, LEVER_CGROUP, false, "%s", error.text);
	else
		say(host, LEVER_CGROUP, true, "%s of cgroup v2 may be divided", host->cgroup.root);
	return rc == -EINVAL || rc == -ENOMEM ? rc : 0;
}

/*
 * Write the current level back, which changes nothing. EAGAIN: another process has written within
 * 100 ms. A process that init started without a session has no group, and the file is empty. Then
 * only the write permission shows whether levels of tasks with sessions can be set.
 */
static int autogroup_try(const struct host *host)
{
	char text[64], line[16];
	ssize_t n = proc_read(host->proc.fd, "self/autogroup", text, sizeof(text));
	const char *nice;
	int rc;

	if (n < 0)
		return (int)n;
	if (n == 0)
		return faccessat(host->proc.fd, "self/autogroup", W_OK, AT_EACCESS) ? -errno : 0;
	nice = strstr(text, "nice ");
	if (!nice)
		return -EPROTO;
	snprintf(line, sizeof(line), "%.8s", nice + strlen("nice "));
	rc = proc_write(host->proc.fd, "self/autogroup", line);
	return rc == -EAGAIN ? 0 : rc;
}

static bool autogroup_is_on(const struct host *host)
{
	char text[16];

	return proc_read(host->proc.fd, "sys/kernel/sched_autogroup_enabled", text, sizeof(text)) > 0 && text[0] == '1';
}

static bool autogroup_look(struct host *host)
{
	char path[CGROUP_PATH_BYTES];
	int rc;

	if (!autogroup_is_on(host))
		return say(host, LEVER_AUTOGROUP, false,
			   "the kernel has no autogroups, or they are switched off (kernel.sched_autogroup_enabled)");
	if (host->proc.real && cgroup_weighs_us(path, sizeof(path)))
		return say(host, LEVER_AUTOGROUP, false,
			   "autogroups have no effect in cgroup %.100s, which is weighted as a whole", path);
	rc = autogroup_try(host);
	if (rc)
		return say(host, LEVER_AUTOGROUP, false, "the kernel refuses the nice level of an autogroup: %s",
			   strerror(-rc));
	if (capability_have(CAP_SYS_NICE) && !capability_have(CAP_DAC_OVERRIDE))
		return say(host, LEVER_AUTOGROUP, false,
			   "other users' /proc/PID/autogroup cannot be written without CAP_DAC_OVERRIDE");
	return say(host, LEVER_AUTOGROUP, true,
		   "kernel.sched_autogroup_enabled is 1: the kernel weights sessions against each other");
}

static void nice_look(struct host *host)
{
	char path[CGROUP_PATH_BYTES];
	bool sessions = host->proc.real && autogroup_is_on(host) && !cgroup_weighs_us(path, sizeof(path));
	const char *but = sessions ? "; autogroups are enabled, so it has an effect only within a session" : "";
	struct rlimit limit = { 0 };
	long lowest;

	getrlimit(RLIMIT_NICE, &limit);
	lowest = limit.rlim_cur > 39 ? -20 : 20 - (long)limit.rlim_cur;
	if (capability_have(CAP_SYS_NICE))
		say(host, LEVER_NICE, true, "CAP_SYS_NICE: any level for any process%s", but);
	else if (lowest < 20)
		say(host, LEVER_NICE, true, "no CAP_SYS_NICE: own processes only, down to nice %ld by RLIMIT_NICE%s",
		    lowest, but);
	else
		say(host, LEVER_NICE, true, "no CAP_SYS_NICE: own processes only, and levels can only be raised%s",
		    but);
}

/* Choice */

static enum lever second_best(bool autogroup)
{
	return autogroup ? LEVER_AUTOGROUP : LEVER_NICE;
}

/* Set the reason of an available mechanism that was not chosen. */
static void outranked_say(struct host *host, enum lever lever, enum lever force)
{
	char reason[sizeof(host->reasons[0])];

	snprintf(reason, sizeof(reason), "%s", host->reasons[lever]);
	if (force != LEVER_AUTO)
		say(host, lever, true, "%s was requested", names[force]);
	else
		say(host, lever, true, "%s comes first; %.150s", names[host->lever], reason);
}

int lever_choose(struct host *host, const struct host_options *options, struct error *error)
{
	bool cgroup = false, autogroup;
	int rc = 0;

	if (options->force == LEVER_AUTO || options->force == LEVER_CGROUP)
		rc = cgroup_look(host, options->cgroup_root, &cgroup);
	if (rc)
		return error_set(error, rc, "%s", host->reasons[LEVER_CGROUP]);
	autogroup = autogroup_look(host);
	nice_look(host);
	say(host, LEVER_NONE, true,
	    options->force == LEVER_NONE ? "it was requested" : "another mechanism can be used");
	host->second =
		options->force == LEVER_NONE || options->force == LEVER_NICE ? options->force : second_best(autogroup);
	host->lever = options->force != LEVER_AUTO ? options->force : cgroup ? LEVER_CGROUP : host->second;
	if ((host->lever == LEVER_CGROUP && !cgroup) || (host->lever == LEVER_AUTOGROUP && !autogroup))
		return error_set(error, -ENOTSUP, "%s", host->reasons[host->lever]);
	if (options->force != LEVER_AUTO && options->force != LEVER_CGROUP)
		outranked_say(host, LEVER_CGROUP, options->force);
	if (host->lever != LEVER_AUTOGROUP && (autogroup || options->force != LEVER_AUTO))
		outranked_say(host, LEVER_AUTOGROUP, options->force);
	if (host->lever != LEVER_NICE)
		outranked_say(host, LEVER_NICE, options->force);
	return 0;
}

enum lever host_lever(const struct host *host, const char **reason)
{
	if (reason)
		*reason = host->reasons[host->lever];
	return host->lever;
}

const char *host_lever_reason(const struct host *host, enum lever lever)
{
	return host->reasons[lever];
}
