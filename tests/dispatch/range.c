/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The number of slots chosen from a range, for each search method. FAIRLEAD_SEED=n sets the seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/dispatch/cell.h"

static unsigned seed_of(const char *what)
{
	const char *text = getenv("FAIRLEAD_SEED");
	unsigned seed = text ? (unsigned)strtoul(text, NULL, 10) : 4711;

	print_message("%s: FAIRLEAD_SEED=%u\n", what, seed);
	srandom(seed);
	return seed;
}

static unsigned pick(unsigned n)
{
	return (unsigned)random() % n;
}

/* Return the largest number that is requested, a multiple, and available; 0: none. */
static unsigned largest(const unsigned ranges[][3], size_t n, unsigned multiple, unsigned there)
{
	for (unsigned slots = there; slots > 0; slots--)
		for (size_t i = 0; i < n && slots % multiple == 0; i++)
			if (slots >= ranges[i][0] && slots <= ranges[i][1] &&
			    (slots - ranges[i][0]) % ranges[i][2] == 0)
				return slots;
	return 0;
}

/* Choose {first, last, step} and write them. Ranges with steps follow each other. */
static void choose_ranges(unsigned ranges[][3], size_t n, char *text, size_t size)
{
	bool stepped = pick(2);
	unsigned first = 1;
	size_t used = 0;

	for (size_t i = 0; i < n; i++) {
		ranges[i][0] = first + pick(stepped ? 6 : 16);
		ranges[i][1] = pick(4) || stepped ? ranges[i][0] + pick(stepped ? 10 : 5) : 9999999;
		ranges[i][2] = stepped ? 1 + pick(5) : 1;
		first = stepped ? ranges[i][1] + 1 : 1;
		used += (size_t)snprintf(text + used, size - used,
					 pick(2) || ranges[i][1] < 9999999 ? "%s%u-%u" : "%s%u-", i ? "," : "",
					 ranges[i][0], ranges[i][1]);
		if (ranges[i][2] > 1)
			used += (size_t)snprintf(text + used, size - used, ":%u", ranges[i][2]);
	}
}

static void test_each_search_finds_the_largest_number_of_slots(void **state)
{
	static const char *const ways[] = { "bin", "least", "highest", "auto" }, *const rules[] = {
		"$fill_up", "$round_robin", "1", "2", "3", "4"
	};
	struct fixture *fixture = *state;

	seed_of("numbers of slots");
	for (uint32_t number = 1; number <= 400; number++) {
		unsigned ranges[3][3], multiple, slots[2] = { pick(10), pick(10) }, there, expected,
						 pe_slots = 1 + pick(25);
		size_t n = 1 + pick(3);
		char text[100], params[60];
		const char *rule = rules[pick(6)];

		multiple = *rule == '$' ? 1 : (unsigned)atoi(rule);
		snprintf(params, sizeof(params), "PE_RANGE_ALG=%s", ways[number % 4]);
		set_sched_conf(fixture, "params", params);
		put_pe(fixture, "mpi", pe_slots, rule);
		reload(fixture);
		choose_ranges(ranges, n, text, sizeof(text));
		report_instance(fixture, "all.q@ada", slots[0]);
		report_instance(fixture, "all.q@bly", slots[1]);
		TELL(fixture, ADD "%u,'owner':'ann','pe':'mpi','pe_range':'%s'}", number, text);
		run(fixture, NOW + number);
		/* A host gives a number once, other rules use all available slots. */
		there = *rule == '$' ? slots[0] + slots[1]
				     : (slots[0] >= multiple ? multiple : 0) + (slots[1] >= multiple ? multiple : 0);
		expected = largest((const unsigned (*)[3])ranges, n, multiple, there < pe_slots ? there : pe_slots);
		if (started(fixture, number) != (expected > 0) ||
		    (expected && row(fixture, number, 0).slots != expected))
			fail_msg("%s, rule %s, PE %u, hosts %u and %u, %s: not %u: %s", text, rule, pe_slots, slots[0],
				 slots[1], params, expected, why_all(fixture, number));
		TELL(fixture, DELETE "%u}", number);
	}
}

/*
 * Recorded: a threshold leaves room for 9 slots. Once any number of slots has been found, however
 * small, the threshold is no longer checked.
 */
