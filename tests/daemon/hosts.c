/* SPDX-License-Identifier: Apache-2.0 */
/* Orders that the scheduler sends to hosts, and its checks of the reports of hosts. */
#include "tests/wire/peer.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#include "sched/daemon/bounds.h"
#include "sched/daemon/hosts.h"
#include "sched/process/log.h"
#include "sched/mirror/tables.h"
#include "tests/mirror/cell.h"

static struct hosts *hosts;
static char endpoint[64];

/* Choose a port that is free now. */
static void endpoint_choose(void)
{
	struct sockaddr_in at = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7f400000 | (uint32_t)getpid())
	}; /* no other test looks for a port here */
	socklen_t size = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_true(fd >= 0 && bind(fd, (struct sockaddr *)&at, size) == 0 &&
		    getsockname(fd, (struct sockaddr *)&at, &size) == 0);
	close(fd);
	snprintf(endpoint, sizeof(endpoint), "tcp://%s:%u", inet_ntoa(at.sin_addr), ntohs(at.sin_port));
}

static void let_them_talk(int ms)
{
	struct pollfd fds[3];

	for (int k = 0; k < 3; k++)
		fds[k] = (struct pollfd){ .fd = k < 2 ? (spokes[k] ? spoke_fd(spokes[k]) : -1) : hosts_fd(hosts),
					  .events = POLLIN };
	if (poll(fds, 3, ms) <= 0)
		return;
	for (int k = 0; k < 2; k++)
		if (fds[k].revents)
			spoke_handle(spokes[k]);
	if (fds[2].revents)
		hosts_handle(hosts);
}

#define TALK_UNTIL(CONDITION) do { \
	time_t until_ = time(NULL) + PATIENCE_S; \
	while (!(CONDITION) && time(NULL) < until_) \
		let_them_talk(50); \
	assert_true(CONDITION); \
} while (0)

static int hosts_setup(void **state)
{
	if (setup(state) || keys_setup(state))
		return -1;
	memset(&heard, 0, sizeof(heard));
	return 0;
}

static int hosts_teardown(void **state)
{
	struct fixture *fixture = *state;
	int rc;

	spoke_close(spokes[0]);
	spoke_close(spokes[1]);
	spokes[0] = spokes[1] = NULL;
	hosts_close(hosts);
	hosts = NULL;
	rc = keys_teardown(state);
	*state = fixture;
	return rc || teardown(state);
}

/* Start a hub: runs send tickets from now on, and node and node2 are connected. */
static void begin(struct fixture *fixture, bool usage, bool load)
{
	const struct hosts_options options = { .hub = { .endpoint = endpoint, .keys = keys_dir },
					       .usage = usage,
					       .load = load };
	static const char *const names[] = { "node1", "node2" };
	static struct intake intake;

	intake = (struct intake){ .mirror = sched_mirror(fixture->sched) };
	endpoint_choose();
	set_sched_conf(fixture, "reprioritize_interval", "0:0:1");
	put(fixture, "queue/all.q", "qname all.q\nhostlist node1 node2\nseq_no 0\nslots 10\n");
	put(fixture, "pe/tight",
	    "pe_name tight\nslots 99\nuser_lists NONE\nxuser_lists NONE\nallocation_rule $round_robin\ncontrol_slaves TRUE\n"
	    "job_is_first_task TRUE\nurgency_slots min\n");
	reload(fixture);
	sched_dispatch(fixture->sched, true);
	for (int k = 1; k <= 3; k++)
		TELL(fixture, "{'event':'queue_instance','queue':'all.q@node%d','slots':10}", k);
	if (hosts_open(&hosts, &options, fixture->sched, &intake, &fixture->error))
		fail_msg("%s", fixture->error.text);
	for (int k = 0; k < 2; k++)
		spoke_start_with(k, &(struct spoke_options){
					    .scheduler = endpoint, .keys = keys_dir, .name = names[k], .report_s = 1 });
	TALK_UNTIL(heard.ups == 2);
}

#define AT "','slots':1}],'job_number':"
#define START_ON(HOST) "{'event':'task_start','start_time':1699999500,'granted':[{'queue':'all.q@" HOST AT

