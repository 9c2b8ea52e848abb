/* SPDX-License-Identifier: Apache-2.0 */
/* Traces in the text of a test, read from a file of its own, and their errors. */
#ifndef TESTS_TRACE_GIVEN_H
#define TESTS_TRACE_GIVEN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sched/trace/trace.h"

#define COUNT(ARRAY) (sizeof(ARRAY) / sizeof(*(ARRAY)))

/* "trace" in a directory of its own: messages begin with it. */
static char path[64];
static struct trace *trace;
static struct trace_job job;
static struct error error;

static inline int setup(void **state)
{
	char dir[] = "/tmp/trace-XXXXXX";

	(void)state;
	snprintf(path, sizeof(path), "%s/trace", mkdtemp(dir) ? dir : ".");
	return 0;
}

static inline int teardown(void **state)
{
	(void)state;
	trace_close(trace);
	trace = NULL;
	unlink(path);
	*strrchr(path, '/') = '\0';
	return rmdir(path);
}

static inline void put(const void *bytes, size_t n)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, n, file), n);
	assert_int_equal(fclose(file), 0);
}

static inline int opened(const struct trace_options *options)
{
	trace_close(trace);
	trace = NULL;
	error.text[0] = '\0';
	return trace_open(&trace, path, options, &error);
}

static inline void given_with(const char *text, const struct trace_options *options)
{
	put(text, strlen(text));
	if (opened(options))
		fail_msg("%s", error.text);
}

static inline void given(const char *text)
{
	given_with(text, NULL);
}

static inline void next(void)
{
	int rc = trace_next(trace, &job, &error);

	if (rc)
		fail_msg("%s", rc < 0 ? error.text : "there are no more jobs");
}

static inline void no_more(void)
{
	int rc = trace_next(trace, &job, &error);

	if (rc != 1)
		fail_msg("%s", rc < 0 ? error.text : "there is one more job");
}

/* Count all jobs to the end. */
static inline unsigned jobs(void)
{
	unsigned n = 0;
	int rc;

	while ((rc = trace_next(trace, &job, &error)) == 0)
		n++;
	if (rc < 0)
		fail_msg("%s", error.text);
	return n;
}

/* Expect a fault, sooner or later, with these words after the name of the file. */
static inline void refused_with(const char *text, const struct trace_options *options, const char *words)
{
	int rc;

	put(text, strlen(text));
	rc = opened(options);
	while (rc == 0)
		rc = trace_next(trace, &job, &error);
	assert_int_equal(rc, -22);
	if (strncmp(error.text, path, strlen(path)) || strcmp(error.text + strlen(path), words))
		fail_msg("found \"%s\", expected \"%s\"", error.text, words);
}

static inline void refused(const char *text, const char *words)
{
	refused_with(text, NULL, words);
}

static inline void left_out(enum trace_reason reason, unsigned n, unsigned line)
{
	const struct trace_tally *tally = &trace_about(trace)->left_out[reason];

	if (tally->n != n || tally->line != line)
		fail_msg("%lu %s, the first on line %lu", (unsigned long)tally->n, trace_reason_text(reason),
			 (unsigned long)tally->line);
}

static inline void odd(enum trace_quirk quirk, unsigned n, unsigned line)
{
	const struct trace_tally *tally = &trace_about(trace)->quirks[quirk];

	if (tally->n != n || tally->line != line)
		fail_msg("%lu: %s, first on line %lu", (unsigned long)tally->n, trace_quirk_text(quirk),
			 (unsigned long)tally->line);
}

#endif
