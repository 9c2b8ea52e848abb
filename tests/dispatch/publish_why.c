/* SPDX-License-Identifier: Apache-2.0 */
/* Reasons of pending jobs: from the run through the segment to displays and programs. */
#include <errno.h>
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include <jansson.h>

#include "sched/dispatch/dispatch.h"
#include "sched/parts.h"
#include "tests/mirror/cell.h"
#include "tests/failing_memory.h"

/* Helpers */

/* Publish the reasons found since the run as if the run had found them. */
static void publish(struct fixture *fixture)
{
	assert_int_equal(fl_end(fixture->reader), 0);
	assert_int_equal(sched_publish(fixture->sched), 0);
	fixture->view = fl_begin(fixture->reader);
}

static void set_list(struct fixture *fixture, uint32_t number, uint32_t list)
{
	const struct jobs *jobs = &fixture->sched->mirror.state->jobs;
	struct waiting_columns *columns = &fixture->sched->run.waiting;

	for (size_t i = 0; i < columns->n; i++)
		if (job_fact(jobs, columns->rows[i], number) == number)
			columns->why[i] = (uint16_t)list;
}

/* Return the job's reasons as sentences, each with a newline at the end. */
static const char *reasons(const struct fixture *fixture, uint32_t number)
{
	static char all[8000];
	struct fl_why why;
	size_t n = 0;

	all[0] = '\0';
	for (size_t k = 0; fl_why(fixture->view, number, k, &why) == 0; k++) {
		n += fl_why_text(&why, all + n, sizeof(all) - n);
		all[n++] = '\n';
		all[n] = '\0';
	}
	return all;
}

/* Return the output of `fairlead stat` with an option for a job. */
static const char *printed(const struct fixture *fixture, uint32_t number, const char *option)
{
	static char text[40000];
	char command[300];
	FILE *program;

	snprintf(command, sizeof(command), "%s/fairlead stat -c '%s' -j %u %s", getenv("B") ? getenv("B") : "build",
		 fixture->cell.directory, number, option);
	program = popen(command, "r");
	assert_non_null(program);
	text[fread(text, 1, sizeof(text) - 1, program)] = '\0';
	assert_int_equal(pclose(program), 0);
	return text;
}

/* Set up three jobs, the last one with reasons of its own. */
static void find_reasons(struct fixture *fixture)
{
	struct why *why = fixture->sched->dispatch->why;
	uint32_t category, job;

	for (unsigned i = 1; i <= 3; i++)
		TELL(fixture, ADD "%u,'owner':'ann'}", i);
	run(fixture, NOW);
	category = why_list(why);
	job = why_list_before(why, category);
	why_add(why, 0, WHY_DISABLED, "d", "all.q@node", 0, 0);
	for (int i = 0; i < 4; i++)
		why_add(why, category, WHY_CONSUMABLE, "h_vmem", i == 2 ? "all.q@near" : "all.q@node", 4e9,
			i == 2 ? 2147483648 : 0);
	why_add(why, category, WHY_NO_PE, "mpi*", NULL, 0, 0);
	why_add(why, category, WHY_QUOTA, why_text(why, "%s/%d: %s", "max", 1, "h_rt"), "all.q@node", 7200, 60);
	why_add(why, job, WHY_RESERVED, NULL, NULL, 0, NOW + 60);
	set_list(fixture, 2, category);
	set_list(fixture, 3, job);
	publish(fixture);
}

#define OF_ALL "takes no jobs in state d: all.q@node\n"
#define OF_CATEGORY "there is no parallel environment mpi* that it may use\n"						\
		    "not enough h_vmem is left: 2G, and 3.7253G is needed: all.q@near and 3 others\n"			\
		    "resource quota max/1: h_rt is used up: 0:01:00 is left, and 2:00:00 is needed: all.q@node\n"
#define OF_JOB "resources are reserved for it at 11/14/2023 22:14:20\n"

