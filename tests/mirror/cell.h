/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scheduler without its process: a cell of its own, events in the form of fairlead-events(5) but
 * with ' in place of ", runs at any time, and a reader of their results. Include after cmocka.h and
 * its headers.
 */
#ifndef TESTS_MIRROR_CELL_H
#define TESTS_MIRROR_CELL_H

#include <string.h>

#include "sched/qmaster/json/events.h"
#include "sched/reader/fairlead.h"
#include "sched/sched.h"
#include "tests/shm/cell.h"

#define NOW 1700000000		/* usually the time of the first run */

struct fixture {
	struct shm_cell cell;
	struct sched *sched;
	struct intake intake;
	struct events events;
	char refusal[400];		/* answer to the last event; "" if it was accepted */
	struct fl_cell *reader;
	const struct fl_view *view;	/* view of the last run; NULL before the first */
	struct error error;
};

/* Configuration */

static inline void put(const struct fixture *fixture, const char *name, const char *text)
{
	char path[200];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", fixture->cell.directory, name);
	out = fopen(path, "w");
	assert_non_null(out);
	fputs(text, out);
	assert_int_equal(fclose(out), 0);
}

static inline void put_away(const struct fixture *fixture, const char *name)
{
	char path[200];

	snprintf(path, sizeof(path), "%s/%s", fixture->cell.directory, name);
	assert_int_equal(remove(path), 0);
}

static inline void put_sched_conf(const struct fixture *fixture, unsigned halftime, const char *usage_weights,
				  const char *halflives)
{
	char text[2000];

	snprintf(
		text, sizeof(text),
		"algorithm default\nschedule_interval 0:0:15\nmaxujobs 0\nqueue_sort_method load\njob_load_adjustments NONE\n"
		"load_adjustment_decay_time 0:0:0\nload_formula np_load_avg\nschedd_job_info false\nflush_submit_sec 0\n"
		"flush_finish_sec 0\nparams none\nreprioritize_interval 0:0:0\nmax_reservation 0\ndefault_duration INFINITY\n"
		"halftime %u\nusage_weight_list %s\ncompensation_factor 5\nweight_user 0.25\nweight_project 0.25\n"
		"weight_department 0.25\nweight_job 0.25\nweight_tickets_functional 0\nweight_tickets_share 10000\n"
		"share_override_tickets TRUE\nshare_functional_shares TRUE\nmax_functional_jobs_to_schedule 200\n"
		"report_pjob_tickets TRUE\nmax_pending_tasks_per_job 50\nhalflife_decay_list %s\npolicy_hierarchy OFS\n"
		"weight_ticket 0.5\nweight_waiting_time 0.01\nweight_deadline 3600000\nweight_urgency 0.3\nweight_priority 0.2\n",
		halftime, usage_weights, halflives);
	put(fixture, "sched_conf", text);
}

/* Set a parameter of sched_conf for the next reload. */
static inline void set_sched_conf(const struct fixture *fixture, const char *name, const char *value)
{
	char path[200], old[3000], text[3200], before[60], *line;
	FILE *in;

	snprintf(path, sizeof(path), "%s/sched_conf", fixture->cell.directory);
	in = fopen(path, "r");
	assert_non_null(in);
	old[fread(old, 1, sizeof(old) - 1, in)] = '\0';
	fclose(in);
	snprintf(before, sizeof(before), "\n%s ", name);
	line = strstr(old, before);
	assert_non_null(line);
	snprintf(text, sizeof(text), "%.*s%s%s%s", (int)(line - old), old, before, value, strchr(line + 1, '\n'));
	put(fixture, "sched_conf", text);
}

static inline void put_user(const struct fixture *fixture, const char *name)
{
	char file[100], text[200];

	snprintf(file, sizeof(file), "users/%s", name);
	snprintf(text, sizeof(text), "name %s\noticket 0\nfshare 100\ndelete_time 0\ndefault_project NONE\n", name);
	put(fixture, file, text);
}

static inline void put_project(const struct fixture *fixture, const char *name)
{
	char file[100], text[200];

	snprintf(file, sizeof(file), "projects/%s", name);
	snprintf(text, sizeof(text), "name %s\noticket 0\nfshare 100\nacl NONE\nxacl NONE\n", name);
	put(fixture, file, text);
}

