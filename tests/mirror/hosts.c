/* SPDX-License-Identifier: Apache-2.0 */
/* State of queue instances and hosts that is kept for the search for slots. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "sched/mirror/tables.h"
#include "tests/mirror/cell.h"

static const struct mirror *mirror_of(const struct fixture *fixture)
{
	return sched_mirror(fixture->sched);
}

/* Queue instances */

static int by_place(const void *a, const void *b)
{
	const struct instance *x = *(const struct instance *const *)a, *y = *(const struct instance *const *)b;

	return x->place < y->place ? -1 : x->place > y->place;
}

/* Return " host:letters" of each instance, in the order of the list. */
static const char *instances(const struct fixture *fixture)
{
	static char text[400];
	const struct state *state = mirror_of(fixture)->state;
	const struct instance *order[20];

	text[0] = '\0';
	for (size_t i = 0; i < state->ninstances; i++)
		order[i] = &state->instances[i];
	qsort(order, state->ninstances, sizeof(*order), by_place);
	for (size_t i = 0; i < state->ninstances; i++) {
		assert_true(i == 0 || order[i - 1]->place < order[i]->place);
		sprintf(text + strlen(text), " %s:%s", strings_text(mirror_of(fixture)->strings, order[i]->host),
			order[i]->state);
	}
	return text;
}

static void report_instance(struct fixture *fixture, const char *host, const char *letters)
{
	TELL(fixture, "{'event':'queue_instance','queue':'all.q@%s','state':'%s'}", host, letters);
}

static void test_instances_keep_the_order_in_which_they_were_reported(void **state)
{
	struct fixture *fixture = *state;

	for (const char *const *host = (const char *const[]){ "e", "d", "c", "b", "a", NULL }; *host; host++)
		report_instance(fixture, *host, "");
	assert_string_equal(instances(fixture), " e: d: c: b: a:");
	report_instance(fixture, "d", "");
	TELL(fixture, "{'event':'queue_instance_delete','queue':'all.q@e'}");
	assert_string_equal(instances(fixture), " d: c: b: a:");
	TELL(fixture, "{'event':'queue_instance_delete','queue':'all.q@c'}");
	report_instance(fixture, "e", "");
	report_instance(fixture, "b", "");
	assert_string_equal(instances(fixture), " d: b: a: e:");
}

static void test_a_snapshot_orders_instances_again(void **state)
{
	struct fixture *fixture = *state;

	report_instance(fixture, "a", "");
	report_instance(fixture, "b", "");
	report_instance(fixture, "c", "");
	SNAPSHOT(fixture);
	report_instance(fixture, "c", "");
	report_instance(fixture, "a", "");
	assert_string_equal(instances(fixture), " a: b: c:");
	SNAPSHOT_END(fixture);
	assert_string_equal(instances(fixture), " c: a:");
	report_instance(fixture, "b", "");
	assert_string_equal(instances(fixture), " c: a: b:");
}

static void test_instances_keep_their_letters(void **state)
{
	struct fixture *fixture = *state;

	report_instance(fixture, "a", "aACcdDEosSuPxyz");
	report_instance(fixture, "b", "");
	assert_string_equal(instances(fixture), " a:aACcdDEosSuPxyz b:");
	report_instance(fixture, "a", "");
	report_instance(fixture, "b", "au");
	assert_string_equal(instances(fixture), " a: b:au");
	REFUSE(fixture, "state", "{'event':'queue_instance','queue':'all.q@b','state':'aACcdDEosSuPxyzz'}");
	REFUSE(fixture, "state", "{'event':'queue_instance','queue':'all.q@b','state':'a u'}");
	assert_string_equal(instances(fixture), " a: b:au");
}

/* Loads */

/*
 * Return " name=value" for each load value, "none" if the host reports none, NULL if its load was
 * never reported.
 */
static const char *load(const struct fixture *fixture, const char *host)
{
	static char text[2000];
	const struct mirror *mirror = mirror_of(fixture);
	const struct reported_host *reported = reported_host_find(mirror->state, strings_find(mirror->strings, host));

	if (!reported || !reported->has_load)
		return NULL;
	strcpy(text, reported->nload ? "" : "none");
	for (size_t i = 0; i < reported->nload; i++)
		sprintf(text + strlen(text), " %s=%s", strings_text(mirror->strings, reported->load[i].name),
			strings_text(mirror->strings, reported->load[i].value));
	return text;
}

