/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A simulated qmaster: it receives the packets that would go over the wire, keeps users and their
 * reported usage, and reports changes like the real one. Include after cmocka.h. Questions of
 * settlement*.c about the connection, the role and known versions are answered here (--wrap).
 */
#ifndef TESTS_GRIDENGINE_SCRIPTED_H
#define TESTS_GRIDENGINE_SCRIPTED_H

#include <errno.h>

#include "sched/qmaster/gdi/packet.h"
#include "sched/qmaster/gridengine/place.h"
#include "sched/qmaster/gridengine/settlement_inside.h"
#include "tests/mirror/cell.h"

#define NAMES_MOST 16
#define ENTRIES_MOST 4000
#define PACKETS_MOST 4000

struct scripted_values {
	char names[NAMES_MOST][24];
	double values[NAMES_MOST];
	size_t n;
};

struct scripted_entry {			/* debited */
	uint32_t job_number;
	struct scripted_values values;
};

struct scripted_user {
	char name[24];
	bool project;
	uint32_t version, oticket;
	int64_t stamp;
	struct scripted_values usage, long_term, in_project, in_project_ever;
	char in[24];			/* project of the last two calls; "": none */
	struct scripted_entry *entries;
	size_t nentries;
};

struct scripted_order {
	uint32_t type, job_number, task, version;
	char pe[64];
	double tickets, ntix, prio;
	struct { char queue[64]; uint32_t slots, version; double tickets; } instances[8];
	size_t n;
	bool has_granted;
	uint32_t messages;
};

struct scripted_packet {
	uint64_t request;
	unsigned char *bytes;
	size_t n;
	bool carried_out, answered;
};

static struct scripted {
	struct fixture *f;
	struct orders orders;
	struct sge g;
	enum place_state place;
	bool unproven;			/* the qmaster has not yet proven the role */
	struct scripted_user users[4];
	uint32_t reported[4];		/* versions in the last report */
	size_t nusers;
	struct scripted_packet packets[PACKETS_MOST];
	size_t npackets;
	uint64_t requests;
	struct scripted_user events[ENTRIES_MOST];	/* _MOD events to be delivered */
	size_t nevents;
	struct scripted_order seen[ENTRIES_MOST];	/* orders of all executed packets */
	size_t nseen;
	struct known_job job;		/* the last requested job */
	uint32_t job_version, instance_version;
	bool refuse_usage;		/* simulates another version */
	void (*removed)(uint32_t job_number, uint32_t task);
} q;

/* Replacements for the connection and for the state of take*.c */

uint64_t __wrap_post_send(struct post *post, struct gdi_writer *packet);
int __wrap_post_credential(const struct post *post, char **credential, struct error *error);
enum place_state __wrap_place_state(const struct sge *sge);
bool __wrap_place_is_proven(struct sge *sge);
const struct known_job *__wrap_known_job(const struct known *known, uint32_t job_number);
bool __wrap_known_instance_version(const struct known *known, const char *queue, uint32_t *version);
bool __wrap_known_pe_controls_slaves(const struct known *known, const char *pe);
bool __wrap_known_user_version(const struct known *known, const char *user, uint32_t *version);
bool __wrap_known_project_version(const struct known *known, const char *project, uint32_t *version);
uint32_t __wrap_known_tree_version(const struct known *known);

uint64_t __wrap_post_send(struct post *post, struct gdi_writer *packet)
{
	(void)post;
	assert_true(q.npackets < PACKETS_MOST);
	q.packets[q.npackets++] = (struct scripted_packet){ ++q.requests, packet->bytes, packet->n, false, false };
	*packet = (struct gdi_writer){ 0 };
	return q.requests;
}

int __wrap_post_credential(const struct post *post, char **credential, struct error *error)
{
	(void)post;
	(void)error;
	*credential = strdup("none:0 0 root root");
	return *credential ? 0 : -ENOMEM;
}

enum place_state __wrap_place_state(const struct sge *sge)
{
	(void)sge;
	return q.place;
}

bool __wrap_place_is_proven(struct sge *sge)
{
	(void)sge;
	return !q.unproven;
}

