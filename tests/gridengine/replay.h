/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scripted qmaster: it accepts connections on a port of its own, greets, and keeps all received
 * messages. Its cell is a directory made for the test. A message that is missing after
 * REPLAY_WAIT_S fails the test. Include after cmocka.h and its headers.
 */
#ifndef TESTS_GRIDENGINE_REPLAY_H
#define TESTS_GRIDENGINE_REPLAY_H

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sched/qmaster/gdi/frame.h"
#include "sched/qmaster/gdi/packet.h"
#include "sched/qmaster/gdi/registration.h"

#define REPLAY_WAIT_S 120
#define REPLAY_MOST 4096

struct replay_message {
	char format[8];			/* "bin", "am", "sirm", "ccm" ... */
	unsigned tag, id, answers;
	unsigned char *data;
	size_t n;
	unsigned connection;		/* 1, 2, ... */
};

struct replay {
	char directory[64];		/* ROOT/CELL */
	int listening, fd;		/* fd -1: no connection */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned connections;
	char hello[1024];		/* the last CM */
	_Atomic(const char *) condition;	/* condition of the CRM; NULL: connected */
	struct replay_message messages[REPLAY_MOST];
	size_t n;
	unsigned last_id;
};

static struct replay replay;

/* Read exactly this number of bytes; false: the connection is closed. */
static inline bool replay_bytes(int fd, void *to, size_t n)
{
	for (size_t got = 0; got < n;) {
		ssize_t k = recv(fd, (char *)to + got, n - got, 0);

		if (k <= 0)
			return false;
		got += (size_t)k;
	}
	return true;
}

static inline bool replay_header(int fd, char header[1024])
{
	char length[40] = "";
	size_t n = 0, most = 0;

	while (n < sizeof(length) - 1 && !strstr(length, "</gmsh>"))
		if (!replay_bytes(fd, &length[n++], 1))
			return false;
	if (sscanf(length, "<gmsh><dl>%zu</dl></gmsh>", &most) != 1 || most >= 1024 || !replay_bytes(fd, header, most))
		return false;
	header[most] = '\0';
	return true;
}

static inline void replay_raw(const void *bytes, size_t n)
{
	for (size_t sent = 0; sent < n;) {
		ssize_t k = send(replay.fd, (const char *)bytes + sent, n - sent, MSG_NOSIGNAL);

		if (k <= 0)
			return;		/* the test reports the missing message */
		sent += (size_t)k;
	}
}

static inline void replay_header_send(const char *header)
{
	char text[1200];

	replay_raw(text, (size_t)snprintf(text, sizeof(text), "<gmsh><dl>%zu</dl></gmsh>%s", strlen(header), header));
}

static inline void replay_greet(unsigned connection)
{
	const char *condition = replay.condition;
	char crm[512];

	snprintf(
		crm, sizeof(crm),
		"<crm version=\"0.3\"><cs condition=\"%s\">%s</cs><rdata host=\"h\" comp=\"fairlead\" id=\"%u\"></rdata>"
		"<params>gdi_timeout=60:gdi_retries=0:cl_ping=false</params></crm>",
		condition ? condition : "connected", condition ? "who &quot;are&quot; you" : "ok", connection);
	replay_header_send(crm);
}

static inline void replay_keep(const struct replay_message *message)
{
	pthread_mutex_lock(&replay.lock);
	if (replay.n < REPLAY_MOST)
		replay.messages[replay.n++] = *message;
	pthread_cond_broadcast(&replay.changed);
	pthread_mutex_unlock(&replay.lock);
}

static inline void replay_serve(int fd, unsigned connection)
{
	char header[1024];

	while (replay_header(fd, header)) {
		struct replay_message message = { .connection = connection };

		if (sscanf(header,
			   "<mih version=\"0.1\"><mid>%u</mid><dl>%zu</dl><df>%7[a-z]</df><mat>nak</mat><tag>%u</tag><rid>%u</rid></mih>",
			   &message.id, &message.n, message.format, &message.tag, &message.answers) != 5)
			return;
		message.data = malloc(message.n + 1);
		if (!message.data || !replay_bytes(fd, message.data, message.n))
			return;
		message.data[message.n] = '\0';
		replay_keep(&message);
		if (strcmp(message.format, "ccm") == 0) {
			const char *closed = "<ccrm version=\"0.1\"></ccrm>";
			char mih[200];

			snprintf(
				mih, sizeof(mih),
				"<mih version=\"0.1\"><mid>%u</mid><dl>%zu</dl><df>ccrm</df><mat>nak</mat><tag>0</tag><rid>0</rid></mih>",
				++replay.last_id, strlen(closed));
			replay_header_send(mih);
			replay_raw(closed, strlen(closed));
		}
	}
}

