/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deliveries of a Grid Engine qmaster, recorded and forged (tests/fuzz/corpus/take), are kept in a
 * journal as events. Each event can be read back, and the runs between them give the same results.
 */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sched/qmaster/gridengine/take.h"
#include "tests/gdi/vectors.h"
#include "tests/gridengine/alone.h"
#include "tests/journal/kept.h"

static struct kept_runs kept;

static void deliver(struct sge *sge, unsigned char *bytes, size_t n)
{
	struct gdi_buffer buffer = { bytes, bytes + n };
	struct error error = { "" };
	struct gdi_list reports, events;
	struct gdi_element report;
	int rc = gdi_take_header(&buffer, &error);

	rc = rc ? rc : gdi_take_list(&buffer, &reports, &error);
	rc = rc ? rc : gdi_take_end(&buffer, &error);
	if (rc || !gdi_next(&reports, &report))
		return;
	events = gdi_list(&report, REP_list);
	if (take_delivery(sge, &events, &error)) {
		take_registered(sge);
		sge->take->next = 0;
	}
}

static void deliver_all(struct sge *sge, const char *path)
{
	FILE *file = fopen(path, "rb");
	unsigned char head[4];
	int64_t now = NOW;

	assert_non_null(file);
	while (fread(head, 1, 4, file) == 4) {
		size_t n = (size_t)head[0] << 24 | (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
		unsigned char *bytes = malloc(n < 1 << 24 ? n + 1 : 1);

		n = n < 1 << 24 ? fread(bytes, 1, n, file) : 0;
		deliver(sge, bytes, n);
		free(bytes);
		kept_run(&kept, ++now);
	}
	fclose(file);
}

static void test_deliveries_of_a_qmaster_give_the_same_runs(void **state)
{
	uint64_t events = 0;
	glob_t corpus;

	alone_is_silent = true;
	assert_int_equal(glob("tests/fuzz/corpus/take/*", 0, NULL, &corpus), 0);
	for (size_t i = 0; i < corpus.gl_pathc; i++) {
		struct fixture *fixture = *state;
		struct sge sge = { .intake = &fixture->intake };
		struct rerun_outcome outcome;
		struct error error = { "" };

		kept_begin(&kept, fixture, 0, true);
		assert_int_equal(take_open(&sge, &error), 0);
		kept_run(&kept, NOW);
		deliver_all(&sge, corpus.gl_pathv[i]);
		kept_end(&kept);
		take_close(&sge);
		if (rerun(&(struct rerun_options){ .path = kept.path }, &outcome, &error))
			fail_msg("%s: %s", corpus.gl_pathv[i], error.text);
		if (outcome.differs)
			fail_msg("%s: run %llu: %s %s %s: %s, and now %s", corpus.gl_pathv[i],
				 (unsigned long long)outcome.difference.run, outcome.difference.table,
				 outcome.difference.of, outcome.difference.column, outcome.difference.live,
				 outcome.difference.again);
		events += outcome.events;
		kept_remove(&kept);
		assert_int_equal(teardown(state), 0);
		assert_int_equal(starting_setup(state), 0);
	}
	globfree(&corpus);
	assert_true(events > 50);
}

static struct sge recorded;
static int64_t recorded_now;

static void message(const struct vector_message *vector_message)
{
	if (vector_message->tag != TAG_REPORT || vector_message->direction != '<')
		return;
	deliver(&recorded, vector_message->data, vector_message->n);
	kept_run(&kept, ++recorded_now);
}

/* Play the conversations one after the other, as if the qmaster had been restarted each time. */
static void test_recorded_conversations_give_the_same_runs(void **state)
{
	struct fixture *fixture = *state;
	struct rerun_outcome outcome;
	struct error error = { "" };

	alone_is_silent = true;
	recorded = (struct sge){ .intake = &fixture->intake };
	recorded_now = NOW;
	kept_begin(&kept, fixture, 0, true);
	assert_int_equal(take_open(&recorded, &error), 0);
	kept_run(&kept, NOW);
	vectors_all("", message);
	kept_end(&kept);
	take_close(&recorded);
	if (rerun(&(struct rerun_options){ .path = kept.path }, &outcome, &error))
		fail_msg("%s", error.text);
	if (outcome.differs)
		fail_msg("run %llu: %s %s %s: %s, and now %s", (unsigned long long)outcome.difference.run,
			 outcome.difference.table, outcome.difference.of, outcome.difference.column,
			 outcome.difference.live, outcome.difference.again);
	assert_true(outcome.events > 50 && outcome.runs > 100 && outcome.gaps == 0);
	kept_remove(&kept);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_deliveries_of_a_qmaster_give_the_same_runs, starting_setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_recorded_conversations_give_the_same_runs, starting_setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
