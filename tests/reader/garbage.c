/* SPDX-License-Identifier: Apache-2.0 */
/* A reader survives any bytes in the segment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "tests/reader/cell.h"

static size_t sum;		/* sum of all values read, so that no read is optimised away */

static void touch_job(const struct fl_job *job)
{
	const char *texts[] = { job->name,	     job->owner,	  job->project, job->department,
				job->hard_resources, job->soft_resources, job->pe,	job->pe_range,
				job->granted_pe,     job->queue,	  job->state };

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		sum += strlen(texts[i]);
	for (size_t i = 0; i < job->nranges; i += 1 + job->nranges / 16)
		sum += job->tasks[i].min;
	if (job->nranges)
		sum += job->tasks[job->nranges - 1].step;
}

static void touch_lists(const struct fl_view *view)
{
	struct fl_job job;

	for (int list = FL_STARTED; list <= FL_PENDING; list++) {
		size_t n = fl_count(view, list);

		for (size_t k = 0; k < 12; k++) {
			if (fl_get(view, list, k, &job) == 0)
				touch_job(&job);
			if (fl_get(view, list, n - k, &job) == 0)
				touch_job(&job);
		}
	}
	for (unsigned i = 0; i < ROWS; i++)
		for (size_t k = 0; k < 4; k++)
			if (fl_find(view, numbers[i], k, &job) == 0)
				touch_job(&job);
}

static void touch_cluster(const struct fl_view *view)
{
	struct fl_host host;
	struct fl_instance instance;
	struct fl_resource resource;
	struct fl_alarm alarm;
	struct fl_quota quota;
	struct fl_left left;
	struct fl_granted granted;
	const char *name, *value;

	for (size_t k = 0; k < 4; k++) {
		if (fl_host(view, k, &host) == 0)
			sum += strlen(host.name) + strlen(host.arch) + host.loads;
		for (size_t l = 0; l < 40 && fl_load(view, k, l, &name, &value) == 0; l++)
			sum += strlen(name) + strlen(value);
		if (fl_instance(view, k, &instance) == 0)
			sum += strlen(instance.name) + strlen(instance.queue) + strlen(instance.state) +
			       strlen(instance.type) + instance.host;
		for (int level = FL_GLOBAL; level <= FL_QUEUE; level++)
			for (size_t l = 0; l < 8 && fl_resource(view, (enum fl_level)level, k, l, &resource) == 0; l++)
				sum += strlen(resource.name);
		sum += fl_left(view, k, "lic", &left) == 0;
		if (fl_alarm(view, k, 0, &alarm) == 0)
			sum += strlen(alarm.name) + strlen(alarm.limit) + strlen(alarm.text) + alarm.level +
			       alarm.source;
		if (fl_quota(view, k, &quota) == 0)
			for (size_t part = 0; part < FL_QUOTA_PARTS; part++)
				sum += strlen(quota.parts[part]) + strlen(quota.set);
		for (size_t g = 0; g < 8 && fl_granted_row(view, k, g, &granted) == 0; g++)
			sum += strlen(granted.queue);
	}
}

static void touch_details(const struct fl_view *view)
{
	struct fl_usage_value value;
	struct fl_detail detail;
	struct fl_files files;
	const struct fl_range *held;
	struct fl_granted granted;
	struct fl_request request;
	uint32_t numbers_found[4];
	size_t n;

	if (fl_files(view, &files) == 0)
		sum += strlen(files.state) + strlen(files.accounting);
	for (unsigned i = 0; i < ROWS; i++) {
		if (fl_detail(view, numbers[i], &detail) == 0)
			sum += strlen(detail.account) + detail.task_concurrency;
		for (size_t k = 0; k < 10 && fl_task_usage(view, numbers[i], 1, k, &value) == 0; k++)
			sum += strlen(value.name);
		sum += fl_successors(view, numbers[i], numbers_found, 4);
		if (fl_request(view, numbers[i], &request) == 0)
			sum += strlen(request.hard_queues) + strlen(request.soft_queues) +
			       strlen(request.master_queues) + strlen(request.checkpoint) + strlen(request.group) +
			       request.alike;
		for (enum fl_hold kind = FL_HOLD_USER; kind <= FL_HOLD_ARRAY; kind++)
			if (fl_held(view, numbers[i], kind, &held, &n) == 0)
				sum += held[0].min + held[n - 1].step;
		for (size_t k = 0; k < 10 && fl_predecessor(view, numbers[i], k % 2, k, &numbers_found[0]) == 0; k++)
			sum += numbers_found[0];
		for (size_t k = 0; k < 10 && fl_granted(view, numbers[i], 1, k, &granted) == 0; k++)
			sum += strlen(granted.queue) + granted.slots;
	}
}