static void test_thresholds_are_forgotten_once_an_amount_is_found(void **state)
{
	static const struct {
		const char *way;
		unsigned slots;
	} ways[] = { { "highest", 9 }, { "least", 20 }, { "bin", 14 } };
	struct fixture *fixture = *state;
	char params[60];

	put_text(fixture, "complex", COMPLEXES "heat ht DOUBLE >= YES NO 0 0\n");
	put_queue(fixture, "all.q", "ada bly", "20", "load_thresholds heat=1.85\n");
	set_sched_conf(fixture, "job_load_adjustments", "heat=0.1");
	set_sched_conf(fixture, "load_adjustment_decay_time", "0:7:30");
	for (uint32_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		snprintf(params, sizeof(params), "PE_RANGE_ALG=%s", ways[i].way);
		set_sched_conf(fixture, "params", params);
		reload(fixture);
		report_instance(fixture, "all.q@ada", 20);
		TELL(fixture, "{'event':'host_load','host':'ada','load_values':{'heat':'1.0'}}");
		TELL(fixture, ADD "%u,'owner':'ann','pe':'mpi','pe_range':'1-30','hard_queue_list':'all.q@ada'}",
		     i + 1);
		run(fixture, NOW + i);
		assert_int_equal(row(fixture, i + 1, 0).slots, ways[i].slots);
		TELL(fixture, DELETE "%u}", i + 1);
	}
}

/*
 * With one more slot the threshold of the host is crossed, and no other task starts there. If two
 * or more numbers of slots were found for the job, the adjustments are lost by then.
 */
static void test_a_start_crosses_no_threshold_if_two_amounts_were_found(void **state)
{
	static const struct { const char *way, *range; bool overloads;
	} cases[] = {
		{ "least", "1", true }, { "least", "1-2", false },  { "bin", "1-2", false },
		{ "bin", "1-4", true }, { "highest", "1-4", true },
	};
	struct fixture *fixture = *state;
	char params[60];

	put_text(fixture, "complex", COMPLEXES "heat ht DOUBLE >= YES NO 0 0\n");
	put_queue(fixture, "all.q", "ada bly", "4", "load_thresholds heat=1.85\n");
	set_sched_conf(fixture, "job_load_adjustments", "heat=0.1");
	set_sched_conf(fixture, "load_adjustment_decay_time", "0:7:30");
	for (uint32_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		snprintf(params, sizeof(params), "PE_RANGE_ALG=%s", cases[i].way);
		set_sched_conf(fixture, "params", params);
		reload(fixture);
		report_instance(fixture, "all.q@ada", 4);
		TELL(fixture, "{'event':'host_load','host':'ada','load_values':{'heat':'1.8'}}");
		TELL(fixture, ADD "1,'owner':'ann','pe':'mpi','pe_range':'%s','hard_queue_list':'all.q@ada'}",
		     cases[i].range);
		TELL(fixture, ADD "2,'owner':'ann','hard_queue_list':'all.q@ada'}");
		run(fixture, NOW + i);
		assert_int_equal(started(fixture, 1), 1);
		assert_int_equal(started(fixture, 2), !cases[i].overloads);
		TELL(fixture, DELETE "1}");
		TELL(fixture, DELETE "2}");
	}
}

/* $pe_slots, with several jobs of a category. */

/* Two hosts with the slots of `a.q`, as recorded. If `more`, bly has five more in `b.q`. */
static void put_small(struct fixture *fixture, const char *way, const char *slots, bool more)
{
	char params[60];

	snprintf(params, sizeof(params), "PE_RANGE_ALG=%s", way);
	set_sched_conf(fixture, "params", params);
	set_sched_conf(fixture, "default_duration", "0:10:0");
	put_pe(fixture, "mpi", 100, "$pe_slots");
	put_queue(fixture, "all.q", "ada bly", slots, "");
	if (more)
		put_queue(fixture, "b.q", "bly", "5", "");
	reload(fixture);
	report_instance(fixture, "all.q@ada", 2);
	report_instance(fixture, "all.q@bly", 2);
	if (more)
		report_instance(fixture, "b.q@bly", 5);
}

static void test_hosts_too_small_for_the_first_amount_are_not_tried_with_less(void **state)
{
	struct fixture *fixture = *state;

	put_small(fixture, "highest", "2", false);
	TELL(fixture, ADD "1,'owner':'ann','pe':'mpi','pe_range':'1-4'}");
	TELL(fixture, ADD "2,'owner':'bob','pe':'mpi','pe_range':'1-4'}");
	TELL(fixture, ADD "3,'owner':'bob','pe':'mpi','pe_range':'1-3'}");
	run(fixture, NOW);
	assert_int_equal(started(fixture, 1) + started(fixture, 2), 0);
	assert_int_equal(row(fixture, 3, 0).slots, 2);	/* alone in its category */
}

static void test_jobs_that_run_count_for_a_category(void **state)
{
	struct fixture *fixture = *state;

	put_small(fixture, "highest", "2", false);
	TELL(fixture, ADD "1,'owner':'ann','pe':'mpi','pe_range':'1-4'}");
	run(fixture, NOW);
	assert_int_equal(row(fixture, 1, 0).slots, 2);
	TELL(fixture, ADD "2,'owner':'bob','pe':'mpi','pe_range':'1-4'}");
	run(fixture, NOW + 1);
	assert_int_equal(started(fixture, 2), 0);
	TELL(fixture, DELETE "1}");
	run(fixture, NOW + 2);
	assert_int_equal(row(fixture, 2, 0).slots, 2);
}

