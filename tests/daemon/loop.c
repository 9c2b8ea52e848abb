/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of the process to a qmaster and their order, as described in qmaster.h. The fake qmaster
 * records them.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <cmocka.h>

#include "sched/daemon/loop.h"
#include "sched/daemon/qmasters.h"
#include "tests/mirror/cell.h"

static struct fake {
	struct qmaster qmaster;
	struct intake *intake;
	char calls[1000];
	int fd;				/* always readable */
	int turn;
	void (*handle)(struct fake *fake);
	bool stored;			/* as passed with the last run */
} fake;

static void note(const char *call)
{
	assert_true(strlen(fake.calls) + strlen(call) + 2 < sizeof(fake.calls));
	strcat(strcat(fake.calls, call), " ");
}

static void fake_close(struct qmaster *qmaster)
{
	(void)qmaster;
	note("close");
}

static int fake_begin(struct qmaster *qmaster, bool once, struct error *error)
{
	(void)qmaster;
	(void)error;
	note(once ? "begin-once" : "begin");
	return 0;
}

static void fake_watch(struct qmaster *qmaster, struct pollfd fds[QMASTER_FDS])
{
	(void)qmaster;
	for (int i = 0; i < QMASTER_FDS; i++)
		assert_int_equal(fds[i].fd, -1);
	fds[1] = (struct pollfd){ .fd = fake.fd, .events = POLLIN };
	note("watch");
}

static void fake_handle(struct qmaster *qmaster, const struct pollfd fds[QMASTER_FDS])
{
	(void)qmaster;
	assert_true(fds[1].fd == fake.fd && fds[1].revents == POLLIN);
	note("handle");
	fake.turn++;
	if (fake.handle)
		fake.handle(&fake);
}

static void fake_settle(struct qmaster *qmaster)
{
	(void)qmaster;
	note("settle");
}

static void fake_settle_alone(struct qmaster *qmaster)
{
	fake_settle(qmaster);
	fake.turn++;
	fake.handle(&fake);
}

static uint64_t fake_at_once(const struct qmaster *qmaster)
{
	(void)qmaster;
	return 0;
}

static void fake_ran(struct qmaster *qmaster, int64_t now, bool stored)
{
	(void)qmaster;
	(void)now;
	fake.stored = stored;
	note("ran");
}

static void fake_reloaded(struct qmaster *qmaster)
{
	(void)qmaster;
	note("reloaded");
}

static void fake_complain(struct qmaster *qmaster, const char *text)
{
	(void)qmaster;
	assert_non_null(strstr(text, "queue/all.q"));
	note("complain");
}

static bool fake_ended(const struct qmaster *qmaster)
{
	(void)qmaster;
	return fake.turn == 2;
}

static uint64_t fake_settled(const struct qmaster *qmaster)
{
	(void)qmaster;
	return 77;
}

static uint64_t fake_refused(const struct qmaster *qmaster)
{
	(void)qmaster;
	return 3;
}

static int fake_finish(struct qmaster *qmaster, bool all, struct error *error)
{
	(void)qmaster;
	note(all ? "finish-all" : "finish");
	return all ? error_set(error, -EPIPE, "no reader") : 0;
}

static int fake_prepare(struct qmaster *qmaster, struct error *error)
{
	(void)qmaster;
	note("prepare");
	return fake.turn == 3 ? error_set(error, -ENOMEM, "no memory") : 0;
}

static void fake_attach(struct qmaster *qmaster)
{
	(void)qmaster;
	note("attach");
	fake.intake->hurry(fake.intake->context);
}

static void fake_hand_back(struct qmaster *qmaster)
{
	(void)qmaster;
	note("hand-back");
	fake.intake->end(fake.intake->context);
}

static void fake_place(const struct qmaster *qmaster, struct place_record *place)
{
	(void)qmaster;
	*place = (struct place_record){ .state = PLACE_OURS, .host = "bly" };
}

static bool fake_ready(const struct qmaster *qmaster)
{
	(void)qmaster;
	note("ready");
	return fake.turn >= 2;
}

static size_t one_ticket(uint64_t number, const char *host, const struct order_ticket *tickets, size_t n)
{
	(void)number;
	(void)host;
	(void)tickets;
	return n ? 1 : 0;
}

