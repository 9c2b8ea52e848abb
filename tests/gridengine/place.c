/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The place of the scheduler, taken, lost and handed back, against a qmaster that is played here:
 * what goes over the connection is looked at and answered by the test, and time passes as it says.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sched/process/clock.h"
#include "sched/qmaster/gdi/packet.h"
#include "sched/qmaster/gridengine/place.h"
#include "sched/qmaster/gridengine/settlement.h"
#include "sched/sched.h"

#define S 1000000000ull
#define CONNECTION 17			/* the id of ours */
#define QMASTER_DATE 1700000000u

/* What is played */

enum said { SAID_NOTHING, SAID_QUESTION, SAID_TRIGGER };

static struct played {
	struct sge g;
	struct gridengine_options options;
	struct intake intake;
	struct gdi_cell cell;
	struct cell configuration;
	uint64_t now_ns;
	/* the last packet: its number, what it is, which actions of the built-in thread are asked for */
	uint64_t number;
	enum said said;
	char actions[16];
	/* the connection */
	enum post_role role;
	struct post_subscription subscription;
	unsigned roles;			/* how often it was told */
	bool disowned, dispatches, ends;
	unsigned hurries, stops, resumes;
	bool settled;
} t;

uint64_t clock_monotonic_ns(void)
{
	return t.now_ns;
}

int64_t clock_date(void)
{
	return (int64_t)(QMASTER_DATE + t.now_ns / S);
}

uint64_t clock_at_date_ns(int64_t date)
{
	(void)date;
	return 0;
}

uint64_t clock_processor_ns(void)
{
	return 0;
}

int64_t clock_next(struct clock *c, int64_t date)
{
	(void)c;
	return date;
}

char *post_credential(const struct post *p, struct error *error)
{
	(void)p;
	(void)error;
	return strdup("none:0 0 root root");
}

static void packet_look(const struct gdi_writer *packet)
{
	struct gdi_buffer b = { packet->bytes, packet->bytes + packet->n };
	struct gdi_answer task = { .more = true };	/* a request has the form of its answer */
	struct gdi_element element;
	struct error error;

	t.said = SAID_NOTHING;
	*t.actions = '\0';
	assert_int_equal(gdi_take_header(&b, &error), 0);
	while (task.more) {
		assert_int_equal(gdi_take_answer(&b, &task, &error), 0);
		if (task.command == GDI_GET)
			assert_int_equal(task.target, GDI_EVENT_CLIENTS);
		t.said = task.command == GDI_TRIGGER ? SAID_TRIGGER : SAID_QUESTION;
		while (task.command == GDI_TRIGGER && gdi_next(&task.data, &element)) {
			assert_string_equal(gdi_text(&element, ID_str), "scheduler");
			strcat(t.actions, gdi_u32(&element, ID_action) == 1 ? "start " : "stop ");
		}
	}
}

uint64_t post_send(struct post *p, struct gdi_writer *packet)
{
	(void)p;
	packet_look(packet);
	return ++t.number;
}

int post_role(struct post *p, enum post_role role, const struct post_subscription *subscription)
{
	(void)p;
	t.role = role;
	t.subscription = *subscription;
	t.roles++;
	return 0;
}

int post_disown(struct post *p)
{
	(void)p;
	t.disowned = true;
	t.role = POST_NONE;
	return 0;
}

void post_state(const struct post *p, struct post_state *state)
{
	(void)p;
	*state = (struct post_state){ .connected = true, .connection = CONNECTION, .host = "qmaster" };
}

const struct gdi_cell *post_cell(const struct post *p)
{
	(void)p;
	return &t.cell;
}

bool gdi_hosts_equal(const struct gdi_cell *c, const char *a, const char *b)
{
	(void)c;
	return strcmp(a, b) == 0;
}

void sched_dispatch(struct sched *s, bool on)
{
	(void)s;
	t.dispatches = on;
}

const struct cell *sched_cell(const struct sched *s)
{
	(void)s;
	return &t.configuration;
}

void settlement_stop(struct sge *g)
{
	(void)g;
	t.stops++;
}

bool settlement_finish(struct sge *g)
{
	(void)g;
	return t.settled;
}

void settlement_resume(struct sge *g)
{
	(void)g;
	t.resumes++;
}

static void hurry(void *context)
{
	(void)context;
	t.hurries++;
}

