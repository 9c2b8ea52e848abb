/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A published cell with one job of each kind, and a reader attached to it; cmocka.h and its headers
 * come first.
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

static inline uint32_t str(struct fixture *f, const char *text)
{
	return strings_hold(f->strings, text);
}

static inline void *table(struct fixture *f, enum table_id id, uint64_t count)
{
	void *records = records_table(&f->w, id, count);

	assert_non_null(records);
	memset(records, 0, count * records_bytes_each(id));
	return records;
}

static inline void fill_run(struct fixture *f)
{
	*run_head(f->w.directory) = (struct run_record) {
		.run = 3, .now = NOW, .run_ns = 5000, .event = 77, .free_slots = 9,
		.weight_ticket = 0.01, .weight_urgency = 0.1, .weight_priority = 1.0,
		.urgency = { .weight_waiting_time = 2.0, .weight_deadline = 3600.0, .now = NOW },
		.urg_min = 0.0, .urg_max = 4000.0, .tix_max = 1000.0, .pending_tickets = 2000.0, .running_tickets = 500.0,
		.use_urgency = 1, .use_priority = 1, .report_pending = 1, .nodes_configured = 2, .prio_is_whole = f->multifactor,
		.results_bytes = sizeof(struct job_results),
	};
	run_show_columns(run_head(f->w.directory), COLUMNS_TICKETS, sizeof(struct ticket_results));
	if (f->multifactor)
		run_show_columns(run_head(f->w.directory), COLUMNS_MULTIFACTOR, sizeof(struct multifactor_results));
}

static inline void fill_jobs(struct fixture *f)
{
	const struct run_record *run = run_head(f->w.directory);
	struct job_results *results = generation_results(&f->w, 0, run->results_bytes);
	struct facts table = { .segment = &f->segment, .chunk_bytes = sizeof(struct job_facts) };
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
		facts->name[i] = str(f, i == ROW_PLAIN ? "plain" : "other");
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
	f->w.directory->rows = ROWS;
	assert_int_equal(facts_show(&table, &f->w, 0, &shared), 0);
	facts_free(&table);
}

/* Behind fill_jobs(). */
static inline void fill_multifactor(struct fixture *f)
{
	const struct generation *g = f->w.directory;
	struct multifactor_results *results =
		(struct multifactor_results *)(f->segment.base + g->results[0] + run_head(f->w.directory)->columns_at[COLUMNS_MULTIFACTOR]);
	struct multifactor_record *all = table(f, TABLE_MULTIFACTOR, 1);

	*all = (struct multifactor_record) { .pass = NOW, .weight_tres = NONE };
	for (uint32_t i = 0; i < ROWS; i++) {
		results->accrue[i] = NOW - i;
		results->priority[i] = 3000000000u + i;
		results->association[i] = NONE;
	}
}

