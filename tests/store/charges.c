/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Charges of Slurm's associations, with a scheduler that is killed repeatedly, a qmaster that keeps
 * unacknowledged events, and a disk that loses power. Each second of a running task is charged
 * once. Negative controls: acknowledging before the commit, and a store that loses the charged ends
 * or the time of the last pass.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <cmocka.h>

#include "tests/store/power_vfs.h"
#include "tests/store/slurm_cell.h"

#define JOBS 9
#define STEPS 250
/* A second counts as a second, with a pass per minute. */
#define EXACT "PriorityDecayHalfLife=0\nPriorityUsageResetPeriod=NONE\nPriorityCalcPeriod=1\n"

enum flaw { FLAWLESS, ACKNOWLEDGES_TOO_EARLY, FORGETS_ENDS, FORGETS_THE_PASS };
/* Ended, and not acknowledged by the scheduler. */
enum phase_of_job { WAITS, RUNS, HAS_ENDED };

static struct {
	struct fixture *f;
	enum flaw flaw;
	struct toy_job {
		enum phase_of_job phase;
		int64_t submission_time, start_time, end_time;
	} jobs[JOBS];
	int64_t charged[3];		/* expected charge of each user for ended tasks */
	int64_t now;
	unsigned seed, kills, ended;
} toy;

static unsigned dice(unsigned sides)
{
	return (unsigned)rand_r(&toy.seed) / 7 % sides;
}

/* Reports of the qmaster */

static void report_job(unsigned j)
{
	TELL(toy.f, "{'event':'job_add','submission_time':%lld,'job_number':%u,'owner':'%s','account':'%s'}",
	     (long long)toy.jobs[j].submission_time, j + 1, slurm_users[j % 3][1], slurm_users[j % 3][0]);
}

static void report_start(unsigned j)
{
	TELL(toy.f,
	     "{'event':'task_start','start_time':%lld,'granted':[{'queue':'all.q@node','slots':1}],'job_number':%u}",
	     (long long)toy.jobs[j].start_time, j + 1);
}

static void report_end(unsigned j)
{
	TELL(toy.f, FINISH "%u,'end_time':%lld}", j + 1, (long long)toy.jobs[j].end_time);
}

/* Send a snapshot. Tasks whose end was not acknowledged are shown as started, and end again. */
static void report_snapshot(void)
{
	SNAPSHOT(toy.f);
	for (unsigned j = 0; j < JOBS; j++) {
		report_job(j);
		if (toy.jobs[j].phase != WAITS)
			report_start(j);
	}
	SNAPSHOT_END(toy.f);
	for (unsigned j = 0; j < JOBS; j++)
		if (toy.jobs[j].phase == HAS_ENDED)
			report_end(j);
}

/* Random events */

static void something_happens(void)
{
	unsigned j = dice(JOBS);
	struct toy_job *job = &toy.jobs[j];

	if (job->phase == WAITS) {
		job->phase = RUNS;
		job->start_time = toy.now;
		report_start(j);
	} else if (job->phase == RUNS && dice(2)) {
		job->phase = HAS_ENDED;
		job->end_time = toy.now;
		toy.charged[j % 3] += job->end_time - job->start_time;
		toy.ended++;
		report_end(j);
	}
}

static void acknowledged(void)
{
	for (unsigned j = 0; j < JOBS; j++)
		if (toy.jobs[j].phase == HAS_ENDED) {
			toy.jobs[j] = (struct toy_job){ .phase = WAITS, .submission_time = toy.now };
			report_job(j);
		}
}

static void restart(void)
{
	toy.kills++;
	if (toy.flaw == FORGETS_ENDS)
		execute("DELETE FROM ended");
	if (toy.flaw == FORGETS_THE_PASS)
		execute("DELETE FROM meta WHERE key = 'pass'");
	kill_and_restart(toy.f);
	if (dice(2)) {		/* before the qmaster has connected */
		assert_int_equal(sched_run(toy.f->sched, toy.now, 0, &toy.f->error), 0);
		save(toy.now);
	}
	report_snapshot();
}

static bool dies(void)
{
	return dice(6) == 0;
}

static void step(void)
{
	toy.now += 1 + dice(30);
	for (unsigned i = dice(6); i > 0; i--)
		something_happens();
	if (dice(10) == 0)
		report_snapshot();	/* with ends that no run has seen */
	if (dies())
		return restart();
	run(toy.f, toy.now);
	if (toy.flaw == ACKNOWLEDGES_TOO_EARLY)
		acknowledged();
	OK(&file, store_usage_save(file.store, toy.now, &file.error));
	if (dies())
		return restart();
	if (dice(6) == 0)
		return store_rollback(file.store);
	OK(&file, store_commit(file.store, &file.error));
	if (dies())
		return restart();
	acknowledged();
}

