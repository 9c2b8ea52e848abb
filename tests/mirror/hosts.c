/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept of queue instances and hosts for those who look for slots. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "sched/mirror/tables.h"
#include "tests/mirror/cell.h"

static const struct mirror *mirror_of(const struct fixture *f)
{
	return sched_mirror(f->sched);
}

/* Queue instances */

static int by_place(const void *a, const void *b)
{
	const struct instance *x = *(const struct instance *const *)a, *y = *(const struct instance *const *)b;

	return x->place < y->place ? -1 : x->place > y->place;
}

/* " host:letters" of each, in the order of the list. */
static const char *instances(const struct fixture *f)
{
	static char text[400];
	const struct state *s = mirror_of(f)->state;
	const struct instance *order[20];

	text[0] = '\0';
	for (size_t i = 0; i < s->ninstances; i++)
		order[i] = &s->instances[i];
	qsort(order, s->ninstances, sizeof(*order), by_place);
	for (size_t i = 0; i < s->ninstances; i++) {
		assert_true(i == 0 || order[i - 1]->place < order[i]->place);
		sprintf(text + strlen(text), " %s:%s", strings_text(mirror_of(f)->strings, order[i]->host), order[i]->state);
	}
	return text;
}

static void tell_instance(struct fixture *f, const char *host, const char *letters)
{
	TELL(f, "{'event':'queue_instance','queue':'all.q@%s','state':'%s'}", host, letters);
}

static void test_instances_keep_the_order_in_which_they_were_told(void **state)
{
	struct fixture *f = *state;

	for (const char *const *host = (const char *const[]){ "e", "d", "c", "b", "a", NULL }; *host; host++)
		tell_instance(f, *host, "");
	assert_string_equal(instances(f), " e: d: c: b: a:");
	tell_instance(f, "d", "");
	TELL(f, "{'event':'queue_instance_delete','queue':'all.q@e'}");
	assert_string_equal(instances(f), " d: c: b: a:");
	TELL(f, "{'event':'queue_instance_delete','queue':'all.q@c'}");
	tell_instance(f, "e", "");
	tell_instance(f, "b", "");
	assert_string_equal(instances(f), " d: b: a: e:");
}

static void test_a_snapshot_orders_them_anew(void **state)
{
	struct fixture *f = *state;

	tell_instance(f, "a", "");
	tell_instance(f, "b", "");
	tell_instance(f, "c", "");
	SNAPSHOT(f);
	tell_instance(f, "c", "");
	tell_instance(f, "a", "");
	assert_string_equal(instances(f), " a: b: c:");
	SNAPSHOT_END(f);
	assert_string_equal(instances(f), " c: a:");
	tell_instance(f, "b", "");
	assert_string_equal(instances(f), " c: a: b:");
}

static void test_instances_keep_their_letters(void **state)
{
	struct fixture *f = *state;

	tell_instance(f, "a", "aACcdDEosSuPxyz");
	tell_instance(f, "b", "");
	assert_string_equal(instances(f), " a:aACcdDEosSuPxyz b:");
	tell_instance(f, "a", "");
	tell_instance(f, "b", "au");
	assert_string_equal(instances(f), " a: b:au");
	REFUSE(f, "state", "{'event':'queue_instance','queue':'all.q@b','state':'aACcdDEosSuPxyzz'}");
	REFUSE(f, "state", "{'event':'queue_instance','queue':'all.q@b','state':'a u'}");
	assert_string_equal(instances(f), " a: b:au");
}

/* Loads */

/* " name=value" of each, "none" when it reports nothing, NULL when nothing was told of its load. */
static const char *load(const struct fixture *f, const char *host)
{
	static char text[2000];
	const struct mirror *m = mirror_of(f);
	const struct told_host *told = told_host_find(m->state, strings_find(m->strings, host));

	if (!told || !told->has_load)
		return NULL;
	strcpy(text, told->nload ? "" : "none");
	for (size_t i = 0; i < told->nload; i++)
		sprintf(text + strlen(text), " %s=%s", strings_text(m->strings, told->load[i].name),
			strings_text(m->strings, told->load[i].value));
	return text;
}

