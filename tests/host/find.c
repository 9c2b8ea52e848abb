/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding processes in a simulated /proc, with everything that processes may do to their entries.
 */
#include <sys/stat.h>

#include "tests/host/family.h"

static char proc[64];

struct fake {
	pid_t pid, parent, session;
	unsigned long start, ticks, children_ticks, faults, children_faults;
	const char *name;
	const char *groups;
};

static void text_make(const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", proc, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void file_make(pid_t pid, const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%d", proc, (int)pid);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%d/%s", (int)pid, name);
	text_make(path, text);
}

static void fake_make(struct fake fake)
{
	char text[1024];

	snprintf(
		text, sizeof(text),
		"%d (%s) S %d %d %d 0 -1 4194304 %lu %lu 0 0 %lu 0 %lu 0 20 0 1 0 %lu 1000000 256 18446744073709551615 1 1\n",
		(int)fake.pid, fake.name ? fake.name : "job", (int)fake.parent, (int)fake.session, (int)fake.session,
		fake.faults, fake.children_faults, fake.ticks, fake.children_ticks, fake.start);
	file_make(fake.pid, "stat", text);
	snprintf(text, sizeof(text), "Name:\tjob\nUmask:\t0022\nGroups:\t%s \nNStgid:\t1\n",
		 fake.groups ? fake.groups : "");
	file_make(fake.pid, "status", text);
	file_make(fake.pid, "io", "rchar: 1048576\nwchar: 1048576\nsyscr: 3\n");
}

static void fake_end(pid_t pid)
{
	static const char *const names[] = { "stat", "status", "io", "" };
	char path[128];

	for (int k = 0; k < 4; k++) {
		snprintf(path, sizeof(path), "%s/%d/%s", proc, (int)pid, names[k]);
		assert_int_equal(remove(path), 0);
	}
}

static int proc_make(void **state)
{
	(void)state;
	strcpy(proc, "/tmp/fairlead-proc-XXXXXX");
	return mkdtemp(proc) ? 0 : -1;
}

static int proc_remove(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", proc);
	return system(command);
}

static struct host *fake_host(void)
{
	struct host_options options = HOST_OPTIONS;
	struct host *host;

	options.force = LEVER_NICE;
	options.proc = proc;
	assert_int_equal(host_open(&host, &options, NULL), 0);
	return host;
}

static void directory_make(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", proc, name);
	assert_int_equal(mkdir(path, 0755), 0);
}

/* Check that autogroups are refused for this reason; NULL: they are accepted. */
static void autogroups_are_refused(const char *reason)
{
	struct host_options options = HOST_OPTIONS;
	struct error error = { "" };
	struct host *host;

	options.force = LEVER_AUTOGROUP;
	options.proc = proc;
	assert_int_equal(host_open(&host, &options, &error), reason ? -ENOTSUP : 0);
	if (reason)
		assert_non_null(strstr(error.text, reason));
	host_close(host);
}

static uint32_t found(struct host *host, uint32_t job)
{
	assert_int_equal(host_round(host, 0), 0);
	return usage_of(host, job).processes;
}

#define PID 5000000		/* above all that there are */

static void test_process_names_may_contain_anything(void **state)
{
	struct host *host = fake_host();

	(void)state;
	fake_make((struct fake){ .pid = PID, .session = PID, .start = 7, .name = "a) R 1 1 1 (b" });
	fake_make((struct fake){ .pid = PID + 1, .session = PID, .start = 8, .name = ") 1 2 3\n(" });
	session_add(host, 1, PID);
	assert_int_equal(found(host, 1), 2);
	assert_true(usage_of(host, 1).io_gb == 4.0 / 1024);
	host_close(host);
}

static void test_files_without_sense_are_no_processes(void **state)
{
	static const char *const texts[] = {
		"",	  "1",	   "1 (x)", "1 (x) ", "1 (x) S", "1 (x) S 1 2 3", "1 (x) S a b c d e f",
		"\n\n\n", "(((((", ")))))"
	};
	struct host *host = fake_host();

	(void)state;
	for (int k = 0; k < 10; k++)
		file_make(PID + 10 + k, "stat", texts[k]);
	file_make(PID + 30, "nothing", "");
	fake_make((struct fake){ .pid = PID, .session = PID, .start = 7 });
	session_add(host, 1, PID);
	for (int k = 0; k < 3; k++)
		assert_int_equal(found(host, 1), 1);
	host_close(host);
}

