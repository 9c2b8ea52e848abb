/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A published cell with a job of each kind, and an attached reader. Include after cmocka.h and its
 * headers.
 */
#ifndef TESTS_READER_CELL_H
#define TESTS_READER_CELL_H

#include <string.h>

#include "sched/reader/fairlead.h"
#include "sched/run/records.h"
#include "shm/strings.h"
#include "tests/shm/cell.h"

#define NOW 2000000000
#define FILE_BYTES (256u << 20)

struct fixture {
	struct shm_cell cell;
	struct segment segment;
	struct strings *strings;
	struct generation_writer w;
	struct fl_cell *reader;
	bool multifactor;		/* fill() shows Slurm's priorities beside the tickets */
};

enum { ROW_PLAIN, ROW_ARRAY, ROW_HELD, ROW_ERROR, ROW_BOTH, ROW_STARTED, ROWS };
static const uint32_t numbers[ROWS] = { 101, 7, 4000000000u, 12, 13, 55 };

static inline uint32_t str(struct fixture *fixture, const char *text)
{
	return strings_hold(fixture->strings, text);
}

static inline void *table(struct fixture *fixture, enum table_id id, uint64_t count)
{
	void *records = records_table(&fixture->w, id, count);

	assert_non_null(records);
	memset(records, 0, count * records_bytes_each(id));
	return records;
}

static inline void fill_run(struct fixture *fixture)
{
	*run_head(fixture->w.directory) = (struct run_record){
		.run = 3,
		.now = NOW,
		.run_ns = 5000,
		.event = 77,
		.free_slots = 9,
		.weight_ticket = 0.01,
		.weight_urgency = 0.1,
		.weight_priority = 1.0,
		.urgency = { .weight_waiting_time = 2.0, .weight_deadline = 3600.0, .now = NOW },
		.urg_min = 0.0,
		.urg_max = 4000.0,
		.tix_max = 1000.0,
		.pending_tickets = 2000.0,
		.running_tickets = 500.0,
		.use_urgency = 1,
		.use_priority = 1,
		.report_pending = 1,
		.nodes_configured = 2,
		.prio_is_whole = fixture->multifactor,
		.results_bytes = sizeof(struct job_results),
	};
	run_show_columns(run_head(fixture->w.directory), COLUMNS_TICKETS, sizeof(struct ticket_results));
	if (fixture->multifactor)
		run_show_columns(run_head(fixture->w.directory), COLUMNS_MULTIFACTOR,
				 sizeof(struct multifactor_results));
}

static inline void fill_jobs(struct fixture *fixture)
{
	const struct run_record *run = run_head(fixture->w.directory);
	struct job_results *results = generation_results(&fixture->w, 0, run->results_bytes);
	struct facts table = { .segment = &fixture->segment, .chunk_bytes = sizeof(struct job_facts) };
	struct ticket_results *tickets;
	struct job_facts *facts;
	size_t shared;

	assert_non_null(results);
	assert_int_equal(facts_reserve(&table, 0), 0);
	facts = facts_of(&table, 0);
	tickets = (struct ticket_results *)((uint8_t *)results + run->columns_at[COLUMNS_TICKETS]);
	for (unsigned i = 0; i < ROWS; i++) {
		facts->number[i] = numbers[i];
		facts->class_id[i] = 0;
		facts->category[i] = i == ROW_ARRAY;
		facts->name[i] = str(fixture, i == ROW_PLAIN ? "plain" : "other");
		facts->extra[i] = i == ROW_ARRAY ? 0 : NONE;
		results->task[i] = i == ROW_ARRAY ? 3 : 1;
		facts->priority[i] = 1024 + (i == ROW_PLAIN ? 512 : 0);
		facts->submission[i] = NOW - 100;
		tickets->otickets[i] = 100;
		tickets->ftickets[i] = 150;
		tickets->stickets[i] = 250;
		results->flags[i] = JOB_PENDING;
		results->why[i] = i == ROW_PLAIN ? 2 : WHY_UNKNOWN;
	}
	results->flags[ROW_PLAIN] |= JOB_ELIGIBLE;
	results->flags[ROW_ARRAY] |= JOB_ELIGIBLE | JOB_RUNNING | JOB_ARRAY;
	results->flags[ROW_HELD] |= JOB_HELD;
	results->flags[ROW_ERROR] |= JOB_IN_ERROR;
	results->flags[ROW_BOTH] |= JOB_HELD | JOB_IN_ERROR;
	results->flags[ROW_STARTED] = JOB_RUNNING;
	fixture->w.directory->rows = ROWS;
	assert_int_equal(facts_show(&table, &fixture->w, 0, &shared), 0);
	facts_free(&table);
}

