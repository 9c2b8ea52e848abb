/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A task that must vacate: its retirement, its signal, its time, its end, according to its own
 * records.
 */
#include "tests/shepherd/shepherd.h"

#define S_NS 1000000000ull
#define LONG_S 600			/* never comes */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * S_NS + (uint64_t)now.tv_nsec;
}

static void vacate(int dirfd, pid_t shepherd, double retirement_s, double vacate_s, int signal)
{
	const struct attempt_vacation vacation = { .retired_ns = now_ns() + (uint64_t)(retirement_s * 1e9),
						   .vacate_ns = (uint64_t)(vacate_s * 1e9),
						   .signal = signal };
	struct error error = { "" };

	if (attempt_vacation_write(dirfd, &vacation, &error))
		fail_msg("%s", error.text);
	kill(shepherd, SIGUSR1);
}

/* Start a task that has begun and prints a first line of output. */
static pid_t begin(const char *line, int *dirfd)
{
	pid_t shepherd;

	*dirfd = attempt_make_shell(line, "{}");
	shepherd = shepherd_start(attempt_path);
	assert_true(wait_until(file_has_text, output_path));
	return shepherd;
}

static struct attempt end(pid_t shepherd, int dirfd)
{
	struct attempt attempt;

	assert_int_equal(process_wait(shepherd), 0);
	attempt = look(dirfd);
	close(dirfd);
	assert_true(attempt.exited);
	return attempt;
}

static double lived_on_s(const struct attempt *attempt)
{
	return attempt->exit.end_time - attempt->exit.signalled;
}

#define TRAPS(name, then) "trap '" then "' " name "; echo begun; while :; do sleep 0.01; done"

static void test_a_task_that_traps_its_signal_ends_softly(void **state)
{
	int dirfd;
	pid_t shepherd = begin(TRAPS("USR2", "echo saved; exit 3"), &dirfd);
	struct attempt attempt;

	(void)state;
	vacate(dirfd, shepherd, 0, LONG_S, SIGUSR2);
	attempt = end(shepherd, dirfd);
	assert_int_equal(attempt.exit.vacated, ATTEMPT_VACATED_SOFT);
	assert_int_equal(attempt.exit.exit_status, 3);
	assert_string_equal(file_text(output_path), "begun\nsaved\n");
}

static void test_a_task_that_ignores_the_signal_is_killed_when_its_time_is_over(void **state)
{
	int dirfd;
	pid_t shepherd = begin(TRAPS("TERM", ""), &dirfd);
	struct attempt attempt;

	(void)state;
	vacate(dirfd, shepherd, 0, 0.3, SIGTERM);
	attempt = end(shepherd, dirfd);
	assert_int_equal(attempt.exit.vacated, ATTEMPT_VACATED_HARD);
	assert_int_equal(attempt.exit.signal, SIGKILL);
	assert_true(lived_on_s(&attempt) >= 0.29);
}

static void test_a_task_killed_at_once_has_no_time_left(void **state)
{
	int dirfd;
	pid_t shepherd = begin(TRAPS("TERM", "echo saved; exit 0"), &dirfd);
	struct attempt attempt;

	(void)state;
	vacate(dirfd, shepherd, 0, LONG_S, SIGKILL);
	attempt = end(shepherd, dirfd);
	assert_int_equal(attempt.exit.vacated, ATTEMPT_VACATED_HARD);
	assert_string_equal(file_text(output_path), "begun\n");
}

static void test_a_task_that_ends_within_its_retirement_was_not_vacated(void **state)
{
	int dirfd;
	pid_t shepherd = begin("trap 'echo saved; exit 3' TERM; echo begun; sleep 0.3; exit 5", &dirfd);
	struct attempt attempt;

	(void)state;
	vacate(dirfd, shepherd, 600, LONG_S, SIGTERM);
	attempt = end(shepherd, dirfd);
	assert_int_equal(attempt.exit.vacated, ATTEMPT_NOT_VACATED);
	assert_int_equal(attempt.exit.exit_status, 5);
	assert_true(attempt.exit.signalled == 0);
}

static void test_the_signal_waits_for_the_end_of_the_retirement(void **state)
{
	int dirfd;
	pid_t shepherd = begin(TRAPS("TERM", "exit 3"), &dirfd);
	struct timespec asked;
	struct attempt attempt;

	(void)state;
	clock_gettime(CLOCK_REALTIME, &asked);
	vacate(dirfd, shepherd, 0.4, LONG_S, SIGTERM);
	attempt = end(shepherd, dirfd);
	assert_int_equal(attempt.exit.vacated, ATTEMPT_VACATED_SOFT);
	assert_true(attempt.exit.signalled - ((double)asked.tv_sec + (double)asked.tv_nsec / 1e9) > 0.39);
}

static void test_all_of_the_task_gets_the_signal(void **state)
{
	int dirfd;
	pid_t shepherd = begin(
		"setsid sh -c \"trap 'echo child >>child; exit' TERM; echo ready; while :; do sleep 0.01; done\" & "
		"trap 'while [ ! -s child ]; do sleep 0.01; done; exit 0' TERM; while :; do sleep 0.01; done",
		&dirfd);
	struct attempt attempt;

	(void)state;
	vacate(dirfd, shepherd, 0, LONG_S, SIGTERM);
	attempt = end(shepherd, dirfd);
	assert_int_equal(attempt.exit.vacated, ATTEMPT_VACATED_SOFT);
	assert_int_equal(attempt.exit.exit_status, 0);
}