static void test_a_number_that_was_used_again_is_another_process(void **state)
{
	struct host *host = fake_host();
	struct host_usage usage;

	(void)state;
	fake_make((struct fake){ .pid = PID, .session = PID, .start = 7, .faults = 1, .ticks = 100 });
	fake_make((struct fake){ .pid = PID + 1, .session = PID, .start = 8, .faults = 1, .ticks = 500 });
	session_add(host, 1, PID);
	assert_int_equal(found(host, 1), 2);
	fake_make((struct fake){ .pid = PID + 1, .session = 1, .start = 9, .ticks = 7000 });
	for (int k = 0; k < 40; k++)
		found(host, 1);
	usage = usage_of(host, 1);
	assert_int_equal(usage.processes, 1);
	assert_true(usage.cpu_s == 6);
	host_close(host);
}

static void test_a_session_of_the_same_number_is_another_one(void **state)
{
	struct host *host = fake_host();

	(void)state;
	fake_make((struct fake){ .pid = PID, .session = PID, .start = 7 });
	session_add(host, 1, PID);
	assert_int_equal(found(host, 1), 1);
	fake_end(PID);
	assert_int_equal(found(host, 1), 0);
	fake_make((struct fake){ .pid = PID, .session = PID, .start = 99 });
	fake_make((struct fake){ .pid = PID + 1, .session = PID, .start = 100 });
	for (int k = 0; k < 40; k++)
		found(host, 1);
	assert_int_equal(found(host, 1), 0);
	host_close(host);
}

static void test_groups_are_read_to_the_last(void **state)
{
	struct host *host = fake_host();
	char *groups = malloc(800000), *p = groups;

	(void)state;
	for (int k = 0; k < 65535; k++)
		p += sprintf(p, "%d ", 2000000 + k);
	sprintf(p, "4242");
	fake_make((struct fake){ .pid = PID, .session = 5, .start = 7 });
	fake_make((struct fake){ .pid = PID + 1, .session = 6, .start = 7, .groups = "1 2 42420 424" });
	assert_int_equal(host_task_add(host, 1, 0, &(struct host_where){ .group = 4242 }), 0);
	assert_int_equal(found(host, 1), 0);
	{
		char *text = malloc(900000);

		sprintf(text, "Name:\tjob\nGroups:\t%s \nNStgid:\t1\n", groups);
		file_make(PID, "status", text);
		free(text);
	}
	for (int k = 0; k < 40; k++)	/* used since the first inspection */
		found(host, 1);
	assert_int_equal(found(host, 1), 1);
	free(groups);
	host_close(host);
}

/* Usage of a child goes to the parent that waits for it. If no parent waits, it is not lost. */
static void test_usage_of_children_counts_once(void **state)
{
	struct host *host = fake_host();

	(void)state;
	fake_make((struct fake){ .pid = PID, .session = PID, .start = 7, .faults = 10, .ticks = 100 });
	fake_make((struct fake){
		.pid = PID + 1, .parent = PID, .session = PID, .start = 8, .faults = 20, .ticks = 1000 });
	fake_make((struct fake){
		.pid = PID + 2, .parent = PID, .session = PID, .start = 8, .faults = 30, .ticks = 2000 });
	session_add(host, 1, PID);
	assert_int_equal(found(host, 1), 3);
	assert_true(usage_of(host, 1).cpu_s == 31);
	fake_end(PID + 1);		/* waited for, with additional usage */
	fake_make((struct fake){ .pid = PID,
				 .session = PID,
				 .start = 7,
				 .faults = 10,
				 .ticks = 100,
				 .children_ticks = 1100,
				 .children_faults = 21 });
	assert_int_equal(found(host, 1), 2);
	assert_true(usage_of(host, 1).cpu_s == 32);
	fake_end(PID + 2);		/* not waited for */
	assert_int_equal(found(host, 1), 1);
	assert_true(usage_of(host, 1).cpu_s == 32);
	fake_end(PID);
	assert_int_equal(found(host, 1), 0);
	assert_true(usage_of(host, 1).cpu_s == 32);
	fake_make((struct fake){ .pid = PID + 3, .session = PID, .start = 9, .faults = 1, .ticks = 50 });
	assert_int_equal(found(host, 1), 1);
	assert_true(usage_of(host, 1).cpu_s == 32.5);
	host_close(host);
}

