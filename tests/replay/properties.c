/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For any trace: each job starts once and ends once, no slot has two jobs at any time, and the
 * usage booked at the end is slots x time. Random cells and traces; FAIRLEAD_SEED=n sets the seed.
 * The results are the same with other workers, and with or without publication.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/replay/play.h"

enum { TRACES = 60, JOBS = 150, HOSTS = 4, USERS = 5 };

struct shape {				/* shape of a random cell, and of the calls during its replay */
	struct play play;
	uint64_t random, seed;
	unsigned slots[HOSTS];
	bool flush, preempts;
	/* Calls to the watch. */
	unsigned used[HOSTS][2];	/* slots used in all.q and low.q */
	unsigned taken[JOBS + 1], starts[JOBS + 1], ends[JOBS + 1];
	double slot_s[USERS];		/* slot seconds of ended tasks */
	double booked[USERS];		/* at the last sample */
	char fault[200];		/* the first violated property */
};

static uint32_t below(struct shape *shape, uint32_t n)
{
	shape->random ^= shape->random << 13;
	shape->random ^= shape->random >> 7;
	shape->random ^= shape->random << 17;
	return (uint32_t)(shape->random >> 20) % n;
}

/* Properties */

static unsigned user_of(const struct replay_task *task)
{
	return (unsigned)atoi(task->job->user + 1);
}

#define FAULT(s, ...) ((s)->fault[0] ? 0 : snprintf((s)->fault, sizeof((s)->fault), __VA_ARGS__))

/* Take or return slots of a host. */
static void take(struct shape *shape, const struct replay_task *task, bool give)
{
	for (size_t i = 0; i < task->granted.n; i++) {
		const char *name = task->granted.items[i].queue;
		unsigned host = (unsigned)atoi(strchr(name, '@') + 2),
			 *used = &shape->used[host][strncmp(name, "low", 3) == 0];

		*used += give ? -task->granted.items[i].slots : task->granted.items[i].slots;
		if (*used > shape->slots[host])
			FAULT(shape, "%s has %u slots, %u are taken", name, shape->slots[host], *used);
	}
}

static void started(void *context, const struct replay_task *task)
{
	struct shape *shape = context;
	unsigned slots = 0;

	play_started(&shape->play, task);
	take(shape, task, false);
	for (size_t i = 0; i < task->granted.n; i++)
		slots += task->granted.items[i].slots;
	if (slots != task->job->slots)
		FAULT(shape, "job %" PRIu64 " asked for %u slots and has %u", task->number, task->job->slots, slots);
	if (task->start < task->submit || task->submit < task->job->submit)
		FAULT(shape, "job %" PRIu64 " starts before it is submitted", task->number);
	shape->starts[task->number]++;
}

static void ended(void *context, const struct replay_task *task, int64_t now)
{
	struct shape *shape = context;

	play_ended(&shape->play, task, now);
	take(shape, task, true);
	if (task->run_s != task->job->run_s)
		FAULT(shape, "job %" PRIu64 " runs %" PRId64 " s and needs %" PRId64, task->number, task->run_s,
		      task->job->run_s);
	if (now - task->start < task->run_s)
		FAULT(shape, "job %" PRIu64 " ran longer than the time between its start and its end", task->number);
	shape->ends[task->number]++;
	shape->slot_s[user_of(task)] += (double)task->run_s * task->slots;
}

static void suspended(void *context, const struct replay_task *task, bool is, int64_t now)
{
	play_suspended(&((struct shape *)context)->play, task, is, now);
}

static void submitted(void *context, const struct replay_task *task)
{
	struct shape *shape = context;

	play_submitted(&shape->play, task);
	shape->taken[task->number]++;
}