static void touch_reasons(const struct fl_view *view)
{
	struct fl_why why;
	char text[200];

	for (unsigned i = 0; i < ROWS; i++)
		for (size_t k = 0; k < 40 && fl_why(view, numbers[i], k, &why) == 0; k++)
			sum += strlen(why.kind) + strlen(why.subject) + strlen(why.object) +
			       fl_why_text(&why, text, sizeof(text));
}

static void touch_factors(const struct fl_view *view, uint32_t number)
{
	struct fl_factors factors;

	for (size_t k = 0; k < 4; k++) {
		factors.ntres = 0;
		if (fl_factors(view, number, k, &factors) == 0)
			sum += strlen(factors.owner) + strlen(factors.account) + strlen(factors.partition) +
			       strlen(factors.qos);
		for (uint32_t tres = 0; tres < factors.ntres; tres++)
			sum += factors.tres[tres] > 0;
		if (fl_list_factors(view, k % 2 ? FL_STARTED : FL_PENDING, k, k / 2, &factors) == 0)
			sum += factors.priority;
	}
}

static void touch_minutes(const struct fl_view *view, const struct fl_association *association)
{
	const char *kind;

	sum += strlen(association->account) + strlen(association->user) + strlen(association->partition) +
	       strlen(association->group_tres_minutes);
	for (uint32_t k = 0; k < association->ntres; k++)
		sum += association->tres_run_minutes[k] > 0;
	for (size_t k = 0; (kind = fl_tres_kind(view, k)); k++)
		sum += strlen(kind);
}

static void touch_multifactor(const struct fl_view *view)
{
	struct fl_association association;
	struct fl_multifactor multifactor;
	struct fl_tres tres;

	if (fl_multifactor(view, &multifactor) == 0)
		sum += strlen(multifactor.weight_tres) + multifactor.ntres;
	for (size_t k = 0; k < 4; k++) {
		if (fl_tres(view, k, &tres) == 0)
			sum += strlen(tres.name);
		if (fl_association(view, k ? fl_associations(view) - k : 0, &association) == 0)
			touch_minutes(view, &association);
	}
	for (unsigned i = 0; i < ROWS; i++)
		touch_factors(view, numbers[i]);
}

static void touch_others(const struct fl_view *view)
{
	const char *name = "", *value = "";
	struct fl_sharer sharer;
	struct fl_usage usage;
	struct fl_node node;
	struct fl_run run;

	fl_run(view, &run);
	for (size_t k = 0; k < 5; k++) {
		for (int kind = FL_USER; kind <= FL_DEPARTMENT; kind++)
			if (fl_sharer(view, kind, k ? fl_sharers(view, kind) - k : 0, &sharer) == 0)
				sum += strlen(sharer.name);
		sum += (size_t)fl_user_project_usage(view, k, "red", &usage);
		if (fl_node(view, k, &node) == 0 || fl_node(view, fl_nodes(view) - k, &node) == 0)
			sum += strlen(node.name);
		if (fl_param_at(view, k, &name, &value) == 0)
			sum += strlen(name) + strlen(value);
	}
	value = fl_param(view, "halftime");
	sum += value ? strlen(value) : 0;
}