/* Call after fill_jobs(). */
static inline void fill_multifactor(struct fixture *fixture)
{
	const struct generation *generation = fixture->w.directory;
	struct multifactor_results *results =
		(struct multifactor_results *)(fixture->segment.base + generation->results[0] +
					       run_head(fixture->w.directory)->columns_at[COLUMNS_MULTIFACTOR]);
	struct multifactor_record *all = table(fixture, TABLE_MULTIFACTOR, 1);

	*all = (struct multifactor_record) { .pass = NOW, .weight_tres = NONE };
	for (uint32_t i = 0; i < ROWS; i++) {
		results->accrue[i] = NOW - i;
		results->priority[i] = 3000000000u + i;
		results->association[i] = NONE;
	}
}

static inline void fill_lists(struct fixture *fixture)
{
	uint32_t *order = table(fixture, TABLE_ORDER, ROWS - 1), *index = table(fixture, TABLE_INDEX, 16);

	memset(index, 0xff, 16 * sizeof(*index));
	for (uint32_t i = 0; i < ROWS; i++) {
		uint32_t at = numbers[i] * 2654435761u >> 28;

		while (index[at] != NONE)
			at = (at + 1) % 16;
		index[at] = i;
		if (i < ROWS - 1)
			order[i] = i;
	}
}

static inline void fill_tasks(struct fixture *fixture)
{
	struct task_record *tasks = table(fixture, TABLE_TASKS, 4);
	struct kept_record *kept = table(fixture, TABLE_KEPT, 1);
	const uint32_t rows[4] = { ROW_ARRAY, ROW_ARRAY, ROW_STARTED, ROW_STARTED }, ids[4] = { 1, 2, 1, 2 };

	for (unsigned i = 0; i < 4; i++)
		tasks[i] = (struct task_record){
			.job_row = rows[i],
			.number = numbers[rows[i]],
			.task = ids[i],
			.slots = 4,
			.start_time = NOW - 10,
			.queue = str(fixture, "all.q@node1"),
			.granted_pe = i ? NONE : str(fixture, "mpi"),
			.kept = i == 3 ? 0 : NONE,
			.has_usage = i == 0,
			.cpu = 1.5,
			.mem = 2.5,
			.io = 3.5,
			.otickets = 10,
			.ftickets = 20,
			.stickets = 70,
			.state = "r",
		};
	strcpy(tasks[3].state, "s");
	kept[0] = (struct kept_record) { 1, 2, 3, 4, { 5, 6, 7, 8 }, 9 };
}

static inline void fill_records(struct fixture *fixture)
{
	struct class_record *class = table(fixture, TABLE_CLASSES, 1);
	struct category_record *categories = table(fixture, TABLE_CATEGORIES, 2);
	struct extra_record *extras = table(fixture, TABLE_EXTRAS, 1);
	struct range_record *ranges = table(fixture, TABLE_RANGES, 2);

	*class = (struct class_record){ .owner = str(fixture, "anna"),
					.project = str(fixture, "blue"),
					.department = NONE,
					.jobshare = 5,
					.override_tickets = 6 };
	categories[0] = (struct category_record){
		.rrcontr = 1000, .hard = NONE, .soft = NONE, .pe = NONE, .pe_range = NONE, .slots = 1
	};
	categories[1] = (struct category_record){ .rrcontr = 2000,
						  .hard = str(fixture, "arch=x"),
						  .soft = str(fixture, "mem=1G"),
						  .pe = str(fixture, "mpi*"),
						  .pe_range = str(fixture, "2-8"),
						  .slots = 2,
						  .ar = 3 };
	extras[0] = (struct extra_record){ .numbers = { .deadline = NOW + 10, .execution_time = NOW - 50 },
					   .error_reason = NONE,
					   .nranges = 2 };
	ranges[0] = (struct range_record) { 3, 9, 2 };
	ranges[1] = (struct range_record) { 12, 12, 1 };
}

/* Add reasons of a job, of its category, and of all jobs. */
static inline void fill_why(struct fixture *fixture)
{
	struct why_list_record *lists = table(fixture, TABLE_WHY_LISTS, 3);
	struct why_record *reasons = table(fixture, TABLE_WHY, 4);

	lists[0] = (struct why_list_record) { 0, 1, 0 };
	lists[1] = (struct why_list_record) { 1, 2, 0 };
	lists[2] = (struct why_list_record) { 3, 1, 1 };
	for (unsigned i = 0; i < 4; i++)
		reasons[i] = (struct why_record){ .kind = (uint16_t)i,
						  .unit = (uint16_t)i,
						  .count = i + 1,
						  .subject = str(fixture, "np_load_avg=1.75"),
						  .object = str(fixture, "all.q@node1"),
						  .wanted = i,
						  .had = NOW };
}

