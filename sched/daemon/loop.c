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

#define SECOND_NS 1000000000ull
enum { FD_SIGNAL = QMASTER_FDS, FD_TIMER, FD_HOSTS, FDS };

/* One run */

static void run_report(struct loop *l, int64_t now)
{
	bool wanted = sched_cell(l->sched)->sched.with.profile;
	struct profile p;
	char text[400], status[460];
	int n;

	sched_profile(l->sched, &p);
	n = snprintf(text, sizeof(text), "%llu pending jobs, %llu pending and %llu started tasks", (unsigned long long)p.pending_jobs,
		     (unsigned long long)p.pending_tasks, (unsigned long long)p.started_tasks);
	snprintf(status, sizeof(status), "STATUS=%s", text);
	notify_send(status);
	for (enum phase i = 0; i < PHASES && n < (int)sizeof(text); i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "%s%s %.3f", i ? ", " : "; ms: ", phase_name(i), (double)p.ns[i] / 1e6);
	if (p.clamped)
		log_line(LOG_ODD, "run at %lld: %llu values would have been no number or infinite; see the weights and half-lives of sched_conf",
			 (long long)now, (unsigned long long)p.clamped);
	if (sched_orders(l->sched)->withheld > l->withheld)
		log_line(LOG_FAILURE, "run at %lld: %llu starts were withheld, since they would have used more than there is: a defect of this program",
			 (long long)now, (unsigned long long)(sched_orders(l->sched)->withheld - l->withheld));
	l->withheld = sched_orders(l->sched)->withheld;
	log_line(wanted ? LOG_NOTE : LOG_DETAIL, "run at %lld: %s", (long long)now, text);
}

/* Paused: one in between, which orders nothing. */
static int loop_run(struct loop *l, int64_t now, bool paused, struct error *error)
{
	const struct qmaster_methods *qmaster = l->qmaster->methods;
	uint64_t begin = clock_monotonic_ns();
	struct process_facts facts = { .hosts_up = hosts_up(l->hosts), .store_failures = l->keeper.failures };
	bool stored;
	int rc = qmaster->prepare ? qmaster->prepare(l->qmaster, error) : 0;

	if (rc)
		return rc;
	if (qmaster->place)
		qmaster->place(l->qmaster, &facts.place);
	if (qmaster->source)
		qmaster->source(l->qmaster, &facts.source);
	if (qmaster->files)
		qmaster->files(l->qmaster, &facts.files);
	sched_process(l->sched, &facts);
	sched_schedule(l->sched, schedule_file_begin(&l->schedule, sched_cell(l->sched)->sched.with.monitor && !paused));
	sched_pause(l->sched, paused);
	journal_prepared(l->journal);
	rc = sched_run(l->sched, now, qmaster->settled(l->qmaster), error);
	l->due.took_ns = clock_monotonic_ns() - begin;
	stored = rc == 0 && keeper_save(&l->keeper, now);
	journal_ran(l->journal, rc, stored);
	if (rc)
		return rc;
	schedule_file_append(&l->schedule);
	run_report(l, now);
	if (qmaster->ran)
		qmaster->ran(l->qmaster, now, stored);
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
	struct loop *l = context;
	struct report report = { 0 };
	int rc;

	if (l->qmaster->methods->prepare)	/* it tells what changes by itself */
		return 0;
	notify_reloading();
	rc = sched_reload(l->sched, &report, error);
	log_report(&report);
	if (rc) {
		reload_explain(&report, rc, error);
		log_line(LOG_FAILURE, "the running configuration stays in force: %s", error->text);
	} else {
		log_line(LOG_NOTE, "configuration read again");
		if (l->qmaster->methods->reloaded)
			l->qmaster->methods->reloaded(l->qmaster);
	}
	report_free(&report);
	if (l->ready)
		notify_send("READY=1");
	return rc;
}

/* When to run */

static const struct sched_conf *conf(const struct loop *l)
{
	return &sched_cell(l->sched)->sched;
}

