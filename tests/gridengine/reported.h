/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scheduler that receives deliveries of a qmaster, without the rest of its room. Calls to orders
 * and the scheduler role are recorded as text. Include after cmocka.h and its headers.
 */
#ifndef TESTS_GRIDENGINE_REPORTED_H
#define TESTS_GRIDENGINE_REPORTED_H

#include <stdarg.h>

#include "sched/mirror/tables.h"
#include "sched/qmaster/gridengine/inside.h"
#include "sched/qmaster/gridengine/known.h"
#include "sched/qmaster/gridengine/take.h"
#include "tests/gdi/vectors.h"
#include "tests/gridengine/alone.h"
#include "tests/gridengine/forge.h"
#include "tests/mirror/cell.h"

struct reported_fixture {
	struct fixture f;
	struct sge g;
	int deliveries;			/* number of deliveries still to take */
	uint64_t until;			/* take deliveries until this event was taken */
	int rc;				/* last error code */
	struct error error;
};

static struct reported_fixture *reported;	/* fixture of the running test */

/* Deliveries */

static inline void reported_deliver(struct reported_fixture *fixture, unsigned char *bytes, size_t n)
{
	struct gdi_buffer buffer = { bytes, bytes + n };
	struct gdi_list reports, events;
	struct gdi_element report;

	assert_int_equal(gdi_take_header(&buffer, &fixture->error), 0);
	assert_int_equal(gdi_take_list(&buffer, &reports, &fixture->error), 0);
	assert_true(gdi_next(&reports, &report));
	events = gdi_list(&report, REP_list);
	fixture->rc = take_delivery(&fixture->g, &events, &fixture->error);
}

static inline void reported_message(const struct vector_message *message)
{
	if (message->tag == TAG_REPORT && message->direction == '<' && reported->deliveries > 0 && reported->rc == 0 &&
	    reported->g.take->next <= reported->until) {
		reported->deliveries--;
		reported_deliver(reported, message->data, message->n);
	}
}

/* Play the first n deliveries of a recorded conversation with this text in its name. */
static inline void play_some(struct reported_fixture *fixture, const char *name, int n)
{
	fixture->deliveries = n;
	fixture->until = UINT64_MAX;
	fixture->rc = 0;
	vectors_all(name, reported_message);
}

/* Play up to the delivery with this event. Earlier ones are skipped. */
static inline void play_until(struct reported_fixture *fixture, const char *name, uint32_t number)
{
	fixture->deliveries = INT32_MAX;
	fixture->until = number;
	fixture->rc = 0;
	vectors_all(name, reported_message);
	if (fixture->rc)
		fail_msg("%s: %s", name, fixture->error.text);
}

static inline void play(struct reported_fixture *fixture, const char *name)
{
	play_some(fixture, name, INT32_MAX);
	if (fixture->rc)
		fail_msg("%s: %s", name, fixture->error.text);
}

/* Play a conversation that begins in the middle of a connection. */
static inline void play_on(struct reported_fixture *fixture, const char *name)
{
	take_registered(&fixture->g);
	fixture->g.take->next = 0;
	play(fixture, name);
}

/* State of the mirror */

static inline const struct state *reported_state(const struct reported_fixture *fixture)
{
	return sched_mirror(fixture->f.sched)->state;
}

/* Return an advance reservation, or NULL. */
static inline const struct advance_reservation *reported_advance(const struct reported_fixture *fixture, uint32_t number)
{
	const struct state *state = reported_state(fixture);
	uint32_t i = index_find(&state->advance_index, state->advance_numbers, number);

	return i == INDEX_NONE ? NULL : &state->advances[i];
}

static inline bool is_known(struct known *known, uint32_t job_number, uint32_t id, uint32_t status)
{
	const struct known_task *task = known_task_find(known, job_number, id);

	return task && task->status == status;
}

/* Return a started task, or NULL. */
static inline const struct task *reported_task(const struct reported_fixture *fixture, uint32_t job_number, uint32_t id)
{
	const struct state *state = reported_state(fixture);
	uint32_t row = jobs_find(&state->jobs, job_number),
		 task = row == INDEX_NONE ? NONE : tasks_find(state, row, id);

	return task == NONE ? NULL : &state->tasks.items[task];
}

static inline const char *reported_text(const struct reported_fixture *fixture, uint32_t id)
{
	return mirror_text(sched_mirror(fixture->f.sched), id);
}

static inline double reported_usage(const struct reported_fixture *fixture, const struct usage *usage, const char *name)
{
	const struct mirror *mirror = sched_mirror(fixture->f.sched);

	for (size_t i = 0; i < usage->n; i++)
		if (strcmp(reported_text(fixture, mirror->usage_names.strings[usage->items[i].name]), name) == 0)
			return usage->items[i].value;
	return -1.0;
}

static inline int reported_setup(void **state)
{
	static struct reported_fixture fixture;
	void *inner;

	if (setup(&inner))
		return -1;
	fixture = (struct reported_fixture){ .f = *(struct fixture *)inner };
	fixture.g.intake = &fixture.f.intake;
	fixture.f.intake.mirror = sched_mirror(fixture.f.sched);
	heard[0] = '\0';
	booked = false;
	reported = &fixture;
	*state = &fixture;
	if (take_open(&fixture.g, &fixture.error))
		return -1;
	take_registered(&fixture.g);
	return 0;
}

static inline int reported_teardown(void **state)
{
	struct reported_fixture *fixture = *state;
	void *inner = &fixture->f;

	take_close(&fixture->g);
	reported = NULL;
	return teardown(&inner);
}

#define HEARD(text) assert_non_null(strstr(heard, text))
#define REPORTED_TEST(name) cmocka_unit_test_setup_teardown(name, reported_setup, reported_teardown)

#endif