static inline void put_global_conf(const struct fixture *fixture, unsigned max_aj_instances)
{
	char text[200];

	snprintf(text, sizeof(text), "enforce_user none\nmax_aj_instances %u\nmax_aj_tasks 75000\n", max_aj_instances);
	put(fixture, "global_conf", text);
}

/*
 * Write a tree in which every user is at `default`, so that its copies show the order of the jobs.
 */
static inline void put_tree(const struct fixture *fixture)
{
	put(fixture, "share_tree",
	    "id=0\nname=Root\ntype=0\nshares=1\nchildnodes=1\nid=1\nname=default\ntype=0\nshares=10\nchildnodes=NONE\n");
}

/* Events and runs */

static inline void refused(void *context, const char *line, size_t length)
{
	struct fixture *fixture = context;

	snprintf(fixture->refusal, sizeof(fixture->refusal), "%.*s", (int)length, line);
}

/* Send events to this scheduler. Events about orders are ignored. */
static inline void listen_to(struct fixture *fixture, struct sched *sched)
{
	fixture->intake = (struct intake){ .mirror = sched_mirror(sched) };
	fixture->events = (struct events){ .intake = &fixture->intake, .context = fixture, .answer = refused };
}

/* Send an event without its number. */
__attribute__((format(printf, 2, 3)))
static inline void tell(struct fixture *fixture, const char *format, ...)
{
	char text[4000], line[4100];
	va_list arguments;

	va_start(arguments, format);
	assert_true(vsnprintf(text, sizeof(text), format, arguments) < (int)sizeof(text));
	va_end(arguments);
	for (char *c = text; *c; c++)
		*c = *c == '\'' ? '"' : *c;
	fixture->refusal[0] = '\0';
	events_line(&fixture->events, line,
		    (size_t)snprintf(line, sizeof(line), "{\"seq\":%llu,%s",
				     (unsigned long long)fixture->events.last + 1, text + 1));
}

/* Send a valid event. */
#define TELL(f, ...) do {						\
	tell(f, __VA_ARGS__);						\
	if ((f)->refusal[0])						\
		fail_msg("%s", (f)->refusal);				\
} while (0)

/* Send an event that is refused for a reason that contains `text`. */
#define REFUSE(f, text, ...) do {					\
	tell(f, __VA_ARGS__);						\
	if (!strstr((f)->refusal, text))				\
		fail_msg("\"%s\" is not in: %s", text, (f)->refusal);	\
} while (0)

#define ADD "{'event':'job_add','submission_time':1699999000,'job_number':"
#define START "{'event':'task_start','start_time':1699999500,'granted':[{'queue':'all.q@node','slots':1}],'job_number':"
#define STATE "{'event':'task_state','job_number':"
#define USAGE "{'event':'usage','job_number':"
#define FINISH "{'event':'task_finish','job_number':"
#define MODIFY "{'event':'job_modify','job_number':"
#define DELETE "{'event':'job_delete','job_number':"
#define REQUEUE "{'event':'task_requeue','job_number':"
#define SNAPSHOT(f) TELL(f, "{'event':'snapshot_begin'}")
#define SNAPSHOT_END(f) TELL(f, "{'event':'snapshot_end'}")

static inline void run(struct fixture *fixture, int64_t now)
{
	if (fixture->view)
		assert_int_equal(fl_end(fixture->reader), 0);
	assert_int_equal(sched_run(fixture->sched, now, 1, &fixture->error), 0);
	if (!fixture->reader)
		assert_int_equal(fl_attach(&fixture->reader, fixture->cell.directory), 0);
	fixture->view = fl_begin(fixture->reader);
}

static inline void reload(struct fixture *fixture)
{
	struct report report = { 0 };

	if (sched_reload(fixture->sched, &report, &fixture->error) != 0) {
		report_print(&report, stderr);
		fail_msg("%s", fixture->error.text);
	}
	report_free(&report);
}

/* Start the first task of an array of nine. */
static inline void start_job(struct fixture *fixture, uint32_t number, const char *owner)
{
	TELL(fixture, ADD "%u,'owner':'%s','tasks':'1-9'}", number, owner);
	TELL(fixture, START "%u,'task':1}", number);
}