static uint64_t earliest_ns(const struct loop *l)
{
	const struct qmaster_methods *qmaster = l->qmaster->methods;
	uint64_t ns = l->due.ns < l->tick_ns ? l->due.ns : l->tick_ns, theirs = qmaster->due_ns ? qmaster->due_ns(l->qmaster) : QMASTER_NEVER_NS;

	ns = l->due.show_ns < ns ? l->due.show_ns : ns;
	return theirs < ns ? theirs : ns;
}

static int timer_arm(const struct loop *l)
{
	uint64_t ns = earliest_ns(l) ? earliest_ns(l) : 1;	/* 0 would be never */
	struct itimerspec at = { .it_value = { .tv_sec = (time_t)(ns / SECOND_NS), .tv_nsec = (long)(ns % SECOND_NS) } };

	return timerfd_settime(l->timer_fd, TFD_TIMER_ABSTIME, &at, NULL) ? -errno : 0;
}

/* One that the last run has seen in force already is not waited for, whatever the clock shows. */
static uint64_t change_ns(const struct loop *l)
{
	int64_t change = sched_next_change(l->sched);

	return change > l->clock.now && change < INT64_MAX ? clock_at_date_ns(change) : UINT64_MAX;
}

/* A predecessor's last run is better than one of nothing. */
static bool nothing_to_run(const struct loop *l)
{
	const struct qmaster_methods *qmaster = l->qmaster->methods;

	return qmaster->ready && !qmaster->ready(l->qmaster) && sched_has_predecessor(l->sched);
}

/* A run that fails is tried again at the next interval; readers keep the one before. */
static void loop_run_if_due(struct loop *l)
{
	uint64_t begin_ns = clock_monotonic_ns(), now_ns;
	struct error error = { "" };
	bool paused = begin_ns < l->due.ns;

	if (paused && begin_ns < l->due.show_ns)
		return;
	if (nothing_to_run(l)) {
		due_ran(&l->due, conf(l), begin_ns, UINT64_MAX);
		due_shown(&l->due, begin_ns, 0);
		return;
	}
	if (loop_run(l, clock_next(&l->clock, clock_date()), paused, &error))
		log_line(LOG_FAILURE, "this run was not published: %s", error.text);
	if (!paused)
		due_ran(&l->due, conf(l), clock_monotonic_ns(), change_ns(l));
	l->qmaster->methods->settle(l->qmaster);
	now_ns = clock_monotonic_ns();
	due_shown(&l->due, now_ns, now_ns - begin_ns);
}

/* At each interval, whatever runs there were in between. */
static void loop_tick_if_due(struct loop *l)
{
	if (clock_monotonic_ns() < l->tick_ns)
		return;
	if (l->qmaster->methods->tick)
		l->qmaster->methods->tick(l->qmaster);
	l->tick_ns = due_interval(conf(l), clock_monotonic_ns());
}

/* The loop */

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
	struct loop *l = context;

	return sched_edit_customer(l->sched, l->now ? l->now : clock_date(), edit->customer ? edit->customer : "", &edit->edit, error);
}

static void take_hurry(void *context)
{
	due_hurry(&((struct loop *)context)->due);
}

static bool take_show(void *context)
{
	struct loop *l = context;

	return due_show(&l->due, clock_monotonic_ns()) && !l->stop;
}

static void take_end(void *context)
{
	((struct loop *)context)->stop = true;
}

