/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cell of texts, manual jobs, and the calls to the watch of their replay as lines: "120 start 3
 * all.q@ada=4". Include after cmocka.h and its headers.
 */
#ifndef TESTS_REPLAY_PLAY_H
#define TESTS_REPLAY_PLAY_H

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "sched/detach.h"
#include "sched/reader/fairlead.h"
#include "sched/replay/replay.h"
#include "sched/trace/trace.h"

#define T0 INT64_C(1700000000)		/* times in lines begin here */

struct play {
	struct cell_files files;
	struct sched *sched;
	struct replay *replay;
	struct replay_options options;
	struct replay_watch watch;
	struct error error;
	FILE *out;
	char *text;
	size_t size, reported;
	bool runs;			/* runs are listed as well */
};

/* The cell */

__attribute__((format(printf, 3, 4)))
static inline void play_put(struct play *play, const char *name, const char *format, ...)
{
	struct cell_file *file = NULL;
	va_list values;

	for (size_t i = 0; i < play->files.n; i++)
		if (strcmp(play->files.items[i].name, name) == 0)
			file = &play->files.items[i];
	if (!file) {
		file = array_add(&play->files.items, &play->files.n, sizeof(*file));
		assert_non_null(file);
		file->name = strdup(name);
	}
	free(file->text);
	va_start(values, format);
	assert_true(vasprintf(&file->text, format, values) >= 0);
	va_end(values);
}

static inline void play_remove(struct play *play, const char *name)
{
	for (size_t i = 0; i < play->files.n; i++)
		if (strcmp(play->files.items[i].name, name) == 0) {
			free(play->files.items[i].name);
			free(play->files.items[i].text);
			play->files.items[i] = play->files.items[--play->files.n];
		}
}

/* Write the policy. `more`: other parameters. */
static inline void play_policy(struct play *play, unsigned interval, unsigned flush, const char *more)
{
	play_put(
		play, "sched_conf",
		"algorithm default\nschedule_interval %u\nmaxujobs 0\nqueue_sort_method load\njob_load_adjustments NONE\n"
		"load_adjustment_decay_time 0:0:0\nload_formula slots\nschedd_job_info false\nflush_submit_sec %u\nflush_finish_sec %u\n"
		"params none\nreprioritize_interval 0:0:0\ndefault_duration 24:0:0\nhalftime 0\n"
		"usage_weight_list cpu=1,mem=0,io=0\ncompensation_factor 5\nweight_user 0.25\nweight_project 0.25\n"
		"weight_department 0.25\nweight_job 0.25\nweight_tickets_functional 0\nweight_tickets_share 10000\n"
		"share_override_tickets TRUE\nshare_functional_shares TRUE\nmax_functional_jobs_to_schedule 200\n"
		"report_pjob_tickets TRUE\nmax_pending_tasks_per_job 50\nhalflife_decay_list none\npolicy_hierarchy OFS\n"
		"weight_ticket 0.5\nweight_waiting_time 0.01\nweight_deadline 3600000\nweight_urgency 0.3\nweight_priority 0.2\n%s",
		interval, flush, flush, more);
}

static inline void play_queue(struct play *play, const char *name, const char *hosts, unsigned slots, const char *more)
{
	char file[64];

	snprintf(file, sizeof(file), "queue/%s", name);
	play_put(
		play, file,
		"qname %s\nhostlist %s\nseq_no 0\nslots %u\nqtype BATCH\npe_list mpi\nload_thresholds NONE\nh_rt INFINITY\ns_rt INFINITY\n%s",
		name, hosts, slots, more);
}

/* Create two hosts of four slots, a parallel environment, and a tree with every user. */
static inline void play_begin(struct play *play)
{
	*play = (struct play){ .files = { NULL, 0 } };
	play_policy(play, 15, 0, "max_reservation 0\n");
	play_queue(play, "all.q", "ada bly", 4, "");
	play_put(
		play, "pe/mpi",
		"pe_name mpi\nslots 100\nuser_lists NONE\nxuser_lists NONE\nallocation_rule $fill_up\ncontrol_slaves TRUE\n"
		"job_is_first_task FALSE\nurgency_slots min\n");
	play_put(play, "global_conf", "enforce_user auto\nauto_user_fshare 100\n");
	play_put(
		play, "share_tree",
		"id=0\nname=Root\ntype=0\nshares=1\nchildnodes=1\nid=1\nname=default\ntype=0\nshares=10\nchildnodes=NONE\n");
	play->out = open_memstream(&play->text, &play->size);
	assert_non_null(play->out);
}

