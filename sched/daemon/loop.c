/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/daemon/loop.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "sched/daemon/qmasters.h"
#include "sched/process/log.h"
#include "sched/process/notify.h"
#include "sched/process/signals.h"

#define SECOND_NS 1000000000ull
enum { FD_SIGNAL = QMASTER_FDS, FD_TIMER, FD_HOSTS, FDS };

/* A run */

static void run_report(struct loop *loop, int64_t now)
{
	bool wanted = sched_cell(loop->sched)->sched.with.profile;
	struct profile profile;
	char text[400], status[460];
	int n;

	sched_profile(loop->sched, &profile);
	log_run(profile.run);
	n = snprintf(text, sizeof(text), "%llu pending jobs, %llu pending and %llu started tasks",
		     (unsigned long long)profile.pending_jobs, (unsigned long long)profile.pending_tasks,
		     (unsigned long long)profile.started_tasks);
	snprintf(status, sizeof(status), "STATUS=%s", text);
	notify_send(status);
	for (enum phase i = 0; i < PHASES && n < (int)sizeof(text); i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "%s%s %.3f", i ? ", " : "; ms: ", phase_name(i),
			      (double)profile.ns[i] / 1e6);
	if (profile.clamped)
		log_line(
			LOG_ODD,
			"run at %lld: %llu values were infinite or not numbers; check the weights and "
			"half-lives of sched_conf",
			(long long)now, (unsigned long long)profile.clamped);
	if (sched_orders(loop->sched)->withheld > loop->withheld)
		log_line(
			LOG_FAILURE,
			"run at %lld: %llu job starts were withheld: they would have used more than is free. This is a "
			"bug in Fairlead",
			(long long)now, (unsigned long long)(sched_orders(loop->sched)->withheld - loop->withheld));
	loop->withheld = sched_orders(loop->sched)->withheld;
	log_line(wanted ? LOG_NOTE : LOG_DETAIL, "run at %lld: %s", (long long)now, text);
}

/* Make a run. If `paused`, it is only shown and sends no orders. */
static int loop_run(struct loop *loop, int64_t now, bool paused, struct error *error)
{
	const struct qmaster_methods *qmaster = loop->qmaster->methods;
	uint64_t begin = clock_monotonic_ns();
	struct process_facts facts = { .hosts_up = hosts_up(loop->hosts), .store_failures = loop->keeper.failures };
	bool stored;
	int rc = qmaster->prepare ? qmaster->prepare(loop->qmaster, error) : 0;

	if (rc)
		return rc;
	if (qmaster->place)
		qmaster->place(loop->qmaster, &facts.place);
	if (qmaster->source)
		qmaster->source(loop->qmaster, &facts.source);
	if (qmaster->files)
		qmaster->files(loop->qmaster, &facts.files);
	sched_process(loop->sched, &facts);
	sched_schedule(loop->sched,
		       schedule_file_begin(&loop->schedule, sched_cell(loop->sched)->sched.with.monitor && !paused));
	sched_pause(loop->sched, paused);
	journal_prepared(loop->journal);
	rc = sched_run(loop->sched, now, qmaster->settled(loop->qmaster), error);
	loop->due.took_ns = clock_monotonic_ns() - begin;
	stored = rc == 0 && keeper_save(&loop->keeper, now);
	journal_ran(loop->journal, rc, stored);
	if (rc)
		return rc;
	schedule_file_append(&loop->schedule);
	run_report(loop, now);
	if (qmaster->ran)
		qmaster->ran(loop->qmaster, now, stored);
	return 0;
}

/* Configuration */

static void reload_explain(const struct report *report, int rc, struct error *error)
{
	for (size_t i = 0; i < report->n; i++)
		if (report->findings[i].severity == FAULT) {
			char place[512];

			finding_place(&report->findings[i], place, sizeof(place));
			error_set(error, rc, "%s: %s", place, report->findings[i].text);
			return;
		}
	if (!error->text[0])
		error_set(error, rc, "%s", strerror(-rc));
}

static int loop_reload(void *context, struct error *error)
{
	struct loop *loop = context;
	struct report report = { 0 };
	int rc;

	if (loop->qmaster->methods->prepare)	/* the qmaster reports changes itself */
		return 0;
	notify_reloading();
	rc = sched_reload(loop->sched, &report, error);
	log_report(&report);
	if (rc) {
		reload_explain(&report, rc, error);
		log_line(LOG_FAILURE, "the old configuration stays in use: %s", error->text);
	} else {
		log_line(LOG_NOTE, "configuration read again");
		if (loop->qmaster->methods->reloaded)
			loop->qmaster->methods->reloaded(loop->qmaster);
	}
	report_free(&report);
	if (loop->ready)
		notify_send("READY=1");
	return rc;
}

