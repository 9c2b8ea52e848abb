/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/metrics/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "sched/process/clock.h"
#include "sched/process/log.h"
#include "sched/process/notify.h"
#include "sched/process/watchdog.h"

#define MS_NS 1000000ull
#define SECOND_NS 1000000000ull
#define CONNECTIONS_MOST 32u
#define REQUEST_BYTES_MOST 8192u /* request line and headers */
#define IDLE_S 10u /* without a byte in either direction */
#define CONNECTION_NS (30 * SECOND_NS) /* whole duration of a connection */

struct peer { /* a connection */
	MHD_socket socket;
	uint64_t end_ns; /* 0: unused */
};

struct http {
	struct MHD_Daemon *daemon;
	struct exporter *exporter;
	int epoll_fd; /* owned by `daemon` */
	int signal_fd;
	struct peer peers[CONNECTIONS_MOST];
	struct watchdog watchdog;
	bool stop;
};

/* Address */

static int port_parse(const char *text, uint16_t *port)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || value > 65535)
		return -EINVAL;
	*port = htons((uint16_t)value);
	return 0;
}

int http_address_parse(struct http_address *address, const char *text)
{
	struct sockaddr_in *four = (struct sockaddr_in *)&address->socket;
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)&address->socket;
	const char *colon = strrchr(text, ':');
	char host[64];
	size_t bytes = colon ? (size_t)(colon - text) : 0;

	memset(address, 0, sizeof(*address));
	if (bytes == 0 || bytes >= sizeof(host))
		return -EINVAL;
	memcpy(host, text, bytes);
	host[bytes] = '\0';
	if (host[0] == '[' && host[bytes - 1] == ']') {
		host[bytes - 1] = '\0';
		six->sin6_family = AF_INET6;
		address->bytes = sizeof(*six);
		return inet_pton(AF_INET6, host + 1, &six->sin6_addr) == 1 ? port_parse(colon + 1, &six->sin6_port)
									   : -EINVAL;
	}
	four->sin_family = AF_INET;
	address->bytes = sizeof(*four);
	if (strcmp(host, "*") && inet_pton(AF_INET, host, &four->sin_addr) != 1)
		return -EINVAL;
	return port_parse(colon + 1, &four->sin_port);
}

static bool is_loopback(const struct http_address *address)
{
	const struct sockaddr_in *four = (const struct sockaddr_in *)&address->socket;
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&address->socket;

	return four->sin_family == AF_INET ? ntohl(four->sin_addr.s_addr) >> 24 == 127
					   : IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
}

/* Requests */

static const char *type_of(enum exposition_format format)
{
	return format == PAGE_OPENMETRICS ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
					  : "text/plain; version=0.0.4; charset=utf-8";
}

/* Queue a response and close the connection after it. `response` may be NULL: no memory. */
static enum MHD_Result respond(struct MHD_Connection *connection, unsigned status, const char *type,
			       struct MHD_Response *response)
{
	enum MHD_Result result;

	if (!response)
		return MHD_NO;
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
	MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	result = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result respond_text(struct MHD_Connection *connection, unsigned status, const char *type,
				    const char *text)
{
	return respond(connection, status, type,
		       MHD_create_response_from_buffer(strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_PERSISTENT));
}

static enum MHD_Result respond_metrics(struct http *server, struct MHD_Connection *connection)
{
	const char *accept = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);
	enum exposition_format format = accept && strstr(accept, "application/openmetrics-text") ? PAGE_OPENMETRICS
												 : PAGE_TEXT;
	struct MHD_Response *response;
	char *text;
	size_t bytes;

	if (exporter_scrape(server->exporter, format, &text, &bytes))
		return respond_text(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, "text/plain", "out of memory\n");
	response = MHD_create_response_from_buffer(bytes, text, MHD_RESPMEM_MUST_FREE);
	if (!response)
		free(text);
	return respond(connection, MHD_HTTP_OK, type_of(format), response);
}

static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *url, const char *method,
			      const char *version, const char *upload, size_t *upload_bytes, void **state)
{
	static const char page[] = "<!DOCTYPE html><html lang=en><title>fairlead-metrics</title>"
				   "<p><a href=\"/metrics\">Metrics</a> of a Fairlead scheduler\n";

	(void)version;
	(void)upload;
	(void)upload_bytes;
	(void)state;
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD))
		return respond_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "text/plain",
				    "GET and HEAD are allowed\n");
	if (strcmp(url, "/metrics") == 0)
		return respond_metrics(context, connection);
	if (strcmp(url, "/") == 0)
		return respond_text(connection, MHD_HTTP_OK, "text/html; charset=utf-8", page);
	return respond_text(connection, MHD_HTTP_NOT_FOUND, "text/plain", "not found; the metrics are at /metrics\n");
}

/* Connections */

static void peer_notify(void *context, struct MHD_Connection *connection, void **state,
			enum MHD_ConnectionNotificationCode code)
{
	struct http *server = context;
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct peer *peer = *state;

	if (code == MHD_CONNECTION_NOTIFY_CLOSED && peer)
		peer->end_ns = 0;
	for (size_t k = 0; code == MHD_CONNECTION_NOTIFY_STARTED && info && k < CONNECTIONS_MOST; k++)
		if (server->peers[k].end_ns == 0) {
			server->peers[k] = (struct peer){ info->connect_fd, clock_monotonic_ns() + CONNECTION_NS };
			*state = &server->peers[k];
			return;
		}
}

