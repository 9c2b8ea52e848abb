/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons made by an audit, and its journal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "sched/qmaster/gridengine/audit_line.h"

static void start(struct audit_starts *starts, const char *text, bool apart)
{
	struct audit_start one = { .apart = apart };

	assert_int_equal(sscanf(text, "%u.%u", &one.job_number, &one.task), 2);
	assert_int_equal(audit_start_add(starts, &one, text), 0);
}

/* Add starts "1.1 q=1, | 2.1 q=1". A bar marks another event. */
static void starts(struct audit_starts *audit_starts, const char *text)
{
	char *copy = strdup(text), *rest = copy, *one;

	while ((one = strsep(&rest, ",")) != NULL) {
		one += strspn(one, " ");
		if (*one)
			start(audit_starts, one + (*one == '|'), *one == '|');
	}
	free(copy);
}

static size_t end_of(const char *theirs, const char *ours, bool *certain)
{
	struct audit audit = { 0 };
	size_t end;

	starts(&audit.theirs, theirs);
	starts(&audit.ours, ours);
	end = audit_run_end(&audit, certain);
	audit_clear(&audit);
	return end;
}

static void test_starts_agree_up_to_the_first_that_differs(void **state)
{
	struct audit audit = { 0 };

	(void)state;
	starts(&audit.theirs, "1.1 q=1,2.1 q=1,3.1 q=1");
	starts(&audit.ours, "1.1 q=1,3.1 q=1,2.1 q=1");
	audit_starts_compare(&audit);
	assert_int_equal(audit.agreeing, 1);
	assert_true(audit.starts_differ);
	assert_false(audit_is_equal(&audit));
	audit_clear(&audit);
}

static void test_one_additional_start_is_a_difference_on_either_side(void **state)
{
	struct audit audit = { 0 };

	(void)state;
	starts(&audit.theirs, "1.1 q=1");
	audit_starts_compare(&audit);
	assert_true(audit.starts_differ);
	starts(&audit.ours, "1.1 q=1");
	audit_starts_compare(&audit);
	assert_false(audit.starts_differ);
	start(&audit.ours, "2.1 q=1", false);
	audit_starts_compare(&audit);
	assert_true(audit.starts_differ);
	audit_clear(&audit);
}

static void test_a_run_of_theirs_ends_where_ours_ends_if_something_happened_then(void **state)
{
	bool certain;

	(void)state;
	assert_int_equal(end_of("1.1 q=1,2.1 q=1,|3.1 q=1", "1.1 q=1,2.1 q=1", &certain), 2);
	assert_int_equal(end_of("1.1 q=1,|2.1 q=1,3.1 q=1", "1.1 q=1,2.1 q=1", &certain), 2);
	assert_false(certain);
	assert_int_equal(end_of("1.1 q=1,|2.1 q=1", "1.1 q=1,2.1 q=1", &certain), 2);
}

static void test_starts_without_a_separator_belong_to_one_run(void **state)
{
	bool certain;

	(void)state;
	assert_int_equal(end_of("1.1 q=1,2.1 q=1,3.1 q=1", "1.1 q=1", &certain), 3);
	assert_true(certain);
	assert_int_equal(end_of("1.1 q=1,2.1 q=1,|3.1 q=1", "9.1 q=1", &certain), 2);
}

static void test_a_run_of_theirs_has_at_least_one_start(void **state)
{
	bool certain;

	(void)state;
	assert_int_equal(end_of("1.1 q=1,|2.1 q=1", "", &certain), 1);
	assert_int_equal(end_of("1.1 q=1", "", &certain), 1);
}

static void assert_printed(enum audit_number number, double value, const char *wanted)
{
	char text[32];

	audit_number_print(number, value, text);
	assert_string_equal(text, wanted);
}