static void touch_brief(void *context, const struct fl_brief *brief)
{
	const struct fl_view *view = context;
	struct fl_job_request request;
	struct fl_job_group group;
	const char *reason = fl_reason(brief->reason);

	sum += brief->tasks + strlen(brief->state) + (reason ? strlen(reason) : 0) +
	       (brief->queue ? strlen(brief->queue) : 0);
	if (fl_job_group(view, brief->group, &group) == 0)
		sum += strlen(group.owner) + strlen(group.project) + strlen(group.department) + strlen(group.account);
	if (fl_job_request(view, brief->request, &request) == 0)
		sum += strlen(request.hard_queues) + strlen(request.partitions) + strlen(request.pe) +
		       strlen(request.hard_resources);
}

static void touch_everything(struct fl_cell *cell)
{
	const struct fl_view *view = fl_begin(cell);

	touch_lists(view);
	touch_reasons(view);
	touch_details(view);
	touch_cluster(view);
	touch_others(view);
	touch_multifactor(view);
	sum += (size_t)fl_each_pending(view, touch_brief, (void *)(uintptr_t)view);
	fl_each_started(view, touch_brief, (void *)(uintptr_t)view);
	sum += (size_t)fl_end(cell);
}

static uint64_t random_value(unsigned *seed)
{
	static const uint64_t values[] = { 0, 1, 7, 8, 16, 4096, EXTENT_BYTES, FILE_BYTES - 8,
					   FILE_BYTES, UINT32_MAX, UINT64_MAX, INT64_MIN };
	uint64_t any = (uint64_t)rand_r(seed) << 33 ^ (uint64_t)rand_r(seed) << 16 ^ (uint64_t)rand_r(seed);

	switch (rand_r(seed) % 4) {
	case 0: return any;
	case 1: return any % FILE_BYTES & ~(uint64_t)7;
	case 2: return any % 64;
	default: return values[any % (sizeof(values) / sizeof(*values))];
	}
}

/*
 * Choose an important position: header, directories' tables, lists of chunks and the run, or in
 * some columns and at the beginning of the used extents.
 */
static off_t random_place(const struct fixture *fixture, unsigned *seed)
{
	unsigned any = (unsigned)rand_r(seed);
	off_t directory = (off_t)(PAGE_BYTES + any / 8 % GENERATIONS * sizeof(struct generation));
	unsigned table = any / 64 % (MAX_TABLES * sizeof(struct table)) & ~7u;
	static const size_t columns[] = { 0, 0, offsetof(struct job_results, flags),
					  offsetof(struct job_results, why) };
	size_t chunks = any / 64 % 2 ? offsetof(struct generation, results) : offsetof(struct generation, rows);

	switch (any % 8) {
	case 0: return any / 8 % 128;
	case 1: return directory + (off_t)(any / 64 % (offsetof(struct generation, head) + sizeof(struct run_record)));
	case 2: case 3: return directory + (off_t)offsetof(struct generation, tables) + table;
	case 4: return directory + (off_t)(chunks + (any / 128 % 16 & ~7u));
	default:
		return (off_t)(EXTENT_BYTES + (any / 8 % fixture->segment.extents_held) * EXTENT_BYTES +
			       (unsigned)rand_r(seed) % 512 + columns[(unsigned)rand_r(seed) % 4]);
	}
}

static void scribble(const struct fixture *fixture, unsigned *seed, unsigned words)
{
	for (unsigned i = 0; i < words; i++) {
		uint64_t value = random_value(seed);

		assert_int_equal(pwrite(fixture->segment.fd, &value, sizeof(value), random_place(fixture, seed)),
				 sizeof(value));
	}
}

static unsigned fuzz_seed(void)
{
	unsigned seed = getenv("SEED") ? (unsigned)atoi(getenv("SEED")) : 987654321;

	print_message("seed %u\n", seed);
	return seed;
}

enum { WHOLE = 4 << 20 };	/* header, directories and the first extent of tables */

static uint8_t *whole_read(const struct fixture *fixture)
{
	uint8_t *whole = malloc(WHOLE);

	assert_non_null(whole);
	assert_int_equal(pread(fixture->segment.fd, whole, WHOLE, 0), WHOLE);
	return whole;
}

