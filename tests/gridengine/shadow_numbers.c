/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A shadow asks a simulated qmaster for the numbers of all jobs, computes the same run, and writes
 * the differences. Calls to the post and the mirror are recorded (--wrap).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "sched/process/clock.h"
#include "sched/qmaster/gdi/packet.h"
#include "sched/qmaster/gdi/registration.h"
#include "sched/qmaster/gridengine/place.h"
#include "sched/qmaster/gridengine/shadow_inside.h"
#include "tests/dispatch/cell.h"
#include "tests/gridengine/forge.h"

#define JOBS 2u
#define SUBMITTED 1699999000u	/* in ADD */

static struct asked {
	struct sge g;
	struct intake intake;
	struct gridengine_options options;
	struct fixture *fixture;
	struct forge forge;
	struct post_record held;
	uint64_t requests;
	bool no_credential, disconnected;
	unsigned runs;
	char path[200];
} a;

int __wrap_post_credential(const struct post *post, char **credential, struct error *error);
uint64_t __wrap_post_send(struct post *post, struct gdi_writer *packet);
void __wrap_sge_deliver(struct sge *sge, const struct post_record *record, uint32_t below);
void __wrap_post_record_free(struct post *post, struct post_record *record);

int __wrap_post_credential(const struct post *post, char **credential, struct error *error)
{
	(void)post;
	*credential = a.no_credential ? NULL : strdup("none:0 0 root root");
	return *credential ? 0 : error_set(error, -EIO, "no credential");
}

/* Read the request: one GET of the jobs. */
uint64_t __wrap_post_send(struct post *post, struct gdi_writer *packet)
{
	struct gdi_buffer buffer = { packet->bytes, packet->bytes + packet->n };
	struct error error = { "" };
	uint32_t command, target;

	(void)post;
	assert_int_equal(gdi_take_header(&buffer, &error), 0);
	assert_int_equal(gdi_take_u32(&buffer, &command, &error), 0);
	assert_int_equal(gdi_take_u32(&buffer, &target, &error), 0);
	assert_int_equal(command, GDI_GET);
	assert_int_equal(target, GDI_JOB_LIST);
	return a.disconnected ? 0 : ++a.requests;
}

void __wrap_sge_deliver(struct sge *sge, const struct post_record *record, uint32_t below)
{
	(void)sge, (void)record, (void)below;
}

void __wrap_post_record_free(struct post *post, struct post_record *record)
{
	(void)post, (void)record;
}

static int run_made(void *context, int64_t now, struct error *error)
{
	(void)context, (void)error;
	a.runs++;
	run(a.fixture, now);
	shadow_ran(&a.g);
	return 0;
}

/* Numbers of the built-in scheduler */

struct numbers {
	double prio, nurg, npprior, urg, rrcontr, wtcontr, ntix, tickets, share;
	uint32_t task;			/* 0: pending */
};

static struct numbers theirs[JOBS + 1];

/* Take our own numbers of a run at this time, which has no other effect. */
static void numbers_take(int64_t now)
{
	run(a.fixture, now);
	orders_void(a.intake.orders);
	for (uint32_t i = 1; i <= JOBS; i++) {
		struct fl_job job = row(a.fixture, i, 0);

		theirs[i] = (struct numbers){ job.prio,	   job.nurg,   job.npprior, job.urg,   job.rrcontr,
					      job.wtcontr, job.ntckts, job.tckts,   job.share, job.is_started };
	}
}

#define REAL(name, value) { .field = (name), .real = (value) }
#define TASK(numbers) VALUES(NUMBER(JAT_task_number, (numbers)->task),					\
			     NUMBER(JAT_status, (numbers)->task ? KNOWN_RUNNING : 0),			\
			     REAL(JAT_prio, (numbers)->prio), REAL(JAT_ntix, (numbers)->ntix),			\
			     REAL(JAT_tix, (numbers)->tickets), REAL(JAT_sticket, (numbers)->tickets),	\
			     REAL(JAT_share, (numbers)->share))