/* Send a report of one task and wait until it has been processed. */
static void report_usage(int k, uint32_t job_number, int64_t start_time, double cpu)
{
	struct wire_usage usage = {
		.job_number = job_number, .task = 1, .start_time = start_time, .cpu = cpu, .mem = cpu / 2, .io = cpu / 4
	};
	struct wire_report report = { .usage = &usage, .nusage = 1 };
	uint64_t number = spoke_report(spokes[k], &report);

	assert_true(number > 0);
	TALK_UNTIL(spoke_taken(spokes[k]) >= number);
}

static void two_jobs(struct fixture *fixture)
{
	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, ADD "2,'owner':'bob'}");
	TELL(fixture, START_ON("node1") "1}");
	TELL(fixture, START_ON("node2") "2}");
	run(fixture, NOW);
}

static void test_each_host_receives_its_own_tasks(void **state)
{
	struct fixture *fixture = *state;

	begin(fixture, false, false);
	two_jobs(fixture);
	TALK_UNTIL(heard.sets == 2);
	assert_int_equal(heard.n, 1);
	assert_int_equal(heard.first.start_time, 1699999500);
	assert_true(heard.first.tickets > 0);
	TELL(fixture, DELETE "1}");		/* no task is left on node1, and that is sent as well */
	run(fixture, NOW + 1);
	TALK_UNTIL(heard.sets == 4);
	/* The qmaster gets the same orders as without hosts. */
	assert_non_null(orders_find(sched_orders(fixture->sched), 1));
}

static void test_usage_of_hosts_counts_like_usage_from_the_qmaster(void **state)
{
	struct fixture *fixture = *state;

	begin(fixture, true, false);
	two_jobs(fixture);
	TALK_UNTIL(heard.sets == 2);
	report_usage(0, 1, 1699999500, 100);
	run(fixture, NOW + 1);
	assert_true(row(fixture, 1, 0).cpu == 100);
	assert_true(used(fixture, FL_USER, "ann").cpu == 100);
	report_usage(0, 1, 1699999500, 40);	/* after a restart the host has lost earlier usage */
	report_usage(0, 1, 1699999500, 110);
	run(fixture, NOW + 2);
	assert_true(row(fixture, 1, 0).cpu == 110);
	assert_true(used(fixture, FL_USER, "ann").ltcpu == 110);
}

static void test_usage_from_hosts_is_ignored_unless_configured(void **state)
{
	struct fixture *fixture = *state;

	begin(fixture, false, false);
	two_jobs(fixture);
	TALK_UNTIL(heard.sets == 2);
	report_usage(0, 1, 1699999500, 100);
	run(fixture, NOW + 1);
	assert_false(row(fixture, 1, 0).has_usage);
}

static void test_reports_of_a_host_count_only_for_its_own_tasks(void **state)
{
	struct fixture *fixture = *state;

	begin(fixture, true, false);
	two_jobs(fixture);
	TALK_UNTIL(heard.sets == 2);
	report_usage(0, 2, 1699999500, 100);	/* on node2 */
	report_usage(0, 3, 1699999500, 100);	/* nowhere */
	report_usage(0, 1, 1699999499, 100);	/* another start time: not this task */
	report_usage(0, 1, 0, 100);
	run(fixture, NOW + 1);
	assert_false(row(fixture, 1, 0).has_usage);
	assert_false(row(fixture, 2, 0).has_usage);
}

static void test_a_restarted_task_begins_at_zero(void **state)
{
	struct fixture *fixture = *state;

	begin(fixture, true, false);
	two_jobs(fixture);
	TALK_UNTIL(heard.sets == 2);
	report_usage(0, 1, 1699999500, 100);
	run(fixture, NOW + 1);
	TELL(fixture, REQUEUE "1}");
	TELL(fixture,
	     "{'event':'task_start','start_time':1700000001,'granted':[{'queue':'all.q@node1','slots':1}],'job_number':1}");
	run(fixture, NOW + 2);
	report_usage(0, 1, 1699999500, 120);	/* late */
	run(fixture, NOW + 3);
	assert_false(row(fixture, 1, 0).has_usage);
	report_usage(0, 1, 1700000001, 7);
	run(fixture, NOW + 4);
	assert_true(row(fixture, 1, 0).cpu == 7);
	assert_true(used(fixture, FL_USER, "ann").ltcpu == 107);
}