static inline void fill_lists(struct fixture *f)
{
	uint32_t *order = table(f, TABLE_ORDER, ROWS - 1), *index = table(f, TABLE_INDEX, 16);

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

static inline void fill_tasks(struct fixture *f)
{
	struct task_record *tasks = table(f, TABLE_TASKS, 4);
	struct kept_record *kept = table(f, TABLE_KEPT, 1);
	const uint32_t rows[4] = { ROW_ARRAY, ROW_ARRAY, ROW_STARTED, ROW_STARTED }, ids[4] = { 1, 2, 1, 2 };

	for (unsigned i = 0; i < 4; i++)
		tasks[i] = (struct task_record) {
			.job_row = rows[i], .number = numbers[rows[i]], .task = ids[i], .slots = 4, .start_time = NOW - 10,
			.queue = str(f, "all.q@node1"), .granted_pe = i ? NONE : str(f, "mpi"), .kept = i == 3 ? 0 : NONE,
			.has_usage = i == 0, .cpu = 1.5, .mem = 2.5, .io = 3.5,
			.otickets = 10, .ftickets = 20, .stickets = 70, .state = "r",
		};
	strcpy(tasks[3].state, "s");
	kept[0] = (struct kept_record) { 1, 2, 3, 4, { 5, 6, 7, 8 }, 9 };
}

static inline void fill_records(struct fixture *f)
{
	struct class_record *class = table(f, TABLE_CLASSES, 1);
	struct category_record *categories = table(f, TABLE_CATEGORIES, 2);
	struct extra_record *extras = table(f, TABLE_EXTRAS, 1);
	struct range_record *ranges = table(f, TABLE_RANGES, 2);

	*class = (struct class_record) { .owner = str(f, "anna"), .project = str(f, "blue"), .department = NONE,
					 .jobshare = 5, .override_tickets = 6 };
	categories[0] = (struct category_record) { .rrcontr = 1000, .hard = NONE, .soft = NONE, .pe = NONE, .pe_range = NONE, .slots = 1 };
	categories[1] = (struct category_record) { .rrcontr = 2000, .hard = str(f, "arch=x"), .soft = str(f, "mem=1G"),
						   .pe = str(f, "mpi*"), .pe_range = str(f, "2-8"), .slots = 2, .ar = 3 };
	extras[0] = (struct extra_record) { .numbers = { .deadline = NOW + 10, .execution_time = NOW - 50 }, .error_reason = NONE, .nranges = 2 };
	ranges[0] = (struct range_record) { 3, 9, 2 };
	ranges[1] = (struct range_record) { 12, 12, 1 };
}

/* Those of a job, of its category, of all. */
static inline void fill_why(struct fixture *f)
{
	struct why_list_record *lists = table(f, TABLE_WHY_LISTS, 3);
	struct why_record *reasons = table(f, TABLE_WHY, 4);

	lists[0] = (struct why_list_record) { 0, 1, 0 };
	lists[1] = (struct why_list_record) { 1, 2, 0 };
	lists[2] = (struct why_list_record) { 3, 1, 1 };
	for (unsigned i = 0; i < 4; i++)
		reasons[i] = (struct why_record) { .kind = (uint16_t)i, .unit = (uint16_t)i, .count = i + 1, .subject = str(f, "np_load_avg=1.75"),
						   .object = str(f, "all.q@node1"), .wanted = i, .had = NOW };
}

static inline void fill_sharers(struct fixture *f)
{
	struct sharer_record *users = table(f, TABLE_USERS, 2), *departments = table(f, TABLE_DEPARTMENTS, 1);
	struct project_usage_record *usage = table(f, TABLE_PROJECT_USAGE, 3);
	struct node_record *nodes = table(f, TABLE_NODES, 3);

	users[0] = (struct sharer_record) { .name = str(f, "anna"), .oticket = 1, .fshare = 2, .running_tasks = 3,
					  .usage = { .cpu = 4, .time_stamp = 5 } };
	users[1].name = str(f, "bert");
	departments[0].name = str(f, "science");
	usage[0] = (struct project_usage_record) { .user = 0, .project = str(f, "blue"), .usage = { .cpu = 1 } };
	usage[1] = (struct project_usage_record) { .user = 1, .project = str(f, "blue"), .usage = { .cpu = 2 } };
	usage[2] = (struct project_usage_record) { .user = 1, .project = str(f, "red"), .usage = { .cpu = 3 } };
	nodes[0] = (struct node_record) { .name = str(f, "Root"), .parent = NONE, .shares = 1, .has_children = 1 };
	nodes[1] = (struct node_record) { .name = str(f, "default"), .parent = 0, .depth = 1, .shares = 10 };
	nodes[2] = (struct node_record) { .name = str(f, "anna"), .parent = 1, .depth = 2, .job_count = 4,
					.usage = 1.5, .long_target_share = 0.25 };
}

static inline void fill_cluster(struct fixture *f)
{
	struct exec_host_record *hosts = table(f, TABLE_EXEC_HOSTS, 2);
	struct shown_instance_record *instances = table(f, TABLE_INSTANCES, 2);
	struct resource_record *resources = table(f, TABLE_RESOURCES, 2);
	struct alarm_record *alarms = table(f, TABLE_ALARMS, 1);
	struct quota_use_record *quotas = table(f, TABLE_QUOTAS, 1);

	hosts[0] = (struct exec_host_record) { .load_avg = -1, .np_load_avg = -1, .name = str(f, "global"), .told = NONE, .available = 1,
					       .resources = { 0, 1 } };
	hosts[1] = (struct exec_host_record) { .load_avg = 2.5, .np_load_avg = 0.625, .name = str(f, "node1"), .told = NONE, .available = 1,
					       .resources = { 1, 1 } };
	instances[0] = (struct shown_instance_record) { .name = str(f, "all.q@node1"), .queue = str(f, "all.q"), .host = 1, .flags = 15, .slots = 8,
							.used = 3, .reserved = 2, .state = "ad", .alarms = { 0, 1 } };
	instances[1] = (struct shown_instance_record) { .name = str(f, "slot1@x"), .queue = NONE, .host = 77, .flags = SHOWN_BATCH, .slots = 1 };
	resources[0] = (struct resource_record) { 6, 2, str(f, "lic"), 0 };
	resources[1] = (struct resource_record) { 3, 2, str(f, "lic"), 0 };
	alarms[0] = (struct alarm_record) { .value = 0.625, .name = str(f, "np_load_avg"), .limit = str(f, "0.5"), .text = NONE, .kind = ALARM_LOAD,
					    .origin = ORIGIN_LOAD, .level = FL_HOST };
	quotas[0] = (struct quota_use_record) { .limit = 30, .used = 12, .set = str(f, "most"), .rule = str(f, "1"), .resource = str(f, "slots"),
						.text = NONE, .parts = { str(f, "anna"), NONE, NONE, NONE, str(f, "@all") }, .counted = 1 };
}

static inline void fill(struct fixture *f)
{
	static const char params[] = "algorithm\0default\0halftime\0" "168\0params\0";

	assert_int_equal(generation_begin(&f->w, &f->segment), 0);
	fill_run(f);
	fill_jobs(f);
	if (f->multifactor)
		fill_multifactor(f);
	fill_lists(f);
	fill_tasks(f);
	fill_records(f);
	fill_why(f);
	fill_sharers(f);
	fill_cluster(f);
	memcpy(table(f, TABLE_PARAMS, sizeof(params)), params, sizeof(params));
	assert_int_equal(strings_publish(f->strings, &f->w), 0);
}

static inline void publish(struct fixture *f)
{
	generation_publish(&f->w);
	assert_int_equal(segment_announce(&f->segment), 0);
}

static inline int setup(void **state)
{
	static struct fixture f;
	const struct segment_options options = { .file_bytes = FILE_BYTES, .group = -1, .records = RECORDS_VERSION };

	*state = &f;
	if (shm_cell_make(&f.cell) || segment_create(&f.segment, f.cell.directory, &options, NULL) ||
	    strings_create(&f.strings, &f.segment))
		return -1;
	fill(&f);
	publish(&f);
	return fl_attach(&f.reader, f.cell.directory);
}

static inline int teardown(void **state)
{
	struct fixture *f = *state;

	fl_detach(f->reader);
	strings_destroy(f->strings);
	segment_close(&f->segment);
	shm_cell_clear(&f->cell);
	return 0;
}

#endif
