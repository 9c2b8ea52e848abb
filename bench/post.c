/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Latency of the connection to a qmaster while the scheduler's thread is busy all the time. `post
 * [--mib N]` starts a qmaster in a process of its own, and the connection of this process is
 * measured. It prints JSON lines in milliseconds:
 *
 *     acknowledged      from the last byte of a delivery to its acknowledgement
 *     status            from a status message to its answer
 *     total_update      N MiB in one message: received by the connection, and by a process that
 *                       discards it; from its last byte to the acknowledgement; and the maximum
 *                       memory that it took
 */
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/measure.h"
#include "sched/process/log.h"
#include "sched/qmaster/gdi/frame.h"
#include "sched/qmaster/gdi/registration.h"
#include "sched/qmaster/gridengine/post.h"

#define DELIVERIES 2000
#define EVENTS 50
#define EVENT_BYTES 400			/* size of a key, about as large as a load report */
#define MIB_DEFAULT 68			/* 100,000 jobs of 714 bytes */

static size_t update_bytes = (size_t)MIB_DEFAULT << 20;
static int listening;

static void stop(const char *what)
{
	perror(what);
	exit(1);
}

/* The qmaster, in a process of its own, which also takes the times. */

struct peer {
	int fd;
	struct gdi_frames frames;
	unsigned last_id;
};

static void peer_send(struct peer *peer, const void *bytes, size_t n)
{
	for (size_t sent = 0; sent < n;) {
		ssize_t k = send(peer->fd, (const char *)bytes + sent, n - sent, MSG_NOSIGNAL);

		if (k <= 0)
			stop("send");
		sent += (size_t)k;
	}
}

static void peer_message(struct peer *peer, const char *format, unsigned tag, unsigned answers, const void *data,
			 size_t n)
{
	char mih[256], text[300];

	snprintf(
		mih, sizeof(mih),
		"<mih "
		"version=\"0.1\"><mid>%u</mid><dl>%zu</dl><df>%s</df><mat>nak</mat><tag>%u</tag><rid>%u</rid></mih>",
		++peer->last_id, n, format, tag, answers);
	peer_send(peer, text, (size_t)snprintf(text, sizeof(text), "<gmsh><dl>%zu</dl></gmsh>%s", strlen(mih), mih));
	peer_send(peer, data, n);
}

/* Wait for the next message of this kind and tag. Other messages are skipped. */
static uint32_t peer_wait(struct peer *peer, enum gdi_frame_kind kind, unsigned tag)
{
	struct gdi_frame frame;
	struct error why;

	for (;;) {
		int rc = gdi_frames_next(&peer->frames, &frame, &why);
		size_t room;
		void *to;
		ssize_t n;

		if (rc < 0) {
			fprintf(stderr, "%s\n", why.text);
			exit(1);
		}
		if (rc > 0) {
			free(frame.data);
			if (frame.kind == kind && frame.tag == tag)
				return frame.id;
			continue;
		}
		to = gdi_frames_room(&peer->frames, &room);
		n = to ? recv(peer->fd, to, room, 0) : -1;
		if (n <= 0)
			stop("recv");
		gdi_frames_took(&peer->frames, (size_t)n);
	}
}

/*
 * Accept a connection. The header of a connect is skipped, because this is not a message that our
 * reader accepts.
 */
static void peer_greet(struct peer *peer)
{
	const char *crm =
		"<crm version=\"0.3\"><cs condition=\"connected\">ok</cs><rdata host=\"h\" comp=\"fairlead\" "
		"id=\"1\"></rdata><params>x</params></crm>";
	char text[1024] = "";
	const int on = 1;
	size_t n = 0;

	peer->fd = accept(listening, NULL, NULL);
	if (peer->fd < 0)
		stop("accept");
	setsockopt(peer->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	while (n < sizeof(text) - 1 && !strstr(text, "</cm>"))
		if (recv(peer->fd, text + n++, 1, 0) != 1)
			stop("recv");
	peer_send(peer, text, (size_t)snprintf(text, sizeof(text), "<gmsh><dl>%zu</dl></gmsh>%s", strlen(crm), crm));
}

static void registered_write(struct gdi_writer *writer)
{
	static const struct gdi_word ev[] = { { EV_id, 0x703 } };
	size_t list;

	gdi_write_header(writer);
	gdi_task_begin(writer, GDI_ADD | GDI_RETURN_NEW, GDI_EVENT_CLIENTS);
	list = gdi_list_begin(writer, "", ev, 1);
	gdi_element_begin(writer, list);
	gdi_write_u32(writer, 1);
	gdi_list_end(writer, list);
	gdi_task_simple(writer, "none:0 0 root root", 1, false);
}

static void report_write(struct gdi_writer *writer, uint32_t first, uint32_t n, size_t bytes)
{
	static const struct gdi_word rep[] = {
		{ REP_type, 3 }, { REP_host, 12 }, { REP_list, 9 }, { REP_version, 3 }, { REP_seqno, 3 }
	};
	static const struct gdi_word et[] = { { ET_number, 3 },	 { ET_timestamp, 3 },  { ET_type, 3 },
					      { ET_intkey, 3 },	 { ET_intkey2, 3 },    { ET_strkey, 8 },
					      { ET_strkey2, 8 }, { ET_new_version, 9 } };
	char *text = malloc(bytes + 1);
	size_t reports, events;

	if (!text)
		stop("malloc");
	memset(text, 'x', bytes);
	text[bytes] = '\0';
	writer->n = 0;
	gdi_write_header(writer);
	reports = gdi_list_begin(writer, "", rep, 5);
	gdi_element_begin(writer, reports);
	gdi_write_u32(writer, 2);
	gdi_write_text(writer, "h");
	events = gdi_list_begin(writer, "", et, 8);
	for (uint32_t k = 0; k < n; k++) {
		gdi_element_begin(writer, events);
		gdi_write_u32(writer, first + k);
		for (int zeros = 0; zeros < 4; zeros++)
			gdi_write_u32(writer, 0);
		gdi_write_text(writer, text);
		gdi_write_text(writer, NULL);
		gdi_write_null(writer);
	}
	gdi_list_end(writer, events);
	gdi_write_u32(writer, 0);
	gdi_write_u32(writer, 0);
	gdi_list_end(writer, reports);
	free(text);
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void row_print(const char *name, double *ns, int n)
{
	qsort(ns, (size_t)n, sizeof(*ns), by_size);
	printf("{\"what\":\"post\",\"of\":\"%s\",\"n\":%d,\"median_ms\":%.3f,\"p99_ms\":%.3f,\"worst_ms\":%.3f}\n",
	       name, n, ns[n / 2] / 1e6, ns[n * 99 / 100] / 1e6, ns[n - 1] / 1e6);
}

static void deliveries(struct peer *peer)
{
	static double acknowledged[DELIVERIES], status[DELIVERIES];
	const char *asked = "<sim version=\"0.1\"></sim>";
	struct gdi_writer writer = { .rc = 0 };
	uint32_t next = 2;

	for (int k = 0; k < DELIVERIES; k++, next += EVENTS) {
		double sent;

		report_write(&writer, next, EVENTS, EVENT_BYTES);
		peer_message(peer, "bin", GDI_TAG_REPORT, 0, writer.bytes, writer.n);
		sent = now_ns();
		peer_wait(peer, GDI_FRAME_DATA, GDI_TAG_ACKNOWLEDGE);
		acknowledged[k] = now_ns() - sent;
		sent = now_ns();
		peer_message(peer, "sim", 0, 0, asked, strlen(asked));
		peer_wait(peer, GDI_FRAME_STATUS, 0);
		status[k] = now_ns() - sent;
	}
	gdi_writer_free(&writer);
	row_print("acknowledged", acknowledged, DELIVERIES);
	row_print("status", status, DELIVERIES);
}

/* Send the total update, first to the process that discards it. */
static void peer_run(void)
{
	struct peer peer = { .fd = accept(listening, NULL, NULL) };
	struct gdi_writer writer = { .rc = 0 }, answer = { .rc = 0 };
	double begin, sent, away, took;
	uint32_t id;

	report_write(&writer, 1, 1, update_bytes);
	begin = now_ns();
	peer_message(&peer, "bin", GDI_TAG_REPORT, 0, writer.bytes, writer.n);
	shutdown(peer.fd, SHUT_WR);
	(void)!recv(peer.fd, &id, 1, 0);	/* returns when all has been read */
	away = now_ns() - begin;
	close(peer.fd);
	peer.last_id = 0;
	peer_greet(&peer);
	id = peer_wait(&peer, GDI_FRAME_DATA, GDI_TAG_REQUEST);
	registered_write(&answer);
	peer_message(&peer, "bin", GDI_TAG_REQUEST, id, answer.bytes, answer.n);
	begin = now_ns();
	peer_message(&peer, "bin", GDI_TAG_REPORT, 0, writer.bytes, writer.n);
	sent = now_ns();
	peer_wait(&peer, GDI_FRAME_DATA, GDI_TAG_ACKNOWLEDGE);
	took = now_ns() - begin;
	printf("{\"what\":\"post_update\",\"bytes\":%zu,\"received_ms\":%.1f,\"thrown_away_ms\":%.1f,\"ratio\":%.2f,"
	       "\"acknowledged_ms\":%.3f}\n",
	       writer.n, took / 1e6, away / 1e6, took / away, (begin + took - sent) / 1e6);
	gdi_writer_free(&writer);
	gdi_writer_free(&answer);
	deliveries(&peer);
	fflush(stdout);
	_exit(0);
}

/* The client's side */

static void throw_away(unsigned port)
{
	const struct sockaddr_in to = { .sin_family = AF_INET,
					.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
					.sin_port = htons((uint16_t)port) };
	static char bytes[1 << 20];
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || connect(fd, (const struct sockaddr *)&to, sizeof(to)))
		stop("connect");
	while (recv(fd, bytes, sizeof(bytes), 0) > 0)
		;
	send(fd, "", 1, 0);
	close(fd);
}

static long memory_kib(void)
{
	FILE *file = fopen("/proc/self/status", "r");
	char line[200];
	long kib = 0;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "VmHWM: %ld", &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib;
}

/* Compute like a busy scheduler until the qmaster process has ended. */
static void work(pid_t peer)
{
	static double columns[1 << 16];
	int status;

	while (waitpid(peer, &status, WNOHANG) == 0)
		for (int turn = 0; turn < 1000; turn++)
			for (size_t i = 1; i < sizeof(columns) / sizeof(columns[0]); i++)
				columns[i] = columns[i - 1] * 0.5 + (double)i;
	if (status)
		exit(1);
}

static void cell_make(char *directory, unsigned port)
{
	char command[3 * BENCH_PATH + 150], text[20];

	if (bench_directory(directory))
		stop("no directory");
	snprintf(
		command, sizeof(command),
		"mkdir %s/common && echo security_mode none >%s/common/bootstrap && echo 127.0.0.1 "
		">%s/common/act_qmaster",
		directory, directory, directory);
	if (system(command))
		stop("the cell");
	snprintf(text, sizeof(text), "%u", port);
	setenv("SGE_QMASTER_PORT", text, 1);
}

static int measure(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	char directory[BENCH_PATH], command[BENCH_PATH + 20];
	struct post_options options = { .directory = directory,
					.role = POST_SCHEDULER,
					.subscription = { .d_time = 60 },
					.most_bytes = SIZE_MAX / 2 };
	struct post_record *record;
	socklen_t size = sizeof(at);
	struct post *post;
	struct error why;
	long before;
	pid_t peer;

	listening = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(listening, (struct sockaddr *)&at, size) || listen(listening, 2) ||
	    getsockname(listening, (struct sockaddr *)&at, &size))
		stop("listen");
	fflush(stdout);
	peer = fork();
	if (peer == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		peer_run();
	}
	close(listening);
	throw_away(ntohs(at.sin_port));
	cell_make(directory, ntohs(at.sin_port));
	before = memory_kib();
	if (post_open(&post, &options, &why)) {
		fprintf(stderr, "post: %s\n", why.text);
		return 1;
	}
	work(peer);
	printf("{\"what\":\"post_memory\",\"received_mib\":%.1f,\"peak_mib\":%.1f}\n",
	       (double)(update_bytes + (size_t)DELIVERIES * EVENTS * (EVENT_BYTES + 38)) / (1 << 20),
	       (double)(memory_kib() - before) / 1024);
	while ((record = post_take(post)))
		post_record_free(post, record);
	post_close(post, 1000);
	snprintf(command, sizeof(command), "rm -r %s", directory);
	return system(command) != 0;
}

int main(int argc, char **argv)
{
	static const struct option names[] = { { "mib", 1, 0, 'm' }, { 0 } };
	unsigned long mib = MIB_DEFAULT;
	int c;

	while ((c = getopt_long(argc, argv, "", names, NULL)) == 'm')
		mib = strtoul(optarg, NULL, 10);
	if (c != -1 || optind != argc || mib == 0 || mib > 1023) {
		fprintf(stderr, "usage: post [--mib N]\n");
		return 2;
	}
	log_open("post", false);
	update_bytes = (size_t)mib << 20;
	return measure();
}
