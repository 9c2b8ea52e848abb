/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Journals that were changed or truncated. Differences are found and named, and no other failure
 * happens for any contents. FAIRLEAD_SEED=n sets the seed.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "sched/qmaster/journal/frame.h"
#include "sched/qmaster/journal/reading.h"
#include "tests/journal/kept.h"
#include "tests/run/story.h"

enum { RUNS = 6, LINES = 4000, SPOILED = 150 };

struct text {				/* text of a journal */
	char *lines[LINES];
	size_t n;
};

static struct kept_runs kept;

static void keep_some(struct fixture *fixture, bool full)
{
	struct story story = { fixture, 88172645463325252u, 0, NOW };

	make_cell(fixture);
	kept_begin(&kept, fixture, 0, full);
	for (unsigned k = 0; k < RUNS; k++) {
		for (unsigned i = 0; i < 4; i++)
			add_job(&story);
		go_on(&story);
		story.now += 10;
		kept_run(&kept, story.now);
	}
	kept_end(&kept);
}

static struct text *text_of(const char *path)
{
	static struct text text;
	struct journal_reading *reading;
	struct error error;
	const char *line;
	size_t bytes;

	for (size_t i = 0; i < text.n; i++)
		free(text.lines[i]);
	text.n = 0;
	assert_int_equal(reading_open(&reading, path, &error), 0);
	while (text.n < LINES && reading_next(reading, &line, &bytes, &error) == 1)
		text.lines[text.n++] = strndup(line, bytes);
	assert_true(text.n < LINES);
	reading_close(reading);
	return &text;
}

static struct text *text_read(void)
{
	return text_of(kept.path);
}

static void text_write(const struct text *text)
{
	struct frame frame = { .files = { .path = kept.path, .part_bytes = 64 << 20, .fd = -1 } };
	struct error error = { "" };

	remove(kept.path);
	if (frame_begin(&frame, &error))
		fail_msg("%s", error.text);
	for (size_t i = 0; i < text->n; i++) {
		assert_int_equal(frame_write(&frame, text->lines[i], strlen(text->lines[i]), &error), 0);
		assert_int_equal(frame_write(&frame, "\n", 1, &error), 0);
	}
	assert_int_equal(journal_files_settle(&frame.files, &error), 0);
	frame_end(&frame, true);
	frame_free(&frame);
}

/* Return the n-th line with this text, from 0 on. Fails if there is none. */
static char **line_with(struct text *text, const char *what, unsigned n)
{
	for (size_t i = 0; i < text->n; i++)
		if (strstr(text->lines[i], what) && n-- == 0)
			return &text->lines[i];
	fail_msg("no line has %s", what);
	return NULL;
}

/* Replace the text by `by`. */
static void replace(char **line, const char *what, const char *by)
{
	char *at = strstr(*line, what), *new;

	assert_non_null(at);
	assert_true(asprintf(&new, "%.*s%s%s", (int)(at - *line), *line, by, at + strlen(what)) > 0);
	free(*line);
	*line = new;
}

static int again(struct rerun_outcome *outcome, struct error *error)
{
	return rerun(&(struct rerun_options){ .path = kept.path }, outcome, error);
}

static struct rerun_difference difference(void)
{
	struct rerun_outcome outcome;
	struct error error = { "" };

	if (again(&outcome, &error))
		fail_msg("%s", error.text);
	assert_true(outcome.differs);
	return outcome.difference;
}

static void test_a_rewritten_journal_is_the_same(void **state)
{
	struct text *text;

	keep_some(*state, false);
	text = text_read();
	text_write(text);
	kept_same(&kept, 0, RUNS, 1, "written again");
	kept_remove(&kept);
}

static void test_a_clock_that_is_shifted_is_found(void **state)
{
	struct text *text;
	struct rerun_difference rerun_difference;

	keep_some(*state, false);
	text = text_read();
	replace(line_with(text, "{\"run\":", 3), ",\"now\":1", ",\"now\":2");
	text_write(text);
	rerun_difference = difference();
	assert_int_equal(rerun_difference.run, 4);
	kept_remove(&kept);
}