const struct known_job *__wrap_known_job(const struct known *known, uint32_t job_number)
{
	(void)known;
	q.job = (struct known_job){ .job_number = job_number, .version = q.job_version };
	return &q.job;
}

bool __wrap_known_instance_version(const struct known *known, const char *queue, uint32_t *version)
{
	(void)known;
	(void)queue;
	*version = q.instance_version;
	return true;
}

bool __wrap_known_pe_controls_slaves(const struct known *known, const char *pe)
{
	(void)known;
	(void)pe;
	return false;
}

/* Return the version of the last report, not the current one. */
static bool known_version(const char *name, bool project, uint32_t *version)
{
	for (size_t i = 0; i < q.nusers; i++)
		if (q.users[i].project == project && strcmp(q.users[i].name, name) == 0) {
			*version = q.reported[i];
			return true;
		}
	return false;
}

bool __wrap_known_user_version(const struct known *known, const char *user, uint32_t *version)
{
	(void)known;
	return known_version(user, false, version);
}

bool __wrap_known_project_version(const struct known *known, const char *project, uint32_t *version)
{
	(void)known;
	return known_version(project, true, version);
}

uint32_t __wrap_known_tree_version(const struct known *known)
{
	(void)known;
	return 1;
}

/* Usage in the qmaster's format */

static const struct gdi_word scripted_ua[] = { { UA_name, 0x10708 }, { UA_value, 0x10002 } };
static const struct gdi_word scripted_upu[] = { { UPU_job_number, 0x10703 }, { UPU_old_usage_list, 0x10009 } };
static const struct gdi_word scripted_upp[] = { { UPP_name, 0x10708 },
						{ UPP_usage, 0x10009 },
						{ UPP_long_term_usage, 0x10009 } };

static void scripted_write(struct gdi_writer *writer, const struct scripted_values *values)
{
	size_t list = gdi_list_begin(writer, "", scripted_ua, 2);

	for (size_t i = 0; i < values->n; i++) {
		gdi_element_begin(writer, list);
		gdi_write_text(writer, values->names[i]);
		gdi_write_double(writer, values->values[i]);
	}
	gdi_list_end(writer, list);
}

static void scripted_write_user(struct gdi_writer *writer, const struct scripted_user *user)
{
	const struct gdi_type *type = gdi_type(user->project ? "PR" : "UU");
	struct gdi_word words[32];
	size_t list, inner;

	for (size_t i = 0; i < type->n; i++)
		words[i] = (struct gdi_word){ type->fields[i].number, type->fields[i].mt };
	list = gdi_list_begin(writer, "", words, type->n);
	gdi_element_begin(writer, list);
	for (size_t i = 0; i < type->n; i++)
		switch (type->fields[i].number) {
		case UU_name: case PR_name:
			gdi_write_text(writer, user->name);
			break;
		case UU_oticket: case PR_oticket:
			gdi_write_u32(writer, user->oticket);
			break;
		case UU_usage: case PR_usage:
			scripted_write(writer, &user->usage);
			break;
		case UU_long_term_usage: case PR_long_term_usage:
			scripted_write(writer, &user->long_term);
			break;
		case UU_usage_time_stamp: case PR_usage_time_stamp:
			gdi_write_u32(writer, (uint32_t)user->stamp);
			break;
		case UU_version: case PR_version:
			gdi_write_u32(writer, user->version);
			break;
		case UU_project:
			inner = gdi_list_begin(writer, "", scripted_upp, 3);
			if (*user->in) {
				gdi_element_begin(writer, inner);
				gdi_write_text(writer, user->in);
				scripted_write(writer, &user->in_project);
				scripted_write(writer, &user->in_project_ever);
			}
			gdi_list_end(writer, inner);
			break;
		case UU_debited_job_usage: case PR_debited_job_usage:
			inner = gdi_list_begin(writer, "", scripted_upu, 2);
			for (size_t k = 0; k < user->nentries; k++) {
				gdi_element_begin(writer, inner);
				gdi_write_u32(writer, user->entries[k].job_number);
				scripted_write(writer, &user->entries[k].values);
			}
			gdi_list_end(writer, inner);
			break;
		default:
			if ((type->fields[i].mt & 0xff) == GDI_STRING)
				gdi_write_text(writer, "");
			else
				gdi_write_u32(writer, 0);
		}
	gdi_list_end(writer, list);
}

