/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replay of each recorded conversation with a real qmaster. The qmaster's messages are sent to us
 * in the recorded order, and our messages are compared with those of its client. Of the messages of
 * an event client only the subscription and the name may differ. Acknowledgements are the same
 * bytes, and also replace the releases that the client sent. Other requests are repeated and must
 * arrive unchanged.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glob.h>

#include "sched/process/log.h"
#include "sched/qmaster/gridengine/post.h"
#include "tests/gridengine/replay.h"

#define CONVERSATIONS "tests/reference/gdi/*.hex"

struct said {				/* a recorded message */
	char direction;			/* '>': to the qmaster */
	char format[8];			/* "": without a header of a message */
	unsigned tag, id, answers;
	unsigned char *data;
	size_t n;
};

static struct said said[1024];
static size_t nsaid;
static struct post *post;
static struct post_record *record;
static struct error why;

static void said_take(char direction, unsigned char *bytes, size_t *n)
{
	unsigned length;
	int used;

	bytes[*n] = '\0';
	while (sscanf((char *)bytes, "<gmsh><dl>%u</dl></gmsh>%n", &length, &used) == 1 &&
	       *n >= (size_t)used + length) {
		struct said m = { .direction = direction };
		size_t whole = (size_t)used + length;

		if (sscanf((char *)bytes + used,
			   "<mih version=\"0.1\"><mid>%u</mid><dl>%zu</dl><df>%7[a-z]</df><mat>%*[a-z]</mat><tag>%u</tag><rid>%u</rid></mih>",
			   &m.id, &m.n, m.format, &m.tag, &m.answers) == 5)
			whole += m.n;
		if (*n < whole)
			return;
		m.data = malloc(m.n + 1);
		memcpy(m.data, bytes + whole - m.n, m.n);
		said[nsaid++] = m;
		memmove(bytes, bytes + whole, *n - whole + 1);
		*n -= whole;
		assert_true(nsaid < sizeof(said) / sizeof(said[0]));
	}
}

/* Read the messages of a file, each at the position of its last byte. */
static void said_read(const char *path)
{
	FILE *file = fopen(path, "r");
	unsigned char *bytes[2] = { malloc(1 << 20), malloc(1 << 20) };
	size_t n[2] = { 0, 0 }, capacity = 0;
	char *line = NULL;

	assert_non_null(file);
	nsaid = 0;
	while (getline(&line, &capacity, file) > 0) {
		int to = line[0] == '>';
		unsigned byte;

		if (line[0] != '>' && line[0] != '<')
			continue;
		for (const char *c = line + 1 + strspn(line + 1, " "); sscanf(c, "%2x", &byte) == 1; c += 2)
			bytes[to][n[to]++] = (unsigned char)byte;
		said_take(line[0], bytes[to], &n[to]);
	}
	assert_int_equal(n[0] + n[1], 0);
	free(line);
	free(bytes[0]);
	free(bytes[1]);
	fclose(file);
}

static const struct post_record *next_is(enum post_kind kind)
{
	if (record)
		post_record_free(post, record);
	while (!(record = post_take(post))) {
		struct pollfd ready = { post_fd(post), POLLIN, 0 };

		if (poll(&ready, 1, REPLAY_WAIT_S * 1000) == 0)
			fail_msg("no record of kind %d", kind);
	}
	if (record->kind != kind)
		fail_msg("found a record of kind %d ('%s'), expected kind %d", record->kind, record->text, kind);
	return record;
}

/* Return command and target of a packet's first task; false: it has none. */
static bool task_of(const unsigned char *data, size_t n, uint32_t *command, uint32_t *target)
{
	struct gdi_buffer buffer = { data, data + n };
	struct error error;

	return gdi_take_header(&buffer, &error) == 0 && gdi_take_u32(&buffer, command, &error) == 0 &&
	       gdi_take_u32(&buffer, target, &error) == 0;
}

