/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/hostd/hostd.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "sched/process/clock.h"
#include "sched/process/log.h"
#include "sched/process/notify.h"
#include "sched/process/signals.h"
#include "sched/hostd/load.h"

#define SECOND_NS 1000000000ull
/* interval of reading process ends; the kernel keeps some 26,000 of them for us */
#define LISTEN_NS SECOND_NS
#define MS_NS 1000000ull

/* Rounds */

/* Log the result of a spool scan when it changes. */
static void spool_log(struct hostd *hostd, int rc, size_t odd, const struct error *error)
{
	if (rc != hostd->spool_rc && rc)
		log_line(LOG_ODD, "cannot search for tasks: %s", error->text);
	else if (rc != hostd->spool_rc)
		log_line(LOG_NOTE, "%s/active_jobs is readable again", hostd->options->spool);
	if (rc == 0 && odd > hostd->spool_odd)
		log_line(LOG_ODD, "%s/active_jobs: %zu unexpected entries were skipped",
			 hostd->options->spool, odd);
	hostd->spool_rc = rc;
	hostd->spool_odd = rc ? hostd->spool_odd : odd;
}

/*
 * Scan the spool. If it cannot be read, keep the known tasks. If it does not exist, it has no
 * tasks.
 */
static void spool_look(struct hostd *hostd)
{
	struct error error = { "" };
	struct spool_scan scan;
	int rc;

	if (!hostd->options->spool)
		return;
	rc = spool_scan(&scan, hostd->options->spool, &error);
	spool_log(hostd, rc, scan.odd, &error);
	if (rc == 0 || rc == -ENOENT)
		tasks_found(hostd->tasks, &scan);
	spool_free(&scan);
}

/* Log a refusal of the kernel once, and again after it has succeeded in the meantime. */
static void refusal_log(struct hostd *hostd)
{
	int error = 0;
	size_t refused = tasks_refused(hostd->tasks, &error);

	if (refused && !hostd->refusal_logged)
		log_line(LOG_ODD, "the kernel refuses to control %zu of %zu tasks: %s", refused,
			 tasks_count(hostd->tasks), strerror(-error));
	hostd->refusal_logged = refused > 0;
}

static void offences_log(struct hostd *hostd)
{
	struct host_offence offence;

	while (host_offence(hostd->host, &offence))
		log_event(
			LOG_ODD,
			LOG_JOB(offence.job),
			"a task of job %u has improved the levels of its sessions %llu times; they were restored",
			offence.job, (unsigned long long)offence.times);
}

/* Log the meter of CPU time at the start and when it changes. */
static void meter_log(struct hostd *hostd)
{
	enum meter meter = host_second_meter(hostd->host);

	if (meter == hostd->meter_logged)
		return;
	hostd->meter_logged = meter;
	if (meter == METER_TASKSTATS)
		log_line(LOG_NOTE, "CPU time of tasks without a cgroup of their own is measured by taskstats: %s",
			 host_meter_reason(hostd->host, meter));
	else
		log_line(LOG_ODD,
			 "CPU time of tasks without a cgroup of their own is measured by %s: %s (no taskstats: %s)",
			 meter_name(meter), host_meter_reason(hostd->host, meter),
			 host_meter_reason(hostd->host, METER_TASKSTATS));
}

/* Log once that records of ended processes were lost. */
static void lost_log(struct hostd *hostd)
{
	struct host_lost lost;

	host_lost(hostd->host, &lost);
	if (lost.records && !hostd->lost_logged)
		log_line(
			LOG_ODD,
			"the kernel had no space for the records of %llu ended processes: their CPU time is measured "
			"by proc",
			(unsigned long long)lost.records);
	hostd->lost_logged |= lost.records > 0;
}

static void listen_set(struct hostd *hostd)
{
	hostd->listen_ns =
		host_second_meter(hostd->host) == METER_TASKSTATS ? clock_monotonic_ns() + LISTEN_NS : UINT64_MAX;
}

/*
 * Schedule a retry for settings that the kernel accepts only later and for settings that a task
 * changes back.
 */
