/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cell computed by 1, 2, 4 and 7 threads in parallel, with the same events and runs. After each
 * run all bytes that readers see are the same except durations. FAIRLEAD_SEED=n sets the seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "sched/run/records_state.h"
#include "sched/run/records.h"
#include "shm/attach.h"
#include "tests/mirror/cell.h"
#include "tests/naive/cells.h"

#define JOBS 120000		/* enough for some slices and blocks of every phase */
#define USERS 40
#define PROJECTS 12
#define DEPARTMENTS 5
#define ROUNDS 4
#define CELLS 4

static const unsigned threads[CELLS] = { 1, 2, 4, 7 };
static struct sched *scheds[CELLS];
static struct attachment readers[CELLS];
static uint64_t randomness;

static uint64_t below(uint64_t n)
{
	return random_below(&randomness, n);
}

static bool once_in(uint64_t n)
{
	return below(n) == 0;
}

/* The cell */

static void put_objects(const struct fixture *fixture)
{
	char file[40], text[400];

	for (unsigned i = 0; i < USERS; i++) {
		snprintf(file, sizeof(file), "users/u%u", i);
		snprintf(text, sizeof(text), "name u%u\noticket %u\nfshare %u\ndelete_time 0\ndefault_project NONE\n",
			 i, i % 3 * 100, i % 5 * 10);
		put(fixture, file, text);
	}
	for (unsigned i = 0; i < PROJECTS; i++) {
		snprintf(file, sizeof(file), "projects/p%u", i);
		snprintf(text, sizeof(text), "name p%u\noticket %u\nfshare %u\nacl NONE\nxacl NONE\n", i, i % 2 * 500,
			 i % 4 * 10);
		put(fixture, file, text);
	}
	for (unsigned i = 0; i < DEPARTMENTS; i++) {
		snprintf(file, sizeof(file), "usersets/d%u", i);
		snprintf(text, sizeof(text), "name d%u\ntype DEPT\nfshare %u\noticket %u\nentries NONE\n", i, i * 10,
			 i * 50);
		put(fixture, file, text);
	}
	put(fixture, "share_tree", "id=0\nname=Root\ntype=0\nshares=1\nchildnodes=1,2,3\n"
			     "id=1\nname=p1\ntype=1\nshares=20\nchildnodes=4,5\n"
			     "id=2\nname=p2\ntype=1\nshares=30\nchildnodes=NONE\n"
			     "id=3\nname=default\ntype=0\nshares=10\nchildnodes=NONE\n"
			     "id=4\nname=u1\ntype=0\nshares=10\nchildnodes=NONE\n"
			     "id=5\nname=default\ntype=0\nshares=5\nchildnodes=NONE\n");
	put(fixture, "queue/all.q", "qname all.q\nhostlist node\nseq_no 0\nslots 50000\n");
	put_sched_conf(fixture, 168, "cpu=1,mem=0,io=0", "none");
	set_sched_conf(fixture, "weight_tickets_functional", "30000");
}

/* Open the cell again under another name. */
static struct sched *copy_open(struct fixture *fixture, unsigned k)
{
	const struct segment_options options = { .file_bytes = 1u << 30, .group = -1 };
	struct report report = { 0 };
	char command[400], directory[100];
	struct sched *sched;

	snprintf(directory, sizeof(directory), "%s%u", fixture->cell.directory, k);
	snprintf(command, sizeof(command), "cp -R %s %s", fixture->cell.directory, directory);
	assert_int_equal(system(command), 0);
	if (sched_create(&sched, directory, &options, &report, &fixture->error) != 0) {
		report_print(&report, stderr);
		fail_msg("%s", fixture->error.text);
	}
	report_free(&report);
	sched_dispatch(sched, false);
	assert_int_equal(sched_workers(sched, threads[k]), 0);
	assert_int_equal(mirror_queue_instance(sched_mirror(sched), "all.q@node", UINT32_MAX, "", &fixture->error), 0);
	return sched;
}

static void cells_open(struct fixture *fixture)
{
	put_objects(fixture);
	for (unsigned k = 0; k < CELLS; k++)
		scheds[k] = copy_open(fixture, k);
}

