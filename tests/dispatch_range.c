/* SPDX-License-Identifier: Apache-2.0 */
/* How many slots a range of them comes to, whatever the way to find out. FAIRLEAD_SEED=n starts from another seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/dispatch_cell.h"

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

/* The largest number that is asked for, is a multiple, and is there; 0: none. */
static unsigned largest(const unsigned ranges[][2], size_t n, unsigned step, unsigned there)
{
	for (unsigned slots = there; slots > 0; slots--)
		for (size_t i = 0; i < n && slots % step == 0; i++)
			if (slots >= ranges[i][0] && slots <= ranges[i][1])
				return slots;
	return 0;
}

static void test_each_way_finds_the_largest_number_of_slots(void **state)
{
	static const char *const ways[] = { "bin", "least", "highest", "auto" }, *const rules[] = { "$fill_up", "$round_robin", "1", "2", "3", "4" };
	struct fixture *f = *state;

	seed_of("numbers of slots");
	for (uint32_t number = 1; number <= 200; number++) {
		unsigned ranges[3][2], step, slots[2] = { pick(10), pick(10) }, there, expected, pe_slots = 1 + pick(25);
		size_t n = 1 + pick(3), used = 0;
		char text[100], params[60];
		const char *rule = rules[pick(6)];

		step = *rule == '$' ? 1 : (unsigned)atoi(rule);
		snprintf(params, sizeof(params), "PE_RANGE_ALG=%s", ways[number % 4]);
		set_sched_conf(f, "params", params);
		put_pe(f, "mpi", pe_slots, rule);
		reload(f);
		for (size_t i = 0; i < n; i++) {
			ranges[i][0] = 1 + pick(16);
			ranges[i][1] = pick(4) ? ranges[i][0] + pick(5) : 9999999;
			used += (size_t)snprintf(text + used, sizeof(text) - used, pick(2) || ranges[i][1] < 9999999 ? "%s%u-%u" : "%s%u-", i ? "," : "",
						 ranges[i][0], ranges[i][1]);
		}
		tell_instance(f, "all.q@ada", slots[0]);
		tell_instance(f, "all.q@bly", slots[1]);
		TELL(f, ADD "%u,'owner':'ann','pe':'mpi','pe_range':'%s'}", number, text);
		run(f, NOW + number);
		/* a host gives a number once, the others all they have */
		there = *rule == '$' ? slots[0] + slots[1] : (slots[0] >= step ? step : 0) + (slots[1] >= step ? step : 0);
		expected = largest((const unsigned (*)[2])ranges, n, step, there < pe_slots ? there : pe_slots);
		if (started(f, number) != (expected > 0) || (expected && row(f, number, 0).slots != expected))
			fail_msg("%s, rule %s, PE %u, hosts %u and %u, %s: not %u: %s", text, rule, pe_slots, slots[0], slots[1], params, expected,
				 why_all(f, number));
		TELL(f, DELETE "%u}", number);
	}
}

/* As recorded: a threshold leaves room for 9 slots, but once some amount has been found, however small, nobody looks at it. */
static void test_thresholds_are_forgotten_once_an_amount_is_found(void **state)
{
	static const struct { const char *way; unsigned slots; } ways[] = { { "highest", 9 }, { "least", 20 }, { "bin", 14 } };
	struct fixture *f = *state;
	char params[60];

	put_text(f, "complex", COMPLEXES "heat ht DOUBLE >= YES NO 0 0\n");
	put_queue(f, "all.q", "ada bly", "20", "load_thresholds heat=1.85\n");
	set_sched_conf(f, "job_load_adjustments", "heat=0.1");
	set_sched_conf(f, "load_adjustment_decay_time", "0:7:30");
	for (uint32_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		snprintf(params, sizeof(params), "PE_RANGE_ALG=%s", ways[i].way);
		set_sched_conf(f, "params", params);
		reload(f);
		tell_instance(f, "all.q@ada", 20);
		TELL(f, "{'event':'host_load','host':'ada','load_values':{'heat':'1.0'}}");
		TELL(f, ADD "%u,'owner':'ann','pe':'mpi','pe_range':'1-30','hard_queue_list':'all.q@ada'}", i + 1);
		run(f, NOW + i);
		assert_int_equal(row(f, i + 1, 0).slots, ways[i].slots);
		TELL(f, DELETE "%u}", i + 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_each_way_finds_the_largest_number_of_slots),
		DISPATCH_TEST(test_thresholds_are_forgotten_once_an_amount_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
