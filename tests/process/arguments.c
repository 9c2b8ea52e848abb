/* SPDX-License-Identifier: Apache-2.0 */
/* Words of a command line become fields, in the manner of GNU and of Grid Engine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sched/process/arguments.h"

struct found {
	const char *cell;
	bool verbose, all;
	unsigned show;
	int workers;
	int64_t now;
};

#define FIELD(name) .field = offsetof(struct found, name)

static const struct argument gnu[] = {
	{ "cell", ARGUMENT_TEXT, FIELD(cell), .letter = 'c' },
	{ "verbose", ARGUMENT_FLAG, FIELD(verbose), .letter = 'v' },
	{ "version", ARGUMENT_FLAG, FIELD(all) },
	{ "workers", ARGUMENT_INT, FIELD(workers), .least = 1, .most = 9, .due = "1 to 9 is expected" },
	{ "now", ARGUMENT_INT64, FIELD(now), .most = INT64_MAX, .due = "a time is expected" },
	{ .name = NULL },
};

static const struct argument verb[] = {
	{ "-pri", ARGUMENT_BITS, FIELD(show), .bits = 1 },
	{ "-ext", ARGUMENT_BITS, FIELD(show), .bits = 4 },
	{ "-a", ARGUMENT_FLAG, FIELD(all) },
	{ "--all", .kind = ARGUMENT_SAME },
	{ "--everything", .kind = ARGUMENT_SAME },
	{ "--cell", ARGUMENT_TEXT, FIELD(cell) },
	{ .name = NULL },
};

#define WORDS_MOST 16

static struct words words;
static char *argv[WORDS_MOST];
static char line[256];

/* Read the words of a line with the options of the table. Return how the walk ends. */
static enum arguments_next walk(const struct argument *table, const char *text, struct found *found)
{
	enum arguments_next next;

	strcpy(line, text);
	words = (struct words){ .table = table, .argv = argv, .next = 1 };
	for (char *rest = line; (argv[words.argc] = strsep(&rest, " ")) != NULL; words.argc++)
		assert_true(words.argc + 1 < WORDS_MOST);
	*found = (struct found){ .cell = NULL };
	while ((next = arguments_next(&words)) == ARGUMENTS_OPTION)
		assert_null(arguments_take(&words, found));
	return next;
}

static void test_values_follow_a_blank_or_an_equals_sign(void **unused)
{
	struct found found;

	(void)unused;
	assert_int_equal(walk(gnu, "x --cell a --workers=3 --now 5", &found), ARGUMENTS_END);
	assert_string_equal(found.cell, "a");
	assert_int_equal(found.workers, 3);
	assert_int_equal(found.now, 5);
	assert_int_equal(walk(gnu, "x --cell= --verbose", &found), ARGUMENTS_END);
	assert_string_equal(found.cell, "");
	assert_true(found.verbose);
}

static void test_letters_combine_and_the_last_may_have_a_value(void **unused)
{
	struct found found;

	(void)unused;
	assert_int_equal(walk(gnu, "x -vcdir", &found), ARGUMENTS_END);
	assert_true(found.verbose);
	assert_string_equal(found.cell, "dir");
	assert_int_equal(walk(gnu, "x -c dir -v", &found), ARGUMENTS_END);
	assert_string_equal(found.cell, "dir");
	assert_int_equal(walk(gnu, "x -vq", &found), ARGUMENTS_UNKNOWN);
	assert_int_equal(words.letter, 'q');
	assert_int_equal(walk(gnu, "x -vc", &found), ARGUMENTS_NO_VALUE);
}

static void test_a_long_name_may_be_shortened_while_it_is_unambiguous(void **unused)
{
	struct found found;

	(void)unused;
	assert_int_equal(walk(gnu, "x --verb --n 7", &found), ARGUMENTS_END);
	assert_true(found.verbose);
	assert_int_equal(found.now, 7);
	assert_int_equal(walk(gnu, "x --ver", &found), ARGUMENTS_UNKNOWN);
	assert_int_equal(walk(verb, "x --al", &found), ARGUMENTS_UNKNOWN);
	assert_int_equal(walk(verb, "x -pr", &found), ARGUMENTS_UNKNOWN);
}

static void test_faults_are_distinguished(void **unused)
{
	struct found found;

	(void)unused;
	assert_int_equal(walk(gnu, "x --cell", &found), ARGUMENTS_NO_VALUE);
	assert_int_equal(walk(gnu, "x --verbose=yes", &found), ARGUMENTS_VALUE);
	assert_int_equal(walk(gnu, "x --colour", &found), ARGUMENTS_UNKNOWN);
	assert_int_equal(walk(verb, "x -pri=1", &found), ARGUMENTS_UNKNOWN);
	assert_int_equal(walk(verb, "x --cell=1 --all=1", &found), ARGUMENTS_VALUE);
}