static const struct orders_limits limits = { .tickets = one_ticket };
static const struct qmaster_methods whole = {
	.limits = &limits, .close = fake_close, .begin = fake_begin, .watch = fake_watch, .handle = fake_handle, .settle = fake_settle,
	.ran = fake_ran, .reloaded = fake_reloaded, .complain = fake_complain, .ended = fake_ended, .settled = fake_settled,
	.refused = fake_refused, .finish = fake_finish,
};
/* Without all optional calls, except the one that ends the wait. */
static const struct qmaster_methods least = {
	.close = fake_close, .due_ns = fake_at_once, .settle = fake_settle_alone, .settled = fake_settled,
};
/* A qmaster whose role can change hands and that announces due runs. */
static const struct qmaster_methods placed = {
	.close = fake_close, .watch = fake_watch, .handle = fake_handle, .settle = fake_settle, .settled = fake_settled,
	.prepare = fake_prepare, .attach = fake_attach, .hand_back = fake_hand_back, .place = fake_place,
};
static const struct qmaster_methods slow = {
	.close = fake_close, .watch = fake_watch, .handle = fake_handle, .settle = fake_settle, .settled = fake_settled, .ready = fake_ready,
};
static const struct qmaster_methods *methods;

/* Replaces the function in qmasters.c and its table. */
int qmasters_open(struct qmaster **qmaster, const struct qmaster_setup *setup, struct error *error)
{
	assert_string_equal(setup->where, "fake:");
	if (!methods)
		return error_set(error, -ECONNREFUSED, "the qmaster does not answer");
	fake.qmaster.methods = methods;
	fake.intake = setup->intake;
	*qmaster = &fake.qmaster;
	return 0;
}

static void begin(struct fixture *fixture, struct loop *loop, const struct qmaster_methods *its,
		  void (*handle)(struct fake *fake))
{
	methods = its;
	fake = (struct fake){ .fd = eventfd(1, EFD_CLOEXEC), .handle = handle };
	assert_int_equal(loop_open(loop, fixture->sched, "fake:", NULL, &fixture->error), 0);
}

static void end(struct loop *loop)
{
	loop_close(loop);
	close(fake.fd);
}

static struct fl_run shown(const struct fixture *fixture)
{
	struct fl_cell *cell;
	struct fl_run run;

	assert_int_equal(fl_attach(&cell, fixture->cell.directory), 0);
	fl_run(fl_begin(cell), &run);
	fl_detach(cell);
	return run;
}

static void test_once_reads_all_input_makes_a_run_and_ends(void **state)
{
	struct fixture *fixture = *state;
	struct loop loop;

	begin(fixture, &loop, &whole, NULL);
	assert_ptr_equal(sched_orders(fixture->sched)->limits.tickets, one_ticket);
	assert_int_equal(loop_once(&loop, NOW, &fixture->error), -EPIPE);
	assert_string_equal(fixture->error.text, "no reader");
	assert_int_equal(loop_refused(&loop), 3);
	assert_int_equal(shown(fixture).event, 77);
	end(&loop);
	assert_string_equal(fake.calls, "begin-once watch handle settle watch handle settle ran finish-all close ");
	assert_true(fake.stored);		/* no store exists */
}

static void test_once_is_refused_for_an_endless_source(void **state)
{
	struct fixture *fixture = *state;
	struct loop loop;

	begin(fixture, &loop, &least, NULL);
	assert_int_equal(loop_once(&loop, NOW, &fixture->error), -ENOTSUP);
	assert_int_equal(loop_refused(&loop), 0);
	end(&loop);
	assert_string_equal(fake.calls, "close ");
}

static void test_a_qmaster_that_can_not_be_opened_is_an_error(void **state)
{
	struct fixture *fixture = *state;
	struct loop loop;

	methods = NULL;
	assert_int_equal(loop_open(&loop, fixture->sched, "fake:", NULL, &fixture->error), -ECONNREFUSED);
	loop_close(&loop);
}

/* Deliver a snapshot in the second turn and end in the third. */
static void report_snapshot(struct fake *of)
{
	struct error error;

	if (of->turn == 2) {
		assert_int_equal(intake_event(of->intake, &(struct event){ .type = EVENT_SNAPSHOT_BEGIN }, &error), 0);
		assert_int_equal(intake_event(of->intake, &(struct event){ .type = EVENT_SNAPSHOT_END }, &error), 0);
	} else if (of->turn == 3) {
		raise(SIGTERM);
	}
}