static void sample(void *context, int64_t now, const struct fl_view *view)
{
	struct shape *shape = context;

	(void)now;
	for (size_t k = 0; k < fl_sharers(view, FL_USER); k++) {
		struct fl_sharer sharer;

		assert_int_equal(fl_sharer(view, FL_USER, k, &sharer), 0);
		shape->booked[atoi(sharer.name + 1)] = sharer.usage.cpu;
	}
}

static void check_all(struct shape *shape)
{
	for (unsigned i = 1; i <= JOBS; i++)
		if (shape->starts[i] != shape->taken[i] || shape->ends[i] != shape->taken[i])
			FAULT(shape, "job %u was submitted %u times, started %u, ended %u", i, shape->taken[i],
			      shape->starts[i], shape->ends[i]);
	for (unsigned u = 0; u < USERS; u++)
		if (fabs(shape->booked[u] - shape->slot_s[u]) > 1e-9 * shape->slot_s[u])
			FAULT(shape, "%.17g of user u%u is booked, %.17g was used", shape->booked[u], u,
			      shape->slot_s[u]);
}

/* Random ones */

static void cell_make(struct shape *shape)
{
	static const char *const rules[] = { "$fill_up", "$round_robin", "$pe_slots", "2" };
	char hosts[64] = "", slots[64] = "1", more[200];

	for (unsigned h = 0; h < HOSTS; h++) {
		shape->slots[h] = 1 + below(shape, 8);
		sprintf(hosts + strlen(hosts), " h%u", h);
		sprintf(slots + strlen(slots), ",[h%u=%u]", h, shape->slots[h]);
	}
	shape->flush = below(shape, 2);
	shape->preempts = below(shape, 3) == 0;
	play_begin(&shape->play);
	snprintf(more, sizeof(more), "max_reservation %u\n", below(shape, 4));
	play_policy(&shape->play, 1 + below(shape, 40), shape->flush, more);
	play_put(&shape->play, "queue/all.q",
		 "qname all.q\nhostlist%s\nseq_no 0\nslots %s\nqtype BATCH\npe_list mpi\nload_thresholds NONE\n"
		 "h_rt INFINITY\ns_rt INFINITY\nsubordinate_list %s\n",
		 hosts, slots, shape->preempts ? "low.q=2" : "NONE");
	if (shape->preempts)
		play_put(&shape->play, "queue/low.q",
			 "qname low.q\nhostlist%s\nseq_no 1\nslots %s\nqtype BATCH\npe_list mpi\nload_thresholds NONE\n"
			 "h_rt INFINITY\ns_rt INFINITY\n",
			 hosts, slots);
	play_put(&shape->play, "pe/mpi",
		 "pe_name mpi\nslots 100\nuser_lists NONE\nxuser_lists NONE\nallocation_rule %s\ncontrol_slaves TRUE\n"
		 "job_is_first_task FALSE\nurgency_slots min\n",
		 rules[below(shape, 4)]);
	shape->play.options =
		(struct replay_options){ .sample_s = 1,
					 .usage_s = 1 + below(shape, 100),
					 .runs = below(shape, 3) ? REPLAY_BY_INTERVAL : REPLAY_AT_EVENTS };
}

static struct trace_job job_make(struct shape *shape, uint32_t number, int64_t *at)
{
	static const char *const users[USERS] = { "u0", "u1", "u2", "u3", "u4" };
	struct trace_job job;

	*at += below(shape, 4) ? below(shape, 60) : 0;
	job = play_job(number, *at, below(shape, 8) ? below(shape, 400) : 0, 1 + below(shape, 3) * below(shape, 6));
	job.user = users[below(shape, USERS)];
	job.limit_s = below(shape, 4) ? job.run_s / 2 + below(shape, 600) : 0;
	if (shape->preempts)
		job.queue = below(shape, 2) ? "all.q" : "low.q";
	return job;
}