static void retry_set(struct hostd *hostd)
{
	unsigned ms = host_retry_ms(hostd->host);

	hostd->retry_ns = ms ? clock_monotonic_ns() + ms * MS_NS : UINT64_MAX;
}

static void round_run(struct hostd *hostd)
{
	size_t failed;
	int rc;

	spool_look(hostd);
	rc = host_round(hostd->host, clock_monotonic_ns());
	if (rc)
		log_line(LOG_ODD, "cannot scan processes: %s", strerror(-rc));
	refusal_log(hostd);
	offences_log(hostd);
	meter_log(hostd);
	lost_log(hostd);
	failed = tasks_failed(hostd->tasks);
	if (failed)
		log_line(LOG_DETAIL, "%zu tasks could not be added", failed);
	hostd->round_ns = clock_monotonic_ns() + hostd->options->interval_s * SECOND_NS;
	retry_set(hostd);
	listen_set(hostd);
}

static void lever_set(const struct hostd *hostd, struct wire_report *report)
{
	const char *reason = "", *name = lever_name(host_lever(hostd->host, &reason));

	snprintf(report->lever, sizeof(report->lever), "%s", name);
	snprintf(report->reason, sizeof(report->reason), "%s", reason);
}

/*
 * Send a report in as many messages as necessary: a host that was disconnected for a day may have
 * many ended tasks. Usage that cannot be sent is reported the next time.
 */
static void report_send(struct hostd *hostd, struct wire_report *report, struct wire_usage *usage, size_t n)
{
	size_t said = 0;
	uint64_t number;

	do {
		report->usage = usage + said;
		report->nusage = n - said < WIRE_REPORT ? n - said : WIRE_REPORT;
		number = spoke_report(hostd->spoke, report);
		if (!number)
			return;
		tasks_said(hostd->tasks, said, report->nusage, number);
		hostd->lever_reported = true;
		said += report->nusage;
		*report = (struct wire_report){ 0 };
	} while (said < n);
}

static void report_run(struct hostd *hostd)
{
	struct wire_load load[LOAD_VALUES];
	struct wire_report report = { .load = load };
	struct wire_usage *usage;
	size_t n;

	hostd->report_ns = clock_monotonic_ns() + hostd->options->wire.report_s * SECOND_NS;
	if (!spoke_is_up(hostd->spoke))
		return;
	tasks_taken(hostd->tasks, spoke_taken(hostd->spoke));
	report.nload = load_read(load);
	usage = tasks_usage(hostd->tasks, &n);
	if (!hostd->lever_reported)
		lever_set(hostd, &report);
	report_send(hostd, &report, usage, n);
	free(usage);
}

/* Scheduler */

static void take_up(void *context)
{
	struct hostd *hostd = context;

	log_line(LOG_NOTE, "the scheduler is connected");
	notify_send("STATUS=the scheduler is connected");
	tasks_unsaid(hostd->tasks);
	hostd->lever_reported = false;
	hostd->report_ns = 0;
}

static void take_down(void *context)
{
	(void)context;
	log_line(LOG_ODD, "the scheduler is not connected; tasks continue unchanged");
	notify_send("STATUS=the scheduler is not connected");
}

/* Scan the spool first, so that a restarted task is not mistaken for its predecessor. */
static void take_tickets(void *context, const struct wire_task *tasks, size_t n)
{
	struct hostd *hostd = context;

	spool_look(hostd);
	tasks_receive(hostd->tasks, tasks, n);
	log_line(LOG_DETAIL, "received tickets of %zu tasks; %zu tasks are present", n, tasks_count(hostd->tasks));
	hostd->round_ns = 0;
}

static void take_odd(void *context, const char *text)
{
	(void)context;
	log_line(LOG_ODD, "%s", text);
}

static int spoke_begin(struct hostd *hostd, struct spoke **spoke, struct error *error)
{
	return spoke_open(spoke, &hostd->options->wire,
			  &(struct spoke_calls){ hostd, take_up, take_down, take_tickets, take_odd }, error);
}