static void end(void *context)
{
	(void)context;
	t.ends = true;
}

static struct sge *begin(struct gridengine_options options)
{
	struct error error;

	t = (struct played){ .options = options, .intake = { .hurry = hurry, .end = end }, .cell = { .host = "ours" }, .now_ns = 1000 * S,
			     .configuration = { .sched = { .schedule_interval = 15 } } };
	t.g = (struct sge){ .intake = &t.intake, .options = &t.options };
	assert_int_equal(place_begin(&t.g, &error), 0);
	return &t.g;
}

/* What the qmaster says */

struct client { const char *name, *host, *process; uint32_t id, connection, heard, busy; };

static const struct client builtin = { "scheduler", "qmaster", "schedd", 1, 0, QMASTER_DATE, 0 };
static const struct client other = { "fairlead.99", "elsewhere", "fairlead", 1, 40, QMASTER_DATE, 0 };

static void posted(enum post_kind kind, uint64_t number, const char *text)
{
	struct post_record record = { .kind = kind, .number = number };

	snprintf(record.text, sizeof(record.text), "%s", text);
	place_posted(&t.g, &record);
}

static void clients_write(struct gdi_writer *w, const struct client *clients, size_t n)
{
	static const struct gdi_word words[] = { { EV_id, GDI_U32 }, { EV_name, GDI_STRING }, { EV_host, GDI_HOST }, { EV_commproc, GDI_STRING },
						 { EV_commid, GDI_U32 }, { EV_d_time, GDI_U32 }, { EV_last_heard_from, GDI_U32 },
						 { EV_next_number, GDI_U32 }, { EV_busy, GDI_U32 } };
	size_t list = gdi_list_begin(w, "", words, sizeof(words) / sizeof(*words));

	for (size_t i = 0; i < n; i++) {
		gdi_element_begin(w, list);
		gdi_write_u32(w, clients[i].id);
		gdi_write_text(w, clients[i].name);
		gdi_write_text(w, clients[i].host);
		gdi_write_text(w, clients[i].process);
		gdi_write_u32(w, clients[i].connection);
		gdi_write_u32(w, 15);
		gdi_write_u32(w, clients[i].heard);
		gdi_write_u32(w, 20);
		gdi_write_u32(w, clients[i].busy);
	}
	gdi_list_end(w, list);
}

static void said_write(struct gdi_writer *w, uint32_t status, uint32_t quality, const char *text)
{
	static const struct gdi_word words[] = { { AN_status, GDI_U32 }, { AN_text, GDI_STRING }, { AN_quality, GDI_U32 } };
	size_t list = gdi_list_begin(w, "", words, 3);

	gdi_element_begin(w, list);
	gdi_write_u32(w, status);
	gdi_write_text(w, text);
	gdi_write_u32(w, quality);
	gdi_list_end(w, list);
}

static void task_end(struct gdi_writer *w, uint32_t id, bool more)
{
	gdi_write_u32(w, 0);
	gdi_write_u32(w, 0);
	gdi_write_text(w, "none:0 0 root root");
	gdi_write_u32(w, id);
	gdi_write_u32(w, 0);
	gdi_write_u32(w, more);
}

static void task_begin(struct gdi_writer *w, uint32_t command, uint32_t target)
{
	gdi_write_u32(w, command);
	gdi_write_u32(w, target);
	gdi_write_u32(w, 0x10003001);
}

static void answer_bytes(struct gdi_writer *w)
{
	struct post_record record = { .kind = POST_ANSWER, .number = t.number, .bytes = w->bytes, .n = w->n };

	assert_int_equal(w->rc, 0);
	assert_true(place_answered(&t.g, &record));
	gdi_writer_free(w);
}

static void question_answer(struct gdi_writer *w, bool manager, const struct client *clients, size_t n)
{
	static const struct gdi_word permission[] = { { PERM_manager, GDI_U32 } };
	size_t list;

	gdi_write_header(w);
	task_begin(w, GDI_PERMCHECK, GDI_DUMMY);
	list = gdi_list_begin(w, "", permission, 1);
	gdi_element_begin(w, list);
	gdi_write_u32(w, manager);
	gdi_list_end(w, list);
	said_write(w, GDI_OK, GDI_END, "");
	task_end(w, 1, true);
	task_begin(w, GDI_GET, GDI_EVENT_CLIENTS);
	clients_write(w, clients, n);
	said_write(w, GDI_OK, GDI_END, "");
	task_end(w, 2, false);
}