static void test_one_row_has_several_names_and_bits_add_up(void **unused)
{
	struct found found;

	(void)unused;
	assert_int_equal(walk(verb, "x -pri --everything -ext", &found), ARGUMENTS_END);
	assert_int_equal(found.show, 5);
	assert_true(found.all);
	assert_string_equal(words.argv[words.next - 1], "-ext");
}

/* Return the operands of the last walk, with blanks between them. */
static const char *operands(void)
{
	static char text[sizeof(line)];

	*text = '\0';
	for (int k = words.next; k < words.argc; k++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", *text ? " " : "", words.argv[k]);
	assert_null(words.argv[words.argc]);
	return text;
}

static void test_options_may_be_between_and_after_operands(void **unused)
{
	struct found found;

	(void)unused;
	assert_int_equal(walk(verb, "x a -pri b c --cell d e -ext", &found), ARGUMENTS_END);
	assert_string_equal(operands(), "a b c e");
	assert_int_equal(found.show, 5);
	assert_string_equal(found.cell, "d");
	assert_int_equal(walk(verb, "x a b -a", &found), ARGUMENTS_END);
	assert_string_equal(operands(), "a b");
	assert_true(found.all);
	assert_int_equal(walk(verb, "x - -ext", &found), ARGUMENTS_END);
	assert_string_equal(operands(), "-");
	assert_int_equal(found.show, 4);
	assert_int_equal(walk(gnu, "x a -vc b d", &found), ARGUMENTS_END);
	assert_string_equal(operands(), "a d");
	assert_string_equal(found.cell, "b");
}

static void test_two_dashes_end_the_options(void **unused)
{
	struct found found;

	(void)unused;
	assert_int_equal(walk(verb, "x -pri -- -ext", &found), ARGUMENTS_END);
	assert_string_equal(operands(), "-ext");
	assert_int_equal(found.show, 1);
	assert_int_equal(walk(verb, "x a -pri b -- -ext c --", &found), ARGUMENTS_END);
	assert_string_equal(operands(), "a b -ext c --");
	assert_int_equal(found.show, 1);
	assert_int_equal(walk(verb, "x --", &found), ARGUMENTS_END);
	assert_string_equal(operands(), "");
}

static void test_the_words_of_another_command_keep_their_order(void **unused)
{
	char *others[] = { "x", "-pri", "sleep", "-ext", NULL };

	(void)unused;
	words = (struct words){ .table = verb, .argc = 4, .argv = others, .next = 1, .keeps_order = true };
	assert_int_equal(arguments_next(&words), ARGUMENTS_OPTION);
	assert_int_equal(arguments_next(&words), ARGUMENTS_END);
	assert_int_equal(words.argc, 4);
	assert_string_equal(operands(), "sleep -ext");
}

static void test_many_operands_before_an_option_keep_their_order(void **unused)
{
	enum { MANY = 1000 };
	static char names[MANY][8], *many[MANY + 3] = { "x" };
	struct found found = { .cell = NULL };

	(void)unused;
	for (int k = 0; k < MANY; k++) {
		snprintf(names[k], sizeof(names[k]), "%d", k);
		many[k + 1] = names[k];
	}
	many[MANY + 1] = "-pri";
	words = (struct words){ .table = verb, .argc = MANY + 2, .argv = many, .next = 1 };
	assert_int_equal(arguments_next(&words), ARGUMENTS_OPTION);
	assert_null(arguments_take(&words, &found));
	assert_int_equal(arguments_next(&words), ARGUMENTS_END);
	assert_int_equal(words.next, 2);
	assert_int_equal(words.argc, MANY + 2);
	for (int k = 0; k < MANY; k++)
		assert_string_equal(many[words.next + k], names[k]);
}

static void test_numbers_outside_their_limits_are_refused(void **unused)
{
	static const char *const wrong[] = { "0", "10", "-1", "3x", "", "99999999999999999999" };
	struct found found = { .workers = 5 };

	(void)unused;
	for (size_t k = 0; k < sizeof(wrong) / sizeof(*wrong); k++) {
		words = (struct words){ .row = &gnu[3], .value = wrong[k] };
		assert_string_equal(arguments_take(&words, &found), "1 to 9 is expected");
		assert_int_equal(found.workers, 5);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values_follow_a_blank_or_an_equals_sign),
		cmocka_unit_test(test_letters_combine_and_the_last_may_have_a_value),
		cmocka_unit_test(test_a_long_name_may_be_shortened_while_it_is_unambiguous),
		cmocka_unit_test(test_faults_are_distinguished),
		cmocka_unit_test(test_one_row_has_several_names_and_bits_add_up),
		cmocka_unit_test(test_options_may_be_between_and_after_operands),
		cmocka_unit_test(test_two_dashes_end_the_options),
		cmocka_unit_test(test_the_words_of_another_command_keep_their_order),
		cmocka_unit_test(test_many_operands_before_an_option_keep_their_order),
		cmocka_unit_test(test_numbers_outside_their_limits_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