static void test_numbers_are_printed_like_in_qstat(void **state)
{
	(void)state;
	assert_printed(AUDIT_PRIO, 0.555555, "0.55556");
	assert_printed(AUDIT_NURG, -1e-9, "0.00000");
	assert_printed(AUDIT_URG, 1000.5, "1000");
	assert_printed(AUDIT_WTCONTR, 123456789012.0, "1.23e+11");
	assert_printed(AUDIT_TCKTS, 99.9, "99");
	assert_printed(AUDIT_SHARE, 0.126, "0.13");
}

static const struct audit_row row = { 7, 0, { [AUDIT_PRIO] = 0.5, [AUDIT_NPPRIOR] = 0.5, [AUDIT_TCKTS] = 100.2 } };

static void test_numbers_with_the_same_print_do_not_differ(void **state)
{
	struct audit_row ours = row;
	struct audit audit = { 0 };

	(void)state;
	ours.values[AUDIT_TCKTS] = 100.7;
	audit_row_compare(&audit, &row, &ours, true, false);
	assert_int_equal(audit.numbers, AUDIT_NUMBERS);
	assert_int_equal(audit.differing, 0);
	ours.values[AUDIT_TCKTS] = 101;
	audit_row_compare(&audit, &row, &ours, false, false);	/* tickets are not reported */
	assert_int_equal(audit.differing, 0);
	audit_row_compare(&audit, &row, &ours, true, false);
	assert_int_equal(audit.differing, 1);
	assert_int_equal(audit.worst.number, AUDIT_TCKTS);
	assert_false(audit_is_equal(&audit));
}

static void test_values_cleared_by_tc_have_the_name_of_a_defect(void **state)
{
	struct audit_row theirs = { .job_number = 7 };
	struct audit audit = { 0 };

	(void)state;
	audit_row_compare(&audit, &theirs, &row, true, true);
	assert_true(audit.differing > 0);
	assert_int_equal(audit.defects, audit.differing);
	assert_string_equal(audit.worst.defect, "cleared-by-tc");
	assert_true(audit_is_equal(&audit));
}

static void test_a_row_that_no_run_has_seen_is_not_compared(void **state)
{
	struct audit_row theirs = { .job_number = 7 };
	struct audit audit = { 0 };

	(void)state;
	audit_row_compare(&audit, &theirs, &row, true, false);
	assert_int_equal(audit.numbers, 0);
}

/* The journal */

static struct {
	char path[64], before[80];
	struct audited runs[8];
	char texts[8][5][64];
	size_t n;
	uint64_t odd;
} journal;

static int make(void **state)
{
	(void)state;
	memset(&journal, 0, sizeof(journal));
	snprintf(journal.path, sizeof(journal.path), "/tmp/fairlead-audit-%d", (int)getpid());
	snprintf(journal.before, sizeof(journal.before), "%s.1", journal.path);
	return 0;
}

static int clean(void **state)
{
	(void)state;
	unlink(journal.path);
	unlink(journal.before);
	return 0;
}

static int take(void *context, const struct audited *run)
{
	const char *const texts[] = { run->skipped, run->their, run->our, run->why, run->defect };

	(void)context;
	assert_true(journal.n < 8);
	for (int k = 0; k < 5; k++)
		snprintf(journal.texts[journal.n][k], sizeof(journal.texts[0][0]), "%s", texts[k]);
	journal.runs[journal.n++] = *run;
	return 0;
}

static int read_all(void)
{
	struct error error = { "" };

	journal.n = 0;
	return audit_journal_read(journal.path, take, NULL, &journal.odd, &error);
}