static void test_an_event_that_is_changed_is_found(void **state)
{
	struct text *text;
	char **line;
	struct rerun_difference rerun_difference;

	keep_some(*state, false);
	text = text_read();
	line = line_with(text, "{\"run\":", 2);
	while (!strstr(*line, "\"event\":\"job_add\""))
		line++;
	replace(line, "\"submission_time\":", "\"submission_time\":1");
	text_write(text);
	rerun_difference = difference();
	assert_true(rerun_difference.run >= 4);
	kept_remove(&kept);
}

static void test_an_order_that_is_changed_is_named(void **state)
{
	struct text *text;
	struct rerun_difference rerun_difference;

	keep_some(*state, false);
	text = text_read();
	replace(line_with(text, "{\"order\":\"start\"", 1), "\"slots\":", "\"slots\":7");
	text_write(text);
	rerun_difference = difference();
	assert_string_equal(rerun_difference.table, "orders");
	assert_string_equal(rerun_difference.column, "slots");
	assert_int_equal(atoi(rerun_difference.live) / 10, 7);
	assert_true(strncmp(rerun_difference.of, "order ", 6) == 0);
	kept_remove(&kept);
}

/* 17 digits of both values, and the job. */
static void test_with_values_the_column_is_named(void **state)
{
	struct text *text;
	struct rerun_difference rerun_difference;
	char **line;

	keep_some(*state, true);
	text = text_read();
	line = line_with(text, "{\"file\":\"sched_conf\"", 0);
	replace(line, "weight_tickets_functional", "weight_tickets_functional 4999\\n#");
	text_write(text);
	rerun_difference = difference();
	assert_int_equal(rerun_difference.run, 1);
	assert_true(*rerun_difference.column && *rerun_difference.live && *rerun_difference.again);
	assert_string_not_equal(rerun_difference.live, rerun_difference.again);
	kept_remove(&kept);
}

/* Truncate the journal as a killed scheduler does. */
static void test_a_truncated_journal_is_run_up_to_its_last_complete_run(void **state)
{
	struct stat st;
	struct rerun_outcome outcome;
	struct error error = { "" };
	uint64_t runs = RUNS;

	keep_some(*state, false);
	assert_int_equal(stat(kept.path, &st), 0);
	for (off_t size = st.st_size - 1; size > 4000; size -= 1 + size / 50) {
		int rc;

		assert_int_equal(truncate(kept.path, size), 0);
		rc = again(&outcome, &error);
		if (rc == -ENODATA)
			break;
		if (rc || outcome.differs)
			fail_msg("%lld bytes: %s: run %llu %s", (long long)size, error.text,
				 (unsigned long long)outcome.difference.run, outcome.difference.table);
		assert_true(outcome.cut && outcome.runs <= runs);
		runs = outcome.runs;
	}
	assert_true(runs < RUNS);
	kept_remove(&kept);
}

static uint64_t random_state;

static size_t below_of(size_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return n ? (size_t)(random_state >> 11) % n : 0;
}

static void spoil_line(struct text *text)
{
	static const char *const parts[] = { "-1", "18446744073709551616", "1e400",   "[[[[", "\"", "null",
					     "{}", "4294967295",	   "\\u0001", "" };
	char **line = &text->lines[below_of(text->n)], *other = text->lines[below_of(text->n)], *new = NULL;
	size_t n = strlen(*line), at = below_of(n), end = at + below_of(n - at < 20 ? n - at : 20);

	switch (below_of(4)) {
	case 0:		/* another line or a part of it */
		assert_true(asprintf(&new, "%s", other) >= 0);
		break;
	case 1:
		assert_true(asprintf(&new, "%.*s", (int)at, *line) >= 0);
		break;
	default:
		assert_true(asprintf(&new, "%.*s%s%s", (int)at, *line, parts[below_of(10)], *line + end) >= 0);
	}
	free(*line);
	*line = new;
}