static void has_the_place(const struct client *who)
{
	struct gdi_writer w = { 0 };

	assert_int_equal(t.said, SAID_QUESTION);
	question_answer(&w, true, who, who ? 1 : 0);
	answer_bytes(&w);
}

static void trigger_answer(uint32_t quality, const char *text)
{
	struct gdi_writer w = { 0 };

	assert_int_equal(t.said, SAID_TRIGGER);
	gdi_write_header(&w);
	task_begin(&w, GDI_TRIGGER, GDI_DUMMY);
	gdi_write_u32(&w, 0);
	said_write(&w, 4, quality, text);
	task_end(&w, 1, false);
	answer_bytes(&w);
}

static void pass(uint64_t ns)
{
	t.now_ns += ns;
	place_turn(&t.g);
}

/* Until the next question, however long that takes. */
static void wait_for_question(void)
{
	uint64_t number = t.number, due = place_due_ns(&t.g);

	assert_true(due != UINT64_MAX);
	pass(due > t.now_ns ? due - t.now_ns : 0);
	assert_int_equal(t.number, number + 1);
	assert_int_equal(t.said, SAID_QUESTION);
}

static struct place_record shown(void)
{
	struct place_record record;

	place_tell(&t.g, &record);
	return record;
}

static void updated(void)
{
	t.g.updated = true;
	place_ran(&t.g);
}

static struct client us(void)
{
	static char name[32];

	snprintf(name, sizeof(name), "fairlead.%d", (int)getpid());
	return (struct client){ name, "ours", "fairlead", 1, CONNECTION, QMASTER_DATE, 0 };
}

/* It is ours, and the first looks whether it still is are over. */
static struct sge *ours(struct gridengine_options options)
{
	struct sge *g = begin(options);
	const struct client we = us();

	posted(POST_CONNECTED, 0, "qmaster");
	has_the_place(NULL);
	assert_int_equal(t.role, POST_SCHEDULER);
	posted(POST_REGISTERED, 1, "");
	updated();
	while (place_due_ns(g) != UINT64_MAX) {
		wait_for_question();
		has_the_place(&we);
	}
	assert_int_equal(place_state(g), PLACE_OURS);
	t.roles = t.hurries = 0;
	return g;
}

static const struct gridengine_options plain = { 0 }, standby = { .standby = true }, again = { .again = true }, shadow = { .shadow = true };

/* Taking it */

static void test_an_empty_place_is_taken(void **unused)
{
	struct sge *g = begin(plain);

	(void)unused;
	assert_int_equal(place_state(g), PLACE_WATCHING);
	posted(POST_CONNECTED, 0, "qmaster");
	assert_int_equal(t.role, POST_NONE);	/* nobody is displaced before it is known who is there */
	has_the_place(NULL);
	assert_int_equal(place_state(g), PLACE_TAKING);
	assert_int_equal(t.role, POST_SCHEDULER);
	assert_false(t.dispatches);
	posted(POST_REGISTERED, 1, "");
	assert_int_equal(place_state(g), PLACE_OURS);
	assert_true(t.dispatches);
	assert_true(shown().us);
	place_end(g);
}

static void test_a_living_scheduler_is_not_displaced(void **unused)
{
	struct sge *g = begin(plain);

	(void)unused;
	posted(POST_CONNECTED, 0, "qmaster");
	has_the_place(&builtin);
	assert_int_equal(place_state(g), PLACE_WATCHING);
	assert_int_equal(t.role, POST_OBSERVER);
	assert_false(t.dispatches);
	assert_true(shown().builtin && shown().living);
	assert_string_equal(shown().reason, "the built-in scheduler has the place");
	posted(POST_REGISTERED, 11, "");
	pass(4 * S);
	has_the_place(&builtin);
	wait_for_question();
	has_the_place(NULL);		/* nor is the place taken that becomes empty later */
	assert_int_equal(place_state(g), PLACE_WATCHING);
	place_end(g);
}

static void test_a_thread_that_was_stopped_just_before_is_not_waited_for_in_vain(void **unused)
{
	struct sge *g = begin(plain);

	(void)unused;
	posted(POST_CONNECTED, 0, "qmaster");
	has_the_place(&builtin);
	assert_int_equal(place_state(g), PLACE_WATCHING);
	wait_for_question();
	has_the_place(&builtin);
	wait_for_question();
	has_the_place(NULL);
	assert_int_equal(place_state(g), PLACE_TAKING);
	place_end(g);
}