static void cells_run(struct fixture *fixture, int64_t now)
{
	char directory[100];

	for (unsigned k = 0; k < CELLS; k++) {
		if (sched_run(scheds[k], now, 1, &fixture->error) != 0)
			fail_msg("%s", fixture->error.text);
		snprintf(directory, sizeof(directory), "%s%u", fixture->cell.directory, k);
		if (!readers[k].header)
			assert_int_equal(attach_open(&readers[k], directory, RECORDS_VERSION), 0);
	}
}

static void cells_close(void)
{
	for (unsigned k = 0; k < CELLS; k++) {
		attach_close(&readers[k]);
		sched_destroy(scheds[k]);
		readers[k] = (struct attachment){ 0 };
	}
}

/* Random events, sent to all cells */

struct reported {			/* known state of a job */
	bool there, is_array;
	uint32_t started;	/* tasks, from 1 on */
	uint32_t over;		/* ended ones of them */
};

static struct reported jobs[JOBS + 1];

/* The arguments are evaluated again for each cell. */
#define TELL_ALL(f, CALL, ...) do {								\
	for (unsigned k_ = 0; k_ < CELLS; k_++)							\
		if (CALL(sched_mirror(scheds[k_]), __VA_ARGS__, &(f)->error) != 0)		\
			fail_msg("%s", (f)->error.text);					\
} while (0)

static void add(struct fixture *fixture, uint32_t number)
{
	static const char *const hards[] = { "", "", "h_rt=60", "arch=x", "arch=x,h_rt=60", "h_rt=60,arch=x" };
	static const struct range tasks[] = { { 1, 30, 1 }, { 1, 3, 1 } };
	static const struct range held[] = { { 2, 6, 2 }, { 1, 1, 1 } };
	static char name[20], owner[20], project[20], department[20];
	const uint32_t predecessor = 1 + (uint32_t)below(JOBS);
	struct job_spec spec = { .job_number = number,
				 .name = name,
				 .owner = owner,
				 .department = department,
				 .hard = hards[below(6)],
				 .given = JOB_SUBMISSION_TIME,
				 .submission_time = NOW - 100000 + number / 3,
				 .priority = once_in(3) ? (int32_t)below(100) - 50 : 0,
				 .jobshare = once_in(9) ? (uint32_t)below(3) : 0,
				 .override_tickets = once_in(8) ? (uint32_t)below(4) * 10 : 0 };

	snprintf(name, sizeof(name), "n%u", (unsigned)below(100));
	snprintf(owner, sizeof(owner), "u%u", (unsigned)below(USERS + 5));
	snprintf(department, sizeof(department), "d%u", (unsigned)below(DEPARTMENTS));
	snprintf(project, sizeof(project), "p%u", (unsigned)below(PROJECTS));
	spec.project = once_in(4) ? NULL : project;
	spec.given |= JOB_PRIORITY;
	jobs[number] = (struct reported){ .there = true, .is_array = once_in(12) };
	if (jobs[number].is_array) {
		spec.given |= JOB_TASKS | JOB_TC;
		spec.tasks = (struct ranges){ (struct range *)&tasks[below(2)], 1 };
		spec.task_concurrency = once_in(3) ? 2 : 0;
	}
	if (once_in(15)) {
		spec.given |= JOB_HOLD;
		spec.hold[below(HOLD_KINDS)] = (struct ranges){ (struct range *)&held[below(2)], 1 };
	}
	if (once_in(50)) {
		spec.given |= JOB_ERROR;
		spec.error = true;
	}
	if (once_in(20)) {
		spec.given |= JOB_DEADLINE | JOB_EXECUTION_TIME;
		spec.deadline = NOW + (int64_t)below(5000);
		spec.execution_time = NOW + (int64_t)below(30) - 20;
	}
	if (once_in(60)) {
		spec.given |= JOB_HOLD_JID;
		spec.hold_jid = &predecessor;
		spec.nhold_jid = 1;
	}
	TELL_ALL(fixture, mirror_job_add, &spec);
}

