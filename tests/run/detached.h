/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random events for a cell, and runs that a detached scheduler computes again. The results of a run
 * are written as text: the output of the test's function, the orders, and the final state of the
 * run.
 */
#ifndef TESTS_RUN_DETACHED_H
#define TESTS_RUN_DETACHED_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sched/detach.h"
#include "sched/qmaster/json/event_write.h"
#include "sched/reader/handle.h"
#include "sched/run/resend.h"
#include "tests/dispatch/cell.h"

/* Results of a run */

typedef void show_run(FILE *out, const struct fl_view *view);

struct reported { struct out out; uint64_t seq; };

static inline int write_event(void *context, const struct event *event)
{
	struct reported *reported = context;

	event_write(&reported->out, ++reported->seq, event);
	return 0;
}

static inline void show_state(FILE *out, const struct fl_view *view)
{
	struct reported reported = { .seq = 0 };
	const struct resend_calls calls = { .context = &reported, .event = write_event };
	const char *text;
	size_t bytes;

	assert_int_equal(out_open_memory(&reported.out, 64 << 20), 0);
	assert_int_equal(resend_events(&view->view, &calls), 0);
	assert_int_equal(out_held(&reported.out, &text, &bytes), 0);
	fwrite(text, 1, bytes, out);
	out_close(&reported.out);
}

static inline void show_orders(FILE *out, const struct orders *orders, uint64_t after)
{
	for (const struct order *order; (order = orders_after(orders, after)); after = order->number) {
		struct out line;
		size_t length;
		const char *text = line_of(order, &line, &length);

		fwrite(text, 1, length, out);
		out_close(&line);
	}
}

/* Return the results as a text. The caller frees it. */
static inline char *shown(const struct fl_view *view, show_run *show, const struct orders *orders, uint64_t after)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	show(out, view);
	show_orders(out, orders, after);
	show_state(out, view);
	fclose(out);
	return text;
}

/* Compute the published run again in a scheduler of its own. `change` may be NULL. */
static inline char *shown_again(struct fixture *fixture, show_run *show, uint64_t after,
				void (*change)(struct sched *sched))
{
	const struct detach_options options = { .segment_bytes = 256 << 20 };
	struct fl_cell *reader;
	struct sched *detached;
	struct fl_run run;
	char *text;

	fl_run(fixture->view, &run);
	if (sched_detach(&detached, &fixture->view->view, &options, &fixture->error) != 0)
		fail_msg("%s", fixture->error.text);
	sched_orders(detached)->limits = order_line_limits;
	if (change)
		change(detached);
	assert_int_equal(sched_run(detached, run.now, run.event, &fixture->error), 0);
	assert_int_equal(fl_attach_descriptor(&reader, sched_descriptor(detached)), 0);
	text = shown(fl_begin(reader), show, sched_orders(detached), after);
	assert_int_equal(fl_end(reader), 0);
	fl_detach(reader);
	sched_destroy(detached);
	return text;
}

static inline void check_same(const char *a, const char *b, uint64_t seed, unsigned k)
{
	while (*a && *a == *b) {
		size_t n = strcspn(a, "\n") + 1;

		if (strncmp(a, b, n) != 0)
			break;
		a += n;
		b += n;
	}
	if (*a || *b)
		fail_msg("FAIRLEAD_SEED=%" PRIu64 ", run %u:\n%.*s\nagain:\n%.*s", seed, k, (int)strcspn(a, "\n"), a,
			 (int)strcspn(b, "\n"), b);
}

/* Random events */

struct story {
	struct fixture *f;
	uint64_t random;
	uint32_t jobs;			/* added so far: their numbers are 1 .. jobs */
	int64_t now;
};

static inline uint32_t below(struct story *story, uint32_t n)
{
	story->random ^= story->random << 13;
	story->random ^= story->random >> 7;
	story->random ^= story->random << 17;
	return (uint32_t)(story->random >> 20) % n;
}

#define ONE_OF(s, ...) ((const char *[]){ __VA_ARGS__ }[below(s, sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *))])

/* Find a task that has started or is only ordered to start: its job and id. NULL: there is none. */
static inline const struct task *some_task(struct story *story, bool ordered, uint32_t *number)
{
	const struct state *state = sched_mirror(story->f->sched)->state;
	size_t n = 0, k;

	pool_each(i, &state->tasks.pool)
		n += !!state->tasks.items[i].order == ordered;
	k = n ? below(story, (uint32_t)n) : 0;
	pool_each(i, &state->tasks.pool)
		if (!!state->tasks.items[i].order == ordered && k-- == 0) {
			*number = job_fact(&state->jobs, state->tasks.items[i].row, number);
			return &state->tasks.items[i];
		}
	return NULL;
}

#endif