static void test_a_report_replaces_the_one_before(void **state)
{
	struct fixture *f = *state;

	assert_null(load(f, "a"));
	TELL(f, "{'event':'host_load','host':'a','load_values':{'np_load_avg':'0.3','arch':'lx-amd64','num_proc':4}}");
	TELL(f, "{'event':'host_load','host':'global','load_values':{'licences':'7'}}");
	assert_string_equal(load(f, "a"), " np_load_avg=0.3 arch=lx-amd64 num_proc=4");
	TELL(f, "{'event':'host_load','host':'a','load_values':{'np_load_avg':'0.5'}}");
	assert_string_equal(load(f, "a"), " np_load_avg=0.5");
	TELL(f, "{'event':'host_load','host':'a','load_values':{}}");
	assert_string_equal(load(f, "a"), "none");
	assert_string_equal(load(f, "global"), " licences=7");
	assert_null(load(f, "b"));
}

static void test_numbers_become_text_that_reads_back_as_the_same(void **state)
{
	struct fixture *f = *state;

	TELL(f, "{'event':'host_load','host':'a','load_values':{'a':0.3,'b':-9223372036854775808,'c':1e300,'d':0.1000000000000000055,"
		"'e':5e-324,'f':123456789.123456789,'g':2.0,'h':null,'i':''}}");
	assert_string_equal(load(f, "a"), " a=0.3 b=-9223372036854775808 c=1e+300 d=0.1 e=4.94065645841247e-324 f=123456789.12345679 g=2 i=");
}

static void test_a_host_that_comes_and_goes_keeps_its_load(void **state)
{
	struct fixture *f = *state;
	const char *report = "{'event':'host_load','host':'a','load_values':{'x':1}}";

	TELL(f, "{'event':'queue_instance','queue':'all.q@a','slots':3}");
	TELL(f, "%s", report);
	TELL(f, "{'event':'host_state','host':'a','available':false}");
	run(f, NOW);
	assert_int_equal(free_slots(f), 0);
	assert_string_equal(load(f, "a"), " x=1");
	TELL(f, "%s", report);
	run(f, NOW);
	assert_int_equal(free_slots(f), 0);
	TELL(f, "{'event':'host_state','host':'a','available':true}");
	run(f, NOW);
	assert_int_equal(free_slots(f), 3);
	assert_string_equal(load(f, "a"), " x=1");
}

static void test_hosts_that_a_snapshot_does_not_name_are_forgotten(void **state)
{
	struct fixture *f = *state;

	TELL(f, "{'event':'host_load','host':'a','load_values':{'x':1}}");
	TELL(f, "{'event':'host_load','host':'b','load_values':{'x':2}}");
	SNAPSHOT(f);
	TELL(f, "{'event':'host_load','host':'b','load_values':{'x':3}}");
	assert_string_equal(load(f, "b"), " x=2");
	SNAPSHOT_END(f);
	assert_null(load(f, "a"));
	assert_string_equal(load(f, "b"), " x=3");
	SNAPSHOT(f);
	events_break(&f->events);
	assert_string_equal(load(f, "b"), " x=3");
}

static void test_a_report_with_a_fault_changes_nothing(void **state)
{
	struct fixture *f = *state;

	TELL(f, "{'event':'host_load','host':'a','load_values':{'x':1}}");
	REFUSE(f, "load_values: y: a string or a number", "{'event':'host_load','host':'a','load_values':{'x':2,'y':true}}");
	REFUSE(f, "load_values: : a name", "{'event':'host_load','host':'a','load_values':{'':2}}");
	REFUSE(f, "load_values: x: byte 0x0a", "{'event':'host_load','host':'a','load_values':{'x':'\\n'}}");
	assert_string_equal(load(f, "a"), " x=1");
}

static void test_many_hosts_are_found_by_name(void **state)
{
	struct fixture *f = *state;
	char name[20], expected[20];

	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 500; i++)
			TELL(f, "{'event':'host_load','host':'h%d','load_values':{'x':%d}}", i, i + round);
	for (int i = 0; i < 500; i++) {
		snprintf(name, sizeof(name), "h%d", i);
		snprintf(expected, sizeof(expected), " x=%d", i + 1);
		assert_string_equal(load(f, name), expected);
	}
	assert_int_equal(mirror_of(f)->state->nhosts, 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_instances_keep_the_order_in_which_they_were_told),
		TEST(test_a_snapshot_orders_them_anew),
		TEST(test_instances_keep_their_letters),
		TEST(test_a_report_replaces_the_one_before),
		TEST(test_numbers_become_text_that_reads_back_as_the_same),
		TEST(test_a_host_that_comes_and_goes_keeps_its_load),
		TEST(test_hosts_that_a_snapshot_does_not_name_are_forgotten),
		TEST(test_a_report_with_a_fault_changes_nothing),
		TEST(test_many_hosts_are_found_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
