/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries of a spool that fairlead-hostd finds, and its treatment of tasks that come, go and
 * return.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sched/hostd/load.h"
#include "sched/hostd/spool.h"
#include "sched/hostd/tasks.h"

static char dir[64];

static const char *in_dir(const char *name)
{
	static char paths[4][200];
	static int next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/active_jobs/%s", dir, name);
	return path;
}

static void put(const char *name, const char *text)
{
	FILE *f = fopen(in_dir(name), "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void make(const char *name)
{
	assert_int_equal(mkdir(in_dir(name), 0755), 0);
}

static void task_put(const char *task, const char *group)
{
	char file[100];

	make(task);
	snprintf(file, sizeof(file), "%s/addgrpid", task);
	put(file, group);
}

static int setup(void **state)
{
	(void)state;
	umask(022);
	strcpy(dir, "/tmp/fairlead-test-XXXXXX");
	return !mkdtemp(dir) || mkdir(in_dir(""), 0755);
}

static int teardown(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

static struct spool_scan look(void)
{
	struct spool_scan scan;

	assert_int_equal(spool_scan(&scan, dir, NULL), 0);
	return scan;
}

static void test_tasks_are_found_with_their_groups(void **state)
{
	struct spool_scan scan;

	(void)state;
	task_put("4294967295.4294967295", "4294967294\n");
	task_put("17.1", "20001");
	scan = look();
	assert_int_equal(scan.n, 2);
	assert_int_equal(scan.odd, 0);
	for (size_t i = 0; i < 2; i++)
		assert_true((scan.entries[i].job_number == 17 && scan.entries[i].task == 1 &&
			     scan.entries[i].group == 20001) ||
			    (scan.entries[i].job_number == UINT32_MAX && scan.entries[i].group == UINT32_MAX - 1));
	spool_free(&scan);
}

static void test_tasks_of_a_parallel_job_have_a_group_each(void **state)
{
	struct spool_scan scan;

	(void)state;
	task_put("17.1", "20001\n");
	make("17.1/1.node2");
	put("17.1/1.node2/addgrpid", "20002\n");
	make("18.3");			/* only a slave task is here */
	make("18.3/1.node2");
	put("18.3/1.node2/addgrpid", "20003\n");
	scan = look();
	assert_int_equal(scan.n, 3);
	assert_int_equal(scan.odd, 0);
	spool_free(&scan);
}

static void test_an_entry_that_is_no_task_is_skipped(void **state)
{
	static const char *const groups[] = { "0",	"1",	      "99",	    "-5",
					      "x",	"4294967295", "4294967296", "99999999999999999999",
					      "20001x", "0x5000" };
	static const char *const names[] = { "0.1",  "1.0",	     "1",    "1.",  ".1", "a.b", "1.1.1",
					     "01.1", "4294967296.1", "-1.1", "1.1 " };
	struct spool_scan scan;
	char name[20];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		task_put(names[i], "20001\n");
	scan = look();
	assert_int_equal(scan.n, 0);
	spool_free(&scan);
	for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++) {
		snprintf(name, sizeof(name), "7.%zu", i + 1);
		task_put(name, groups[i]);
	}
	scan = look();
	assert_int_equal(scan.n, 0);
	/* Files that begin with "." are hidden. */
	assert_int_equal(scan.odd, sizeof(groups) / sizeof(*groups) + sizeof(names) / sizeof(*names) - 1);
	spool_free(&scan);
}

static void test_files_that_are_being_written_are_waited_for(void **state)
{
	struct spool_scan scan;

	(void)state;
	make("1.1");
	task_put("2.1", "");
	scan = look();
	assert_int_equal(scan.n, 0);
	assert_int_equal(scan.odd, 0);
	spool_free(&scan);
}

static void test_links_pipes_and_other_peoples_files_are_not_believed(void **state)
{
	struct spool_scan scan;

	(void)state;
	put("elsewhere", "20001\n");
	make("1.1");
	assert_int_equal(symlink(in_dir("elsewhere"), in_dir("1.1/addgrpid")), 0);
	make("2.1");
	assert_int_equal(mkfifo(in_dir("2.1/addgrpid"), 0644), 0);
	task_put("3.1", "20001\n");
	assert_int_equal(chmod(in_dir("3.1/addgrpid"), 0666), 0);
	make("4.1");
	make("4.1/addgrpid");
	task_put("target", "20001\n");
	assert_int_equal(symlink("target", in_dir("5.1")), 0);
	if (geteuid() == 0) {
		task_put("6.1", "20001\n");
		assert_int_equal(chown(in_dir("6.1/addgrpid"), 12345, 12345), 0);
	}
	scan = look();
	assert_int_equal(scan.n, 0);
	assert_true(scan.odd >= 5);
	spool_free(&scan);
	assert_int_equal(spool_scan(&scan, "/nowhere", NULL), -ENOENT);
}

static void test_a_spool_that_others_could_have_made_is_refused(void **state)
{
	struct spool_scan scan;
	struct error error;
	char above[100];

	(void)state;
	task_put("1.1", "20001\n");
	assert_int_equal(chmod(in_dir(""), 0777), 0);
	assert_int_equal(spool_scan(&scan, dir, &error), -EPERM);
	assert_non_null(strstr(error.text, "mode 0777"));
	assert_int_equal(chmod(in_dir(""), 0755), 0);
	if (geteuid() != 0)
		return;
	/* root has assigned it to the daemon's user */
	assert_int_equal(chown(in_dir(""), 12345, -1), 0);
	scan = look();
	assert_int_equal(scan.n, 1);
	spool_free(&scan);
	/* Any user could have made it in /tmp. */
	assert_int_equal(chown(in_dir(""), 12346, -1) || chown(dir, 12345, -1), 0);
	assert_int_equal(spool_scan(&scan, dir, &error), -EPERM);
	assert_non_null(strstr(error.text, "user 12345"));
	assert_int_equal(chown(dir, 0, -1), 0);
	snprintf(above, sizeof(above), "%s/given", dir);
	assert_int_equal(mkdir(above, 0755) || chown(above, 12345, -1), 0);
	snprintf(above, sizeof(above), "%s/given/active_jobs", dir);
	/* Root has assigned the directory to another user. */
	assert_int_equal(mkdir(above, 0755) || chown(above, 12346, -1), 0);
	snprintf(above, sizeof(above), "%s/given", dir);
	assert_int_equal(spool_scan(&scan, above, &error), -EPERM);
	assert_non_null(strstr(error.text, "user 12346"));
}

static void test_a_task_that_was_started_again_is_another_one(void **state)
{
	struct spool_scan before, after;

	(void)state;
	task_put("17.1", "20001\n");
	before = look();
	usleep(20000);			/* file times are coarse */
	assert_int_equal(unlink(in_dir("17.1/addgrpid")), 0);
	put("17.1/addgrpid", "20001\n");
	after = look();
	assert_true(before.entries[0].identity != after.entries[0].identity);
	spool_free(&before);
	spool_free(&after);
}

/* Tasks */

static struct host *host;
static struct tasks_here *tasks;
static pid_t burner;

static int tasks_setup(void **state)
{
	struct host_options options = HOST_OPTIONS;
	struct error error;

	options.force = LEVER_NONE;
	return setup(state) || host_open(&host, &options, &error) || tasks_create(&tasks, host);
}

static int tasks_teardown(void **state)
{
	tasks_destroy(tasks);
	host_close(host);
	if (burner) {
		kill(burner, SIGKILL);
		waitpid(burner, NULL, 0);
	}
	burner = 0;
	return teardown(state);
}

/* Start a process that has used some ticks of CPU and continues. */
static void burner_start(gid_t group)
{
	int ready[2];
	char byte;

	assert_int_equal(pipe(ready), 0);
	burner = fork();
	if (burner == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (setgroups(1, &group))
			_exit(1);
		while (clock() < CLOCKS_PER_SEC / 10)
			;
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			;
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
}

static void round_now(void)
{
	static uint64_t now = 1000000000;
	struct spool_scan scan = look();

	tasks_found(tasks, &scan);
	spool_free(&scan);
	assert_int_equal(host_round(host, now += 3000000000), 0);
}

/* Return the only reported usage; job 0: none. */
static struct wire_usage reported(void)
{
	struct wire_usage *all, one = { 0 };
	size_t n;

	all = tasks_usage(tasks, &n);
	assert_non_null(all);
	assert_true(n <= 1);
	if (n)
		one = all[0];
	free(all);
	return one;
}

/*
 * Usage from the time before the task was known does not count. The process may have to wait for a
 * processor.
 */
static void until_it_has_used_cpu(void)
{
	for (int k = 0; k < 120000 && reported().cpu == 0; k++) {
		usleep(1000);
		round_now();
	}
	assert_true(reported().cpu > 0);
}

static const struct wire_task was_reported = { .job_number = 17, .task = 1, .start_time = 100, .tickets = 5 };

static void test_usage_is_reported_of_tasks_that_are_here_and_listed(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	burner_start(20777);
	tasks_receive(tasks, &was_reported, 1);
	round_now();
	assert_int_equal(reported().job_number, 0);	/* listed, but not here */
	assert_int_equal(tasks_count(tasks), 0);
	task_put("17.1", "20777\n");
	round_now();
	assert_int_equal(tasks_count(tasks), 1);
	assert_int_equal(reported().job_number, 17);
	assert_int_equal(reported().start_time, 100);
	until_it_has_used_cpu();
}

static void test_the_last_usage_is_sent_until_the_scheduler_has_it(void **state)
{
	double cpu;

	(void)state;
	if (geteuid() != 0)
		skip();
	burner_start(20777);
	task_put("17.1", "20777\n");
	tasks_receive(tasks, &was_reported, 1);
	round_now();
	cpu = reported().cpu;
	assert_int_equal(unlink(in_dir("17.1/addgrpid")), 0);
	round_now();
	assert_int_equal(tasks_count(tasks), 0);
	assert_true(reported().cpu >= cpu);
	tasks_receive(tasks, NULL, 0);
	tasks_said(tasks, 0, 1, 7);
	tasks_taken(tasks, 6);
	assert_int_equal(reported().job_number, 17);
	tasks_unsaid(tasks);		/* another scheduler counts from zero */
	tasks_taken(tasks, 7);
	assert_int_equal(reported().job_number, 17);
	tasks_said(tasks, 0, 1, 1);
	tasks_taken(tasks, 1);
	assert_int_equal(reported().job_number, 0);
}

static void test_the_last_usage_is_reported_while_the_scheduler_lists_the_task(void **state)
{
	struct wire_task again = was_reported;

	(void)state;
	if (geteuid() != 0)
		skip();
	burner_start(20777);
	task_put("17.1", "20777\n");
	tasks_receive(tasks, &was_reported, 1);
	round_now();
	assert_int_equal(unlink(in_dir("17.1/addgrpid")), 0);
	round_now();
	/* acknowledged, but the scheduler is killed before it has booked it */
	for (uint64_t number = 7; number < 10; number++) {
		tasks_said(tasks, 0, 1, number);
		tasks_taken(tasks, number);
		assert_int_equal(reported().job_number, 17);
		tasks_unsaid(tasks);
		tasks_receive(tasks, &was_reported, 1);
	}
	again.start_time++;
	tasks_receive(tasks, &again, 1);
	tasks_said(tasks, 0, 1, 10);
	tasks_taken(tasks, 10);
	assert_int_equal(reported().job_number, 0);
}

static void test_a_task_started_again_does_not_inherit_usage(void **state)
{
	struct wire_task again = was_reported;
	struct wire_usage *all;
	size_t n;

	(void)state;
	if (geteuid() != 0)
		skip();
	burner_start(20777);
	task_put("17.1", "20777\n");
	tasks_receive(tasks, &was_reported, 1);
	until_it_has_used_cpu();
	kill(burner, SIGKILL);
	waitpid(burner, NULL, 0);
	burner = 0;
	usleep(20000);
	assert_int_equal(unlink(in_dir("17.1/addgrpid")), 0);
	put("17.1/addgrpid", "20777\n");
	round_now();
	all = tasks_usage(tasks, &n);	/* the end of the old task; the new one is not listed yet */
	assert_int_equal(n, 1);
	assert_int_equal(all[0].start_time, 100);
	free(all);
	again.start_time = 200;
	tasks_receive(tasks, &again, 1);
	round_now();
	all = tasks_usage(tasks, &n);
	assert_int_equal(n, 2);
	assert_int_equal(all[1].start_time, 200);
	assert_true(all[1].cpu == 0 && all[0].cpu > 0);
	free(all);
}

static void test_a_task_listed_by_the_scheduler_exists_while_it_is_listed(void **state)
{
	struct wire_task here = was_reported;

	(void)state;
	if (geteuid() != 0)
		skip();
	burner_start(20777);
	here.group = 20777;
	tasks_receive(tasks, &here, 1);
	round_now();
	assert_int_equal(tasks_count(tasks), 1);
	until_it_has_used_cpu();
	tasks_receive(tasks, NULL, 0);
	assert_int_equal(tasks_count(tasks), 0);
	assert_int_equal(tasks_failed(tasks), 0);
	here.group = 0;
	strcpy(here.cgroup, "/nowhere");
	tasks_receive(tasks, &here, 1);
	assert_int_equal(tasks_count(tasks), 0);
	assert_int_equal(tasks_failed(tasks), 1);
}

static void test_thousands_of_tasks_come_and_go(void **state)
{
	static struct wire_task many[WIRE_TASKS];

	(void)state;
	for (size_t i = 0; i < WIRE_TASKS; i++)
		many[i] = (struct wire_task){ .job_number = (uint32_t)(i * 2654435761u) | 1,
					      .task = (uint32_t)i + 1,
					      .start_time = 1,
					      .group = (gid_t)(20001 + i) };
	tasks_receive(tasks, many, WIRE_TASKS);
	tasks_receive(tasks, many, WIRE_TASKS / 2);
	assert_int_equal(tasks_count(tasks) + tasks_failed(tasks), WIRE_TASKS / 2);
	tasks_receive(tasks, NULL, 0);
	assert_int_equal(tasks_count(tasks), 0);
}

static void end_thousands(uint32_t first, uint32_t n)
{
	struct wire_task *many = calloc(n, sizeof(*many));

	assert_non_null(many);
	for (uint32_t i = 0; i < n; i++)
		many[i] =
			(struct wire_task){ .job_number = first + i, .task = 1, .start_time = 100, .group = 20001 + i };
	tasks_receive(tasks, many, n);
	assert_int_equal(tasks_failed(tasks), 0);
	tasks_receive(tasks, NULL, 0);
	free(many);
}

/* The scheduler is away for a day, and all tasks have ended when it returns. */
static void test_usage_of_thousands_of_tasks_is_kept_and_sent_in_parts(void **state)
{
	struct wire_usage *all;
	size_t n;

	(void)state;
	for (uint32_t k = 0; k < 5; k++)
		end_thousands(1 + 2000 * k, 2000);
	all = tasks_usage(tasks, &n);
	assert_int_equal(n, 10000);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(all[i].job_number, i + 1);
	free(all);
	tasks_said(tasks, 0, 2048, 7);
	tasks_said(tasks, 2048, 2048, 8);
	tasks_taken(tasks, 7);
	all = tasks_usage(tasks, &n);
	assert_int_equal(n, 10000 - 2048);
	assert_int_equal(all[0].job_number, 2049);
	free(all);
	for (uint32_t k = 5; k < 40; k++)
		end_thousands(1 + 2000 * k, 2000);
	all = tasks_usage(tasks, &n);
	assert_true(n > TASKS_ENDED / 2 && n <= TASKS_ENDED);	/* the oldest have been dropped */
	assert_int_equal(all[n - 1].job_number, 80000);
	free(all);
}

static void test_load_values_are_those_of_this_machine(void **state)
{
	struct wire_load values[LOAD_VALUES];
	size_t n = load_read(values), found = 0;
	char cpus[20];

	(void)state;
	snprintf(cpus, sizeof(cpus), "%ld.00", sysconf(_SC_NPROCESSORS_ONLN));
	for (size_t i = 0; i < n; i++) {
		found += !strcmp(values[i].name, "num_proc") && !strcmp(values[i].value, cpus);
		found += !strcmp(values[i].name, "mem_total") && atof(values[i].value) > 1;
		found += !strcmp(values[i].name, "np_load_avg");
	}
	assert_int_equal(found, 3);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
#define TASKS_TEST(name) cmocka_unit_test_setup_teardown(name, tasks_setup, tasks_teardown)

int main(void)
{
	const struct CMUnitTest all[] = {
		TEST(test_tasks_are_found_with_their_groups),
		TEST(test_tasks_of_a_parallel_job_have_a_group_each),
		TEST(test_an_entry_that_is_no_task_is_skipped),
		TEST(test_files_that_are_being_written_are_waited_for),
		TEST(test_links_pipes_and_other_peoples_files_are_not_believed),
		TEST(test_a_spool_that_others_could_have_made_is_refused),
		TEST(test_a_task_that_was_started_again_is_another_one),
		TASKS_TEST(test_usage_is_reported_of_tasks_that_are_here_and_listed),
		TASKS_TEST(test_the_last_usage_is_sent_until_the_scheduler_has_it),
		TASKS_TEST(test_the_last_usage_is_reported_while_the_scheduler_lists_the_task),
		TASKS_TEST(test_a_task_started_again_does_not_inherit_usage),
		TASKS_TEST(test_a_task_listed_by_the_scheduler_exists_while_it_is_listed),
		TASKS_TEST(test_thousands_of_tasks_come_and_go),
		TASKS_TEST(test_usage_of_thousands_of_tasks_is_kept_and_sent_in_parts),
		TEST(test_load_values_are_those_of_this_machine),
	};

	return cmocka_run_group_tests(all, NULL, NULL);
}