/* Time of the next run */

static const struct sched_conf *conf(const struct loop *loop)
{
	return &sched_cell(loop->sched)->sched;
}

static uint64_t earliest_ns(const struct loop *loop)
{
	const struct qmaster_methods *qmaster = loop->qmaster->methods;
	uint64_t ns = loop->due.ns < loop->tick_ns ? loop->due.ns : loop->tick_ns,
		 theirs = qmaster->due_ns ? qmaster->due_ns(loop->qmaster) : QMASTER_NEVER_NS;

	ns = loop->due.show_ns < ns ? loop->due.show_ns : ns;
	ns = loop->watchdog.due_ns < ns ? loop->watchdog.due_ns : ns;
	return theirs < ns ? theirs : ns;
}

static int timer_arm(const struct loop *loop)
{
	/* 0 would disarm the timer */
	uint64_t ns = earliest_ns(loop) ? earliest_ns(loop) : 1;
	struct itimerspec at = { .it_value = { .tv_sec = (time_t)(ns / SECOND_NS),
					       .tv_nsec = (long)(ns % SECOND_NS) } };

	return timerfd_settime(loop->timer_fd, TFD_TIMER_ABSTIME, &at, NULL) ? -errno : 0;
}

/*
 * Return the time of the next change. A change that the last run has already applied is ignored,
 * whatever the clock shows.
 */
static uint64_t change_ns(const struct loop *loop)
{
	int64_t change = sched_next_change(loop->sched);

	return change > loop->clock.now && change < INT64_MAX ? clock_at_date_ns(change) : UINT64_MAX;
}

/*
 * Return whether a run would have no data. The last run of a predecessor is better than an empty
 * one.
 */
static bool nothing_to_run(const struct loop *loop)
{
	const struct qmaster_methods *qmaster = loop->qmaster->methods;

	return qmaster->ready && !qmaster->ready(loop->qmaster) && sched_has_predecessor(loop->sched);
}

/*
 * Make a run if it is due. A failed run is repeated at the next interval, and readers keep the run
 * before it.
 */
static void loop_run_if_due(struct loop *loop)
{
	uint64_t begin_ns = clock_monotonic_ns(), now_ns;
	struct error error = { "" };
	bool paused = begin_ns < loop->due.ns;

	if (paused && begin_ns < loop->due.show_ns)
		return;
	if (nothing_to_run(loop)) {
		due_ran(&loop->due, conf(loop), begin_ns, UINT64_MAX);
		due_shown(&loop->due, begin_ns, 0);
		return;
	}
	if (loop_run(loop, clock_next(&loop->clock, clock_date()), paused, &error))
		log_line(LOG_FAILURE, "this run was not published: %s", error.text);
	if (!paused)
		due_ran(&loop->due, conf(loop), clock_monotonic_ns(), change_ns(loop));
	loop->qmaster->methods->settle(loop->qmaster);
	now_ns = clock_monotonic_ns();
	due_shown(&loop->due, now_ns, now_ns - begin_ns);
}

/* Call tick() at each interval, regardless of runs in between. */
static void loop_tick_if_due(struct loop *loop)
{
	if (clock_monotonic_ns() < loop->tick_ns)
		return;
	if (loop->qmaster->methods->tick)
		loop->qmaster->methods->tick(loop->qmaster);
	loop->tick_ns = due_interval(conf(loop), clock_monotonic_ns());
}

/* Loop */

static void take_event(void *context, enum event_type type)
{
	due_event(&((struct loop *)context)->due, type);
}

static int take_run(void *context, int64_t now, struct error *error)
{
	return loop_run(context, now, false, error);
}

static int take_edit(void *context, const struct submitter_edit_event *edit, struct error *error)
{
	struct loop *loop = context;

	return sched_edit_customer(loop->sched, loop->now ? loop->now : clock_date(),
				   edit->customer ? edit->customer : "", &edit->edit, error);
}

static void take_hurry(void *context)
{
	due_hurry(&((struct loop *)context)->due);
}

static bool take_show(void *context)
{
	struct loop *loop = context;

	return due_show(&loop->due, clock_monotonic_ns()) && !loop->stop;
}

static void take_end(void *context)
{
	((struct loop *)context)->stop = true;
}