static void test_a_stopped_task_gets_the_signal_too(void **state)
{
	int dirfd;
	pid_t shepherd = begin(TRAPS("TERM", "exit 3"), &dirfd), leader = look(dirfd).leader.pid;

	(void)state;
	kill(leader, SIGSTOP);
	vacate(dirfd, shepherd, 0, LONG_S, SIGTERM);
	assert_int_equal(end(shepherd, dirfd).exit.exit_status, 3);
}

/* A restarted scheduler repeats its requests. */
static bool has_signal(void *path)
{
	return strstr(file_text(path), "signal\n");
}

static void test_the_signal_is_sent_once_for_any_number_of_requests(void **state)
{
	int dirfd;
	pid_t shepherd = begin("trap 'echo signal' TERM; echo begun; " UNTIL_GO "exit 3", &dirfd);
	struct attempt attempt;

	(void)state;
	vacate(dirfd, shepherd, 0, LONG_S, SIGTERM);
	assert_true(wait_until(has_signal, output_path));
	for (int i = 0; i < 20; i++) {
		kill(shepherd, SIGUSR1);
		usleep(10000);
	}
	let_go();
	attempt = end(shepherd, dirfd);
	assert_int_equal(attempt.exit.vacated, ATTEMPT_VACATED_SOFT);
	assert_int_equal(attempt.exit.exit_status, 3);
	assert_string_equal(file_text(output_path), "begun\nsignal\n");
}

static void test_a_second_request_may_shorten_the_time(void **state)
{
	int dirfd;
	pid_t shepherd = begin(TRAPS("TERM", "exit 3"), &dirfd);

	(void)state;
	vacate(dirfd, shepherd, 600, LONG_S, SIGTERM);
	vacate(dirfd, shepherd, 0, LONG_S, SIGTERM);
	assert_int_equal(end(shepherd, dirfd).exit.vacated, ATTEMPT_VACATED_SOFT);
}

static void test_a_task_to_be_vacated_before_it_has_begun_ends_after_it(void **state)
{
	int dirfd = attempt_make_shell("sleep 60", "{}");
	const struct attempt_vacation vacation = { .retired_ns = 0, .vacate_ns = LONG_S * S_NS, .signal = SIGTERM };
	struct attempt attempt;
	struct error error;

	(void)state;
	assert_int_equal(attempt_vacation_write(dirfd, &vacation, &error), 0);
	attempt = run_to_its_end(dirfd);
	assert_int_equal(attempt.exit.vacated, ATTEMPT_VACATED_SOFT);
	assert_int_equal(attempt.exit.signal, SIGTERM);
}

static void test_an_invalid_vacation_counts_as_missing(void **state)
{
	static const char *const texts[] = {
		"",
		"[]",
		"{}",
		"{\"retired_ns\":0,\"vacate_ns\":0,\"signal\":0}",
		"{\"retired_ns\":0,\"vacate_ns\":-1,\"signal\":15}",
		"{\"retired_ns\":0,\"vacate_ns\":null,\"signal\":15}",
		"{\"retired_ns\":9223372036854775807,\"vacate_ns\":0,\"signal\":15}",
		"{\"retired_ns\":0,\"vacate_ns\":0,\"signal\":999}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		int dirfd = attempt_make_shell("sleep 0.05; exit 4", "{}"),
		    fd = openat(dirfd, "vacate", O_WRONLY | O_CREAT, 0600);
		struct attempt_vacation vacation;
		struct error error;

		assert_int_equal(write(fd, texts[i], strlen(texts[i])), strlen(texts[i]));
		close(fd);
		assert_int_equal(attempt_vacation_read(dirfd, &vacation, &error), -EUCLEAN);
		assert_int_equal(run_to_its_end(dirfd).exit.exit_status, 4);
	}
}

static void test_a_written_vacation_is_read_back(void **state)
{
	static const struct attempt_vacation written[] = {
		{ 5 * S_NS, 600 * S_NS, SIGTERM }, { VACATION_NEVER_NS, 0, SIGKILL }, { 0, VACATION_MOST_NS, 64 },
	};
	int dirfd = attempt_make("{}");
	struct attempt_vacation vacation;
	struct error error;

	(void)state;
	assert_int_equal(attempt_vacation_read(dirfd, &vacation, &error), -ENOENT);
	for (size_t i = 0; i < sizeof(written) / sizeof(*written); i++) {
		assert_int_equal(attempt_vacation_write(dirfd, &written[i], &error), 0);
		assert_int_equal(attempt_vacation_read(dirfd, &vacation, &error), 0);
		assert_true(vacation.retired_ns == written[i].retired_ns &&
			    vacation.vacate_ns == written[i].vacate_ns && vacation.signal == written[i].signal);
	}
	close(dirfd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_task_that_traps_its_signal_ends_softly),
		TEST(test_a_task_that_ignores_the_signal_is_killed_when_its_time_is_over),
		TEST(test_a_task_killed_at_once_has_no_time_left),
		TEST(test_a_task_that_ends_within_its_retirement_was_not_vacated),
		TEST(test_the_signal_waits_for_the_end_of_the_retirement),
		TEST(test_all_of_the_task_gets_the_signal),
		TEST(test_a_stopped_task_gets_the_signal_too),
		TEST(test_the_signal_is_sent_once_for_any_number_of_requests),
		TEST(test_a_second_request_may_shorten_the_time),
		TEST(test_a_task_to_be_vacated_before_it_has_begun_ends_after_it),
		TEST(test_an_invalid_vacation_counts_as_missing),
		TEST(test_a_written_vacation_is_read_back),
		TEST_AS_USER(test_a_task_that_ignores_the_signal_is_killed_when_its_time_is_over),
	};

	return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
