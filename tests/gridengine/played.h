/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A simulated qmaster for the scheduler role. The test reads and answers the messages of the
 * connection and advances the clock. Each program that includes this file replaces the clock, the
 * post and other neighbours of the role by functions of the same names. Include after cmocka.h and
 * its headers.
 */
#ifndef TESTS_GRIDENGINE_PLAYED_H
#define TESTS_GRIDENGINE_PLAYED_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sched/process/clock.h"
#include "sched/qmaster/gdi/packet.h"
#include "sched/qmaster/gridengine/place.h"
#include "sched/qmaster/gridengine/settlement.h"
#include "sched/sched.h"

#define S 1000000000ull
#define CONNECTION 17			/* the id of ours */
#define QMASTER_DATE 1700000000u

/* Simulated functions */

enum said { SAID_NOTHING, SAID_QUESTION, SAID_TRIGGER };

static struct played {
	struct sge g;
	struct gridengine_options options;
	struct intake intake;
	struct gdi_cell cell;
	struct cell configuration;
	uint64_t now_ns;
	/*
	 * The last packet: its number, its kind, and the requested actions of the built-in thread.
	 */
	uint64_t number;
	enum said said;
	char actions[16];
	/* the connection */
	enum post_role role;
	struct post_subscription subscription;
	unsigned roles;			/* number of calls */
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

int64_t clock_next(struct clock *clock, int64_t date)
{
	(void)clock;
	return date;
}

int post_credential(const struct post *post, char **credential, struct error *error)
{
	(void)post;
	(void)error;
	*credential = strdup("none:0 0 root root");
	return *credential ? 0 : -ENOMEM;
}

static inline void packet_look(const struct gdi_writer *packet)
{
	struct gdi_buffer buffer = { packet->bytes, packet->bytes + packet->n };
	struct gdi_answer task = { .more = true };	/* a request has the form of its answer */
	struct gdi_element element;
	struct error error;

	t.said = SAID_NOTHING;
	*t.actions = '\0';
	assert_int_equal(gdi_take_header(&buffer, &error), 0);
	while (task.more) {
		assert_int_equal(gdi_take_answer(&buffer, &task, &error), 0);
		if (task.command == GDI_GET)
			assert_int_equal(task.target, GDI_EVENT_CLIENTS);
		t.said = task.command == GDI_TRIGGER ? SAID_TRIGGER : SAID_QUESTION;
		while (task.command == GDI_TRIGGER && gdi_next(&task.data, &element)) {
			assert_string_equal(gdi_text(&element, ID_str), "scheduler");
			strcat(t.actions, gdi_u32(&element, ID_action) == 1 ? "start " : "stop ");
		}
	}
}

uint64_t post_send(struct post *post, struct gdi_writer *packet)
{
	(void)post;
	packet_look(packet);
	return ++t.number;
}

int post_role(struct post *post, enum post_role role, const struct post_subscription *subscription)
{
	(void)post;
	t.role = role;
	t.subscription = *subscription;
	t.roles++;
	return 0;
}

int post_disown(struct post *post)
{
	(void)post;
	t.disowned = true;
	t.role = POST_NONE;
	return 0;
}

void post_state(const struct post *post, struct post_state *state)
{
	(void)post;
	*state = (struct post_state){ .connected = true, .connection = CONNECTION, .host = "qmaster" };
}

const struct gdi_cell *post_cell(const struct post *post)
{
	(void)post;
	return &t.cell;
}

bool gdi_hosts_equal(const struct gdi_cell *cell, const char *a, const char *b)
{
	(void)cell;
	return strcmp(a, b) == 0;
}

void sched_dispatch(struct sched *sched, bool on)
{
	(void)sched;
	t.dispatches = on;
}

const struct cell *sched_cell(const struct sched *sched)
{
	(void)sched;
	return &t.configuration;
}

void settlement_stop(struct sge *sge)
{
	(void)sge;
	t.stops++;
}

bool settlement_finish(struct sge *sge)
{
	(void)sge;
	return t.settled;
}

void settlement_resume(struct sge *sge)
{
	(void)sge;
	t.resumes++;
}

static inline void hurry(void *context)
{
	(void)context;
	t.hurries++;
}

static inline void end(void *context)
{
	(void)context;
	t.ends = true;
}

static inline struct sge *begin(struct gridengine_options options)
{
	struct error error;

	t = (struct played){ .options = options,
			     .intake = { .hurry = hurry, .end = end },
			     .cell = { .host = "ours" },
			     .now_ns = 1000 * S,
			     .configuration = { .sched = { .schedule_interval = 15 } } };
	t.g = (struct sge){ .intake = &t.intake, .options = &t.options };
	assert_int_equal(place_begin(&t.g, &error), 0);
	return &t.g;
}

/* Messages of the qmaster */

struct client { const char *name, *host, *process; uint32_t id, connection, heard, busy; };

static const struct client builtin = { "scheduler", "qmaster", "schedd", 1, 0, QMASTER_DATE, 0 };

static inline void posted(enum post_kind kind, uint64_t number, const char *text)
{
	struct post_record record = { .kind = kind, .number = number };

	snprintf(record.text, sizeof(record.text), "%s", text);
	place_posted(&t.g, &record);
}

static inline void clients_write(struct gdi_writer *writer, const struct client *clients, size_t n)
{
	static const struct gdi_word words[] = { { EV_id, GDI_U32 },
						 { EV_name, GDI_STRING },
						 { EV_host, GDI_HOST },
						 { EV_commproc, GDI_STRING },
						 { EV_commid, GDI_U32 },
						 { EV_d_time, GDI_U32 },
						 { EV_last_heard_from, GDI_U32 },
						 { EV_next_number, GDI_U32 },
						 { EV_busy, GDI_U32 } };
	size_t list = gdi_list_begin(writer, "", words, sizeof(words) / sizeof(*words));

	for (size_t i = 0; i < n; i++) {
		gdi_element_begin(writer, list);
		gdi_write_u32(writer, clients[i].id);
		gdi_write_text(writer, clients[i].name);
		gdi_write_text(writer, clients[i].host);
		gdi_write_text(writer, clients[i].process);
		gdi_write_u32(writer, clients[i].connection);
		gdi_write_u32(writer, 15);
		gdi_write_u32(writer, clients[i].heard);
		gdi_write_u32(writer, 20);
		gdi_write_u32(writer, clients[i].busy);
	}
	gdi_list_end(writer, list);
}

static inline void said_write(struct gdi_writer *writer, uint32_t status, uint32_t quality, const char *text)
{
	static const struct gdi_word words[] = { { AN_status, GDI_U32 },
						 { AN_text, GDI_STRING },
						 { AN_quality, GDI_U32 } };
	size_t list = gdi_list_begin(writer, "", words, 3);

	gdi_element_begin(writer, list);
	gdi_write_u32(writer, status);
	gdi_write_text(writer, text);
	gdi_write_u32(writer, quality);
	gdi_list_end(writer, list);
}

static inline void task_end(struct gdi_writer *writer, uint32_t id, bool more)
{
	gdi_write_u32(writer, 0);
	gdi_write_u32(writer, 0);
	gdi_write_text(writer, "none:0 0 root root");
	gdi_write_u32(writer, id);
	gdi_write_u32(writer, 0);
	gdi_write_u32(writer, more);
}

static inline void task_begin(struct gdi_writer *writer, uint32_t command, uint32_t target)
{
	gdi_write_u32(writer, command);
	gdi_write_u32(writer, target);
	gdi_write_u32(writer, 0x10003001);
}

static inline void answer_bytes(struct gdi_writer *writer)
{
	struct post_record record = {
		.kind = POST_ANSWER, .number = t.number, .bytes = writer->bytes, .n = writer->n, .arrived_ns = t.now_ns
	};

	assert_int_equal(writer->rc, 0);
	assert_true(place_answered(&t.g, &record));
	gdi_writer_free(writer);
}

static inline void question_answer(struct gdi_writer *writer, bool manager, const struct client *clients, size_t n)
{
	static const struct gdi_word permission[] = { { PERM_manager, GDI_U32 } };
	size_t list;

	gdi_write_header(writer);
	task_begin(writer, GDI_PERMCHECK, GDI_DUMMY);
	list = gdi_list_begin(writer, "", permission, 1);
	gdi_element_begin(writer, list);
	gdi_write_u32(writer, manager);
	gdi_list_end(writer, list);
	said_write(writer, GDI_OK, GDI_END, "");
	task_end(writer, 1, true);
	task_begin(writer, GDI_GET, GDI_EVENT_CLIENTS);
	clients_write(writer, clients, n);
	said_write(writer, GDI_OK, GDI_END, "");
	task_end(writer, 2, false);
}

static inline void has_the_place(const struct client *who)
{
	struct gdi_writer writer = { 0 };

	assert_int_equal(t.said, SAID_QUESTION);
	question_answer(&writer, true, who, who ? 1 : 0);
	answer_bytes(&writer);
}

static inline void trigger_answer(uint32_t quality, const char *text)
{
	struct gdi_writer writer = { 0 };

	assert_int_equal(t.said, SAID_TRIGGER);
	gdi_write_header(&writer);
	task_begin(&writer, GDI_TRIGGER, GDI_DUMMY);
	gdi_write_u32(&writer, 0);
	said_write(&writer, 4, quality, text);
	task_end(&writer, 1, false);
	answer_bytes(&writer);
}

static inline void pass(uint64_t ns)
{
	t.now_ns += ns;
	place_turn(&t.g);
}

/* Wait for the next question, however long that takes. */
static inline void wait_for_question(void)
{
	uint64_t number = t.number, due = place_due_ns(&t.g);

	assert_true(due != UINT64_MAX);
	pass(due > t.now_ns ? due - t.now_ns : 0);
	assert_int_equal(t.number, number + 1);
	assert_int_equal(t.said, SAID_QUESTION);
}

static inline struct place_record shown(void)
{
	struct place_record record;

	place_report(&t.g, &record);
	return record;
}

static inline void updated(void)
{
	t.g.updated = true;
	place_ran(&t.g);
}

static inline struct client us(void)
{
	static char name[32];

	snprintf(name, sizeof(name), "fairlead.%d", (int)getpid());
	return (struct client){ name, "ours", "fairlead", 1, CONNECTION, QMASTER_DATE, 0 };
}

/* Start with the role taken and the first checks done. */
static inline struct sge *ours(struct gridengine_options options)
{
	struct sge *sge = begin(options);
	const struct client we = us();

	posted(POST_CONNECTED, 0, "qmaster");
	has_the_place(NULL);
	assert_int_equal(t.role, POST_SCHEDULER);
	posted(POST_REGISTERED, 1, "");
	updated();
	while (place_due_ns(sge) != UINT64_MAX) {
		wait_for_question();
		has_the_place(&we);
	}
	assert_int_equal(place_state(sge), PLACE_OURS);
	t.roles = t.hurries = 0;
	return sge;
}

static const struct gridengine_options plain = { 0 };

#endif
