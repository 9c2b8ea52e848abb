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
#include "sched/hostd/load.h"

#define SECOND_NS 1000000000ull
/* the kernel keeps the ends of some 26,000 processes for us */
#define LISTEN_NS SECOND_NS
#define MS_NS 1000000ull

/* Rounds */

/* Said once, and again when it changes. */
static void spool_tell(struct hostd *d, int rc, size_t odd, const struct error *error)
{
	if (rc != d->spool_rc && rc)
		log_line(LOG_ODD, "tasks can't be looked for: %s", error->text);
	else if (rc != d->spool_rc)
		log_line(LOG_NOTE, "%s/active_jobs: can be read again", d->options->spool);
	if (rc == 0 && odd > d->spool_odd)
		log_line(LOG_ODD, "%s/active_jobs: %zu entries are not as an execution daemon makes them", d->options->spool, odd);
	d->spool_rc = rc;
	d->spool_odd = rc ? d->spool_odd : odd;
}

/*
 * A spool that can't be read for a while is no reason to forget what runs. But one that is not
 * there (yet) shows no tasks.
 */
static void spool_look(struct hostd *d)
{
	struct error error = { "" };
	struct spool_scan scan;
	int rc;

	if (!d->options->spool)
		return;
	rc = spool_scan(&scan, d->options->spool, &error);
	spool_tell(d, rc, scan.odd, &error);
	if (rc == 0 || rc == -ENOENT)
		tasks_found(d->tasks, &scan);
	spool_free(&scan);
}

/* Once, and again when it has worked meanwhile. */
static void refusal_tell(struct hostd *d)
{
	int error = 0;
	size_t refused = tasks_refused(d->tasks, &error);

	if (refused && !d->refusal_told)
		log_line(LOG_ODD, "the kernel refuses to steer %zu of %zu tasks: %s", refused, tasks_count(d->tasks), strerror(-error));
	d->refusal_told = refused > 0;
}

static void offences_tell(struct hostd *d)
{
	struct host_offence offence;

	while (host_offence(d->host, &offence))
		log_line(LOG_ODD, "a task of job %u has given its sessions better levels than they are due, %llu times; they were put back",
			 offence.job, (unsigned long long)offence.times);
}

/* At the start, and when it changes. */
static void meter_tell(struct hostd *d)
{
	enum meter meter = host_second_meter(d->host);

	if (meter == d->meter_told)
		return;
	d->meter_told = meter;
	if (meter == METER_TASKSTATS)
		log_line(LOG_NOTE, "CPU time of tasks without a cgroup of their own is found by taskstats: %s", host_meter_reason(d->host, meter));
	else
		log_line(LOG_ODD, "CPU time of tasks without a cgroup of their own is found by %s: %s (no taskstats: %s)", meter_name(meter),
			 host_meter_reason(d->host, meter), host_meter_reason(d->host, METER_TASKSTATS));
}

/* Once. */
static void lost_tell(struct hostd *d)
{
	struct host_lost lost;

	host_lost(d->host, &lost);
	if (lost.records && !d->lost_told)
		log_line(LOG_ODD, "so many processes end here that the kernel had no room for the records of %llu: the CPU time of these is found by proc",
			 (unsigned long long)lost.records);
	d->lost_told |= lost.records > 0;
}

static void listen_set(struct hostd *d)
{
	d->listen_ns = host_second_meter(d->host) == METER_TASKSTATS ? clock_monotonic_ns() + LISTEN_NS : UINT64_MAX;
}

/* Values that the kernel does not take so soon, and those that a task changes back. */
static void retry_set(struct hostd *d)
{
	unsigned ms = host_retry_ms(d->host);

	d->retry_ns = ms ? clock_monotonic_ns() + ms * MS_NS : UINT64_MAX;
}

static void round_run(struct hostd *d)
{
	size_t failed;
	int rc;

	spool_look(d);
	rc = host_round(d->host, clock_monotonic_ns());
	if (rc)
		log_line(LOG_ODD, "processes can't be looked at: %s", strerror(-rc));
	refusal_tell(d);
	offences_tell(d);
	meter_tell(d);
	lost_tell(d);
	failed = tasks_failed(d->tasks);
	if (failed)
		log_line(LOG_DETAIL, "%zu tasks could not be added", failed);
	d->round_ns = clock_monotonic_ns() + d->options->interval_s * SECOND_NS;
	retry_set(d);
	listen_set(d);
}

static void lever_set(const struct hostd *d, struct wire_report *report)
{
	const char *reason = "", *name = lever_name(host_lever(d->host, &reason));

	snprintf(report->lever, sizeof(report->lever), "%s", name);
	snprintf(report->reason, sizeof(report->reason), "%s", reason);
}

/*
 * As many messages as it takes: a host that was cut off for a day may have many tasks that have
 * ended. What can't be sent is said the next time.
 */
static void report_send(struct hostd *d, struct wire_report *report, struct wire_usage *usage, size_t n)
{
	size_t said = 0;
	uint64_t number;

	do {
		report->usage = usage + said;
		report->nusage = n - said < WIRE_REPORT ? n - said : WIRE_REPORT;
		number = spoke_report(d->spoke, report);
		if (!number)
			return;
		tasks_said(d->tasks, said, report->nusage, number);
		d->lever_told = true;
		said += report->nusage;
		*report = (struct wire_report){ 0 };
	} while (said < n);
}

