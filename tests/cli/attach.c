/* SPDX-License-Identifier: Apache-2.0 */
/* fairlead attach and hand-back: a signal to the process that serves the cell, and its result. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "sched/cli/verbs.h"
#include "sched/daemon/loop.h"
#include "sched/daemon/qmasters.h"
#include "tests/mirror/cell.h"

/* A scheduler in a process of its own that gains and loses the scheduler role on request. */

enum temper { WILLING, UNWILLING, SLOW, PLACELESS };

static struct fake {
	struct qmaster qmaster;
	struct intake *intake;
	enum temper temper;
	struct place_record place;
} fake;

static void fake_close(struct qmaster *qmaster)
{
	(void)qmaster;
}

static void fake_settle(struct qmaster *qmaster)
{
	(void)qmaster;
}

static uint64_t fake_settled(const struct qmaster *qmaster)
{
	(void)qmaster;
	return 0;
}

static void deal(enum place_state state, bool builtin)
{
	fake.place.asked++;
	if (fake.temper == WILLING) {
		fake.place.state = state;
		fake.place.builtin = builtin;
	} else {
		strcpy(fake.place.reason, "fairlead.7 on bly has the scheduler role");
	}
	if (fake.temper != SLOW)
		fake.place.done = fake.place.asked;
	fake.intake->hurry(fake.intake->context);
}

static void fake_attach(struct qmaster *qmaster)
{
	(void)qmaster;
	deal(PLACE_OURS, false);
}

static void fake_hand_back(struct qmaster *qmaster)
{
	(void)qmaster;
	deal(PLACE_WATCHING, true);
}

static void fake_place(const struct qmaster *qmaster, struct place_record *place)
{
	(void)qmaster;
	*place = fake.place;
}

static const struct qmaster_methods placed = {
	.paces = true, .close = fake_close, .settle = fake_settle, .settled = fake_settled, .attach = fake_attach, .hand_back = fake_hand_back,
	.place = fake_place,
};
static const struct qmaster_methods placeless = { .close = fake_close, .settle = fake_settle, .settled = fake_settled };

/* Replaces the function in qmasters.c and its table. */
int qmasters_open(struct qmaster **qmaster, const struct qmaster_setup *setup, struct error *error)
{
	(void)error;
	fake.qmaster.methods = fake.temper == PLACELESS ? &placeless : &placed;
	fake.intake = setup->intake;
	*qmaster = &fake.qmaster;
	return 0;
}

static void serve(const char *directory)
{
	struct report report = { 0 };
	struct error error = { "" };
	struct sched *sched;
	struct loop loop;
	int rc;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	rc = sched_create(&sched, directory, &(struct segment_options){ .group = -1 }, &report, &error);
	report_free(&report);
	rc = rc ? rc : loop_open(&loop, sched, "fake:", NULL, &error);
	rc = rc ? rc : loop_serve(&loop, &error);
	_exit(rc != 0);
}

static pid_t scheduler;

static const struct place_record built_in = { .state = PLACE_WATCHING, .known = 1, .builtin = 1, .host = "ada" };

static void begin(const struct fixture *fixture, enum temper temper, const struct place_record *place)
{
	struct fl_run run = { .scheduler_pid = 0 };
	struct fl_cell *cell;

	fake = (struct fake){ .temper = temper, .place = *place };
	scheduler = fork();
	assert_true(scheduler >= 0);
	if (scheduler == 0)
		serve(fixture->cell.directory);
	while (run.scheduler_pid != (uint32_t)scheduler) {
		usleep(1000);
		if (fl_attach(&cell, fixture->cell.directory))
			continue;
		fl_run(fl_begin(cell), &run);
		fl_end(cell);
		fl_detach(cell);
	}
}

static void end(void)
{
	kill(scheduler, SIGTERM);
	assert_int_equal(waitpid(scheduler, NULL, 0), scheduler);
}

static int say(const struct fixture *fixture, const char *verb, const char *option, const char *value)
{
	char *argv[] = { (char *)(uintptr_t)verb, (char *)(uintptr_t)option, (char *)(uintptr_t)value, NULL };

	return attach_run(fixture->cell.directory, !option ? 1 : !value ? 2 : 3, argv);
}

static void test_attach_and_hand_back_succeed(void **state)
{
	struct fixture *fixture = *state;

	begin(fixture, WILLING, &built_in);
	assert_int_equal(say(fixture, "attach", NULL, NULL), EXIT_OK);
	assert_int_equal(say(fixture, "hand-back", NULL, NULL), EXIT_OK);
	assert_int_equal(say(fixture, "attach", "--wait", "5"), EXIT_OK);
	end();
}