static inline void report_cpu(struct fixture *fixture, uint32_t number, uint32_t task, double cpu)
{
	TELL(fixture, USAGE "%u,'task':%u,'scaled_usage':{'cpu':%g}}", number, task, cpu);
}

/* Results of a run */

/* Return the k-th row of a job: its started tasks, then the pending row. */
static inline struct fl_job row(const struct fixture *fixture, uint32_t number, size_t k)
{
	struct fl_job job;

	if (fl_find(fixture->view, number, k, &job) != 0)
		fail_msg("job %u has no row %zu", number, k);
	return job;
}

static inline size_t rows(const struct fixture *fixture, uint32_t number)
{
	struct fl_job job;
	size_t n = 0;

	while (fl_find(fixture->view, number, n, &job) == 0)
		n++;
	return n;
}

static inline uint64_t free_slots(const struct fixture *fixture)
{
	struct fl_run run;

	fl_run(fixture->view, &run);
	return run.free_slots;
}

/* Return the number of an object. Fails if it does not exist. */
static inline size_t sharer_find(const struct fixture *fixture, enum fl_kind kind, const char *name,
				 struct fl_sharer *sharer)
{
	for (size_t k = 0; fl_sharer(fixture->view, kind, k, sharer) == 0; k++)
		if (strcmp(sharer->name, name) == 0)
			return k;
	fail_msg("there is no %s", name);
	return 0;
}

static inline struct fl_usage used(const struct fixture *fixture, enum fl_kind kind, const char *name)
{
	struct fl_sharer sharer;

	sharer_find(fixture, kind, name, &sharer);
	return sharer.usage;
}

static inline struct fl_usage used_in(const struct fixture *fixture, const char *user, const char *project)
{
	struct fl_sharer sharer;
	struct fl_usage usage;

	assert_int_equal(
		fl_user_project_usage(fixture->view, sharer_find(fixture, FL_USER, user, &sharer), project, &usage), 0);
	return usage;
}

#define ANN_CPU(f) used(f, FL_USER, "ann").cpu

/* Check that values are equal to the last bit. */
#define CHECK(value, expected) do {											\
	double value_ = (value), expected_ = (expected);								\
	if (value_ != expected_)											\
		fail_msg("%s is %.17g, not %.17g", #value, value_, expected_);						\
} while (0)

/* Setup and teardown */

static inline int setup(void **state)
{
	static struct fixture fixture;
	static const char *const directories[] = { "users", "projects", "usersets", "queue", "pe" };
	const struct segment_options options = { .file_bytes = 1u << 30, .group = -1 };
	struct report report = { 0 };
	char path[200];

	fixture = (struct fixture){ 0 };
	*state = &fixture;
	if (shm_cell_make(&fixture.cell))
		return -1;
	for (size_t i = 0; i < sizeof(directories) / sizeof(*directories); i++) {
		snprintf(path, sizeof(path), "%s/%s", fixture.cell.directory, directories[i]);
		if (mkdir(path, 0755))
			return -1;
	}
	put_sched_conf(&fixture, 168, "cpu=1,mem=0,io=0", "none");
	put_global_conf(&fixture, 2000);
	put_tree(&fixture);
	put_user(&fixture, "ann");
	put_user(&fixture, "bob");
	put_user(&fixture, "cal");
	put_project(&fixture, "red");
	put(&fixture, "queue/all.q", "qname all.q\nhostlist node\nseq_no 0\nslots 10,[node=20]\n");
	if (sched_create(&fixture.sched, fixture.cell.directory, &options, &report, &fixture.error) != 0) {
		report_print(&report, stderr);
		return -1;
	}
	report_free(&report);
	sched_dispatch(fixture.sched, false);		/* starts are reported by events */
	listen_to(&fixture, fixture.sched);
	return 0;
}

static inline int teardown(void **state)
{
	struct fixture *fixture = *state;
	char command[200];

	fl_detach(fixture->reader);
	events_destroy(&fixture->events);
	sched_destroy(fixture->sched);
	snprintf(command, sizeof(command), "rm -rf '%s'", fixture->cell.shm);
	return system(command);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