/* Calls to the watch */

static inline void play_submitted(void *context, const struct replay_task *task)
{
	fprintf(((struct play *)context)->out, "%" PRId64 " submit %" PRIu64 "\n", task->submit - T0, task->number);
}

static inline void play_started(void *context, const struct replay_task *task)
{
	FILE *out = ((struct play *)context)->out;

	fprintf(out, "%" PRId64 " start %" PRIu64, task->start - T0, task->number);
	for (size_t i = 0; i < task->granted.n; i++)
		fprintf(out, " %s=%u", task->granted.items[i].queue, task->granted.items[i].slots);
	fprintf(out, "%s%s%s\n", task->granted_pe ? " " : "", task->granted_pe ? task->granted_pe : "",
		task->backfilled ? " backfilled" : "");
}

static inline void play_suspended(void *context, const struct replay_task *task, bool is, int64_t now)
{
	fprintf(((struct play *)context)->out, "%" PRId64 " %s %" PRIu64 " ran %" PRId64 "\n", now - T0,
		is ? "suspend" : "resume", task->number, task->run_s);
}

static inline void play_ended(void *context, const struct replay_task *task, int64_t now)
{
	static const char *const how[] = { "end", "limit", "vacate", "remove" };

	fprintf(((struct play *)context)->out, "%" PRId64 " %s %" PRIu64 " ran %" PRId64 "\n", now - T0, how[task->how],
		task->number, task->run_s);
}

static inline void play_refused(void *context, const struct replay_task *task, const char *why)
{
	fprintf(((struct play *)context)->out, "refuse %" PRIu64 " %s\n", task->number, why);
}

static inline void play_ran(void *context, const struct replay_run *run)
{
	struct play *play = context;

	if (play->runs)
		fprintf(play->out, "%" PRId64 " run pending %zu running %zu slots %" PRIu64 " of %" PRIu64 "\n",
			run->now - T0, run->pending, run->running, run->slots_used, run->slots);
}

static inline void play_create_sched(struct play *play)
{
	struct report report = { 0 };

	cell_files_sort(&play->files);
	if (sched_create_detached(&play->sched, "(test)", &play->files, 256 << 20, &report, &play->error) != 0)
		fail_msg("%s", play->error.text);
	report_free(&report);
}

static inline void play_create(struct play *play)
{
	struct replay_watch watch = { play,	  play_submitted, play_started, play_suspended,
				      play_ended, play_refused,	  play_ran,	play->watch.sample };

	if (!play->sched)
		play_create_sched(play);
	if (replay_create(&play->replay, play->sched, &play->options, &watch, &play->error) != 0)
		fail_msg("%s", play->error.text);
}

/* Jobs */

/* Return a job of user ann at T0 + `at`. */
static inline struct trace_job play_job(uint32_t number, int64_t at, int64_t run_s, uint32_t slots)
{
	return (struct trace_job){ .line = number,
				   .number = number,
				   .submit = T0 + at,
				   .run_s = run_s,
				   .slots = slots,
				   .cpu_s = -1,
				   .user = "ann" };
}

static inline void play_give(struct play *play, struct trace_job job)
{
	if (!play->replay)
		play_create(play);
	if (replay_job(play->replay, &job, &play->error) != 0)
		fail_msg("%s", play->error.text);
}

static inline void play_end(struct play *play)
{
	replay_destroy(play->replay);
	sched_destroy(play->sched);
	cell_files_free(&play->files);
	fclose(play->out);
	free(play->text);
}

/* Return all lines since the last call. They are valid until more lines come. */
static inline const char *play_lines(struct play *play)
{
	size_t from = play->reported;

	fflush(play->out);
	play->reported = play->size;
	return play->text + from;
}

static inline void play_finish(struct play *play)
{
	if (replay_finish(play->replay, &play->error) != 0)
		fail_msg("%s", play->error.text);
}

/* Play to the end and expect these lines. */
#define REPORTED(p, lines) do {										\
	play_finish(p);											\
	assert_string_equal(play_lines(p), lines);							\
} while (0)

/* Set up a play for each test. */
static inline int play_setup(void **state)
{
	struct play *play = calloc(1, sizeof(*play));

	play_begin(play);
	*state = play;
	return 0;
}

static inline int play_teardown(void **state)
{
	play_end(*state);
	free(*state);
	return 0;
}

#endif