static void test_who_is_no_manager_takes_nothing(void **unused)
{
	struct sge *g = begin(plain);
	struct gdi_writer w = { 0 };

	(void)unused;
	posted(POST_CONNECTED, 0, "qmaster");
	question_answer(&w, false, NULL, 0);
	answer_bytes(&w);
	assert_int_equal(place_state(g), PLACE_WATCHING);
	assert_non_null(strstr(shown().reason, "no manager"));
	place_end(g);
}

static void test_a_living_one_of_another_host_is_told_from_a_dead_one_by_what_it_says(void **unused)
{
	struct sge *g = begin(plain);
	struct client lives = other;

	(void)unused;
	posted(POST_CONNECTED, 0, "qmaster");
	has_the_place(&lives);
	assert_non_null(strstr(shown().reason, "whether"));
	wait_for_question();
	has_the_place(&lives);
	lives.heard += 2;
	wait_for_question();
	has_the_place(&lives);
	assert_string_equal(shown().reason, "fairlead.99 on elsewhere has the place");
	assert_int_equal(t.role, POST_OBSERVER);
	place_end(g);
}

static void test_a_dead_one_of_another_host_is_replaced_after_two_deliveries(void **unused)
{
	struct sge *g = begin(plain);
	uint64_t began;

	(void)unused;
	posted(POST_CONNECTED, 0, "qmaster");
	began = t.now_ns;
	has_the_place(&other);
	while (place_state(g) != PLACE_TAKING) {
		assert_true(t.now_ns - began < 40 * S);
		wait_for_question();
		has_the_place(&other);
	}
	assert_true(t.now_ns - began > 35 * S);
	place_end(g);
}

static void test_a_dead_one_of_this_host_is_replaced_at_once(void **unused)
{
	struct sge *g = begin(plain);
	const struct client dead = { "fairlead.2147483646", "ours", "fairlead", 1, 40, QMASTER_DATE, 1 };

	(void)unused;
	posted(POST_CONNECTED, 0, "qmaster");
	has_the_place(&dead);
	assert_int_equal(place_state(g), PLACE_TAKING);
	place_end(g);
}

static void test_another_ones_clock_tells_that_one_is_dead(void **unused)
{
	struct sge *g = begin(plain);
	const struct client both[] = { other, { "qevent", "third", "qevent", 11, 41, QMASTER_DATE + 36, 0 } };
	struct gdi_writer w = { 0 };

	(void)unused;
	posted(POST_CONNECTED, 0, "qmaster");
	question_answer(&w, true, both, 2);
	answer_bytes(&w);
	assert_int_equal(place_state(g), PLACE_TAKING);
	place_end(g);
}

static void test_attach_stops_the_built_in_thread_and_waits_until_it_is_gone(void **unused)
{
	struct sge *g = begin(plain);

	(void)unused;
	posted(POST_CONNECTED, 0, "qmaster");
	has_the_place(&builtin);
	place_attach(g);
	assert_int_equal(shown().asked, 1);
	assert_int_equal(shown().done, 0);
	has_the_place(&builtin);
	assert_string_equal(t.actions, "stop ");
	trigger_answer(GDI_INFO, "scheduler thread terminated");
	wait_for_question();
	has_the_place(&builtin);	/* noticed a moment later */
	assert_int_equal(t.role, POST_OBSERVER);
	wait_for_question();
	has_the_place(NULL);
	assert_int_equal(t.role, POST_SCHEDULER);
	posted(POST_REGISTERED, 1, "");
	assert_int_equal(shown().done, 0);
	t.g.updated = true;
	assert_int_equal(shown().done, 1);	/* as the run shows that begins now */
	place_end(g);
}

static void test_a_built_in_thread_that_stays_is_left_the_place(void **unused)
{
	struct sge *g = begin(plain);

	(void)unused;
	posted(POST_CONNECTED, 0, "qmaster");
	has_the_place(&builtin);
	place_attach(g);
	has_the_place(&builtin);
	trigger_answer(GDI_ERROR, "denied");
	while (shown().done == 0) {
		wait_for_question();
		has_the_place(&builtin);
	}
	assert_int_equal(place_state(g), PLACE_WATCHING);
	assert_non_null(strstr(shown().reason, "can't be stopped: denied"));
	place_end(g);
}