static int signals_open(void)
{
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int loop_open(struct loop *l, struct sched *sched, const char *where, const void *options, struct error *error)
{
	const struct qmaster_setup setup = { sched, &l->intake, where, options };
	int rc;

	*l = (struct loop){ .sched = sched, .signal_fd = -1, .timer_fd = -1 };
	l->intake = (struct intake){ .mirror = sched_mirror(sched), .orders = sched_orders(sched), .context = l, .reload = loop_reload, .edit = take_edit,
				     .happened = take_event, .hurry = take_hurry, .show = take_show, .run = take_run, .end = take_end };
	rc = qmasters_open(&l->qmaster, &setup, error);
	if (rc)
		return rc;
	l->due.paced = l->qmaster->methods->paces;
	if (l->qmaster->methods->limits)
		l->intake.orders->limits = *l->qmaster->methods->limits;
	return 0;
}

int loop_keep(struct loop *l, const char *path, const struct store_usage_options *options, struct error *error)
{
	l->intake.keeps = true;
	return keeper_open(&l->keeper, path, l->sched, options, error);
}

void loop_close(struct loop *l)
{
	if (l->timer_fd >= 0)
		close(l->timer_fd);
	if (l->signal_fd >= 0)
		close(l->signal_fd);
	schedule_file_close(&l->schedule);
	hosts_close(l->hosts);
	journal_close(l->journal);
	keeper_close(&l->keeper);
	if (l->qmaster)
		l->qmaster->methods->close(l->qmaster);
}

static void hang_up_handle(struct loop *l)
{
	struct error error = { "" };

	hosts_reload(l->hosts);
	if (loop_reload(l, &error) == 0)
		due_hurry(&l->due);
	else if (l->qmaster->methods->complain)
		l->qmaster->methods->complain(l->qmaster, error.text);
}

static void place_handle(struct loop *l, void (*wanted)(struct qmaster *q))
{
	if (wanted)
		wanted(l->qmaster);
	else
		log_line(LOG_ODD, "this scheduler has no place that it could take or hand back");
}

static void signal_tell(const struct signalfd_siginfo *info)
{
	static const struct {
		uint32_t signal;
		const char *text;
	} texts[] = {
		{ SIGHUP, "SIGHUP, to read the configuration" }, { SIGUSR1, "SIGUSR1, the place is to be taken" },
		{ SIGUSR2, "SIGUSR2, the place is to be given back" }, { SIGINT, "SIGINT, ending" }, { SIGTERM, "SIGTERM, ending" },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (texts[i].signal == info->ssi_signo && info->ssi_code == SI_USER)
			log_line(LOG_NOTE, "%s: sent by process %u of user %u", texts[i].text, info->ssi_pid, info->ssi_uid);
		else if (texts[i].signal == info->ssi_signo)
			log_line(LOG_NOTE, "%s", texts[i].text);
}

static void signal_handle(struct loop *l)
{
	struct signalfd_siginfo info;

	while (read(l->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		signal_tell(&info);
		if (info.ssi_signo == SIGHUP)
			hang_up_handle(l);
		else if (info.ssi_signo == SIGUSR1)
			place_handle(l, l->qmaster->methods->attach);
		else if (info.ssi_signo == SIGUSR2)
			place_handle(l, l->qmaster->methods->hand_back);
		else
			l->stop = true;
	}
}

static void timer_clear(const struct loop *l)
{
	uint64_t expirations;

	(void)!read(l->timer_fd, &expirations, sizeof(expirations));
}

static void loop_watch(struct loop *l, struct pollfd fds[QMASTER_FDS])
{
	for (int i = 0; i < QMASTER_FDS; i++)
		fds[i] = (struct pollfd){ .fd = -1 };
	if (l->qmaster->methods->watch)
		l->qmaster->methods->watch(l->qmaster, fds);
}

static void loop_handle(struct loop *l, const struct pollfd fds[QMASTER_FDS])
{
	if (l->qmaster->methods->handle)
		l->qmaster->methods->handle(l->qmaster, fds);
	l->qmaster->methods->settle(l->qmaster);
}

/* Wait for anything, deal with it, run if it is time: of what the qmaster has settled. */
static int loop_turn(struct loop *l)
{
	struct pollfd fds[FDS];
	int rc = timer_arm(l);

	if (rc)
		return rc;
	loop_watch(l, fds);
	fds[FD_SIGNAL] = (struct pollfd){ .fd = l->signal_fd, .events = POLLIN };
	fds[FD_TIMER] = (struct pollfd){ .fd = l->timer_fd, .events = POLLIN };
	fds[FD_HOSTS] = (struct pollfd){ .fd = hosts_fd(l->hosts), .events = POLLIN };
	if (poll(fds, FDS, -1) < 0)
		return errno == EINTR ? 0 : -errno;
	if (fds[FD_SIGNAL].revents)
		signal_handle(l);
	if (fds[FD_TIMER].revents)
		timer_clear(l);
	if (fds[FD_HOSTS].revents)
		hosts_handle(l->hosts);
	loop_tick_if_due(l);
	loop_handle(l, fds);
	l->due.eager = sched_is_eager(l->sched);
	due_look(&l->due, conf(l), clock_monotonic_ns());
	if (!l->stop)
		loop_run_if_due(l);
	return 0;
}

static int loop_qmaster_begin(struct loop *l, bool once, struct error *error)
{
	return l->qmaster->methods->begin ? l->qmaster->methods->begin(l->qmaster, once, error) : 0;
}

static int loop_qmaster_finish(struct loop *l, bool all, struct error *error)
{
	return l->qmaster->methods->finish ? l->qmaster->methods->finish(l->qmaster, all, error) : 0;
}

/*
 * An empty run, so that readers have something; but where a predecessor left its last one, that
 * stays until the qmaster's snapshot, or for an interval: better old news than an empty queue.
 */
static int loop_begin(struct loop *l, struct error *error)
{
	int rc = loop_qmaster_begin(l, false, error);

	if (rc == 0 && !sched_has_predecessor(l->sched))
		rc = loop_run(l, clock_next(&l->clock, clock_date()), false, error);
	due_ran(&l->due, conf(l), clock_monotonic_ns(), change_ns(l));
	due_shown(&l->due, clock_monotonic_ns(), 0);
	l->tick_ns = l->due.ns;
	return rc;
}

int loop_serve(struct loop *l, struct error *error)
{
	int rc;

	l->signal_fd = signals_open();
	l->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (l->signal_fd < 0 || l->timer_fd < 0)
		return error_set(error, -errno, "signalfd or timerfd: %m");
	rc = loop_begin(l, error);
	if (rc)
		return rc;
	l->ready = true;
	notify_send("READY=1");
	log_line(LOG_NOTE, "serving %s", sched_cell(l->sched)->dir);
	while (rc == 0 && !l->stop)
		rc = loop_turn(l);
	notify_send("STOPPING=1");
	loop_qmaster_finish(l, false, &(struct error){ "" });
	return rc ? error_set(error, rc, "poll or timer: %s", strerror(-rc)) : 0;
}

/* -1: without end. */
static int wait_ms(const struct loop *l)
{
	uint64_t due = l->qmaster->methods->due_ns ? l->qmaster->methods->due_ns(l->qmaster) : QMASTER_NEVER_NS, now = clock_monotonic_ns();

	if (due == QMASTER_NEVER_NS)
		return -1;
	return due <= now ? 0 : due - now > 60 * SECOND_NS ? 60000 : (int)((due - now) / 1000000) + 1;
}

int loop_once(struct loop *l, int64_t now, struct error *error)
{
	const struct qmaster_methods *qmaster = l->qmaster->methods;
	struct pollfd fds[QMASTER_FDS];
	struct error unsent = { "" };
	int rc, sent;

	l->now = now;
	signal(SIGPIPE, SIG_IGN);
	if (!qmaster->ended)
		return error_set(error, -ENOTSUP, "its events have no end");
	rc = loop_qmaster_begin(l, true, error);
	while (rc == 0 && !qmaster->ended(l->qmaster)) {
		loop_watch(l, fds);
		if (poll(fds, QMASTER_FDS, wait_ms(l)) < 0 && errno != EINTR)
			return error_set(error, -errno, "poll: %m");
		loop_handle(l, fds);
	}
	if (rc == 0)
		rc = loop_run(l, now, false, error);
	sent = loop_qmaster_finish(l, true, &unsent);
	return rc == 0 && sent ? error_set(error, sent, "%s", unsent.text) : rc;
}

uint64_t loop_refused(const struct loop *l)
{
	return l->qmaster->methods->refused ? l->qmaster->methods->refused(l->qmaster) : 0;
}
