/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP server of the exporter: GET and HEAD of / and /metrics. One thread serves all connections.
 * Their number, the size of a request's head and the duration of a connection are limited, so that
 * clients cost little, whatever they send.
 */
#ifndef SCHED_METRICS_HTTP_H
#define SCHED_METRICS_HTTP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "conf/base/error.h"
#include "sched/metrics/exporter.h"

struct http_address {
	struct sockaddr_storage socket;
	socklen_t bytes;
};

/*
 * Parse "127.0.0.1:9792", "[::1]:9792" or "*:9792" (all IPv4 addresses). Port 0: any free port.
 * Returns 0 or -EINVAL.
 */
int http_address_parse(struct http_address *address, const char *text);

struct http;

/* Listen. The caller calls http_close() in any case. */
int http_open(struct http **server, const struct http_address *address, struct exporter *exporter, struct error *error);
void http_close(struct http *server);

/* Serve until SIGTERM or SIGINT. */
int http_serve(struct http *server, struct error *error);

#endif