static void test_attach_does_not_displace_another_one(void **unused)
{
	struct sge *g = begin(plain);
	struct client lives = other;

	(void)unused;
	posted(POST_CONNECTED, 0, "qmaster");
	has_the_place(&lives);
	place_attach(g);
	lives.heard++;
	has_the_place(&lives);
	assert_int_equal(shown().done, 1);
	assert_int_equal(place_state(g), PLACE_WATCHING);
	assert_string_equal(shown().reason, "fairlead.99 on elsewhere has the place");
	place_end(g);
}

static void test_where_registering_is_refused_the_built_in_thread_is_started_again(void **unused)
{
	struct sge *g = begin(plain);

	(void)unused;
	posted(POST_CONNECTED, 0, "qmaster");
	has_the_place(&builtin);
	place_attach(g);
	has_the_place(&builtin);
	trigger_answer(GDI_INFO, "scheduler thread terminated");
	wait_for_question();
	has_the_place(NULL);
	posted(POST_REFUSED, 0, "only a manager can");
	assert_string_equal(t.actions, "stop start ");
	place_end(g);
}

static void test_standby_takes_the_place_when_it_is_empty(void **unused)
{
	struct sge *g = begin(standby);
	struct client lives = other;

	(void)unused;
	posted(POST_CONNECTED, 0, "qmaster");
	has_the_place(&builtin);
	assert_int_equal(place_state(g), PLACE_WATCHING);
	assert_int_equal(t.role, POST_OBSERVER);
	for (int i = 0; i < 10; i++) {
		wait_for_question();
		lives.heard += 15;
		has_the_place(&lives);
	}
	assert_int_equal(t.role, POST_OBSERVER);
	wait_for_question();
	has_the_place(NULL);
	assert_int_equal(t.role, POST_SCHEDULER);
	place_end(g);
}

static void test_a_shadow_takes_nothing_until_it_is_told_to(void **unused)
{
	struct sge *g = begin(shadow);

	(void)unused;
	posted(POST_CONNECTED, 0, "qmaster");
	has_the_place(NULL);
	assert_int_equal(t.role, POST_OBSERVER);
	assert_true(place_is_shadow(g));
	place_attach(g);
	has_the_place(NULL);
	posted(POST_REGISTERED, 1, "");
	assert_false(place_is_shadow(g));
	place_end(g);
}

/* Losing it */

static void test_a_thread_that_comes_with_the_qmaster_is_noticed_soon(void **unused)
{
	struct sge *g = begin(plain);

	(void)unused;
	posted(POST_CONNECTED, 0, "qmaster");
	has_the_place(NULL);
	posted(POST_REGISTERED, 1, "");
	assert_true(place_due_ns(g) <= t.now_ns + S);
	wait_for_question();
	has_the_place(&builtin);
	assert_true(t.disowned);
	assert_int_equal(place_state(g), PLACE_WATCHING);
	assert_false(t.dispatches);
	place_end(g);
}

static void test_nothing_is_ordered_from_the_first_doubt_on(void **unused)
{
	struct sge *g = ours(plain);
	unsigned stops = t.stops;

	(void)unused;
	posted(POST_SILENCE, 0, "no delivery");
	assert_int_equal(place_state(g), PLACE_DOUBTFUL);
	assert_false(place_is_ours(g));
	assert_int_equal(t.stops, stops + 1);
	assert_false(t.dispatches);
	assert_false(t.disowned);
	has_the_place(&builtin);
	assert_true(t.disowned);
	assert_int_equal(place_state(g), PLACE_WATCHING);
	assert_int_equal(t.role, POST_OBSERVER);
	wait_for_question();
	has_the_place(NULL);
	assert_int_equal(t.role, POST_OBSERVER);	/* it is not taken back */
	place_end(g);
}

static void test_a_silence_after_which_it_is_still_ours_is_over(void **unused)
{
	struct sge *g = ours(plain);
	const struct client we = us();

	(void)unused;
	posted(POST_SILENCE, 0, "no delivery");
	has_the_place(&we);
	assert_int_equal(t.role, POST_SCHEDULER);
	assert_int_equal(t.roles, 1);
	assert_false(t.disowned);
	posted(POST_REGISTERED, 1, "");
	assert_int_equal(place_state(g), PLACE_OURS);
	place_end(g);
}