/* Return how many users were charged a wrong amount. */
static unsigned wrong_charges(void)
{
	unsigned wrong = 0;

	toy.now += PERIOD;
	run_and_save(toy.f, toy.now);
	for (unsigned j = 0; j < JOBS; j++)
		if (toy.jobs[j].phase == RUNS)
			toy.charged[j % 3] += toy.now - toy.jobs[j].start_time;
	for (unsigned u = 0; u < 3; u++) {
		char sql[100], wanted[40];

		snprintf(sql, sizeof(sql), "SELECT usage_exact FROM association_usage WHERE user = '%s'",
			 slurm_users[u][1]);
		snprintf(wanted, sizeof(wanted), "%lld", (long long)toy.charged[u]);
		wrong += strcmp(ask(sql), wanted) != 0;
	}
	return wrong;
}

static unsigned live(struct fixture *fixture, enum flaw flaw)
{
	unsigned seed = toy.seed;

	memset(&toy, 0, sizeof(toy));
	toy.seed = seed;
	toy.f = fixture;
	toy.flaw = flaw;
	toy.now = NOW;
	put_slurm(fixture, EXACT);
	for (unsigned j = 0; j < JOBS; j++)
		toy.jobs[j].submission_time = NOW;
	report_snapshot();
	run_and_save(fixture, NOW);
	for (int i = 0; i < STEPS; i++)
		step();
	return wrong_charges();
}

static void test_every_second_is_charged_once_however_often_the_scheduler_dies(void **state)
{
	assert_int_equal(live(*state, FLAWLESS), 0);
	assert_true(toy.kills > STEPS / 5 && toy.ended > STEPS / 5);
}

static void test_acknowledging_before_the_commit_loses_charges(void **state)
{
	assert_true(live(*state, ACKNOWLEDGES_TOO_EARLY) > 0);
}

static void test_a_store_that_forgets_ends_charges_twice(void **state)
{
	assert_true(live(*state, FORGETS_ENDS) > 0);
}

static void test_a_store_that_forgets_the_pass_charges_too_little(void **state)
{
	assert_true(live(*state, FORGETS_THE_PASS) > 0);
}

/* Replayed ends */

static void end_and_report_again(struct fixture *fixture, const char *end, const char *forget)
{
	put_slurm(fixture, EXACT);
	run_job(fixture, 1, 0, NOW);
	run_and_save(fixture, NOW);
	TELL(fixture, "%s", end);
	run_and_save(fixture, NOW + 20);
	CHECK(share(fixture, "ann").raw_usage, 20.0);
	execute(forget);
	kill_and_restart(fixture);
	run_job(fixture, 1, 0, NOW);
	run_and_save(fixture, NOW + 100);	/* a pass that finds it running */
	TELL(fixture, "%s", end);
	run_and_save(fixture, NOW + 101);
}

static void test_a_charged_end_that_is_replayed_is_not_charged_again(void **state)
{
	struct fixture *fixture = *state;

	end_and_report_again(fixture, FINISH "1}", "SELECT 1");
	CHECK(share(fixture, "ann").raw_usage, 20.0);
}

static void test_a_deleted_job_that_is_replayed_is_charged_once(void **state)
{
	struct fixture *fixture = *state;

	end_and_report_again(fixture, DELETE "1}", "SELECT 1");
	CHECK(share(fixture, "ann").raw_usage, 20.0);
}

static void test_a_charge_is_repeated_if_its_end_is_missing_in_the_store(void **state)
{
	struct fixture *fixture = *state;

	end_and_report_again(fixture, DELETE "1}", "DELETE FROM ended");
	CHECK(share(fixture, "ann").raw_usage, 20.0 + 101.0);
}

static void test_no_pass_is_made_while_the_charges_cannot_be_read(void **state)
{
	struct fixture *fixture = *state;

	put_slurm(fixture, EXACT);
	run_job(fixture, 1, 0, NOW);
	run_and_save(fixture, NOW);
	kill_and_restart(fixture);
	run_job(fixture, 1, 0, NOW);
	execute("ALTER TABLE ended RENAME TO lost");
	run(fixture, NOW + 100);
	assert_int_equal(sched_unbooked(fixture->sched), 1);
	CHECK(share(fixture, "ann").raw_usage, 0.0);
	execute("ALTER TABLE lost RENAME TO ended");
	run_and_save(fixture, NOW + 130);
	assert_int_equal(sched_unbooked(fixture->sched), 0);
	CHECK(share(fixture, "ann").raw_usage, 130.0);
}

/* Power */

static struct {
	char image[80];
	int writes_left;		/* until the power fails; 0: it has failed */
	int64_t acknowledged, at_cut;	/* time of the acknowledged pass; time of the power failure */
	unsigned cuts, lost, halves;
} power_test;