static inline void fill_sharers(struct fixture *fixture)
{
	struct sharer_record *users = table(fixture, TABLE_USERS, 2),
			     *departments = table(fixture, TABLE_DEPARTMENTS, 1);
	struct project_usage_record *usage = table(fixture, TABLE_PROJECT_USAGE, 3);
	struct node_record *nodes = table(fixture, TABLE_NODES, 3);

	users[0] = (struct sharer_record) { .name = str(fixture, "anna"), .oticket = 1, .fshare = 2, .running_tasks = 3,
					  .usage = { .cpu = 4, .time_stamp = 5 } };
	users[1].name = str(fixture, "bert");
	departments[0].name = str(fixture, "science");
	usage[0] = (struct project_usage_record) { .user = 0, .project = str(fixture, "blue"), .usage = { .cpu = 1 } };
	usage[1] = (struct project_usage_record) { .user = 1, .project = str(fixture, "blue"), .usage = { .cpu = 2 } };
	usage[2] = (struct project_usage_record) { .user = 1, .project = str(fixture, "red"), .usage = { .cpu = 3 } };
	nodes[0] = (struct node_record){ .name = str(fixture, "Root"), .parent = NONE, .shares = 1, .has_children = 1 };
	nodes[1] = (struct node_record) { .name = str(fixture, "default"), .parent = 0, .depth = 1, .shares = 10 };
	nodes[2] = (struct node_record) { .name = str(fixture, "anna"), .parent = 1, .depth = 2, .job_count = 4,
					.usage = 1.5, .long_target_share = 0.25 };
}

static inline void fill_cluster(struct fixture *fixture)
{
	struct exec_host_record *hosts = table(fixture, TABLE_EXEC_HOSTS, 2);
	struct shown_instance_record *instances = table(fixture, TABLE_INSTANCES, 2);
	struct resource_record *resources = table(fixture, TABLE_RESOURCES, 2);
	struct alarm_record *alarms = table(fixture, TABLE_ALARMS, 1);
	struct quota_use_record *quotas = table(fixture, TABLE_QUOTAS, 1);

	hosts[0] = (struct exec_host_record){ .load_avg = -1,
					      .np_load_avg = -1,
					      .name = str(fixture, "global"),
					      .reported = NONE,
					      .available = 1,
					      .resources = { 0, 1 } };
	hosts[1] = (struct exec_host_record){ .load_avg = 2.5,
					      .np_load_avg = 0.625,
					      .name = str(fixture, "node1"),
					      .reported = NONE,
					      .available = 1,
					      .resources = { 1, 1 } };
	instances[0] = (struct shown_instance_record){ .name = str(fixture, "all.q@node1"),
						       .queue = str(fixture, "all.q"),
						       .host = 1,
						       .flags = 15,
						       .slots = 8,
						       .used = 3,
						       .reserved = 2,
						       .state = "ad",
						       .alarms = { 0, 1 } };
	instances[1] = (struct shown_instance_record){
		.name = str(fixture, "slot1@x"), .queue = NONE, .host = 77, .flags = SHOWN_BATCH, .slots = 1
	};
	resources[0] = (struct resource_record) { 6, 2, str(fixture, "lic"), 0 };
	resources[1] = (struct resource_record) { 3, 2, str(fixture, "lic"), 0 };
	alarms[0] = (struct alarm_record){ .value = 0.625,
					   .name = str(fixture, "np_load_avg"),
					   .limit = str(fixture, "0.5"),
					   .text = NONE,
					   .kind = ALARM_LOAD,
					   .origin = ORIGIN_LOAD,
					   .level = FL_HOST };
	quotas[0] =
		(struct quota_use_record){ .limit = 30,
					   .used = 12,
					   .set = str(fixture, "most"),
					   .rule = str(fixture, "1"),
					   .resource = str(fixture, "slots"),
					   .text = NONE,
					   .parts = { str(fixture, "anna"), NONE, NONE, NONE, str(fixture, "@all") },
					   .counted = 1 };
}

static inline void fill(struct fixture *fixture)
{
	static const char params[] = "algorithm\0default\0halftime\0" "168\0params\0";

	assert_int_equal(generation_begin(&fixture->w, &fixture->segment), 0);
	fill_run(fixture);
	fill_jobs(fixture);
	if (fixture->multifactor)
		fill_multifactor(fixture);
	fill_lists(fixture);
	fill_tasks(fixture);
	fill_records(fixture);
	fill_why(fixture);
	fill_sharers(fixture);
	fill_cluster(fixture);
	memcpy(table(fixture, TABLE_PARAMS, sizeof(params)), params, sizeof(params));
	assert_int_equal(strings_publish(fixture->strings, &fixture->w), 0);
}

static inline void publish(struct fixture *fixture)
{
	generation_publish(&fixture->w);
	assert_int_equal(segment_announce(&fixture->segment), 0);
}

static inline int setup(void **state)
{
	static struct fixture fixture;
	const struct segment_options options = { .file_bytes = FILE_BYTES, .group = -1, .records = RECORDS_VERSION };

	*state = &fixture;
	if (shm_cell_make(&fixture.cell) || segment_create(&fixture.segment, fixture.cell.directory, &options, NULL) ||
	    strings_create(&fixture.strings, &fixture.segment))
		return -1;
	fill(&fixture);
	publish(&fixture);
	return fl_attach(&fixture.reader, fixture.cell.directory);
}

static inline int teardown(void **state)
{
	struct fixture *fixture = *state;

	fl_detach(fixture->reader);
	strings_destroy(fixture->strings);
	segment_close(&fixture->segment);
	shm_cell_clear(&fixture->cell);
	return 0;
}

#endif