static void test_usage_of_a_task_on_two_hosts_is_their_sum(void **state)
{
	struct fixture *fixture = *state;

	begin(fixture, true, false);
	TELL(fixture, ADD "5,'owner':'ann','pe':'tight','pe_range':'4'}");
	TELL(fixture,
	     "{'event':'task_start','start_time':1699999500,'granted_pe':'tight','granted':[{'queue':'all.q@node1','slots':3},"
	     "{'queue':'all.q@node2','slots':1}],'job_number':5}");
	run(fixture, NOW);
	TALK_UNTIL(heard.sets == 2);
	report_usage(0, 5, 1699999500, 30);
	report_usage(1, 5, 1699999500, 10);
	report_usage(0, 5, 1699999500, 31);
	run(fixture, NOW + 1);
	assert_true(row(fixture, 5, 0).cpu == 41);
}

/* The task was started in 2023. The clock of this machine decides how long ago that was. */
static void test_no_more_is_believed_than_a_host_can_do(void **state)
{
	struct fixture *fixture = *state;
	struct wire_usage usage = { .job_number = 1,
				    .task = 1,
				    .start_time = 1699999500,
				    .cpu = 1e30,
				    .mem = 1e30,
				    .io = 7,
				    .vmem = 1e30,
				    .maxvmem = 1e30 };
	struct wire_report report = { .usage = &usage, .nusage = 1 };
	char text[4096] = "";
	FILE *log = tmpfile();
	int err = dup(2);
	double possible;
	uint64_t number;

	begin(fixture, true, false);
	TELL(fixture, "{'event':'host_load','host':'node1','load_values':{'num_proc':'4','mem_total':'16G'}}");
	two_jobs(fixture);
	report_usage(1, 2, 1699999500, 100);
	TALK_UNTIL(heard.sets == 2);
	report_usage(1, 2, 1699999500, 100);
	dup2(fileno(log), 2);
	number = spoke_report(spokes[0], &report);
	TALK_UNTIL(spoke_taken(spokes[0]) >= number);
	dup2(err, 2);
	close(err);
	rewind(log);
	(void)!fread(text, 1, sizeof(text) - 1, log);
	fclose(log);
	if (!strstr(text, "host node1: cpu of task 1.1 is 1e+30, which is ignored"))
		fail_msg("%s", text);
	run(fixture, NOW + 1);
	assert_true(used(fixture, FL_USER, "ann").ltcpu == 0);
	assert_true(used(fixture, FL_USER, "ann").ltmem == 0);
	assert_true(used(fixture, FL_USER, "ann").ltio == 7);
	assert_true(used(fixture, FL_USER, "bob").ltcpu == 100);
	possible = 4.0 * (double)(time(NULL) - 1699999500);
	report_usage(0, 1, 1699999500, possible + 4 * 1000);
	report_usage(0, 1, 1699999500, possible);
	run(fixture, NOW + 2);
	assert_true(used(fixture, FL_USER, "ann").ltcpu == possible);
}

static void test_bounds_follow_from_the_resources_of_the_host(void **state)
{
	static const struct wire_usage huge = { .cpu = 1e30, .mem = 1e30, .io = 1e30, .vmem = 1e30, .maxvmem = 1e30 };
	struct bounds_of of = { .start_time = 1000, .now = 2000, .processors = 4, .memory_gb = 16 };
	struct wire_usage usage = { .job_number = 17,
				    .task = 1,
				    .cpu = 5200,
				    .mem = 5200 * 256,
				    .io = 1331200,
				    .vmem = 1e18,
				    .maxvmem = 1e18 };
	const struct wire_usage before = usage;
	char text[200];

	(void)state;
	assert_true(bounds_keep(&usage, &of, text, sizeof(text)));
	assert_memory_equal(&usage, &before, sizeof(usage));
	usage.cpu = 5200.1;
	assert_false(bounds_keep(&usage, &of, text, sizeof(text)));
	assert_string_equal(
		text,
		"cpu of task 17.1 is 5200.1, which is ignored: it started 1000 s ago, so 5200 is the limit");
	assert_true(usage.cpu == 0 && usage.mem == before.mem && usage.io == before.io);
	/* The qmaster's clock is ahead, and the elapsed time is unknown. */
	of = (struct bounds_of){ .start_time = 3000, .now = 2000 };
	usage = (struct wire_usage){ .cpu = 300.0 * 4096, .mem = 300.0 * 4096 * 65536 };
	assert_true(bounds_keep(&usage, &of, text, sizeof(text)));
	of.processors = of.memory_gb = 1e30;	/* more than any host has */
	usage = huge;
	assert_false(bounds_keep(&usage, &of, text, sizeof(text)));
	assert_true(usage.cpu == 0 && usage.mem == 0 && usage.io == 0 && usage.vmem == 0 && usage.maxvmem == 0);
	usage = (struct wire_usage){ .cpu = 300.0 * 4096 + 1, .io = -1 };
	assert_false(bounds_keep(&usage, &of, text, sizeof(text)));
	assert_true(usage.cpu == 0 && usage.io == 0);
}

