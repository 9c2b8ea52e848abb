/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "sched/metrics/buckets.h"
#include "sched/metrics/exposition.h"

static const struct family jobs = { "x_jobs", FAMILY_GAUGE, NULL, "Jobs." };
static const struct family runs = { "x_runs", FAMILY_COUNTER, NULL, "Runs." };
static const struct family age_seconds = { "x_age_seconds", FAMILY_GAUGE, "seconds", "Age." };
static const struct family wait_seconds = { "x_wait_seconds", FAMILY_HISTOGRAM, "seconds", "Wait." };
static const struct family ages = { "x_ages", FAMILY_GAUGE_HISTOGRAM, NULL, "Ages." };

static struct exposition page;

static void begin(enum exposition_format format, const char *cluster)
{
	page = (struct exposition){ .format = format, .cluster = cluster };
	assert_int_equal(out_open_memory(&page.out, PAGE_BYTES_MOST), 0);
}

/* Compare the whole page and end it. */
static void expect(const char *wanted)
{
	const char *text;
	size_t bytes;
	char copy[4096];

	assert_int_equal(out_held(&page.out, &text, &bytes), 0);
	assert_true(bytes < sizeof(copy));
	memcpy(copy, text, bytes);
	copy[bytes] = '\0';
	assert_string_equal(copy, wanted);
	out_close(&page.out);
}

static void test_a_counter_ends_with_total_in_both_formats(void **state)
{
	(void)state;
	begin(PAGE_OPENMETRICS, NULL);
	exposition_family(&page, &runs);
	exposition_value(&page, NULL, 0, 7);
	exposition_end(&page);
	expect("# HELP x_runs Runs.\n# TYPE x_runs counter\nx_runs_total 7\n# EOF\n");
	begin(PAGE_TEXT, NULL);
	exposition_family(&page, &runs);
	exposition_value(&page, NULL, 0, 7);
	exposition_end(&page);
	expect("# HELP x_runs_total Runs.\n# TYPE x_runs_total counter\nx_runs_total 7\n");
}

static void test_a_unit_is_in_the_new_format_only(void **state)
{
	(void)state;
	begin(PAGE_OPENMETRICS, NULL);
	exposition_family(&page, &age_seconds);
	exposition_value(&page, NULL, 0, 0.5);
	expect("# HELP x_age_seconds Age.\n# TYPE x_age_seconds gauge\n# UNIT x_age_seconds seconds\nx_age_seconds 0.5\n");
	begin(PAGE_TEXT, NULL);
	exposition_family(&page, &age_seconds);
	exposition_value(&page, NULL, 0, -2);
	expect("# HELP x_age_seconds Age.\n# TYPE x_age_seconds gauge\nx_age_seconds -2\n");
}

static void test_values_that_are_not_finite_are_left_out(void **state)
{
	(void)state;
	begin(PAGE_TEXT, NULL);
	exposition_family(&page, &jobs);
	exposition_value(&page, NULL, 0, NAN);
	exposition_value(&page, NULL, 0, INFINITY);
	exposition_value(&page, NULL, 0, -INFINITY);
	exposition_value(&page, NULL, 0, DBL_MAX);
	expect("");
	begin(PAGE_TEXT, NULL);
	exposition_family(&page, &jobs);
	exposition_value(&page, NULL, 0, 1e300);
	exposition_value(&page, &(struct label){ "a", "b" }, 1, 9007199254740992.0);
	expect("# HELP x_jobs Jobs.\n# TYPE x_jobs gauge\nx_jobs 1.0000000000000001e+300\nx_jobs{a=\"b\"} 9007199254740992\n");
}

static void test_labels_are_escaped_and_empty_ones_left_out(void **state)
{
	const struct label labels[] = { { "a", "q\"b\\n\nx\x01\xff\xc3\xa9" }, { "b", "" }, { "c", NULL }, { "d", "1" } };

	(void)state;
	begin(PAGE_TEXT, "cl");
	exposition_family(&page, &jobs);
	exposition_value(&page, labels, 4, 1);
	expect("# HELP x_jobs Jobs.\n# TYPE x_jobs gauge\n"
	       "x_jobs{cluster=\"cl\",a=\"q\\\"b\\\\n\\nx??\xc3\xa9\",d=\"1\"} 1\n");
}