static void scripted_report_user(const struct scripted_user *user, enum gdi_event type)
{
	struct gdi_writer writer = { 0 };
	struct gdi_buffer buffer;
	struct gdi_list list;
	struct gdi_element element;
	struct error error = { "" };

	for (size_t i = 0; i < q.nusers; i++)
		if (q.users[i].project == user->project && strcmp(q.users[i].name, user->name) == 0)
			q.reported[i] = user->version;
	scripted_write_user(&writer, user);
	assert_int_equal(writer.rc, 0);
	buffer = (struct gdi_buffer){ writer.bytes, writer.bytes + writer.n };
	if (gdi_take_list(&buffer, &list, &error))
		fail_msg("%s", error.text);
	assert_true(gdi_next(&list, &element));
	if (usage_reported(&q.g, type, &element, &error))
		fail_msg("%s", error.text);
	gdi_writer_free(&writer);
}

static void scripted_read(struct gdi_list list, struct scripted_values *values)
{
	struct gdi_element element;

	for (values->n = 0; gdi_next(&list, &element); values->n++) {
		assert_true(values->n < NAMES_MOST);
		snprintf(values->names[values->n], sizeof(values->names[values->n]), "%s", gdi_text(&element, UA_name));
		values->values[values->n] = gdi_double(&element, UA_value);
	}
}

static inline double scripted_value(const struct scripted_values *values, const char *name)
{
	for (size_t i = 0; i < values->n; i++)
		if (strcmp(values->names[i], name) == 0)
			return values->values[i];
	return 0.0;
}

/* Return the usage of a job in the list of a user. NULL: it has none. */
static inline const struct scripted_values *scripted_entry(size_t user, uint32_t job_number)
{
	for (size_t i = 0; i < q.users[user].nentries; i++)
		if (q.users[user].entries[i].job_number == job_number)
			return &q.users[user].entries[i].values;
	return NULL;
}

/* Execution of orders */

static void scripted_debit(struct scripted_user *user, uint32_t job_number, struct gdi_list values)
{
	size_t i = 0;

	while (i < user->nentries && user->entries[i].job_number != job_number)
		i++;
	if (values.left == 0) {
		if (i < user->nentries)
			user->entries[i] = user->entries[--user->nentries];
		return;
	}
	if (i == user->nentries)
		user->entries = realloc(user->entries, ++user->nentries * sizeof(*user->entries));
	user->entries[i].job_number = job_number;
	scripted_read(values, &user->entries[i].values);
}

static struct scripted_user scripted_copy(const struct scripted_user *user)
{
	struct scripted_user copy = *user;

	copy.entries = malloc((user->nentries + 1) * sizeof(*copy.entries));
	if (user->nentries)
		memcpy(copy.entries, user->entries, user->nentries * sizeof(*copy.entries));
	return copy;
}

static void scripted_changed(const struct scripted_user *user)
{
	assert_true(q.nevents < ENTRIES_MOST);
	q.events[q.nevents++] = scripted_copy(user);
}

