/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A refused event leaves no data that a run could read, neither in a scheduler that has had no job
 * yet nor beside jobs. Memory is filled when it is allocated and when it is freed, so that
 * unwritten memory is not zero by chance.
 */
#include <dirent.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "sched/mirror/tables.h"
#include "tests/mirror/cell.h"
#include "tests/mirror/census.h"

const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "max_malloc_fill_size=1000000000:malloc_fill_byte=190:max_free_fill_size=1000000000";
}

/* Events that are accepted by their reader and refused by the owner of their parts. */
static const char *const refusals[] = {
	ADD "40,'owner':'ann','pe':'smp','pe_range':'10000000'}",
	ADD "41,'owner':'zoe','project':'new','job_name':'n','pe':'smp','pe_range':'1-99999999','hard_resource_list':'a=1,b=2'}",
	ADD "42,'owner':'ann','pe':'smp','pe_range':'4-2','hard_queue_list':'x.q','group':'g','checkpoint':'c','now':true}",
	ADD "0,'owner':'ann'}",
	ADD "43,'owner':'','hard_resource_list':'b=1'}",
	ADD "44,'owner':'ann','priority':5000,'soft_resource_list':'c=1'}",
	MODIFY "77,'job_name':'other','hard_resource_list':'d=1'}",
	START "77,'task':1}",
	USAGE "77,'scaled_usage':{'new_name':1}}",
	FINISH "77,'scaled_usage':{'new_name':1}}",
	"{'event':'user_usage','name':'new','time_stamp':1,'usage':{'x_name':-1}}",
	"{'event':'queue_instance','queue':'no.q@host','state':'toomanylettersforastate'}",
	"{'event':'advance_reservation','number':1,'owner':'zoe','name':'new','start_time':9,'end_time':9,'granted':[{'queue':'no.q@host','slots':1}]}",
};

static void check_refused(struct fixture *fixture, int64_t now, const char *what)
{
	struct census before = census_take(sched_mirror(fixture->sched)), after;

	tell(fixture, "%s", what);
	if (!fixture->refusal[0])
		fail_msg("not refused: %s", what);
	after = census_take(sched_mirror(fixture->sched));
	census_check(what, &before, &after);
	run(fixture, now);
}

static void check_all_refused(struct fixture *fixture, int64_t now)
{
	for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++)
		check_refused(fixture, now + (int64_t)i, refusals[i]);
}

static void test_a_refused_first_event_leaves_no_data_for_a_run(void **state)
{
	struct fixture *fixture = *state;

	run(fixture, NOW);
	check_all_refused(fixture, NOW + 1);
}

static void test_a_refused_event_beside_jobs_leaves_no_data_for_a_run(void **state)
{
	struct fixture *fixture = *state;
	struct fl_job job;

	TELL(fixture, ADD "1,'owner':'ann','pe':'smp','pe_range':'2','hard_resource_list':'a=1'}");
	TELL(fixture, ADD "2,'owner':'bob','tasks':'1-5'}");
	TELL(fixture, START "2,'task':1}");
	check_all_refused(fixture, NOW + 1);
	check_refused(fixture, NOW + 50, MODIFY "1,'pe_range':'10000000','job_name':'other'}");
	check_refused(fixture, NOW + 51, MODIFY "2,'tasks':'1-3','owner':'bob','project':'other'}");
	check_refused(fixture, NOW + 52, START "2,'task':1}");
	job = row(fixture, 1, 0);
	assert_string_equal(job.pe_range, "2");
	assert_int_equal(rows(fixture, 2), 2);
}

static void test_a_refused_owner_does_not_become_a_user(void **state)
{
	struct fixture *fixture = *state;

	put(fixture, "global_conf", "enforce_user auto\nauto_user_fshare 5\n");
	reload(fixture);
	run(fixture, NOW);
	check_all_refused(fixture, NOW + 1);
	for (uint32_t i = 0; i < sched_mirror(fixture->sched)->objects[SHARER_USER].n; i++)
		assert_string_not_equal(strings_text(sched_mirror(fixture->sched)->strings,
						     sched_mirror(fixture->sched)->objects[SHARER_USER].names[i]),
					"zoe");
	TELL(fixture, ADD "50,'owner':'zoe'}");
	run(fixture, NOW + 60);
	used(fixture, FL_USER, "zoe");
}