static void test_reports_during_a_snapshot_are_ignored(void **state)
{
	struct fixture *fixture = *state;

	begin(fixture, true, false);
	two_jobs(fixture);
	TALK_UNTIL(heard.sets == 2);
	SNAPSHOT(fixture);
	report_usage(0, 1, 1699999500, 100);
	TELL(fixture, "{'event':'queue_instance','queue':'all.q@node1','slots':10}");
	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, START_ON("node1") "1}");
	SNAPSHOT_END(fixture);
	run(fixture, NOW + 1);
	assert_false(row(fixture, 1, 0).has_usage);
	report_usage(0, 1, 1699999500, 101);
	run(fixture, NOW + 2);
	assert_true(row(fixture, 1, 0).cpu == 101);
}

/* Return the number of load values that the scheduler has of this host. */
static size_t load_values(const struct fixture *fixture, const char *host)
{
	const struct mirror *mirror = sched_mirror(fixture->sched);
	const struct state *state = mirror->state;

	for (size_t i = 0; i < state->nhosts; i++)
		if (strcmp(strings_text(mirror->strings, state->host_names[i]), host) == 0)
			return state->hosts[i].nload;
	return 0;
}

static void load_is_reported(bool wanted, struct fixture *fixture)
{
	struct wire_load load[] = { { "np_load_avg", "0.25" }, { "num_proc", "4" } };
	uint64_t number;

	begin(fixture, false, wanted);
	number = spoke_report(spokes[1], &(struct wire_report){ .load = load, .nload = 2 });
	assert_true(number > 0);
	TALK_UNTIL(spoke_taken(spokes[1]) >= number);
	assert_int_equal(load_values(fixture, "node2"), wanted ? 2 : 0);
	assert_int_equal(load_values(fixture, "node1"), 0);
}

static void test_load_from_hosts_counts_if_configured(void **state)
{
	load_is_reported(true, *state);
}

static void test_load_from_hosts_is_ignored_unless_configured(void **state)
{
	load_is_reported(false, *state);
}

static void test_hosts_without_a_key_cost_no_work(void **state)
{
	struct fixture *fixture = *state;

	begin(fixture, true, true);
	put(fixture, "queue/all.q", "qname all.q\nhostlist node1 node2 node3\nseq_no 0\nslots 10\n");
	reload(fixture);
	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, START_ON("node3") "1}");
	run(fixture, NOW);
	run(fixture, NOW + 1);
	let_them_talk(100);
	assert_int_equal(heard.sets, 0);
	hosts_reload(hosts);
	assert_int_equal(keys_make(keys_dir, "node3", &fixture->error), 0);
	hosts_reload(hosts);		/* the host has a key now */
	spoke_close(spokes[1]);
	spoke_start_with(
		1, &(struct spoke_options){ .scheduler = endpoint, .keys = keys_dir, .name = "node3", .report_s = 1 });
	run(fixture, NOW + 2);
	TALK_UNTIL(heard.sets == 1);
}

#undef TEST
#define TEST(name) cmocka_unit_test_setup_teardown(name, hosts_setup, hosts_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_each_host_receives_its_own_tasks),
		TEST(test_usage_of_hosts_counts_like_usage_from_the_qmaster),
		TEST(test_usage_from_hosts_is_ignored_unless_configured),
		TEST(test_reports_of_a_host_count_only_for_its_own_tasks),
		TEST(test_a_restarted_task_begins_at_zero),
		TEST(test_usage_of_a_task_on_two_hosts_is_their_sum),
		TEST(test_no_more_is_believed_than_a_host_can_do),
		cmocka_unit_test(test_bounds_follow_from_the_resources_of_the_host),
		TEST(test_reports_during_a_snapshot_are_ignored),
		TEST(test_load_from_hosts_counts_if_configured),
		TEST(test_load_from_hosts_is_ignored_unless_configured),
		TEST(test_hosts_without_a_key_cost_no_work),
	};

	log_open("daemon_hosts", false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