static void count_down(void)
{
	if (power_test.writes_left == 0 || --power_test.writes_left > 0)
		return;
	power_cut(power_test.image);
	power_test.at_cut = power_test.acknowledged;
}

static int64_t number_of(struct store *store, const char *sql)
{
	char text[40];

	return strtoll(query_one(store, sql, text, sizeof(text)), NULL, 10);
}

/*
 * Check that the charges and the pass are of one moment, not older than the acknowledgement. Each
 * task runs from the first pass on.
 */
static void check_image(void)
{
	struct store *store;
	struct error error;
	char path[100];
	int64_t pass;

	snprintf(path, sizeof(path), "%s/store", power_test.image);
	power_test.cuts++;
	if (store_open(&store, path, &error) != 0) {
		power_test.lost++;
		directory_clear(power_test.image);
		return;
	}
	pass = number_of(store, "SELECT value FROM meta WHERE key = 'pass'");
	power_test.lost += pass < power_test.at_cut;
	power_test.halves +=
		pass > NOW && number_of(store, "SELECT sum(usage_exact + 1700000000 = value AND time_stamp = value) "
					       "FROM association_usage, meta WHERE key = 'pass'") != 3;
	store_close(store);
	directory_clear(power_test.image);
}

static void passes_with_power_failures(struct fixture *fixture, const char *pragma)
{
	put_slurm(fixture, EXACT);
	store_close(file.store);
	directory_clear(file.directory);
	power_watch(file.directory, toy.seed);
	OPEN(&file);
	kill_and_restart(fixture);
	execute(pragma);
	for (uint32_t j = 0; j < 3; j++)
		run_job(fixture, j + 1, j, NOW);
	power_test.cuts = power_test.lost = power_test.halves = 0;
	run_and_save(fixture, NOW);
	power_test.acknowledged = NOW;
	power.written = count_down;
	for (int64_t pass = NOW + 60; pass < NOW + 60 * 200; pass += 60) {
		power_test.writes_left = 1 + (int)dice(12);
		run_and_save(fixture, pass);
		power_test.acknowledged = pass;
		if (power_test.writes_left > 0) {
			power_test.writes_left = 0;
			power_cut(power_test.image);
			power_test.at_cut = pass;
		}
		check_image();
	}
	power.written = NULL;
	print_message("%u power failures, %u lost data, %u left partial data\n", power_test.cuts, power_test.lost,
		      power_test.halves);
}

static void test_charges_and_passes_survive_power_loss_together(void **state)
{
	passes_with_power_failures(*state, "PRAGMA wal_autocheckpoint = 20");
	assert_int_equal(power_test.lost, 0);
	assert_int_equal(power_test.halves, 0);
}

static void test_a_store_that_does_not_wait_for_the_disk_loses_passes(void **state)
{
	passes_with_power_failures(*state, "PRAGMA wal_autocheckpoint = 20; PRAGMA synchronous = NORMAL");
	assert_true(power_test.lost > 20);
}

static int power_teardown(void **state)
{
	int code = store_cell_teardown(state);

	power_forget();
	directory_clear(power_test.image);
	return rmdir(power_test.image) || code;
}

static int power_setup(void **state)
{
	snprintf(power_test.image, sizeof(power_test.image), "%s/fairlead-image-XXXXXX",
		 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	return !mkdtemp(power_test.image) || store_cell_setup(state);
}

static int seed_print(void **state)
{
	(void)state;
	toy.seed = getenv("SEED") ? (unsigned)atoi(getenv("SEED")) : (unsigned)time(NULL);
	print_message("SEED=%u\n", toy.seed);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CELL_TEST(test_every_second_is_charged_once_however_often_the_scheduler_dies),
		CELL_TEST(test_acknowledging_before_the_commit_loses_charges),
		CELL_TEST(test_a_store_that_forgets_ends_charges_twice),
		CELL_TEST(test_a_store_that_forgets_the_pass_charges_too_little),
		CELL_TEST(test_a_charged_end_that_is_replayed_is_not_charged_again),
		CELL_TEST(test_a_deleted_job_that_is_replayed_is_charged_once),
		CELL_TEST(test_a_charge_is_repeated_if_its_end_is_missing_in_the_store),
		CELL_TEST(test_no_pass_is_made_while_the_charges_cannot_be_read),
		cmocka_unit_test_setup_teardown(test_charges_and_passes_survive_power_loss_together, power_setup,
						power_teardown),
		cmocka_unit_test_setup_teardown(test_a_store_that_does_not_wait_for_the_disk_loses_passes, power_setup,
						power_teardown),
	};

	return cmocka_run_group_tests(tests, seed_print, NULL);
}