/* Return whether a request is about the event client, which is handled by the post. */
static bool about_client(const unsigned char *data, size_t n)
{
	uint32_t command = 0, target = 0;

	return task_of(data, n, &command, &target) && target == GDI_EVENT_CLIENTS && command != GDI_GET;
}

static bool is_own(const struct said *m)
{
	return strcmp(m->format, "bin") == 0 && m->tag == GDI_TAG_REQUEST && about_client(m->data, m->n);
}

static bool is_report(const struct said *m)
{
	return m->direction == '<' && m->tag == GDI_TAG_REPORT;
}

/* Return a checked copy in memory of its own, because the check writes into it. */
static unsigned char *checked(const struct said *m, struct gdi_delivery *head)
{
	unsigned char *copy = malloc(m->n);

	assert_non_null(copy);
	memcpy(copy, m->data, m->n);
	assert_int_equal(gdi_delivery_check(copy, m->n, head, &why), 0);
	return copy;
}

/* Return the number of the first delivered event. Earlier ones were delivered to another client. */
static uint32_t first_event(void)
{
	struct gdi_delivery head = { .n = 0 };

	for (size_t i = 0; i < nsaid && head.n == 0; i++)
		if (is_report(&said[i]))
			free(checked(&said[i], &head));
	if (head.n > 0)
		return head.first;
	for (size_t i = 0; i < nsaid; i++)	/* if none: the last acknowledged number */
		if (said[i].direction == '>' && said[i].tag == GDI_TAG_ACKNOWLEDGE)
			return ((uint32_t)said[i].data[said[i].n - 9 + 2] << 8 | said[i].data[said[i].n - 9 + 3]) + 1;
	return 1;
}

struct played {				/* state of the replay */
	size_t requests, acknowledgements;	/* numbers of our requests that have arrived */
	unsigned ids[1024];		/* ids of our requests, by the recorded number */
	bool registers, scheduler, closed;
};

/* Register when the client had registered before the recording began. */
static void register_before(struct played *played)
{
	uint32_t first = first_event();

	replay_answer(replay_nth(played->requests++, "bin", GDI_TAG_REQUEST).id, 1, GDI_OK, "ok");
	next_is(POST_REGISTERED);
	replay_report(1, first - 1, 0);
	next_is(POST_DELIVERY);
	for (size_t i = 0; i < nsaid && !is_report(&said[i]); i++)
		if (said[i].direction == '>' && said[i].tag == GDI_TAG_ACKNOWLEDGE)
			return;		/* the recording begins with this request */
	replay_nth(played->acknowledgements++, "bin", GDI_TAG_ACKNOWLEDGE);
}

static void play_request(struct played *played, const struct said *m)
{
	uint32_t command, target, was_command, was_target;
	struct replay_message came;
	struct gdi_writer writer = { .rc = 0 };

	if (is_own(m) && task_of(m->data, m->n, &was_command, &was_target) && was_command == GDI_MOD)
		return;			/* the client released, where ours has acknowledged */
	if (!is_own(m)) {
		gdi_write_bytes(&writer, m->data, m->n);
		assert_true(post_send(post, &writer) > 0);
	}
	came = replay_nth(played->requests++, "bin", GDI_TAG_REQUEST);
	played->ids[m->id % 1024] = came.id;
	if (is_own(m)) {
		assert_true(task_of(came.data, came.n, &command, &target) &&
			    task_of(m->data, m->n, &was_command, &was_target));
		assert_int_equal(command, was_command);
		assert_int_equal(target, was_target);
	} else {
		assert_int_equal(came.n, m->n);
		assert_memory_equal(came.data, m->data, m->n);
	}
}

static void play_said_by_client(struct played *played, const struct said *m)
{
	struct replay_message came;

	if (strcmp(m->format, "bin") != 0)
		return;
	if (m->tag == GDI_TAG_REQUEST)
		play_request(played, m);
	if (m->tag == GDI_TAG_ACKNOWLEDGE) {
		came = replay_nth(played->acknowledgements++, "bin", GDI_TAG_ACKNOWLEDGE);
		assert_int_equal(came.n, m->n);
		assert_memory_equal(came.data, m->data, m->n);
	}
	if (m->tag == GDI_TAG_LEAVE)
		post_role(post, POST_NONE, NULL);
}

