/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "tests/reader/cell.h"

static void test_hosts_follow_the_global_host(void **state)
{
	struct fixture *fixture = *state;
	const struct fl_view *view = fl_begin(fixture->reader);
	struct fl_host host;

	assert_int_equal(fl_hosts(view), 2);
	assert_int_equal(fl_host(view, 0, &host), 0);
	assert_string_equal(host.name, "global");
	assert_int_equal(fl_host(view, 1, &host), 0);
	assert_string_equal(host.name, "node1");
	assert_true(host.available && host.load_avg == 2.5 && host.np_load_avg == 0.625);
	assert_true(host.processors == -1 && host.mem_total == -1);
	assert_string_equal(host.arch, "");
	assert_int_equal(fl_host(view, 2, &host), -ENOENT);
	assert_int_equal(fl_end(fixture->reader), 0);
}

static void test_an_instance_has_slots_type_state_and_host(void **state)
{
	struct fixture *fixture = *state;
	const struct fl_view *view = fl_begin(fixture->reader);
	struct fl_instance instance;

	assert_int_equal(fl_instances(view), 2);
	assert_int_equal(fl_instance(view, 0, &instance), 0);
	assert_string_equal(instance.name, "all.q@node1");
	assert_string_equal(instance.queue, "all.q");
	assert_string_equal(instance.type, "BIPC");
	assert_string_equal(instance.state, "ad");
	assert_true(instance.host == 1 && instance.slots == 8 && instance.used == 3 && instance.reserved == 2 &&
		    instance.np_load_avg == 0.625);
	assert_int_equal(fl_instance(view, 1, &instance), 0);
	assert_string_equal(instance.type, "B");
	assert_true(instance.host == 0);			/* out of range in the record */
	assert_int_equal(fl_instance(view, 2, &instance), -ENOENT);
	assert_int_equal(fl_end(fixture->reader), 0);
}

static void test_the_remaining_amount_is_that_of_the_smallest_object(void **state)
{
	struct fixture *fixture = *state;
	const struct fl_view *view = fl_begin(fixture->reader);
	struct fl_resource resource;
	struct fl_left left;

	assert_int_equal(fl_resource(view, FL_GLOBAL, 0, 0, &resource), 0);
	assert_string_equal(resource.name, "lic");
	assert_true(resource.total == 6 && resource.used == 2);
	assert_int_equal(fl_resource(view, FL_GLOBAL, 0, 1, &resource), -ENOENT);
	assert_int_equal(fl_left(view, 0, "lic", &left), 0);
	assert_true(left.value == 1 && left.level == FL_HOST);
	assert_int_equal(fl_left(view, 0, "slots", &left), 0);
	assert_true(left.value == 5 && left.level == FL_QUEUE);
	assert_int_equal(fl_left(view, 0, "mem", &left), -ENOENT);
	/* An instance without a host has the resources of the cluster. */
	assert_int_equal(fl_left(view, 1, "lic", &left), 0);
	assert_true(left.value == 4 && left.level == FL_GLOBAL);
	assert_int_equal(fl_end(fixture->reader), 0);
}

static void test_an_alarm_has_its_threshold_and_its_value(void **state)
{
	struct fixture *fixture = *state;
	const struct fl_view *view = fl_begin(fixture->reader);
	struct fl_alarm alarm;

	assert_int_equal(fl_alarm(view, 0, 0, &alarm), 0);
	assert_string_equal(alarm.name, "np_load_avg");
	assert_string_equal(alarm.limit, "0.5");
	assert_string_equal(alarm.text, "");
	assert_true(!alarm.suspends && alarm.value == 0.625 && alarm.level == FL_HOST && alarm.source == FL_REPORTED);
	assert_int_equal(fl_alarm(view, 0, 1, &alarm), -ENOENT);
	assert_int_equal(fl_end(fixture->reader), 0);
}

static void test_a_quota_names_its_subjects(void **state)
{
	struct fixture *fixture = *state;
	const struct fl_view *view = fl_begin(fixture->reader);
	struct fl_quota quota;

	assert_int_equal(fl_quotas(view), 1);
	assert_int_equal(fl_quota(view, 0, &quota), 0);
	assert_string_equal(quota.set, "most");
	assert_string_equal(quota.rule, "1");
	assert_string_equal(quota.resource, "slots");
	assert_true(quota.limit == 30 && quota.used == 12);
	assert_string_equal(quota.parts[FL_OF_USER], "anna");
	assert_string_equal(quota.parts[FL_OF_HOST], "@all");
	assert_string_equal(quota.parts[FL_OF_PROJECT], "");
	assert_true(quota.counted[FL_OF_USER] && !quota.counted[FL_OF_HOST]);
	assert_int_equal(fl_quota(view, 1, &quota), -ENOENT);
	assert_int_equal(fl_end(fixture->reader), 0);
}

/* The work for an object does not grow with the contents of a record. */
static void test_a_slice_that_claims_everything_ends(void **state)
{
	struct fixture *fixture = *state;
	struct fl_resource resource;
	const struct fl_view *view;
	size_t n = 0;

	fill(fixture);
	((struct exec_host_record *)(fixture->segment.base + fixture->w.directory->tables[TABLE_EXEC_HOSTS].offset))
		->resources = (struct record_slice){ 1, UINT32_MAX };
	publish(fixture);
	view = fl_begin(fixture->reader);
	while (fl_resource(view, FL_GLOBAL, 0, n, &resource) == 0)
		n++;
	assert_int_equal(n, 1);				/* the second of two records */
	assert_int_equal(fl_end(fixture->reader), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_hosts_follow_the_global_host),
		TEST(test_an_instance_has_slots_type_state_and_host),
		TEST(test_the_remaining_amount_is_that_of_the_smallest_object),
		TEST(test_an_alarm_has_its_threshold_and_its_value),
		TEST(test_a_quota_names_its_subjects),
		TEST(test_a_slice_that_claims_everything_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