#define JOB(number, numbers, waiting, tasks)									\
	VALUES(NUMBER(JB_job_number, number), NUMBER(JB_submission_time, SUBMITTED),				\
	       REAL(JB_nurg, (numbers)->nurg), REAL(JB_nppri, (numbers)->npprior), REAL(JB_urg, (numbers)->urg),	\
	       REAL(JB_rrcontr, (numbers)->rrcontr), REAL(JB_wtcontr, (numbers)->wtcontr),			\
	       LIST(JB_ja_template, waiting), LIST(JB_ja_tasks, tasks))

static void jobs_write(struct gdi_writer *writer)
{
	size_t list = forge_list(writer, JOB(0, &theirs[0], NULL, NULL));

	for (uint32_t i = 1; i <= JOBS; i++) {
		struct gdi_writer task = { 0 };

		forge_one(&task, TASK(&theirs[i]));
		forge_element(writer, list,
			      JOB(i, &theirs[i], theirs[i].task ? NULL : &task, theirs[i].task ? &task : NULL));
		gdi_writer_free(&task);
	}
	gdi_list_end(writer, list);
}

/* Answer the question. `status` and `text`: what the qmaster says about it. */
static void answer(uint32_t status, uint32_t quality, const char *text)
{
	struct gdi_writer writer = { 0 };
	struct post_record record = { .kind = POST_ANSWER, .number = a.requests };

	gdi_write_header(&writer);
	gdi_write_u32(&writer, GDI_GET);
	gdi_write_u32(&writer, GDI_JOB_LIST);
	gdi_write_u32(&writer, 0x10003001);
	jobs_write(&writer);
	forge_one(&writer, VALUES(NUMBER(AN_status, status), TEXT(AN_text, text), NUMBER(AN_quality, quality)));
	gdi_write_u32(&writer, 0);
	gdi_write_u32(&writer, 0);
	gdi_write_text(&writer, "none:0 0 root root");
	gdi_write_u32(&writer, 1);
	gdi_write_u32(&writer, 0);
	gdi_write_u32(&writer, 0);
	assert_int_equal(writer.rc, 0);
	record.bytes = writer.bytes;
	record.n = writer.n;
	assert_true(shadow_answered(&a.g, &record));
	gdi_writer_free(&writer);
}

static void good_answer(void)
{
	answer(GDI_OK, GDI_END, "");
}

/* Let the time of the step pass. */
static void pass(void)
{
	a.g.shadow->ask_again_ns = 0;
	a.g.shadow->due_ns = 0;
	shadow_turn(&a.g);
}

static void ask(void)
{
	uint64_t before = a.requests;

	pass();
	assert_int_equal(a.requests, before + 1);
	assert_int_equal(a.g.shadow->step, SHADOW_ASKED);
}

/* The journal */

/* Return the lines of the journal. */
static const char *journal(void)
{
	static char text[4000];
	FILE *in = fopen(a.path, "r");

	text[0] = '\0';
	if (in) {
		text[fread(text, 1, sizeof(text) - 1, in)] = '\0';
		fclose(in);
	}
	return text;
}

#define JOURNAL_HAS(wanted) do {							\
	if (!strstr(journal(), wanted))							\
		fail_msg("\"%s\" is not in the journal: %s", wanted, journal());	\
} while (0)

/* A start in a delivery that is held */

static void start_hold(uint32_t job, const char *queue, uint32_t start_time)
{
	struct gdi_writer granted = { 0 };
	struct gdi_delivery delivery;
	struct error error;

	forge_one(&granted, VALUES(TEXT(JG_qname, queue), NUMBER(JG_slots, 1)));
	forge_begin(&a.forge, 50);
	forge_event(&a.forge, GDI_EV_JATASK_MOD, job, 1, "", "");
	forge_one(&a.forge.w, VALUES(NUMBER(JAT_task_number, 1), NUMBER(JAT_status, KNOWN_TRANSFERRING),
				     NUMBER(JAT_start_time, start_time), TEXT(JAT_granted_pe, "mpi"),
				     LIST(JAT_granted_destin_identifier_list, &granted)));
	forge_end(&a.forge);
	gdi_writer_free(&granted);
	assert_int_equal(gdi_delivery_check(a.forge.w.bytes, a.forge.w.n, &delivery, &error), 0);
	a.held = (struct post_record){ .kind = POST_DELIVERY, .bytes = a.forge.w.bytes, .n = a.forge.w.n };
	assert_true(shadow_keeps(&a.g, &a.held));
	assert_int_equal(a.g.shadow->step, SHADOW_SETTLING);
}