/* Tests */

static void test_a_job_shows_its_own_reasons_then_its_categorys_then_common_ones(void **state)
{
	struct fixture *fixture = *state;
	struct fl_why why;

	find_reasons(fixture);
	assert_string_equal(reasons(fixture, 1), OF_ALL);
	assert_string_equal(reasons(fixture, 2), OF_CATEGORY OF_ALL);
	assert_string_equal(reasons(fixture, 3), OF_JOB OF_CATEGORY OF_ALL);
	assert_int_equal(fl_why(fixture->view, 2, 1, &why), 0);
	assert_string_equal(why.kind, "consumable");
	assert_string_equal(why.subject, "h_vmem");
	assert_string_equal(why.object, "all.q@near");
	assert_true(why.count == 4 && why.wanted == 4e9 && why.had == 2147483648);
	assert_int_equal(fl_why(fixture->view, 3, 0, &why), 0);
	assert_string_equal(why.subject, "");
	assert_string_equal(why.object, "");
	assert_int_equal(fl_why(fixture->view, 3, 5, &why), -ENOENT);
	assert_int_equal(fl_why(fixture->view, 3, SIZE_MAX, &why), -ENOENT);
	assert_int_equal(fl_why(fixture->view, 4, 0, &why), -ENOENT);
	assert_int_equal(fl_why(fixture->view, 0, 0, &why), -ENOENT);
}

static void test_a_new_run_begins_without_reasons(void **state)
{
	struct fixture *fixture = *state;

	find_reasons(fixture);
	run(fixture, NOW + 1);
	for (unsigned i = 1; i <= 3; i++)
		assert_string_equal(reasons(fixture, i), "");
}

static void test_a_job_that_was_not_checked_has_no_reasons(void **state)
{
	struct fixture *fixture = *state;

	find_reasons(fixture);
	set_list(fixture, 2, WHY_UNKNOWN);
	set_list(fixture, 3, 77);		/* a list that does not exist */
	publish(fixture);
	assert_string_equal(reasons(fixture, 1), OF_ALL);
	assert_string_equal(reasons(fixture, 2), "");
	assert_string_equal(reasons(fixture, 3), "");
}

static void test_jobs_report_reasons_of_their_own(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','error':true,'hold':{'u':'1'},'hold_jid':[6],'execution_time':%d}",
	     NOW + 10);
	TELL(fixture, ADD "2,'owner':'ann','hold':{'s':'1'}}");
	TELL(fixture, ADD "3,'owner':'ann','hold_jid':[6]}");
	TELL(fixture, ADD "4,'owner':'ann','execution_time':%d}", NOW + 10);
	TELL(fixture, ADD "5,'owner':'ann','tasks':'1-3','task_concurrency':1}");
	TELL(fixture, START "5,'task':1}");
	TELL(fixture, ADD "6,'owner':'ann'}");
	TELL(fixture, ADD "7,'owner':'ann'}");
	TELL(fixture, START "7}");
	run(fixture, NOW);
	why_add(fixture->sched->dispatch->why, 0, WHY_DISABLED, "d", "all.q@node", 0, 0);
	publish(fixture);
	assert_string_equal(
		reasons(fixture, 1),
		"it is in error state\nit is held (u): its owner or an operator can release it\nit waits for the end of job 6\n"
		"it must not start before 11/14/2023 22:13:30\n");
	assert_string_equal(reasons(fixture, 2), "it is held (s): a manager can release it\n");
	assert_string_equal(reasons(fixture, 3), "it waits for the end of job 6\n");
	assert_string_equal(reasons(fixture, 4), "it must not start before 11/14/2023 22:13:30\n");
	assert_string_equal(reasons(fixture, 5), "as many of its tasks run as -tc and max_aj_instances allow\n");
	assert_string_equal(reasons(fixture, 6), OF_ALL);
	assert_string_equal(reasons(fixture, 7), "");
	assert_string_equal(row(fixture, 3, 0).state, "hqw");
	TELL(fixture, DELETE "6}");
	run(fixture, NOW + 10);
	for (unsigned i = 3; i <= 4; i++)
		assert_string_equal(reasons(fixture, i), "");
	assert_string_equal(row(fixture, 3, 0).state, "qw");
}

