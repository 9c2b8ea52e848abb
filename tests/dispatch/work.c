/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The work of a run for jobs with the largest requests is limited. It is counted in steps of
 * comparisons.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "conf/base/wildcard.h"
#include "sched/dispatch/search/pattern.h"
#include "tests/mirror/cell.h"

#define JOBS 200
#define PATTERNS 60
#define INSTANCES 3
#define LISTS 4		/* -q, -soft -q, -l, -soft -l */

/*
 * Write 60 patterns of a KB, none of which matches. They differ for each job, so that each is a
 * category of its own.
 */
static size_t list_print(char *to, const char *prefix, unsigned job, const char *separator)
{
	size_t n = (size_t)sprintf(to, "%s", prefix);

	for (int k = 0; k < PATTERNS; k++) {
		size_t end = n + 1000;

		n += (size_t)sprintf(to + n, "%s*[a-z%u]", k ? separator : "", job);
		while (n < end)
			n += (size_t)sprintf(to + n, "[a-z]-[");
	}
	return n;
}

static void job_add(struct fixture *fixture, unsigned number)
{
	static char line[1 << 20];
	size_t n = (size_t)sprintf(
		line,
		"{\"seq\":%llu,\"event\":\"job_add\",\"job_number\":%u,\"owner\":\"ann\",\"submission_time\":1699999000,"
		"\"hard_queue_list\":\"",
		(unsigned long long)fixture->events.last + 1, number);

	n += list_print(line + n, "", number, ",");
	n += (size_t)sprintf(line + n, ",all.q\",\"soft_queue_list\":\"");
	n += list_print(line + n, "", number, ",");
	n += (size_t)sprintf(line + n, "\",\"hard_resource_list\":\"");
	n += list_print(line + n, "arch=", number, "|");
	n += (size_t)sprintf(line + n, "\",\"soft_resource_list\":\"");
	n += list_print(line + n, "arch=", number, "|");
	n += (size_t)sprintf(line + n, "\"}");
	fixture->refusal[0] = '\0';
	events_line(&fixture->events, line, n);
	assert_string_equal(fixture->refusal, "");
}

static void test_patterns_of_jobs_cost_a_run_no_more_than_is_written_down(void **state)
{
	struct fixture *fixture = *state;
	uint64_t before;

	put(fixture, "queue/all.q", "qname all.q\nhostlist node far near\nseq_no 0\nslots 10\n");
	put(fixture, "queue/b.q",
	    "qname b.q\nhostlist node far near\nseq_no 0\nslots 10\ncomplex_values arch=lx-amd64\n");
	reload(fixture);
	sched_dispatch(fixture->sched, true);
	for (const char *const *host = (const char *const[]){ "node", "far", "near", NULL }; *host; host++) {
		TELL(fixture, "{'event':'queue_instance','queue':'all.q@%s'}", *host);
		TELL(fixture, "{'event':'host_load','host':'%s','load_values':{'arch':'lx-amd64'}}", *host);
	}
	for (unsigned number = 1; number <= JOBS; number++)
		job_add(fixture, number);
	before = wildcard_steps;
	run(fixture, NOW);
	print_message("%llu steps for %d jobs\n", (unsigned long long)(wildcard_steps - before), JOBS);
	assert_true(wildcard_steps - before > JOBS);		/* they are checked */
	assert_true(wildcard_steps - before <= (uint64_t)JOBS * INSTANCES * LISTS * 2 * PATTERN_BYTES_MOST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_patterns_of_jobs_cost_a_run_no_more_than_is_written_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