static int asked_setup(void **state)
{
	struct error error;

	if (dispatch_setup(state))
		return -1;
	a = (struct asked){ .fixture = *state, .options = { .shadow = true, .audit = a.path } };
	snprintf(a.path, sizeof(a.path), "%s/audit", a.fixture->cell.directory);
	a.intake = (struct intake){ .run = run_made, .mirror = sched_mirror(a.fixture->sched),
				    .orders = sched_orders(a.fixture->sched) };
	a.g = (struct sge){ .sched = a.fixture->sched,
			    .intake = &a.intake,
			    .options = &a.options,
			    .known = known_create(),
			    .updated = true };
	set_sched_conf(a.fixture, "weight_waiting_time", "0.5");
	reload(a.fixture);
	/* The jobs cannot start: their numbers are compared. */
	for (uint32_t i = 1; i <= JOBS; i++)
		TELL(a.fixture, ADD "%u,'owner':'%s','hard_resource_list':'lic=%u'}", i, i == 1 ? "ann" : "bob", 5 + i);
	return !a.g.known || place_begin(&a.g, &error) || shadow_open(&a.g, &error) ? -1 : 0;
}

static int asked_teardown(void **state)
{
	shadow_close(&a.g);
	place_end(&a.g);
	known_destroy(a.g.known);
	gdi_writer_free(&a.forge.w);
	return teardown(state);
}

static void test_equal_numbers_are_written_as_equal(void **state)
{
	(void)state;
	numbers_take(NOW);
	ask();
	good_answer();
	assert_int_equal(a.runs, 1);
	assert_int_equal(a.g.shadow->now, NOW);		/* from the waiting times */
	JOURNAL_HAS("now=1700000000\ttheirs=0\tours=0\tagreeing=0\t");
	JOURNAL_HAS("\tdiffering=0\tknown=0\n");
	assert_null(strstr(journal(), "numbers=0\t"));
	assert_int_equal(a.g.shadow->step, SHADOW_IDLE);
	ask();
	good_answer();			/* the same run again */
	assert_int_equal(a.runs, 1);
}

static void test_a_different_number_is_written_with_both_values(void **state)
{
	(void)state;
	numbers_take(NOW);
	theirs[2].prio += 0.25;
	ask();
	good_answer();
	JOURNAL_HAS("\tdiffering=1\tknown=0\tworst=2 prior ");
}

static void test_numbers_of_running_tasks_are_compared(void **state)
{
	TELL((struct fixture *)*state, START "2}");
	numbers_take(NOW);
	assert_int_equal(theirs[2].task, 1);
	ask();
	good_answer();
	JOURNAL_HAS("\tdiffering=0\tknown=0\n");
	numbers_take(NOW + 60);
	theirs[2].tickets += 100;
	ask();
	good_answer();
	JOURNAL_HAS("\tdiffering=2\tknown=0\tworst=2.1 ");
}

/* The answer was made while the built-in scheduler reported a run. */
static void test_numbers_of_two_runs_are_not_compared(void **state)
{
	(void)state;
	numbers_take(NOW);
	theirs[2].wtcontr += 0.5 * 60;
	ask();
	good_answer();
	assert_int_equal(a.runs, 0);
	assert_string_equal(journal(), "");
}

static void test_a_refused_question_is_asked_again(void **state)
{
	(void)state;
	numbers_take(NOW);
	ask();
	answer(GDI_DENIED, GDI_ERROR, "denied");
	assert_int_equal(a.runs, 0);
	assert_int_equal(a.g.shadow->step, SHADOW_IDLE);
	ask();
	good_answer();
	assert_int_equal(a.runs, 1);
}