static void test_names_keep_their_ids_while_they_recur(void **state)
{
	struct fixture *fixture = *state;
	uint32_t id;

	find_reasons(fixture);
	id = strings_find(fixture->sched->strings, "all.q@near");
	assert_int_not_equal(id, NONE);
	for (int i = 0; i < 10; i++) {
		run(fixture, NOW);
		why_add(fixture->sched->dispatch->why, 0, WHY_FULL, NULL, "all.q@near", 0, 0);
		publish(fixture);
		assert_int_equal(strings_find(fixture->sched->strings, "all.q@near"), id);
		assert_int_equal(strings_find(fixture->sched->strings, "mpi*"), NONE);
		publish(fixture);
		assert_int_equal(fixture->sched->dispatch->published_why.shown.n, 1);
	}
	run(fixture, NOW);
	assert_int_equal(strings_find(fixture->sched->strings, "all.q@near"), NONE);
	assert_int_equal(fixture->sched->dispatch->published_why.shown.n + fixture->sched->dispatch->published_why.next.n, 0);
}

static void test_incomplete_reasons_are_reported(void **state)
{
	struct fixture *fixture = *state;

	find_reasons(fixture);
	fixture->sched->dispatch->why->incomplete = true;
	publish(fixture);
	assert_string_equal(reasons(fixture, 1), OF_ALL "there were more reasons than could be stored\n");
}

static void test_people_read_one_sentence_a_line(void **state)
{
	struct fixture *fixture = *state;
	const char *text;

	find_reasons(fixture);
	text = printed(fixture, 1, "");
	assert_non_null(strstr(text, "\nscheduling info:            takes no jobs in state d: all.q@node\n"));
	text = strstr(printed(fixture, 3, ""), "\nscheduling info:");
	assert_non_null(text);
	assert_string_equal(
		text,
		"\nscheduling info:            resources are reserved for it at 11/14/2023 22:14:20\n"
		"                            there is no parallel environment mpi* that it may use\n"
		"                            not enough h_vmem is left: 2G, and 3.7253G is needed: all.q@near and 3 others\n"
		"                            resource quota max/1: h_rt is used up: 0:01:00 is left, and 2:00:00 is needed: "
		"all.q@node\n"
		"                            takes no jobs in state d: all.q@node\n");
	run(fixture, NOW + 1);
	assert_non_null(strstr(printed(fixture, 1, ""), "\nscheduling info:            NONE\n"));
}

/* Return the k-th object of the job's scheduling_info. The caller frees the document. */
static json_t *info(const char *text, size_t k, json_t **document)
{
	json_t *jobs;

	*document = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(*document);
	jobs = json_object_get(*document, "jobs");
	return json_array_get(json_object_get(json_array_get(jobs, json_array_size(jobs) - 1), "scheduling_info"), k);
}

static void test_programs_read_objects(void **state)
{
	struct fixture *fixture = *state;
	json_t *document, *reason;

	find_reasons(fixture);
	reason = info(printed(fixture, 2, "--json"), 1, &document);
	assert_string_equal(json_string_value(json_object_get(reason, "kind")), "consumable");
	assert_int_equal(json_integer_value(json_object_get(reason, "count")), 4);
	assert_string_equal(json_string_value(json_object_get(reason, "subject")), "h_vmem");
	assert_string_equal(json_string_value(json_object_get(reason, "object")), "all.q@near");
	assert_true(json_number_value(json_object_get(reason, "wanted")) == 4e9);
	assert_true(json_number_value(json_object_get(reason, "had")) == 2147483648);
	assert_string_equal(json_string_value(json_object_get(reason, "text")),
			    "not enough h_vmem is left: 2G, and 3.7253G is needed: all.q@near and 3 others");
	json_decref(document);
	reason = info(printed(fixture, 2, "--json"), 0, &document);
	assert_string_equal(json_string_value(json_object_get(reason, "kind")), "no_pe");
	assert_true(json_is_null(json_object_get(reason, "object")));
	assert_true(json_is_null(json_object_get(reason, "wanted")) && json_is_null(json_object_get(reason, "had")));
	json_decref(document);
	assert_null(info(printed(fixture, 2, "--json"), 4, &document));
	json_decref(document);
}