static void scripted_usage(const struct gdi_element *joker, bool project)
{
	struct gdi_list in = gdi_list(joker, UU_project),
			debited = gdi_list(joker, project ? PR_debited_job_usage : UU_debited_job_usage);
	struct scripted_user *user = q.users;
	struct gdi_element element;

	while (user < q.users + q.nusers &&
	       (user->project != project || strcmp(user->name, gdi_text(joker, project ? PR_name : UU_name)) != 0))
		user++;
	assert_true(user < q.users + q.nusers);
	if (gdi_u32(joker, project ? PR_version : UU_version) != user->version || q.refuse_usage)
		return;
	scripted_read(gdi_list(joker, project ? PR_usage : UU_usage), &user->usage);
	scripted_read(gdi_list(joker, project ? PR_long_term_usage : UU_long_term_usage), &user->long_term);
	user->stamp = gdi_u32(joker, project ? PR_usage_time_stamp : UU_usage_time_stamp);
	user->in[0] = '\0';
	if (!project && gdi_next(&in, &element)) {
		snprintf(user->in, sizeof(user->in), "%s", gdi_text(&element, UPP_name));
		scripted_read(gdi_list(&element, UPP_usage), &user->in_project);
		scripted_read(gdi_list(&element, UPP_long_term_usage), &user->in_project_ever);
	}
	while (gdi_next(&debited, &element))
		scripted_debit(user, gdi_u32(&element, UPU_job_number), gdi_list(&element, UPU_old_usage_list));
	user->version++;
	scripted_changed(user);
}

static void scripted_see(const struct gdi_element *order)
{
	struct scripted_order *scripted_order = &q.seen[q.nseen++];
	struct gdi_list queues = gdi_list(order, OR_queuelist), joker = gdi_list(order, OR_joker), inner;
	struct gdi_element element, jobs, task;

	assert_true(q.nseen < ENTRIES_MOST);
	*scripted_order = (struct scripted_order){ .type = gdi_u32(order, OR_type),
						   .job_number = gdi_u32(order, OR_job_number),
						   .task = gdi_u32(order, OR_ja_task_number),
						   .version = gdi_u32(order, OR_job_version),
						   .tickets = gdi_double(order, OR_ticket),
						   .ntix = gdi_double(order, OR_ntix),
						   .prio = gdi_double(order, OR_prio) };
	snprintf(scripted_order->pe, sizeof(scripted_order->pe), "%s", gdi_text(order, OR_pe));
	for (; gdi_next(&queues, &element) && scripted_order->n < 8; scripted_order->n++) {
		snprintf(scripted_order->instances[scripted_order->n].queue, 64, "%s",
			 gdi_text(&element, OQ_dest_queue));
		scripted_order->instances[scripted_order->n].slots = gdi_u32(&element, OQ_slots);
		scripted_order->instances[scripted_order->n].version = gdi_u32(&element, OQ_dest_version);
		scripted_order->instances[scripted_order->n].tickets = gdi_double(&element, OQ_ticket);
	}
	if (!gdi_next(&joker, &jobs))
		return;
	if (scripted_order->type == PACKED_USER || scripted_order->type == PACKED_PROJECT)
		scripted_usage(&jobs, scripted_order->type == PACKED_PROJECT);
	if (scripted_order->type == PACKED_TICKETS || scripted_order->type == PACKED_PENDING_TICKETS) {
		inner = gdi_list(&jobs, JB_ja_tasks);
		scripted_order->has_granted =
			gdi_next(&inner, &task) && gdi_list(&task, JAT_granted_destin_identifier_list).left > 0;
	}
	if (scripted_order->type == PACKED_INFO)
		scripted_order->messages = gdi_list(&jobs, SME_message_list).left;
}

/* Carry out the first remaining packet; false: there is none. */
static bool carry_out(void)
{
	struct error error = { "" };
	struct gdi_answer task = { .more = true };
	struct gdi_buffer buffer;
	size_t i = 0;

	while (i < q.npackets && q.packets[i].carried_out)
		i++;
	if (i == q.npackets)
		return false;
	q.packets[i].carried_out = true;
	buffer = (struct gdi_buffer){ q.packets[i].bytes, q.packets[i].bytes + q.packets[i].n };
	if (gdi_take_header(&buffer, &error))
		fail_msg("%s", error.text);
	while (task.more) {
		struct gdi_element order;

		if (gdi_take_answer(&buffer, &task, &error))
			fail_msg("%s", error.text);
		assert_int_equal(task.target, GDI_ORDERS);
		while (gdi_next(&task.data, &order)) {
			scripted_see(&order);
			if (gdi_u32(&order, OR_type) == PACKED_REMOVE && q.removed)
				q.removed(gdi_u32(&order, OR_job_number), gdi_u32(&order, OR_ja_task_number));
		}
	}
	return true;
}