int loop_open(struct loop *loop, struct sched *sched, const char *where, const void *options, struct error *error)
{
	const struct qmaster_setup setup = { sched, &loop->intake, where, options };
	int rc;

	*loop = (struct loop){ .sched = sched, .watchdog.due_ns = UINT64_MAX, .signal_fd = -1, .timer_fd = -1 };
	loop->intake = (struct intake){ .mirror = sched_mirror(sched),
					.orders = sched_orders(sched),
					.context = loop,
					.reload = loop_reload,
					.edit = take_edit,
					.happened = take_event,
					.hurry = take_hurry,
					.show = take_show,
					.run = take_run,
					.end = take_end };
	rc = qmasters_open(&loop->qmaster, &setup, error);
	if (rc)
		return rc;
	loop->due.paced = loop->qmaster->methods->paces;
	if (loop->qmaster->methods->limits)
		loop->intake.orders->limits = *loop->qmaster->methods->limits;
	return 0;
}

int loop_keep(struct loop *loop, const char *path, const struct store_usage_options *options, struct error *error)
{
	loop->intake.keeps = true;
	return keeper_open(&loop->keeper, path, loop->sched, options, error);
}

void loop_close(struct loop *loop)
{
	if (loop->timer_fd >= 0)
		close(loop->timer_fd);
	if (loop->signal_fd >= 0)
		close(loop->signal_fd);
	schedule_file_close(&loop->schedule);
	hosts_close(loop->hosts);
	journal_close(loop->journal);
	keeper_close(&loop->keeper);
	if (loop->qmaster)
		loop->qmaster->methods->close(loop->qmaster);
}

static void hang_up_handle(struct loop *loop)
{
	struct error error = { "" };

	hosts_reload(loop->hosts);
	if (loop_reload(loop, &error) == 0)
		due_hurry(&loop->due);
	else if (loop->qmaster->methods->complain)
		loop->qmaster->methods->complain(loop->qmaster, error.text);
}

static void place_handle(struct loop *loop, void (*wanted)(struct qmaster *qmaster))
{
	if (wanted)
		wanted(loop->qmaster);
	else
		log_line(LOG_ODD, "this scheduler has no scheduler role to take over or hand back");
}