static void test_a_report_replaces_the_one_before(void **state)
{
	struct fixture *fixture = *state;

	assert_null(load(fixture, "a"));
	TELL(fixture,
	     "{'event':'host_load','host':'a','load_values':{'np_load_avg':'0.3','arch':'lx-amd64','num_proc':4}}");
	TELL(fixture, "{'event':'host_load','host':'global','load_values':{'licences':'7'}}");
	assert_string_equal(load(fixture, "a"), " np_load_avg=0.3 arch=lx-amd64 num_proc=4");
	TELL(fixture, "{'event':'host_load','host':'a','load_values':{'np_load_avg':'0.5'}}");
	assert_string_equal(load(fixture, "a"), " np_load_avg=0.5");
	TELL(fixture, "{'event':'host_load','host':'a','load_values':{}}");
	assert_string_equal(load(fixture, "a"), "none");
	assert_string_equal(load(fixture, "global"), " licences=7");
	assert_null(load(fixture, "b"));
}

static void test_numbers_become_text_that_reads_back_as_the_same(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture,
	     "{'event':'host_load','host':'a','load_values':{'a':0.3,'b':-9223372036854775808,'c':1e300,'d':0.1000000000000000055,"
	     "'e':5e-324,'f':123456789.123456789,'g':2.0,'h':null,'i':''}}");
	assert_string_equal(
		load(fixture, "a"),
		" a=0.3 b=-9223372036854775808 c=1e+300 d=0.1 e=4.94065645841247e-324 f=123456789.12345679 g=2 i=");
}

static void test_a_returning_host_keeps_its_load(void **state)
{
	struct fixture *fixture = *state;
	const char *report = "{'event':'host_load','host':'a','load_values':{'x':1}}";

	TELL(fixture, "{'event':'queue_instance','queue':'all.q@a','slots':3}");
	TELL(fixture, "%s", report);
	TELL(fixture, "{'event':'host_state','host':'a','available':false}");
	run(fixture, NOW);
	assert_int_equal(free_slots(fixture), 0);
	assert_string_equal(load(fixture, "a"), " x=1");
	TELL(fixture, "%s", report);
	run(fixture, NOW);
	assert_int_equal(free_slots(fixture), 0);
	TELL(fixture, "{'event':'host_state','host':'a','available':true}");
	run(fixture, NOW);
	assert_int_equal(free_slots(fixture), 3);
	assert_string_equal(load(fixture, "a"), " x=1");
}

static void test_hosts_that_a_snapshot_does_not_name_are_forgotten(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, "{'event':'host_load','host':'a','load_values':{'x':1}}");
	TELL(fixture, "{'event':'host_load','host':'b','load_values':{'x':2}}");
	SNAPSHOT(fixture);
	TELL(fixture, "{'event':'host_load','host':'b','load_values':{'x':3}}");
	assert_string_equal(load(fixture, "b"), " x=2");
	SNAPSHOT_END(fixture);
	assert_null(load(fixture, "a"));
	assert_string_equal(load(fixture, "b"), " x=3");
	SNAPSHOT(fixture);
	events_break(&fixture->events);
	assert_string_equal(load(fixture, "b"), " x=3");
}

static void test_a_report_with_a_fault_has_no_effect(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, "{'event':'host_load','host':'a','load_values':{'x':1}}");
	REFUSE(fixture, "load_values: y: a string or a number",
	       "{'event':'host_load','host':'a','load_values':{'x':2,'y':true}}");
	REFUSE(fixture, "load_values: : a name", "{'event':'host_load','host':'a','load_values':{'':2}}");
	REFUSE(fixture, "load_values: x: byte 0x0a", "{'event':'host_load','host':'a','load_values':{'x':'\\n'}}");
	assert_string_equal(load(fixture, "a"), " x=1");
}

static void test_many_hosts_are_found_by_name(void **state)
{
	struct fixture *fixture = *state;
	char name[20], expected[20];

	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 500; i++)
			TELL(fixture, "{'event':'host_load','host':'h%d','load_values':{'x':%d}}", i, i + round);
	for (int i = 0; i < 500; i++) {
		snprintf(name, sizeof(name), "h%d", i);
		snprintf(expected, sizeof(expected), " x=%d", i + 1);
		assert_string_equal(load(fixture, name), expected);
	}
	assert_int_equal(mirror_of(fixture)->state->nhosts, 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_instances_keep_the_order_in_which_they_were_reported),
		TEST(test_a_snapshot_orders_instances_again),
		TEST(test_instances_keep_their_letters),
		TEST(test_a_report_replaces_the_one_before),
		TEST(test_numbers_become_text_that_reads_back_as_the_same),
		TEST(test_a_returning_host_keeps_its_load),
		TEST(test_hosts_that_a_snapshot_does_not_name_are_forgotten),
		TEST(test_a_report_with_a_fault_has_no_effect),
		TEST(test_many_hosts_are_found_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
