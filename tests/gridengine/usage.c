/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The usage of each task is booked once. Jobs are random, scheduler and qmaster are killed at
 * random moments, and administrators change users. At the end users have the usage of their tasks,
 * no task is lost, and no list contains a removed job.
 *
 * SEED=n repeats a game, STEPS=n makes a longer one. The last test is the negative control: if
 * finished tasks are removed before their usage has arrived, games must end with usage lost.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <math.h>
#include <time.h>

#include "tests/gridengine/scripted.h"

#define JOBS 60u
#define TASKS_MOST 4u

enum model_state { WAITS, RUNS, ENDED, REMOVED };

struct model_task {
	enum model_state state;
	double cpu;
	int64_t start_time;
	bool unreported;			/* removal still to be reported */
};

struct model_job {
	bool there, submitted;
	const char *owner, *project;
	unsigned n;
	struct model_task tasks[TASKS_MOST + 1];
};

static struct model_job jobs[JOBS + 1];
static struct scripted_user spooled[4];
static int64_t now;
static bool early;
static uint64_t random_state;
static unsigned below(unsigned n)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(random_state >> 33) % n;
}

/* The qmaster */

static void task_removed(uint32_t number, uint32_t id)
{
	struct model_task *task = &jobs[number].tasks[id];

	assert_true(number <= JOBS && id <= jobs[number].n);
	if (task->state != ENDED)
		return;			/* a repeated removal */
	task->state = REMOVED;
	task->unreported = true;
}

static bool job_is_over(const struct model_job *job)
{
	for (unsigned i = 1; i <= job->n; i++)
		if (job->tasks[i].state != REMOVED)
			return false;
	return true;
}

static void report_removals(void)
{
	for (unsigned number = 1; number <= JOBS; number++) {
		struct model_job *job = &jobs[number];

		for (unsigned i = 1; job->submitted && i <= job->n; i++)
			if (job->tasks[i].unreported) {
				job->tasks[i].unreported = false;
				if (!job_is_over(job))
					settlement_removed(&q.g, number, i);
			}
		if (job->submitted && job->there && job_is_over(job)) {
			job->there = false;
			tell(q.f, DELETE "%u}", number);
			settlement_removed(&q.g, number, 0);
		}
	}
}

static void usage_text(char *text, size_t size, double cpu)
{
	snprintf(text, size, "'scaled_usage':{'cpu':%.17g,'mem':%.17g,'io':0}", cpu, cpu / 8);
}

static void report_start(unsigned number, unsigned id)
{
	TELL(q.f,
	     "{'event':'task_start','start_time':%lld,'granted':[{'queue':'all.q@node','slots':1}],'job_number':%u,'task':%u}",
	     (long long)jobs[number].tasks[id].start_time, number, id);
}

static void report_usage(unsigned number, unsigned id)
{
	char usage[200];

	usage_text(usage, sizeof(usage), jobs[number].tasks[id].cpu);
	TELL(q.f, USAGE "%u,'task':%u,%s}", number, id, usage);
}

static void report_end(unsigned number, unsigned id)
{
	char usage[200];

	usage_text(usage, sizeof(usage), jobs[number].tasks[id].cpu);
	settlement_finished(&q.g, number, id, true);
	if (!usage_booked(&q.g, number, id))
		TELL(q.f, FINISH "%u,'task':%u,'kept':true,%s}", number, id, usage);
}

static void report_job(unsigned number)
{
	struct model_job *job = &jobs[number];
	char ids[200] = "";

	for (unsigned i = 1; i <= job->n; i++)
		if (job->tasks[i].state < ENDED ||
		    (job->tasks[i].state == ENDED && !usage_booked(&q.g, number, i)))
			snprintf(ids + strlen(ids), sizeof(ids) - strlen(ids), "%s%u", *ids ? "," : "", i);
	if (*ids && *job->project)
		TELL(q.f, ADD "%u,'owner':'%s','project':'%s','tasks':'%s'}", number, job->owner, job->project, ids);
	else if (*ids)
		TELL(q.f, ADD "%u,'owner':'%s','tasks':'%s'}", number, job->owner, ids);
	for (unsigned i = 1; i <= job->n; i++) {
		bool reported = job->tasks[i].state == RUNS ||
			    (job->tasks[i].state == ENDED && !usage_booked(&q.g, number, i));

		if (reported)
			report_start(number, i);
		if (job->tasks[i].state == RUNS)
			report_usage(number, i);
		if (job->tasks[i].state == ENDED)
			report_end(number, i);
		job->tasks[i].unreported = false;
	}
}