static void signal_log(const struct signalfd_siginfo *info)
{
	static const struct {
		uint32_t signal;
		const char *text;
	} texts[] = {
		{ SIGHUP, "SIGHUP, reading the configuration" },
		{ SIGUSR1, "SIGUSR1, taking the scheduler role" },
		{ SIGUSR2, "SIGUSR2, handing back the scheduler role" },
		{ SIGINT, "SIGINT, ending" },
		{ SIGTERM, "SIGTERM, ending" },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (texts[i].signal == info->ssi_signo && info->ssi_code == SI_USER)
			log_line(LOG_NOTE, "%s: sent by process %u of user %u", texts[i].text, info->ssi_pid,
				 info->ssi_uid);
		else if (texts[i].signal == info->ssi_signo)
			log_line(LOG_NOTE, "%s", texts[i].text);
}

static void signal_handle(struct loop *loop)
{
	struct signalfd_siginfo info;

	while (read(loop->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		signal_log(&info);
		if (info.ssi_signo == SIGHUP)
			hang_up_handle(loop);
		else if (info.ssi_signo == SIGUSR1)
			place_handle(loop, loop->qmaster->methods->attach);
		else if (info.ssi_signo == SIGUSR2)
			place_handle(loop, loop->qmaster->methods->hand_back);
		else
			loop->stop = true;
	}
}

static void loop_watch(struct loop *loop, struct pollfd fds[QMASTER_FDS])
{
	for (int i = 0; i < QMASTER_FDS; i++)
		fds[i] = (struct pollfd){ .fd = -1 };
	if (loop->qmaster->methods->watch)
		loop->qmaster->methods->watch(loop->qmaster, fds);
}

static void loop_handle(struct loop *loop, const struct pollfd fds[QMASTER_FDS])
{
	if (loop->qmaster->methods->handle)
		loop->qmaster->methods->handle(loop->qmaster, fds);
	loop->qmaster->methods->settle(loop->qmaster);
}

/*
 * Wait for an event, handle it, and make a run if it is due, with the events that the qmaster has
 * completed.
 */
static int loop_turn(struct loop *loop)
{
	struct pollfd fds[FDS];
	uint64_t expirations;
	int rc = timer_arm(loop);

	if (rc)
		return rc;
	loop_watch(loop, fds);
	fds[FD_SIGNAL] = (struct pollfd){ .fd = loop->signal_fd, .events = POLLIN };
	fds[FD_TIMER] = (struct pollfd){ .fd = loop->timer_fd, .events = POLLIN };
	fds[FD_HOSTS] = (struct pollfd){ .fd = hosts_fd(loop->hosts), .events = POLLIN };
	if (poll(fds, FDS, -1) < 0)
		return errno == EINTR ? 0 : -errno;
	watchdog_feed(&loop->watchdog);
	if (fds[FD_SIGNAL].revents)
		signal_handle(loop);
	if (fds[FD_TIMER].revents)
		(void)!read(loop->timer_fd, &expirations, sizeof(expirations));
	if (fds[FD_HOSTS].revents)
		hosts_handle(loop->hosts);
	loop_tick_if_due(loop);
	loop_handle(loop, fds);
	loop->due.eager = sched_is_eager(loop->sched);
	due_look(&loop->due, conf(loop), clock_monotonic_ns());
	if (!loop->stop)
		loop_run_if_due(loop);
	return 0;
}

static int loop_qmaster_begin(struct loop *loop, bool once, struct error *error)
{
	return loop->qmaster->methods->begin ? loop->qmaster->methods->begin(loop->qmaster, once, error) : 0;
}

static int loop_qmaster_finish(struct loop *loop, bool all, struct error *error)
{
	return loop->qmaster->methods->finish ? loop->qmaster->methods->finish(loop->qmaster, all, error) : 0;
}

/*
 * Publish an empty run for readers. If a predecessor has left its last run, that stays until the
 * qmaster's snapshot arrives, or for an interval. Old data is better than an empty queue.
 */
static int loop_begin(struct loop *loop, struct error *error)
{
	int rc = loop_qmaster_begin(loop, false, error);

	if (rc == 0 && !sched_has_predecessor(loop->sched))
		rc = loop_run(loop, clock_next(&loop->clock, clock_date()), false, error);
	due_ran(&loop->due, conf(loop), clock_monotonic_ns(), change_ns(loop));
	due_shown(&loop->due, clock_monotonic_ns(), 0);
	loop->tick_ns = loop->due.ns;
	return rc;
}

int loop_serve(struct loop *loop, struct error *error)
{
	int rc;

	loop->signal_fd = signals_open((const int[]){ SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2 }, 5);
	loop->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (loop->signal_fd < 0 || loop->timer_fd < 0)
		return error_set(error, -errno, "signalfd or timerfd: %m");
	rc = loop_begin(loop, error);
	if (rc)
		return rc;
	loop->ready = true;
	watchdog_begin(&loop->watchdog);
	notify_send("READY=1");
	log_line(LOG_NOTE, "serving %s", sched_cell(loop->sched)->dir);
	while (rc == 0 && !loop->stop)
		rc = loop_turn(loop);
	notify_send("STOPPING=1");
	loop_qmaster_finish(loop, false, &(struct error){ "" });
	return rc ? error_set(error, rc, "poll or timer: %s", strerror(-rc)) : 0;
}

/* Return the time to wait; -1: without limit. */
static int wait_ms(const struct loop *loop)
{
	uint64_t due = loop->qmaster->methods->due_ns ? loop->qmaster->methods->due_ns(loop->qmaster)
						      : QMASTER_NEVER_NS,
		 now = clock_monotonic_ns();

	if (due == QMASTER_NEVER_NS)
		return -1;
	return due <= now ? 0 : due - now > 60 * SECOND_NS ? 60000 : (int)((due - now) / 1000000) + 1;
}

int loop_once(struct loop *loop, int64_t now, struct error *error)
{
	const struct qmaster_methods *qmaster = loop->qmaster->methods;
	struct pollfd fds[QMASTER_FDS];
	struct error unsent = { "" };
	int rc, sent;

	loop->now = now;
	signal(SIGPIPE, SIG_IGN);
	if (!qmaster->ended)
		return error_set(error, -ENOTSUP, "its events do not end");
	rc = loop_qmaster_begin(loop, true, error);
	while (rc == 0 && !qmaster->ended(loop->qmaster)) {
		loop_watch(loop, fds);
		if (poll(fds, QMASTER_FDS, wait_ms(loop)) < 0 && errno != EINTR)
			return error_set(error, -errno, "poll: %m");
		loop_handle(loop, fds);
	}
	if (rc == 0)
		rc = loop_run(loop, now, false, error);
	sent = loop_qmaster_finish(loop, true, &unsent);
	return rc == 0 && sent ? error_set(error, sent, "%s", unsent.text) : rc;
}

uint64_t loop_refused(const struct loop *loop)
{
	return loop->qmaster->methods->refused ? loop->qmaster->methods->refused(loop->qmaster) : 0;
}