static void report_run(struct hostd *d)
{
	struct wire_load load[LOAD_VALUES];
	struct wire_report report = { .load = load };
	struct wire_usage *usage;
	size_t n;

	d->report_ns = clock_monotonic_ns() + d->options->wire.report_s * SECOND_NS;
	if (!spoke_is_up(d->spoke))
		return;
	tasks_taken(d->tasks, spoke_taken(d->spoke));
	report.nload = load_read(load);
	usage = tasks_usage(d->tasks, &n);
	if (!d->lever_told)
		lever_set(d, &report);
	report_send(d, &report, usage, n);
	free(usage);
}

/* The scheduler */

static void take_up(void *context)
{
	struct hostd *d = context;

	log_line(LOG_NOTE, "the scheduler is there");
	notify_send("STATUS=the scheduler is there");
	tasks_unsaid(d->tasks);
	d->lever_told = false;
	d->report_ns = 0;
}

static void take_down(void *context)
{
	(void)context;
	log_line(LOG_ODD, "the scheduler is away; tasks go on as they are");
	notify_send("STATUS=the scheduler is away");
}

/*
 * The spool is looked at first, so that a task that was started again is not taken for the one
 * before.
 */
static void take_tickets(void *context, const struct wire_task *tasks, size_t n)
{
	struct hostd *d = context;

	spool_look(d);
	tasks_told(d->tasks, tasks, n);
	log_line(LOG_DETAIL, "tickets of %zu tasks; %zu are here", n, tasks_count(d->tasks));
	d->round_ns = 0;
}

static void take_odd(void *context, const char *text)
{
	(void)context;
	log_line(LOG_ODD, "%s", text);
}

static int spoke_begin(struct hostd *d, struct spoke **spoke, struct error *error)
{
	return spoke_open(spoke, &d->options->wire, &(struct spoke_calls){ d, take_up, take_down, take_tickets, take_odd }, error);
}

/* SIGHUP: the keys may be new ones. */
static void reload(struct hostd *d)
{
	struct error error = { "" };
	struct spoke *spoke;

	notify_reloading();
	if (spoke_begin(d, &spoke, &error)) {
		log_line(LOG_FAILURE, "the connection stays as it is: %s", error.text);
	} else {
		spoke_close(d->spoke);
		d->spoke = spoke;
		log_line(LOG_NOTE, "keys read again");
	}
	notify_send("READY=1");
}

/* The process */

static int signals_open(void)
{
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int hostd_open(struct hostd *d, const struct hostd_options *options, struct error *error)
{
	const char *reason = "";
	int rc;

	*d = (struct hostd){ .options = options, .signal_fd = signals_open(), .retry_ns = UINT64_MAX, .listen_ns = UINT64_MAX,
			      .meter_told = METERS };
	if (d->signal_fd < 0)
		return error_set(error, -errno, "signalfd: %m");
	rc = host_open(&d->host, &options->host, error);
	if (rc)
		return rc;
	if (tasks_create(&d->tasks, d->host))
		return error_set(error, -ENOMEM, "no memory");
	rc = spoke_begin(d, &d->spoke, error);
	if (rc == 0)
		rc = host_keep_capabilities(host_lever(d->host, &reason), error);
	if (rc == 0)
		meter_tell(d);
	if (rc == 0)
		log_line(LOG_NOTE, "%s steers by %s: %s", options->wire.name, lever_name(host_lever(d->host, NULL)), reason);
	return rc;
}

void hostd_close(struct hostd *d)
{
	spoke_close(d->spoke);
	tasks_destroy(d->tasks);
	host_close(d->host);
	if (d->signal_fd >= 0)
		close(d->signal_fd);
}

static void signal_handle(struct hostd *d)
{
	struct signalfd_siginfo info;

	while (read(d->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGHUP)
			reload(d);
		else
			d->stop = true;
	}
}

/* Milliseconds to what is due next. */
static int patience(const struct hostd *d)
{
	uint64_t now = clock_monotonic_ns(), due = d->round_ns < d->report_ns ? d->round_ns : d->report_ns;

	due = d->retry_ns < due ? d->retry_ns : due;
	due = d->listen_ns < due ? d->listen_ns : due;
	return due <= now ? 0 : (int)((due - now) / MS_NS) + 1;
}

static int turn(struct hostd *d)
{
	struct pollfd fds[] = { { .fd = d->signal_fd, .events = POLLIN }, { .fd = spoke_fd(d->spoke), .events = POLLIN } };

	if (poll(fds, 2, patience(d)) < 0)
		return errno == EINTR ? 0 : -errno;
	if (fds[1].revents)
		spoke_handle(d->spoke);
	if (fds[0].revents)
		signal_handle(d);
	if (d->stop)
		return 0;
	if (clock_monotonic_ns() >= d->round_ns) {
		round_run(d);
	} else if (clock_monotonic_ns() >= d->retry_ns) {
		host_retry(d->host);
		retry_set(d);
	} else if (clock_monotonic_ns() >= d->listen_ns) {
		host_listen(d->host);
		listen_set(d);
	}
	if (clock_monotonic_ns() >= d->report_ns)
		report_run(d);
	return 0;
}

int hostd_serve(struct hostd *d, struct error *error)
{
	int rc = 0;

	notify_send("READY=1");
	while (rc == 0 && !d->stop)
		rc = turn(d);
	notify_send("STOPPING=1");
	return rc ? error_set(error, rc, "poll: %s", strerror(-rc)) : 0;
}