static void test_a_text_without_an_end_ends_with_the_file(void **state)
{
	struct fixture *fixture = *state;
	struct fl_sharer sharer;

	fill(fixture);
	*(uint32_t *)(fixture->segment.base + fixture->w.directory->tables[TABLE_STRINGS].offset) = 0;
	uint64_t offset = segment_alloc(&fixture->segment, EXTENT_BYTES);

	assert_int_equal(offset + EXTENT_BYTES, fixture->segment.grown);
	assert_int_equal(segment_populate(&fixture->segment, offset, EXTENT_BYTES), 0);
	fixture->w.directory->tables[TABLE_TEXT] = (struct table) { .offset = fixture->segment.grown - 8, .count = 8 };
	memset(fixture->segment.base + fixture->segment.grown - 8, 'x', 8);
	((struct sharer_record *)(fixture->segment.base + fixture->w.directory->tables[TABLE_USERS].offset))->name = 0;
	publish(fixture);
	assert_int_equal(fl_sharer(fl_begin(fixture->reader), FL_USER, 0, &sharer), 0);
	assert_string_equal(sharer.name, "xxxxxxxx");
	assert_int_equal(fl_end(fixture->reader), 0);
}

static void test_garbage_gives_wrong_numbers_and_no_crash(void **state)
{
	struct fixture *fixture = *state;
	unsigned seed = fuzz_seed();
	uint8_t *whole = whole_read(fixture);
	struct fl_cell *late;

	for (unsigned round = 0; round < 1000; round++) {
		scribble(fixture, &seed, 1 + round % 40);
		touch_everything(fixture->reader);
		if (fl_attach(&late, fixture->cell.directory) == 0) {
			touch_everything(late);
			fl_detach(late);
		}
		if (round % 8 == 7)
			assert_int_equal(pwrite(fixture->segment.fd, whole, WHOLE, 0), WHOLE);
	}
	free(whole);
}

/* Read like accessors that trust the segment. */
static void touch_carelessly(const struct fixture *fixture)
{
	const uint8_t *base = mmap(NULL, FILE_BYTES, PROT_READ, MAP_SHARED, fixture->segment.fd, 0);
	const struct generation *directory = (const struct generation *)(base + PAGE_BYTES);

	if (base == MAP_FAILED)
		_exit(1);
	for (unsigned i = 0; i < GENERATIONS; i++)
		for (unsigned id = 0; id < MAX_TABLES; id++)
			if (directory[i].tables[id].count)
				sum += *(const volatile uint8_t *)(base + directory[i].tables[id].offset);
}

/* Control: without the checks of the accessors the garbage must have an effect. */
static void test_the_same_garbage_kills_a_careless_reader(void **state)
{
	struct fixture *fixture = *state;
	unsigned seed = fuzz_seed();
	int status;

	for (unsigned round = 0; round < 2000; round++)
		scribble(fixture, &seed, 1);
	pid_t pid = fork();

	if (pid == 0) {
		signal(SIGSEGV, SIG_DFL);
		signal(SIGBUS, SIG_DFL);
		touch_carelessly(fixture);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	assert_true(WIFSIGNALED(status) && (WTERMSIG(status) == SIGSEGV || WTERMSIG(status) == SIGBUS));
}

static void test_bytes_that_change_while_they_are_read_do_no_harm(void **state)
{
	struct fixture *fixture = *state;
	unsigned seed = fuzz_seed();
	uint8_t *whole = whole_read(fixture);
	pid_t pid = fork();

	if (pid == 0)
		for (unsigned round = 0;; round++) {
			scribble(fixture, &seed, 16);
			if (round % 4 == 3)
				assert_int_equal(pwrite(fixture->segment.fd, whole, WHOLE, 0), WHOLE);
		}
	for (unsigned round = 0; round < 2000; round++)
		touch_everything(fixture->reader);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	free(whole);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_text_without_an_end_ends_with_the_file),
		TEST(test_garbage_gives_wrong_numbers_and_no_crash),
		TEST(test_the_same_garbage_kills_a_careless_reader),
		TEST(test_bytes_that_change_while_they_are_read_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