static void test_a_chain_of_dead_processes_leaves_all_usage_to_the_living_one(void **state)
{
	struct host *host = fake_host();

	(void)state;
	fake_make((struct fake){ .pid = PID, .session = PID, .start = 7, .faults = 10, .ticks = 100 });
	for (int k = 1; k <= 5; k++)
		fake_make((struct fake){ .pid = PID + k,
					 .parent = PID + k - 1,
					 .session = PID,
					 .start = 8,
					 .faults = 20,
					 .ticks = 100 });
	session_add(host, 1, PID);
	assert_int_equal(found(host, 1), 6);
	assert_true(usage_of(host, 1).cpu_s == 6);
	for (int k = 1; k <= 5; k++)
		fake_end(PID + k);
	fake_make((struct fake){ .pid = PID,
				 .session = PID,
				 .start = 7,
				 .faults = 10,
				 .ticks = 100,
				 .children_ticks = 500,
				 .children_faults = 100 });
	assert_int_equal(found(host, 1), 1);
	assert_true(usage_of(host, 1).cpu_s == 6);
	host_close(host);
}

/* A parent that ends leaves its child to another process of the task, which waits for it later. */
static void test_an_orphan_leaves_its_usage_to_its_new_parent(void **state)
{
	struct host *host = fake_host();

	(void)state;
	fake_make((struct fake){ .pid = PID, .session = PID, .start = 7, .faults = 10, .ticks = 100 });
	fake_make(
		(struct fake){ .pid = PID + 1, .parent = PID, .session = PID, .start = 8, .faults = 20, .ticks = 200 });
	fake_make((struct fake){
		.pid = PID + 2, .parent = PID + 1, .session = PID, .start = 9, .faults = 30, .ticks = 400 });
	session_add(host, 1, PID);
	for (int k = 0; k < 40; k++)	/* until they are inspected rarely */
		assert_int_equal(found(host, 1), 3);
	fake_end(PID + 1);
	fake_make((struct fake){ .pid = PID,
				 .session = PID,
				 .start = 7,
				 .faults = 10,
				 .ticks = 100,
				 .children_ticks = 200,
				 .children_faults = 20 });
	fake_make(
		(struct fake){ .pid = PID + 2, .parent = PID, .session = PID, .start = 9, .faults = 30, .ticks = 400 });
	assert_int_equal(found(host, 1), 2);
	assert_int_equal(found(host, 1), 2);
	fake_end(PID + 2);
	fake_make((struct fake){ .pid = PID,
				 .session = PID,
				 .start = 7,
				 .faults = 10,
				 .ticks = 100,
				 .children_ticks = 600,
				 .children_faults = 50 });
	for (int k = 0; k < 40; k++)
		found(host, 1);
	assert_true(usage_of(host, 1).cpu_s == 7);
	host_close(host);
}

/* A circle of parents is impossible, but /proc may show one. */
static void test_a_circle_of_parents_does_no_harm(void **state)
{
	struct host *host = fake_host();

	(void)state;
	fake_make((struct fake){ .pid = PID, .parent = PID + 1, .session = PID, .start = 7 });
	fake_make((struct fake){ .pid = PID + 1, .parent = PID, .session = PID, .start = 7 });
	fake_make((struct fake){ .pid = PID + 2, .parent = PID + 2, .session = PID, .start = 7 });
	session_add(host, 1, PID);
	assert_int_equal(found(host, 1), 3);
	for (int k = 0; k < 3; k++)
		fake_end(PID + k);
	assert_int_equal(found(host, 1), 0);
	host_close(host);
}

