/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads of the policies. Each has a scheduler, a reader of the trace and an outcome of its own.
 * As nothing is shared, the results do not depend on the number of concurrent threads.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sched/cli/replay/replay.h"
#include "sched/process/clock.h"

#define LOOK_NS 250000000		/* interval of the progress display */

/* Signals */

static volatile sig_atomic_t stop_asked;
static _Atomic(struct replay *) *volatile stoppable[REPLAY_COLUMNS];

/* Stop all replays. SA_RESETHAND restores the default action for a second signal. */
static void stop(int signal)
{
	(void)signal;
	stop_asked = 1;
	for (size_t k = 0; k < REPLAY_COLUMNS; k++) {
		struct replay *replay = stoppable[k] ? atomic_load(stoppable[k]) : NULL;

		if (replay)
			replay_stop(replay);
	}
}

bool replay_signals_begin(void)
{
	struct sigaction action = { .sa_handler = stop, .sa_flags = (int)SA_RESETHAND };

	return sigaction(SIGINT, &action, NULL) == 0 && sigaction(SIGTERM, &action, NULL) == 0;
}

bool replay_stopped(void)
{
	return stop_asked;
}

/* One policy */

static int feed(struct replay_column *column, struct replay *replay, struct trace *trace)
{
	struct trace_job job;
	int rc;

	while ((rc = trace_next(trace, &job, &column->error)) == 0) {
		rc = replay_job(replay, &job, &column->error);
		if (rc)
			return rc;
		atomic_fetch_add_explicit(&column->taken, 1, memory_order_relaxed);
	}
	return rc < 0 ? rc : replay_finish(replay, &column->error);
}

/*
 * Replay one column. A signal may have arrived before the replay could be stopped, so this is
 * checked at the start. A signal may also arrive later at any time, so the replay object stays
 * until all threads have ended.
 */
static void column_replay(struct replay_column *column)
{
	uint64_t began = clock_monotonic_ns();
	struct replay_options options = column->query->replay;
	struct replay *replay = NULL;
	struct trace *trace = NULL;

	if (column->is_slurm && options.interval_s == 0)
		options.runs = REPLAY_AT_EVENTS;

	column->began = true;
	column->rc = trace_open(&trace, column->trace->path, &column->query->trace, &column->error);
	if (!column->rc)
		column->rc =
			replay_create(&replay, column->sched, &options, outcome_watch(column->outcome), &column->error);
	atomic_store(&column->replay, replay);
	if (!column->rc)
		column->rc = replay_stopped() ? -EINTR : feed(column, replay, trace);
	if (replay)
		replay_counts(replay, &column->counts);
	trace_close(trace);
	column->stopped = column->rc == -EINTR;
	if (!column->rc || column->stopped)
		column->rc = outcome_error(column->outcome);
	column->seconds = (double)(clock_monotonic_ns() - began) / 1e9;
}

/* All policies */

struct crew {
	struct replay_column *columns;
	size_t n;
	_Atomic size_t next;
};

static void *work(void *context)
{
	struct crew *crew = context;
	size_t k;

	while ((k = atomic_fetch_add(&crew->next, 1)) < crew->n) {
		if (!replay_stopped())
			column_replay(&crew->columns[k]);
		atomic_store(&crew->columns[k].over, true);
	}
	return NULL;
}

static double part_done(const struct replay_column *column)
{
	double jobs = (double)column->trace->about->jobs;

	if (atomic_load(&column->over))
		return 1.0;
	return jobs > 0.0 ? (double)atomic_load(&column->taken) / jobs : 0.0;
}

/* Show the progress of each policy, and the remaining time at the present speed. */
static void progress_show(const struct crew *crew, uint64_t began_ns)
{
	double done = 0.0, passed = (double)(clock_monotonic_ns() - began_ns) / 1e9;
	char left[REPLAY_WORD];

	fprintf(stderr, "\r\033[K");
	for (size_t k = 0; k < crew->n; k++) {
		double part = part_done(&crew->columns[k]);

		done += part / (double)crew->n;
		fprintf(stderr, "%.20s %.0f %%  ", crew->columns[k].name, 100.0 * part);
	}
	if (done > 0.01)
		fprintf(stderr, "%s left", word_seconds(left, passed / done - passed));
	fflush(stderr);
}

/* Wait for the end of the thread. It has ended when this function returns. */
static void thread_follow(pthread_t thread, const struct crew *crew, uint64_t began_ns, bool shown)
{
	struct timespec until;

	while (shown) {
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += LOOK_NS;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		if (pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &until) != ETIMEDOUT)
			return;
		progress_show(crew, began_ns);
	}
	pthread_join(thread, NULL);
}

bool replay_columns_run(struct replay_column *columns, size_t n)
{
	struct crew crew = { .columns = columns, .n = n };
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	pthread_t threads[REPLAY_COLUMNS];
	size_t nthreads = 0, most = processors > 0 ? (size_t)processors : 1;
	uint64_t began = clock_monotonic_ns();
	bool shown = isatty(STDERR_FILENO);

	for (size_t k = 0; k < n; k++)
		stoppable[k] = &columns[k].replay;
	while (nthreads < n && nthreads < most && pthread_create(&threads[nthreads], NULL, work, &crew) == 0)
		nthreads++;
	if (nthreads == 0)
		work(&crew);
	for (size_t k = 0; k < nthreads; k++)
		thread_follow(threads[k], &crew, began, shown);
	if (shown)
		fprintf(stderr, "\r\033[K");
	for (size_t k = 0; k < n; k++) {
		stoppable[k] = NULL;
		replay_destroy(atomic_load(&columns[k].replay));
	}
	return replay_stopped();
}