/* Report the whole state: jobs, then projects and users. */
static void total_update(void)
{
	events_drop();
	packets_drop(true);
	SNAPSHOT(q.f);
	for (unsigned number = 1; number <= JOBS; number++) {
		jobs[number].there = jobs[number].submitted && !job_is_over(&jobs[number]);
		if (jobs[number].there)
			report_job(number);
	}
	for (size_t i = q.nusers; i-- > 0;)
		scripted_report_user(&q.users[i], q.users[i].project ? GDI_EV_PROJECT_LIST : GDI_EV_USER_LIST);
	mirror_forget_ends(q.f->intake.mirror);
	SNAPSHOT_END(q.f);
	settlement_updated(&q.g);
}

static void spool(void)
{
	for (size_t i = 0; i < q.nusers; i++) {
		free(spooled[i].entries);
		spooled[i] = scripted_copy(&q.users[i]);
	}
}

/* Random events */

static void submit(void)
{
	static const char *const owners[] = { "ann", "bob" }, *const projects[] = { "", "red" };
	unsigned number = 1;

	while (number <= JOBS && jobs[number].submitted)
		number++;
	if (number > JOBS)
		return;
	jobs[number] = (struct model_job){ .there = true,
					   .submitted = true,
					   .owner = owners[below(2)],
					   .project = projects[below(2)],
					   .n = 1 + below(TASKS_MOST) };
	report_job(number);
}

static void task_step(unsigned number, unsigned id)
{
	struct model_task *task = &jobs[number].tasks[id];

	if (task->state == WAITS) {
		task->state = RUNS;
		task->start_time = now;
		report_start(number, id);
	} else if (task->state == RUNS) {
		task->cpu += 1 + below(1000) / 8.0;
		if (below(3) > 0) {
			report_usage(number, id);
			return;
		}
		task->state = ENDED;
		report_end(number, id);
	}
}

static void work(void)
{
	unsigned number = 1 + below(JOBS);

	if (jobs[number].there)
		task_step(number, 1 + below(jobs[number].n));
	else
		submit();
}

static void change_user(void)
{
	struct scripted_user *user = &q.users[below((unsigned)q.nusers)];

	user->usage.n = 0;
	user->in[0] = '\0';
	user->version += 2;
	user->oticket++;
	scripted_changed(user);
}

/* Kill the scheduler. Pending packets may still be carried out, or be lost. */
static void scheduler_dies(void)
{
	while (below(2) && carry_out())
		;
	scheduler_kill();
	total_update();
}

static void qmaster_restarts(bool killed)
{
	while (below(2) && carry_out())
		;
	for (size_t i = 0; killed && i < q.nusers; i++) {
		free(q.users[i].entries);
		q.users[i] = scripted_copy(&spooled[i]);
	}
	for (size_t i = 0; i < q.nusers; i++)
		q.users[i].version = 0;
	spool();
	settlement_stop(&q.g);
	total_update();
}

/* Negative control: a client that does not wait until usage is visible. */
static void remove_early(void)
{
	for (unsigned number = 1; number <= JOBS; number++)
		for (unsigned i = 1; jobs[number].there && i <= jobs[number].n; i++)
			if (jobs[number].tasks[i].state == ENDED)
				task_removed(number, i);
}

static void some_of_a_turn(void)
{
	switch (below(4)) {
	case 0:
		carry_out();
		break;
	case 1:
		answer();
		break;
	case 2:
		deliver();
		report_removals();
		break;
	default:
		settlement_send(&q.g);
	}
}

static void whole_turn(void)
{
	turn();
	report_removals();
	settlement_send(&q.g);
}

static void step(unsigned deaths)
{
	unsigned what = below(100);

	now += below(3);
	if (what < 45)
		work();
	else if (what < 85)
		some_of_a_turn();
	else if (what < 95)
		run_and_send(++now);
	if (early && what >= 85 && what < 95)
		remove_early();
	if (what == 95)
		spool();
	/* A killed scheduler could not restore the usage of a changed user. */
	else if (what == 96 && !(deaths & 1))
		change_user();
	else if (what == 97 && deaths & 1)
		scheduler_dies();
	else if (what == 98 && deaths & 2)
		qmaster_restarts(false);
	else if (what == 99 && deaths & 4)
		qmaster_restarts(true);
}

/* End of a game */