static void test_a_histogram_is_cumulated_and_has_exemplars_in_the_new_format(void **state)
{
	static const double limits[] = { 1, 2.5 };
	static const uint64_t counts[] = { 3, 0, 2 };
	static const struct exemplar exemplars[] = { { 17, 0.25, 100 }, { 0, 0, 0 }, { 18, 9, 200 } };
	const struct histogram_sample sample = {
		.limits = limits, .counts = counts, .exemplars = exemplars, .nlimits = 2, .sum = 10.5, .created = 50
	};
	const struct label label = { "q", "a" };

	(void)state;
	begin(PAGE_OPENMETRICS, NULL);
	exposition_family(&page, &wait_seconds);
	exposition_histogram(&page, &label, 1, &sample);
	expect("# HELP x_wait_seconds Wait.\n# TYPE x_wait_seconds histogram\n# UNIT x_wait_seconds seconds\n"
	       "x_wait_seconds_bucket{q=\"a\",le=\"1.0\"} 3 # {job_number=\"17\"} 0.25 100\n"
	       "x_wait_seconds_bucket{q=\"a\",le=\"2.5\"} 3\n"
	       "x_wait_seconds_bucket{q=\"a\",le=\"+Inf\"} 5 # {job_number=\"18\"} 9 200\n"
	       "x_wait_seconds_count{q=\"a\"} 5\nx_wait_seconds_sum{q=\"a\"} 10.5\nx_wait_seconds_created{q=\"a\"} 50\n");
	begin(PAGE_TEXT, NULL);
	exposition_family(&page, &wait_seconds);
	exposition_histogram(&page, &label, 1, &sample);
	expect("# HELP x_wait_seconds Wait.\n# TYPE x_wait_seconds histogram\n"
	       "x_wait_seconds_bucket{q=\"a\",le=\"1\"} 3\nx_wait_seconds_bucket{q=\"a\",le=\"2.5\"} 3\n"
	       "x_wait_seconds_bucket{q=\"a\",le=\"+Inf\"} 5\nx_wait_seconds_count{q=\"a\"} 5\nx_wait_seconds_sum{q=\"a\"} 10.5\n");
}

static void test_a_gauge_histogram_has_names_of_its_own_in_the_new_format(void **state)
{
	static const uint64_t counts[] = { 4 };
	const struct histogram_sample sample = { .counts = counts, .sum = 8 };

	(void)state;
	begin(PAGE_OPENMETRICS, NULL);
	exposition_family(&page, &ages);
	exposition_histogram(&page, NULL, 0, &sample);
	expect("# HELP x_ages Ages.\n# TYPE x_ages gaugehistogram\nx_ages_bucket{le=\"+Inf\"} 4\nx_ages_gcount 4\nx_ages_gsum 8\n");
	begin(PAGE_TEXT, NULL);
	exposition_family(&page, &ages);
	exposition_histogram(&page, NULL, 0, &sample);
	expect("# HELP x_ages Ages.\n# TYPE x_ages histogram\nx_ages_bucket{le=\"+Inf\"} 4\nx_ages_count 4\nx_ages_sum 8\n");
}

struct example { const char *name; double one, other; };

static size_t example_labels(const void *row, struct label *labels)
{
	labels[0] = (struct label){ "name", ((const struct example *)row)->name };
	return 1;
}

static void test_a_column_without_values_is_not_written(void **state)
{
	static const struct family_column columns[] = {
		{ { "x_one", FAMILY_GAUGE, NULL, "One." }, offsetof(struct example, one) },
		{ { "x_other", FAMILY_GAUGE, NULL, "Other." }, offsetof(struct example, other) },
	};
	const struct example items[] = { { "a", 1, NAN }, { "b", NAN, NAN }, { "c", 0, NAN } };

	(void)state;
	begin(PAGE_TEXT, NULL);
	exposition_columns(&page, columns, 2, &(struct family_rows){ items, 3, sizeof(*items), example_labels });
	expect("# HELP x_one One.\n# TYPE x_one gauge\nx_one{name=\"a\"} 1\nx_one{name=\"c\"} 0\n");
}

static void test_a_value_belongs_to_the_first_bucket_that_holds_it(void **state)
{
	struct buckets limits;

	(void)state;
	assert_int_equal(buckets_parse(&limits, "10,60"), 0);
	assert_int_equal(limits.n, 2);
	assert_int_equal(buckets_find(&limits, 0), 0);
	assert_int_equal(buckets_find(&limits, 10), 0);
	assert_int_equal(buckets_find(&limits, 10.5), 1);
	assert_int_equal(buckets_find(&limits, 61), 2);
}

static void test_limits_that_do_not_ascend_are_refused(void **state)
{
	static const char *const wrong[] = { "", "x", "5,", ",5", "5,5", "6,5", "-1", "1.5", "5 ", "99999999999" };
	struct buckets limits = { .n = 1 };

	(void)state;
	for (size_t k = 0; k < sizeof(wrong) / sizeof(*wrong); k++)
		assert_int_not_equal(buckets_parse(&limits, wrong[k]), 0);
	assert_int_equal(limits.n, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_counter_ends_with_total_in_both_formats),
		cmocka_unit_test(test_a_unit_is_in_the_new_format_only),
		cmocka_unit_test(test_values_that_are_not_finite_are_left_out),
		cmocka_unit_test(test_labels_are_escaped_and_empty_ones_left_out),
		cmocka_unit_test(test_a_histogram_is_cumulated_and_has_exemplars_in_the_new_format),
		cmocka_unit_test(test_a_gauge_histogram_has_names_of_its_own_in_the_new_format),
		cmocka_unit_test(test_a_column_without_values_is_not_written),
		cmocka_unit_test(test_a_value_belongs_to_the_first_bucket_that_holds_it),
		cmocka_unit_test(test_limits_that_do_not_ascend_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