static void test_with_again_it_is_taken_back_but_not_at_every_moment(void **unused)
{
	struct sge *g = ours(again);
	uint64_t lost;

	(void)unused;
	pass(100 * S);
	posted(POST_SILENCE, 0, "no delivery");
	has_the_place(&builtin);
	assert_string_equal(t.actions, "stop ");
	trigger_answer(GDI_INFO, "scheduler thread terminated");
	wait_for_question();
	has_the_place(NULL);
	posted(POST_REGISTERED, 1, "");
	assert_int_equal(place_state(g), PLACE_OURS);
	posted(POST_SILENCE, 0, "no delivery");
	lost = t.now_ns;
	has_the_place(&builtin);
	assert_int_equal(place_state(g), PLACE_WATCHING);
	while (t.said != SAID_TRIGGER) {
		wait_for_question();
		has_the_place(&builtin);
	}
	assert_true(t.now_ns - lost >= 60 * S);
	place_end(g);
}

static void test_after_a_lost_connection_it_is_taken_only_where_nobody_else_has_it(void **unused)
{
	struct sge *g = ours(plain);
	struct client before = us();

	(void)unused;
	before.connection = CONNECTION - 1;
	posted(POST_LOST, 0, "closed");
	assert_int_equal(place_state(g), PLACE_DOUBTFUL);
	posted(POST_CONNECTED, 0, "another");
	assert_int_equal(t.roles, 0);
	has_the_place(&before);		/* that was this process */
	assert_int_equal(t.role, POST_SCHEDULER);
	posted(POST_REGISTERED, 1, "");
	posted(POST_LOST, 0, "closed");
	posted(POST_CONNECTED, 0, "qmaster");
	has_the_place(&builtin);
	assert_int_equal(place_state(g), PLACE_WATCHING);
	assert_int_equal(t.role, POST_OBSERVER);
	place_end(g);
}

static void test_an_answer_that_was_lost_is_not_waited_for(void **unused)
{
	struct sge *g = begin(plain);
	struct post_record lost = { .kind = POST_ANSWER };

	(void)unused;
	posted(POST_CONNECTED, 0, "qmaster");
	lost.number = t.number;
	assert_true(place_answered(g, &lost));
	assert_false(place_answered(g, &lost));
	posted(POST_LOST, 0, "closed");
	assert_true(place_due_ns(g) == UINT64_MAX);
	posted(POST_CONNECTED, 0, "qmaster");
	has_the_place(NULL);
	assert_int_equal(place_state(g), PLACE_TAKING);
	place_end(g);
}

static void test_an_answer_that_does_not_come_is_asked_for_again(void **unused)
{
	struct sge *g = begin(plain);

	(void)unused;
	posted(POST_CONNECTED, 0, "qmaster");
	wait_for_question();
	assert_non_null(strstr(shown().reason, "not answered"));
	has_the_place(NULL);
	assert_int_equal(place_state(g), PLACE_TAKING);
	place_end(g);
}

static void test_the_scheduler_ends_when_the_qmaster_is_told_to_end_it(void **unused)
{
	struct sge *g = ours(plain);

	(void)unused;
	place_event(g, GDI_EV_SCHEDDMONITOR);
	assert_int_equal(t.hurries, 1);
	assert_false(t.ends);
	place_event(g, GDI_EV_SHUTDOWN);
	assert_true(t.ends);
	place_end(g);
}

static bool ends_with(const struct client *who)
{
	struct gdi_writer w = { 0 };
	struct post_record record = { .kind = POST_ANSWER };
	uint64_t number = place_last_question(&t.g);

	assert_int_equal(number, t.number);
	assert_false(place_last_answer(&t.g, number, &record));
	question_answer(&w, true, who, 1);
	record = (struct post_record){ .kind = POST_ANSWER, .number = number, .bytes = w.bytes, .n = w.n };
	assert_true(place_last_answer(&t.g, number, &record));
	gdi_writer_free(&w);
	return t.disowned;
}