static void packets_drop(bool all)
{
	size_t kept = 0;

	for (size_t i = 0; i < q.npackets; i++)
		if (all || q.packets[i].answered)
			free(q.packets[i].bytes);
		else
			q.packets[kept++] = q.packets[i];
	q.npackets = kept;
}

static void answer(void)
{
	for (size_t i = 0; i < q.npackets; i++)
		if (q.packets[i].carried_out && !q.packets[i].answered) {
			q.packets[i].answered = true;
			settlement_answered(&q.g, q.packets[i].request, NULL, 0);
		}
	packets_drop(false);
}

static void events_drop(void)
{
	for (size_t i = 0; i < q.nevents; i++)
		free(q.events[i].entries);
	q.nevents = 0;
}

/* Deliver all changes in order. */
static void deliver(void)
{
	struct scripted_user events[64];
	size_t n = 0;

	while (q.nevents > 0 && n < 64) {	/* a report marks its version as known */
		struct scripted_user user = q.events[0];

		memmove(q.events, q.events + 1, --q.nevents * sizeof(*q.events));
		scripted_report_user(&user, user.project ? GDI_EV_PROJECT_MOD : GDI_EV_USER_MOD);
		events[n++] = user;
	}
	for (size_t i = 0; i < n; i++)
		free(events[i].entries);
	settlement_delivered(&q.g);
}

/* Make a turn of the process's loop with a run. */
static inline void run_and_send(int64_t now)
{
	run(q.f, now);
	settlement_ran(&q.g, now, true);
	settlement_send(&q.g);
}

static inline void turn(void)
{
	while (carry_out())
		;
	answer();
	deliver();
	settlement_send(&q.g);
}

/* Return how many of these orders were carried out so far. */
static inline size_t count_seen(uint32_t type, uint32_t job_number)
{
	size_t n = 0;

	for (size_t i = 0; i < q.nseen; i++)
		n += q.seen[i].type == type && (job_number == 0 || q.seen[i].job_number == job_number);
	return n;
}

/* Life */

static void scheduler_begin(void)
{
	struct error error;

	q.g = (struct sge){ .sched = q.f->sched, .intake = &q.f->intake };
	q.f->intake.orders = sched_orders(q.f->sched);
	assert_int_equal(settlement_open(&q.g, &error), 0);
	q.g.settlement->heard_ns = UINT64_MAX;	/* the test controls deliveries */
}

static inline void scheduler_kill(void)
{
	const struct segment_options options = { .file_bytes = 1u << 30, .group = -1 };
	struct report report = { 0 };

	settlement_close(&q.g);
	fl_detach(q.f->reader);
	q.f->reader = NULL;
	q.f->view = NULL;
	events_destroy(&q.f->events);
	sched_destroy(q.f->sched);
	assert_int_equal(sched_create(&q.f->sched, q.f->cell.directory, &options, &report, &q.f->error), 0);
	report_free(&report);
	sched_dispatch(q.f->sched, false);
	listen_to(q.f, q.f->sched);
	scheduler_begin();
	packets_drop(true);
	events_drop();
}

static int scripted_setup(void **state)
{
	if (setup(state))
		return -1;
	memset(&q, 0, sizeof(q));
	q.f = *state;
	q.place = PLACE_OURS;
	q.job_version = 7;
	q.instance_version = 3;
	q.users[q.nusers++] = (struct scripted_user){ .name = "ann", .oticket = 1 };
	q.users[q.nusers++] = (struct scripted_user){ .name = "bob", .oticket = 1 };
	q.users[q.nusers++] = (struct scripted_user){ .name = "red", .oticket = 1, .project = true };
	scheduler_begin();
	return 0;
}

static int scripted_teardown(void **state)
{
	settlement_close(&q.g);
	packets_drop(true);
	events_drop();
	for (size_t i = 0; i < q.nusers; i++)
		free(q.users[i].entries);
	return teardown(state);
}

#define SCRIPTED(name) cmocka_unit_test_setup_teardown(name, scripted_setup, scripted_teardown)

#endif
