/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scheduler that receives deliveries of a qmaster, without the rest of its room. Calls to orders
 * and the scheduler role are recorded as text. Include after cmocka.h and its headers.
 */
#ifndef TESTS_GRIDENGINE_TOLD_H
#define TESTS_GRIDENGINE_TOLD_H

#include <stdarg.h>

#include "sched/mirror/tables.h"
#include "sched/qmaster/gridengine/inside.h"
#include "sched/qmaster/gridengine/known.h"
#include "sched/qmaster/gridengine/take.h"
#include "tests/gdi/vectors.h"
#include "tests/gridengine/alone.h"
#include "tests/gridengine/forge.h"
#include "tests/mirror/cell.h"

struct told_fixture {
	struct fixture f;
	struct sge g;
	int deliveries;			/* number of deliveries still to take */
	uint64_t until;			/* take deliveries until this event was taken */
	int rc;				/* last error code */
	struct error error;
};

static struct told_fixture *told;	/* fixture of the running test */

/* Deliveries */

static inline void told_deliver(struct told_fixture *fixture, unsigned char *bytes, size_t n)
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

static inline void told_message(const struct vector_message *message)
{
	if (message->tag == TAG_REPORT && message->direction == '<' && told->deliveries > 0 && told->rc == 0 &&
	    told->g.take->next <= told->until) {
		told->deliveries--;
		told_deliver(told, message->data, message->n);
	}
}

/* Play the first n deliveries of a recorded conversation with this text in its name. */
static inline void play_some(struct told_fixture *fixture, const char *name, int n)
{
	fixture->deliveries = n;
	fixture->until = UINT64_MAX;
	fixture->rc = 0;
	vectors_all(name, told_message);
}

/* Play up to the delivery with this event. Earlier ones are skipped. */
static inline void play_until(struct told_fixture *fixture, const char *name, uint32_t number)
{
	fixture->deliveries = INT32_MAX;
	fixture->until = number;
	fixture->rc = 0;
	vectors_all(name, told_message);
	if (fixture->rc)
		fail_msg("%s: %s", name, fixture->error.text);
}

static inline void play(struct told_fixture *fixture, const char *name)
{
	play_some(fixture, name, INT32_MAX);
	if (fixture->rc)
		fail_msg("%s: %s", name, fixture->error.text);
}

/* Play a conversation that begins in the middle of a connection. */
static inline void play_on(struct told_fixture *fixture, const char *name)
{
	take_registered(&fixture->g);
	fixture->g.take->next = 0;
	play(fixture, name);
}

/* State of the mirror */

static inline const struct state *told_state(const struct told_fixture *fixture)
{
	return sched_mirror(fixture->f.sched)->state;
}

/* Return a started task, or NULL. */
static inline const struct task *told_task(const struct told_fixture *fixture, uint32_t job_number, uint32_t id)
{
	const struct state *state = told_state(fixture);
	uint32_t row = jobs_find(&state->jobs, job_number),
		 task = row == INDEX_NONE ? NONE : tasks_find(state, row, id);

	return task == NONE ? NULL : &state->tasks.items[task];
}

static inline const char *told_text(const struct told_fixture *fixture, uint32_t id)
{
	return mirror_text(sched_mirror(fixture->f.sched), id);
}

static inline double told_usage(const struct told_fixture *fixture, const struct usage *usage, const char *name)
{
	const struct mirror *mirror = sched_mirror(fixture->f.sched);

	for (size_t i = 0; i < usage->n; i++)
		if (strcmp(told_text(fixture, mirror->usage_names.strings[usage->items[i].name]), name) == 0)
			return usage->items[i].value;
	return -1.0;
}

static inline int told_setup(void **state)
{
	static struct told_fixture fixture;
	void *inner;

	if (setup(&inner))
		return -1;
	fixture = (struct told_fixture){ .f = *(struct fixture *)inner };
	fixture.g.intake = &fixture.f.intake;
	fixture.f.intake.mirror = sched_mirror(fixture.f.sched);
	heard[0] = '\0';
	booked = false;
	told = &fixture;
	*state = &fixture;
	if (take_open(&fixture.g, &fixture.error))
		return -1;
	take_registered(&fixture.g);
	return 0;
}

static inline int told_teardown(void **state)
{
	struct told_fixture *fixture = *state;
	void *inner = &fixture->f;

	take_close(&fixture->g);
	told = NULL;
	return teardown(&inner);
}

#define HEARD(text) assert_non_null(strstr(heard, text))
#define TOLD_TEST(name) cmocka_unit_test_setup_teardown(name, told_setup, told_teardown)

#endif