static void test_a_host_large_enough_when_all_has_ended_is_tried_with_less(void **state)
{
	struct fixture *fixture = *state;

	for (uint32_t timed = 0; timed < 2; timed++) {
		set_sched_conf(fixture, "max_reservation", timed ? "5" : "0");
		put_small(fixture, "highest", "2", true);
		TELL(fixture, ADD "1,'owner':'ann','pe':'mpi','pe_range':'5'}");
		TELL(fixture, ADD "2,'owner':'ann','pe':'mpi','pe_range':'1-4'}");
		TELL(fixture, ADD "3,'owner':'ann','pe':'mpi','pe_range':'1-4'}");
		run(fixture, NOW + timed);
		assert_int_equal(row(fixture, 1, 0).slots, 5);
		assert_int_equal(row(fixture, 2, 0).slots, 2);
		assert_string_equal(row(fixture, 2, 0).queue, row(fixture, 1, 0).queue);
		assert_int_equal(started(fixture, 3), 0);
		for (unsigned number = 1; number <= 3; number++)
			TELL(fixture, DELETE "%u}", number);
	}
}

/*
 * A global consumable is too small for the first number of slots, so that no host is tried with it.
 */
static void test_only_the_first_amount_puts_hosts_out_of_question(void **state)
{
	struct fixture *fixture = *state;

	put_host(fixture, "global", "lic=3", "NONE");
	put_small(fixture, "highest", "2", false);
	TELL(fixture, ADD "1,'owner':'ann','pe':'mpi','pe_range':'1-4','hard_resource_list':'lic=1'}");
	TELL(fixture, ADD "2,'owner':'ann','pe':'mpi','pe_range':'1-4','hard_resource_list':'lic=1'}");
	run(fixture, NOW);
	assert_int_equal(row(fixture, 1, 0).slots, 2);
	assert_int_equal(row(fixture, 2, 0).slots, 1);
}

static void test_quotas_make_a_host_small_but_counted_slots_do_not(void **state)
{
	static const char quota[] = "{\nname s\nenabled TRUE\nlimit hosts {*} to slots=%u\n}\n";
	struct fixture *fixture = *state;

	put_text(fixture, "rqs", quota, 4);
	put_small(fixture, "highest", "2", true);
	TELL(fixture, ADD "1,'owner':'ann','pe':'mpi','pe_range':'3'}");
	TELL(fixture, ADD "2,'owner':'ann','pe':'mpi','pe_range':'1-4'}");
	TELL(fixture, ADD "3,'owner':'ann','pe':'mpi','pe_range':'1-4'}");
	run(fixture, NOW);
	assert_true(started(fixture, 1) == 1 && row(fixture, 2, 0).slots == 1 && started(fixture, 3) == 0);
	put_text(fixture, "rqs", quota, 3);
	reload(fixture);
	TELL(fixture, DELETE "1}");
	TELL(fixture, DELETE "2}");
	TELL(fixture, ADD "4,'owner':'ann','pe':'mpi','pe_range':'1-4'}");
	run(fixture, NOW + 1);
	assert_int_equal(started(fixture, 3) + started(fixture, 4), 0);
}

static void test_jobs_that_may_be_reserved_try_all_hosts(void **state)
{
	struct fixture *fixture = *state;

	set_sched_conf(fixture, "max_reservation", "5");
	put_small(fixture, "highest", "2", false);
	TELL(fixture, ADD "1,'owner':'ann','pe':'mpi','pe_range':'1-4','reserve':true}");
	TELL(fixture, ADD "2,'owner':'bob','pe':'mpi','pe_range':'1-4','reserve':true}");
	run(fixture, NOW);
	assert_true(row(fixture, 1, 0).slots == 2 && row(fixture, 2, 0).slots == 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_each_search_finds_the_largest_number_of_slots),
		DISPATCH_TEST(test_thresholds_are_forgotten_once_an_amount_is_found),
		DISPATCH_TEST(test_a_start_crosses_no_threshold_if_two_amounts_were_found),
		DISPATCH_TEST(test_hosts_too_small_for_the_first_amount_are_not_tried_with_less),
		DISPATCH_TEST(test_jobs_that_run_count_for_a_category),
		DISPATCH_TEST(test_a_host_large_enough_when_all_has_ended_is_tried_with_less),
		DISPATCH_TEST(test_only_the_first_amount_puts_hosts_out_of_question),
		DISPATCH_TEST(test_quotas_make_a_host_small_but_counted_slots_do_not),
		DISPATCH_TEST(test_jobs_that_may_be_reserved_try_all_hosts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