static void test_at_the_end_only_what_is_ours_is_given_up(void **unused)
{
	struct sge *g = ours(plain);
	const struct client we = us();

	(void)unused;
	assert_false(ends_with(&we));
	assert_true(ends_with(&builtin));
	place_end(g);
	g = ours(plain);
	posted(POST_SILENCE, 0, "no delivery");
	assert_int_equal(place_last_question(g), 0);	/* in doubt, too */
	assert_true(t.disowned);
	place_end(g);
}

/* Handing it back */

static void test_it_is_handed_back_when_all_is_settled_and_the_other_one_has_run(void **unused)
{
	struct sge *g = ours(plain);
	const struct client we = us();
	struct client starts = builtin;

	(void)unused;
	place_hand_back(g);
	assert_int_equal(place_state(g), PLACE_HANDING_BACK);
	assert_false(t.dispatches);
	pass(S);
	assert_int_equal(t.roles, 0);
	t.settled = true;
	pass(S);
	assert_int_equal(t.role, POST_NONE);
	has_the_place(&we);		/* not noticed yet */
	wait_for_question();
	has_the_place(NULL);
	assert_string_equal(t.actions, "stop start ");	/* it may sit there idle, displaced */
	trigger_answer(GDI_INFO, "scheduler has been started");
	starts.busy = 1;
	has_the_place(&starts);
	assert_int_equal(shown().done, 0);
	wait_for_question();
	has_the_place(&builtin);
	assert_int_equal(shown().done, 1);
	assert_int_equal(place_state(g), PLACE_WATCHING);
	assert_int_equal(t.role, POST_OBSERVER);
	wait_for_question();
	has_the_place(NULL);
	assert_int_equal(t.role, POST_OBSERVER);	/* not even a standby takes it now */
	place_end(g);
}

static void test_what_can_not_be_settled_is_not_handed_back(void **unused)
{
	struct sge *g = ours(plain);

	(void)unused;
	place_hand_back(g);
	pass(59 * S);
	assert_int_equal(place_state(g), PLACE_HANDING_BACK);
	pass(2 * S);
	assert_int_equal(place_state(g), PLACE_OURS);
	assert_int_equal(t.resumes, 1);
	assert_true(t.dispatches);
	assert_int_equal(shown().done, 1);
	assert_non_null(strstr(shown().reason, "not handed back"));
	place_end(g);
}

static void test_a_cell_is_not_left_without_a_scheduler(void **unused)
{
	struct sge *g = ours(plain);

	(void)unused;
	t.settled = true;
	place_hand_back(g);
	pass(S);
	has_the_place(NULL);
	trigger_answer(GDI_ERROR, "no thread");
	assert_int_equal(t.role, POST_SCHEDULER);
	assert_int_equal(shown().done, 1);
	assert_non_null(strstr(shown().reason, "can't be started: no thread"));
	posted(POST_REGISTERED, 1, "");
	assert_int_equal(place_state(g), PLACE_OURS);
	place_end(g);
}

static void test_a_connection_that_is_lost_while_it_settles_keeps_the_place(void **unused)
{
	struct sge *g = ours(plain);
	struct client before = us();

	(void)unused;
	before.connection = CONNECTION - 1;
	place_hand_back(g);
	posted(POST_LOST, 0, "closed");
	assert_int_equal(shown().done, 1);
	posted(POST_CONNECTED, 0, "qmaster");
	has_the_place(&before);
	posted(POST_REGISTERED, 1, "");
	assert_int_equal(place_state(g), PLACE_OURS);
	place_end(g);
}

static void test_a_connection_that_is_lost_after_it_was_given_up_changes_nothing(void **unused)
{
	struct sge *g = ours(plain);

	(void)unused;
	t.settled = true;
	place_hand_back(g);
	pass(S);
	posted(POST_LOST, 0, "closed");
	posted(POST_CONNECTED, 0, "qmaster");
	has_the_place(NULL);
	assert_string_equal(t.actions, "stop start ");
	place_end(g);
}

static void test_who_does_not_have_it_hands_nothing_back(void **unused)
{
	struct sge *g = begin(plain);

	(void)unused;
	posted(POST_CONNECTED, 0, "qmaster");
	has_the_place(&builtin);
	place_hand_back(g);
	has_the_place(&builtin);
	assert_int_equal(shown().done, 1);
	assert_int_equal(t.role, POST_OBSERVER);
	place_end(g);
}