static const struct said *request_of(const struct said *answer)
{
	for (size_t i = 0; i < nsaid; i++)
		if (said[i].direction == '>' && said[i].id == answer->answers && said[i].tag == GDI_TAG_REQUEST)
			return &said[i];
	return NULL;
}

static void play_said_by_qmaster(struct played *played, const struct said *m)
{
	const struct said *request = m->answers ? request_of(m) : NULL;

	if (!*m->format || strcmp(m->format, "ccrm") == 0)
		return;
	if (m->answers && (!request || (is_own(request) && !played->ids[request->id % 1024])))
		/* an answer to a request before the recording, or to one that we do not send */
		return;
	replay_send(m->format, m->tag, request ? played->ids[request->id % 1024] : 0, m->data, m->n);
	if (is_report(m)) {
		next_is(POST_DELIVERY);
	} else if (request && is_own(request)) {
		next_is(POST_REGISTERED);
		return;
	} else if (strcmp(m->format, "ccm") == 0) {
		replay_nth(0, "ccrm", 0);
		next_is(POST_LOST);
		played->closed = true;
		return;
	} else if (strcmp(m->format, "bin") == 0) {
		next_is(POST_ANSWER);
	} else {
		return;
	}
	assert_int_equal(record->n, m->n);
	if (is_report(m)) {
		struct gdi_delivery head;
		unsigned char *copy = checked(m, &head);

		assert_memory_equal(record->bytes, copy, m->n);
		free(copy);
	} else {
		assert_memory_equal(record->bytes, m->data, m->n);
	}
}

static void conversation(const char *path)
{
	struct post_options options = { .subscription = { .d_time = 60, .flush_submit = 0, .flush_finish = 0 } };
	struct played played = { .registers = false };
	uint32_t command, target;

	said_read(path);
	for (size_t i = 0; i < nsaid; i++) {
		played.scheduler = played.scheduler || is_own(&said[i]) || is_report(&said[i]);
		played.registers =
			played.registers ||
			(is_own(&said[i]) && task_of(said[i].data, said[i].n, &command, &target) && command != GDI_MOD);
	}
	replay_open();
	options.directory = replay.directory;
	options.role = played.scheduler ? POST_SCHEDULER : POST_NONE;
	assert_int_equal(post_open(&post, &options, &why), 0);
	next_is(POST_CONNECTED);
	if (played.scheduler && !played.registers)
		register_before(&played);
	for (size_t i = 0; i < nsaid && !played.closed; i++) {
		if (said[i].direction == '>')
			play_said_by_client(&played, &said[i]);
		else
			play_said_by_qmaster(&played, &said[i]);
	}
	if (record)
		post_record_free(post, record);
	record = NULL;
	post_close(post, 2000);
	replay_close();
	for (size_t i = 0; i < nsaid; i++)
		free(said[i].data);
}

static void test_every_conversation_takes_its_recorded_course(void **state)
{
	/*
	 * In these recordings the client was silent on purpose, acknowledged wrong numbers, or was
	 * no scheduler.
	 */
	static const char *const others[] = { "k3-conf-events-ack-timeout", "n1-handover-to-built-in",
					      "u1-restarted-tasks" };
	size_t played = 0;
	glob_t files;

	(void)state;
	assert_int_equal(glob(CONVERSATIONS, 0, NULL, &files), 0);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		bool plays = true;

		for (size_t k = 0; k < sizeof(others) / sizeof(*others); k++)
			plays = plays && !strstr(files.gl_pathv[i], others[k]);
		if (!plays)
			continue;
		print_message("%s\n", files.gl_pathv[i]);
		conversation(files.gl_pathv[i]);
		played++;
	}
	globfree(&files);
	assert_true(played > 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_conversation_takes_its_recorded_course),
	};

	log_open("conversations", false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
