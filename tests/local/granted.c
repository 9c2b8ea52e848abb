/* SPDX-License-Identifier: Apache-2.0 */
/* Granted slots of a task are stored in its row like in the order, and are restored from it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "sched/qmaster/json/order.h"
#include "sched/qmaster/local/granted.h"

static const struct granted instances[] = {
	{ "all.q@node", 3, 123456.75, 0, 1e-9, 0.1 },
	{ "long \"q\"@node\xc3\xa9", 1, 1e16, 12345678901234567890.0, 1.0 / 3, 5e-324 },
};
static const struct grants grants = { instances, 2 };

/* Return the array of the order as jansson writes it. */
static char *row_of_line(void)
{
	const struct order order = {
		.number = 1, .kind = ORDER_START, .job_number = 17, .task = 1, .start = { .granted = grants }
	};
	const char *line;
	struct out out;
	json_t *object;
	size_t bytes;
	char *row;

	assert_int_equal(out_open_memory(&out, ORDER_LINE_BYTES), 0);
	order_line(&order, &out);
	assert_int_equal(out_held(&out, &line, &bytes), 0);
	object = json_loadb(line, bytes, 0, NULL);
	row = json_dumps(json_object_get(object, "granted"), JSON_COMPACT);
	json_decref(object);
	out_close(&out);
	return row;
}

static struct values values;

static void assert_same(const struct grants *a, const struct grants *b)
{
	assert_int_equal(a->n, b->n);
	for (size_t i = 0; i < a->n; i++) {
		const struct granted *x = &a->items[i], *y = &b->items[i];

		assert_string_equal(x->queue, y->queue);
		assert_int_equal(x->slots, y->slots);
		assert_true(x->tickets == y->tickets && x->otickets == y->otickets && x->ftickets == y->ftickets &&
			    x->stickets == y->stickets);
	}
}

static void test_a_row_has_the_same_text_as_the_order(void **state)
{
	struct task_granted taken = { 0 };
	char *expected = row_of_line();

	(void)state;
	assert_int_equal(granted_take(&taken, &grants, NULL), 0);
	assert_string_equal(taken.row, expected);
	assert_null(taken.pe);
	granted_free(&taken);
	free(expected);
}

static void test_granted_slots_are_restored_from_their_row(void **state)
{
	struct task_granted taken = { 0 }, read = { 0 };

	(void)state;
	assert_int_equal(granted_take(&taken, &grants, "smp"), 0);
	assert_int_equal(granted_read(&read, &values, taken.row, taken.pe), 0);
	assert_same(&taken.on, &grants);
	assert_same(&read.on, &grants);
	assert_string_equal(read.row, taken.row);
	assert_string_equal(read.pe, "smp");
	granted_free(&taken);
	granted_free(&read);
}

static void test_a_row_is_kept_unchanged_for_any_writer(void **state)
{
	static const char row[] = "[ {\"queue\":\"all.q@node\",\"slots\":2,\"later\":true} ]";
	struct task_granted read = { 0 };

	(void)state;
	assert_int_equal(granted_read(&read, &values, row, ""), 0);
	assert_string_equal(read.row, row);
	assert_int_equal(read.on.items[0].slots, 2);
	assert_null(read.pe);
	granted_free(&read);
}

static void test_a_row_that_names_no_instance_is_refused_or_shows_it(void **state)
{
	struct task_granted read = { 0 };

	(void)state;
	assert_int_equal(granted_read(&read, &values, "[]", ""), -EINVAL);
	assert_int_equal(granted_read(&read, &values, "{}", ""), -EINVAL);
	assert_int_equal(granted_read(&read, &values, "[", ""), -EINVAL);
	assert_int_equal(granted_read(&read, &values, "[7,{\"queue\":3,\"slots\":-1},{\"slots\":4294967296}]", ""), 0);
	for (size_t i = 0; i < 3; i++) {
		assert_string_equal(read.on.items[i].queue, "");
		assert_int_equal(read.on.items[i].slots, 0);
	}
	granted_free(&read);
}

static int forget(void **state)
{
	(void)state;
	values_destroy(&values);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_row_has_the_same_text_as_the_order),
		cmocka_unit_test(test_granted_slots_are_restored_from_their_row),
		cmocka_unit_test(test_a_row_is_kept_unchanged_for_any_writer),
		cmocka_unit_test(test_a_row_that_names_no_instance_is_refused_or_shows_it),
	};

	return cmocka_run_group_tests(tests, NULL, forget);
}