static void test_a_written_audit_is_read_back(void **state)
{
	struct audit audit = { .now = 1795428000, .why = "no\tslots\nfree" };

	(void)state;
	assert_int_equal(read_all(), -2);	/* ENOENT: none yet */
	starts(&audit.theirs, "1.1 q=1,2.1 q=1");
	starts(&audit.ours, "1.1 q=1");
	audit_starts_compare(&audit);
	audit_row_compare(
		&audit, &row,
		&(struct audit_row){ 7, 0, { [AUDIT_PRIO] = 0.25, [AUDIT_NPPRIOR] = 0.5, [AUDIT_TCKTS] = 100 } }, true,
		false);
	assert_int_equal(audit_line_append(journal.path, &audit), 0);
	audit.skipped = "no time";
	assert_int_equal(audit_line_append(journal.path, &audit), 0);
	assert_int_equal(read_all(), 0);
	assert_int_equal(journal.n, 2);
	assert_int_equal(journal.runs[0].now, 1795428000);
	assert_int_equal(journal.runs[0].theirs, 2);
	assert_int_equal(journal.runs[0].agreeing, 1);
	assert_string_equal(journal.texts[0][1], "2.1 q=1");
	assert_string_equal(journal.texts[0][2], "");
	assert_string_equal(journal.texts[0][3], "no?slots?free");
	assert_string_equal(journal.runs[0].worst.of, "7");
	assert_string_equal(journal.runs[0].worst.column, "prior");
	assert_string_equal(journal.runs[0].worst.theirs, "0.50000");
	assert_true(audited_differs(&journal.runs[0]));
	assert_false(audited_is_known(&journal.runs[0]));
	journal.runs[1].skipped = journal.texts[1][0];
	assert_string_equal(journal.runs[1].skipped, "no time");
	assert_false(audited_differs(&journal.runs[1]));
	audit_clear(&audit);
}

static void write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "a");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void test_invalid_lines_are_counted_and_an_unfinished_last_line_is_ignored(void **state)
{
	(void)state;
	write_text(
		journal.path,
		"now=5\ttheirs=1\tnews=of tomorrow\nnow=x\n\nnow=7\tknown=2\tdiffering=1\nnow=\nhello\nnow=-5\nnow=6\tnumb");
	assert_int_equal(read_all(), 0);
	assert_int_equal(journal.n, 1);
	assert_int_equal(journal.runs[0].theirs, 1);
	assert_int_equal(journal.odd, 6);
}

static void test_a_full_journal_drops_old_lines_and_both_files_are_read(void **state)
{
	struct audit audit = { .now = 2 };
	struct stat st;

	(void)state;
	write_text(journal.path, "now=1\n");
	assert_int_equal(truncate(journal.path, AUDIT_JOURNAL_BYTES), 0);
	assert_int_equal(audit_line_append(journal.path, &audit), 0);
	assert_int_equal(stat(journal.path, &st), 0);
	assert_true(st.st_size < 1000);
	assert_int_equal(read_all(), 0);
	assert_int_equal(journal.n, 2);
	assert_int_equal(journal.runs[0].now, 1);
	assert_int_equal(journal.runs[1].now, 2);
}

#define JOURNAL_TEST(name) cmocka_unit_test_setup_teardown(name, make, clean)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_starts_agree_up_to_the_first_that_differs),
		cmocka_unit_test(test_one_additional_start_is_a_difference_on_either_side),
		cmocka_unit_test(test_a_run_of_theirs_ends_where_ours_ends_if_something_happened_then),
		cmocka_unit_test(test_starts_without_a_separator_belong_to_one_run),
		cmocka_unit_test(test_a_run_of_theirs_has_at_least_one_start),
		cmocka_unit_test(test_numbers_are_printed_like_in_qstat),
		cmocka_unit_test(test_numbers_with_the_same_print_do_not_differ),
		cmocka_unit_test(test_values_cleared_by_tc_have_the_name_of_a_defect),
		cmocka_unit_test(test_a_row_that_no_run_has_seen_is_not_compared),
		JOURNAL_TEST(test_a_written_audit_is_read_back),
		JOURNAL_TEST(test_invalid_lines_are_counted_and_an_unfinished_last_line_is_ignored),
		JOURNAL_TEST(test_a_full_journal_drops_old_lines_and_both_files_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