static void test_names_of_whatever_bytes_do_no_harm(void **state)
{
	struct fixture *fixture = *state;
	static char longest[5000];
	json_t *document, *reason;
	struct why *why;

	find_reasons(fixture);
	why = fixture->sched->dispatch->why;
	memset(longest, 'x', sizeof(longest) - 1);
	why_begin(why, false);
	why_add(why, 0, WHY_QUEUE_REQUEST, "\x1b[2J\xff\"%s[", "q@\n", 0, 0);
	why_add(why, 0, WHY_QUOTA, "::", "", 2, 1);
	why_add(why, 0, WHY_CONSUMABLE, longest, longest, DBL_MAX, 1);
	why_add(why, 0, WHY_ATTRIBUTE, "=", "q", 2, 1);
	publish(fixture);
	assert_non_null(strstr(printed(fixture, 1, ""), " not among the requested queues ?[2J?\"%s[: q@?\n"));
	reason = info(printed(fixture, 1, "--json"), 0, &document);
	assert_string_equal(json_string_value(json_object_get(reason, "subject")), "\x1b[2J\xef\xbf\xbd\"%s[");
	json_decref(document);
	assert_non_null(strstr(printed(fixture, 1, ""), "does not satisfy the request =, it has 1: q\n"));
}

#ifdef CAN_FAIL
static void test_without_memory_the_run_before_stays_and_no_name_is_lost(void **state)
{
	struct fixture *fixture = *state;
	long n = 0;
	int code;

	find_reasons(fixture);
	run(fixture, NOW);
	for (int i = 0; i < 50; i++)
		why_add(fixture->sched->dispatch->why, 0, WHY_FORCED,
			why_text(fixture->sched->dispatch->why, "complex%d", i), "all.q@far", 0, 0);
	assert_int_equal(fl_end(fixture->reader), 0);
	do {
		left = n++;
		code = sched_publish(fixture->sched);
		left = -1;
		fixture->view = fl_begin(fixture->reader);
		assert_true(code == 0 || code == -ENOMEM);
		assert_int_equal(reasons(fixture, 1)[0] != '\0', code == 0);
		assert_int_equal(strings_find(fixture->sched->strings, "complex0") != NONE, code == 0);
		assert_int_equal(fl_end(fixture->reader), 0);
	} while (code != 0);
	assert_true(n > 1);
	fixture->view = NULL;
	run(fixture, NOW);
	assert_int_equal(strings_find(fixture->sched->strings, "complex0"), NONE);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_job_shows_its_own_reasons_then_its_categorys_then_common_ones),
		TEST(test_a_new_run_begins_without_reasons),
		TEST(test_a_job_that_was_not_checked_has_no_reasons),
		TEST(test_jobs_report_reasons_of_their_own),
		TEST(test_names_keep_their_ids_while_they_recur),
		TEST(test_incomplete_reasons_are_reported),
		TEST(test_people_read_one_sentence_a_line),
		TEST(test_programs_read_objects),
		TEST(test_names_of_whatever_bytes_do_no_harm),
#ifdef CAN_FAIL
		TEST(test_without_memory_the_run_before_stays_and_no_name_is_lost),
#endif
	};

	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