static void finish_all(void)
{
	for (unsigned number = 1; number <= JOBS; number++)
		for (unsigned i = 1; jobs[number].submitted && i <= jobs[number].n; i++)
			while (jobs[number].tasks[i].state < ENDED)
				task_step(number, i);
	for (int i = 0; i < 8; i++) {
		run_and_send(++now);
		whole_turn();
		whole_turn();
	}
	q.place = PLACE_HANDING_BACK;
	for (int i = 0; i < 8 && !settlement_finish(&q.g); i++) {
		settlement_send(&q.g);
		whole_turn();
	}
}

static double expected(const char *owner, const char *project)
{
	double sum = 0;

	for (unsigned number = 1; number <= JOBS; number++)
		for (unsigned i = 1; jobs[number].submitted && i <= jobs[number].n; i++)
			if ((!owner || strcmp(jobs[number].owner, owner) == 0) &&
			    strcmp(jobs[number].project, project) == 0)
				sum += jobs[number].tasks[i].cpu;
	return sum;
}

static void expect(const char *who, double is, double should)
{
	if (fabs(is - should) > 1e-6)
		fail_msg("%s has used %.9g, but is booked %.9g", who, should, is);
}

static bool is_all_booked(void)
{
	double is = 0;

	for (size_t i = 0; i < 2; i++)
		is += scripted_value(&q.users[i].long_term, "cpu") +
		      (*q.users[i].in ? scripted_value(&q.users[i].in_project_ever, "cpu") : 0);
	return fabs(is - expected(NULL, "") - expected(NULL, "red")) < 1e-6;
}

static void check(void)
{
	assert_true(settlement_finish(&q.g));
	for (unsigned number = 1; number <= JOBS; number++)
		if (jobs[number].submitted && !job_is_over(&jobs[number]))
			fail_msg("tasks of job %u were not removed", number);
	for (size_t i = 0; i < 2; i++) {
		expect(q.users[i].name, scripted_value(&q.users[i].long_term, "cpu"), expected(q.users[i].name, ""));
		expect("in red", *q.users[i].in ? scripted_value(&q.users[i].in_project_ever, "cpu") : 0,
		       expected(q.users[i].name, "red"));
	}
	expect("red", scripted_value(&q.users[2].long_term, "cpu"), expected(NULL, "red"));
	for (size_t i = 0; i < q.nusers; i++)
		if (q.users[i].nentries > 0)
			fail_msg("the list of %s has %zu entries left, of job %u first", q.users[i].name,
				 q.users[i].nentries, q.users[i].entries[0].job_number);
}

/* Play a game, beginning with an empty qmaster. */
static void game(uint64_t seed, unsigned deaths)
{
	unsigned steps = getenv("STEPS") ? (unsigned)atoi(getenv("STEPS")) : 3000;

	random_state = seed;
	memset(jobs, 0, sizeof(jobs));
	now = NOW;
	q.removed = task_removed;
	total_update();
	spool();
	for (unsigned i = 0; i < steps; i++) {
		step(deaths);
		if (q.nseen > ENTRIES_MOST / 2)
			q.nseen = 0;
	}
	finish_all();
	for (size_t i = 0; i < 4; i++) {
		free(spooled[i].entries);
		spooled[i] = (struct scripted_user){ 0 };
	}
}

static void play(unsigned deaths)
{
	const char *given = getenv("SEED");
	uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL) * 8 + deaths;

	print_message("SEED=%llu\n", (unsigned long long)seed);
	game(seed, deaths);
	check();
}

static void test_usage_is_booked_when_no_process_is_killed(void **state)
{
	(void)state;
	play(0);
}

static void test_the_scheduler_dies(void **state)
{
	(void)state;
	play(1);
}

static void test_the_qmaster_is_restarted(void **state)
{
	(void)state;
	play(2);
}

static void test_the_qmaster_is_killed_and_loses_unspooled_data(void **state)
{
	(void)state;
	play(4 + 2);
}

static void test_a_removal_that_comes_too_early_is_detected(void **state)
{
	(void)state;
	early = true;
	game(1, 1);
	early = false;
	assert_false(is_all_booked());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCRIPTED(test_usage_is_booked_when_no_process_is_killed),
		SCRIPTED(test_the_scheduler_dies),
		SCRIPTED(test_the_qmaster_is_restarted),
		SCRIPTED(test_the_qmaster_is_killed_and_loses_unspooled_data),
		SCRIPTED(test_a_removal_that_comes_too_early_is_detected),
	};

	return cmocka_run_group_tests_name("usage is booked once", tests, NULL, NULL);
}