static void modify(struct fixture *fixture, uint32_t number)
{
	const struct job_spec spec = { .given = JOB_PRIORITY | JOB_OVERRIDE_TICKETS,
				       .job_number = number,
				       .priority = (int32_t)below(20),
				       .override_tickets = (uint32_t)below(3) * 10 };

	TELL_ALL(fixture, mirror_job_modify, &spec);
}

static void start(struct fixture *fixture, uint32_t number)
{
	static const struct granted granted[] = { { .queue = "all.q@node", .slots = 1 } };
	struct reported *job = &jobs[number];

	if (job->started == (job->is_array ? 3 : 1))
		return;
	job->started++;
	TELL_ALL(fixture, mirror_task_start, number, job->started, NOW, granted, 1, NULL, NULL);
}

static void change_task(struct fixture *fixture, uint32_t number)
{
	const struct usage_value value = { "cpu", (double)below(100000) };
	const struct usage_values usage = { &value, 1 };
	struct reported *job = &jobs[number];

	if (job->started == job->over)
		return;
	if (once_in(3)) {
		TELL_ALL(fixture, mirror_task_state, number, job->started, number % 2 ? "s" : "r");
	} else if (once_in(3)) {
		job->over++;
		TELL_ALL(fixture, mirror_task_finish, number, job->over, 0, &usage);
		job->there = job->is_array;
	} else {
		TELL_ALL(fixture, mirror_usage, number, job->started, &usage);
	}
}

static void event(struct fixture *fixture)
{
	uint32_t number = 1 + (uint32_t)below(JOBS);

	if (!jobs[number].there) {
		add(fixture, number);
	} else if (once_in(3) && jobs[number].started == 0) {
		modify(fixture, number);
	} else if (once_in(3)) {
		start(fixture, number);
	} else if (once_in(10)) {
		TELL_ALL(fixture, mirror_job_delete, number);
		jobs[number].there = false;
	} else {
		change_task(fixture, number);
	}
}

/* Data that readers see */

static bool table_differs(const struct view *a, const struct view *b, unsigned id, size_t bytes)
{
	uint64_t na, nb;
	const void *x = view_table(a, id, bytes, &na), *y = view_table(b, id, bytes, &nb);

	return na != nb || memcmp(x, y, na * bytes) != 0;
}

/* Compare everything except the durations of phases. */
static bool state_differs(const struct view *a, const struct view *b)
{
	uint64_t na, nb;
	const uint8_t *x = view_table(a, TABLE_STATE, 1, &na), *y = view_table(b, TABLE_STATE, 1, &nb);
	struct state_head head = *view_state(a), state_head = *view_state(b);

	memset(head.health.phases, 0, sizeof(head.health.phases));
	memset(state_head.health.phases, 0, sizeof(state_head.health.phases));
	return na != nb || memcmp(&head, &state_head, sizeof(head)) != 0 ||
	       memcmp(x + sizeof(head), y + sizeof(head), na - sizeof(head)) != 0;
}

#define COLUMN_DIFFERS(X, Y, COLUMN) (memcmp(&(X)->COLUMN[i], &(Y)->COLUMN[i], sizeof((X)->COLUMN[i])) != 0)

static bool row_differs(const struct view *a, const struct view *b, uint32_t row)
{
	const struct job_facts *x = records_facts(a, row), *y = records_facts(b, row);
	const struct job_results *results = records_results(a, row), *job_results = records_results(b, row);
	const struct ticket_results *ticket_results = records_tickets(a, row), *u = records_tickets(b, row);
	size_t i = row % CHUNK_ROWS;

	return COLUMN_DIFFERS(x, y, number) || COLUMN_DIFFERS(x, y, class_id) || COLUMN_DIFFERS(x, y, category) ||
	       COLUMN_DIFFERS(x, y, name) || COLUMN_DIFFERS(x, y, extra) || COLUMN_DIFFERS(x, y, priority) ||
	       COLUMN_DIFFERS(x, y, submission) || COLUMN_DIFFERS(ticket_results, u, otickets) ||
	       COLUMN_DIFFERS(ticket_results, u, ftickets) || COLUMN_DIFFERS(ticket_results, u, stickets) ||
	       COLUMN_DIFFERS(results, job_results, task) || COLUMN_DIFFERS(results, job_results, flags);
}