static void test_a_question_without_an_answer_is_asked_again(void **state)
{
	struct post_record late = { .kind = POST_ANSWER, .number = 77 };

	(void)state;
	numbers_take(NOW);
	a.no_credential = true;
	pass();
	a.no_credential = false;
	a.disconnected = true;
	pass();
	assert_int_equal(a.requests, 0);
	a.disconnected = false;
	ask();
	assert_false(shadow_answered(&a.g, &late));		/* another answer */
	pass();
	assert_int_equal(a.g.shadow->step, SHADOW_IDLE);
	assert_int_equal(a.runs, 0);
	late.number = a.requests;
	assert_false(shadow_answered(&a.g, &late));		/* too late */
	ask();
	good_answer();
	assert_int_equal(a.runs, 1);
}

/* Without waiting times, the time of the numbers is not known until nothing has changed for two intervals. */
static void test_numbers_without_a_time_are_of_now_if_the_state_is_still(void **state)
{
	(void)state;
	numbers_take(NOW);
	theirs[1].wtcontr = theirs[2].wtcontr = 0;
	a.g.shadow->changed = clock_date();
	ask();
	good_answer();
	assert_int_equal(a.runs, 0);
	a.g.shadow->changed = 0;
	ask();
	good_answer();
	assert_int_equal(a.runs, 1);
	assert_true(a.g.shadow->now > NOW);
}

/* Job 1 requests more licences than there are. */
static void test_a_start_that_we_do_not_make_is_written_with_its_reason(void **state)
{
	(void)state;
	numbers_take(NOW);
	start_hold(1, "all.q@ada", NOW);
	ask();
	good_answer();
	JOURNAL_HAS("now=1700000000\ttheirs=1\tours=0\tagreeing=0\t");
	JOURNAL_HAS("differ=starts\ttheir=1.1 all.q@ada=1 pe=mpi\twhy=");
	JOURNAL_HAS("lic");
}

static void test_a_start_that_only_we_make_is_written(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "3,'owner':'ann','pe':'mpi','pe_range':'2'}");
	start_hold(1, "all.q@ada", NOW);
	ask();
	a.g.shadow->due_ns = 0;
	shadow_turn(&a.g);		/* the answer does not come */
	JOURNAL_HAS("theirs=1\tours=1\tagreeing=0\t");
	JOURNAL_HAS("\tour=3.1 all.q@");
	JOURNAL_HAS("=2 pe=mpi\t");
	assert_false(mirror_find_task(a.intake.mirror, 3, 1));		/* our start has no effect */
}

/* A change in the second of the run may have come before it or after it. */
static void test_a_difference_is_doubtful_if_the_state_has_changed_in_this_second(void **state)
{
	(void)state;
	start_hold(1, "all.q@ada", NOW);
	a.g.shadow->changed = NOW;
	pass();
	pass();
	JOURNAL_HAS("skipped=the state changed in the second of the run");
}

static void test_a_journal_that_cannot_be_written_is_reported_once(void **state)
{
	(void)state;
	numbers_take(NOW);
	assert_int_equal(mkdir(a.path, 0755), 0);
	ask();
	good_answer();
	assert_true(a.g.shadow->failing);
	assert_int_equal(rmdir(a.path), 0);
	numbers_take(NOW + 60);
	ask();
	good_answer();
	assert_false(a.g.shadow->failing);
	JOURNAL_HAS("now=1700000060\t");
}

#define ASKED_TEST(name) cmocka_unit_test_setup_teardown(name, asked_setup, asked_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ASKED_TEST(test_equal_numbers_are_written_as_equal),
		ASKED_TEST(test_a_different_number_is_written_with_both_values),
		ASKED_TEST(test_numbers_of_running_tasks_are_compared),
		ASKED_TEST(test_numbers_of_two_runs_are_not_compared),
		ASKED_TEST(test_a_refused_question_is_asked_again),
		ASKED_TEST(test_a_question_without_an_answer_is_asked_again),
		ASKED_TEST(test_numbers_without_a_time_are_of_now_if_the_state_is_still),
		ASKED_TEST(test_a_start_that_we_do_not_make_is_written_with_its_reason),
		ASKED_TEST(test_a_start_that_only_we_make_is_written),
		ASKED_TEST(test_a_difference_is_doubtful_if_the_state_has_changed_in_this_second),
		ASKED_TEST(test_a_journal_that_cannot_be_written_is_reported_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