/* Handle SIGHUP: read the keys again. */
static void reload(struct hostd *hostd)
{
	struct error error = { "" };
	struct spoke *spoke;

	notify_reloading();
	if (spoke_begin(hostd, &spoke, &error)) {
		log_line(LOG_FAILURE, "cannot connect with the new keys: %s; the old connection is kept", error.text);
	} else {
		spoke_close(hostd->spoke);
		hostd->spoke = spoke;
		log_line(LOG_NOTE, "keys read again");
	}
	notify_send("READY=1");
}

/* Process */

int hostd_open(struct hostd *hostd, const struct hostd_options *options, struct error *error)
{
	const char *reason = "";
	int rc;

	*hostd = (struct hostd){ .options = options,
				 .signal_fd = signals_open((const int[]){ SIGTERM, SIGINT, SIGHUP }, 3),
				 .retry_ns = UINT64_MAX,
				 .listen_ns = UINT64_MAX,
				 .meter_logged = METERS };
	if (hostd->signal_fd < 0)
		return error_set(error, -errno, "signalfd: %m");
	rc = host_open(&hostd->host, &options->host, error);
	if (rc)
		return rc;
	if (tasks_create(&hostd->tasks, hostd->host))
		return error_set(error, -ENOMEM, "out of memory");
	rc = spoke_begin(hostd, &hostd->spoke, error);
	if (rc == 0)
		rc = host_keep_capabilities(host_lever(hostd->host, &reason), error);
	if (rc == 0)
		meter_log(hostd);
	if (rc == 0)
		log_line(LOG_NOTE, "%s controls CPU shares by %s: %s", options->wire.name,
			 lever_name(host_lever(hostd->host, NULL)),
			 reason);
	return rc;
}

void hostd_close(struct hostd *hostd)
{
	spoke_close(hostd->spoke);
	tasks_destroy(hostd->tasks);
	host_close(hostd->host);
	if (hostd->signal_fd >= 0)
		close(hostd->signal_fd);
}

static void signal_handle(struct hostd *hostd)
{
	struct signalfd_siginfo info;

	while (read(hostd->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGHUP)
			reload(hostd);
		else
			hostd->stop = true;
	}
}

/* Return the milliseconds until the next work is due. */
static int patience(const struct hostd *hostd)
{
	uint64_t now = clock_monotonic_ns(),
		 due = hostd->round_ns < hostd->report_ns ? hostd->round_ns : hostd->report_ns;

	due = hostd->retry_ns < due ? hostd->retry_ns : due;
	due = hostd->listen_ns < due ? hostd->listen_ns : due;
	due = hostd->watchdog.due_ns < due ? hostd->watchdog.due_ns : due;
	return due <= now ? 0 : (int)((due - now) / MS_NS) + 1;
}

static int turn(struct hostd *hostd)
{
	struct pollfd fds[] = { { .fd = hostd->signal_fd, .events = POLLIN },
				{ .fd = spoke_fd(hostd->spoke), .events = POLLIN } };

	if (poll(fds, 2, patience(hostd)) < 0)
		return errno == EINTR ? 0 : -errno;
	watchdog_feed(&hostd->watchdog);
	if (fds[1].revents)
		spoke_handle(hostd->spoke);
	if (fds[0].revents)
		signal_handle(hostd);
	if (hostd->stop)
		return 0;
	if (clock_monotonic_ns() >= hostd->round_ns) {
		round_run(hostd);
	} else if (clock_monotonic_ns() >= hostd->retry_ns) {
		host_retry(hostd->host);
		retry_set(hostd);
	} else if (clock_monotonic_ns() >= hostd->listen_ns) {
		host_listen(hostd->host);
		listen_set(hostd);
	}
	if (clock_monotonic_ns() >= hostd->report_ns)
		report_run(hostd);
	return 0;
}

int hostd_serve(struct hostd *hostd, struct error *error)
{
	int rc = 0;

	watchdog_begin(&hostd->watchdog);
	notify_send("READY=1");
	while (rc == 0 && !hostd->stop)
		rc = turn(hostd);
	notify_send("STOPPING=1");
	return rc ? error_set(error, rc, "poll: %s", strerror(-rc)) : 0;
}