/* Another result, an error with its line, or the same result, but never a crash. */
static void test_lines_that_are_spoiled_do_no_harm(void **state)
{
	const char *given = getenv("FAIRLEAD_SEED");
	char whole[PATH_MAX + 16];
	unsigned refused = 0;

	keep_some(*state, true);
	snprintf(whole, sizeof(whole), "%s.whole", kept.path);
	assert_int_equal(rename(kept.path, whole), 0);
	random_state = 88172645463325252u ^ (given ? strtoull(given, NULL, 10) : 1) * 0x9e3779b97f4a7c15u;
	for (unsigned i = 0; i < SPOILED; i++) {
		struct rerun_outcome outcome;
		struct error error = { "" };
		struct text *text;

		text = text_of(whole);
		spoil_line(text);
		text_write(text);
		if (again(&outcome, &error)) {
			assert_true(*error.text != '\0');
			refused++;
		}
	}
	assert_true(refused > SPOILED / 10);
	remove(whole);
	kept_remove(&kept);
}

static void test_bytes_that_are_spoiled_do_no_harm(void **state)
{
	struct stat st;
	char *bytes;
	int fd;

	keep_some(*state, false);
	fd = open(kept.path, O_RDWR);
	assert_int_equal(fstat(fd, &st), 0);
	bytes = malloc((size_t)st.st_size);
	assert_int_equal(pread(fd, bytes, (size_t)st.st_size, 0), st.st_size);
	random_state = 4711;
	for (unsigned i = 0; i < SPOILED; i++) {
		struct rerun_outcome outcome;
		struct error error = { "" };
		size_t at = below_of((size_t)st.st_size);
		char spoiled = (char)(bytes[at] ^ (1 << below_of(8)));

		assert_int_equal(pwrite(fd, &spoiled, 1, (off_t)at), 1);
		if (again(&outcome, &error))
			assert_true(*error.text != '\0');
		assert_int_equal(pwrite(fd, &bytes[at], 1, (off_t)at), 1);
	}
	kept_same(&kept, 0, RUNS, 1, "as it was");
	close(fd);
	free(bytes);
	kept_remove(&kept);
}

static void test_a_bomb_is_refused(void **state)
{
	struct frame frame = { .files = { .path = kept.path, .part_bytes = 64 << 20, .fd = -1 } };
	static char zeros[1 << 20];
	struct rerun_outcome outcome;
	struct error error = { "" };

	keep_some(*state, false);
	remove(kept.path);
	memset(zeros, ' ', sizeof(zeros));
	zeros[sizeof(zeros) - 1] = '\n';
	zeros[0] = '{';
	zeros[sizeof(zeros) - 2] = '}';
	assert_int_equal(frame_begin(&frame, &error), 0);
	for (unsigned i = 0; i < 200; i++)
		assert_int_equal(frame_write(&frame, zeros, sizeof(zeros), &error), 0);
	assert_int_equal(journal_files_settle(&frame.files, &error), 0);
	frame_end(&frame, true);
	frame_free(&frame);
	assert_int_equal(again(&outcome, &error), -EPROTO);
	assert_non_null(strstr(error.text, "no journal does"));
	kept_remove(&kept);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_a_rewritten_journal_is_the_same),
		DISPATCH_TEST(test_a_clock_that_is_shifted_is_found),
		DISPATCH_TEST(test_an_event_that_is_changed_is_found),
		DISPATCH_TEST(test_an_order_that_is_changed_is_named),
		DISPATCH_TEST(test_with_values_the_column_is_named),
		DISPATCH_TEST(test_a_truncated_journal_is_run_up_to_its_last_complete_run),
		DISPATCH_TEST(test_lines_that_are_spoiled_do_no_harm),
		DISPATCH_TEST(test_bytes_that_are_spoiled_do_no_harm),
		DISPATCH_TEST(test_a_bomb_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