static void test_where_nobody_has_it_handing_back_starts_the_built_in_thread(void **unused)
{
	struct sge *g = begin(plain);

	(void)unused;
	posted(POST_CONNECTED, 0, "qmaster");
	has_the_place(&builtin);
	pass(10 * S);
	has_the_place(&builtin);
	place_hand_back(g);
	has_the_place(NULL);
	assert_string_equal(t.actions, "stop start ");
	trigger_answer(GDI_INFO, "scheduler has been started");
	has_the_place(&builtin);
	assert_int_equal(shown().done, 1);
	assert_int_equal(place_state(g), PLACE_WATCHING);
	place_end(g);
}

/* Configuration */

static void test_the_rhythm_of_deliveries_is_the_configured_one(void **unused)
{
	struct sge *g = ours(plain);

	(void)unused;
	place_ran(g);
	assert_int_equal(t.roles, 0);
	t.configuration.sched = (struct sched_conf){ .schedule_interval = 3, .flush_submit_sec = 1, .flush_finish_sec = 4 };
	place_ran(g);
	assert_int_equal(t.roles, 1);
	assert_int_equal(t.role, POST_SCHEDULER);
	assert_int_equal(t.subscription.d_time, 3);
	assert_int_equal(t.subscription.flush_submit, 0);
	assert_int_equal(t.subscription.flush_finish, 3);
	t.configuration.sched = (struct sched_conf){ .schedule_interval = 1000 };
	place_ran(g);
	assert_int_equal(t.subscription.d_time, 595);
	assert_true(t.subscription.flush_submit == UINT32_MAX);
	place_end(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_empty_place_is_taken),
		cmocka_unit_test(test_a_living_scheduler_is_not_displaced),
		cmocka_unit_test(test_a_thread_that_was_stopped_just_before_is_not_waited_for_in_vain),
		cmocka_unit_test(test_who_is_no_manager_takes_nothing),
		cmocka_unit_test(test_a_living_one_of_another_host_is_told_from_a_dead_one_by_what_it_says),
		cmocka_unit_test(test_a_dead_one_of_another_host_is_replaced_after_two_deliveries),
		cmocka_unit_test(test_a_dead_one_of_this_host_is_replaced_at_once),
		cmocka_unit_test(test_another_ones_clock_tells_that_one_is_dead),
		cmocka_unit_test(test_attach_stops_the_built_in_thread_and_waits_until_it_is_gone),
		cmocka_unit_test(test_a_built_in_thread_that_stays_is_left_the_place),
		cmocka_unit_test(test_attach_does_not_displace_another_one),
		cmocka_unit_test(test_where_registering_is_refused_the_built_in_thread_is_started_again),
		cmocka_unit_test(test_standby_takes_the_place_when_it_is_empty),
		cmocka_unit_test(test_a_shadow_takes_nothing_until_it_is_told_to),
		cmocka_unit_test(test_a_thread_that_comes_with_the_qmaster_is_noticed_soon),
		cmocka_unit_test(test_nothing_is_ordered_from_the_first_doubt_on),
		cmocka_unit_test(test_a_silence_after_which_it_is_still_ours_is_over),
		cmocka_unit_test(test_with_again_it_is_taken_back_but_not_at_every_moment),
		cmocka_unit_test(test_after_a_lost_connection_it_is_taken_only_where_nobody_else_has_it),
		cmocka_unit_test(test_an_answer_that_was_lost_is_not_waited_for),
		cmocka_unit_test(test_an_answer_that_does_not_come_is_asked_for_again),
		cmocka_unit_test(test_the_scheduler_ends_when_the_qmaster_is_told_to_end_it),
		cmocka_unit_test(test_at_the_end_only_what_is_ours_is_given_up),
		cmocka_unit_test(test_it_is_handed_back_when_all_is_settled_and_the_other_one_has_run),
		cmocka_unit_test(test_what_can_not_be_settled_is_not_handed_back),
		cmocka_unit_test(test_a_cell_is_not_left_without_a_scheduler),
		cmocka_unit_test(test_a_connection_that_is_lost_while_it_settles_keeps_the_place),
		cmocka_unit_test(test_a_connection_that_is_lost_after_it_was_given_up_changes_nothing),
		cmocka_unit_test(test_who_does_not_have_it_hands_nothing_back),
		cmocka_unit_test(test_where_nobody_has_it_handing_back_starts_the_built_in_thread),
		cmocka_unit_test(test_the_rhythm_of_deliveries_is_the_configured_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