static void shape_play(struct shape *shape, uint64_t seed, unsigned workers, uint32_t sample_s)
{
	const struct replay_watch watch = { shape, submitted, started, suspended, ended, play_refused, NULL, sample };
	int64_t at = 0;

	*shape = (struct shape){ .seed = seed, .random = seed };
	cell_make(shape);
	shape->play.options.sample_s = sample_s;
	shape->play.options.queues = shape->preempts;
	play_create_sched(&shape->play);
	assert_int_equal(sched_workers(shape->play.sched, workers), 0);
	assert_int_equal(
		replay_create(&shape->play.replay, shape->play.sched, &shape->play.options, &watch, &shape->play.error),
		0);
	for (uint32_t i = 1; i <= JOBS; i++)
		play_give(&shape->play, job_make(shape, i, &at));
	play_finish(&shape->play);
}

static uint64_t first_seed(void)
{
	const char *text = getenv("FAIRLEAD_SEED");

	return text ? strtoull(text, NULL, 0) : 0x9e3779b97f4a7c15;
}

static uint64_t next_seed(uint64_t seed)
{
	return seed * 6364136223846793005u + 1442695040888963407u;
}

static void test_each_job_starts_once_no_slot_has_two_and_all_time_is_booked(void **state)
{
	uint64_t seed = first_seed();
	struct shape shape;
	unsigned suspensions = 0, refusals = 0;

	(void)state;
	for (int i = 0; i < TRACES; i++, seed = next_seed(seed)) {
		const char *lines;

		shape_play(&shape, seed, 1, 1);
		check_all(&shape);
		if (shape.fault[0])
			fail_msg("FAIRLEAD_SEED=%" PRIu64 ": %s", seed, shape.fault);
		lines = play_lines(&shape.play);
		suspensions += strstr(lines, " suspend ") != NULL;
		refusals += strstr(lines, "refuse ") != NULL;
		play_end(&shape.play);
	}
	assert_true(suspensions > 2 && refusals > 2);
}

/* The check must detect a violation. */
static void test_a_violated_property_is_detected(void **state)
{
	struct shape shape;

	(void)state;
	shape_play(&shape, first_seed(), 1, 1);
	shape.slot_s[1] += 1;
	check_all(&shape);
	assert_non_null(strstr(shape.fault, "of user u1 is booked"));
	shape.slot_s[1] -= 1;
	shape.fault[0] = '\0';
	for (unsigned i = 1; i <= JOBS && !shape.fault[0]; i++)
		if (shape.starts[i]) {
			shape.starts[i]++;
			check_all(&shape);
		}
	assert_non_null(strstr(shape.fault, "was submitted 1 times, started 2"));
	shape.fault[0] = '\0';
	shape.used[0][0] = shape.slots[0];
	started(&shape,
		&(struct replay_task){ .number = 1,
				       .submit = 1,
				       .start = 1,
				       .job = &(struct trace_job){ .user = "u0", .slots = 1 },
				       .granted = { &(struct granted){ .queue = "all.q@h0", .slots = 1 }, 1 } });
	assert_non_null(strstr(shape.fault, "slots, "));
	play_end(&shape.play);
}

static void test_the_result_is_the_same_with_other_workers_and_without_publication(void **state)
{
	uint64_t seed = first_seed();

	(void)state;
	for (int i = 0; i < 6; i++, seed = next_seed(seed)) {
		struct shape one, three, unseen;

		shape_play(&one, seed, 1, 1);
		shape_play(&three, seed, 3, 1);
		shape_play(&unseen, seed, 1, 0);
		assert_string_equal(play_lines(&one.play), play_lines(&three.play));
		one.play.reported = 0;
		assert_string_equal(play_lines(&one.play), play_lines(&unseen.play));
		play_end(&one.play);
		play_end(&three.play);
		play_end(&unseen.play);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_job_starts_once_no_slot_has_two_and_all_time_is_booked),
		cmocka_unit_test(test_a_violated_property_is_detected),
		cmocka_unit_test(test_the_result_is_the_same_with_other_workers_and_without_publication),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