/* End connections that last too long: clients that send or read a byte now and then. */
static void peers_end(struct http *server)
{
	uint64_t now = clock_monotonic_ns();

	for (size_t k = 0; k < CONNECTIONS_MOST; k++)
		if (server->peers[k].end_ns && server->peers[k].end_ns <= now)
			shutdown(server->peers[k].socket, SHUT_RDWR);
}

/* Process */

static int signals_open(void)
{
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int listen_open(const struct http_address *address)
{
	int fd = socket(address->socket.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), one = 1, rc;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (const struct sockaddr *)&address->socket, address->bytes) == 0 && listen(fd, SOMAXCONN) == 0)
		return fd;
	rc = -errno;
	close(fd);
	return rc;
}

static void listen_log(int fd, const struct http_address *wanted)
{
	struct http_address address = { .bytes = sizeof(address.socket) };
	char host[64] = "", service[8] = "";

	getsockname(fd, (struct sockaddr *)&address.socket, &address.bytes);
	if (address.socket.ss_family == AF_INET6) {
		const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&address.socket;

		inet_ntop(AF_INET6, &six->sin6_addr, host, sizeof(host));
		snprintf(service, sizeof(service), "%u", ntohs(six->sin6_port));
	} else {
		const struct sockaddr_in *four = (const struct sockaddr_in *)&address.socket;

		inet_ntop(AF_INET, &four->sin_addr, host, sizeof(host));
		snprintf(service, sizeof(service), "%u", ntohs(four->sin_port));
	}
	log_line(LOG_NOTE,
		 address.socket.ss_family == AF_INET6 ? "listening at http://[%s]:%s/metrics"
						      : "listening at http://%s:%s/metrics",
		 host, service);
	if (!is_loopback(wanted))
		log_line(LOG_ODD,
			 "the address is not a loopback address: every client that reaches it can read names of "
			 "users and projects; fairlead-metrics(8) describes a reverse proxy");
}

static void mhd_log(void *context, const char *format, va_list args) __attribute__((format(printf, 2, 0)));
static void mhd_log(void *context, const char *format, va_list args)
{
	char text[300];

	(void)context;
	vsnprintf(text, sizeof(text), format, args);
	text[strcspn(text, "\n")] = '\0';
	log_line(LOG_DETAIL, "http: %s", text);
}

/* Leave escapes in the path: no path that is served has one. */
static size_t keep_escapes(void *context, struct MHD_Connection *connection, char *text)
{
	(void)context;
	(void)connection;
	return strlen(text);
}

static int daemon_open(struct http *server, int fd)
{
	const union MHD_DaemonInfo *info;

	server->daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_USE_ERROR_LOG, 0, NULL, NULL, answer, server,
					  MHD_OPTION_EXTERNAL_LOGGER, mhd_log, NULL, MHD_OPTION_LISTEN_SOCKET, fd,
					  MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MOST, MHD_OPTION_CONNECTION_TIMEOUT,
					  IDLE_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_BYTES_MOST,
					  MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_NOTIFY_CONNECTION, peer_notify,
					  server, MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL, MHD_OPTION_END);
	if (!server->daemon) {
		close(fd);
		return -ENOMEM;
	}
	info = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	server->epoll_fd = info ? info->epoll_fd : -1;
	return server->epoll_fd < 0 ? -EIO : 0;
}

int http_open(struct http **out, const struct http_address *address, struct exporter *exporter, struct error *error)
{
	struct http *server = calloc(1, sizeof(*server));
	int fd;

	*out = server;
	if (!server)
		return error_set(error, -ENOMEM, "out of memory");
	server->exporter = exporter;
	server->signal_fd = signals_open();
	if (server->signal_fd < 0)
		return error_set(error, -errno, "signalfd: %m");
	fd = listen_open(address);
	if (fd < 0)
		return error_set(error, fd, "cannot listen: %s; choose another address with --listen", strerror(-fd));
	listen_log(fd, address);
	if (daemon_open(server, fd))
		return error_set(error, -ENOMEM, "the HTTP server cannot be started");
	return 0;
}

void http_close(struct http *server)
{
	if (!server)
		return;
	if (server->daemon)
		MHD_stop_daemon(server->daemon);
	if (server->signal_fd >= 0)
		close(server->signal_fd);
	free(server);
}

static int turn(struct http *server)
{
	struct pollfd fds[] = { { .fd = server->signal_fd, .events = POLLIN },
				{ .fd = server->epoll_fd, .events = POLLIN } };
	uint64_t now = clock_monotonic_ns(),
		 due = server->exporter->observe_ns < server->watchdog.due_ns ? server->exporter->observe_ns
									      : server->watchdog.due_ns;
	MHD_UNSIGNED_LONG_LONG patience;
	int wait_ms = due <= now ? 0 : (int)((due - now) / MS_NS) + 1;

	if (MHD_get_timeout(server->daemon, &patience) == MHD_YES && patience < (unsigned)wait_ms)
		wait_ms = (int)patience;
	if (poll(fds, 2, wait_ms) < 0)
		return errno == EINTR ? 0 : -errno;
	watchdog_feed(&server->watchdog);
	server->stop = fds[0].revents != 0;
	peers_end(server);
	MHD_run(server->daemon);
	exporter_observe(server->exporter);
	return 0;
}

int http_serve(struct http *server, struct error *error)
{
	int rc = 0;

	watchdog_begin(&server->watchdog);
	notify_send("READY=1");
	while (rc == 0 && !server->stop)
		rc = turn(server);
	notify_send("STOPPING=1");
	return rc ? error_set(error, rc, "poll: %s", strerror(-rc)) : 0;
}