static void test_a_refused_attach_exits_with_a_difference(void **state)
{
	struct fixture *fixture = *state;

	begin(fixture, UNWILLING, &built_in);
	assert_int_equal(say(fixture, "attach", NULL, NULL), EXIT_DIFFERENCE);
	end();
}

static void test_attach_waits_no_longer_than_requested(void **state)
{
	struct fixture *fixture = *state;

	begin(fixture, SLOW, &built_in);
	assert_int_equal(say(fixture, "attach", "--wait", "1"), EXIT_DIFFERENCE);
	end();
}

static void test_a_scheduler_without_roles_gets_no_request(void **state)
{
	struct fixture *fixture = *state;

	begin(fixture, PLACELESS, &built_in);
	assert_int_equal(say(fixture, "attach", NULL, NULL), EXIT_NO_DATA);
	end();
}

static void test_attach_without_a_scheduler_is_reported(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(say(fixture, "attach", NULL, NULL), EXIT_NO_DATA);
	begin(fixture, WILLING, &built_in);
	end();
	/* the last run is still published */
	assert_int_equal(say(fixture, "hand-back", NULL, NULL), EXIT_NO_DATA);
	assert_int_equal(say(fixture, "hand-back", "--wait", "0"), EXIT_USAGE);
	assert_int_equal(say(fixture, "hand-back", "now", NULL), EXIT_USAGE);
}

/* Return the lines of the doctor about the scheduler of `f`. */
static void doctor_says(const struct fixture *fixture, char *text, size_t size)
{
	char *argv[] = { (char *)(uintptr_t)"doctor", NULL };
	FILE *file = tmpfile();
	int before = dup(STDOUT_FILENO);
	size_t n;

	assert_non_null(file);
	fflush(stdout);
	assert_true(dup2(fileno(file), STDOUT_FILENO) >= 0);
	doctor_run(fixture->cell.directory, 1, argv);
	fflush(stdout);
	dup2(before, STDOUT_FILENO);
	close(before);
	rewind(file);
	n = fread(text, 1, size - 1, file);
	text[n] = '\0';
	fclose(file);
}

static void test_the_doctor_names_the_active_scheduler(void **state)
{
	static const struct {
		struct place_record place;
		const char *says;
	} cases[] = {
		{ { .state = PLACE_WATCHING, .shadow = 1, .known = 1, .builtin = 1 },
		  "shadow: the built-in scheduler is in charge, this one only computes\n" },
		{ { .state = PLACE_WATCHING, .known = 1, .builtin = 1 },
		  "qmaster: the built-in scheduler is in charge, this one watches and sends no decisions\n" },
		{ { .state = PLACE_WATCHING, .known = 1, .host = "bly", .name = "fairlead.7" },
		  "qmaster: fairlead.7 on bly is in charge, this one watches" },
		{ { .state = PLACE_WATCHING, .shadow = 1, .known = 1 },
		  "shadow: no scheduler has the role, this one only computes" },
		{ { .state = PLACE_OURS, .known = 1, .us = 1 }, "qmaster: this is the scheduler of the qmaster\n" },
	};
	struct fixture *fixture = *state;
	char text[8192];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		begin(fixture, WILLING, &cases[i].place);
		doctor_says(fixture, text, sizeof(text));
		end();
		if (!strstr(text, cases[i].says) || strstr(text, "0 execution hosts"))
			fail_msg("no \"%s\" in: %s", cases[i].says, text);
	}
}

static int setup_cell(void **state)
{
	static struct fixture fixture;

	*state = &fixture;
	return shm_cell_make(&fixture.cell);
}

static int teardown_cell(void **state)
{
	shm_cell_clear(&((struct fixture *)*state)->cell);
	return 0;
}

#define ATTACH_TEST(test) cmocka_unit_test_setup_teardown(test, setup_cell, teardown_cell)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ATTACH_TEST(test_attach_and_hand_back_succeed),
		ATTACH_TEST(test_a_refused_attach_exits_with_a_difference),
		ATTACH_TEST(test_attach_waits_no_longer_than_requested),
		ATTACH_TEST(test_a_scheduler_without_roles_gets_no_request),
		ATTACH_TEST(test_attach_without_a_scheduler_is_reported),
		ATTACH_TEST(test_the_doctor_names_the_active_scheduler),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