/* A process of the task has the reused number of its parent. */
static void test_a_child_is_older_than_a_process_with_the_reused_number_of_its_parent(void **state)
{
	struct host *host = fake_host();

	(void)state;
	fake_make((struct fake){ .pid = PID, .parent = PID + 5, .session = 3, .start = 7 });
	session_add(host, 1, PID + 5);
	for (int k = 0; k < 3; k++)
		assert_int_equal(found(host, 1), 0);
	fake_make((struct fake){ .pid = PID + 5, .session = PID + 5, .start = 20 });
	fake_make((struct fake){ .pid = PID + 1, .parent = PID + 5, .session = 4, .start = 21 });
	assert_int_equal(found(host, 1), 2);
	assert_int_equal(found(host, 1), 2);
	host_close(host);
}

/* More processes than a round inspects: each is found at the end, and ended ones are missed. */
static void test_very_many_are_found_in_turns(void **state)
{
	struct host *host = fake_host();
	int rounds = 0;

	(void)state;
	session_add(host, 1, PID);
	assert_int_equal(found(host, 1), 0);
	for (int k = 0; k < 5000; k++)
		fake_make((struct fake){ .pid = PID + k, .session = PID, .start = 7, .ticks = 1 });
	while (found(host, 1) < 5000 && rounds < 100)
		rounds++;
	assert_true(rounds > 2 && rounds < 20);
	for (int k = 1000; k < 5000; k++)
		fake_end(PID + k);
	for (rounds = 0; found(host, 1) > 1000 && rounds < 100;)
		rounds++;
	assert_true(rounds < 30);
	assert_true(usage_of(host, 1).cpu_s == 50);
	host_close(host);
}

static void test_forged_proc_files_cause_no_signal_or_nice(void **state)
{
	struct host *host = fake_host();
	pid_t pid = family_start(sleeps);
	char text[256];

	(void)state;
	snprintf(text, sizeof(text), "%d (x) S 1 %d %d 0 -1 0 1 0 0 0 1 0 0 0 20 0 1 0 7 1000 256 1\n", (int)pid,
		 (int)pid, (int)pid);
	file_make(pid, "stat", text);
	session_add(host, 1, pid);
	assert_int_equal(host_task_add(host, 2, 0, &(struct host_where){ .session = PID }), 0);
	assert_int_equal(host_tickets(host, 2, 0, 1000), 0);
	assert_int_equal(found(host, 1), 1);
	assert_int_equal(host_task_signal(host, 1, 0, SIGKILL), -ENOTSUP);
	assert_int_equal(getpriority(PRIO_PROCESS, (id_t)pid), getpriority(PRIO_PROCESS, 0));
	assert_int_equal(kill(pid, 0), 0);
	family_end(pid);
	host_close(host);
}

/*
 * Like pid 1 and processes that it starts without a session: the process has no autogroup, but its
 * jobs will have one.
 */
static void test_a_process_without_an_autogroup_can_use_autogroups(void **state)
{
	(void)state;
	directory_make("self");
	directory_make("sys");
	directory_make("sys/kernel");
	text_make("sys/kernel/sched_autogroup_enabled", "1\n");
	autogroups_are_refused("No such file");
	text_make("self/autogroup", "");
	autogroups_are_refused(NULL);
	text_make("self/autogroup", "/autogroup-7 nice 0\n");
	autogroups_are_refused(NULL);
	text_make("self/autogroup", "what is this?\n");
	autogroups_are_refused("Protocol error");
	text_make("sys/kernel/sched_autogroup_enabled", "0\n");
	autogroups_are_refused("switched off");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, proc_make, proc_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_process_names_may_contain_anything),
		TEST(test_files_without_sense_are_no_processes),
		TEST(test_a_number_that_was_used_again_is_another_process),
		TEST(test_a_session_of_the_same_number_is_another_one),
		TEST(test_groups_are_read_to_the_last),
		TEST(test_usage_of_children_counts_once),
		TEST(test_a_chain_of_dead_processes_leaves_all_usage_to_the_living_one),
		TEST(test_an_orphan_leaves_its_usage_to_its_new_parent),
		TEST(test_a_circle_of_parents_does_no_harm),
		TEST(test_a_child_is_older_than_a_process_with_the_reused_number_of_its_parent),
		TEST(test_very_many_are_found_in_turns),
		TEST(test_forged_proc_files_cause_no_signal_or_nice),
		TEST(test_a_process_without_an_autogroup_can_use_autogroups),
	};

	families_adopt();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