static bool run_differs(const struct view *a, const struct view *b)
{
	struct run_record x = *records_run(a), y = *records_run(b);

	x.run_ns = y.run_ns = 0;
	return memcmp(&x, &y, sizeof(x)) != 0;
}

/*
 * Describe the difference of two generations; NULL: none. Rows to which no table leads may have any
 * contents.
 */
static const char *difference(const struct view *a, const struct view *b)
{
	static char text[60];
	uint64_t n;
	const uint32_t *order = view_table(a, TABLE_ORDER, sizeof(*order), &n);

	for (enum table_id id = 0; id < TABLES; id++)
		if (id == TABLE_STATE ? state_differs(a, b) : table_differs(a, b, id, records_bytes_each(id))) {
			snprintf(text, sizeof(text), "table %d", id);
			return text;
		}
	if (table_differs(a, b, TABLE_STRINGS, sizeof(uint32_t)) || table_differs(a, b, TABLE_TEXT, 1))
		return "strings";
	for (uint64_t i = 0; i < n; i++)
		if (row_differs(a, b, order[i])) {
			snprintf(text, sizeof(text), "pending row %u", order[i]);
			return text;
		}

	const struct task_record *tasks = view_table(a, TABLE_TASKS, sizeof(*tasks), &n);

	for (uint64_t i = 0; i < n; i++)
		if (row_differs(a, b, tasks[i].job_row)) {
			snprintf(text, sizeof(text), "row %u of a started task", tasks[i].job_row);
			return text;
		}
	return run_differs(a, b) ? "the run" : NULL;
}

static const char *cells_differ_at(unsigned k)
{
	struct view a, b;
	const char *where;

	attach_begin(&readers[0], &a);
	attach_begin(&readers[k], &b);
	where = difference(&a, &b);
	assert_int_equal(attach_end(&readers[0], &a), 0);
	assert_int_equal(attach_end(&readers[k], &b), 0);
	return where;
}

static void check_cells(void)
{
	for (unsigned k = 1; k < CELLS; k++) {
		const char *where = cells_differ_at(k);

		if (where)
			fail_msg("%u threads: %s", threads[k], where);
	}
}

/* Tests */

static void test_any_number_of_threads_gives_the_same_generations(void **state)
{
	struct fixture *fixture = *state;
	struct profile profile;

	cells_open(fixture);
	for (uint32_t number = 1; number <= JOBS; number++)
		add(fixture, number);
	for (int round = 0; round < ROUNDS; round++) {
		cells_run(fixture, NOW + 10 * round);
		check_cells();
		for (int i = 0; i < 10000; i++)
			event(fixture);
	}
	sched_profile(scheds[0], &profile);
	assert_true(profile.started_tasks > 1000);
	assert_true(profile.pending_tasks > profile.pending_jobs);
	cells_close();
}

static void test_a_difference_is_seen(void **state)
{
	struct fixture *fixture = *state;
	struct job_spec spec = { .given = JOB_PRIORITY, .job_number = 500, .priority = 3 };

	cells_open(fixture);
	for (uint32_t number = 1; number <= 1000; number++)
		add(fixture, number);
	TELL_ALL(fixture, mirror_job_modify, &spec);
	cells_run(fixture, NOW);
	check_cells();
	for (unsigned k = 0; k < CELLS; k++) {
		spec.priority = k == 2 ? 4 : 3;
		assert_int_equal(mirror_job_modify(sched_mirror(scheds[k]), &spec, &fixture->error), 0);
	}
	cells_run(fixture, NOW);
	assert_null(cells_differ_at(1));
	assert_non_null(cells_differ_at(2));
	assert_null(cells_differ_at(3));
	cells_close();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_any_number_of_threads_gives_the_same_generations),
		TEST(test_a_difference_is_seen),
	};

	randomness = seed_get("workers");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