static void *replay_main(void *unused)
{
	int fd;

	(void)unused;
	while ((fd = accept(replay.listening, NULL, NULL)) >= 0) {
		const int on = 1;
		char hello[1024];

		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
		if (replay_header(fd, hello)) {
			pthread_mutex_lock(&replay.lock);
			memcpy(replay.hello, hello, sizeof(hello));
			replay.fd = fd;
			replay.last_id = 0;
			replay.connections++;
			pthread_mutex_unlock(&replay.lock);
			replay_greet(replay.connections);
			pthread_mutex_lock(&replay.lock);
			pthread_cond_broadcast(&replay.changed);
			pthread_mutex_unlock(&replay.lock);
			replay_serve(fd, replay.connections);
		}
		pthread_mutex_lock(&replay.lock);
		replay.fd = -1;
		pthread_mutex_unlock(&replay.lock);
		close(fd);
	}
	return NULL;
}

static inline void replay_file(const char *name, const char *text)
{
	char path[200];
	FILE *file;

	snprintf(path, sizeof(path), "%s/common/%s", replay.directory, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static inline void replay_open(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(at);
	pthread_condattr_t clock;
	char text[200];

	memset(&replay, 0, sizeof(replay));
	replay.fd = -1;
	strcpy(replay.directory, "/tmp/fairlead-replay-XXXXXX");
	assert_non_null(mkdtemp(replay.directory));
	snprintf(text, sizeof(text), "%s/common", replay.directory);
	assert_int_equal(mkdir(text, 0755), 0);
	replay_file("bootstrap", "security_mode none\nignore_fqdn false\ndefault_domain none\n");
	replay_file("act_qmaster", "127.0.0.1\n");
	pthread_mutex_init(&replay.lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&replay.changed, &clock);
	replay.listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(replay.listening, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(replay.listening, 8), 0);
	assert_int_equal(getsockname(replay.listening, (struct sockaddr *)&at, &size), 0);
	snprintf(text, sizeof(text), "%u", ntohs(at.sin_port));
	setenv("SGE_QMASTER_PORT", text, 1);
	assert_int_equal(pthread_create(&replay.thread, NULL, replay_main, NULL), 0);
}

/* Cut the connection hard. */
static inline void replay_cut(void)
{
	pthread_mutex_lock(&replay.lock);
	if (replay.fd >= 0)
		shutdown(replay.fd, SHUT_RDWR);
	pthread_mutex_unlock(&replay.lock);
}

static inline void replay_close(void)
{
	char command[200];

	shutdown(replay.listening, SHUT_RDWR);
	replay_cut();
	pthread_join(replay.thread, NULL);
	close(replay.listening);
	for (size_t i = 0; i < replay.n; i++)
		free(replay.messages[i].data);
	snprintf(command, sizeof(command), "rm -r %s", replay.directory);
	assert_int_equal(system(command), 0);
}

/* Wait until the state has changed, or too much time has passed. */
static inline void replay_wait(const char *what)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += REPLAY_WAIT_S;
	if (pthread_cond_timedwait(&replay.changed, &replay.lock, &until) == ETIMEDOUT) {
		pthread_mutex_unlock(&replay.lock);
		fail_msg("%s: not within %d s", what, REPLAY_WAIT_S);
	}
}

/* Return the n-th message with this tag and format, from 0. */
static inline struct replay_message replay_nth(size_t n, const char *format, unsigned tag)
{
	struct replay_message found;
	size_t i = 0, seen = 0;

	pthread_mutex_lock(&replay.lock);
	for (;;) {
		for (; i < replay.n; i++)
			if (strcmp(replay.messages[i].format, format) == 0 && replay.messages[i].tag == tag &&
			    seen++ == n) {
				found = replay.messages[i];
				pthread_mutex_unlock(&replay.lock);
				return found;
			}
		replay_wait(format);
	}
}

static inline size_t replay_count(const char *format, unsigned tag)
{
	size_t n = 0;

	pthread_mutex_lock(&replay.lock);
	for (size_t i = 0; i < replay.n; i++)
		n += strcmp(replay.messages[i].format, format) == 0 && replay.messages[i].tag == tag;
	pthread_mutex_unlock(&replay.lock);
	return n;
}

static inline void replay_connected(unsigned connections)
{
	pthread_mutex_lock(&replay.lock);
	while (replay.connections < connections || replay.fd < 0)
		replay_wait("a connection");
	pthread_mutex_unlock(&replay.lock);
}

static inline void replay_send(const char *format, unsigned tag, unsigned answers, const void *data, size_t n)
{
	char mih[256];

	snprintf(
		mih, sizeof(mih),
		"<mih version=\"0.1\"><mid>%u</mid><dl>%zu</dl><df>%s</df><mat>nak</mat><tag>%u</tag><rid>%u</rid></mih>",
		++replay.last_id, n, format, tag, answers);
	replay_header_send(mih);
	replay_raw(data, n);
}

/* Answer a request about an event client with the fields that are read. */
static inline void replay_answer(unsigned request, uint32_t client, uint32_t status, const char *text)
{
	static const struct gdi_word ev[] = { { EV_id, 0x703 } },
				     an[] = { { AN_status, 3 }, { AN_text, 8 }, { AN_quality, 3 } };
	struct gdi_writer writer = { .rc = 0 };
	size_t list;

	gdi_write_header(&writer);
	gdi_task_begin(&writer, GDI_ADD | GDI_RETURN_NEW, GDI_EVENT_CLIENTS);
	list = gdi_list_begin(&writer, "", ev, 1);
	if (client) {
		gdi_element_begin(&writer, list);
		gdi_write_u32(&writer, client);
	}
	gdi_list_end(&writer, list);
	list = gdi_list_begin(&writer, "", an, 3);
	gdi_element_begin(&writer, list);
	gdi_write_u32(&writer, status);
	gdi_write_text(&writer, text);
	gdi_write_u32(&writer, status == GDI_OK ? GDI_INFO : GDI_ERROR);
	gdi_list_end(&writer, list);
	gdi_write_everywhere(&writer);
	gdi_write_null(&writer);
	gdi_task_end(&writer, "none:0 0 root root", 1, false);
	replay_send("bin", GDI_TAG_REQUEST, request, writer.bytes, writer.n);
	gdi_writer_free(&writer);
}

/* Write empty events first, first + 1, ... with `filler` bytes in the first one. */
static inline void replay_report_write(struct gdi_writer *writer, uint32_t first, uint32_t n, size_t filler)
{
	static const struct gdi_word rep[] = {
		{ REP_type, 3 }, { REP_host, 12 }, { REP_list, 9 }, { REP_version, 3 }, { REP_seqno, 3 }
	};
	static const struct gdi_word et[] = { { ET_number, 3 },	 { ET_timestamp, 3 },  { ET_type, 3 },
					      { ET_intkey, 3 },	 { ET_intkey2, 3 },    { ET_strkey, 8 },
					      { ET_strkey2, 8 }, { ET_new_version, 9 } };
	size_t reports, events;
	char *text = calloc(1, filler + 1);

	assert_non_null(text);
	memset(text, 'x', filler);
	gdi_write_header(writer);
	reports = gdi_list_begin(writer, "report list", rep, 5);
	gdi_element_begin(writer, reports);
	gdi_write_u32(writer, 2);
	gdi_write_text(writer, "127.0.0.1");
	events = gdi_list_begin(writer, "", et, 8);
	for (uint32_t k = 0; k < n; k++) {
		gdi_element_begin(writer, events);
		gdi_write_u32(writer, first + k);
		gdi_write_u32(writer, 1000);
		gdi_write_u32(writer, GDI_EV_JOB_DEL);
		gdi_write_u32(writer, 1);
		gdi_write_u32(writer, 0);
		gdi_write_text(writer, k == 0 ? text : "");
		gdi_write_text(writer, "");
		gdi_write_null(writer);
	}
	gdi_list_end(writer, events);
	gdi_write_u32(writer, 1);
	gdi_write_u32(writer, 0);
	gdi_list_end(writer, reports);
	assert_int_equal(writer->rc, 0);
	free(text);
}

static inline void replay_report(uint32_t first, uint32_t n, size_t filler)
{
	struct gdi_writer writer = { .rc = 0 };

	replay_report_write(&writer, first, n, filler);
	replay_send("bin", GDI_TAG_REPORT, 0, writer.bytes, writer.n);
	gdi_writer_free(&writer);
}

#endif