static void test_a_turn_is_settled_before_and_after_its_run(void **state)
{
	struct fixture *fixture = *state;
	struct loop loop;

	begin(fixture, &loop, &whole, report_snapshot);
	assert_int_equal(loop_serve(&loop, &fixture->error), 0);
	end(&loop);
	assert_string_equal(fake.calls,
			    "begin ran watch handle settle watch handle settle ran settle watch handle settle "
			    "watch handle settle finish close ");
}

static void test_optional_calls_may_be_omitted(void **state)
{
	struct fixture *fixture = *state;
	struct loop loop;

	begin(fixture, &loop, &least, report_snapshot);
	assert_null(sched_orders(fixture->sched)->limits.tickets);
	assert_int_equal(loop_serve(&loop, &fixture->error), 0);
	end(&loop);
	assert_int_equal(shown(fixture).run, 2);
	assert_string_equal(fake.calls, "settle settle settle settle close ");
}

static struct fixture *of_the_cell;

/* Request a reload in the second turn, and one with a fault in the third. */
static void hang_up(struct fake *of)
{
	if (of->turn == 3)
		put(of_the_cell, "queue/all.q", "qname all.q\nslots many\n");
	raise(of->turn == 1 || of->turn == 3 ? SIGHUP : of->turn == 5 ? SIGTERM : SIGURG);
}

static void test_the_loop_reloads_the_configuration(void **state)
{
	struct fixture *fixture = of_the_cell = *state;
	struct loop loop;

	begin(fixture, &loop, &whole, hang_up);
	assert_int_equal(loop_serve(&loop, &fixture->error), 0);
	end(&loop);
	assert_string_equal(fake.calls,
			    "begin ran watch handle settle watch reloaded handle settle ran settle watch handle settle "
			    "watch complain handle settle watch handle settle watch handle settle finish close ");
}

/*
 * Attach in the first turn, which makes a run due in the second. In the third turn the run is not
 * prepared.
 */
static void change_hands(struct fake *of)
{
	if (of->turn == 1)
		raise(SIGUSR1);
	else if (of->turn == 3)
		of->intake->hurry(of->intake->context);
	else if (of->turn == 4)
		raise(SIGUSR2);
}

static void test_signals_attach_and_hand_back_the_scheduler_role(void **state)
{
	struct fixture *fixture = *state;
	struct fl_place place;
	struct loop loop;

	begin(fixture, &loop, &placed, change_hands);
	assert_int_equal(loop_serve(&loop, &fixture->error), 0);
	end(&loop);
	assert_string_equal(
		fake.calls,
		"prepare watch handle settle watch attach handle settle prepare settle watch handle settle prepare settle "
		"watch handle settle watch hand-back handle settle close ");
	assert_int_equal(shown(fixture).run, 2);
	run(fixture, NOW);
	assert_int_equal(fl_place(fixture->view, &place), 0);
	assert_int_equal(place.state, FL_PLACE_OURS);
	assert_string_equal(place.host, "bly");
}

/* No state exists before the second turn, so the predecessor's run stays published until then. */
static void wait_for_state(struct fake *of)
{
	if (of->turn == 3)
		raise(SIGTERM);
	else
		of->intake->hurry(of->intake->context);
}

static void test_results_of_a_predecessor_stay_until_the_first_run(void **state)
{
	struct fixture *fixture = *state;
	struct report report = { 0 };
	struct loop loop;

	run(fixture, NOW);
	sched_destroy(fixture->sched);
	assert_int_equal(sched_create(&fixture->sched, fixture->cell.directory,
				      &(struct segment_options){ .group = -1 }, &report, &fixture->error),
			 0);
	report_free(&report);
	begin(fixture, &loop, &slow, wait_for_state);
	assert_int_equal(loop_serve(&loop, &fixture->error), 0);
	end(&loop);
	assert_string_equal(
		fake.calls,
		"watch handle settle ready watch handle settle ready settle watch handle settle watch handle settle close ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_once_reads_all_input_makes_a_run_and_ends),
		TEST(test_once_is_refused_for_an_endless_source),
		TEST(test_a_qmaster_that_can_not_be_opened_is_an_error),
		TEST(test_a_turn_is_settled_before_and_after_its_run),
		TEST(test_optional_calls_may_be_omitted),
		TEST(test_the_loop_reloads_the_configuration),
		TEST(test_signals_attach_and_hand_back_the_scheduler_role),
		TEST(test_results_of_a_predecessor_stay_until_the_first_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