/* The broken events of tests/bad */

static void before_them(struct fixture *fixture)
{
	TELL(fixture, "{'event':'snapshot_begin'}");
	TELL(fixture, "{'event':'queue_instance','queue':'all.q@node1','slots':8}");
	TELL(fixture, "{'event':'job_add','job_number':17,'owner':'ann','submission_time':1700000000}");
	TELL(fixture, "{'event':'job_add','job_number':18,'owner':'bob','submission_time':1700000003,'tasks':'1-10'}");
	TELL(fixture, "{'event':'job_add','job_number':19,'owner':'bob','submission_time':1700000003}");
	TELL(fixture, "{'event':'snapshot_end'}");
	TELL(fixture,
	     "{'event':'task_start','job_number':17,'start_time':1700000010,'granted':[{'queue':'all.q@node1','slots':1}]}");
	TELL(fixture,
	     "{'event':'task_start','job_number':19,'start_time':1700000010,'granted':[{'queue':'all.q@node1','slots':1}]}");
	TELL(fixture, "{'event':'usage','job_number':17,'scaled_usage':{'cpu':12.5,'mem':0.25,'io':0.001}}");
	assert_int_equal(fixture->events.last, 9);
}

static void send_file(struct fixture *fixture, const char *path)
{
	static char text[2 << 20];
	FILE *in = fopen(path, "r");
	size_t n = in ? fread(text, 1, sizeof(text), in) : 0;

	assert_true(n > 0 && n < sizeof(text));
	fclose(in);
	fixture->refusal[0] = '\0';
	for (char *line = text, *end; line < text + n; line = end + 1) {
		end = memchr(line, '\n', (size_t)(text + n - line));
		end = end ? end : text + n;
		if (end - line > (ptrdiff_t)LINE_BYTES)
			events_long_line(&fixture->events, line, (size_t)(end - line));
		else
			events_line(&fixture->events, line, (size_t)(end - line));
	}
}

static size_t check_files(struct fixture *fixture, const char *kind)
{
	char path[600];
	struct dirent *entry;
	size_t n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "tests/bad/events/%s", kind);
	dir = opendir(path);
	assert_non_null(dir);
	while ((entry = readdir(dir)) != NULL) {
		struct census before = census_take(sched_mirror(fixture->sched)), after;

		if (!strstr(entry->d_name, ".jsonl"))
			continue;
		snprintf(path, sizeof(path), "tests/bad/events/%s/%s", kind, entry->d_name);
		send_file(fixture, path);
		if (!fixture->refusal[0])
			fail_msg("%s is not refused", path);
		events_break(&fixture->events);	/* some begin a snapshot */
		fixture->events.last = 9;
		after = census_take(sched_mirror(fixture->sched));
		census_check(path, &before, &after);
		run(fixture, NOW + 100 + (int64_t)n++);
	}
	closedir(dir);
	return n;
}

static void test_a_broken_event_leaves_no_data(void **state)
{
	struct fixture *fixture = *state;
	struct dirent *entry;
	size_t n = 0;
	DIR *dir = opendir("tests/bad/events");

	assert_non_null(dir);
	before_them(fixture);
	while ((entry = readdir(dir)) != NULL)
		if (entry->d_name[0] != '.')
			n += check_files(fixture, entry->d_name);
	closedir(dir);
	assert_true(n > 150);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_refused_first_event_leaves_no_data_for_a_run),
		TEST(test_a_refused_event_beside_jobs_leaves_no_data_for_a_run),
		TEST(test_a_refused_owner_does_not_become_a_user),
		TEST(test_a_broken_event_leaves_no_data),
	};

	mallopt(M_PERTURB, 190);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
